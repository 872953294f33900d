//! Online gradient boosting with noisy bandit feedback \[BH20, Algorithm 2\].

use super::trace::{Trace, frank_wolfe_step};
use crate::requirements::check_magnitudes;
use crate::requirements::{check_advantage, check_output, common_shape};
use oco_core::bandit::SphericalEstimator;
use projections::{Euclidean, Exact, Projection, Scratch, Shrunk};
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{BanditPredictor, LearnerError, OnlinePredictor};

/// Online gradient boosting with noisy bandit feedback \[BH20, Algorithm 2\].
///
/// y^0 = 0; y^i = (1−η_i)y^{i−1} + (η_i/γ)A_i(x), η_i = 2/(i+1); learner i receives the linear loss with
/// slope g_i = (d/δ)ℓ̃(y^{i−1} + δv_i)v_i, v_i uniform on the unit sphere; play Π_Y(y^N). It sees only N
/// noisy values of the loss a round. (Line 14 also receives the loss of the play, which the algorithm does
/// not use; it is not queried.)
///
/// *Guarantee* \[BH20, Theorem 9\]: losses are L-Lipschitz and bounded by M, noise by M_noise, 0 ∈ Y. For
/// every f in the convex hull of the learners' class, E Σ ℓ_t(y_t) − ℓ_t(f(x_t)) ≤ 2dLD²T/(δγ²(N+1)) + E
/// max_i R_i/γ + 2TδL with R_i the measured regret of learner i (`tests/theorems.rs`: Lemma 10 in every
/// round, the theorem over 20 seeds). *Errata.* σ = d(M + M_noise)/δ with M taken on the δ-enlarged set; any
/// γ > 0 is allowed. *Cost:* N predictions, queries and updates a round; no allocation. *Errors:* a refused
/// round updates no learner and rewinds the random stream.
///
/// See the [crate](crate) for an example.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W, K>",
    into = "State<W, K>",
    bound(
        serialize = "W: Clone + Serialize, K: Clone + Serialize",
        deserialize = "W: Deserialize<'de> + OnlinePredictor<[f64]>, K: Deserialize<'de> + Exact<Euclidean> + Clone"
    )
)]
pub struct BanditGradientBoosting<W, K> {
    state: State<W, K>,
    trace: Trace,
    /// Working memory of `predict`, so that the trace stays that of the last round.
    prediction: Trace,
    inner: Option<Shrunk<K>>,
    v: Vec<f64>,
    point: Vec<f64>,
    played: Vec<f64>,
    scratch: Scratch,
}

