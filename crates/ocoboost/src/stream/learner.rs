//! A booster of a stream with the coding of its rows.

use super::coding::{CodedRow, StreamCoding, StreamFeature};
use super::learners::{Boosted, StreamBooster, StreamWeakLearner};
use super::progressive::{ProgressLine, ProgressiveError};
use super::scaling::Scaling;
use crate::error::JobError;
use crate::model::Source;
use crate::numerals::{percent, thousands};
use off_policy::Value;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlineClassifier};

/// The coordinates of a learner: those of the coding, and of a linear one a constant.
pub(super) fn inputs(weak_learner: StreamWeakLearner, coding: &StreamCoding) -> usize {
    coding.inputs() + usize::from(weak_learner.is_linear())
}

/// An online booster with the coding of its rows, and the error of its predictions so far.
///
/// *Rows* are named cells. A number is a coordinate of its column, a label one of its own, and a missing cell
/// one that says so. Coordinates are given out as columns and labels come: a new label is learnt from like
/// any other, from its first row on. Once all 2^b are given out, a new label shares one of its column.
///
/// *Classes:* two, by their names as they come. A third is refused. A row without a class is predicted and
/// not learnt from.
///
/// *State:* a learner that is saved, loaded and continued is bit for bit the one that was not stopped.
/// *Cost:* that of the booster, with four (three) candidates of an advantage that is not given.
/// [`StreamJob`](super::StreamJob) has an example.
#[derive(Debug, Clone)]
pub struct StreamLearner {
    parts: StreamParts,
    scaled: CodedRow,
}

/// The parts of a learner, unchecked.
#[derive(Debug, Clone)]
pub(crate) struct StreamParts {
    pub(crate) state: StreamState,
    pub(crate) sources: Vec<Source>,
    pub(crate) format: serde_json::Value,
    pub(crate) program: String,
}

/// All that the next rounds depend on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StreamState {
    pub(super) weak_learner: StreamWeakLearner,
    pub(super) learners: usize,
    pub(super) seed: u64,
    /// b where it was given; also none in files of before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) given_bits: Option<u32>,
    pub(super) coding: StreamCoding,
    pub(super) scaling: Scaling,
    pub(super) classes: Vec<String>,
    pub(super) boosted: Boosted,
    pub(super) error: ProgressiveError,
}

/// Compares the states as they are saved.
impl PartialEq for StreamLearner {
    fn eq(&self, other: &Self) -> bool {
        let (own, others) = (&self.parts, &other.parts);
        let states = self.state_json().ok().zip(other.state_json().ok());
        let is_same_record =
            (&own.sources, &own.format, &own.program) == (&others.sources, &others.format, &others.program);
        is_same_record && states.is_some_and(|(own, other)| own == other)
    }
}

/// What a round was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamRound {
    /// The class that was predicted before the row was learnt from; `None` before any class was known.
    pub predicted: Option<u32>,
    /// A line of the table of progress, where one is due.
    pub line: Option<ProgressLine>,
}

impl StreamLearner {
    /// The learner of these parts.
    ///
    /// # Errors
    /// Parts that do not belong together.
    pub(crate) fn new(parts: StreamParts) -> Result<Self, JobError> {
        let StreamState { weak_learner, coding, scaling, classes, boosted, error, .. } = &parts.state;
        let (expected, got) = (inputs(*weak_learner, coding), boosted.inner().shape().inputs);
        if got != expected {
            return Err(JobError::Length { column: "the booster's rows", expected, got });
        }
        let expected = coding.inputs();
        if scaling.len() > expected {
            let got = scaling.len();
            return Err(JobError::Length { column: "the scales of coordinates", expected, got });
        }
        if classes.len() > 2 || (classes.len() == 2 && classes[0] == classes[1]) {
            return Err(JobError::Classes { classes: classes.len(), most: 2 });
        }
        if classes.is_empty() && error.examples() > 0 {
            return Err(JobError::Length { column: "the classes", expected: 1, got: 0 });
        }
        Ok(Self { parts, scaled: CodedRow::default() })
    }

    pub(crate) fn parts(&self) -> &StreamParts {
        &self.parts
    }

