//! What a booster boosts.
//!
//! A weak learner sees a row x, predicts, and is then told something about its prediction; [`OnlinePredictor`] is that
//! contract, and online gradient boosting meets it too, so boosters stack. For gradient boosting the feedback is a linear
//! loss y ↦ ⟨g, y⟩, handed over as its slope g.
//!
//! Reading order: [`OnlinePredictor`] and [`BanditPredictor`], then a learner a file: [`OgdLinear`], [`FkmLinear`].

mod error;
mod fkm_linear;
mod ogd_linear;
mod predictor;

pub use error::LearnerError;
pub use fkm_linear::FkmLinear;
pub use ogd_linear::OgdLinear;
pub use predictor::{BanditPredictor, FullInformationPredictor, OnlinePredictor, Shape};
