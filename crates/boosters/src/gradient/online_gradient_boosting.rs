//! Online gradient boosting with full information, for the convex hull \[BHKL15, Algorithm 2\].

use super::trace::{Trace, check_loss, frank_wolfe_step};
use crate::requirements::{check_advantage, check_output, common_shape};
use oco_core::losses::{LinearLoss, Loss};
use projections::{Euclidean, Exact, Scratch};
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{FullInformationPredictor, LearnerError, OnlinePredictor, Shape};

/// Online gradient boosting over the convex hull \[BHKL15, Algorithm 2\]; \[BH20, Algorithm 2\] with exact
/// gradients.
///
/// y^0 = 0; y^i = (1−η_i)y^{i−1} + (η_i/γ)A_i(x), η_i = 2/(i+1); learner i receives the linear loss with
/// slope g_i = ∇ℓ(y^{i−1}); play Π_Y(y^N).
///
/// *Guarantee.* Losses are β-smooth and not increased by Π_Y, 0 ∈ Y, predictions have diameter D. For every f
/// in the hull, at every T: Σ ℓ_t(y_t) − ℓ_t(f(x_t)) ≤ 2βD²T/(γ²(N+1)) + max_i R_i/γ, where R_i = Σ⟨g_{t,i},
/// A_i(x_t) − γf(x_t)⟩ is the *measured* regret of learner i (`tests/theorems.rs`, every round on abalone).
/// *Errata.* Any γ > 0 is allowed, γ ≤ 1 is the weak case (the paper prints γ ≥ 1); with 0 ∉ Y the bound
/// fails (Y = [9, 11]). *Cost:* N predictions, gradients and updates of weak learners a round; no allocation.
/// *Errors:* a refused example updates no learner.
///
/// A booster is again an [`OnlinePredictor`] of linear losses, so boosters stack.
///
/// ```
/// use boosters::gradient::OnlineGradientBoosting;
/// use oco_core::{StepSchedule, losses::SquaredLoss};
/// use projections::BoxSet;
/// use rows::Row;
/// use weak_learners::{FullInformationPredictor, OgdLinear, Shape};
/// let weak = OgdLinear::new(Shape { inputs: 1, outputs: 1 }, StepSchedule::constant(0.05)?, 4.0)?;
/// let mut booster = OnlineGradientBoosting::new(vec![weak; 20], BoxSet::interval(-5.0, 5.0)?, 1.0)?;
/// let x = Row::dense(&[1.0])?;
/// for _ in 0..300 {
///     booster.round(x, &SquaredLoss::new(&[3.0])?)?;
/// }
/// assert!((booster.round(x, &SquaredLoss::new(&[3.0])?)?[0] - 3.0).abs() < 0.1);
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
pub struct OnlineGradientBoosting<W, K> {
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
    advantage: f64,
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean>> FullInformationPredictor
    for OnlineGradientBoosting<W, K>
{
    fn round(&mut self, x: Row<'_>, loss: &dyn Loss) -> Result<&[f64], LearnerError> {
        self.boost(x, loss)?;
        self.play()?; // output Π_Y(y^N)
        self.teach(x)?;
        Ok(&self.played)
    }
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean>> OnlineGradientBoosting<W, K> {
    /// The round until every learner has accepted its gradient and none is updated.
    fn boost(&mut self, x: Row<'_>, loss: &dyn Loss) -> Result<(), LearnerError> {
        check_loss(self.played.len(), loss.dimension())?;
        partials(&mut self.state, x, &mut self.trace)?;
        for (i, learner) in (1..).zip(&self.state.learners) {
            let (y_before, g) = self.trace.gradient_at_previous(i);
            loss.subgradient(y_before, g); // g_i = ∇ℓ_t(y^{i−1})
            learner.accepts(x, self.trace.gradient(i))?;
        }
        Ok(())
    }

    fn play(&mut self) -> Result<(), LearnerError> {
        self.played.copy_from_slice(self.trace.partial(self.state.learners.len()));
        Ok(self.state.set.project_with(&mut self.played, &mut self.scratch)?)
    }

    fn teach(&mut self, x: Row<'_>) -> Result<(), LearnerError> {
        for (i, learner) in (1..).zip(&mut self.state.learners) {
            learner.update(x, self.trace.gradient(i))?; // pass (x_t, ⟨g_i, ·⟩) to A_i
        }
        Ok(())
    }

    /// N weak learners of one shape, the prediction set Y, and the advantage γ > 0.
    ///
    /// # Errors
    /// No learner, learners of different shapes, γ not positive, or a set of another dimension.
    pub fn new(learners: Vec<W>, set: K, advantage: f64) -> Result<Self, LearnerError> {
        State { learners, set, advantage }.try_into()
    }

    /// A_1, …, A_N.
    pub fn learners(&self) -> &[W] {
        &self.state.learners
    }

    /// The inner quantities of the last round.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean>> OnlinePredictor<[f64]> for OnlineGradientBoosting<W, K> {
    fn shape(&self) -> Shape {
        Shape { outputs: self.played.len(), ..self.state.learners[0].shape() }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_output(self.played.len(), y.len())?;
        partials(&mut self.state, x, &mut self.prediction)?;
        y.copy_from_slice(self.prediction.partial(self.state.learners.len()));
        Ok(self.state.set.project_with(y, &mut self.scratch)?)
    }

    fn accepts(&self, x: Row<'_>, g: &[f64]) -> Result<(), LearnerError> {
        // The gradient of a linear loss is g at every point, so every learner receives g.
        self.state.learners.iter().try_for_each(|learner| learner.accepts(x, g))
    }

    fn update(&mut self, x: Row<'_>, g: &[f64]) -> Result<(), LearnerError> {
        self.accepts(x, g)?;
        self.boost(x, &LinearLoss::new(g)?)?;
        self.teach(x)
    }
}

/// y^0, …, y^N at x.
fn partials<W: OnlinePredictor<[f64]>, K>(
    state: &mut State<W, K>,
    x: Row<'_>,
    trace: &mut Trace,
) -> Result<(), LearnerError> {
    trace.partial_mut(0).fill(0.0); // y^0 = 0
    for (i, learner) in (1..).zip(&mut state.learners) {
        let eta = frank_wolfe_step(i);
        learner.predict(x, trace.weak_prediction_mut(i))?;
        trace.advance(i, 1.0 - eta, eta, state.advantage); // y^i = (1−η_i)y^{i−1} + (η_i/γ)A_i(x)
    }
    Ok(())
}

impl<W, K> From<OnlineGradientBoosting<W, K>> for State<W, K> {
    fn from(booster: OnlineGradientBoosting<W, K>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<[f64]>, K: Exact<Euclidean>> TryFrom<State<W, K>> for OnlineGradientBoosting<W, K> {
    type Error = LearnerError;

    fn try_from(state: State<W, K>) -> Result<Self, LearnerError> {
        check_advantage(state.advantage, "(0, ∞)", |_| true)?;
        let d = common_shape(&state.learners)?.outputs;
        state.set.check_dimension(d)?;
        let trace = Trace::new(state.learners.len(), d);
        let prediction = trace.clone();
        Ok(Self { state, trace, prediction, played: vec![0.0; d], scratch: Scratch::default() })
    }
}
