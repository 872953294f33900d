//! Online convex optimisation: learners, losses, regret, bandit gradient estimates and zero-sum games.
//!
//! In round t a learner plays x_t ∈ K, then sees a convex loss ℓ_t (or a subgradient g_t ∈ ∂ℓ_t(x_t), or only
//! the number ℓ_t(x_t)). Its regret is Σ ℓ_t(x_t) − min_{u∈K} Σ ℓ_t(u). Sets, projections and mirror maps
//! come from the crate `projections`. Points are slices, so `Vec`, arrays and nalgebra vectors all fit. A
//! number above 1e140 in magnitude is refused where it enters ([`OcoError::TooLarge`]).
//!
//! Start with the contracts [`OnlineLearner`] and [`BanditLearner`] and the losses in [`losses`]. Then:
//!
//! - [`learners`] receive a gradient or a labelled example: follow the leader, gradient descent, mirror
//!   descent in any [`Geometry`], Hedge, AdaGrad, the Perceptron and Winnow, and the doubling trick for an
//!   unknown horizon;
//! - [`bandit`] learns from loss values alone;
//! - [`projection_free`] learns through a gradient oracle and linear minimisation, without projections;
//! - [`games`] plays and solves zero-sum games;
//! - [`regret`] keeps the accounts and finds the best point in hindsight.
//!
//! ```
//! use oco_core::{OnlineLearner, StepSchedule, learners::Ogd, regret::LinearRegret};
//! use projections::BoxSet;
//!
//! let interval = BoxSet::interval(-1.0, 1.0)?;
//! let (diameter, lipschitz, rounds) = (2.0, 1.0, 100_u32);
//! let mut learner = Ogd::new(interval.clone(), 1, StepSchedule::zinkevich(diameter, lipschitz)?)?;
//! let mut account = LinearRegret::new(1)?;
//! for t in 0..rounds {
//!     let g = [if t % 3 == 0 { -1.0 } else { 1.0 }];
//!     account.record(&g, learner.play())?;
//!     learner.observe(&g)?;
//! }
//! let regret = account.regret(&interval)?;
//! assert!(regret.value <= 1.5 * lipschitz * diameter * f64::from(rounds).sqrt());
//! # Ok::<(), oco_core::OcoError>(())
//! ```

mod error;
mod learner;
mod step;
mod geometry;
pub mod losses;
pub mod learners;
pub mod bandit;
pub mod projection_free;
pub mod games;
pub mod regret;

pub use error::OcoError;
pub use geometry::Geometry;
pub use learner::{BanditLearner, OnlineLearner, Restart};
pub use step::StepSchedule;

pub(crate) use error::{check_magnitudes, check_vector};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
