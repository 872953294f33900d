//! Learners that are told a gradient or a labelled example, a file each.

mod follow_the_leader;
mod ftrl;
mod ftrl_quadratic;
mod lazy_ogd;
mod ogd;
mod mirror_descent;
mod dual_averaging;
mod hedge;
mod optimistic;
mod comid;
mod adagrad;
mod perturbation;
mod fpl;
mod doubling;
mod perceptron;
mod mistake_sum;
mod winnow;
mod balanced_winnow;

pub use adagrad::AdaGrad;
pub use balanced_winnow::BalancedWinnow;
pub use comid::Comid;
pub use doubling::{Doubling, Restart};
pub use dual_averaging::DualAveraging;
pub use follow_the_leader::FollowTheLeader;
pub use fpl::{Draws, FollowThePerturbedLeader};
pub use ftrl::Ftrl;
pub use ftrl_quadratic::FtrlQuadratic;
pub use hedge::Hedge;
pub use lazy_ogd::LazyOgd;
pub use mirror_descent::MirrorDescent;
pub use ogd::Ogd;
pub use optimistic::OptimisticMirrorDescent;
pub use perceptron::Perceptron;
pub use perturbation::{FplConstants, Perturbation};
pub use winnow::Winnow;

pub(crate) use perceptron::check_label;
