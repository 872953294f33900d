//! Learning from the loss of the play alone.

mod spherical;
mod smoothed;
mod fkm;

pub use fkm::Fkm;
pub use smoothed::SmoothedLoss;
pub use spherical::SphericalEstimator;
