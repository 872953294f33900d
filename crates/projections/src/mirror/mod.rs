//! Mirror maps and their Bregman divergences.

mod maps;
mod p_norm;

pub use maps::{Euclidean, NegativeEntropy, Regulariser};
pub use p_norm::PNorm;
