//! Trainings that are saved every so often, and go on.

use super::models::check_output;
use super::progress::Line;
use crate::arguments::Manners;
use crate::failure::Failure;
use ocoboost::model_file::ModelFileError;
use ocoboost::{CandidateTrainCheckpoint, TrainCheckpoint};
use ranks::Ranks;
use report::output::warn;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run that was saved, of either kind of log: which one is known before the log is.
pub(super) enum Saved {
    Fixed(PathBuf, Box<TrainCheckpoint>),
    Candidates(PathBuf, Box<CandidateTrainCheckpoint>),
}

impl Saved {
    pub(super) fn load(path: &PathBuf) -> Result<Self, Failure> {
        let failed = |source| Failure::Model { path: path.clone(), source };
        match TrainCheckpoint::load(path) {
            Ok(saved) => Ok(Self::Fixed(path.clone(), Box::new(saved))),
            Err(source @ ModelFileError::OtherContent { .. }) => CandidateTrainCheckpoint::load(path)
                .map(|saved| Self::Candidates(path.clone(), Box::new(saved)))
                .map_err(|other| match other {
                    ModelFileError::OtherContent { .. } => failed(source),
                    other => failed(other),
                }),
            Err(source) => Err(failed(source)),
        }
    }

    /// The same on every rank, of which the first one alone reads the file.
    pub(super) fn load_of_ranks(path: &PathBuf, ranks: &Ranks) -> Result<Self, Failure> {
        if !ranks.are_several() {
            return Self::load(path);
        }
        let failed = |source| Failure::Model { path: path.clone(), source };
        let bytes = if ranks.rank() == 0 {
            std::fs::read(path).map_err(|source| failed(ModelFileError::Io { path: path.clone(), source }))
        } else {
            Ok(Vec::new())
        };
        let bytes = ranks.gather(ranks.agree(bytes)?)?;
        let saved = TrainCheckpoint::from_bytes(&bytes).map_err(failed)?;
        Ok(Self::Fixed(path.clone(), Box::new(saved)))
    }

    pub(super) fn of_fixed_actions(self) -> Result<TrainCheckpoint, Failure> {
        match self {
            Self::Fixed(_, saved) => Ok(*saved),
            Self::Candidates(path, _) => Err(other(path, [OVER_CANDIDATES, OVER_ACTIONS])),
        }
    }

    pub(super) fn of_candidates(self) -> Result<CandidateTrainCheckpoint, Failure> {
        match self {
            Self::Candidates(_, saved) => Ok(*saved),
            Self::Fixed(path, _) => Err(other(path, [OVER_ACTIONS, OVER_CANDIDATES])),
        }
    }
}

const OVER_ACTIONS: &str = "a training on a log of fixed actions";
const OVER_CANDIDATES: &str = "a training on a log whose actions have features";

fn other(path: PathBuf, [found, expected]: [&'static str; 2]) -> Failure {
    Failure::Model { path, source: ModelFileError::OtherContent { expected, found: found.to_owned() } }
}

/// Saves a run every so often.
pub(super) struct Saver<'a> {
    path: Option<&'a PathBuf>,
    next: Instant,
    is_over: bool,
    failure: Option<ModelFileError>,
}

/// The least time between two files, and the share of the time that writing may take.
const INTERVAL: Duration = Duration::from_secs(1);
const SHARE: u32 = 20;

impl<'a> Saver<'a> {
    pub(super) fn new(path: Option<&'a PathBuf>) -> Result<Self, Failure> {
        if let Some(path) = path {
            check_output(path).map_err(|source| Failure::WriteFile { path: path.clone(), source })?;
        }
        Ok(Self { path, next: Instant::now(), is_over: false, failure: None })
    }

    /// Saves a moment if it is time to, and once when an end was asked for: what comes behind it is not the
    /// run any more. The first of failures in a row is said at once, while there is time to make room.
    pub(super) fn save(
        &mut self,
        moment: Option<impl FnOnce(&Path) -> Result<(), ModelFileError>>,
        is_over: bool,
        line: &mut Line,
    ) {
        let (Some(path), Some(save), false) = (self.path, moment, self.is_over) else { return };
        let begun = Instant::now();
        self.is_over = is_over;
        if is_over || begun >= self.next {
            let failed_before = self.failure.is_some();
            self.failure = save(path).err();
            if let (Some(failure), false) = (&self.failure, failed_before || is_over) {
                line.warn(&format!("a checkpoint was not saved, and the training goes on: {failure}"));
            }
            self.next = Instant::now() + INTERVAL.max(begun.elapsed() * SHARE);
        }
    }

    /// Says how to go on after Ctrl-C; or why that cannot be, also where nothing but errors is asked for.
    pub(super) fn report(&self, manners: &Manners) {
        let Some(path) = self.path else { return };
        match &self.failure {
            Some(failure) => warn(&format!("the run was not saved: {failure}")),
            None if self.is_over && !manners.quiet => warn(&format!("to go on: --resume {}", path.display())),
            None => {}
        }
    }
}
