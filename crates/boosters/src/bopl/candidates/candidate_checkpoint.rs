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
    let is_log = [Fingerprint::of_candidates, Fingerprint::of_candidates_before]
        .iter()
        .any(|of| *trained_on == of(log));
    let is_same = is_log && ensemble.shape() == log.candidates().shape();
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

#[cfg(test)]
mod tests {
    use super::*;
    use off_policy::Rewards;
    use rows::{Candidates, RowMatrix};
    use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};

    fn log() -> CandidateLog {
        let candidates = Candidates::builder(vec![0, 2, 5])
            .contexts(RowMatrix::dense(2, vec![1.5, 0.0, 0.0, -2.0]).unwrap())
            .features(
                RowMatrix::sparse(3, vec![0, 1, 1, 2, 2, 3], vec![2, 0, 1], vec![1.0, 0.5, 4.0]).unwrap(),
            )
            .items(vec![1, 0, 2, 0, 1], RowMatrix::dense(1, vec![7.0, 0.0, 9.0]).unwrap())
            .identities(vec![1, 0, 2, 0, 1], 2)
            .build()
            .unwrap();
        CandidateLog::new(candidates, vec![1, 2], vec![0.5, 0.25], Rewards(vec![1.0, -0.5])).unwrap()
    }

    /// The digest is in saved files, so it is that of the numbers alone. It was computed apart, by Python.
    #[test]
    fn the_digest_of_a_log_is_that_of_its_numbers() {
        let expected = "7ee4cc520607c054d2b1a4fabc3d9f280b09d8f110b08bea669d348b8f07671c";
        assert_eq!(Fingerprint::of_candidates(&log()).as_str(), expected);
    }

    #[test]
    fn runs_that_were_saved_with_another_digest_go_on() {
        let log = log();
        let sample = BinnedCandidates::new(log.candidates().clone()).unwrap();
        let growth =
            PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
        let learner = HistogramCandidateTree::new(growth);
        let mut policy =
            CandidateBoosting::<Bopl, _>::new(&log, learner.clone(), Settings::default()).unwrap();
        let mut regression = CandidateRegression::new(&log, learner, 0.5).unwrap();
        assert!(policy.round(&sample).unwrap().is_continue());
        assert!(regression.round(&sample).unwrap().is_continue());
        let own = Fingerprint::of_candidates(&log);
        let (before, other) = (Fingerprint::of_candidates_before(&log), Fingerprint::of_numbers(&[1.0]));
        for (digest, is_known) in [(before, true), (other, false)] {
            let saved = CandidateCheckpoint { log: digest.clone(), ..policy.checkpoint() };
            let resumed = saved.resume::<Bopl>(&log);
            assert_eq!(
                resumed.map(|run| (run.ensemble(), run.checkpoint().log)).ok(),
                is_known.then(|| (policy.ensemble(), own.clone()))
            );
            let saved = CandidateRegressionCheckpoint { log: digest, ..regression.checkpoint() };
            let resumed = saved.resume(&log).map(|run| (run.ensemble().clone(), run.checkpoint().log));
            let expected = is_known.then(|| (regression.ensemble().clone(), own.clone()));
            assert_eq!(resumed.ok(), expected);
        }
    }
}
