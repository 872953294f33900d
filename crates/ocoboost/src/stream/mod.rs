//! A classifier of a stream, boosted online: every row is predicted, and then learnt from.

mod coding;
mod learners;
mod progressive;
mod scaling;

pub use coding::StreamFeature;
pub use learners::{StreamBooster, StreamWeakLearner};
pub use progressive::{ProgressLine, ProgressiveError};

use crate::error::JobError;
use crate::figures::{percent, thousands};
use crate::model::Source;
use coding::{CodedRow, MOST_BITS, StreamCoding};
use learners::Boosted;
use off_policy::Value;
use rows::Row;
use scaling::Scaling;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlineClassifier};

/// How a stream is learnt from: the settings of a [`StreamLearner`].
///
/// ```
/// use ocoboost::{StreamBooster, StreamJob};
/// use off_policy::Value;
/// let job = StreamJob::builder().booster(StreamBooster::OsBoost).learners(10).seed(7).build()?;
/// let mut learner = job.begin(2)?;
/// for t in 0..500 {
///     let x = f64::from(t * 37 % 100);
///     let cells = [("x", Value::Number(x)), ("colour", Value::Text(if t % 2 == 0 { "red" } else { "blue" }))];
///     learner.round(Some(if x > 30.0 { "high" } else { "low" }), cells)?;
/// }
/// assert!(learner.error().average() < 0.2, "{:?}", learner.error());
/// let predicted = learner.predict([("x", Value::Number(90.0))])?;
/// assert_eq!(predicted.and_then(|class| learner.class_name(class)), Some("high"));
/// # Ok::<(), ocoboost::JobError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StreamJob {
    booster: StreamBooster,
    weak_learner: StreamWeakLearner,
    learners: usize,
    advantage: Option<f64>,
    bits: Option<u32>,
    seed: u64,
    format: serde_json::Value,
}

/// Builds a [`StreamJob`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct StreamJobBuilder {
    job: StreamJob,
}

/// The fewest and the most bits of a table that is sized by the first row.
const BITS: [u32; 2] = [8, 12];
const MOST_LEARNERS: usize = 1_000;

impl StreamJob {
    /// Online BBM over 20 naive Bayes with the advantage chosen, seed 0: to be changed by name.
    pub fn builder() -> StreamJobBuilder {
        StreamJobBuilder {
            job: Self {
                booster: StreamBooster::default(),
                weak_learner: StreamWeakLearner::default(),
                learners: 20,
                advantage: None,
                bits: None,
                seed: 0,
                format: serde_json::Value::Null,
            },
        }
    }

    /// The learner before its first row, which has so many cells. The number of coordinates is fixed by this:
    /// four times the cells, between 2^8 and 2^12, unless the job says otherwise.
    ///
    /// # Errors
    /// [`JobError::Learner`] for an advantage that the booster does not take.
    pub fn begin(&self, cells: usize) -> Result<StreamLearner, JobError> {
        let wanted = (4 * cells.clamp(1, 1 << MOST_BITS)).next_power_of_two().trailing_zeros();
        let bits = self.bits.unwrap_or(wanted.clamp(BITS[0], BITS[1]));
        let coding = StreamCoding::new(bits)?;
        let Self { booster, weak_learner, learners, advantage, seed, .. } = *self;
        let inputs = inputs(weak_learner, &coding);
        let boosted = booster.begin(weak_learner, learners, advantage, inputs, seed)?;
        StreamLearner::new(StreamParts {
            state: StreamState {
                weak_learner,
                learners,
                seed,
                coding,
                scaling: Scaling::default(),
                classes: Vec::new(),
                boosted,
                error: ProgressiveError::default(),
            },
            sources: Vec::new(),
            format: self.format.clone(),
            program: concat!("ocoboost ", env!("CARGO_PKG_VERSION")).to_owned(),
        })
    }
}

/// The coordinates of a learner: those of the coding, and of a linear one a constant.
fn inputs(weak_learner: StreamWeakLearner, coding: &StreamCoding) -> usize {
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
/// [`StreamJob`] has an example.
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
    weak_learner: StreamWeakLearner,
    learners: usize,
    seed: u64,
    coding: StreamCoding,
    scaling: Scaling,
    classes: Vec<String>,
    boosted: Boosted,
    error: ProgressiveError,
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

impl StreamJobBuilder {
    /// The booster.
    pub fn booster(mut self, booster: StreamBooster) -> Self {
        self.job.booster = booster;
        self
    }

    /// What is boosted.
    pub fn weak_learner(mut self, learner: StreamWeakLearner) -> Self {
        self.job.weak_learner = learner;
        self
    }

    /// N, 1 to 1,000.
    pub fn learners(mut self, learners: usize) -> Self {
        self.job.learners = learners;
        self
    }

    /// γ, instead of a choice by progressive validation \[BKL99\] among 1, ½, ⅕ and ⅒ (below 1 where the
    /// booster takes no 1). AdaBoost.OL has none, and one learner alone neither.
    pub fn advantage(mut self, advantage: f64) -> Self {
        self.job.advantage = Some(advantage);
        self
    }

    /// b: there are 2^b coordinates, 1 to 18. The default is by the first row.
    pub fn bits(mut self, bits: u32) -> Self {
        self.job.bits = Some(bits);
        self
    }

    /// The seed of everything.
    pub fn seed(mut self, seed: u64) -> Self {
        self.job.seed = seed;
        self
    }

    /// The options by which rows are read, kept with the learner.
    pub fn format(mut self, format: serde_json::Value) -> Self {
        self.job.format = format;
        self
    }

    /// The job.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for a setting outside its range, or an advantage for a booster without one;
    /// [`JobError::Learner`] for one that the booster does not take.
    pub fn build(self) -> Result<StreamJob, JobError> {
        let StreamJob { booster, learners, advantage, bits, .. } = self.job;
        #[allow(clippy::cast_precision_loss, reason = "for a comparison with bounds far below 2^53")]
        let count = learners as f64;
        if !(1..=MOST_LEARNERS).contains(&learners) {
            return Err(JobError::BadSetting { name: "learners", value: count, domain: "1, …, 1000" });
        }
        if let Some(bits) = bits.filter(|bits| !(1..=MOST_BITS).contains(bits)) {
            let value = f64::from(bits);
            return Err(JobError::BadSetting { name: "bits", value, domain: "1, …, 18" });
        }
        if let Some(value) = advantage {
            if matches!(booster, StreamBooster::AdaBoostOl | StreamBooster::Alone) {
                let domain = "the settings of a booster that has an advantage";
                return Err(JobError::BadSetting { name: "advantage", value, domain });
            }
            // The smallest booster says whether it takes it.
            booster.begin(StreamWeakLearner::NaiveBayes, 1, advantage, 1, 0)?;
        }
        Ok(self.job)
    }
}

#[cfg(test)]
mod tests;
