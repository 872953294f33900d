//! The building blocks of experiments.
//!
//! Reading order: [`record`], the result of a run; [`trials`], the kept units of work, from which a stopped
//! run resumes; [`paired`], means over trials and their intervals; [`table`] and [`plot`], their
//! presentation; [`progress`], [`output`] and [`interruption`], the messages during a run.
//!
//! **Invariant.** This crate does not depend on learners: numbers enter as [`record::Trial`]s.

pub mod record;
pub mod trials;
pub mod paired;
pub mod table;
pub mod plot;
pub mod progress;
pub mod output;
pub mod interruption;

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
