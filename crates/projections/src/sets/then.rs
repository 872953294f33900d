//! The double projection of [NP14, Lemma 4].

use crate::{
    DecisionSet, LinearMinimisation, LogProjection, Projection, ProjectionError, Regulariser, Scratch,
};
use serde::{Deserialize, Serialize};

/// First K, then S: `Π_S(Π_K(y))` for S ⊆ K, an approximate projection onto S.
///
/// Guarantee [NP14, Lemma 4]: B(x, y) ≥ B(x, Π(y)) for every x ∈ S, if both maps satisfy it. This is the
/// contract of [`Projection`]. The Pythagorean inequality may fail, so the type is never
/// [`Exact`](crate::Exact). The caller vouches for S ⊆ K.
///
/// ```
/// use projections::{Euclidean, Projection, Simplex, Then, UnitBox};
/// let double = Then::new(UnitBox, Simplex::new(1.0)?);
/// let (mut once, mut twice) = ([0.25, -0.5, 0.25], [0.25, -0.5, 0.25]);
/// Projection::<Euclidean>::project(&Simplex::new(1.0)?, &mut once)?;
/// Projection::<Euclidean>::project(&double, &mut twice)?;
/// assert_eq!(once, [0.5, 0.0, 0.5]);
/// assert!((twice[1] - 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
///
/// An update whose proof needs the exact projection does not accept it:
///
/// ```compile_fail,E0277
/// use projections::{Euclidean, Exact, Simplex, Then, UnitBox};
/// fn lazy_update<K: Exact<Euclidean>>(_: K) {}
/// lazy_update(Then::new(UnitBox, Simplex::new(1.0).unwrap()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Then<K, S> {
    k: K,
    s: S,
}

impl<K, S> Then<K, S> {
    /// The projection onto `k`, followed by the projection onto `s` ⊆ `k`.
    pub fn new(k: K, s: S) -> Self {
        Self { k, s }
    }

    /// The outer set K.
    pub fn first(&self) -> &K {
        &self.k
    }

    /// The inner set S.
    pub fn second(&self) -> &S {
        &self.s
    }
}

impl<R: Regulariser, K: Projection<R>, S: Projection<R>> Projection<R> for Then<K, S> {
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.k.check_dimension(y.len()).and(self.s.check_dimension(y.len()))?;
        let unprojected = scratch.lend_copy(y);
        let outcome = self.k.project_with(y, scratch).and_then(|()| self.s.project_with(y, scratch));
        if outcome.is_err() {
            y.copy_from_slice(&unprojected);
        }
        scratch.give_back(unprojected);
        outcome
    }
}

impl<K: LogProjection, S: LogProjection> LogProjection for Then<K, S> {
    fn project_log_with(&self, log_y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.k.check_dimension(log_y.len()).and(self.s.check_dimension(log_y.len()))?;
        let given = scratch.lend_copy(log_y);
        let first = self.k.project_logarithms_with(log_y, 0, scratch);
        let outcome = first.and_then(|()| self.s.project_log_with(log_y, scratch));
        if outcome.is_err() {
            log_y.copy_from_slice(&given);
        }
        scratch.give_back(given);
        outcome
    }

    fn project_log_scaled_with(
        &self,
        log_y: &mut [f64],
        exponent: u32,
        x: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        self.k.project_logarithms_with(log_y, exponent, scratch)?;
        self.s.project_log_scaled_with(log_y, 0, x, scratch)
    }
}

impl<K: DecisionSet, S: LinearMinimisation> LinearMinimisation for Then<K, S> {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        self.s.lmo_with(g, x, scratch)
    }

    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        self.s.lmo_accuracy(g)
    }
}

/// The set is S.
impl<K: DecisionSet, S: DecisionSet> DecisionSet for Then<K, S> {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        self.k.check_dimension(n).and(self.s.check_dimension(n))
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.s.contains(x, tolerance)
    }

    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.s.diameter(n)
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.s.interior_point(x)
    }
}
