//! Logs, the sets of actions on offer, policies, the conversion of supervised data, and readers.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod candidates;
mod conversion;
mod csv;
mod csv_labels;
mod csv_quotes;
mod log;
mod logistic;
mod logistic_refusals;
mod open_bandit;
mod policies;
mod schema;
#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;
mod sampling;
mod sets;
