//! What the coordinates of a context and the numbers of the actions stand for.

mod value;

pub use value::Value;

use crate::action_set::check_count;
use crate::{LogError, SchemaError, SchemaMismatch};
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The columns of the contexts, the labels that have a coordinate, and the names of the actions: the coding
/// of a log.
///
/// Two logs of the same shape may mean different things by the same number, as where labels are numbered in
/// the order in which they appear. A log that was read carries its schema, what is trained on it carries it
/// on, and both are compared where they meet: see [`check_same`](Self::check_same). A log or a policy that
/// was made of bare numbers has no schema.
///
/// *Shapes:* a column of numbers or dates is one coordinate, and one more where values may be missing; a
/// column of labels is one coordinate a label; in the order of the columns. *Cost:* a copy shares its
/// contents.
///
/// ```
/// use off_policy::{ActionNames, ContextColumn, Schema};
/// let number = |name: &str| ContextColumn::Number { name: name.into() };
/// let labels = vec!["phone".into(), "tablet".into()];
/// let device = ContextColumn::Labels { name: "device".into(), labels };
/// let actions = ActionNames::Labels(vec!["music".into(), "travel".into()]);
/// let schema = Schema::new(vec![number("age"), device], actions)?;
/// assert_eq!((schema.inputs(), schema.actions()), (3, 2));
/// assert_eq!(schema.feature_names(), ["age", "device=phone", "device=tablet"]);
///
/// // One record, by name.
/// let x = schema.encode([("device", "tablet".into()), ("age", 41.0.into())])?;
/// assert_eq!(x.row().to_dense(), [41.0, 0.0, 1.0]);
/// let refused = schema.encode([("device", "tablet".into())]);
/// assert_eq!(refused.map_err(|e| e.to_string()).err(), Some("there is no value for column \"age\"".into()));
/// # Ok::<(), off_policy::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Schema(Arc<Parts>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Parts {
    contexts: Vec<ContextColumn>,
    actions: ActionNames,
}

/// A column of a table of contexts.
///
/// ```
/// use off_policy::{ActionNames, ContextColumn, Schema, Value};
/// let age = ContextColumn::NumberOrMissing { name: "age".into() };
/// let since = ContextColumn::Date { name: "since".into() };
/// let schema = Schema::new(vec![age, since], ActionNames::Numbered(2))?;
/// assert_eq!(schema.feature_names(), ["age", "age is missing", "since"]);
/// let x = schema.encode([("age", Value::Missing), ("since", "1970-01-02T12:00:00Z".into())])?;
/// assert_eq!(x.row().to_dense(), [0.0, 1.0, 1.5]);
/// # Ok::<(), off_policy::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextColumn {
    /// A number, as it is: one coordinate.
    Number {
        /// The name of the column.
        name: String,
    },
    /// A number that some rows lack: two coordinates. Where it is missing, the first is 0 and the second,
    /// `age is missing`, is 1.
    NumberOrMissing {
        /// The name of the column.
        name: String,
    },
    /// A date or a time: one coordinate, the [days since 1970](crate::dates::days_since_1970).
    Date {
        /// The name of the column.
        name: String,
    },
    /// A date or a time that some rows lack: two coordinates, as of a number.
    DateOrMissing {
        /// The name of the column.
        name: String,
    },
    /// A label: one coordinate a label, 1 where it stands and 0 elsewhere. Another label is 0 in all of them;
    /// one that differs by the [spelling of a truth value](spellings_of_truth) is none.
    Labels {
        /// The name of the column.
        name: String,
        /// Its labels, each once.
        labels: Vec<String>,
    },
}

/// What the actions are called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionNames {
    /// So many actions, by their numbers from 0 on.
    Numbered(usize),
    /// These, each once; the first is action 0.
    Labels(Vec<String>),
}

/// One context that was made of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedRecord {
    contexts: RowMatrix,
    /// The columns with a label outside the schema; their coordinates are 0.
    pub unknown_labels: Vec<String>,
}

