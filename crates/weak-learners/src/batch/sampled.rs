//! Training on m₀ examples drawn from the distribution.

use super::contract::{check_examples, in_units};
use super::{Sample, WeakLearner};
use crate::LearnerError;
use projections::LARGEST_SIZE;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rows::numeric::exponent_above;
use serde::{Deserialize, Serialize};

/// A weak learner that trains on m₀ independent draws: example i with probability w_i/Σw, with label +1 with
/// probability (1 + a_i)/2 and −1 otherwise \[BCMH20, Definitions 7 and 9\].
///
/// The inner learner receives the counts as weights and the mean labels as targets: the drawn sample. So this
/// is both kinds of draw of \[BCMH20, Algorithm 2\]: line 3 with targets y and weights p_t, line 4 with
/// targets y∘p_t and equal weights. *Cost:* O(m + m₀ log m) and the inner training; no allocation of its own
/// after the first. *Errors:* those of the contract and the inner learner's; the random stream is then
/// unchanged.
///
/// ```
/// use rand::SeedableRng;
/// use rows::RowMatrix;
/// use weak_learners::Label;
/// use weak_learners::batch::{ExactStump, Sampled, SortedColumns, Stump, WeakLearner};
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0])?)?;
/// let rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
/// let mut learner = Sampled::new(ExactStump::default(), 100, rng)?;
/// let stump = learner.train(&sample, &[-1.0, -1.0, 1.0], &[0.0, 0.5, 0.5])?;
/// assert_eq!(stump, Stump::new(1, 0, 2.5, Label::Plus)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W>",
    into = "State<W>",
    bound(serialize = "W: Clone + Serialize", deserialize = "W: Deserialize<'de>")
)]
pub struct Sampled<W> {
    state: State<W>,
    /// Σ_{k ≤ i} w_k, in units of a power of two near the largest weight.
    cumulative: Vec<f64>,
    counts: Vec<f64>,
    means: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<W> {
    learner: W,
    examples: usize,
    rng: ChaCha8Rng,
}

impl<W: WeakLearner> WeakLearner for Sampled<W> {
    type Sample = W::Sample;
    type Hypothesis = W::Hypothesis;

    fn train(
        &mut self,
        sample: &W::Sample,
        targets: &[f64],
        weights: &[f64],
    ) -> Result<W::Hypothesis, LearnerError> {
        self.accumulate(check_examples(sample.size(), targets, weights)?, weights);
        // The random stream advances only once the inner learner has succeeded.
        let mut rng = self.state.rng.clone();
        self.draw(targets, &mut rng);
        let hypothesis = self.state.learner.train(sample, &self.means, &self.counts)?;
        self.state.rng = rng;
        Ok(hypothesis)
    }

    fn evaluate(
        &self,
        hypothesis: &W::Hypothesis,
        sample: &W::Sample,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
        self.state.learner.evaluate(hypothesis, sample, votes)
    }
}

impl<W> Sampled<W> {
    fn accumulate(&mut self, largest: f64, weights: &[f64]) {
        let unit = exponent_above(largest);
        self.cumulative.clear();
        self.cumulative.extend(weights.iter().scan(0.0, |sum, w| {
            *sum += in_units(*w, unit);
            Some(*sum)
        }));
    }

    /// m₀ draws, as counts and mean labels.
    fn draw(&mut self, targets: &[f64], rng: &mut (impl Rng + ?Sized)) {
        let Self { state, cumulative, counts, means } = self;
        for sums in [&mut *counts, &mut *means] {
            sums.clear();
            sums.resize(targets.len(), 0.0);
        }
        let total = cumulative.last().copied().unwrap_or(0.0);
        // u·total may round up to the total: the draw is then the last example of positive weight.
        let last = cumulative.partition_point(|sum| *sum < total);
        for _ in 0..state.examples {
            let (which, label): (f64, f64) = (rng.random(), rng.random());
            let i = cumulative.partition_point(|sum| *sum <= which * total).min(last);
            counts[i] += 1.0;
            means[i] += if label < f64::midpoint(1.0, targets[i]) { 1.0 } else { -1.0 };
        }
        for (mean, count) in means.iter_mut().zip(counts).filter(|(_, count)| **count > 0.0) {
            *mean /= *count;
        }
    }

    /// Draws `examples` = m₀ examples for every training of `learner`.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for m₀ = 0 or m₀ ≥ 2^32.
    pub fn new(learner: W, examples: usize, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        State { learner, examples, rng }.try_into()
    }

    /// The inner learner.
    pub fn learner(&self) -> &W {
        &self.state.learner
    }

    /// m₀.
    pub fn examples(&self) -> usize {
        self.state.examples
    }
}

impl<W> From<Sampled<W>> for State<W> {
    fn from(sampled: Sampled<W>) -> Self {
        sampled.state
    }
}

impl<W> TryFrom<State<W>> for Sampled<W> {
    type Error = LearnerError;

    fn try_from(state: State<W>) -> Result<Self, LearnerError> {
        if state.examples == 0 || state.examples > LARGEST_SIZE {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = state.examples as f64;
            return Err(LearnerError::BadParameter { name: "examples", value, domain: "1 ≤ m₀ < 2^32" });
        }
        Ok(Self { state, cumulative: Vec::new(), counts: Vec::new(), means: Vec::new() })
    }
}
