//! Follow the regularised leader on quadratic losses.

use crate::step::check_step;
use crate::{OcoError, check_magnitudes, check_vector};
use projections::{Euclidean, Exact, ProjectionError, Scratch, check_finite, filled};
use serde::{Deserialize, Serialize};
use std::f64::consts::SQRT_2;

/// Follow the regularised leader \[W13, line (3)\] on f_t(x) = (a_t/2)‖x − c_t‖² with R(x) = ‖x‖²/(2η):
/// x_t = Π_K(Σ_{s<t} a_s c_s / (Σ_{s<t} a_s + 1/η)).
///
/// It follows the losses, not their gradients, so a round takes a_t and c_t.
/// *Guarantee* \[W13, Theorem 1\]: Σ f_t(x_t) − f_t(u) ≤ Σ f_t(x_t) − f_t(x_{t+1}) + R(u) − R(x_1) for every
/// u ∈ K and every prefix. Asserted in `tests/mirror_descent/leader.rs`.
/// *Cost:* O(n) and one projection a round; no allocation after the first. The state is the mean inside the
/// projection, with its weight.
///
/// ```
/// use oco_core::learners::FtrlQuadratic;
/// use projections::L2Ball;
/// let mut ftrl = FtrlQuadratic::new(L2Ball::new(2.0)?, 1, 1.0)?;
/// ftrl.observe(1.0, &[3.0])?;
/// assert_eq!(ftrl.play(), [1.5]); // minimises ½(x − 3)² + ½x²
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + Exact<Euclidean>")
)]
pub struct FtrlQuadratic<K> {
    state: State<K>,
    x: Vec<f64>,
    next_mean: Vec<f64>,
    next_x: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<K> {
    set: K,
    eta: f64,
    /// 1/η + Σ a_s.
    weight: f64,
    /// Σ a_s c_s, divided by the weight.
    mean: Vec<f64>,
}

impl<K: Exact<Euclidean>> FtrlQuadratic<K> {
    /// x_t.
    pub fn play(&self) -> &[f64] {
        &self.x
    }

    /// Takes f_t(x) = (a/2)‖x − c‖² and moves to x_{t+1}.
    ///
    /// # Errors
    /// [`ProjectionError::BadParameter`] for a curvature a ≤ 0; a centre of the wrong length or an entry that
    /// is not finite. The learner is unchanged then.
    pub fn observe(&mut self, curvature: f64, centre: &[f64]) -> Result<(), OcoError> {
        let Self { state: State { set, weight, mean, .. }, x, next_mean, next_x, scratch } = self;
        check_magnitudes("curvature", &[curvature])?;
        check_vector("centre", centre, mean.len())?;
        if curvature <= 0.0 {
            let (name, domain) = ("curvature", "(0, ∞)");
            return Err(ProjectionError::BadParameter { name, value: curvature, domain }.into());
        }
        let next_weight = *weight + curvature;
        let (old, new) = (*weight / next_weight, curvature / next_weight);
        next_mean.clear();
        next_mean.extend(mean.iter().zip(centre).map(|(mean, c)| old * mean + new * c));
        next_x.clone_from(next_mean);
        set.project_with(next_x, scratch)?;
        std::mem::swap(x, next_x);
        std::mem::swap(mean, next_mean);
        *weight = next_weight;
        Ok(())
    }

    /// Back to x_1.
    pub fn reset(&mut self) {
        self.state.weight = self.state.eta.recip();
        self.state.mean.fill(0.0);
        // The constructor projected this point, so this succeeds.
        self.x.fill(0.0);
        let _ = self.state.set.project_with(&mut self.x, &mut self.scratch);
    }

    /// Starts at the projection of 0 onto K ⊂ R^n.
    ///
    /// # Errors
    /// η not positive, 1/η beyond the range of doubles, or a dimension that does not fit the set or the
    /// memory.
    pub fn new(set: K, dimension: usize, eta: f64) -> Result<Self, OcoError> {
        check_step("eta", eta)?;
        State { set, eta, weight: eta.recip(), mean: filled("dimension", dimension, 0.0)? }.try_into()
    }

    /// R(u) = ‖u‖²/(2η); +∞ beyond the range.
    ///
    /// # Errors
    /// A point of the wrong length or with an entry that is not finite.
    pub fn penalty(&self, u: &[f64]) -> Result<f64, OcoError> {
        check_vector("u", u, self.x.len())?;
        // Divided before it is squared: ‖u‖² may underflow although R(u) does not.
        let root = SQRT_2 * self.state.eta.sqrt();
        Ok(u.iter().map(|u| (u / root) * (u / root)).sum())
    }
}

impl<K> From<FtrlQuadratic<K>> for State<K> {
    fn from(learner: FtrlQuadratic<K>) -> Self {
        learner.state
    }
}

impl<K: Exact<Euclidean>> TryFrom<State<K>> for FtrlQuadratic<K> {
    type Error = OcoError;

    fn try_from(state: State<K>) -> Result<Self, OcoError> {
        check_step("eta", state.eta)?;
        state.set.check_dimension(state.mean.len())?;
        check_finite("mean", &state.mean)?;
        check_finite("weight", &[state.weight])?;
        if state.weight < state.eta.recip() {
            let (name, domain) = ("saved weight", "[1/eta, ∞)");
            return Err(ProjectionError::BadParameter { name, value: state.weight, domain }.into());
        }
        let (mut x, mut scratch) = (state.mean.clone(), Scratch::default());
        state.set.project_with(&mut x, &mut scratch)?;
        Ok(Self { state, x, next_mean: Vec::new(), next_x: Vec::new(), scratch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use projections::WholeSpace;

    /// ‖u‖² underflows; ‖u‖²/(2η) does not.
    #[test]
    fn penalties_at_the_ends_of_the_range() {
        for (eta, u, expected) in
            [(1.5e139, 1e140, 1e141 / 3.0), (1e-140, 1e-140, 5e-141), (1e-300, 1e-250, 5e-201)]
        {
            let ftrl = FtrlQuadratic::new(WholeSpace, 2, eta).unwrap();
            let penalty = ftrl.penalty(&[u, 0.0]).unwrap();
            assert!((penalty / expected - 1.0).abs() < 1e-14, "{penalty} for {expected}");
        }
    }
}
