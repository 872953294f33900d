//! Projections onto simplices: searches for one number, the threshold τ or the factor ρ.
//!
//! Reading order: the exact threshold, the guess it starts from and the pass over a long vector before it;
//! the same with caps, also for the entropic projection; then points written as logarithms.

pub(crate) mod lanes;
pub(crate) mod threshold;
pub(crate) mod guess;
pub(crate) mod sift;
pub(crate) mod capped_threshold;
pub(crate) mod capped_bracket;
pub(crate) mod capped_level;
pub(crate) mod logarithms;
