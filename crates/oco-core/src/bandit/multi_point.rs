//! Bandit gradient descent with several queries a round \[ADX10\].

use super::fkm::{check_shrunk, querying_inside};
use crate::bandit::SphericalEstimator;
use crate::error::check_loss;
use crate::learners::Ogd;
use crate::{OcoError, OnlineLearner};
use projections::{Euclidean, Exact, ProjectionError, Shrunk};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// FKM with several queries a round; the loss of the round is the mean over the queries.
///
/// OGD on (1−ξ)K plays y_t and takes the mean of N independent estimates, each either one-point,
/// (d/δ)ℓ_t(y_t + δv)v \[FKM05\], or two-point, (d/2δ)(ℓ_t(y_t + δv) − ℓ_t(y_t − δv))v \[ADX10\]. Both have
/// the gradient of the smoothed loss as their mean.
/// *Hypothesis.* K holds the ball of radius r around 0; ξ = δ/r keeps every query in K.
/// *Guarantee* (in expectation,
/// |ℓ| ≤ M on K, ℓ L-Lipschitz, ‖u‖ ≤ D): mean loss of the queries, summed, less Σ ℓ_t(u), at most
/// D²/(2η) + ηTS²/2 + TL(2δ + ξD), where E‖g‖² ≤ S² = (dM/δ)²/N + L² for one-point and S = dL, surely, for
/// two-point estimates. That S does not depend on δ, so η ~ 1/√T and δ ~ 1/T give O(√T). Tested over 20 seeds
/// in `tests/multi_point.rs`.
/// *Cost:* O(N·d), N or 2N queries and a projection a round; no allocation after the first.
/// *Errors:* a refused round leaves the learner and its generator as they were.
///
/// ```
/// use oco_core::bandit::{Estimates, MultiPointFkm};
/// use projections::L2Ball;
/// use rand::SeedableRng;
/// let (ball, rng) = (L2Ball::new(1.0)?, rand_chacha::ChaCha8Rng::seed_from_u64(7));
/// let mut fkm = MultiPointFkm::new(ball, 2, 1.0, 1e-3, 0.05, Estimates::TwoPoint { pairs: 1 }, rng)?;
/// for _ in 0..500 {
///     fkm.round(&mut |x| (x[0] - 0.5).powi(2) + x[1].powi(2))?;
/// }
/// assert!((fkm.centre()[0] - 0.5).abs() < 1e-6 && fkm.centre()[1].abs() < 1e-6);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + Exact<Euclidean>")
)]
pub struct MultiPointFkm<K> {
    state: State<K>,
    v: Vec<f64>,
    point: Vec<f64>,
    estimate: Vec<f64>,
    g: Vec<f64>,
}

/// The estimates of a round. The learner takes their mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Estimates {
    /// N one-point estimates, N queries.
    OnePoint {
        /// N ≥ 1.
        points: u32,
    },
    /// N two-point estimates, 2N queries.
    TwoPoint {
        /// N ≥ 1.
        pairs: u32,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + Exact<Euclidean>"))]
struct State<K> {
    ogd: Ogd<Shrunk<K>>,
    estimator: SphericalEstimator,
    estimates: Estimates,
    rng: ChaCha8Rng,
}

impl<K: Exact<Euclidean>> MultiPointFkm<K> {
    /// Queries ℓ_t, learns, and returns the mean of the answers.
    ///
    /// # Errors
    /// An answer or an estimate that is not finite or above 1e140 in magnitude.
    pub fn round(&mut self, query: &mut dyn FnMut(&[f64]) -> f64) -> Result<f64, OcoError> {
        let before = self.state.rng.clone();
        let learnt = self.estimate_gradient(query).and_then(|loss| {
            self.state.ogd.observe(&self.g)?;
            Ok(loss)
        });
        if learnt.is_err() {
            self.state.rng = before;
        }
        learnt
    }

    /// Writes the mean of the N estimates of ∇ℓ̂(y_t) to g, and returns the mean of the answers.
    fn estimate_gradient(&mut self, query: &mut dyn FnMut(&[f64]) -> f64) -> Result<f64, OcoError> {
        let State { ogd, estimator, estimates, rng } = &mut self.state;
        let mut ask = |point: &[f64]| check_loss(query(point));
        let mut loss = 0.0;
        self.g.fill(0.0);
        for j in 1..=estimates.count() {
            estimator.draw(rng, &mut self.v);
            estimator.query(ogd.play(), &self.v, &mut self.point);
            let ahead = ask(&self.point)?;
            let (observed, mean) = match estimates {
                Estimates::OnePoint { .. } => (ahead, ahead),
                Estimates::TwoPoint { .. } => {
                    self.v.iter_mut().for_each(|v| *v = -*v);
                    estimator.query(ogd.play(), &self.v, &mut self.point);
                    let behind = ask(&self.point)?;
                    // v is negated here, so the difference is taken the other way round.
                    (0.5 * (behind - ahead), 0.5 * (behind + ahead))
                }
            };
            estimator.estimate(observed, &self.v, &mut self.estimate);
            let share = 1.0 / f64::from(j);
            loss = loss * (1.0 - share) + mean * share;
            for (g, estimate) in self.g.iter_mut().zip(&self.estimate) {
                *g = *g * (1.0 - share) + estimate * share;
            }
        }
        Ok(loss)
    }

    /// `inner_radius` is r; δ and η are the query distance and the step.
    ///
    /// # Errors
    /// r, δ or η not positive, δ ≥ r, N = 0, or a dimension that does not fit the set.
    pub fn new(
        set: K,
        dimension: usize,
        inner_radius: f64,
        delta: f64,
        eta: f64,
        estimates: Estimates,
        rng: ChaCha8Rng,
    ) -> Result<Self, OcoError> {
        let (ogd, estimator) = querying_inside(set, dimension, inner_radius, delta, eta)?;
        State { ogd, estimator, estimates, rng }.try_into()
    }

    /// y_t, the centre of the queries of round t.
    pub fn centre(&self) -> &[f64] {
        self.state.ogd.play()
    }
}

impl Estimates {
    /// N.
    fn count(self) -> u32 {
        match self {
            Self::OnePoint { points } => points,
            Self::TwoPoint { pairs } => pairs,
        }
    }
}

impl<K> From<MultiPointFkm<K>> for State<K> {
    fn from(fkm: MultiPointFkm<K>) -> Self {
        fkm.state
    }
}

impl<K: Exact<Euclidean>> TryFrom<State<K>> for MultiPointFkm<K> {
    type Error = OcoError;

    fn try_from(state: State<K>) -> Result<Self, OcoError> {
        check_shrunk(&state.ogd)?;
        if state.estimates.count() == 0 {
            let (name, domain) = ("estimates", "[1, ∞)");
            return Err(ProjectionError::BadParameter { name, value: 0.0, domain }.into());
        }
        let zero = vec![0.0; state.ogd.play().len()];
        Ok(Self { state, v: zero.clone(), point: zero.clone(), estimate: zero.clone(), g: zero })
    }
}
