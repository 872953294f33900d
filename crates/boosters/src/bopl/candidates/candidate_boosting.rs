//! A run over candidates: rounds of Algorithms 1 and 2 of [L23], held to Theorem 1.

use super::CandidateEnsemble;
use super::weighted_candidates::WeightedCandidates;
use crate::bopl::algorithm::{Boosting, Room};
use crate::bopl::policy_log::PolicyLog;
use crate::bopl::run::{Account, Fingerprint};
use crate::bopl::weighted_log::{ImportanceWeights, zeros_of};
use crate::bopl::{Bopl, BoplError, BoplStop, Member, PolicyEnsemble, PolicyObjective, Round, Settings};
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
    settings: Settings,
    log: Fingerprint,
    /// Of the predicted rewards.
    predictions: Option<Fingerprint>,
    account: Account,
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
        self.account.play(&mut self.boosting, sample)
    }

    /// A run that starts at the uniform policy, F_0 = 0.
    ///
    /// # Errors
    /// [`BoplError::TooManyPairs`] for a log of more pairs than memory holds; [`BoplError::Importance`] if a
    /// reward, translated or not, divided by its propensity is not finite; [`BoplError::NegativeReward`] for
    /// an objective that needs nonnegative ones.
    pub fn new(log: &CandidateLog, learner: L, settings: Settings) -> Result<Self, BoplError> {
        Self::start(log, learner, settings, None)
    }

    /// The same with predicted rewards or none.
    pub(super) fn start(
        log: &CandidateLog,
        learner: L,
        settings: Settings,
        predictions: Option<&[f64]>,
    ) -> Result<Self, BoplError> {
        let weights = ImportanceWeights { clip: settings.clip(), switch: settings.switch() };
        let mut weighted = WeightedCandidates::new(log, settings.translation(), weights)?;
        if let Some(predictions) = predictions {
            weighted = weighted.with_predictions(log, predictions, (settings.translation(), weights))?;
        }
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
                *w = objective.weight(weighted.spans()[*choice as usize], smoothness);
            }
        }
        let pi = if step.is_local() && predictions.is_some() { zeros()? } else { Vec::new() };
        let room = Room { u: zeros()?, values: zeros()?, weights, pi };
        let ensemble = PolicyEnsemble::new(candidates.dimension(), 1)?;
        let (optimal, how) = (weighted.optimal_risk(objective), (objective, step, settings.ridge()));
        let boosting = Boosting::at(weighted, learner, how, (ensemble, zeros()?), room)?;
        let account = Account::open(optimal, boosting.evaluation().objective);
        Ok(Self {
            boosting,
            shape: candidates.shape(),
            schema: log.schema().cloned(),
            fingerprint: candidates.fingerprint(),
            settings,
            log: Fingerprint::of_candidates(log),
            predictions: predictions.map(Fingerprint::of_numbers),
            account,
        })
    }

    /// Restores the rounds of a run that was saved: the trees of an ensemble on the candidates of the log,
    /// and their record.
    pub(super) fn restore(
        &mut self,
        log: &CandidateLog,
        ensemble: &CandidateEnsemble,
        record: Vec<Round>,
    ) -> Result<(), BoplError> {
        let pairs = 0..log.candidates().pairs();
        let replay = |_: &PolicyEnsemble<PairTree>, scores: &mut [f64]| {
            Ok(ensemble.add_scores(0, log.candidates(), pairs, scores)?)
        };
        let trees = PolicyEnsemble::of(self.shape.dimension(), 1, ensemble.members().to_vec())?;
        self.boosting.move_to(trees, replay)?;
        self.account.restore(record, self.boosting.evaluation())
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
        while self.record().len() < rounds {
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

impl<L: PairLearner<Hypothesis = PairTree>> CandidateBoosting<Bopl, L> {
    /// A run on doubly robust rewards, as by
    /// [`PolicyBoosting::doubly_robust`](crate::bopl::PolicyBoosting::doubly_robust). For every candidate of
    /// a choice r̃(x_i, a) = q̂(x_i, a) + 1{a = a_i}(r_i − q̂(x_i, a_i))/p_i.
    ///
    /// The objective is −(1/n) Σ_i Σ_a r̃(x_i, a)π(a|x_i), with u_{i,a} = π_a(r̃_a − Σ_b π_b r̃_b), s_i =
    /// (max_a r̃ − min_a r̃)/(3√3) (`Sharp`) or half that range (`Paper`), and L̂* = −(1/n) Σ max_a r̃.
    /// *Guarantee:* as of every run, with this objective. q̂ ≡ 0 gives [`Bopl`].
    ///
    /// `predictions` has q̂ of every pair. It is to be cross-fitted: a model that has seen r_i makes r_i − q̂
    /// too small. *Cost:* 8 bytes a pair more, and 8 for a second-order step.
    ///
    /// ```
    /// use boosters::bopl::{Bopl, CandidateBoosting, Settings};
    /// use off_policy::Rewards;
    /// use off_policy::candidates::CandidateLog;
    /// use rows::{Candidates, RowMatrix};
    /// use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};
    /// let features = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 0.0, 1.0])?;
    /// let candidates = Candidates::builder(vec![0, 2, 5]).features(features).build()?;
    /// let log = CandidateLog::new(candidates.clone(), vec![0, 1], vec![0.5; 2], Rewards(vec![1.0, 0.25]))?;
    /// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?;
    /// let learner = HistogramCandidateTree::new(growth);
    /// // r̃ is ½ + (1 − ½)/½ = 1.5 and ½ in the first choice, and ¼, ¾ + (¼ − ¾)/½ = −¼ and ¼ in the second.
    /// let predictions = [0.5, 0.5, 0.25, 0.75, 0.25];
    /// let settings = Settings::default();
    /// let mut run = CandidateBoosting::<Bopl, _>::doubly_robust(&log, learner, settings, &predictions)?;
    /// assert!((run.objective() + (1.0 + 0.25 / 3.0) / 2.0).abs() < 1e-12);
    /// assert_eq!(run.optimal_risk(), -0.875);
    /// let before = run.objective();
    /// let round = run.round(&BinnedCandidates::new(candidates)?)?.continue_value().ok_or("ended")?;
    /// assert!(round.objective <= before - round.decrease && round.objective <= round.bound);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`new`](Self::new); [`BoplError::Mismatch`] for another number of predictions,
    /// [`BoplError::NotFinite`] for one beyond 1e140.
    pub fn doubly_robust(
        log: &CandidateLog,
        learner: L,
        settings: Settings,
        predictions: &[f64],
    ) -> Result<Self, BoplError> {
        Self::start(log, learner, settings, Some(predictions))
    }
}

impl<O, L> CandidateBoosting<O, L> {
    /// The base learner.
    #[must_use]
    pub fn learner(&self) -> &L {
        self.boosting.learner()
    }

    /// The settings of every round.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Which log, and which predicted rewards, it is trained on.
    pub(super) fn trained_on(&self) -> (&Fingerprint, Option<&Fingerprint>) {
        (&self.log, self.predictions.as_ref())
    }

    /// α_1 f_1, α_2 f_2, …
    #[must_use]
    pub fn members(&self) -> &[Member<PairTree>] {
        self.boosting.ensemble().members()
    }

    /// F_t.
    #[must_use]
    pub fn ensemble(&self) -> CandidateEnsemble {
        CandidateEnsemble::trusted(self.shape, self.schema.clone(), self.members().to_vec())
    }

    /// The tree of round t, counted from 0, and its weight; `None` for a round that was not played.
    #[must_use]
    pub fn member(&self, t: usize) -> Option<&Member<PairTree>> {
        self.members().get(t)
    }

    /// The columns of the candidates.
    pub(super) fn shape(&self) -> CandidateShape {
        self.shape
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[Round] {
        self.account.record()
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
        self.account.optimal()
    }

    /// Δ_0, the objective of the uniform policy less L̂*.
    #[must_use]
    pub fn delta_0(&self) -> f64 {
        self.account.delta_0()
    }

    /// n, the choices of the log.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.boosting.log().len()
    }
}
