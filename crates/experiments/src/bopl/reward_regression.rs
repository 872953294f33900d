//! The baseline BRR-gb of [L23].

use super::BoplRunError;
use off_policy::Log;
use weak_learners::batch::Sample;
use weak_learners::pairs::{PairLearner, PairRound, PairWeights};

/// Vanilla gradient boosting of the squared error of rewards \[L23, Section 5.2\]: each tree is fitted to r_i − F(x_i, a_i)
/// on the logged pairs, and added at a fixed rate.
pub(super) struct RewardRegression<'a, L> {
    log: &'a Log,
    learner: L,
    rate: f64,
    /// F(x_i, a), pair (i, a) at a·n + i.
    scores: Vec<f64>,
    gradients: Vec<f64>,
    weights: Vec<f64>,
    values: Vec<f64>,
}

impl<'a, L: PairLearner> RewardRegression<'a, L> {
    pub(super) fn new(log: &'a Log, learner: L, rate: f64) -> Self {
        let pairs = log.len() * log.actions();
        let zeros = || vec![0.0; pairs];
        let mut weights = zeros();
        for (i, a) in log.logged_actions().iter().enumerate() {
            weights[*a as usize * log.len() + i] = 1.0;
        }
        Self { log, learner, rate, scores: zeros(), gradients: zeros(), weights, values: zeros() }
    }

    /// A round: the norm of the residuals before it, and the tree.
    pub(super) fn round(&mut self, contexts: &L::Contexts) -> Result<(f64, L::Hypothesis), BoplRunError> {
        let n = contexts.size();
        let mut squares = 0.0;
        for (i, (a, r)) in self.log.logged_actions().iter().zip(self.log.rewards()).enumerate() {
            let pair = *a as usize * n + i;
            let residual = r - self.scores[pair];
            self.gradients[pair] = residual;
            squares += residual * residual;
        }
        let round =
            PairRound::new(n, self.log.actions(), &self.gradients, PairWeights::OfPairs(&self.weights))?;
        let tree = self.learner.train(contexts, &round, &mut self.values)?;
        for (score, f) in self.scores.iter_mut().zip(&self.values) {
            *score += self.rate * f;
        }
        Ok((squares.sqrt(), tree))
    }
}
