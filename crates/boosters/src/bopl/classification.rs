//! Algorithm 4 of [L23]: the base learner by weighted classification.

use serde::{Deserialize, Serialize};
use weak_learners::batch::Sample;
use weak_learners::pairs::{PairLearner, PairRound, PairWeights};
use weak_learners::{LearnerError, Shard};

/// The reduction to weighted binary classification \[L23, Algorithm 4\]: pair (i, a) has label sgn(u_{i,a})
/// and weight |u_{i,a}|. So a classifier f of small weighted error has a large Σ⟨u_i, f(x_i)⟩. Without it a
/// base learner solves weighted least squares \[L23, Algorithm 3\]: target u_{i,a}/w_i and weight w_i.
///
/// The learner should answer ±1 ([`PairGrowth::of_signs`](weak_learners::pairs::PairGrowth::of_signs)); a
/// tree that splits by the usual gain then splits by Gini impurity. Weights are divided by their mean, so
/// that `min_child_weight` counts pairs. Nothing else depends on their scale.
///
/// *Ranks:* as the learner. The sum of the weights is action by action and row by row, so that it goes from
/// rank to rank once an action: a message of 8 bytes for each action and rank.
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
        let (u, n) = (round.gradients(), round.examples());
        let whole = Shard::whole(n);
        let shard = contexts.shard().unwrap_or(&whole);
        let (ranks, total) = (shard.ranks(), shard.total());
        let largest = u.iter().fold(0.0, |largest: f64, u| largest.max(u.abs()));
        let [largest] = ranks.largest([largest])?;
        if largest == 0.0 {
            return Err(LearnerError::ZeroWeights);
        }
        #[allow(clippy::cast_precision_loss, reason = "a count of pairs")]
        let pairs = total as f64 * round.actions() as f64;
        // In units of the largest, so that no sum overflows; of all rows of an action before the next one.
        let mut sum = [-0.0];
        for action in 0..round.actions() {
            // A rank may have no row, and takes part all the same.
            let of_action = &u[action * n..(action + 1) * n];
            sum = ranks.sum_of_rows(sum, of_action.iter().map(|u| [u.abs() / largest]))?;
        }
        let mean = sum[0] / pairs;
        let unit = |u: &f64| u / largest / mean;
        self.gradients.clear();
        self.gradients.extend(u.iter().map(unit));
        self.weights.clear();
        self.weights.extend(self.gradients.iter().map(|g| g.abs()));
        let weights = PairWeights::OfPairs(&self.weights);
        let round = match ranks.are_several() {
            false => PairRound::new(n, round.actions(), &self.gradients, weights),
            true => PairRound::of_rank(n, round.actions(), &self.gradients, weights),
        };
        let round = ranks.agree(round)?;
        self.learner.train(contexts, &round, values)
    }
}
