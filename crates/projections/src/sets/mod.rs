//! Sets of vectors, one file each.

mod whole_space;
mod box_set;
mod l1_box;
mod l2_ball;
mod simplex;
mod capped_simplex;
mod capped_entropic;
mod l1_ball;
mod flow_polytope;
mod minimum_norm_point;
mod shrunk;
mod then;
mod any_set;

pub use any_set::AnySet;
pub use box_set::{BoxSet, UnitBox};
pub use capped_simplex::CappedSimplex;
pub use flow_polytope::FlowPolytope;
pub use l1_ball::L1Ball;
pub use l1_box::project_l1_box;
pub use l2_ball::L2Ball;
pub use shrunk::Shrunk;
pub use simplex::Simplex;
pub use then::Then;
pub use whole_space::WholeSpace;
