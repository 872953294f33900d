//! Convex sets, mirror maps, Bregman projections and linear minimisation.
//!
//! A [`DecisionSet`] has membership, a diameter and an interior point. It may have a [`Projection`] for a
//! mirror map ([`Regulariser`]) and a linear minimisation oracle ([`LinearMinimisation`]). Every algorithm is
//! exact up to rounding, except linear minimisation over matrices, which states its accuracy. No intermediate
//! overflow or underflow changes a result. Hypotheses of theorems are types: [`Exact`] marks a true Bregman
//! projection; the double projection [`Then`] does not carry it.
//!
//! Reading order: the traits, the mirror maps, the sets from [`WholeSpace`] and [`BoxSet`] to [`AnySet`];
//! then the sets with cheap linear minimisation and expensive projection, [`TraceNormBall`],
//! [`Spectrahedron`] and [`FlowPolytope`]. Every refusal is a [`ProjectionError`]. [`filled`] allocates
//! vectors of a requested size.
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
mod sets;
mod simplex;
mod matrix;
mod error;
mod sizes;
mod scratch;
mod norm;
mod scaling;

pub use error::{ProjectionError, check_finite};
pub use matrix::{Spectrahedron, TraceNormBall};
pub use mirror::{Euclidean, NegativeEntropy, PNorm, Regulariser};
pub use scratch::Scratch;
pub use sets::{
    AnySet, BoxSet, CappedSimplex, FlowPolytope, L1Ball, L2Ball, Shrunk, Simplex, Then, UnitBox, WholeSpace,
    project_l1_box,
};
pub use sizes::{LARGEST_SIZE, filled};
pub use traits::{DecisionSet, Exact, LinearMinimisation, LogProjection, Projection, start_point};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
