//! Rewards of candidates, by boosted regression.

use super::CandidateEnsemble;
use crate::bopl::ensemble::check_predictions;
use crate::bopl::run::{Fingerprint, check_reproduced};
use crate::bopl::weighted_log::zeros_of;
use crate::bopl::{BoplError, Member};
use off_policy::candidates::CandidateLog;
use rows::Candidates;
use rows::numeric::LARGEST;
use std::ops::ControlFlow;
use weak_learners::batch::Sample;
use weak_learners::pairs::{PairLearner, PairNode, PairRound, PairTree, PairWeights};

/// Reward regression over candidates (BRR of \[L23, Section 6\]): trees fitted to the rewards of the logged
/// pairs, one after the other, each with weight η.
///
/// F_0 is the mean reward, and F_t = F_{t−1} + η f_t with f_t fitted to r_i − F_{t−1}(x_i, a_i). *Guarantee:*
/// a tree of means on the logged pairs does not raise Σ(r_i − F)² for η ≤ 1. Its scores are predicted
/// rewards: an [`Argmax`](off_policy::policies::Argmax) of them is a policy, and they serve DM, DR and
/// SWITCH-DR. *Cost:* a training a round, 24 bytes a pair.
///
/// ```
/// use boosters::bopl::CandidateRegression;
/// use off_policy::Rewards;
/// use off_policy::candidates::{CandidateLog, CandidateScores};
/// use rows::{Candidates, RowMatrix};
/// use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};
/// let prices = RowMatrix::dense(1, vec![1.0, 2.0, 1.0, 2.0])?;
/// let candidates = Candidates::builder(vec![0, 2, 4]).features(prices).build()?;
/// let log = CandidateLog::new(candidates.clone(), vec![0, 1], vec![0.5; 2], Rewards(vec![0.0, 1.0]))?;
/// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let mut run = CandidateRegression::new(&log, HistogramCandidateTree::new(growth), 1.0)?;
/// assert!(run.round(&BinnedCandidates::new(candidates.clone())?)?.is_continue());
/// assert_eq!(run.squared_error(), 0.0);
/// let mut rewards = [0.0; 4];
/// run.ensemble().candidate_scores(&candidates, 0..4, &mut rewards)?;
/// assert_eq!(rewards, [0.0, 1.0, 0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CandidateRegression<L> {
    learner: L,
    eta: f64,
    /// The logged pairs and their rewards.
    logged: Vec<(usize, f64)>,
    fingerprint: u64,
    log: Fingerprint,
    /// F of every pair.
    scores: Vec<f64>,
    gradients: Vec<f64>,
    weights: Vec<f64>,
    values: Vec<f64>,
    ensemble: CandidateEnsemble,
}

impl<L: PairLearner<Hypothesis = PairTree>> CandidateRegression<L> {
    /// One round; `Break` where no tree lowers the error.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] and [`BoplError::OtherContexts`] for a sample that is not the log's; the
    /// errors of the base learner; [`BoplError::NotFinite`] for a prediction. The round is then not booked.
    pub fn round(&mut self, sample: &L::Contexts) -> Result<ControlFlow<()>, BoplError> {
        let (expected, got) = (self.scores.len(), sample.size());
        if got != expected {
            return Err(BoplError::Mismatch { argument: "the sample", unit: "pairs", expected, got });
        }
        if sample.fingerprint() != self.fingerprint {
            return Err(BoplError::OtherContexts);
        }
        for (pair, reward) in &self.logged {
            self.gradients[*pair] = reward - self.scores[*pair];
        }
        let weights = PairWeights::OfPairs(&self.weights);
        let round = PairRound::new(expected, 1, &self.gradients, weights)?;
        let tree = self.learner.train(sample, &round, &mut self.values)?;
        let beyond = |v: &f64| !(v.abs() <= LARGEST);
        if let Some(index) = self.values.iter().position(beyond) {
            let value = self.values[index];
            return Err(BoplError::NotFinite { argument: "a prediction", index, value });
        }
        if self.logged.iter().all(|(pair, _)| self.values[*pair] == 0.0) {
            return Ok(ControlFlow::Break(()));
        }
        self.scores.iter_mut().zip(&self.values).for_each(|(score, f)| *score += self.eta * f);
        self.ensemble.push(Member { alpha: self.eta, predictor: tree });
        Ok(ControlFlow::Continue(()))
    }

