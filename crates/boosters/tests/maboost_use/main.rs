//! MABoost as it is used: stopped for a reason, saved and continued, asked for scores and margins, taught
//! many classes.
//!
//! Reading order: `tasks` (data), `stopping` and `validation`, `ensemble` and `margins`, `codes` and
//! `multiclass` ([ASS00, Theorem 1]).

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod tasks;
mod stopping;
mod validation;
mod ensemble;
mod margins;
mod codes;
mod multiclass;
