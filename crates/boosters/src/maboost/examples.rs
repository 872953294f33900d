//! The labelled examples of a run and the distribution it starts from.

use super::BoostError;
use crate::requirements::check_magnitudes;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError};

/// N labels a_i = ±1 and the start distribution D over them: w_1 = D, and every error of the run is a share
/// of D.
///
/// An example of weight 0 counts in no error, margin or bound, and N does not count it. The weak learner
/// receives it with weight 0 in every round. NP14 has the uniform D only; the bounds for other D are stated
/// and derived at each algorithm.
///
/// ```
/// use boosters::maboost::Examples;
/// use weak_learners::Label::{Minus, Plus};
/// let examples = Examples::weighted(vec![Plus, Minus, Plus], &[1.0, 0.0, 3.0])?;
/// assert_eq!(examples.start(), [0.25, 0.75]);
/// assert_eq!(examples.counted().collect::<Vec<_>>(), [0, 2]);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Examples {
    labels: Vec<Label>,
    /// `None` for the uniform D.
    prior: Option<Vec<f64>>,
    /// The examples of positive weight; `None` if that is all of them.
    support: Option<Vec<usize>>,
    start: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Unchecked {
    labels: Vec<Label>,
    prior: Option<Vec<f64>>,
}

impl Examples {
    /// D = 1/N everywhere.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without a label.
    pub fn uniform(labels: Vec<Label>) -> Result<Self, BoostError> {
        Unchecked { labels, prior: None }.try_into()
    }

    /// D in proportion to these weights.
    ///
    /// # Errors
    /// No label; another number of weights; a weight that is negative or not finite; weights that are all 0.
    pub fn weighted(labels: Vec<Label>, weights: &[f64]) -> Result<Self, BoostError> {
        Unchecked { labels, prior: Some(weights.to_vec()) }.try_into()
    }

    /// D in proportion to the weight of the example's label; the weight of −1 comes first.
    ///
    /// # Errors
    /// As [`weighted`](Self::weighted).
    pub fn class_weighted(labels: Vec<Label>, [minus, plus]: [f64; 2]) -> Result<Self, BoostError> {
        let weight = |label: &Label| if *label == Label::Minus { minus } else { plus };
        let prior = labels.iter().map(weight).collect();
        Unchecked { labels, prior: Some(prior) }.try_into()
    }

    /// Half of D on either label, evenly; all of D on a single label.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without a label.
    pub fn balanced(labels: Vec<Label>) -> Result<Self, BoostError> {
        #[allow(clippy::cast_precision_loss, reason = "counts of examples")]
        let of = |label| labels.iter().filter(|a| **a == label).count() as f64;
        let [minus, plus] = [of(Label::Minus), of(Label::Plus)];
        // In proportion to 1/minus and 1/plus, without a division by 0.
        Self::class_weighted(labels, [plus.max(1.0), minus.max(1.0)])
    }

    /// a_1, …, those of weight 0 included.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// D over the examples of positive weight; sums to 1.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The examples of positive weight, in order.
    pub fn counted(&self) -> impl Iterator<Item = usize> {
        let all = if self.support.is_none() { 0..self.labels.len() } else { 0..0 };
        all.chain(self.support.iter().flatten().copied())
    }

    /// The examples of positive weight, unless that is all of them.
    pub(super) fn support(&self) -> Option<&[usize]> {
        self.support.as_deref()
    }

    /// The share of D on the examples (of positive weight) for whose place `is_error` holds.
    pub(super) fn share(&self, mut is_error: impl FnMut(usize) -> bool) -> f64 {
        let n = self.start.len();
        if self.prior.is_some() {
            return (0..n).filter(|&i| is_error(i)).map(|i| self.start[i]).sum::<f64>().min(1.0);
        }
        #[allow(clippy::cast_precision_loss, reason = "counts of examples")]
        let share = (0..n).map(|i| usize::from(is_error(i))).sum::<usize>() as f64 / n as f64;
        share
    }
}

impl From<Examples> for Unchecked {
    fn from(Examples { labels, prior, .. }: Examples) -> Self {
        Self { labels, prior }
    }
}

impl TryFrom<Unchecked> for Examples {
    type Error = BoostError;

    fn try_from(Unchecked { labels, prior }: Unchecked) -> Result<Self, BoostError> {
        if labels.is_empty() {
            return Err(LearnerError::Empty { argument: "labels" }.into());
        }
        let Some(prior) = prior else {
            #[allow(clippy::cast_precision_loss, reason = "a count of examples")]
            let start = vec![1.0 / labels.len() as f64; labels.len()];
            return Ok(Self { labels, prior: None, support: None, start });
        };
        let largest = check_weights(labels.len(), &prior)?;
        // In units of the largest weight no sum overflows. Weights that underflow there are below rounding.
        let total: f64 = prior.iter().map(|w| w / largest).sum();
        let share = |i: &usize| prior[*i] / largest / total;
        let support: Vec<usize> = (0..prior.len()).filter(|i| share(i) > 0.0).collect();
        let start = support.iter().map(share).collect();
        let support = (support.len() < labels.len()).then_some(support);
        Ok(Self { labels, prior: Some(prior), support, start })
    }
}

/// The largest weight, which is positive.
pub(super) fn check_weights(expected: usize, weights: &[f64]) -> Result<f64, LearnerError> {
    let argument = "weights";
    if weights.len() != expected {
        return Err(LearnerError::LengthMismatch { argument, expected, got: weights.len() });
    }
    check_magnitudes(argument, weights)?;
    if let Some(index) = weights.iter().position(|w| *w < 0.0) {
        return Err(LearnerError::NegativeWeight { index, value: weights[index] });
    }
    let largest = weights.iter().fold(0.0, |largest: f64, w| largest.max(*w));
    if largest > 0.0 { Ok(largest) } else { Err(LearnerError::ZeroWeights) }
}