    /// A run that starts at the mean reward.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for an η outside (0, 1]; [`BoplError::TooManyPairs`].
    pub fn new(log: &CandidateLog, learner: L, eta: f64) -> Result<Self, BoplError> {
        if !(eta > 0.0 && eta <= 1.0) {
            return Err(BoplError::BadParameter { name: "learning_rate", value: eta, domain: "(0, 1]" });
        }
        let candidates = log.candidates();
        let zeros = || zeros_of(candidates.pairs(), 1);
        let pairs = (0..log.len()).filter_map(|i| log.logged_pair(i));
        let logged: Vec<(usize, f64)> = pairs.zip(log.rewards().iter().copied()).collect();
        let (mut scores, mut weights) = (zeros()?, zeros()?);
        logged.iter().for_each(|(pair, _)| weights[*pair] = 1.0);
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = logged.len() as f64;
        let mean = logged.iter().map(|(_, reward)| reward / n).sum::<f64>();
        scores.fill(mean);
        let constant = PairTree::new(candidates.dimension(), 1, vec![PairNode::Leaf { value: mean }])?;
        let members = vec![Member { alpha: 1.0, predictor: constant }];
        Ok(Self {
            learner,
            eta,
            logged,
            fingerprint: candidates.fingerprint(),
            log: Fingerprint::of_candidates(log),
            scores,
            gradients: zeros()?,
            weights,
            values: zeros()?,
            ensemble: CandidateEnsemble::trusted(candidates.shape(), log.schema().cloned(), members),
        })
    }
}

impl<L> CandidateRegression<L> {
    /// The base learner and η.
    pub(super) fn learner(&self) -> (&L, f64) {
        (&self.learner, self.eta)
    }

    /// Which log it is trained on.
    pub(super) fn log(&self) -> &Fingerprint {
        &self.log
    }

    /// Goes on from an ensemble of rounds on the candidates of the log.
    ///
    /// # Errors
    /// [`BoplError::NotReproduced`] for another mean reward or η; [`BoplError::NotFinite`] for a score.
    pub(super) fn restore(
        &mut self,
        candidates: &Candidates,
        ensemble: &CandidateEnsemble,
    ) -> Result<(), BoplError> {
        let mean = |ensemble: &CandidateEnsemble| match ensemble.members() {
            [Member { alpha: 1.0, predictor }, ..] if predictor.nodes().len() == 1 => {
                predictor.value_of(|_| 0.0)
            }
            _ => f64::NAN,
        };
        check_reproduced("the mean reward", mean(ensemble), mean(&self.ensemble))?;
        let rounds = ensemble.members().iter().skip(1);
        rounds.clone().try_for_each(|member| check_reproduced("alpha", member.alpha, self.eta))?;
        let mut scores = self.scores.clone();
        ensemble.add_scores(1, candidates, 0..scores.len(), &mut scores)?;
        check_predictions(&scores)?;
        for member in rounds {
            self.ensemble.push(member.clone());
        }
        self.scores = scores;
        Ok(())
    }

    /// F_t, with F_0 as its first member.
    #[must_use]
    pub fn ensemble(&self) -> &CandidateEnsemble {
        &self.ensemble
    }

    /// F_t of every pair.
    #[must_use]
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// (1/n) Σ(r_i − F_t(x_i, a_i))².
    #[must_use]
    pub fn squared_error(&self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = self.logged.len() as f64;
        self.logged.iter().map(|(pair, reward)| (reward - self.scores[*pair]).powi(2) / n).sum()
    }
}
