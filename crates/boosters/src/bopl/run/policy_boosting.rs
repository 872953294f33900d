//! A run: rounds of Algorithms 1 and 2 of [L23], with a record that holds them to Theorem 1.

use super::account::{Account, Round};
use super::fingerprint::{Fingerprint, LogContexts};
use super::replay::add_members;
use super::{BoplStop, Settings, Validation};
use crate::bopl::algorithm::Boosting;
use crate::bopl::ensemble::check_predictions;
use crate::bopl::weighted_log::{ImportanceWeights, WeightedLog, within_range, zeros};
use crate::bopl::{Bopl, BoplCs, BoplError, BoplS, PolicyEnsemble, PolicyObjective, Step, Weight};
use off_policy::Log;
use std::ops::ControlFlow;
use weak_learners::pairs::{PairHypothesis, PairLearner};
use weak_learners::{Ranks, Shard};

/// Boosted off-policy learning \[L23, Algorithms 1 and 2\]: a run with the objective `O`,
/// [`Bopl`](crate::bopl::Bopl) or [`BoplS`], and the base learner `L`.
///
/// With π_t the softmax of F_t, each round fits f_t to the gradient u of −n times the objective and adds α_t
/// f_t. *Guarantee:* whatever the base learner finds, the objective falls by at least `decrease`, and stays
/// below [`bound`](Round::bound). *Shapes:* pair (i, a) stands at a·n + i. *Cost:* one training, and two
/// passes over the n·|A| pairs; 24 bytes a pair, and 9 more where some actions are not on offer.
#[derive(Debug, Clone)]
pub struct PolicyBoosting<O, L: PairLearner> {
    boosting: Boosting<O, L, L::Hypothesis>,
    settings: Settings,
    fingerprint: Fingerprint,
    /// Of the predicted rewards.
    predictions: Option<Fingerprint>,
    contexts: LogContexts,
    account: Account,
}

impl<O: PolicyObjective, L: PairLearner> PolicyBoosting<O, L> {
    /// One round on the contexts of the log.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] and [`BoplError::OtherContexts`] for contexts that are not the log's; the
    /// errors of the base learner; a predictor of other contexts or actions; predictions that are not finite,
    /// or move a score beyond the range of numbers. The round is then not booked.
    pub fn round(&mut self, contexts: &L::Contexts) -> Result<ControlFlow<BoplStop, Round>, BoplError> {
        self.contexts.check(contexts)?;
        self.account.play(&mut self.boosting, contexts)
    }

    /// A run that starts at the uniform policy, F_0 = 0.
    ///
    /// # Errors
    /// [`BoplError::TooManyPairs`] for a log of more pairs than memory holds; [`BoplError::Importance`] if a
    /// reward, translated or not, divided by its propensity is not finite.
    pub fn new(log: &Log, learner: L, settings: Settings) -> Result<Self, BoplError> {
        Self::of_rank(log, learner, settings, Ranks::alone())
    }

