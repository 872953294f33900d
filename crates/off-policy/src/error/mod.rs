//! What a log and a policy refuse.

mod schema;

pub use schema::{SchemaError, SchemaMismatch};

use rows::RowError;
use thiserror::Error;

/// Why values make no log. Rows count from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LogError {
    /// No row.
    #[error("the log is empty")]
    Empty,
    /// No action to choose from.
    #[error("there are no actions")]
    NoActions,
    /// Logs of ranks with other columns, other actions or other kinds of contexts.
    #[error("the log of rank {rank} has other columns or actions than that of rank 0")]
    OtherLogs {
        /// The rank.
        rank: usize,
    },
    /// An error between ranks.
    #[error(transparent)]
    Ranks(#[from] ranks::RankError),
    /// A column of another length than the contexts.
    #[error("column {column} has {got} rows, the contexts have {expected}")]
    LengthMismatch {
        /// Which column.
        column: &'static str,
        /// The number of contexts.
        expected: usize,
        /// The length found.
        got: usize,
    },
    /// A propensity outside (0, 1].
    #[error("row {row}, column propensity: {value} is outside (0, 1]")]
    BadPropensity {
        /// The row.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A number that had to be finite.
    #[error("row {row}, column {column}: {value} is not a finite number")]
    NotFinite {
        /// The row.
        row: usize,
        /// Which column.
        column: &'static str,
        /// The value found.
        value: f64,
    },
    /// A number beyond [`LARGEST`](rows::numeric::LARGEST).
    #[error("row {row}, column {column}: {value:e}: magnitudes above 1e140 are not supported")]
    TooLarge {
        /// The row.
        row: usize,
        /// Which column.
        column: &'static str,
        /// The value found.
        value: f64,
    },
    /// An action that is not there.
    #[error("row {row}, column action: {action} is not one of {actions} actions")]
    ActionOutOfRange {
        /// The row.
        row: usize,
        /// The action.
        action: u64,
        /// |A|.
        actions: usize,
    },
    /// A logged action that was not on offer.
    #[error("row {row}, column action: {action} was not on offer")]
    NotOnOffer {
        /// The row.
        row: usize,
        /// The action.
        action: u64,
    },
    /// Nothing to choose from.
    #[error("row {row}: no action is on offer")]
    EmptyActionSet {
        /// The row.
        row: usize,
    },
    /// More actions than a log or a policy may have.
    #[error("{actions} actions, more than {limit}")]
    TooManyActions {
        /// |A|.
        actions: usize,
        /// The largest number.
        limit: usize,
    },
    /// A schema of another number of coordinates than the contexts'.
    #[error("the schema is of {got} coordinates, the contexts have {expected}")]
    SchemaInputs {
        /// m of the contexts.
        expected: usize,
        /// m of the schema.
        got: usize,
    },
    /// A schema of another number of actions than the log's.
    #[error("the schema is of {got} actions, the log of {expected}")]
    SchemaActions {
        /// |A| of the log.
        expected: usize,
        /// |A| of the schema.
        got: usize,
    },
    /// Names of columns that make no schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Rows that cannot be held.
    #[error(transparent)]
    Rows(#[from] RowError),
    /// A row that was asked for and is not there.
    #[error("there is no row {row}, the log has {rows}")]
    NoSuchRow {
        /// The row.
        row: usize,
        /// n.
        rows: usize,
    },
    /// A share of the rows that is not positive, or shares with a sum other than 1.
    #[error("share {part} of the rows is {share}; shares are positive and sum to 1, these to {sum}")]
    BadShare {
        /// Which part.
        part: usize,
        /// Its share.
        share: f64,
        /// The sum of all shares.
        sum: f64,
    },
    /// A part of a log that would have no row.
    #[error("part {part} would be empty: {rows} rows are too few")]
    EmptyPart {
        /// Which part.
        part: usize,
        /// n.
        rows: usize,
    },
    /// Action sets of another number of actions than the log's.
    #[error("the action sets are of {got} actions, the log of {expected}")]
    ActionCount {
        /// |A| of the log.
        expected: usize,
        /// |A| of the sets.
        got: usize,
    },
}

/// Why a policy could not be made or does not answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A context of another dimension than the policy's.
    #[error("the context has {got} coordinates, the policy {expected}")]
    InputDimension {
        /// m.
        expected: usize,
        /// The dimension found.
        got: usize,
    },
    /// An action set or a slice of another number of actions than the policy's.
    #[error("{argument} has {got} actions, the policy {expected}")]
    ActionCount {
        /// Which argument.
        argument: &'static str,
        /// |A|.
        expected: usize,
        /// The number found.
        got: usize,
    },
    /// A parameter outside its domain.
    #[error("{name} = {value} is outside {domain}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Where it had to lie.
        domain: &'static str,
    },
    /// A score that is NaN or ±∞.
    #[error("the score of action {action} is {value}, not a finite number")]
    NotFiniteScore {
        /// The action.
        action: usize,
        /// Its score.
        value: f64,
    },
    /// A score beyond [`LARGEST`](rows::numeric::LARGEST).
    #[error("the score of action {action} is {value:e}: magnitudes above 1e140 are not supported")]
    TooLargeScore {
        /// The action.
        action: usize,
        /// Its score.
        value: f64,
    },
    /// Weights that are not one an input and action, or no input.
    #[error("{weights} weights for {actions} actions and {inputs} inputs")]
    WeightCount {
        /// m.
        inputs: usize,
        /// |A|.
        actions: usize,
        /// The number of weights.
        weights: usize,
    },
    /// More weights than can be held.
    #[error("weights for {actions} actions and {inputs} inputs are more than can be held")]
    TooManyWeights {
        /// m.
        inputs: usize,
        /// |A|.
        actions: usize,
    },
    /// A number of a linear model that is not finite.
    #[error("{name} {index} is {value}, not a finite number")]
    NotFiniteWeight {
        /// Weight or intercept.
        name: &'static str,
        /// Its place in the list.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// What the model behind the policy refused.
    #[error("the model behind the policy refused: {reason}")]
    Model {
        /// What it said.
        reason: String,
    },
    /// Labels or rewards do not match the contexts.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// Columns that are not standardised and whose gradient or norm is too large for a double.
    #[error("the gradient of the fit is no finite number: the columns are too large")]
    GradientOverflow,
    /// What the data refuse.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A policy and a log that mean different things by the same number.
    #[error(transparent)]
    Coding(#[from] SchemaMismatch),
}

/// Why labels or a reward structure were refused. Rows, groups and classes count from 0.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// No class to belong to.
    #[error("there are no classes")]
    NoClasses,
    /// More classes than a table of them may have.
    #[error("{classes} classes, more than {limit}")]
    TooManyClasses {
        /// The number asked for.
        classes: usize,
        /// The largest number.
        limit: usize,
    },
    /// A label outside the classes.
    #[error("row {row}: label {class} is not one of {classes} classes")]
    ClassOutOfRange {
        /// The row.
        row: usize,
        /// The label.
        class: u32,
        /// K.
        classes: usize,
    },
    /// A row without a label, where one is needed to learn from.
    #[error("row {row} has no label")]
    NoLabel {
        /// The row.
        row: usize,
    },
    /// Another number of label sets than of contexts.
    #[error("there are labels of {got} rows, and {expected} contexts")]
    RowCount {
        /// The number of contexts.
        expected: usize,
        /// The number of label sets.
        got: usize,
    },
    /// Another number of classes than the policy has actions.
    #[error("{argument}: {got} classes, the policy has {expected} actions")]
    ClassCount {
        /// Which argument.
        argument: &'static str,
        /// |A|.
        expected: usize,
        /// The number found.
        got: usize,
    },
    /// A group names an action out of range.
    #[error("group {group}: {action} is not one of {actions} actions")]
    GroupOutOfRange {
        /// The group.
        group: usize,
        /// The member.
        action: u32,
        /// |A|.
        actions: usize,
    },
    /// An action in two groups, or twice in one.
    #[error("group {group}: action {action} is in group {earlier} already")]
    GroupsOverlap {
        /// The group.
        group: usize,
        /// The group that had it first.
        earlier: usize,
        /// The action.
        action: u32,
    },
    /// A credit outside [0, 1].
    #[error("the partial credit {value} is outside [0, 1]")]
    BadCredit {
        /// The value found.
        value: f64,
    },
}

/// Scores or rewards of actions within [`LARGEST`](rows::numeric::LARGEST).
pub(crate) fn check_scores(scores: &[f64]) -> Result<(), PolicyError> {
    let Some(action) = rows::numeric::first_beyond(scores) else { return Ok(()) };
    let value = scores[action];
    Err(if value.is_finite() {
        PolicyError::TooLargeScore { action, value }
    } else {
        PolicyError::NotFiniteScore { action, value }
    })
}
