//! The boosters of the mistake-bound model \[CLL12\], \[BKL15\]: their inequalities, proved below and asserted at every
//! prefix with the edges that occurred, on learners that are weak and learners that are not; and the contract of a
//! predictor.
//!
//! Tried by hand, and seen to fail a test here: HAND.

#![allow(clippy::unwrap_used, reason = "a refusal here is a failure of the test")]

mod adaboost_ol;
mod contract;
mod online_bbm;
mod osboost;
mod streams;
