//! Learners that are told a gradient or a labelled example, a file each.

mod lazy_ogd;
mod ogd;
mod comid;
mod adagrad;
mod doubling;
mod perceptron;
mod winnow;
mod perturbation;
mod fpl;

pub use adagrad::AdaGrad;
pub use comid::Comid;
pub use doubling::{Doubling, Restart};
pub use fpl::{Draws, FollowThePerturbedLeader};
pub use lazy_ogd::LazyOgd;
pub use ogd::Ogd;
pub use perceptron::Perceptron;
pub use perturbation::{FplConstants, Perturbation};
pub use winnow::Winnow;
