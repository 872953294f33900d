//! Estimates of a policy's value, held to what is known of them.
//!
//! Reading order: `logs` (a small problem, and logs drawn from it); the claims: `unbiased` (every log of the
//! problem), `identities` (between the estimators), `coverage` (of the intervals), `bernstein` (the empirical
//! Bernstein interval against its definition), `smoothing` (that of logarithmic smoothing), `support` (the
//! warnings); the contract: `pass` (merging, order, range), `refusals`, `saved`.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod logs;
mod unbiased;
mod identities;
mod coverage;
mod cross_fit;
mod bernstein;
mod smoothing;
mod support;
mod pass;
mod refusals;
mod saved;
