//! Arithmetic that several crates share: scaling by powers of two, sums, and numbers with a wide exponent.
//!
//! `docs/numerics.md` states the magnitudes for which results are promised.

mod magnitude;
mod powers_of_two;
mod sums;
mod wide;

pub use magnitude::{LARGEST, first_beyond};
pub use powers_of_two::{exponent_above, power_of_two_below, scale, scale_down, scale_up};
pub use sums::{BLOCK, CompensatedSum, LANES, block_sum, block_sum_over, sum_of_block};
pub use wide::Wide;
