//! The set of a problem.

use projections::{Euclidean, Exact, LinearMinimisation};
use std::fmt::Debug;

/// A set with a projection and a linear minimisation, chosen at run time.
pub trait Geometry: Exact<Euclidean> + LinearMinimisation + Debug {}

impl<K: Exact<Euclidean> + LinearMinimisation + Debug> Geometry for K {}
