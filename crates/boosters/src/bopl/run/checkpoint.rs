//! A run that is stopped, saved, loaded and continued.

use super::Settings;
use super::account::{Round, check_reproduced};
use super::fingerprint::Fingerprint;
use super::policy_boosting::PolicyBoosting;
use super::replay::add_members;
use crate::bopl::ensemble::check_predictions;
use crate::bopl::weighted_log::zeros;
use crate::bopl::{Bopl, BoplError, PolicyEnsemble, PolicyObjective};
use off_policy::Log;
use serde::{Deserialize, Serialize};
use weak_learners::pairs::PairLearner;
use weak_learners::{Ranks, Shard};

/// A run between two rounds, to be saved: settings, base learner with its random stream, ensemble, record,
/// and the fingerprint of its log.
///
/// F_t(x_i, a) is not saved but replayed from the ensemble, so that a checkpoint is as small as the policy
/// and cannot disagree with it. *Guarantee:* with the same contexts, binned alike, the continued run is bit
/// for bit the run that was not stopped. *Checked:* the log, the name of the objective, the α of every round,
/// every bound against the decreases, and the objective, IPS and SNIPS of the last round against the replay.
/// Earlier rounds' estimates, the settings and the learner are taken as saved. *Cost:* a checkpoint copies
/// the ensemble; resuming evaluates every predictor on every row, block by block on the caller's threads, and
/// hashes the log.
///
/// ```
/// use boosters::bopl::{Bopl, Checkpoint, PolicyBoosting, Settings, Smoothness, Step};
/// use off_policy::{Log, Rewards};
/// use rows::RowMatrix;
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{ExactPairTree, PairGrowth};
/// let contexts = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0])?;
/// let rewards = Rewards(vec![1.0, 0.0, 0.5, 1.0]);
/// let log = Log::new(contexts.clone(), 2, vec![0, 1, 1, 0], vec![0.5; 4], rewards)?;
/// let columns = SortedColumns::new(contexts)?;
/// let settings = Settings::builder().translation(-0.25).build()?;
/// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let learner = ExactPairTree::new(growth);
/// let mut run = PolicyBoosting::<Bopl, _>::new(&log, learner, settings)?;
/// assert!(run.round(&columns)?.is_continue());
///
/// let file = serde_json::to_string(&run.checkpoint())?;
/// let checkpoint: Checkpoint<ExactPairTree> = serde_json::from_str(&file)?;
/// let mut resumed: PolicyBoosting<Bopl, _> = checkpoint.resume(&log)?;
/// assert_eq!(resumed.round(&columns)?, run.round(&columns)?);
/// assert_eq!(resumed.scores(), run.scores());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "L: Serialize, L::Hypothesis: Serialize",
    deserialize = "L: Deserialize<'de>, L::Hypothesis: Deserialize<'de>"
))]
pub struct Checkpoint<L: PairLearner> {
    objective: String,
    log: Fingerprint,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    predictions: Option<Fingerprint>,
    settings: Settings,
    learner: L,
    ensemble: PolicyEnsemble<L::Hypothesis>,
    record: Vec<Round>,
}

impl<L: PairLearner> Checkpoint<L> {
    /// F_t.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<L::Hypothesis> {
        &self.ensemble
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[Round] {
        &self.record
    }

    /// The run between the same two rounds, on the log that it was trained on.
    ///
    /// # Errors
    /// [`BoplError::AnotherLog`], [`BoplError::AnotherObjective`], [`BoplError::OtherPredictions`] for a run
    /// that was trained on predicted rewards; [`BoplError::NotReproduced`] where the
    /// checked part of the record contradicts the ensemble: the file was changed, or the predictors differ
    /// from the values that the base learner reported; the errors of [`PolicyBoosting::from_ensemble`].
    pub fn resume<O: PolicyObjective>(self, log: &Log) -> Result<PolicyBoosting<O, L>, BoplError>
    where
        L::Hypothesis: Sync,
    {
        self.resume_of_rank(log, Ranks::alone())
    }