    /// The same run on the rows of all ranks, of which this log has those of one: a run of whole blocks of
    /// [`Shard::BLOCK`] rows, behind those of the ranks before. Every rank starts a run and plays its rounds.
    ///
    /// *Guarantee:* the rounds, the ensemble and the saved model are those of one process on all rows, to the
    /// bit, for any number of ranks and threads. *Base learner:* [`HistogramPairTree`], also behind
    /// [`RowSampling`] and [`ColumnSampling`], on the contexts of [`BinnedContexts::of_rank`]; others refuse
    /// them. *Messages of a round:* those of the tree, 48 bytes for every block of rows, and two numbers. One
    /// that fails ends the run on every rank, which then goes on from a
    /// [`Checkpoint`](crate::bopl::Checkpoint) with any number of ranks.
    ///
    /// [`HistogramPairTree`]: weak_learners::pairs::HistogramPairTree
    /// [`RowSampling`]: weak_learners::pairs::RowSampling
    /// [`ColumnSampling`]: weak_learners::pairs::ColumnSampling
    /// [`BinnedContexts::of_rank`]: weak_learners::pairs::BinnedContexts::of_rank
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`LearnerError::Ranks`](weak_learners::LearnerError::Ranks): also where the
    /// rows do not begin at a block.
    pub fn of_rank(log: &Log, learner: L, settings: Settings, ranks: Ranks) -> Result<Self, BoplError> {
        Self::start(log, learner, settings, at_origin(log), (None, ranks))
    }

    /// A run that starts at an ensemble with its values on the log, and has predicted rewards or none, on the
    /// rows of these ranks. An error of one rank is that of all.
    pub(super) fn start(
        log: &Log,
        learner: L,
        settings: Settings,
        start: Result<(PolicyEnsemble<L::Hypothesis>, Vec<f64>), BoplError>,
        (predictions, ranks): (Option<&[f64]>, Ranks),
    ) -> Result<Self, BoplError> {
        let here = start.and_then(|start| Ok((start, Self::weighted(log, &settings, predictions)?)));
        let ((ensemble, scores), weighted) = ranks.agree(here)?;
        let shard = Shard::of(ranks, log.len())?;
        let weighted = weighted.among(shard.clone())?;
        let objective = O::of(settings.smoothing(), shard.total());
        let how = (objective, settings.step(), settings.ridge());
        let boosting = Boosting::start(log, learner, weighted, how, ensemble, scores)?;
        let optimal = boosting.log().optimal_risk(objective)?;
        let account = Account::open(optimal, boosting.evaluation().objective);
        let fingerprint = Fingerprint::of_rank(log, &shard)?;
        let of_table = |predictions| Fingerprint::of_numbers_of_rank(predictions, shard.ranks());
        let predictions = predictions.map(of_table).transpose()?;
        let contexts = LogContexts::of(log, shard);
        Ok(Self { boosting, settings, fingerprint, predictions, contexts, account })
    }

    /// The numbers of a log that a run needs.
    fn weighted(
        log: &Log,
        settings: &Settings,
        predictions: Option<&[f64]>,
    ) -> Result<WeightedLog, BoplError> {
        let translation = settings.translation();
        let weights = ImportanceWeights { clip: settings.clip(), switch: settings.switch() };
        let mut weighted = WeightedLog::new(log, translation, weights)?;
        if let Some(predictions) = predictions {
            weighted = weighted.with_predictions(log, predictions, (translation, weights))?;
        }
        if O::IS_NONNEGATIVE
            && let Some(row) = weighted.ratios.iter().position(|v| *v < 0.0)
        {
            return Err(BoplError::NegativeReward { row, reward: log.rewards()[row] + translation });
        }
        Ok(weighted)
    }

    /// Restores the round records after the scores were replayed from `ensemble`, whose members from `before`
    /// on are those of the rounds.
    ///
    /// # Errors
    /// [`BoplError::NotReproduced`] where the record contradicts the replay.
    pub(super) fn restore(
        &mut self,
        log: &Log,
        ensemble: PolicyEnsemble<L::Hypothesis>,
        before: usize,
        record: Vec<Round>,
    ) -> Result<(), BoplError>
    where
        L::Hypothesis: Sync,
    {
        let replay = |ensemble: &PolicyEnsemble<_>, scores: &mut [f64]| {
            add_members(ensemble.members().get(before..).unwrap_or_default(), log, scores)
        };
        self.boosting.move_to(ensemble, replay)?;
        self.account.restore(record, self.boosting.evaluation())
    }

    /// The weight that a predictor of these values would get now, and the decrease of the objective that goes
    /// with it; the run stays as it is. Pair (i, a) stands at a·n + i. On several ranks every rank weighs its
    /// own rows, and all refuse where one does.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] for another number of values, [`BoplError::NotFinite`] for a value or a weight
    /// beyond the range, [`BoplError::BadParameter`] for a learning rate; [`BoplError::TooManyPairs`].
    pub fn weigh(&self, values: &[f64], step: Step) -> Result<Weight, BoplError> {
        let (expected, got) = (self.scores().len(), values.len());
        let check = match got == expected {
            true => check_predictions(values).and_then(|()| step.check()),
            false => Err(BoplError::Mismatch { argument: "values", unit: "pairs", expected, got }),
        };
        self.boosting.log().shard.ranks().agree(check)?;
        let weight = self.boosting.weight_by_any(step, values)?;
        if !weight.alpha.is_finite() {
            return Err(BoplError::NotFinite { argument: "alpha", index: 0, value: weight.alpha });
        }
        Ok(Weight { decrease: within_range(weight.decrease), ..weight })
    }
}

