//! The linear bandit learner: FKM on a linear model, with one query or the average of N.

use crate::error::check_magnitudes;
use crate::predictor::check_shape;
use crate::{BanditPredictor, LearnerError, OgdLinear, OnlinePredictor, Shape};
use oco_core::StepSchedule;
use oco_core::bandit::SphericalEstimator;
use projections::{Euclidean, Exact, Scratch};
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};

/// A linear model that learns from loss values only. It plays ŷ = Π_Y(Wx), queries the loss at ŷ + δv_j for N
/// random directions, and descends along g = (1/N)Σ_j (d/δ)ℓ̃(ŷ + δv_j)v_j, `V = W − η_t g xᵀ`, W ← V·min(1,
/// B/‖V‖_F).
///
/// N = 1 is the linear FKM of \[FKM05\]; N > 1 is **N-FKM**, the baseline of \[BH20, Table 2\], with as many
/// queries a round as the booster has weak learners. *Guarantee:* the mean of g is the gradient of the
/// smoothed loss at ŷ \[BH20, Lemma 7\]. *Cost:* O(d·stored values + N·d) and N queries a round; the played
/// point itself is not queried. *Errors:* a refused round leaves the model and its random stream unchanged.
///
/// ```
/// use oco_core::StepSchedule;
/// use projections::BoxSet;
/// use rand::SeedableRng;
/// use rows::Row;
/// use weak_learners::{BanditPredictor, FkmLinear, Shape};
/// let shape = Shape { inputs: 1, outputs: 1 };
/// let rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let steps = StepSchedule::power(0.05, 0.5)?;
/// let mut learner = FkmLinear::new(shape, BoxSet::interval(-1.0, 1.0)?, steps, 2.0, 0.1, 8, rng)?;
/// let x = Row::dense(&[1.0])?;
/// for _ in 0..2000 {
///     learner.round(x, &mut |y| (y[0] - 0.6).powi(2))?;
/// }
/// let played = learner.round(x, &mut |y| (y[0] - 0.6).powi(2))?;
/// assert!((played[0] - 0.6).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + Exact<Euclidean>")
)]
pub struct FkmLinear<K> {
    state: State<K>,
    played: Vec<f64>,
    v: Vec<f64>,
    point: Vec<f64>,
    estimate: Vec<f64>,
    g: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<K> {
    model: OgdLinear,
    set: K,
    estimator: SphericalEstimator,
    queries: u32,
    rng: ChaCha8Rng,
}

impl<K: Exact<Euclidean>> BanditPredictor for FkmLinear<K> {
    fn round(&mut self, x: Row<'_>, query: &mut dyn FnMut(&[f64]) -> f64) -> Result<&[f64], LearnerError> {
        let before = self.state.rng.clone();
        let estimator = self.state.estimator;
        let learnt = self.round_with(x, query, |rng, v| estimator.draw(rng, v));
        if let Err(error) = learnt {
            self.state.rng = before;
            return Err(error);
        }
        Ok(&self.played)
    }
}

impl<K: Exact<Euclidean>> FkmLinear<K> {
    /// The round with the caller's directions, for conformance with another implementation. `draw` writes
    /// v_j, a unit vector, and may use this learner's random stream.
    ///
    /// # Errors
    /// As [`round`](BanditPredictor::round), but the random stream is not rewound.
    pub fn round_with(
        &mut self,
        x: Row<'_>,
        query: &mut dyn FnMut(&[f64]) -> f64,
        mut draw: impl FnMut(&mut ChaCha8Rng, &mut [f64]),
    ) -> Result<(), LearnerError> {
        let State { model, set, estimator, queries, rng } = &mut self.state;
        let mut y_hat = std::mem::take(&mut self.point);
        let predicted =
            model.predict(x, &mut y_hat).and_then(|()| Ok(set.project_with(&mut y_hat, &mut self.scratch)?));
        std::mem::swap(&mut self.point, &mut y_hat);
        predicted?;
        self.played.copy_from_slice(&self.point);
        self.g.fill(0.0);
        for j in 0..*queries {
            draw(rng, &mut self.v);
            estimator.query(&self.played, &self.v, &mut self.point);
            let answer = query(&self.point);
            if !answer.is_finite() {
                return Err(LearnerError::NotFiniteFeedback { query: j as usize, value: answer });
            }
            check_magnitudes("an answer", &[answer])?;
            estimator.estimate(answer, &self.v, &mut self.estimate);
            // A running mean: the sum of N large estimates could overflow.
            for (g, estimate) in self.g.iter_mut().zip(&self.estimate) {
                let share = 1.0 / f64::from(j + 1);
                *g = *g * (1.0 - share) + estimate * share;
            }
        }
        model.update(x, &self.g)
    }

    /// N = `queries` ≥ 1 queries a round at distance δ > 0; W = 0, steps lr·t^(−c), radius B.
    ///
    /// # Errors
    /// A parameter outside its domain, or a set of another dimension than the output.
    pub fn new(
        shape: Shape,
        set: K,
        schedule: StepSchedule,
        radius: f64,
        delta: f64,
        queries: u32,
        rng: ChaCha8Rng,
    ) -> Result<Self, LearnerError> {
        let model = OgdLinear::new(shape, schedule, radius)?;
        State { model, set, estimator: SphericalEstimator::new(delta)?, queries, rng }.try_into()
    }

    /// Π_Y(Wx), without learning.
    ///
    /// # Errors
    /// A row or an output of another dimension.
    pub fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.state.model.shape(), x, y.len())?;
        self.state.model.predict(x, y)?;
        Ok(self.state.set.project_with(y, &mut self.scratch)?)
    }

    /// The linear model W.
    pub fn model(&self) -> &OgdLinear {
        &self.state.model
    }

    /// The point that the last round played.
    pub fn played(&self) -> &[f64] {
        &self.played
    }

    /// The gradient estimate of the last round.
    pub fn gradient(&self) -> &[f64] {
        &self.g
    }
}

impl<K> From<FkmLinear<K>> for State<K> {
    fn from(learner: FkmLinear<K>) -> Self {
        learner.state
    }
}

impl<K: Exact<Euclidean>> TryFrom<State<K>> for FkmLinear<K> {
    type Error = LearnerError;

    fn try_from(state: State<K>) -> Result<Self, LearnerError> {
        let d = state.model.shape().outputs;
        state.set.check_dimension(d)?;
        if state.queries == 0 {
            return Err(LearnerError::BadParameter { name: "queries", value: 0.0, domain: "N ≥ 1" });
        }
        let [played, v, point, estimate, g] = std::array::from_fn(|_| vec![0.0; d]);
        Ok(Self { state, played, v, point, estimate, g, scratch: Scratch::default() })
    }
}
