//! Encoders of features and targets, applied before a learner sees them.
//!
//! An encoder is fitted on the rows that it is given, the tuning half of an experiment, and then applied to
//! all: no figure of the reporting half leaks into the features. A fitted encoder serialises.

mod one_hot;

mod min_max;
mod standardise;

mod affine;

mod constant;
mod labels;

pub use constant::with_constant;
pub use labels::{TargetRange, indicators, signs};
pub use min_max::MinMax;
pub use one_hot::OneHot;
pub use standardise::Standardiser;
