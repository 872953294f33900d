//! Learners that receive only the loss of their play.

mod spherical;
mod smoothed;
mod fkm;
mod multi_point;

pub use fkm::Fkm;
pub use multi_point::{Estimates, MultiPointFkm};
pub use smoothed::SmoothedLoss;
pub use spherical::SphericalEstimator;
