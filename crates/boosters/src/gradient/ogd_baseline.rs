//! The full-information baseline: one linear model by online gradient descent.

use super::trace::check_loss;
use oco_core::StepSchedule;
use oco_core::losses::Loss;
use projections::{Euclidean, Exact, Scratch};
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{FullInformationPredictor, LearnerError, OgdLinear, OnlinePredictor, Shape};

/// The column "Baseline (OGD)" of \[BH20, Table 2\]: one linear model that plays ŷ = Π_Y(Wx) and descends
/// along g = ∇ℓ(ŷ), V = W − η_t g xᵀ, W ← V·min(1, B/‖V‖_F).
///
/// *Cost:* O(d·stored values of x) a round; no allocation. *Errors:* a refused example leaves it unchanged.
///
/// ```
/// use boosters::gradient::OgdBaseline;
/// use oco_core::{StepSchedule, losses::SquaredLoss};
/// use projections::BoxSet;
/// use rows::Row;
/// use weak_learners::{FullInformationPredictor, Shape};
/// let shape = Shape { inputs: 1, outputs: 1 };
/// let mut ogd = OgdBaseline::new(shape, BoxSet::interval(-1.0, 1.0)?, StepSchedule::constant(0.1)?, 2.0)?;
/// let (x, loss) = (Row::dense(&[1.0])?, SquaredLoss::new(&[0.5])?);
/// for _ in 0..100 {
///     ogd.round(x, &loss)?;
/// }
/// assert!((ogd.round(x, &loss)?[0] - 0.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<K>",
    into = "State<K>",
    bound(serialize = "K: Clone + Serialize", deserialize = "K: Deserialize<'de> + Exact<Euclidean>")
)]
pub struct OgdBaseline<K> {
    state: State<K>,
    y_hat: Vec<f64>,
    g: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<K> {
    model: OgdLinear,
    set: K,
}

impl<K: Exact<Euclidean>> FullInformationPredictor for OgdBaseline<K> {
    fn round(&mut self, x: Row<'_>, loss: &dyn Loss) -> Result<&[f64], LearnerError> {
        check_loss(self.y_hat.len(), loss.dimension())?;
        self.state.model.predict(x, &mut self.y_hat)?;
        self.state.set.project_with(&mut self.y_hat, &mut self.scratch)?;
        loss.subgradient(&self.y_hat, &mut self.g);
        self.state.model.update(x, &self.g)?;
        Ok(&self.y_hat)
    }
}

impl<K: Exact<Euclidean>> OgdBaseline<K> {
    /// W = 0, with the steps of `schedule` and the radius B > 0 of the ball that W stays in.
    ///
    /// # Errors
    /// A parameter outside its domain, or a set of another dimension than the output.
    pub fn new(shape: Shape, set: K, schedule: StepSchedule, radius: f64) -> Result<Self, LearnerError> {
        State { model: OgdLinear::new(shape, schedule, radius)?, set }.try_into()
    }

    /// Π_Y(Wx), without learning.
    ///
    /// # Errors
    /// A row or an output of another dimension.
    pub fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        self.state.model.predict(x, y)?;
        Ok(self.state.set.project_with(y, &mut self.scratch)?)
    }

    /// The linear model W.
    pub fn model(&self) -> &OgdLinear {
        &self.state.model
    }
}

impl<K> From<OgdBaseline<K>> for State<K> {
    fn from(baseline: OgdBaseline<K>) -> Self {
        baseline.state
    }
}

impl<K: Exact<Euclidean>> TryFrom<State<K>> for OgdBaseline<K> {
    type Error = LearnerError;

    fn try_from(state: State<K>) -> Result<Self, LearnerError> {
        let d = state.model.shape().outputs;
        state.set.check_dimension(d)?;
        Ok(Self { state, y_hat: vec![0.0; d], g: vec![0.0; d], scratch: Scratch::default() })
    }
}
