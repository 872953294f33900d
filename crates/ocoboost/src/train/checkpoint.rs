//! A training that is stopped, saved, loaded and gone on with.

use super::fingerprint::{digest_of, of_before};
use crate::error::{JobError, check_settings};
use crate::model_file::{ModelFileError, SavedState};
use boosters::auto_policy::{AutoCheckpoint, Overrides, Snapshot};
use boosters::bopl::BoplError;
use off_policy::Log;
use ranks::Shard;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a [`TrainJob`](crate::TrainJob) has done: the search so far, its settings and its time.
///
/// ```
/// use boosters::auto_policy::Progress;
/// use ocoboost::{Event, TrainCheckpoint, TrainJob};
/// use off_policy::{Log, Rewards};
/// use std::ops::ControlFlow;
/// let contexts = rows::RowMatrix::dense(1, (0..200).map(|i| f64::from(i % 40)).collect())?;
/// let actions: Vec<u32> = (0..200).map(|i| u32::from(i % 3 == 0)).collect();
/// let paid = |(i, a): (usize, &u32)| f64::from(u8::from((i % 40 < 20) == (*a == 1)));
/// let rewards = Rewards(actions.iter().enumerate().map(paid).collect());
/// let log = Log::new(contexts, 2, actions, vec![0.5; 200], rewards)?;
/// let job = TrainJob::builder().candidates(1).rounds(12).build()?;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("run.checkpoint");
/// let whole = job.fit_resumable(&log, None, |event, moment| {
///     if let (Event::Progress(Progress::Search { round: 5, .. }), Some(moment)) = (event, moment) {
///         assert!(moment.checkpoint().save(&file).is_ok());
///     }
///     ControlFlow::Continue(())
/// })?;
/// let from = TrainCheckpoint::load(&file)?;
/// let resumed = job.fit_resumable(&log, Some(from), |_, _| ControlFlow::Continue(()))?;
/// assert_eq!((resumed.ensemble(), resumed.judgement()), (whole.ensemble(), whole.judgement()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TrainCheckpoint {
    settings: Settings,
    /// Seconds of the budget.
    spent: f64,
    search: AutoCheckpoint,
}

/// What a search depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) split: String,
    pub(super) holdout_share: f64,
    pub(super) candidates: usize,
    pub(super) rounds: usize,
    pub(super) overrides: Overrides,
    pub(super) log_sha256: String,
}

/// A moment between two rounds.
#[derive(Debug)]
pub struct Moment<'a> {
    pub(super) snapshot: &'a Snapshot<'a>,
    pub(super) settings: &'a Settings,
    pub(super) spent: f64,
}

/// Of the file.
const KIND: &str = "training that is not over";

impl Moment<'_> {
    /// What has been done so far. *Cost:* a copy of the trees of the runs under way.
    #[must_use]
    pub fn checkpoint(&self) -> TrainCheckpoint {
        let (settings, search) = (self.settings.clone(), self.snapshot.checkpoint());
        TrainCheckpoint { settings, spent: self.spent, search }
    }
}

impl TrainCheckpoint {
    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`ModelFileError::Io`], [`ModelFileError::NotSerialisable`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        SavedState::of(KIND, self)?.save_quickly(path.as_ref())
    }

    /// Reads a file. It is safe on any bytes.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        SavedState::load(path.as_ref(), "a training that is not over")?.decode(KIND)
    }

    /// The bytes of a file. It is safe on any bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        SavedState::from_bytes(bytes, "a training that is not over")?.decode(KIND)
    }

    /// What it is known by among ranks: all but the time, which each has by its own clock.
    pub(super) fn digest(&self) -> String {
        serde_json::to_vec(&(&self.settings, &self.search))
            .map_or_else(|error| error.to_string(), |bytes| digest_of(&bytes))
    }

    /// The time that was spent, and the search, if they are of these settings and of their log.
    pub(super) fn checked(
        self,
        asked: &Settings,
        (log, shard): (&Log, &Shard),
    ) -> Result<(f64, Option<AutoCheckpoint>), JobError> {
        let Self { settings: mut saved, spent, search } = self;
        // First, for a default may depend on the log.
        if saved.log_sha256 != asked.log_sha256 {
            if shard.ranks().are_several() || saved.log_sha256 != of_before(log) {
                return Err(BoplError::AnotherLog.into());
            }
            saved.log_sha256.clone_from(&asked.log_sha256);
        }
        check_settings(&saved, asked)?;
        Ok((if spent.is_finite() { spent.max(0.0) } else { 0.0 }, Some(search)))
    }
}
