//! The MABoost family, held to its theorems [NP14].
//!
//! Reading order: `samples` (data), `trials` (every sample with every weak learner), `account` (what must hold in every
//! round, recomputed from the hypotheses), the claims: `theorems_1_and_2`, then `sparse`, `mada`, `ada_boost`; and the variants' `states`.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod samples;
mod trials;
mod account;
mod theorems_1_and_2;
mod sparse;
mod mada;
mod ada_boost;
mod states;