impl Schema {
    /// Columns and actions.
    ///
    /// # Errors
    /// [`SchemaError::NoCoordinates`]; [`SchemaError::DuplicateColumn`], [`SchemaError::DuplicateLabel`],
    /// [`SchemaError::DuplicateAction`]; [`SchemaError::Actions`] for no action or more than 2²⁴;
    /// [`SchemaError::TooManyCoordinates`] beyond 2³² − 1.
    pub fn new(contexts: Vec<ContextColumn>, actions: ActionNames) -> Result<Self, SchemaError> {
        Parts { contexts, actions }.try_into()
    }

    /// The columns of the contexts.
    #[must_use]
    pub fn contexts(&self) -> &[ContextColumn] {
        &self.0.contexts
    }

    /// What the actions are called.
    #[must_use]
    pub fn action_names(&self) -> &ActionNames {
        &self.0.actions
    }

    /// m, the number of coordinates of a context.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.0.contexts.iter().map(ContextColumn::width).sum()
    }

    /// |A|.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.0.actions.count()
    }

    /// The names of the coordinates; `country=Chad` is that of a label.
    #[must_use]
    pub fn feature_names(&self) -> Vec<String> {
        self.features().map(Feature::shown).collect()
    }

    fn features(&self) -> impl Iterator<Item = Feature<'_>> {
        self.0.contexts.iter().flat_map(|column| {
            let name = column.name();
            let labels = match column {
                ContextColumn::Labels { labels, .. } => Some(labels),
                _ => None,
            };
            let kind = if column.is_date() { Kind::Date } else { Kind::Number };
            let number = labels.is_none().then_some(Feature { column: name, kind });
            let missing = column.may_be_missing().then_some(Feature { column: name, kind: Kind::IsMissing });
            let of_labels = labels.into_iter().flatten();
            let of_labels = of_labels.map(move |label| Feature { column: name, kind: Kind::Label(label) });
            number.into_iter().chain(missing).chain(of_labels)
        })
    }

    /// The coordinates of numbers and dates that may be missing, each with its *indicator*: the coordinate
    /// behind it, which is 1 where the value is missing. Samples take them, as
    /// `BinnedContexts::with_indicators` of the crate `weak-learners`.
    ///
    /// ```
    /// use off_policy::{ActionNames, ContextColumn, Schema};
    /// let age = ContextColumn::NumberOrMissing { name: "age".into() };
    /// let since = ContextColumn::DateOrMissing { name: "since".into() };
    /// let size = ContextColumn::Number { name: "size".into() };
    /// let schema = Schema::new(vec![age, size, since], ActionNames::Numbered(2))?;
    /// assert_eq!(schema.indicators(), [(0, 1), (3, 4)]);
    /// # Ok::<(), off_policy::SchemaError>(())
    /// ```
    #[must_use]
    pub fn indicators(&self) -> Vec<(usize, usize)> {
        let mut first = 0;
        let pair = |column: &ContextColumn| {
            let own = first;
            first += column.width();
            column.may_be_missing().then_some((own, own + 1))
        };
        self.0.contexts.iter().filter_map(pair).collect()
    }

    /// What an action is called; `None` for one that is not there.
    #[must_use]
    pub fn action_name(&self, action: usize) -> Option<Cow<'_, str>> {
        match &self.0.actions {
            ActionNames::Numbered(count) => (action < *count).then(|| action.to_string().into()),
            ActionNames::Labels(labels) => Some(labels.get(action)?.into()),
        }
    }

    /// Refuses another coding: coordinates or actions of another number or of other names, in their order.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_same(&self, other: &Self) -> Result<(), SchemaMismatch> {
        if Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0 {
            return Ok(());
        }
        let (expected, found) = (self.inputs(), other.inputs());
        if expected != found {
            return Err(SchemaMismatch::Coordinates { expected, found });
        }
        for (coordinate, (expected, found)) in self.features().zip(other.features()).enumerate() {
            if expected != found {
                let (expected, found) = (expected.described(), found.described());
                return Err(SchemaMismatch::Coordinate { coordinate, expected, found });
            }
        }
        let (expected, found) = (self.actions(), other.actions());
        if expected != found {
            return Err(SchemaMismatch::Actions { expected, found });
        }
        let are_numbered = [self, other].map(|schema| matches!(schema.0.actions, ActionNames::Numbered(_)));
        let named = if are_numbered == [true; 2] { 0 } else { expected };
        for action in 0..named {
            if let (Some(expected), Some(found)) = (self.action_name(action), other.action_name(action))
                && expected != found
            {
                let (expected, found) = (expected.into_owned(), found.into_owned());
                return Err(SchemaMismatch::Action { action, expected, found });
            }
        }
        Ok(())
    }

    /// The context of one record: a value for every column of the contexts, in any order. Values of other
    /// names are left out, as other columns of a table are.
    ///
    /// *Cost:* O(columns · log columns + labels of the columns of labels).
    ///
    /// # Errors
    /// [`SchemaError::MissingValue`], also for a value that may not be missing;
    /// [`SchemaError::DuplicateValue`]; [`SchemaError::NotANumber`] in a column of numbers and
    /// [`SchemaError::NotADate`] in a column of dates.
    pub fn encode<'a>(
        &self,
        record: impl IntoIterator<Item = (&'a str, Value<'a>)>,
    ) -> Result<EncodedRecord, SchemaError> {
        let known: BTreeSet<&str> = self.0.contexts.iter().map(ContextColumn::name).collect();
        let mut values = BTreeMap::new();
        for (name, value) in record {
            if known.contains(name.trim()) && values.insert(name.trim(), value).is_some() {
                return Err(SchemaError::DuplicateValue { column: name.to_owned() });
            }
        }
        let (mut indices, mut entries, mut unknown_labels) = (Vec::new(), Vec::new(), Vec::new());
        let mut coordinate = 0_u32;
        for column in &self.0.contexts {
            let name = column.name();
            let missing = || SchemaError::MissingValue { column: name.to_owned() };
            let value = values.get(name).ok_or_else(missing)?;
            let entry = match column {
                _ if value.is_missing() && column.may_be_missing() => Some((1, 1.0)),
                ContextColumn::Number { .. } | ContextColumn::NumberOrMissing { .. } => {
                    Some((0, value.number(name)?)).filter(|(_, x)| *x != 0.0)
                }
                ContextColumn::Date { .. } | ContextColumn::DateOrMissing { .. } => {
                    Some((0, value.date(name)?)).filter(|(_, x)| *x != 0.0)
                }
                ContextColumn::Labels { labels, .. } => {
                    let written = value.label();
                    let find = |text: &str| (0_u32..).zip(labels).find(|(_, label)| **label == *text);
                    let other = || spellings_of_truth(&written).iter().find_map(|text| find(text));
                    let place = find(&written).or_else(other);
                    if place.is_none() {
                        unknown_labels.push(name.to_owned());
                    }
                    place.map(|(k, _)| (k, 1.0))
                }
            };
            if let Some((offset, x)) = entry {
                indices.push(coordinate.saturating_add(offset));
                entries.push(x);
            }
            coordinate = coordinate.saturating_add(u32::try_from(column.width()).unwrap_or(u32::MAX));
        }
        let stored = entries.len();
        let contexts = RowMatrix::sparse(self.inputs(), vec![0, stored], indices, entries)?;
        Ok(EncodedRecord { contexts, unknown_labels })
    }
}

