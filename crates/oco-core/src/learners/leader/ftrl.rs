//! Follow the regularised leader on linear losses.

use crate::Restart;
use crate::geometry::Geometry;
use crate::learners::mirror::DualAveraging;
use crate::{OcoError, OnlineLearner};
use projections::{Exact, ProjectionError, Regulariser, filled};
use serde::{Deserialize, Serialize};

/// Follow the regularised leader \[W13, line (3)\] with the regulariser R/η on linear, or linearised, losses:
/// x_t = argmin_{x∈K} Σ_{s<t}⟨g_s, x⟩ + R(x)/η.
///
/// *Guarantee* \[W13, Theorem 1\]: Σ⟨g_t, x_t − u⟩ ≤ Σ⟨g_t, x_t − x_{t+1}⟩ + (R(u) − R(x_1))/η for every u ∈
/// K and every prefix. Asserted in `tests/mirror_descent/leader.rs` for the Euclidean map, the entropy and
/// p-norms.
///
/// It is [`DualAveraging`] from z_1 = argmin R: there ∇R = 0, so B(x, z_1) is R(x) up to a constant, and both
/// minimise the same function.
/// *Cost:* that of dual averaging.
///
/// ```
/// use oco_core::{OnlineLearner, learners::Ftrl};
/// use projections::{BoxSet, Euclidean};
/// let mut ftrl = Ftrl::new(Euclidean, BoxSet::interval(-1.0, 1.0)?, 1, 0.5)?;
/// // The slopes of [W13, Example 2]: the play stays near 0, the leader jumps between −1 and 1.
/// for (slope, play) in [(-0.5, 0.25), (1.0, -0.25), (-1.0, 0.25)] {
///     ftrl.observe(&[slope])?;
///     assert_eq!(ftrl.play(), [play]);
/// }
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "DualAveraging<R, K>",
    into = "DualAveraging<R, K>",
    bound(
        serialize = "R: Clone + Serialize, K: Clone + Serialize",
        deserialize = "R: Deserialize<'de> + Geometry<K>, K: Deserialize<'de> + Exact<R>"
    )
)]
pub struct Ftrl<R, K> {
    averaging: DualAveraging<R, K>,
}

impl<R: Geometry<K>, K: Exact<R>> OnlineLearner for Ftrl<R, K> {
    fn play(&self) -> &[f64] {
        self.averaging.play()
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        self.averaging.observe(gradient)
    }

    fn reset(&mut self) {
        self.averaging.reset();
    }
}

impl<R: Geometry<K>, K: Exact<R>> Restart for Ftrl<R, K> {
    fn restart(&mut self, eta: f64) -> Result<(), OcoError> {
        self.averaging.restart(eta)
    }

    fn step(&self) -> Option<f64> {
        self.averaging.step()
    }
}

impl<R: Geometry<K>, K: Exact<R>> Ftrl<R, K> {
    /// Regularises with R/η on K ⊂ R^n.
    ///
    /// # Errors
    /// η not positive, or a dimension that does not fit the set or the memory.
    pub fn new(regulariser: R, set: K, dimension: usize, eta: f64) -> Result<Self, OcoError> {
        let least = minimiser(&regulariser, dimension)?;
        Ok(Self { averaging: DualAveraging::around(regulariser, set, least, eta)? })
    }

    /// K.
    pub fn set(&self) -> &K {
        self.averaging.set()
    }

    /// R(u)/η; +∞ beyond the range.
    ///
    /// # Errors
    /// A point outside the domain of R.
    pub fn penalty(&self, u: &[f64]) -> Result<f64, OcoError> {
        Ok(self.averaging.regulariser().value(u)? / self.averaging.eta())
    }
}

/// argmin R, where ∇R = 0.
fn minimiser<R: Regulariser>(regulariser: &R, dimension: usize) -> Result<Vec<f64>, OcoError> {
    let (zero, mut least) = (filled("dimension", dimension, 0.0)?, filled("dimension", dimension, 0.0)?);
    regulariser.inverse_mirror(&zero, &mut least)?;
    Ok(least)
}

impl<R, K> From<Ftrl<R, K>> for DualAveraging<R, K> {
    fn from(ftrl: Ftrl<R, K>) -> Self {
        ftrl.averaging
    }
}

impl<R: Geometry<K>, K: Exact<R>> TryFrom<DualAveraging<R, K>> for Ftrl<R, K> {
    type Error = OcoError;

    fn try_from(averaging: DualAveraging<R, K>) -> Result<Self, OcoError> {
        let least = minimiser(averaging.regulariser(), averaging.origin().len())?;
        for (&value, least) in averaging.origin().iter().zip(least) {
            if value.total_cmp(&least).is_ne() {
                let (name, domain) = ("saved origin", "the minimiser of the regulariser");
                return Err(ProjectionError::BadParameter { name, value, domain }.into());
            }
        }
        Ok(Self { averaging })
    }
}
