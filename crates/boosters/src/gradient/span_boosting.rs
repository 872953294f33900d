//! Online gradient boosting with full information, for the span \[BHKL15, Algorithm 1\].

use super::trace::{Trace, check_loss};
use crate::requirements::{check_output, common_shape};
use oco_core::StepSchedule;
use oco_core::losses::Loss;
use projections::{Euclidean, Exact, ProjectionError, Scratch};
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{FullInformationPredictor, LearnerError, OnlinePredictor};

/// Online gradient boosting over the span \[BHKL15, Algorithm 1\].
///
/// y^0 = 0; y^i = Π_Y((1−σ_iη)y^{i−1} + ηA_i(x)); learner i receives the linear loss with slope g_i =
/// ∇ℓ(y^{i−1}), and its shrinkage moves by σ_i ← clip(σ_i + α_t⟨g_i, y^{i−1}⟩, 0, 1); play y^N.
///
/// *Guarantee.* Let c ≥ 1 and f/c in the hull of the learners' class. R_i = Σ⟨g_i, A_i − f/c⟩ is the regret
/// of learner i, S_i = Σ(1/c − σ_i)⟨g_i, y^{i−1}⟩ that of its shrinkage, both measured. Losses are β-smooth
/// and not increased by Π_Y. Then Δ_i ≤ (1 − η/c)Δ_{i−1} + η(R_i + S_i) + (βη²/2)Σ‖A_i − σ_iy^{i−1}‖² with
/// Δ_i = Σ ℓ_t(y^i) − ℓ_t(f(x_t)) (`tests/theorems.rs`). *Cost:* N predictions, gradients, projections and
/// updates a round; no allocation. *Errors:* a refused example updates neither learners nor shrinkage.
///
/// ```
/// use boosters::gradient::SpanBoosting;
/// use oco_core::{StepSchedule, losses::SquaredLoss};
/// use projections::BoxSet;
/// use rows::Row;
/// use weak_learners::{FullInformationPredictor, OgdLinear, Shape};
/// // The weak learners cannot predict more than 0.5 at x = 1; their span can.
/// let weak = OgdLinear::new(Shape { inputs: 1, outputs: 1 }, StepSchedule::constant(0.1)?, 0.5)?;
/// let alpha = StepSchedule::power(0.1, 0.5)?;
/// let mut booster = SpanBoosting::new(vec![weak; 20], BoxSet::interval(-5.0, 5.0)?, 0.3, alpha)?;
/// let x = Row::dense(&[1.0])?;
/// for _ in 0..500 {
///     booster.round(x, &SquaredLoss::new(&[2.0])?)?;
/// }
/// assert!((booster.round(x, &SquaredLoss::new(&[2.0])?)?[0] - 2.0).abs() < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W, K>",
    into = "State<W, K>",
    bound(
        serialize = "W: Clone + Serialize, K: Clone + Serialize",
        deserialize = "W: Deserialize<'de> + OnlinePredictor<[f64]>, K: Deserialize<'de> + Exact<Euclidean>"
    )
)]
pub struct SpanBoosting<W, K> {
    state: State<W, K>,
    trace: Trace,
    /// Working memory of `predict`, so that the trace stays that of the last round.
    prediction: Trace,
    played: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<W, K> {
    learners: Vec<W>,
    set: K,
    eta: f64,
    alpha: StepSchedule,
    shrinkage: Vec<f64>,
    t: u64,
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean>> FullInformationPredictor for SpanBoosting<W, K> {
    fn round(&mut self, x: Row<'_>, loss: &dyn Loss) -> Result<&[f64], LearnerError> {
        let alpha = self.state.alpha.eta(self.state.t);
        self.round_with(x, loss, alpha)
    }
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean>> SpanBoosting<W, K> {
    /// The round with the caller's shrinkage step α_t.
    ///
    /// # Errors
    /// As [`round`](FullInformationPredictor::round); also an α_t that is not positive.
    pub fn round_with(&mut self, x: Row<'_>, loss: &dyn Loss, alpha: f64) -> Result<&[f64], LearnerError> {
        StepSchedule::constant(alpha)?;
        let State { learners, set, eta, shrinkage, t, .. } = &mut self.state;
        let trace = &mut self.trace;
        check_loss(self.played.len(), loss.dimension())?;
        trace.partial_mut(0).fill(0.0); // y^0 = 0
        for (i, (learner, sigma)) in (1..).zip(learners.iter_mut().zip(shrinkage.iter())) {
            let (y_before, g) = trace.gradient_at_previous(i);
            loss.subgradient(y_before, g); // g_i = ∇ℓ_t(y^{i−1})
            learner.predict(x, trace.weak_prediction_mut(i))?;
            trace.advance(i, 1.0 - sigma * *eta, *eta, 1.0);
            set.project_with(trace.partial_mut(i), &mut self.scratch)?; // y^i = Π_Y((1−σ_iη)y^{i−1} + ηA_i(x))
            learner.accepts(x, trace.gradient(i))?;
        }
        self.played.copy_from_slice(trace.partial(learners.len())); // output y^N
        for (i, (learner, sigma)) in (1..).zip(learners.iter_mut().zip(shrinkage)) {
            let along: f64 = trace.gradient(i).iter().zip(trace.partial(i - 1)).map(|(g, y)| g * y).sum();
            *sigma = (*sigma + alpha * along).clamp(0.0, 1.0);
            learner.update(x, trace.gradient(i))?; // pass (x_t, ⟨g_i, ·⟩) to A_i
        }
        *t = t.saturating_add(1);
        Ok(&self.played)
    }

    /// N weak learners of one shape, the prediction set Y, the step η > 0, and the steps α_t of the
    /// shrinkage.
    ///
    /// # Errors
    /// No learner, learners of different shapes, η not positive, or a set of another dimension.
    pub fn new(learners: Vec<W>, set: K, eta: f64, alpha: StepSchedule) -> Result<Self, LearnerError> {
        let shrinkage = vec![0.0; learners.len()];
        State { learners, set, eta, alpha, shrinkage, t: 1 }.try_into()
    }

    /// y^N at x, without learning.
    ///
    /// # Errors
    /// A row or an output of another dimension.
    pub fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_output(self.played.len(), y.len())?;
        let State { learners, set, eta, shrinkage, .. } = &mut self.state;
        self.prediction.partial_mut(0).fill(0.0);
        for (i, (learner, sigma)) in (1..).zip(learners.iter_mut().zip(shrinkage.iter())) {
            learner.predict(x, self.prediction.weak_prediction_mut(i))?;
            self.prediction.advance(i, 1.0 - sigma * *eta, *eta, 1.0);
            set.project_with(self.prediction.partial_mut(i), &mut self.scratch)?;
        }
        y.copy_from_slice(self.prediction.partial(learners.len()));
        Ok(())
    }

    /// A_1, …, A_N.
    pub fn learners(&self) -> &[W] {
        &self.state.learners
    }

    /// σ_1, …, σ_N.
    pub fn shrinkage(&self) -> &[f64] {
        &self.state.shrinkage
    }

    /// The inner quantities of the last round.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl<W, K> From<SpanBoosting<W, K>> for State<W, K> {
    fn from(booster: SpanBoosting<W, K>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean>> TryFrom<State<W, K>> for SpanBoosting<W, K> {
    type Error = LearnerError;

    fn try_from(state: State<W, K>) -> Result<Self, LearnerError> {
        StepSchedule::constant(state.eta)?;
        let d = common_shape(&state.learners)?.outputs;
        state.set.check_dimension(d)?;
        let (expected, got) = (state.learners.len(), state.shrinkage.len());
        if expected != got {
            return Err(ProjectionError::LengthMismatch { argument: "shrinkage", expected, got }.into());
        }
        if let Some(&value) = state.shrinkage.iter().find(|s| !(0.0..=1.0).contains(*s)) {
            return Err(LearnerError::BadParameter { name: "shrinkage", value, domain: "[0, 1]" });
        }
        if state.t == 0 {
            return Err(LearnerError::BadParameter { name: "round", value: 0.0, domain: "t ≥ 1" });
        }
        let trace = Trace::new(state.learners.len(), d);
        let prediction = trace.clone();
        Ok(Self { state, trace, prediction, played: vec![0.0; d], scratch: Scratch::default() })
    }
}
