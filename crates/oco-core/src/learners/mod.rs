//! Learners that receive a gradient or a labelled example, a file each.

mod leader;
mod gradient_descent;
mod mirror;
mod doubling;
mod mistake_bound;

pub use doubling::Doubling;
pub use gradient_descent::{AdaGrad, Comid, LazyOgd, Ogd};
pub use leader::{
    Draws, FollowTheLeader, FollowThePerturbedLeader, FplConstants, Ftrl, FtrlQuadratic, Hedge, Perturbation,
};
pub use mirror::{DualAveraging, MirrorDescent, OptimisticMirrorDescent};
pub use mistake_bound::{BalancedWinnow, Perceptron, Winnow};
