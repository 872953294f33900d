//! The parts of the experiment, and how much of each is run.

use super::course::Course;
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
    Courses,
    /// Labels turned at random.
    Noise,
    /// A clean set and a noisy one.
    Combined,
}

/// How much is run.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Size {
    /// Rounds of a course: on sets of few and of many features.
    courses: [u32; 2],
    /// Training and test rows of a course, at most, on sets of few and of many features.
    course_rows: [[usize; 2]; 2],
    /// Rounds, training and test rows under noise, and where sets are combined.
    others: (u32, [usize; 2]),
    /// Trials of a course on spambase and letter, and on sets of many features, at most.
    course_trials: [u64; 2],
}

impl Size {
    pub(super) fn of(quick: bool) -> Self {
        if quick {
            let rows = [200, 100];
            Self { courses: [30, 10], course_rows: [rows; 2], others: (10, rows), course_trials: [2, 1] }
        } else {
            Self {
                courses: [1_000, 200],
                course_rows: [[20_000, 20_000], [5_000, 20_000]],
                others: (200, [2_000, 5_000]),
                course_trials: [5, 3],
            }
        }
    }

    /// The trials of a part on a set, where this many were asked for.
    pub(super) fn trials(&self, part: Part, name: Name, asked: u64) -> u64 {
        match (part, name) {
            (Part::Courses, Name::Spambase | Name::Letter) => asked.min(self.course_trials[0]),
            (Part::Courses, Name::Adult | Name::Census) => asked.min(self.course_trials[1]),
            _ => asked,
        }
    }
}

impl Part {
    pub(super) const ALL: [Self; 3] = [Self::Courses, Self::Noise, Self::Combined];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Courses => "courses",
            Self::Noise => "label noise",
            Self::Combined => "combined sets",
        }
    }

    /// What is boosted on a set in this part.
    pub(super) fn learners(self, name: Name) -> &'static [Learner] {
        match (self, name) {
            (Self::Courses, _) => &Learner::ALL,
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
            Self::Courses => (size.courses[wide], size.course_rows[wide]),
            Self::Noise | Self::Combined => size.others,
        };
        let split = Split::draw(name, dataset, rows, seed, trial)?;
        match self {
            Self::Courses => {
                let task = split.task(&split.truth)?;
                let courses = Method::ALL.map(|method| Course::run(method, learner, &task, rounds));
                Ok(Outcome::Courses(courses.into_iter().collect::<Result<_, _>>()?))
            }
            Self::Noise => Ok(Outcome::Points(noise::errors(&split, learner, rounds, seed, trial)?)),
            Self::Combined => Ok(Outcome::Points(combined::errors(&split, learner, rounds, seed, trial)?)),
        }
    }
}

#[cfg(test)]
mod tests;
