//! Learners that play the best point of the past: alone, regularised or perturbed.

mod follow_the_leader;
mod ftrl;
mod ftrl_quadratic;
mod hedge;
mod perturbation;
mod fpl;

pub use follow_the_leader::FollowTheLeader;
pub use fpl::{Draws, FollowThePerturbedLeader};
pub use ftrl::Ftrl;
pub use ftrl_quadratic::FtrlQuadratic;
pub use hedge::Hedge;
pub use perturbation::{FplConstants, Perturbation};
