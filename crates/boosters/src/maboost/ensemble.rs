//! The ensemble of a run: its scores, and its normalised vote.

use rows::Row;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::batch::{Hypothesis, Sample, WeakLearner};
use weak_learners::{Label, LearnerError};

/// The combined hypothesis sgn(F), F(x) = Σ η_t h_t(x) \[NP14, Algorithm 1\].
///
/// The coefficient of a negated hypothesis is −η_t. Rows are scored one by one, whole samples hypothesis by
/// hypothesis with the weak learner's evaluation; both add in the order of the rounds and agree to the last
/// bit. *Cost:* T predictions a row; no allocation for a row, one or two vectors for a sample. *Errors:* a
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

    /// F_1(x), …, F_T(x): the scores after each round.
    pub fn staged<'a>(&'a self, x: Row<'a>) -> impl Iterator<Item = Result<f64, LearnerError>> + 'a {
        let mut score = 0.0;
        self.hypotheses.iter().zip(&self.coefficients).map(move |(h, eta)| {
            score += eta * h.predict(x)?;
            Ok(score)
        })
    }

    /// F(x_1), …, F(x_m), on any sample of the weak learner's.
    ///
    /// # Errors
    /// A sample of rows of another dimension; the errors of the weak learner's evaluation.
    pub fn scores<W>(&self, learner: &W, sample: &W::Sample) -> Result<Vec<f64>, LearnerError>
    where
        W: WeakLearner<Hypothesis = H>,
    {
        let mut scores = vec![0.0; sample.size()];
        self.add_up(&self.coefficients, learner, sample, &mut scores, |_, _| ControlFlow::Continue(()))?;
        Ok(scores)
    }

    /// Calls `visit` with (t, F_t(x_1), …, F_t(x_m)) after every round t = 1, …, T, until it breaks.
    ///
    /// # Errors
    /// As [`scores`](Self::scores).
    pub fn staged_scores<W: WeakLearner<Hypothesis = H>>(
        &self,
        learner: &W,
        sample: &W::Sample,
        visit: impl FnMut(usize, &[f64]) -> ControlFlow<()>,
    ) -> Result<(), LearnerError> {
        let mut scores = vec![0.0; sample.size()];
        self.add_up(&self.coefficients, learner, sample, &mut scores, visit)
    }

    /// a_i F(x_i)/Σ|η_t| ∈ \[−1, 1\], 0 for no hypotheses; [`MarginDistribution`](super::MarginDistribution)
    /// sums it up.
    ///
    /// # Errors
    /// As [`scores`](Self::scores), and another number of labels than of examples.
    pub fn margins<W: WeakLearner<Hypothesis = H>>(
        &self,
        learner: &W,
        sample: &W::Sample,
        labels: &[Label],
    ) -> Result<Vec<f64>, LearnerError> {
        let (argument, expected) = ("labels", sample.size());
        if labels.len() != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got: labels.len() });
        }
        let mut margins = vec![0.0; sample.size()];
        self.add_up(&self.shares(), learner, sample, &mut margins, |_, _| ControlFlow::Continue(()))?;
        margins.iter_mut().zip(labels).for_each(|(f, a)| *f = (*f * a.sign()).clamp(-1.0, 1.0));
        Ok(margins)
    }

    /// `sums` + Σ c_t h_t(x_i), passed to `visit` after every t.
    fn add_up<W: WeakLearner<Hypothesis = H>>(
        &self,
        coefficients: &[f64],
        learner: &W,
        sample: &W::Sample,
        sums: &mut [f64],
        mut visit: impl FnMut(usize, &[f64]) -> ControlFlow<()>,
    ) -> Result<(), LearnerError> {
        self.check_inputs(sample.inputs())?;
        let mut votes = vec![0.0; sample.size()];
        for (t, (h, c)) in (1..).zip(self.hypotheses.iter().zip(coefficients)) {
            learner.evaluate(h, sample, &mut votes)?;
            sums.iter_mut().zip(&votes).for_each(|(sum, h)| *sum += c * h);
            if visit(t, sums).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The vote of these hypotheses with these coefficients.
    ///
    /// # Errors
    /// Another number of coefficients than of hypotheses; a coefficient that is not finite, or a Σ|η_t| that
    /// is not, so that a score might not be; hypotheses for rows of different dimensions.
    pub fn new(hypotheses: Vec<H>, coefficients: Vec<f64>) -> Result<Self, LearnerError> {
        Unchecked { hypotheses, coefficients }.try_into()
    }

    /// Rejects rows of another dimension than that of the hypotheses, if any.
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

    /// η_1, …, η_T, negative where h_t was negated.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The ensemble of the first t rounds, or of all if there are no more.
    #[must_use]
    pub fn truncated(mut self, rounds: usize) -> Self {
        self.hypotheses.truncate(rounds);
        self.coefficients.truncate(rounds);
        self
    }

    /// η_t/Σ|η_s|, or 0 where that is 0/0; in units of the largest, so that no sum overflows.
    pub(super) fn shares(&self) -> Vec<f64> {
        let largest = self.coefficients.iter().fold(0.0, |largest: f64, eta| largest.max(eta.abs()));
        let in_units = |eta: &f64| if largest > 0.0 { eta / largest } else { 0.0 };
        let total: f64 = self.coefficients.iter().map(in_units).map(f64::abs).sum();
        self.coefficients.iter().map(|eta| in_units(eta) / total.max(1.0)).collect()
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
        // No score is larger.
        let mut most = 0.0;
        let beyond = coefficients.iter().position(|eta| {
            most += eta.abs();
            most == f64::INFINITY
        });
        if let Some(index) = beyond {
            let argument = "the sum of the coefficients' magnitudes";
            return Err(LearnerError::NotFinite { argument, index, value: most });
        }
        let ensemble = Self { hypotheses, coefficients };
        ensemble.hypotheses.iter().try_for_each(|h| ensemble.check_inputs(h.inputs()))?;
        Ok(ensemble)
    }
}

/// x ↦ F(x)/Σ|η_t| ∈ \[−1, 1\]: the normalised vote of an [`Ensemble`] of at least one hypothesis.
///
/// It is a hypothesis, so ensembles vote in ensembles. *Cost:* T predictions a row, no allocation. *Errors:*
/// a row of another dimension than the hypotheses'.
///
/// ```
/// use boosters::maboost::{Ensemble, NormalisedVote};
/// use rows::Row;
/// use weak_learners::{Label, batch::{Hypothesis, Stump}};
/// let stumps = vec![Stump::new(1, 0, 2.0, Label::Plus)?, Stump::constant(1, Label::Plus)?];
/// let vote = NormalisedVote::try_from(Ensemble::new(stumps, vec![0.75, -0.25])?)?;
/// assert_eq!(vote.predict(Row::dense(&[1.0])?)?, -1.0);
/// assert_eq!(vote.predict(Row::dense(&[3.0])?)?, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Ensemble<H>",
    into = "Ensemble<H>",
    bound(serialize = "H: Clone + Serialize", deserialize = "H: Deserialize<'de> + Hypothesis")
)]
pub struct NormalisedVote<H> {
    ensemble: Ensemble<H>,
    inputs: usize,
    /// η_t/Σ|η_s|.
    shares: Vec<f64>,
}

impl<H: Hypothesis> Hypothesis for NormalisedVote<H> {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        let mut vote = 0.0;
        for (h, share) in self.ensemble.hypotheses().iter().zip(&self.shares) {
            vote += share * h.predict(x)?;
        }
        Ok(vote.clamp(-1.0, 1.0))
    }
}

impl<H: Hypothesis> TryFrom<Ensemble<H>> for NormalisedVote<H> {
    type Error = LearnerError;

    /// Rejects the empty ensemble, whose rows have no dimension.
    fn try_from(ensemble: Ensemble<H>) -> Result<Self, LearnerError> {
        let first = ensemble.hypotheses().first().ok_or(LearnerError::Empty { argument: "hypotheses" })?;
        Ok(Self { inputs: first.inputs(), shares: ensemble.shares(), ensemble })
    }
}

impl<H> From<NormalisedVote<H>> for Ensemble<H> {
    fn from(vote: NormalisedVote<H>) -> Self {
        vote.ensemble
    }
}