/// The queries: at distance δ > 0, in directions from a random stream of their own.
#[derive(Debug, Clone)]
pub struct Queries {
    /// δ.
    pub delta: f64,
    /// The stream of the directions v.
    pub rng: ChaCha8Rng,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<W, K> {
    learners: Vec<W>,
    set: K,
    advantage: f64,
    estimator: SphericalEstimator,
    rng: ChaCha8Rng,
    /// r, if every query is to stay in Y.
    inner_radius: Option<f64>,
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean> + Clone> BanditPredictor
    for BanditGradientBoosting<W, K>
{
    fn round(&mut self, x: Row<'_>, query: &mut dyn FnMut(&[f64]) -> f64) -> Result<&[f64], LearnerError> {
        let before = self.state.rng.clone();
        let estimator = self.state.estimator;
        let learnt = self.round_with(x, query, |rng, v| estimator.draw(rng, v)); // line 8
        if let Err(error) = learnt {
            self.state.rng = before;
            return Err(error);
        }
        Ok(&self.played)
    }
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean> + Clone> BanditGradientBoosting<W, K> {
    /// The round with the caller's directions, for conformance with another implementation. `draw` writes
    /// v_i, a unit vector, and may use the booster's random stream.
    ///
    /// # Errors
    /// As [`round`](BanditPredictor::round), but the random stream is not rewound.
    pub fn round_with(
        &mut self,
        x: Row<'_>, // line 4
        query: &mut dyn FnMut(&[f64]) -> f64,
        mut draw: impl FnMut(&mut ChaCha8Rng, &mut [f64]),
    ) -> Result<(), LearnerError> {
        let State { learners, set, advantage, estimator, rng, .. } = &mut self.state;
        let (trace, scratch, inner) = (&mut self.trace, &mut self.scratch, &self.inner);
        trace.partial_mut(0).fill(0.0); // line 5: y^0 = 0
        for (i, learner) in (1..).zip(learners.iter_mut()) {
            let eta = frank_wolfe_step(i);
            learner.predict(x, trace.weak_prediction_mut(i))?;
            if let Some(inner) = inner {
                keep_inside(inner, *advantage, trace.weak_prediction_mut(i), scratch)?;
            }
            trace.advance(i, 1.0 - eta, eta, *advantage); // line 7: y^i = (1−η_i)y^{i−1} + (η_i/γ)A_i(x)
            draw(rng, &mut self.v); // line 8: v_i
            let (y_before, g) = trace.gradient_at_previous(i);
            estimator.query(y_before, &self.v, &mut self.point);
            let answer = query(&self.point); // line 9: ℓ̃_t(y^{i−1} + δv_i)
            if !answer.is_finite() {
                return Err(LearnerError::NotFiniteFeedback { query: i - 1, value: answer });
            }
            check_magnitudes("an answer", &[answer])?;
            estimator.estimate(answer, &self.v, g); // line 10: g_i = (d/δ)ℓ̃_t(y^{i−1} + δv_i)v_i
            learner.accepts(x, trace.gradient(i))?;
        }
        self.played.copy_from_slice(trace.partial(learners.len()));
        set.project_with(&mut self.played, scratch)?; // line 13: y_t = Π_Y(y^N)
        // Line 11 comes last: learners are updated only when all have accepted, and the lines above need no
        // update.
        for (i, learner) in (1..).zip(learners) {
            learner.update(x, trace.gradient(i))?; // line 11: pass (x_t, ⟨g_i, ·⟩) to A_i
        }
        Ok(())
    }

    /// N weak learners of one shape, the prediction set Y, the advantage γ > 0, and the queries.
    ///
    /// # Errors
    /// No learner, learners of different shapes, γ or δ not positive, or a set of another dimension.
    pub fn new(learners: Vec<W>, set: K, advantage: f64, queries: Queries) -> Result<Self, LearnerError> {
        let estimator = SphericalEstimator::new(queries.delta)?;
        State { learners, set, advantage, estimator, rng: queries.rng, inner_radius: None }.try_into()
    }

    /// Keeps every query in Y, which must hold the ball of radius r around 0: weak predictions A_i(x)/γ are
    /// projected onto (1−ξ)Y, ξ = δ/r \[BH20, footnote 4\]. The regret in the guarantee is then that of the
    /// projected predictions; it is the learners' own if they stay in γ(1−ξ)Y.
    ///
    /// # Errors
    /// δ ≥ r, or r not positive.
    pub fn querying_inside(mut self, inner_radius: f64) -> Result<Self, LearnerError> {
        self.state.inner_radius = Some(inner_radius);
        self.state.try_into()
    }

    /// Π_Y(y^N) at x, without learning.
    ///
    /// # Errors
    /// A row or an output of another dimension.
    pub fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_output(self.played.len(), y.len())?;
        let State { learners, set, advantage, .. } = &mut self.state;
        self.prediction.partial_mut(0).fill(0.0);
        for (i, learner) in (1..).zip(learners.iter_mut()) {
            let eta = frank_wolfe_step(i);
            learner.predict(x, self.prediction.weak_prediction_mut(i))?;
            if let Some(inner) = &self.inner {
                keep_inside(inner, *advantage, self.prediction.weak_prediction_mut(i), &mut self.scratch)?;
            }
            self.prediction.advance(i, 1.0 - eta, eta, *advantage);
        }
        y.copy_from_slice(self.prediction.partial(learners.len()));
        Ok(set.project_with(y, &mut self.scratch)?)
    }

    /// A_1, …, A_N.
    pub fn learners(&self) -> &[W] {
        &self.state.learners
    }

    /// The inner quantities of the last round.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The point that the last round played.
    pub fn played(&self) -> &[f64] {
        &self.played
    }
}

/// A_i(x) ← γ·Π_{(1−ξ)Y}(A_i(x)/γ).
fn keep_inside<K: Exact<Euclidean>>(
    inner: &Shrunk<K>,
    advantage: f64,
    weak: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), LearnerError> {
    weak.iter_mut().for_each(|a| *a /= advantage);
    inner.project_with(weak, scratch)?;
    weak.iter_mut().for_each(|a| *a *= advantage);
    Ok(())
}

impl<W, K> From<BanditGradientBoosting<W, K>> for State<W, K> {
    fn from(booster: BanditGradientBoosting<W, K>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean> + Clone> TryFrom<State<W, K>>
    for BanditGradientBoosting<W, K>
{
    type Error = LearnerError;

    fn try_from(state: State<W, K>) -> Result<Self, LearnerError> {
        check_advantage(state.advantage, "(0, ∞)", |_| true)?;
        let d = common_shape(&state.learners)?.outputs;
        state.set.check_dimension(d)?;
        let inner = match state.inner_radius {
            None => None,
            Some(radius) if radius > state.estimator.delta() => {
                Some(Shrunk::new(state.set.clone(), vec![0.0; d], state.estimator.delta() / radius)?)
            }
            Some(value) => {
                let (name, domain) = ("inner radius", "(δ, ∞)");
                return Err(LearnerError::BadParameter { name, value, domain });
            }
        };
        let trace = Trace::new(state.learners.len(), d);
        let [v, point, played] = std::array::from_fn(|_| vec![0.0; d]);
        let prediction = trace.clone();
        Ok(Self { state, trace, prediction, inner, v, point, played, scratch: Scratch::default() })
    }
}
