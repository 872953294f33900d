//! The MABoost family, held to its theorems [NP14].
//!
//! Reading order: `samples` (data), `trials` (every sample with every weak learner), `account` (what must
//! hold in every round, recomputed from the hypotheses), `regret` (the inequality behind the bounds); the
//! claims: `theorems_1_and_2`, `smooth` with Theorem 3, `combined`, `sparse`, `mada`, `ada_boost`, `start`
//! (other distributions than the uniform one), `margins` (the rate of Theorem 2), `line_search`, `double`
//! (Lemma 4); `equivalences`; the contract: `saved`, `states`, `refusals`, `no_edge`, `allocation`, `ranks`.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod samples;
mod trials;
mod account;
mod regret;
mod theorems_1_and_2;
mod smooth;
mod combined;
mod sparse;
mod mada;
mod ada_boost;
mod start;
mod margins;
mod line_search;
mod double;
mod equivalences;
mod saved;
mod states;
mod refusals;
mod no_edge;
mod allocation;
mod ranks;
