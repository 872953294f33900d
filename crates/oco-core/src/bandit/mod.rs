//! Learning from the loss of the play alone.

mod spherical;
mod smoothed;
mod fkm;
mod multi_point;

pub use fkm::Fkm;
pub use multi_point::{Estimates, MultiPointFkm};
pub use smoothed::SmoothedLoss;
pub use spherical::SphericalEstimator;
