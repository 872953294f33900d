//! Convex sets, mirror maps, Bregman projections and linear minimisation.
//!
//! A [`DecisionSet`] offers what it can: a [`Projection`] for a mirror map ([`Regulariser`]), a linear minimisation
//! oracle ([`LinearMinimisation`]), membership, a diameter and an interior point. Every algorithm is exact up to
//! rounding, with one exception, linear minimisation over matrices, which states its accuracy; and none lets the
//! overflow or underflow of an intermediate change its result. Hypotheses of theorems are types: [`Exact`] marks a true
//! Bregman projection, and the double projection [`Then`] does not carry it.
//!
//! Reading order: the traits, the mirror maps, the sets from [`WholeSpace`] and [`BoxSet`] to [`AnySet`]; then the sets
//! whose linear minimisation is cheap and whose projection is dear: [`TraceNormBall`], [`Spectrahedron`],
//! [`FlowPolytope`]. What they refuse is [`ProjectionError`]; [`filled`] makes vectors of a size that was asked for.
//!
//! ```
//! use projections::{Euclidean, LinearMinimisation, Projection, Simplex};
//! let simplex = Simplex::new(1.0)?;
//! let mut y = [0.5, 0.25, -0.25, 1.0];
//! Projection::<Euclidean>::project(&simplex, &mut y)?;
//! assert_eq!(y, [0.25, 0.0, 0.0, 0.75]);
//! assert_eq!(simplex.lmo(&[0.5, -2.0, 1.0])?, [0.0, 1.0, 0.0]);
//! # Ok::<(), projections::ProjectionError>(())
//! ```

mod traits;
mod mirror;
mod p_norm;
mod whole_space;
mod box_set;
mod l1_box;
mod l2_ball;
mod simplex;
mod simplex_threshold;
mod simplex_guess;
mod simplex_sift;
mod capped_simplex;
mod capped_threshold;
mod capped_bracket;
mod capped_entropic;
mod capped_level;
mod l1_ball;
mod shrunk;
mod then;
mod any_set;
mod trace_norm_ball;
mod spectrahedron;
mod lanczos;
mod flow_polytope;
mod minimum_norm_point;
mod error;
mod sizes;
mod scratch;
mod logarithms;
mod norm;
mod compensated_sum;
mod power_of_two;

pub use any_set::AnySet;
pub use box_set::{BoxSet, UnitBox};
pub use capped_simplex::CappedSimplex;
pub use error::{ProjectionError, check_finite};
pub use flow_polytope::FlowPolytope;
pub use l1_ball::L1Ball;
pub use l1_box::project_l1_box;
pub use l2_ball::L2Ball;
pub use mirror::{Euclidean, NegativeEntropy, Regulariser};
pub use p_norm::PNorm;
pub use power_of_two::{exponent_above, scale_down, scale_up};
pub use scratch::Scratch;
pub use shrunk::Shrunk;
pub use simplex::Simplex;
pub use sizes::{LARGEST_SIZE, filled};
pub use spectrahedron::Spectrahedron;
pub use then::Then;
pub use trace_norm_ball::TraceNormBall;
pub use traits::{DecisionSet, Exact, LinearMinimisation, LogProjection, Projection, start_point};
pub use whole_space::WholeSpace;
