//! A run over candidates: rounds of Algorithms 1 and 2 of [L23], held to Theorem 1.

use super::CandidateEnsemble;
use super::weighted_candidates::WeightedCandidates;
use crate::bopl::algorithm::{Boosting, Room, Vanished};
use crate::bopl::policy_log::PolicyLog;
use crate::bopl::run::bound;
use crate::bopl::weighted_log::{ImportanceWeights, within_range, zeros_of};
use crate::bopl::{BoplError, BoplStop, PolicyEnsemble, PolicyObjective, Round, Settings};
use off_policy::candidates::{CandidateLog, CandidateSchema};
use rows::CandidateShape;
use std::ops::ControlFlow;
use weak_learners::batch::Sample;
use weak_learners::pairs::{PairLearner, PairTree};

/// Boosted off-policy learning \[L23, Algorithms 1 and 2\] over candidates with features of their own.
///
/// The policy is the softmax of F over the candidates of a choice, and F is a sum of trees on the rows
/// \[context ; own features ; item ; identities\]. The paper has the same actions in every row; its
/// algorithms, constants and Theorem 1 need the softmax of a row alone, so they hold as they stand. The
/// base learner sees a pair as an example with one action.
///
/// *Guarantee:* as of [`PolicyBoosting`](crate::bopl::PolicyBoosting): whatever the base learner finds, the
/// objective falls by at least `decrease`, and stays below [`bound`](Round::bound). *Cost:* one training, and
/// two passes over the pairs; 24 bytes a pair, and 8 for their weights.
///
/// ```
/// use boosters::bopl::{BoplS, CandidateBoosting, Settings};
/// use off_policy::Rewards;
/// use off_policy::candidates::{CandidateLog, CandidatePolicy};
/// use off_policy::policies::Argmax;
/// use rows::{Candidates, RowMatrix};
/// use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};
/// // Two readers chose among articles; the second article of the table is new tomorrow.
/// let candidates = Candidates::builder(vec![0, 2, 4])
///     .contexts(RowMatrix::dense(1, vec![30.0, 50.0])?)
///     .items(vec![0, 2, 0, 2], RowMatrix::dense(1, vec![0.1, 0.8, 0.9])?)
///     .build()?;
/// let log = CandidateLog::new(candidates.clone(), vec![1, 1], vec![0.5; 2], Rewards(vec![1.0, 0.5]))?;
/// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.1).build()?;
/// let learner = HistogramCandidateTree::new(growth);
/// let mut run = CandidateBoosting::<BoplS, _>::new(&log, learner, Settings::default())?;
/// let sample = BinnedCandidates::new(candidates)?;
/// let before = run.objective();
/// let round = run.round(&sample)?.continue_value().ok_or("ended")?;
/// assert!(round.objective <= before - round.decrease && round.objective <= round.bound);
///
/// // The policy scores an article that no reader was offered.
/// let tomorrow = Candidates::builder(vec![0, 2])
///     .contexts(RowMatrix::dense(1, vec![40.0])?)
///     .items(vec![0, 1], RowMatrix::dense(1, vec![0.1, 0.8])?)
///     .build()?;
/// let mut pi = [0.0; 2];
/// Argmax::new(run.ensemble()).probabilities(&tomorrow, 0..1, &mut pi)?;
/// assert_eq!(pi, [0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CandidateBoosting<O, L> {
    boosting: Boosting<O, L, PairTree, WeightedCandidates>,
    shape: CandidateShape,
    schema: Option<CandidateSchema>,
    /// Of the candidates.
    fingerprint: u64,
    optimal: f64,
    delta_0: f64,
    /// Σ decrease.
    decreased: f64,
    record: Vec<Round>,
}

impl<O: PolicyObjective, L: PairLearner<Hypothesis = PairTree>> CandidateBoosting<O, L> {
    /// One round on the candidates of the log.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] and [`BoplError::OtherContexts`] for a sample that is not the log's; the
    /// errors of the base learner; predictions that are not finite, or move a score beyond the range of
    /// numbers. The round is then not booked.
    pub fn round(&mut self, sample: &L::Contexts) -> Result<ControlFlow<BoplStop, Round>, BoplError> {
        let (expected, got) = (self.boosting.log().pairs(), sample.size());
        if got != expected {
            return Err(BoplError::Mismatch { argument: "the sample", unit: "pairs", expected, got });
        }
        if sample.fingerprint() != self.fingerprint {
            return Err(BoplError::OtherContexts);
        }
        if !self.boosting.log().has_choice() {
            return Ok(ControlFlow::Break(BoplStop::NoChoice));
        }
        let gradient_norm = self.boosting.evaluation().gradient_norm;
        let weight = match self.boosting.round(sample)? {
            ControlFlow::Continue(weight) => weight,
            ControlFlow::Break(vanished) => {
                return Ok(ControlFlow::Break(match vanished {
                    Vanished::Gradient => BoplStop::Gradient,
                    Vanished::Predictions => BoplStop::Predictions,
                    Vanished::Alpha => BoplStop::Alpha,
                }));
            }
        };
        self.decreased += weight.decrease;
        let after = self.boosting.evaluation();
        let round = Round {
            gradient_norm,
            alpha: weight.alpha,
            decrease: within_range(weight.decrease),
            objective: after.objective,
            bound: bound(self.optimal, self.delta_0, self.decreased),
            ips: after.ips,
            snips: after.snips,
        };
        self.record.push(round);
        Ok(ControlFlow::Continue(round))
    }