impl<O: PolicyObjective, L: PairLearner<Hypothesis: Sync>> PolicyBoosting<O, L> {
    /// A run that starts at an ensemble that an earlier log gave. \[L23\] has Δ_0 for the uniform policy;
    /// here it is that of the ensemble, and so is the bound. A stopped run goes on from its
    /// [`Checkpoint`](crate::bopl::Checkpoint).
    ///
    /// # Errors
    /// As [`new`](Self::new); [`BoplError::Policy`] for an ensemble of another coding than the log's,
    /// [`BoplError::Mismatch`] for one of other contexts or actions, [`BoplError::NotFinite`] for a score
    /// that is not finite.
    pub fn from_ensemble(
        log: &Log,
        learner: L,
        settings: Settings,
        ensemble: PolicyEnsemble<L::Hypothesis>,
    ) -> Result<Self, BoplError> {
        Self::from_ensemble_of_rank(log, learner, settings, ensemble, Ranks::alone())
    }

    /// The same on the rows of all ranks, of which this log has those of one, as [`of_rank`](Self::of_rank)
    /// says. Every rank starts at the same ensemble.
    ///
    /// # Errors
    /// As of [`from_ensemble`](Self::from_ensemble) and [`of_rank`](Self::of_rank).
    pub fn from_ensemble_of_rank(
        log: &Log,
        learner: L,
        settings: Settings,
        ensemble: PolicyEnsemble<L::Hypothesis>,
        ranks: Ranks,
    ) -> Result<Self, BoplError> {
        Self::start(log, learner, settings, at_ensemble(log, ensemble), (None, ranks))
    }

    /// Plays rounds until there is a reason to stop, and returns it.
    ///
    /// `rounds` counts from the run's first round on, so that a run that was stopped and continued keeps the
    /// rule. The validation follows the run and ends it when its patience is exhausted. Rounds inherited from
    /// a warm start do not count towards patience. `watch` sees the run and the validation after each round.
    /// It may draw progress, save a [`checkpoint`](Self::checkpoint) every so many rounds, or end the run:
    /// that of all ranks, where there are several.
    ///
    /// ```
    /// use boosters::bopl::{BoplS, PolicyBoosting, Settings, Smoothness, Step, BoplStop, Validation};
    /// use off_policy::{Log, Rewards};
    /// use rows::RowMatrix;
    /// use std::ops::ControlFlow;
    /// use weak_learners::batch::SortedColumns;
    /// use weak_learners::pairs::{ExactPairTree, PairGrowth};
    /// let contexts = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0])?;
    /// let log = |rewards| Log::new(contexts.clone(), 2, vec![0, 1, 0, 1], vec![0.5; 4], Rewards(rewards));
    /// let (train, held_out) = (log(vec![1.0, 0.5, 0.0, 1.0])?, log(vec![1.0, 0.0, 0.0, 1.0])?);
    /// let columns = SortedColumns::new(contexts.clone())?;
    /// let settings = Settings::builder().build()?;
    /// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?;
    /// let learner = ExactPairTree::new(growth);
    /// let mut run = PolicyBoosting::<BoplS, _>::new(&train, learner, settings)?;
    ///
    /// let mut validation = Validation::builder(&held_out).patience(5).build()?;
    /// let mut saved = Vec::new();
    /// let stop = run.run_rounds(&columns, 40, Some(&mut validation), |run, _| {
    ///     if run.record().len() % 10 == 0 {
    ///         saved.push(run.checkpoint()); // a program writes it to a file
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(matches!(stop, BoplStop::Rounds | BoplStop::Patience));
    /// assert_eq!(saved.len(), run.record().len() / 10);
    /// let kept = run.ensemble().prefix(validation.best_round());
    /// assert!(kept.len() <= run.record().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of a [`round`](Self::round) and [`Validation::follow`]. All rounds before are booked.
    pub fn run_rounds(
        &mut self,
        contexts: &L::Contexts,
        rounds: usize,
        mut validation: Option<&mut Validation<'_>>,
        mut watch: impl FnMut(&Self, Option<&Validation<'_>>) -> ControlFlow<()>,
    ) -> Result<BoplStop, BoplError> {
        loop {
            if let Some(validation) = &mut validation {
                validation.follow(self.ensemble())?;
                if validation.is_over_since(self.ensemble().len() - self.record().len()) {
                    return Ok(BoplStop::Patience);
                }
            }
            if self.record().len() >= rounds {
                return Ok(BoplStop::Rounds);
            }
            if let ControlFlow::Break(stop) = self.round(contexts)? {
                return Ok(stop);
            }
            if let Some(validation) = &mut validation {
                validation.follow(self.ensemble())?;
            }
            let ends = watch(self, validation.as_deref()).is_break();
            if self.boosting.log().shard.ranks().any(ends)? {
                return Ok(BoplStop::Watcher);
            }
        }
    }
}

impl<O, L: PairLearner> PolicyBoosting<O, L> {
    /// The base learner.
    #[must_use]
    pub fn learner(&self) -> &L {
        self.boosting.learner()
    }