/// How else a truth value is written: Arrow has `true`, Python `True`, spreadsheets have `TRUE`. Nothing for
/// any other text.
///
/// ```
/// assert_eq!(off_policy::spellings_of_truth("True"), ["true", "True", "TRUE"]);
/// assert!(off_policy::spellings_of_truth("yes").is_empty());
/// ```
#[must_use]
pub fn spellings_of_truth(text: &str) -> &'static [&'static str] {
    match text {
        "true" | "True" | "TRUE" => &["true", "True", "TRUE"],
        "false" | "False" | "FALSE" => &["false", "False", "FALSE"],
        _ => &[],
    }
}

/// A coordinate of a context.
#[derive(PartialEq)]
struct Feature<'a> {
    column: &'a str,
    kind: Kind<'a>,
}

/// What a coordinate says of its column.
#[derive(PartialEq)]
enum Kind<'a> {
    Number,
    Date,
    IsMissing,
    Label(&'a str),
}

impl Feature<'_> {
    /// The name, and that it counts days, for a message.
    fn described(self) -> String {
        let is_date = self.kind == Kind::Date;
        self.shown() + if is_date { " (days since 1970)" } else { "" }
    }

    fn shown(self) -> String {
        match self.kind {
            Kind::Number | Kind::Date => self.column.to_owned(),
            Kind::IsMissing => format!("{} is missing", self.column),
            Kind::Label(label) => format!("{}={label}", self.column),
        }
    }
}

