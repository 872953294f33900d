//! Runs that are stopped, saved, loaded and continued.

use super::fingerprint::Fingerprint;
use super::replay::{add_members, check_fit, zeros};
use super::run::{check_reproduced, check_values};
use super::{BoplError, PolicyBoosting, PolicyEnsemble, PolicyObjective, Round, Settings};
use off_policy::Log;
use serde::{Deserialize, Serialize};
use weak_learners::pairs::PairLearner;

/// A run between two rounds, to be saved: settings, base learner with its random stream, ensemble, record, and which log
/// it was trained on.
///
/// What the log determines is not in it: F_t(x_i, a) is replayed from the ensemble, so that a checkpoint is as small as the
/// policy and cannot disagree with it. *Guarantee:* with the same contexts, binned alike, the run that goes on is
/// bit for bit the one that was not stopped. *Checked:* the log, the name of the objective, the α of every round, every
/// bound against the decreases, and the objective, IPS and SNIPS of the last round against the replay; not the earlier
/// ones, nor settings and learner, which are taken for what the file says. *Cost:* a checkpoint copies the ensemble; resuming evaluates every predictor on every row, block by
/// block on the caller's threads, and hashes the log.
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
/// let learner = ExactPairTree::new(PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?);
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
    settings: Settings,
    learner: L,
    ensemble: PolicyEnsemble<L::Hypothesis>,
    record: Vec<Round>,
}

impl<L: PairLearner> Checkpoint<L> {
    /// F_t, before any log is there.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<L::Hypothesis> {
        &self.ensemble
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[Round] {
        &self.record
    }

    /// The run where it was, on the log that it was trained on.
    ///
    /// # Errors
    /// [`BoplError::AnotherLog`], [`BoplError::AnotherObjective`]; [`BoplError::NotReproduced`] where what is
    /// checked of the record is not that of the ensemble, because it was changed, or because the predictors no longer answer what the base learner
    /// said they do; what [`PolicyBoosting::from_ensemble`] refuses.
    pub fn resume<O: PolicyObjective>(self, log: &Log) -> Result<PolicyBoosting<O, L>, BoplError>
    where
        L::Hypothesis: Sync,
    {
        let Self { objective, log: fingerprint, settings, learner, ensemble, record } = self;
        if objective != O::NAME {
            return Err(BoplError::AnotherObjective { expected: O::NAME, found: objective });
        }
        if fingerprint != Fingerprint::of(log) {
            return Err(BoplError::AnotherLog);
        }
        check_fit(&ensemble, log)?;
        let ensemble = ensemble.named_by(log);
        let Some(before) = ensemble.len().checked_sub(record.len()) else {
            let (expected, got) = (ensemble.len(), record.len());
            return Err(BoplError::Mismatch { argument: "the record", unit: "rounds", expected, got });
        };
        let (start, found) = ensemble.members().split_at(before);
        let mut scores = zeros(log)?;
        add_members(start, log, &mut scores)?;
        check_values(&scores)?;
        let nothing = PolicyEnsemble::start(log)?;
        let mut run = PolicyBoosting::at(log, learner, settings, nothing, scores)?;
        for (round, member) in record.iter().zip(found) {
            check_reproduced("alpha", round.alpha, member.alpha)?;
        }
        add_members(found, log, run.scores_mut())?;
        run.catch_up(ensemble, record)?;
        Ok(run)
    }
}

impl<O: PolicyObjective, L: PairLearner + Clone> PolicyBoosting<O, L>
where
    L::Hypothesis: Clone,
{
    /// What has to be saved for the run to go on.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<L> {
        Checkpoint {
            objective: O::NAME.to_owned(),
            log: self.fingerprint().clone(),
            settings: *self.settings(),
            learner: self.learner().clone(),
            ensemble: self.ensemble().clone(),
            record: self.record().to_vec(),
        }
    }
}
