//! What a run ends with.

use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::batch::Hypothesis;
use weak_learners::{Label, LearnerError};

/// The combined hypothesis sgn(F), F(x) = Σ η_t h_t(x) \[NP14, Algorithm 1\].
///
/// The coefficient of a hypothesis that was turned round is −η_t. *Cost:* T predictions a row, no allocation. *Errors:* a
/// row of another dimension than the hypotheses'.
///
/// ```
/// use boosters::maboost::Ensemble;
/// use weak_learners::{Label, batch::{Hypothesis, Stump}};
/// let stumps = vec![Stump::new(1, 0, 2.0, Label::Plus)?, Stump::constant(1, Label::Plus)?];
/// let vote = Ensemble::new(stumps, vec![0.75, -0.25])?;
/// let low = [1.0];
/// assert_eq!(vote.score(rows::Row::dense(&low)?)?, -1.0);
/// assert_eq!(vote.sign(rows::Row::dense(&low)?)?, Label::Minus);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<H>", bound(deserialize = "H: Deserialize<'de> + Hypothesis"))]
pub struct Ensemble<H> {
    hypotheses: Vec<H>,
    coefficients: Vec<f64>,
}

#[derive(Deserialize)]
struct Unchecked<H> {
    hypotheses: Vec<H>,
    coefficients: Vec<f64>,
}

impl<H: Hypothesis> Ensemble<H> {
    /// F(x) = Σ η_t h_t(x), 0 for no hypotheses.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn score(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        let mut score = 0.0;
        for (h, eta) in self.hypotheses.iter().zip(&self.coefficients) {
            score += eta * h.predict(x)?;
        }
        Ok(score)
    }

    /// sgn(F(x)), +1 for a score of 0.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn sign(&self, x: Row<'_>) -> Result<Label, LearnerError> {
        self.score(x).map(Label::of_score)
    }

    /// The vote of these hypotheses with these coefficients.
    ///
    /// # Errors
    /// Another number of coefficients than of hypotheses, one that is not finite, hypotheses for rows of different
    /// dimensions.
    pub fn new(hypotheses: Vec<H>, coefficients: Vec<f64>) -> Result<Self, LearnerError> {
        Unchecked { hypotheses, coefficients }.try_into()
    }

    /// Refuses rows of another dimension than the hypotheses have, if there are any.
    pub(super) fn check_inputs(&self, got: usize) -> Result<(), LearnerError> {
        match self.hypotheses.first().map(Hypothesis::inputs) {
            Some(expected) if got != expected => Err(LearnerError::InputDimension { expected, got }),
            _ => Ok(()),
        }
    }
}

impl<H> Ensemble<H> {
    /// h_1, …, h_T, as the weak learner answered them.
    pub fn hypotheses(&self) -> &[H] {
        &self.hypotheses
    }

    /// η_1, …, η_T, negative where h_t was turned round.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    pub(super) fn push(&mut self, h: H, coefficient: f64) {
        self.hypotheses.push(h);
        self.coefficients.push(coefficient);
    }
}

impl<H: Hypothesis> TryFrom<Unchecked<H>> for Ensemble<H> {
    type Error = LearnerError;

    fn try_from(Unchecked { hypotheses, coefficients }: Unchecked<H>) -> Result<Self, LearnerError> {
        if coefficients.len() != hypotheses.len() {
            let (expected, got) = (hypotheses.len(), coefficients.len());
            return Err(LearnerError::LengthMismatch { argument: "coefficients", expected, got });
        }
        if let Some(index) = coefficients.iter().position(|eta| !eta.is_finite()) {
            let value = coefficients[index];
            return Err(LearnerError::NotFinite { argument: "coefficients", index, value });
        }
        let ensemble = Self { hypotheses, coefficients };
        ensemble.hypotheses.iter().try_for_each(|h| ensemble.check_inputs(h.inputs()))?;
        Ok(ensemble)
    }
}