    /// A run that starts at the uniform policy, F_0 = 0.
    ///
    /// # Errors
    /// [`BoplError::TooManyPairs`] for a log of more pairs than memory holds; [`BoplError::Importance`] if a
    /// reward, translated or not, divided by its propensity is not finite; [`BoplError::NegativeReward`] for
    /// an objective that needs nonnegative ones.
    pub fn new(log: &CandidateLog, learner: L, settings: Settings) -> Result<Self, BoplError> {
        let weights = ImportanceWeights { clip: settings.clip(), switch: settings.switch() };
        let weighted = WeightedCandidates::new(log, settings.translation(), weights)?;
        if O::IS_NONNEGATIVE
            && let Some(row) = weighted.ratios().iter().position(|v| *v < 0.0)
        {
            let reward = log.rewards()[row] + settings.translation();
            return Err(BoplError::NegativeReward { row, reward });
        }
        let objective = O::of(settings.smoothing(), log.len());
        let (step, candidates) = (settings.step(), log.candidates());
        let zeros = || zeros_of(candidates.pairs(), 1);
        let mut weights = zeros()?;
        if let Some(smoothness) = step.smoothness() {
            for (w, choice) in weights.iter_mut().zip(candidates.choices()) {
                *w = objective.weight(weighted.ratios()[*choice as usize], smoothness);
            }
        }
        let room = Room { u: zeros()?, values: zeros()?, weights, pi: Vec::new() };
        let ensemble = PolicyEnsemble::new(candidates.dimension(), 1)?;
        let (optimal, how) = (weighted.optimal_risk(objective), (objective, step, settings.ridge()));
        let boosting = Boosting::at(weighted, learner, how, (ensemble, zeros()?), room);
        let delta_0 = within_range(boosting.evaluation().objective - optimal);
        Ok(Self {
            boosting,
            shape: candidates.shape(),
            schema: log.schema().cloned(),
            fingerprint: candidates.fingerprint(),
            optimal,
            delta_0,
            decreased: 0.0,
            record: Vec::new(),
        })
    }

    /// Plays rounds up to so many in all, and returns why they ended. `watch` sees the run after each round;
    /// it may judge the ensemble on a held-out log, draw progress, or end the run.
    ///
    /// # Errors
    /// Those of a [`round`](Self::round). All rounds before are booked.
    pub fn run_rounds(
        &mut self,
        sample: &L::Contexts,
        rounds: usize,
        mut watch: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<BoplStop, BoplError> {
        while self.record.len() < rounds {
            if let ControlFlow::Break(stop) = self.round(sample)? {
                return Ok(stop);
            }
            if watch(self).is_break() {
                return Ok(BoplStop::Watcher);
            }
        }
        Ok(BoplStop::Rounds)
    }
}

impl<O, L> CandidateBoosting<O, L> {
    /// F_t.
    #[must_use]
    pub fn ensemble(&self) -> CandidateEnsemble {
        let members = self.boosting.ensemble().members().to_vec();
        CandidateEnsemble::trusted(self.shape, self.schema.clone(), members)
    }

    /// The tree of round t, counted from 0, and its weight; `None` for a round that was not played.
    #[must_use]
    pub fn member(&self, t: usize) -> Option<&crate::bopl::Member<PairTree>> {
        self.boosting.ensemble().members().get(t)
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[Round] {
        &self.record
    }

    /// F_t of every pair.
    #[must_use]
    pub fn scores(&self) -> &[f64] {
        self.boosting.scores()
    }

    /// u of π_t, a number a pair.
    #[must_use]
    pub fn gradients(&self) -> &[f64] {
        self.boosting.gradients()
    }

    /// The objective at F_t, on the translated rewards.
    #[must_use]
    pub fn objective(&self) -> f64 {
        self.boosting.evaluation().objective
    }

    /// The IPS estimate of the value of the softmax policy, on the rewards without translation.
    #[must_use]
    pub fn ips(&self) -> f64 {
        self.boosting.evaluation().ips
    }

    /// L̂*, below the risk of every policy.
    #[must_use]
    pub fn optimal_risk(&self) -> f64 {
        self.optimal
    }

    /// Δ_0, the objective of the uniform policy less L̂*.
    #[must_use]
    pub fn delta_0(&self) -> f64 {
        self.delta_0
    }

    /// n, the choices of the log.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.boosting.log().len()
    }
}
