//! Linear classifiers: the Perceptron, Winnow and its balanced form, and logistic regression.

use crate::predictor::check_shape;
use crate::{Label, LearnerError, OgdLinear, OnlinePredictor, Shape};
use oco_core::StepSchedule;
use oco_core::learners::{BalancedWinnow, Perceptron, Winnow};
use rows::Row;
use serde::{Deserialize, Serialize};

/// [`Perceptron`] \[W13, §3.1\]: votes sgn⟨w, x⟩ and learns from its mistakes only, w ← w + yx where y⟨w, x⟩
/// ≤ 0.
///
/// A score of 0 is voted +1 and is a mistake whatever the label; otherwise w = 0 would never move. So
/// [`Perceptron::mistakes`] is at least the number of wrong votes, and so is its bound (R/γ)² \[N62\],
/// asserted for this implementation in `tests/linear_classifiers.rs`. *Cost:* O(stored values) a round.
/// *Errors:* a row of another dimension, and an example that takes a weight beyond the range of doubles.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::Perceptron};
/// let mut perceptron = Perceptron::new(2)?;
/// assert_eq!(perceptron.round(Row::dense(&[1.0, 2.0])?, Label::Plus)?, Label::Plus, "w = 0 votes +1");
/// assert_eq!(perceptron.mistakes(), 1, "and learns all the same");
/// assert_eq!(perceptron.vote(Row::dense(&[1.0, -1.0])?)?, Label::Minus);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl OnlinePredictor<Label> for Perceptron {
    fn shape(&self) -> Shape {
        Shape { inputs: self.weights().len(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(OnlinePredictor::shape(self), x, y.len())?;
        y.fill(Label::of_score(Perceptron::predict(self, x)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.examine(x, y.sign())?;
        Ok(())
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.observe(x, y.sign())?;
        Ok(())
    }
}

/// [`Winnow`] \[W13, §4\]: votes sgn⟨w, x⟩ with w on the simplex and learns from its mistakes only, w_j ← w_j
/// e^(ηyx_j).
///
/// Its weights are not negative, so on rows without negative features it always votes +1: use
/// [`BalancedWinnow`] unless features of both signs vote for the label themselves. A score of 0 is voted +1
/// and is a mistake whatever the label. *Cost:* O(stored values) a round. *Errors:* a row of another
/// dimension.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::Winnow};
/// // Three advisers, of whom the last is right.
/// let mut winnow = Winnow::new(3, 0.5)?;
/// for (x, y) in [([1.0, 1.0, -1.0], Label::Minus), ([-1.0, -1.0, 1.0], Label::Plus)] {
///     for _ in 0..4 {
///         winnow.round(Row::dense(&x)?, y)?;
///     }
///     assert_eq!(winnow.vote(Row::dense(&x)?)?, y);
/// }
/// assert!(winnow.weights()[2] > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl OnlinePredictor<Label> for Winnow {
    fn shape(&self) -> Shape {
        Shape { inputs: self.dimension(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(OnlinePredictor::shape(self), x, y.len())?;
        y.fill(Label::of_score(Winnow::predict(self, x)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.observe(x, y.sign())?;
        Ok(())
    }
}

/// [`BalancedWinnow`]: votes sgn⟨w⁺ − w⁻, x⟩ with the weights of Winnow on (x, −x), and so competes with
/// every linear function. It learns from its mistakes only.
///
/// A score of 0 is voted +1 and is a mistake whatever the label, so that its bound 2X² ln(2m)/γ² holds for
/// wrong votes, too: asserted in `tests/linear_classifiers.rs`. *Cost:* O(stored values) a round. *Errors:* a
/// row of another dimension.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::BalancedWinnow};
/// let mut winnow = BalancedWinnow::new(2, 0.5)?;
/// let x = Row::dense(&[1.0, 0.0])?;
/// winnow.round(x, Label::Minus)?;
/// assert_eq!(winnow.vote(x)?, Label::Minus, "a weight below 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl OnlinePredictor<Label> for BalancedWinnow {
    fn shape(&self) -> Shape {
        Shape { inputs: self.dimension(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(OnlinePredictor::shape(self), x, y.len())?;
        y.fill(Label::of_score(BalancedWinnow::predict(self, x)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.observe(x, y.sign())?;
        Ok(())
    }
}

/// Online logistic regression: w ← Π(w − η_t ∇ℓ_t(w)) for ℓ_t(w) = ln(1 + e^(−y⟨w, x⟩)), with Π the
/// projection onto ‖w‖ ≤ B; votes sgn⟨w, x⟩.
///
/// It is [`OgdLinear`] on the slope −y/(1 + e^(y⟨w, x⟩)) of the loss. *Guarantee* \[Z03\]: for ‖u‖ ≤ B and
/// steps that do not rise, Σℓ_t(w_t) − ℓ_t(u) ≤ 2B²/η_T + ½Ση_t‖∇ℓ_t(w_t)‖² at every T, asserted every round
/// in `tests/linear_classifiers.rs`. *Cost:* O(stored values) a round. *Errors:* a row of another dimension.
/// Steps and margins may leave the range of doubles; votes and weights stay exact.
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
        y.fill(Label::of_score(x.dot(self.model.factors().1)).sign());
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

    /// 1/(1 + e^(−⟨w, x⟩)), the model's probability of the label +1.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn probability(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        check_shape(self.shape(), x, 1)?;
        Ok(1.0 / (1.0 + (-self.margin(x)).exp()))
    }

    /// ⟨w, x⟩, or ±∞ of its sign if the sum leaves the range of doubles, where e^⟨w, x⟩ is the same.
    fn margin(&self, x: Row<'_>) -> f64 {
        let (scale, w) = self.model.factors();
        let plain = scale * x.dot(w);
        if plain.is_finite() {
            return plain;
        }
        let sign = x.dot(w);
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
