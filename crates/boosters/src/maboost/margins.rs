//! The distribution of the margins of a sample.

use super::{BoostError, BoostingRun, Examples};
use serde::Serialize;
use weak_learners::LearnerError;
use weak_learners::batch::WeakLearner;

/// The distribution of normalised margins a_i F(x_i)/Σ|η_t| under D: the curve by which boosters are compared
/// \[NP14, Theorem 2\].
///
/// *Cost:* O(N log N) to build, O(log N) a query.
///
/// ```
/// use boosters::maboost::{Examples, MarginDistribution};
/// use weak_learners::Label::Plus;
/// let examples = Examples::weighted(vec![Plus; 3], &[1.0, 1.0, 2.0])?;
/// let margins = MarginDistribution::new(&[0.5, -0.5, 0.75], &examples)?;
/// assert_eq!((margins.smallest(), margins.mean()), (-0.5, 0.375));
/// assert_eq!((margins.share_at_most(0.0), margins.share_at_most(0.5)), (0.25, 0.5));
/// assert_eq!((margins.quantile(0.25)?, margins.quantile(0.75)?), (-0.5, 0.75));
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarginDistribution {
    /// Ascending, and not empty.
    margins: Vec<f64>,
    /// The share of D up to each of them; the last is 1.
    shares: Vec<f64>,
    mean: f64,
}

impl MarginDistribution {
    /// The distribution of these margins, one for every example; examples of weight 0 do not count.
    ///
    /// # Errors
    /// Another number of margins than of examples; a margin that is not finite.
    pub fn new(margins: &[f64], examples: &Examples) -> Result<Self, BoostError> {
        let (argument, expected) = ("margins", examples.labels().len());
        if margins.len() != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got: margins.len() }.into());
        }
        Ok(Self::of(examples.counted().map(|i| margins[i]), examples)?)
    }

    /// P\[margin ≤ θ\]; at θ = 0 the error.
    pub fn share_at_most(&self, theta: f64) -> f64 {
        let Self { margins, shares, .. } = self;
        let count = margins.partition_point(|margin| *margin <= theta);
        if count == 0 { 0.0 } else { shares[count - 1] }
    }

    /// The least margin θ with P\[margin ≤ θ\] ≥ q.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a q that is not in \[0, 1\].
    pub fn quantile(&self, q: f64) -> Result<f64, LearnerError> {
        if !(0.0..=1.0).contains(&q) {
            return Err(LearnerError::BadParameter { name: "q", value: q, domain: "[0, 1]" });
        }
        let Self { margins, shares, .. } = self;
        let below = shares.partition_point(|share| *share < q);
        Ok(margins[below.min(margins.len() - 1)])
    }

    /// The smallest margin.
    pub fn smallest(&self) -> f64 {
        self.margins[0]
    }

    /// The mean margin.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// (θ, P\[margin ≤ θ\]) for every margin θ, rising: the whole curve.
    pub fn curve(&self) -> impl ExactSizeIterator<Item = (f64, f64)> {
        self.margins.iter().copied().zip(self.shares.iter().copied())
    }

    /// The distribution of the margins of the examples of positive weight.
    fn of(margins: impl Iterator<Item = f64>, examples: &Examples) -> Result<Self, LearnerError> {
        let mut weighted: Vec<(f64, f64)> = margins.zip(examples.start().iter().copied()).collect();
        if let Some(index) = weighted.iter().position(|(margin, _)| !margin.is_finite()) {
            let value = weighted[index].0;
            return Err(LearnerError::NotFinite { argument: "margins", index, value });
        }
        let mean = weighted.iter().map(|(margin, w)| margin * w).sum();
        weighted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut share = 0.0;
        let up_to = weighted.iter().map(|(_, w)| {
            share += w;
            f64::min(share, 1.0)
        });
        let mut shares: Vec<f64> = up_to.collect();
        // D sums to 1 up to rounding.
        shares.iter_mut().next_back().into_iter().for_each(|all| *all = 1.0);
        Ok(Self { margins: weighted.into_iter().map(|(margin, _)| margin).collect(), shares, mean })
    }
}

impl<W: WeakLearner, A> BoostingRun<W, A> {
    /// The normalised margins of the training sample under D; all 0 before the first round.
    ///
    /// # Errors
    /// Never; the signature is that of [`MarginDistribution::new`].
    pub fn margin_distribution(&self) -> Result<MarginDistribution, LearnerError> {
        let total = self.eta_sum();
        let normalised = |margin: &f64| if total > 0.0 { (margin / total).clamp(-1.0, 1.0) } else { 0.0 };
        MarginDistribution::of(self.margins().iter().map(normalised), self.examples())
    }
}
