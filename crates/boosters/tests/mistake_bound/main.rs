//! The boosters of the mistake-bound model \[CLL12\], \[BKL15\]: their inequalities, proved below and
//! asserted at every prefix with the edges that occurred, on learners that are weak and learners that are
//! not; and the contract of a predictor.
//!
//! Tried by hand, and seen to fail a test here: another θ, base, start or cap of OSBoost's weight, its sign
//! or its label; a majority turned over; a coin read the wrong way round, always heads, or tossed once for
//! all rounds; learners taught −y; a learner moved before all have agreed; one of the checks of a shape, a
//! parameter or a loaded state left out; in Online BBM the wrong odds, mode, middle, count of learners
//! behind, or count of right votes; in AdaBoost.OL the gradient with the wrong sign or at the wrong score,
//! another interval, step, or η, mistakes and successes of the experts exchanged, α never moved, the last
//! expert always, the expert before the one drawn, a draw made once for all rounds.

#![allow(clippy::unwrap_used, reason = "a refusal here is a failure of the test")]

mod adaboost_ol;
mod contract;
mod online_bbm;
mod osboost;
mod streams;
#[path = "../recording/mod.rs"]
mod recording;
mod teaching;
