//! Nothing is lost: the program is killed, and its calls of the system fail, while it writes.
//!
//! Reading order: `jobs`, what it writes; `traced`, the nth call that fails or kills; then `kills`,
//! `failures` and `places`. `cargo xtask faults` runs them with more kills.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may")]

mod failures;
mod jobs;
mod kills;
mod places;
#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;
#[path = "../running/mod.rs"]
mod running;
mod traced;
