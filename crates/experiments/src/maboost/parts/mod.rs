//! The parts of the experiment, and their sizes.

use super::history::History;
use super::methods::{Learner, Method};
use super::sets::Split;
use super::{Outcome, combined, noise};
use crate::runner::ExperimentError;
use datasets::{Dataset, Name};
use serde::Serialize;

/// A part of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Every algorithm, round by round.
    Histories,
    /// Labels flipped at random.
    Noise,
    /// A clean set and a noisy one.
    Combined,
}

/// The size of a run.
// Keys of kept trials use the fields' first names.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Size {
    /// Rounds of a training history, on sets with few and with many features.
    #[serde(rename = "courses")]
    histories: [u32; 2],
    /// The most training and test rows of a history, on sets with few and with many features.
    #[serde(rename = "course_rows")]
    history_rows: [[usize; 2]; 2],
    /// Rounds, training rows and test rows under noise and with combined sets.
    others: (u32, [usize; 2]),
    /// The most trials of a history on spambase and letter, and on sets with many features.
    #[serde(rename = "course_trials")]
    history_trials: [u64; 2],
}

impl Size {
    pub(super) fn of(quick: bool) -> Self {
        if quick {
            let rows = [200, 100];
            Self { histories: [30, 10], history_rows: [rows; 2], others: (10, rows), history_trials: [2, 1] }
        } else {
            Self {
                histories: [1_000, 200],
                history_rows: [[20_000, 20_000], [5_000, 20_000]],
                others: (200, [2_000, 5_000]),
                history_trials: [5, 3],
            }
        }
    }

    /// The trials of a part on a set, if this many were requested.
    pub(super) fn trials(&self, part: Part, name: Name, asked: u64) -> u64 {
        match (part, name) {
            (Part::Histories, Name::Spambase | Name::Letter) => asked.min(self.history_trials[0]),
            (Part::Histories, Name::Adult | Name::Census) => asked.min(self.history_trials[1]),
            _ => asked,
        }
    }
}

impl Part {
    pub(super) const ALL: [Self; 3] = [Self::Histories, Self::Noise, Self::Combined];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Histories => "courses",
            Self::Noise => "label noise",
            Self::Combined => "combined sets",
        }
    }

    /// The weak learners of this part on a set.
    pub(super) fn learners(self, name: Name) -> &'static [Learner] {
        match (self, name) {
            (Self::Histories, _) => &Learner::ALL,
            (Self::Noise | Self::Combined, Name::Census)
            | (Self::Combined, Name::BreastCancer | Name::Ionosphere) => &[],
            (Self::Noise | Self::Combined, _) => &[Learner::Stumps, Learner::Trees],
        }
    }

    /// One trial.
    pub(super) fn run(
        self,
        name: Name,
        dataset: &Dataset,
        learner: Learner,
        size: &Size,
        seed: u64,
        trial: u64,
    ) -> Result<Outcome, ExperimentError> {
        let wide = usize::from(matches!(name, Name::Adult | Name::Census));
        let (rounds, rows) = match self {
            Self::Histories => (size.histories[wide], size.history_rows[wide]),
            Self::Noise | Self::Combined => size.others,
        };
        let split = Split::draw(name, dataset, rows, seed, trial)?;
        match self {
            Self::Histories => {
                let task = split.task(&split.truth)?;
                let histories = Method::ALL.map(|method| History::run(method, learner, &task, rounds));
                Ok(Outcome::Histories(histories.into_iter().collect::<Result<_, _>>()?))
            }
            Self::Noise => Ok(Outcome::Points(noise::errors(&split, learner, rounds, seed, trial)?)),
            Self::Combined => Ok(Outcome::Points(combined::errors(&split, learner, rounds, seed, trial)?)),
        }
    }
}

#[cfg(test)]
mod tests;