impl EncodedRecord {
    /// x.
    #[must_use]
    pub fn row(&self) -> Row<'_> {
        // The matrix was made with one row.
        self.contexts.row(0).unwrap_or_else(|| unreachable!("a record is one row"))
    }
}

impl ContextColumn {
    /// The name of the column.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name }
            | Self::NumberOrMissing { name }
            | Self::Date { name }
            | Self::DateOrMissing { name }
            | Self::Labels { name, .. } => name,
        }
    }

    /// Whether it has a coordinate that says that the number or the date is missing.
    #[must_use]
    pub fn may_be_missing(&self) -> bool {
        matches!(self, Self::NumberOrMissing { .. } | Self::DateOrMissing { .. })
    }

    /// Whether it holds dates, which its coordinate counts in days.
    #[must_use]
    pub fn is_date(&self) -> bool {
        matches!(self, Self::Date { .. } | Self::DateOrMissing { .. })
    }

    /// How many coordinates it has.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Date { .. } => 1,
            Self::NumberOrMissing { .. } | Self::DateOrMissing { .. } => 2,
            Self::Labels { labels, .. } => labels.len(),
        }
    }
}

impl ActionNames {
    /// |A|.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Numbered(count) => *count,
            Self::Labels(labels) => labels.len(),
        }
    }
}

/// Between 1 and 2³² − 1, the coordinates that a sparse row can number.
fn check_coordinates(coordinates: usize) -> Result<(), SchemaError> {
    match u32::try_from(coordinates) {
        Ok(0) => Err(SchemaError::NoCoordinates),
        Ok(_) => Ok(()),
        Err(_) => Err(SchemaError::TooManyCoordinates { coordinates }),
    }
}

/// The first text that is there twice.
fn duplicate<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    texts.into_iter().find(|text| !seen.insert(*text))
}

impl From<Schema> for Parts {
    fn from(schema: Schema) -> Self {
        Arc::unwrap_or_clone(schema.0)
    }
}

impl TryFrom<Parts> for Schema {
    type Error = SchemaError;

    fn try_from(mut parts: Parts) -> Result<Self, SchemaError> {
        // White space around a name or a cell of a table is not part of it.
        for column in &mut parts.contexts {
            match column {
                ContextColumn::Number { name }
                | ContextColumn::NumberOrMissing { name }
                | ContextColumn::Date { name }
                | ContextColumn::DateOrMissing { name } => trim(name),
                ContextColumn::Labels { name, labels } => {
                    trim(name);
                    labels.iter_mut().for_each(trim);
                }
            }
        }
        if let ActionNames::Labels(labels) = &mut parts.actions {
            labels.iter_mut().for_each(trim);
        }
        check_coordinates(parts.contexts.iter().map(ContextColumn::width).sum())?;
        if let Some(name) = duplicate(parts.contexts.iter().map(ContextColumn::name)) {
            return Err(SchemaError::DuplicateColumn { column: name.to_owned() });
        }
        for column in &parts.contexts {
            if let ContextColumn::Labels { name, labels } = column
                && let Some(label) = duplicate(labels.iter().map(String::as_str))
            {
                let (column, label) = (name.clone(), label.to_owned());
                return Err(SchemaError::DuplicateLabel { column, label });
            }
        }
        check_count(parts.actions.count()).map_err(|error| match error {
            LogError::TooManyActions { actions, .. } => SchemaError::Actions { actions },
            _ => SchemaError::Actions { actions: 0 },
        })?;
        if let ActionNames::Labels(labels) = &parts.actions
            && let Some(action) = duplicate(labels.iter().map(String::as_str))
        {
            return Err(SchemaError::DuplicateAction { action: action.to_owned() });
        }
        Ok(Self(Arc::new(parts)))
    }
}

fn trim(text: &mut String) {
    if text.trim().len() < text.len() {
        *text = text.trim().to_owned();
    }
}
