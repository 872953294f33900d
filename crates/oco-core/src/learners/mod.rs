//! Learners that are told a gradient, a file each.

mod lazy_ogd;
mod ogd;
mod comid;
mod adagrad;
mod perturbation;
mod fpl;

pub use adagrad::AdaGrad;
pub use comid::Comid;
pub use fpl::{Draws, FollowThePerturbedLeader};
pub use lazy_ogd::LazyOgd;
pub use ogd::Ogd;
pub use perturbation::{FplConstants, Perturbation};
