//! Algorithm 4 of [L23]: the base learner by weighted classification.

use serde::{Deserialize, Serialize};
use weak_learners::batch::Sample;
use weak_learners::pairs::{PairLearner, PairRound, PairWeights};
use weak_learners::{LearnerError, RankError};

/// The reduction to weighted binary classification \[L23, Algorithm 4\]: pair (i, a) has label sgn(u_{i,a})
/// and weight |u_{i,a}|. So a classifier f of small weighted error has a large Σ⟨u_i, f(x_i)⟩. Without it a
/// base learner solves weighted least squares \[L23, Algorithm 3\]: target u_{i,a}/w_i and weight w_i.
///
/// The learner should answer ±1 ([`PairGrowth::of_signs`](weak_learners::pairs::PairGrowth::of_signs)); a
/// tree that splits by the usual gain then splits by Gini impurity. Weights are divided by their mean, so
/// that `min_child_weight` counts pairs. Nothing else depends on their scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Classification<L> {
    learner: L,
    #[serde(skip)]
    gradients: Vec<f64>,
    #[serde(skip)]
    weights: Vec<f64>,
}

impl<L> Classification<L> {
    /// The reduction to this learner of weighted pairs.
    pub fn new(learner: L) -> Self {
        Self { learner, gradients: Vec::new(), weights: Vec::new() }
    }
}

impl<L: PairLearner> PairLearner for Classification<L> {
    type Contexts = L::Contexts;
    type Hypothesis = L::Hypothesis;

    /// # Errors
    /// Those of the learner, and [`LearnerError::ZeroWeights`] where every u is 0.
    fn train(
        &mut self,
        contexts: &Self::Contexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError> {
        if contexts.shard().is_some() {
            return Err(RankError::OneRankOnly { what: "the reduction to classification" }.into());
        }
        let u = round.gradients();
        let largest = u.iter().fold(0.0, |largest: f64, u| largest.max(u.abs()));
        if largest == 0.0 {
            return Err(LearnerError::ZeroWeights);
        }
        #[allow(clippy::cast_precision_loss, reason = "a count of pairs")]
        let pairs = u.len() as f64;
        // In units of the largest, so that no sum overflows.
        let mean = u.iter().map(|u| u.abs() / largest).sum::<f64>() / pairs;
        let unit = |u: &f64| u / largest / mean;
        self.gradients.clear();
        self.gradients.extend(u.iter().map(unit));
        self.weights.clear();
        self.weights.extend(self.gradients.iter().map(|g| g.abs()));
        let weights = PairWeights::OfPairs(&self.weights);
        let round = PairRound::new(round.examples(), round.actions(), &self.gradients, weights)?;
        self.learner.train(contexts, &round, values)
    }
}
