//! Hedge over stumps, with thresholds fixed ahead and grown from the stream.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

mod fixed;
mod grown;
mod grown_states;
mod orders;
mod adaptive;
mod streams;
