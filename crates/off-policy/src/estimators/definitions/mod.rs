//! What the estimators are: the six of them, their settings, and what they need of a row.

mod estimate;
mod observation;
mod settings;

pub use estimate::{Estimate, Estimator};
pub use observation::Observation;
pub(crate) use observation::SLACK;
pub(crate) use settings::positive;
pub use settings::{EstimatorSettings, StatedRanges};
