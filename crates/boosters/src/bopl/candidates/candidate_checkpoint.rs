//! Runs over candidates that are stopped, saved, loaded and continued.

use super::{CandidateBoosting, CandidateEnsemble, CandidateRegression};
use crate::bopl::run::{Fingerprint, check_reproduced};
use crate::bopl::{Bopl, BoplError, PolicyObjective, Round, Settings};
use off_policy::candidates::CandidateLog;
use serde::{Deserialize, Serialize};
use weak_learners::pairs::{PairLearner, PairTree};

/// A [`CandidateBoosting`] between two rounds, to be saved: settings, base learner with its random stream,
/// trees, record, and the fingerprint of its log.
///
/// The scores are not saved but replayed from the trees, as by [`Checkpoint`](crate::bopl::Checkpoint).
/// *Guarantee:* with the same candidates, binned alike, the continued run is bit for bit the run that was not
/// stopped. *Checked:* the log, the predicted rewards, the name of the objective, the α of every round, every
/// bound against the decreases, and the objective, IPS and SNIPS of the last round against the replay. The
/// settings and the learner are taken as saved. *Cost:* a copy of the trees; resuming walks every tree for
/// every pair.
///
/// ```
/// use boosters::bopl::{BoplS, CandidateBoosting, CandidateCheckpoint, Settings};
/// use off_policy::Rewards;
/// use off_policy::candidates::CandidateLog;
/// use rows::{Candidates, RowMatrix};
/// use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};
/// let prices = RowMatrix::dense(1, vec![1.0, 2.0, 3.0, 1.0, 2.0])?;
/// let candidates = Candidates::builder(vec![0, 3, 5]).features(prices).build()?;
/// let log = CandidateLog::new(candidates.clone(), vec![1, 0], vec![0.5; 2], Rewards(vec![1.0, 0.5]))?;
/// let sample = BinnedCandidates::new(candidates)?;
/// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).build()?;
/// let learner = HistogramCandidateTree::new(growth);
/// let mut run = CandidateBoosting::<BoplS, _>::new(&log, learner, Settings::default())?;
/// assert!(run.round(&sample)?.is_continue());
///
/// let file = serde_json::to_string(&run.checkpoint())?;
/// let checkpoint: CandidateCheckpoint<HistogramCandidateTree> = serde_json::from_str(&file)?;
/// let mut resumed: CandidateBoosting<BoplS, _> = checkpoint.resume(&log)?;
/// assert_eq!(resumed.round(&sample)?, run.round(&sample)?);
/// assert_eq!(resumed.scores(), run.scores());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateCheckpoint<L> {
    objective: String,
    log: Fingerprint,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    predictions: Option<Fingerprint>,
    settings: Settings,
    learner: L,
    ensemble: CandidateEnsemble,
    record: Vec<Round>,
}

impl<L: PairLearner<Hypothesis = PairTree>> CandidateCheckpoint<L> {
    /// F_t, without the names of its columns.
    #[must_use]
    pub fn ensemble(&self) -> &CandidateEnsemble {
        &self.ensemble
    }

    /// The run between the same two rounds, on the log that it was trained on.
    ///
    /// # Errors
    /// [`BoplError::AnotherLog`], [`BoplError::AnotherObjective`], [`BoplError::OtherPredictions`] for a run
    /// that was trained on predicted rewards; [`BoplError::NotReproduced`] and [`BoplError::Mismatch`] where
    /// the record contradicts the trees; the errors of [`CandidateBoosting::new`].
    pub fn resume<O: PolicyObjective>(
        self,
        log: &CandidateLog,
    ) -> Result<CandidateBoosting<O, L>, BoplError> {
        self.resume_with(log, None)
    }

    /// A run of [`CandidateBoosting::doubly_robust`] between the same two rounds, on the log and the
    /// predictions that it was trained on.
    ///
    /// # Errors
    /// As of [`resume`](Self::resume); [`BoplError::OtherPredictions`] for other predictions.
    pub fn resume_doubly_robust(
        self,
        log: &CandidateLog,
        predictions: &[f64],
    ) -> Result<CandidateBoosting<Bopl, L>, BoplError> {
        self.resume_with(log, Some(predictions))
    }

    fn resume_with<O: PolicyObjective>(
        self,
        log: &CandidateLog,
        predictions: Option<&[f64]>,
    ) -> Result<CandidateBoosting<O, L>, BoplError> {
        if self.objective != O::NAME {
            return Err(BoplError::AnotherObjective { expected: O::NAME, found: self.objective });
        }
        check_log(&self.log, &self.ensemble, log)?;
        if self.predictions != predictions.map(Fingerprint::of_numbers) {
            return Err(BoplError::OtherPredictions);
        }
        let Self { settings, learner, ensemble, record, .. } = self;
        let (expected, got) = (ensemble.members().len(), record.len());
        if got != expected {
            return Err(BoplError::Mismatch { argument: "the record", unit: "rounds", expected, got });
        }
        for (round, member) in record.iter().zip(ensemble.members()) {
            check_reproduced("alpha", round.alpha, member.alpha)?;
        }
        let mut run = CandidateBoosting::start(log, learner, settings, predictions)?;
        run.restore(log, &ensemble, record)?;
        Ok(run)
    }
}

