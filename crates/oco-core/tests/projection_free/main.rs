//! Projection-free learners against their theorems.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod quadratic;
mod algorithm_1;
mod online_fw;
mod recurrences;
mod estimates;
mod expected_regret;
mod contract;
