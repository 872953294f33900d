//! What a job refuses.

use boosters::bopl::BoplError;
use boosters::maboost::BoostError;
use off_policy::estimators::EstimateError;
use off_policy::{LogError, PolicyError};
use ranks::RankError;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;
use weak_learners::LearnerError;

/// Why a job could not be done.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum JobError {
    /// An error of the log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// An error of a policy.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// An error of an estimate.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// An error of the training.
    #[error(transparent)]
    Training(#[from] BoplError),
    /// An error of the boosting of a table.
    #[error(transparent)]
    Boosting(#[from] BoostError),
    /// An error of a weak learner.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// An error between ranks.
    #[error(transparent)]
    Ranks(#[from] RankError),
    /// The watcher of the work has ended it.
    #[error("the work was ended before its end")]
    Interrupted,
    /// A setting outside its domain.
    #[error("{name} = {value} is outside {domain}")]
    BadSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its domain.
        domain: &'static str,
    },
    /// A column of another length than the log.
    #[error("{column} has {got} entries, the log has {expected} rows")]
    Length {
        /// The column.
        column: &'static str,
        /// n.
        expected: usize,
        /// The length found.
        got: usize,
    },
    /// A time that is no number.
    #[error("the time of row {row} is {value}, not a finite number")]
    BadTime {
        /// The row.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// Too few rows to learn from some and to judge on others.
    #[error(
        "{rows} rows, split {split}, leave {learning} to learn from and {judging} to judge on; \
         10 and 2 are the least"
    )]
    TooFewRows {
        /// n.
        rows: usize,
        /// How they were split.
        split: &'static str,
        /// Rows to learn from.
        learning: usize,
        /// Rows to judge on.
        judging: usize,
    },
    /// A checkpoint of a run with another setting, or of another log.
    #[error("the checkpoint is of a run with {name} = {saved}, not {asked}")]
    OtherRun {
        /// The setting.
        name: String,
        /// Its value in the checkpoint.
        saved: String,
        /// The value asked for.
        asked: String,
    },
    /// One class, or more than are told apart.
    #[error("{classes} classes; 2 to {most} can be told apart")]
    Classes {
        /// K.
        classes: usize,
        /// The most.
        most: usize,
    },
    /// A vote by another code than the one of classifiers.
    #[error("the vote of {classes} classes is not one of every class against the others")]
    OtherCode {
        /// K.
        classes: usize,
    },
    /// A third class, for a learner that tells two apart.
    #[error("{class:?} is a third class, beside {:?} and {:?}; the learner tells two apart", known[0], known[1])]
    ThirdClass {
        /// The class.
        class: String,
        /// The two that are known.
        known: [String; 2],
    },
    /// An error of a schema.
    #[error(transparent)]
    Schema(#[from] off_policy::SchemaError),
    /// A class outside 0, …, K − 1.
    #[error("class {class} is not one of the {classes}, which are counted from 0")]
    UnknownClass {
        /// The class.
        class: u32,
        /// K.
        classes: usize,
    },
    /// Two tables of different columns or classes.
    #[error(transparent)]
    OtherTable(#[from] off_policy::SchemaMismatch),
    /// A second table without a booster for it, or a booster without its second table.
    #[error("{0}")]
    SecondTable(&'static str),
    /// Nothing to compare.
    #[error("{policies} policies to compare; 2 are the least")]
    TooFewPolicies {
        /// How many.
        policies: usize,
    },
    /// The loss of a play, for a learner that asks about other points.
    #[error(
        "the loss of the play alone was given, and the learner asks for the losses of several points: only \
         fkm with one query plays what it asks about"
    )]
    LossOfPlayAlone {
        /// The queries of a round.
        queries: usize,
    },
    /// A policy that was seen on another log.
    #[error("a policy was seen on another log: row {row} has another propensity or reward there")]
    OtherRows {
        /// The first row that differs.
        row: usize,
    },
    /// Estimated propensities of another log.
    #[error(
        "the estimated propensities are not those of the log: row {row} has {in_log}, estimated {estimated}"
    )]
    OtherPropensities {
        /// The first row that differs.
        row: usize,
        /// p in the log.
        in_log: f64,
        /// The estimate.
        estimated: f64,
    },
}

impl JobError {
    /// What came between ranks, if this is such an error, whichever part of the job met it.
    ///
    /// ```
    /// use boosters::bopl::BoplError;
    /// use ocoboost::JobError;
    /// use ranks::RankError;
    /// let gone = RankError::Gone { rank: 3 };
    /// assert_eq!(JobError::Training(BoplError::from(gone.clone())).of_ranks(), Some(&gone));
    /// assert_eq!(JobError::Interrupted.of_ranks(), None);
    /// ```
    #[must_use]
    pub fn of_ranks(&self) -> Option<&RankError> {
        match self {
            Self::Ranks(error)
            | Self::Log(LogError::Ranks(error))
            | Self::Learner(LearnerError::Ranks(error))
            | Self::Estimate(EstimateError::Log(LogError::Ranks(error)))
            | Self::Boosting(BoostError::Learner(LearnerError::Ranks(error)))
            | Self::Training(
                BoplError::Log(LogError::Ranks(error))
                | BoplError::Learner(LearnerError::Ranks(error))
                | BoplError::Estimate(EstimateError::Log(LogError::Ranks(error))),
            ) => Some(error),
            _ => None,
        }
    }
}

/// Refuses a saved run of other settings, and names the first that differs.
pub(crate) fn check_settings<S: Serialize>(saved: &S, asked: &S) -> Result<(), JobError> {
    let json = |settings: &S| serde_json::to_value(settings).unwrap_or_default();
    let (Value::Object(own), Value::Object(asked)) = (json(saved), json(asked)) else { return Ok(()) };
    for (name, value) in own {
        let asked = asked.get(&name).cloned().unwrap_or_default();
        if asked != value {
            return Err(JobError::OtherRun { name, saved: value.to_string(), asked: asked.to_string() });
        }
    }
    Ok(())
}
