//! Weak learners: the learners that boosters combine.
//!
//! A weak learner sees a row x, predicts, and then receives feedback on its prediction. [`OnlinePredictor`]
//! is that contract. Online gradient boosting meets it too, so boosters stack. For gradient boosting the
//! feedback is the slope g of a linear loss y ↦ ⟨g, y⟩.
//!
//! Reading order: [`OnlinePredictor`] and [`BanditPredictor`], the contracts; then a learner a file. Of
//! gradients: [`OgdLinear`], [`FkmLinear`]. Of labels, one at a time: [`Label`] and [`online`]. Of labels,
//! the whole sample at once: [`batch`]. Of pairs of a context and an action, for off-policy learning:
//! [`pairs`]. [`Ranks`] share the rows of a training among processes.

mod label;
mod error;
mod predictor;
mod weight_matrix;
mod fractions;
mod fkm_linear;
mod ogd_linear;
pub mod online;
pub mod batch;
pub mod pairs;

pub use error::LearnerError;
pub use fkm_linear::FkmLinear;
pub use label::Label;
pub use ogd_linear::OgdLinear;
pub use online::OnlineClassifier;
pub use predictor::{BanditPredictor, FullInformationPredictor, OnlinePredictor, Shape};
pub use ranks::{Communicator, RankError, Ranks, Shard, Traffic};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
