//! Mirror descent in any geometry: active, lazy and optimistic.

mod dual_point;
mod mirror_descent;
mod dual_averaging;
mod optimistic;

pub use dual_averaging::DualAveraging;
pub use mirror_descent::MirrorDescent;
pub use optimistic::OptimisticMirrorDescent;
