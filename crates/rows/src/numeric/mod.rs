//! Arithmetic that several crates share: scaling by powers of two, sums, numbers with a wide exponent,
//! exponentials, and loops with the vector instructions of the machine.
//!
//! `docs/numerics.md` states the magnitudes for which results are promised.

mod exponentials;
mod magnitude;
mod powers_of_two;
mod sums;
mod vector_instructions;
mod wide;

pub use exponentials::{exp, exp_slice, ln, ln_slice};
pub use magnitude::{LARGEST, first_beyond};
pub use powers_of_two::{exponent_above, power_of_two_below, scale, scale_down, scale_up};
pub use sums::{BLOCK, CompensatedSum, LANES, block_sum, block_sum_over, sum_of_block};
pub use vector_instructions::vectorised;
pub use wide::Wide;
