//! Online logistic regression.

use crate::predictor::check_shape;
use crate::{Label, LearnerError, OgdLinear, OnlinePredictor, Shape};
use oco_core::{StepSchedule, signed_inner};
use rows::Row;
use serde::{Deserialize, Serialize};

/// Online logistic regression: w ← Π(w − η_t ∇ℓ_t(w)) for ℓ_t(w) = ln(1 + e^(−y⟨w, x⟩)), with Π the projection onto
/// ‖w‖ ≤ B; votes sgn⟨w, x⟩.
///
/// It is [`OgdLinear`] fed with the slope −y/(1 + e^(y⟨w, x⟩)) of the loss. *Guarantee* \[Z03\]: for ‖u‖ ≤ B and steps
/// that do not rise, Σℓ_t(w_t) − ℓ_t(u) ≤ 2B²/η_T + ½Ση_t‖∇ℓ_t(w_t)‖² at every T, asserted every round in
/// `tests/linear_classifiers.rs`. *Cost:* O(stored values) a round. *Errors:* a row of another dimension. Steps and
/// margins may leave the range of doubles; votes and weights do not feel it.
///
/// ```
/// use oco_core::StepSchedule;
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::LogisticRegression};
/// let mut learner = LogisticRegression::new(1, StepSchedule::power(1.0, 0.5)?, 10.0)?;
/// let x = Row::dense(&[1.0])?;
/// for t in 0..4000 {
///     learner.round(x, if t % 4 == 0 { Label::Minus } else { Label::Plus })?;
/// }
/// assert!((learner.probability(x)? - 0.75).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "OgdLinear", into = "OgdLinear")]
pub struct LogisticRegression {
    model: OgdLinear,
}

impl OnlinePredictor<Label> for LogisticRegression {
    fn shape(&self) -> Shape {
        self.model.shape()
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        y.fill(Label::of_score(signed_inner(x, self.model.factors().1)).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        let y = y.sign();
        let slope = -y / (1.0 + (y * self.margin(x)).exp());
        self.model.update(x, &[slope])
    }
}

impl LogisticRegression {
    /// w = 0 in R^m, with the steps of `schedule` and the radius B > 0 of the ball that w stays in.
    ///
    /// # Errors
    /// m = 0, or a radius that is not positive.
    pub fn new(inputs: usize, schedule: StepSchedule, radius: f64) -> Result<Self, LearnerError> {
        OgdLinear::new(Shape { inputs, outputs: 1 }, schedule, radius)?.try_into()
    }

    /// 1/(1 + e^(−⟨w, x⟩)), the probability of the label +1 that w stands for.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn probability(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        check_shape(self.shape(), x, 1)?;
        Ok(1.0 / (1.0 + (-self.margin(x)).exp()))
    }

    /// ⟨w, x⟩, or ±∞ of its sign where the sum leaves the range of doubles: e^⟨w, x⟩ cannot tell these apart.
    fn margin(&self, x: Row<'_>) -> f64 {
        let (scale, w) = self.model.factors();
        let plain = scale * x.dot(w);
        if plain.is_finite() {
            return plain;
        }
        let sign = signed_inner(x, w);
        if sign == 0.0 { 0.0 } else { f64::INFINITY.copysign(sign) }
    }

    /// w and B.
    pub fn model(&self) -> &OgdLinear {
        &self.model
    }
}

impl From<LogisticRegression> for OgdLinear {
    fn from(learner: LogisticRegression) -> Self {
        learner.model
    }
}

impl TryFrom<OgdLinear> for LogisticRegression {
    type Error = LearnerError;

    fn try_from(model: OgdLinear) -> Result<Self, LearnerError> {
        let (expected, got) = (1, model.shape().outputs);
        if got != expected {
            return Err(LearnerError::OutputDimension { argument: "weights", expected, got });
        }
        Ok(Self { model })
    }
}
