//! The theorems of the mirror-descent family at every prefix, on random and adversarial gradients, on every
//! applicable set.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

mod active;
mod beyond_range;
mod hedge;
mod lazy;
mod leader;
mod optimistic;
mod play;
mod state;