    /// Predicts the class of a row, and then learns it.
    ///
    /// # Errors
    /// [`JobError::ThirdClass`]; [`JobError::Learner`] for a number that is not finite or above 1e140 in
    /// magnitude. The learner is then unchanged.
    pub fn round<'a>(
        &mut self,
        class: Option<&str>,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
    ) -> Result<StreamRound, JobError> {
        let known = &self.parts.state.classes;
        let number = class.map(|class| known.iter().position(|own| own == class).unwrap_or(known.len()));
        if let (Some(2..), Some(class), [first, second]) = (number, class, &known[..]) {
            let known = [first.clone(), second.clone()];
            return Err(JobError::ThirdClass { class: class.to_owned(), known });
        }
        self.code(cells)?;
        let StreamState { weak_learner, coding, scaling, classes, boosted, error, .. } =
            &mut self.parts.state;
        let row = coding.row();
        let x = if weak_learner.is_linear() { &self.scaled } else { row };
        let x = sparse(boosted.inner().shape().inputs, x)?;
        let vote = boosted.inner_mut().vote(x)?;
        let predicted = answer(vote, classes.len());
        let (Some(number), Some(class)) = (number, class) else {
            error.skip();
            return Ok(StreamRound { predicted, line: None });
        };
        boosted.inner_mut().update(x, &if number == 0 { Label::Minus } else { Label::Plus })?;
        if weak_learner.is_linear() {
            scaling.include(row);
        }
        coding.keep();
        if number == classes.len() {
            classes.push(class.to_owned());
        }
        let line = error.count(u32::from(number > 0), predicted);
        Ok(StreamRound { predicted, line })
    }

    /// The class of a row, which is not learnt from; `None` before any class was known.
    ///
    /// # Errors
    /// As [`round`](Self::round).
    pub fn predict<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
    ) -> Result<Option<u32>, JobError> {
        self.code(cells)?;
        let StreamState { weak_learner, coding, classes, boosted, .. } = &mut self.parts.state;
        let x = if weak_learner.is_linear() { &self.scaled } else { coding.row() };
        let x = sparse(boosted.inner().shape().inputs, x)?;
        Ok(answer(boosted.inner_mut().vote(x)?, classes.len()))
    }

    /// Codes a row, and scales it where that is needed.
    fn code<'a>(&mut self, cells: impl IntoIterator<Item = (&'a str, Value<'a>)>) -> Result<(), JobError> {
        let StreamState { weak_learner, coding, scaling, .. } = &mut self.parts.state;
        coding.code(cells)?;
        if weak_learner.is_linear() {
            scaling.scaled(coding.row(), &mut self.scaled);
            self.scaled.push(coding.inputs(), 1.0);
        }
        Ok(())
    }

    /// The names of the classes so far, at most two.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.parts.state.classes
    }

    /// What a class is called.
    #[must_use]
    pub fn class_name(&self, class: u32) -> Option<&str> {
        self.parts.state.classes.get(class as usize).map(String::as_str)
    }

    /// The error of the predictions so far.
    #[must_use]
    pub fn error(&self) -> &ProgressiveError {
        &self.parts.state.error
    }

    /// What the coordinates stand for that were given out so far.
    #[must_use]
    pub fn features(&self) -> &[StreamFeature] {
        self.parts.state.coding.features()
    }

    /// 2^b, the most coordinates.
    #[must_use]
    pub fn coordinates(&self) -> usize {
        self.parts.state.coding.inputs()
    }

    /// The booster.
    #[must_use]
    pub fn booster(&self) -> StreamBooster {
        self.parts.state.boosted.kind()
    }

    /// The weak learner.
    #[must_use]
    pub fn weak_learner(&self) -> StreamWeakLearner {
        self.parts.state.weak_learner
    }

    /// N, the weak learners of the booster.
    #[must_use]
    pub fn learners(&self) -> usize {
        self.parts.state.learners
    }

    /// γ where it was given; `None` where it is chosen, and for boosters without one.
    #[must_use]
    pub fn advantage(&self) -> Option<f64> {
        self.parts.state.boosted.given_advantage()
    }

    /// b where it was given; `None` where the first row has chosen it, and for a learner of a file of before
    /// this was kept. [`coordinates`](Self::coordinates) is 2^b in every case.
    #[must_use]
    pub fn bits(&self) -> Option<u32> {
        self.parts.state.given_bits
    }

    /// The seed of everything.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.parts.state.seed
    }

    /// The files that it has learnt from, as far as they were named.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.parts.sources
    }

    /// The program and its version.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.parts.program
    }

    /// The options by which rows are read for it, whatever the reader put there.
    #[must_use]
    pub fn format(&self) -> &serde_json::Value {
        &self.parts.format
    }

    /// The same learner with another file that it has learnt from.
    #[must_use]
    pub fn with_source(mut self, source: Source) -> Self {
        self.parts.sources.push(source);
        self
    }

    /// The state as JSON: equal for learners that go on alike, whatever files their rows came from.
    ///
    /// # Errors
    /// Never for a learner that a job made.
    pub fn state_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&self.parts.state)
    }

    /// What the predictions so far show, in a sentence or two.
    #[must_use]
    pub fn sentence(&self) -> String {
        let error = self.error();
        if error.examples() == 0 {
            return "No row had a class.".to_owned();
        }
        let unlabelled = match error.unlabelled() {
            0 => String::new(),
            rows => format!(" {} rows had no class, and were not learnt from.", thousands(rows)),
        };
        format!(
            "Of {} examples, each predicted before it was learnt from, {} were wrong; always predicting the \
             commonest class so far would have been wrong on {}.{unlabelled}",
            thousands(error.examples()),
            percent(error.average()),
            percent(error.of_commonest()),
        )
    }
}

/// A row of a learner.
fn sparse(inputs: usize, row: &CodedRow) -> Result<Row<'_>, LearnerError> {
    Ok(Row::sparse(inputs, &row.indices, &row.values)?)
}

/// The class of a vote: −1 is the first class. A class that has no name yet is not predicted.
fn answer(vote: Label, classes: usize) -> Option<u32> {
    match (vote, classes) {
        (_, 0) => None,
        (Label::Plus, 2) => Some(1),
        _ => Some(0),
    }
}
