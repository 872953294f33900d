//! Boosting on a sample, held to [BCMH20, Theorems 8 and 10].
//!
//! Reading order: `samples` (data), `account` (the bound from a run's own records), `theorem_8`,
//! `theorem_10`, `sampled` (draws instead of distributions), `game` (Algorithm 2 is Algorithm 3), `scripted`
//! (which hypothesis is kept, tiny advantages), `contract` (refusals and saved runs).

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod samples;
mod account;
mod theorem_8;
mod theorem_10;
mod sampled;
mod game;
mod scripted;
mod contract;