    /// F_t.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<L::Hypothesis> {
        self.boosting.ensemble()
    }

    /// n, the rows of the log, of all ranks.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.boosting.log().n()
    }

    /// F_t, by value.
    #[must_use]
    pub fn into_ensemble(self) -> PolicyEnsemble<L::Hypothesis> {
        self.boosting.into_ensemble()
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[Round] {
        self.account.record()
    }

    /// The settings of every round.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// F_t(x_i, a) on the log, pair (i, a) at a·n + i.
    #[must_use]
    pub fn scores(&self) -> &[f64] {
        self.boosting.scores()
    }

    /// u of π_t, pair (i, a) at a·n + i.
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

    /// L̂* = −(1/n) Σ max(r_i + b, 0)/p_i, below the risk of every policy.
    #[must_use]
    pub fn optimal_risk(&self) -> f64 {
        self.account.optimal()
    }

    /// Δ_0, the objective at F_0 less L̂*.
    #[must_use]
    pub fn delta_0(&self) -> f64 {
        self.account.delta_0()
    }

    /// Which log it is trained on.
    pub(in crate::bopl) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// Which predicted rewards it is trained on.
    pub(super) fn predictions(&self) -> Option<&Fingerprint> {
        self.predictions.as_ref()
    }
}

impl<L: PairLearner> PolicyBoosting<Bopl, L> {
    /// A run on doubly robust rewards, an extension of \[L23\]: r̃(x_i, a) = q̂(x_i, a) + 1{a = a_i}(r_i −
    /// q̂(x_i, a_i))/p_i for every action, in place of the logged reward over its propensity alone.
    ///
    /// The objective is −(1/n) Σ_i Σ_a r̃(x_i, a)π(a|x_i), the negative of the DR estimate of the policy's
    /// value \[DLL11\]; a translation adds a constant. With r̄_i = Σ_a π_a r̃_a the gradient has u_{i,a} =
    /// π_a(r̃_a − r̄_i), and s_i = (max_a r̃ − min_a r̃)/(3√3) (`Sharp`) or half that range (`Paper`). L̂* =
    /// −(1/n) Σ max_a r̃. *Guarantee:* as of every run, with this objective. q̂ ≡ 0 gives [`Bopl`].
    ///
    /// `predictions` has q̂(x_i, a) at i·|A| + a. It is to be cross-fitted
    /// ([`cross_fit`](off_policy::estimators::cross_fit)): a model that has seen r_i makes r_i − q̂ too
    /// small. *Cost:* 8 bytes a pair more, and 8 for a second-order step.
    ///
    /// ```
    /// use boosters::bopl::{Bopl, PolicyBoosting, Settings};
    /// use off_policy::{Log, Rewards};
    /// use rows::RowMatrix;
    /// use weak_learners::batch::SortedColumns;
    /// use weak_learners::pairs::{ExactPairTree, PairGrowth};
    /// let contexts = RowMatrix::dense(1, vec![0.0, 1.0])?;
    /// let log = Log::new(contexts.clone(), 2, vec![0, 1], vec![0.5; 2], Rewards(vec![1.0, 0.25]))?;
    /// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?;
    /// let (learner, settings) = (ExactPairTree::new(growth), Settings::builder().build()?);
    /// // r̃ is ½ + (1 − ½)/½ = 1.5 and ½ in the first row, ¼ and ¾ + (¼ − ¾)/½ = −¼ in the second.
    /// let predictions = [0.5, 0.5, 0.25, 0.75];
    /// let mut run = PolicyBoosting::<Bopl, _>::doubly_robust(&log, learner, settings, &predictions)?;
    /// assert_eq!((run.objective(), run.optimal_risk()), (-0.5, -0.875));
    /// let before = run.objective();
    /// let round = run.round(&SortedColumns::new(contexts)?)?.continue_value().ok_or("ended")?;
    /// assert!(round.objective <= before - round.decrease && round.objective <= round.bound);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`new`](Self::new); [`BoplError::Mismatch`] for a table of another size,
    /// [`BoplError::NotFinite`] for a prediction beyond 1e140.
    pub fn doubly_robust(
        log: &Log,
        learner: L,
        settings: Settings,
        predictions: &[f64],
    ) -> Result<Self, BoplError> {
        Self::doubly_robust_of_rank(log, learner, settings, predictions, Ranks::alone())
    }

