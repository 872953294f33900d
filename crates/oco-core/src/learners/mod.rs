//! Learners that are told a gradient, a file each.

mod follow_the_leader;
mod ftrl;
mod ftrl_quadratic;
mod lazy_ogd;
mod ogd;
mod mirror_descent;
mod dual_averaging;
mod hedge;
mod optimistic;

pub use dual_averaging::DualAveraging;
pub use follow_the_leader::FollowTheLeader;
pub use ftrl::Ftrl;
pub use ftrl_quadratic::FtrlQuadratic;
pub use hedge::Hedge;
pub use lazy_ogd::LazyOgd;
pub use mirror_descent::MirrorDescent;
pub use ogd::Ogd;
pub use optimistic::OptimisticMirrorDescent;
