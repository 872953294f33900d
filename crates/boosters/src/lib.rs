//! Boosting as online convex optimisation: a module per paper, a file per algorithm.
//!
//! * [`gradient`]: online gradient boosting for regression, with full information \[BHKL15\] and with noisy
//!   bandit feedback \[BH20\], and the baselines of their experiments.
//! * [`agnostic`]: boosting of classifiers through online convex optimisation, agnostic and realizable,
//!   online and on a sample \[BCMH20\].
//! * [`mistake_bound`]: earlier online boosters, in the mistake-bound model \[CLL12\], \[BKL15\].
//! * [`bopl`]: policies from logged bandit data \[L23\].
//! * [`auto_policy`]: the recipe that chooses among them on the log alone.
//! * [`maboost`]: AdaBoost and its smooth, sparse and combined relatives, on tables of examples \[NP14\].
//! * [`Threads`]: the number of threads of a piece of work.
//! * [`feedback`]: the noise of bandit feedback.
//! * [`saved`]: learners on disc. A stopped, saved, loaded and continued run is bit for bit the run that was
//!   not stopped.
//!
//! ```
//! use boosters::gradient::{BanditGradientBoosting, Queries};
//! use oco_core::StepSchedule;
//! use projections::BoxSet;
//! use rand::SeedableRng;
//! use rows::Row;
//! use weak_learners::{BanditPredictor, OgdLinear, Shape};
//!
//! let shape = Shape { inputs: 2, outputs: 1 };
//! let weak = OgdLinear::new(shape, StepSchedule::power(0.02, 0.25)?, 3.0)?;
//! let rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
//! let queries = Queries { delta: 0.5, rng };
//! let interval = BoxSet::interval(-2.0, 2.0)?;
//! let mut booster = BanditGradientBoosting::new(vec![weak; 10], interval, 1.0, queries)?;
//! let mut late_loss = 0.0;
//! for t in 0..4000 {
//!     let x = [f64::from(t % 7) / 7.0, 1.0];
//!     let label = 2.0 * x[0] - 1.0; // the booster never sees it, only the loss at the points it asks about
//!     let played = booster.round(Row::dense(&x)?, &mut |y| (y[0] - label).powi(2))?;
//!     late_loss += if t < 3000 { 0.0 } else { (played[0] - label).powi(2) / 1000.0 };
//! }
//! assert!(late_loss < 0.2, "predicting 0 would lose 0.36 a round, the booster lost {late_loss}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draws;
mod patience;
mod requirements;
pub mod agnostic;
pub mod auto_policy;
pub mod bopl;
pub mod feedback;
pub mod gradient;
pub mod maboost;
pub mod mistake_bound;
pub mod saved;
mod threads;

pub use threads::{Threads, ThreadsError};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