    /// The same on the rows of all ranks, of which this log and these predictions have those of one, as
    /// [`of_rank`](Self::of_rank) says.
    ///
    /// # Errors
    /// As of [`doubly_robust`](Self::doubly_robust) and [`of_rank`](Self::of_rank).
    pub fn doubly_robust_of_rank(
        log: &Log,
        learner: L,
        settings: Settings,
        predictions: &[f64],
        ranks: Ranks,
    ) -> Result<Self, BoplError> {
        Self::start(log, learner, settings, at_origin(log), (Some(predictions), ranks))
    }

    /// A run of [`doubly_robust`](Self::doubly_robust) that starts at an ensemble, as
    /// [`from_ensemble`](Self::from_ensemble) does.
    ///
    /// # Errors
    /// Those of both.
    pub fn doubly_robust_from_ensemble(
        log: &Log,
        learner: L,
        settings: Settings,
        predictions: &[f64],
        ensemble: PolicyEnsemble<L::Hypothesis>,
    ) -> Result<Self, BoplError>
    where
        L::Hypothesis: Sync,
    {
        let how = (ensemble, Ranks::alone());
        Self::doubly_robust_from_ensemble_of_rank(log, learner, settings, predictions, how)
    }

    /// The same on the rows of all ranks, of which this log and these predictions have those of one, as
    /// [`of_rank`](Self::of_rank) says.
    ///
    /// # Errors
    /// As of [`doubly_robust_from_ensemble`](Self::doubly_robust_from_ensemble) and
    /// [`of_rank`](Self::of_rank).
    pub fn doubly_robust_from_ensemble_of_rank(
        log: &Log,
        learner: L,
        settings: Settings,
        predictions: &[f64],
        (ensemble, ranks): (PolicyEnsemble<L::Hypothesis>, Ranks),
    ) -> Result<Self, BoplError>
    where
        L::Hypothesis: Sync,
    {
        Self::start(log, learner, settings, at_ensemble(log, ensemble), (Some(predictions), ranks))
    }
}

/// F_0 = 0 with its values on the log.
fn at_origin<H: PairHypothesis>(log: &Log) -> Result<(PolicyEnsemble<H>, Vec<f64>), BoplError> {
    Ok((PolicyEnsemble::start(log)?, zeros(log)?))
}

/// An ensemble of the log's coding with its values on the log.
fn at_ensemble<H: PairHypothesis + Sync>(
    log: &Log,
    ensemble: PolicyEnsemble<H>,
) -> Result<(PolicyEnsemble<H>, Vec<f64>), BoplError> {
    ensemble.check_fit(log)?;
    let ensemble = ensemble.named_by(log);
    let mut scores = zeros(log)?;
    add_members(ensemble.members(), log, &mut scores)?;
    check_predictions(&scores)?;
    Ok((ensemble, scores))
}

impl BoplCs {
    /// A run of [`BoplS`] without translation.
    ///
    /// # Errors
    /// [`BoplError::NegativeReward`], and the errors of [`PolicyBoosting::new`].
    pub fn start<L: PairLearner>(
        log: &Log,
        learner: L,
        ridge: f64,
        step: Step,
    ) -> Result<PolicyBoosting<BoplS, L>, BoplError> {
        if let Some(row) = log.rewards().iter().position(|r| *r < 0.0) {
            return Err(BoplError::NegativeReward { row, reward: log.rewards()[row] });
        }
        PolicyBoosting::new(log, learner, Settings::builder().ridge(ridge).step(step).build()?)
    }
}
