//! A set shrunk towards one of its points.

use crate::error::check_length;
use crate::{
    DecisionSet, Euclidean, Exact, LinearMinimisation, Projection, ProjectionError, Scratch, check_finite,
};
use rows::numeric::{exponent_above, scale_down};
use serde::{Deserialize, Serialize};

/// The set a + (1 − ξ)(K − a) with centre a ∈ K and 0 ≤ ξ < 1.
///
/// With a = 0 it is the set (1 − ξ)K of [BH20, footnote 4]. A bandit learner that plays in it may query at
/// distance δ without leaving K, if K contains a ball of radius δ/ξ around a.
///
/// Projection: a + (1 − ξ)(Π(a + (y − a)/(1 − ξ)) − a), with Π the projection onto K. Linear minimisation:
/// the same map of K's vertex. Cost: that of K.
///
/// ```
/// use projections::{BoxSet, Euclidean, Projection, Shrunk};
/// let shrunk = Shrunk::new(BoxSet::interval(-1.0, 3.0)?, vec![1.0], 0.25)?;
/// let mut y = [9.0];
/// Projection::<Euclidean>::project(&shrunk, &mut y)?;
/// assert_eq!(y, [2.5]);
/// # Ok::<(), projections::ProjectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedShrunk<K>", bound(deserialize = "K: DecisionSet + Deserialize<'de>"))]
pub struct Shrunk<K> {
    set: K,
    centre: Vec<f64>,
    xi: f64,
}

#[derive(Deserialize)]
struct UncheckedShrunk<K> {
    set: K,
    centre: Vec<f64>,
    xi: f64,
}

impl<K: DecisionSet> TryFrom<UncheckedShrunk<K>> for Shrunk<K> {
    type Error = ProjectionError;
    fn try_from(raw: UncheckedShrunk<K>) -> Result<Self, ProjectionError> {
        Self::new(raw.set, raw.centre, raw.xi)
    }
}

/// The tolerance for a centre, relative to its largest entry if that exceeds 1.
const CENTRE_TOLERANCE: f64 = 1e-9;

impl<K: DecisionSet> Shrunk<K> {
    /// `set` shrunk towards `centre` by the fraction ξ. Errors: [`ProjectionError::NotFinite`], those of
    /// [`DecisionSet::check_dimension`], [`ProjectionError::BadParameter`] for ξ ∉ [0, 1), and
    /// [`ProjectionError::OutsideSet`] for a centre outside the set.
    pub fn new(set: K, centre: Vec<f64>, xi: f64) -> Result<Self, ProjectionError> {
        check_finite("centre", &centre)?;
        check_finite("xi", &[xi])?;
        set.check_dimension(centre.len())?;
        if !(0.0..1.0).contains(&xi) {
            return Err(ProjectionError::BadParameter { name: "xi", value: xi, domain: "[0, 1)" });
        }
        let size = centre.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        if !set.contains(&centre, CENTRE_TOLERANCE * size) {
            return Err(ProjectionError::OutsideSet { argument: "centre" });
        }
        Ok(Self { set, centre, xi })
    }

    /// The set K.
    pub fn inner(&self) -> &K {
        &self.set
    }

    /// The centre a.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// The shrinkage ξ.
    pub fn xi(&self) -> f64 {
        self.xi
    }

    /// x ← a + (1 − ξ)(x − a); the identity for ξ = 0.
    fn shrink(&self, x: &mut [f64]) {
        for (v, a) in x.iter_mut().zip(&self.centre) {
            *v = self.xi * a + (1.0 - self.xi) * *v;
        }
    }

    /// x ← a + (x − a)/(1 − ξ), the inverse of `shrink`; the identity for ξ = 0. The centre is in the unit of
    /// x.
    fn stretch(&self, x: &mut [f64], centre: impl Iterator<Item = f64>) {
        if self.xi > 0.0 {
            let factor = self.xi / (1.0 - self.xi);
            for (v, a) in x.iter_mut().zip(centre) {
                *v += factor * (*v - a);
            }
        }
    }
}

impl<K: Projection<Euclidean>> Projection<Euclidean> for Shrunk<K> {
    /// If the stretched point a + (y − a)/(1 − ξ) leaves the range, K's scaled projection is used.
    fn project_with(&self, y: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        let given = scratch.lend_copy(y);
        self.stretch(y, self.centre.iter().copied());
        if y.iter().any(|v| !v.is_finite()) {
            y.copy_from_slice(&given);
            scratch.give_back(given);
            return self.project_scaled_with(y, 0, scratch);
        }
        let outcome = self.set.project_with(y, scratch);
        match outcome {
            Ok(()) => self.shrink(y),
            Err(_) => y.copy_from_slice(&given),
        }
        scratch.give_back(given);
        outcome
    }

    fn project_scaled_with(
        &self,
        y: &mut [f64],
        exponent: u32,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        check_finite("y", y)?;
        self.check_dimension(y.len())?;
        let given = scratch.lend_copy(y);
        // Stretching multiplies by at most 2^54; in a unit larger by this factor the result stays in range.
        let room = exponent_above(1.0 / (1.0 - self.xi)).unsigned_abs() + 2;
        let exponent = exponent.saturating_add(room);
        y.iter_mut().for_each(|v| *v = scale_down(*v, room));
        self.stretch(y, self.centre.iter().map(|a| scale_down(*a, exponent)));
        let outcome = self.set.project_scaled_with(y, exponent, scratch);
        match outcome {
            Ok(()) => self.shrink(y),
            Err(_) => y.copy_from_slice(&given),
        }
        scratch.give_back(given);
        outcome
    }
}

impl<K: Exact<Euclidean>> Exact<Euclidean> for Shrunk<K> {}

impl<K: LinearMinimisation> LinearMinimisation for Shrunk<K> {
    fn lmo_with(&self, g: &[f64], x: &mut [f64], scratch: &mut Scratch) -> Result<(), ProjectionError> {
        check_finite("g", g)?;
        self.check_dimension(g.len())?;
        check_length("x", Some(g.len()), x.len())?;
        self.set.lmo_with(g, x, scratch)?;
        self.shrink(x);
        Ok(())
    }

    /// (1 − ξ) times K's.
    fn lmo_accuracy(&self, g: &[f64]) -> f64 {
        (1.0 - self.xi) * self.set.lmo_accuracy(g)
    }
}

impl<K: DecisionSet> DecisionSet for Shrunk<K> {
    fn check_dimension(&self, n: usize) -> Result<(), ProjectionError> {
        check_length("point", Some(self.centre.len()), n)
    }

    /// The constraints of K for the stretched point, with the tolerance stretched likewise. Allocates.
    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let mut stretched = x.to_vec();
        self.stretch(&mut stretched, self.centre.iter().copied());
        x.len() == self.centre.len() && self.set.contains(&stretched, tolerance / (1.0 - self.xi))
    }

    /// (1 − ξ) times K's.
    fn diameter(&self, n: usize) -> Result<f64, ProjectionError> {
        self.check_dimension(n)?;
        Ok((1.0 - self.xi) * self.set.diameter(n)?)
    }

    fn interior_point(&self, x: &mut [f64]) -> Result<(), ProjectionError> {
        self.check_dimension(x.len())?;
        self.set.interior_point(x)?;
        self.shrink(x);
        Ok(())
    }
}