    /// The same on the rows of all ranks, of which this log has those of one
    /// ([`PolicyBoosting::of_rank`]). The number of ranks may be another than before.
    ///
    /// # Errors
    /// As of [`resume`](Self::resume), and [`LearnerError::Ranks`](weak_learners::LearnerError::Ranks).
    pub fn resume_of_rank<O: PolicyObjective>(
        self,
        log: &Log,
        ranks: Ranks,
    ) -> Result<PolicyBoosting<O, L>, BoplError>
    where
        L::Hypothesis: Sync,
    {
        self.resume_with(log, (None, ranks))
    }

    /// A run of [`PolicyBoosting::doubly_robust`] between the same two rounds, on the log and the predictions
    /// that it was trained on.
    ///
    /// # Errors
    /// As of [`resume`](Self::resume); [`BoplError::OtherPredictions`] for other predictions.
    pub fn resume_doubly_robust(
        self,
        log: &Log,
        predictions: &[f64],
    ) -> Result<PolicyBoosting<Bopl, L>, BoplError>
    where
        L::Hypothesis: Sync,
    {
        self.resume_doubly_robust_of_rank(log, predictions, Ranks::alone())
    }

    /// The same on the rows of all ranks, of which this log and these predictions have those of one. The
    /// number of ranks may be another than before.
    ///
    /// # Errors
    /// As of [`resume_doubly_robust`](Self::resume_doubly_robust), and
    /// [`LearnerError::Ranks`](weak_learners::LearnerError::Ranks).
    pub fn resume_doubly_robust_of_rank(
        self,
        log: &Log,
        predictions: &[f64],
        ranks: Ranks,
    ) -> Result<PolicyBoosting<Bopl, L>, BoplError>
    where
        L::Hypothesis: Sync,
    {
        self.resume_with(log, (Some(predictions), ranks))
    }

    fn resume_with<O: PolicyObjective>(
        self,
        log: &Log,
        (predictions, ranks): (Option<&[f64]>, Ranks),
    ) -> Result<PolicyBoosting<O, L>, BoplError>
    where
        L::Hypothesis: Sync,
    {
        let Self {
            objective,
            log: fingerprint,
            predictions: trained_on,
            settings,
            learner,
            ensemble,
            record,
        } = self;
        if objective != O::NAME {
            return Err(BoplError::AnotherObjective { expected: O::NAME, found: objective });
        }
        if fingerprint != Fingerprint::of_rank(log, &Shard::of(ranks.clone(), log.len())?)? {
            return Err(BoplError::AnotherLog);
        }
        let of_table = |predictions| Fingerprint::of_numbers_of_rank(predictions, &ranks);
        if trained_on != predictions.map(of_table).transpose()? {
            return Err(BoplError::OtherPredictions);
        }
        ensemble.check_fit(log)?;
        let ensemble = ensemble.named_by(log);
        let Some(before) = ensemble.len().checked_sub(record.len()) else {
            let (expected, got) = (ensemble.len(), record.len());
            return Err(BoplError::Mismatch { argument: "the record", unit: "rounds", expected, got });
        };
        let (start, found) = ensemble.members().split_at(before);
        let scores = zeros(log).and_then(|mut scores| {
            add_members(start, log, &mut scores)?;
            check_predictions(&scores)?;
            Ok((PolicyEnsemble::start(log)?, scores))
        });
        let mut run = PolicyBoosting::start(log, learner, settings, scores, (predictions, ranks))?;
        for (round, member) in record.iter().zip(found) {
            check_reproduced("alpha", round.alpha, member.alpha)?;
        }
        run.restore(log, ensemble, before, record)?;
        Ok(run)
    }
}

impl<O: PolicyObjective, L: PairLearner + Clone> PolicyBoosting<O, L>
where
    L::Hypothesis: Clone,
{
    /// The part of the run that has to be saved for it to go on.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<L> {
        Checkpoint {
            objective: O::NAME.to_owned(),
            log: self.fingerprint().clone(),
            predictions: self.predictions().cloned(),
            settings: *self.settings(),
            learner: self.learner().clone(),
            ensemble: self.ensemble().clone(),
            record: self.record().to_vec(),
        }
    }
}
