//! The MABoost family, held to its theorems [NP14].
//!
//! Reading order: `samples` (data), `trials` (every sample with every weak learner), `account` (what must hold in every
//! round, recomputed from the hypotheses), `theorems_1_and_2`, the claims.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod samples;
mod trials;
mod account;
mod theorems_1_and_2;