/// A [`CandidateRegression`] between two rounds, to be saved: base learner, η, trees, and the fingerprint of
/// its log. *Guarantee* and *cost* are those of [`CandidateCheckpoint`]. *Checked:* the log, the mean reward,
/// and the weight of every tree.
///
/// ```
/// use boosters::bopl::{CandidateRegression, CandidateRegressionCheckpoint};
/// use off_policy::Rewards;
/// use off_policy::candidates::CandidateLog;
/// use rows::{Candidates, RowMatrix};
/// use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};
/// let prices = RowMatrix::dense(1, vec![1.0, 2.0, 1.0, 2.0])?;
/// let candidates = Candidates::builder(vec![0, 2, 4]).features(prices).build()?;
/// let log = CandidateLog::new(candidates.clone(), vec![0, 1], vec![0.5; 2], Rewards(vec![0.0, 1.0]))?;
/// let sample = BinnedCandidates::new(candidates)?;
/// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let mut run = CandidateRegression::new(&log, HistogramCandidateTree::new(growth), 0.5)?;
/// assert!(run.round(&sample)?.is_continue());
/// let file = serde_json::to_string(&run.checkpoint())?;
/// let checkpoint: CandidateRegressionCheckpoint<HistogramCandidateTree> = serde_json::from_str(&file)?;
/// let mut resumed = checkpoint.resume(&log)?;
/// assert_eq!(resumed.round(&sample)?, run.round(&sample)?);
/// assert_eq!(resumed.scores(), run.scores());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateRegressionCheckpoint<L> {
    log: Fingerprint,
    learning_rate: f64,
    learner: L,
    ensemble: CandidateEnsemble,
}

impl<L: PairLearner<Hypothesis = PairTree>> CandidateRegressionCheckpoint<L> {
    /// F_t, with F_0 as its first member, without the names of its columns.
    #[must_use]
    pub fn ensemble(&self) -> &CandidateEnsemble {
        &self.ensemble
    }

    /// The run between the same two rounds, on the log that it was trained on.
    ///
    /// # Errors
    /// [`BoplError::AnotherLog`]; [`BoplError::NotReproduced`] where the trees are not those of the log and
    /// η; [`BoplError::NotFinite`] for a score; the errors of [`CandidateRegression::new`].
    pub fn resume(self, log: &CandidateLog) -> Result<CandidateRegression<L>, BoplError> {
        check_log(&self.log, &self.ensemble, log)?;
        let mut run = CandidateRegression::new(log, self.learner, self.learning_rate)?;
        run.restore(log.candidates(), &self.ensemble)?;
        Ok(run)
    }
}

/// Whether a run was trained on this log, and its trees are of these columns.
fn check_log(
    trained_on: &Fingerprint,
    ensemble: &CandidateEnsemble,
    log: &CandidateLog,
) -> Result<(), BoplError> {
    let is_same =
        *trained_on == Fingerprint::of_candidates(log) && ensemble.shape() == log.candidates().shape();
    if is_same { Ok(()) } else { Err(BoplError::AnotherLog) }
}

impl<O: PolicyObjective, L: PairLearner + Clone> CandidateBoosting<O, L> {
    /// The part of the run that has to be saved for it to go on.
    #[must_use]
    pub fn checkpoint(&self) -> CandidateCheckpoint<L> {
        let (log, predictions) = self.trained_on();
        CandidateCheckpoint {
            objective: O::NAME.to_owned(),
            log: log.clone(),
            predictions: predictions.cloned(),
            settings: *self.settings(),
            learner: self.learner().clone(),
            ensemble: CandidateEnsemble::trusted(self.shape(), None, self.members().to_vec()),
            record: self.record().to_vec(),
        }
    }
}

impl<L: Clone> CandidateRegression<L> {
    /// The part of the run that has to be saved for it to go on.
    #[must_use]
    pub fn checkpoint(&self) -> CandidateRegressionCheckpoint<L> {
        let (learner, learning_rate) = self.learner();
        let ensemble = self.ensemble();
        CandidateRegressionCheckpoint {
            log: self.log().clone(),
            learning_rate,
            learner: learner.clone(),
            ensemble: CandidateEnsemble::trusted(ensemble.shape(), None, ensemble.members().to_vec()),
        }
    }
}
