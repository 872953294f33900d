//! What any experiment is made of.
//!
//! Reading order: [`record`], what a run leaves behind; [`trials`], the units of work that are kept so that a
//! stopped run continues; [`paired`], means over trials and their intervals; [`table`] and [`plot`], which
//! show them; [`progress`], [`output`] and [`interruption`], what the caller of a program sees meanwhile.
//!
//! **Invariant.** Nothing here knows a learner: numbers come in as [`record::Trial`]s.

pub mod record;
pub mod trials;
pub mod paired;
pub mod table;
pub mod plot;
pub mod progress;
pub mod output;
pub mod interruption;
