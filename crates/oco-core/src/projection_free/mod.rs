//! Learners with linear minimisation instead of projections, and with a gradient oracle.
//!
//! Reading order: the oracle; BH20's Algorithm 1; the methods it is compared with, Online-FW (one gradient
//! and one linear minimisation a round), Meta-FW and MORGFW (many). The methods with many online linear
//! optimisers share the cascade.

mod stochastic_gradient;
mod noisy_gradient;
mod minibatch;
mod projection_free_oco;
mod online_fw;
mod meta_fw;
mod morgfw;
mod cascade;

pub use meta_fw::MetaFrankWolfe;
pub use minibatch::{MinibatchGradient, Minibatches};
pub use morgfw::Morgfw;
pub use noisy_gradient::{GradientNoise, NoisyGradient};
pub use online_fw::OnlineFrankWolfe;
pub use projection_free_oco::ProjectionFreeOco;
pub use stochastic_gradient::{Counted, ExactGradient, OneGradient, OracleLearner, StochasticGradient};
