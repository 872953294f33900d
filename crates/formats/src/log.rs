//! Logs: contexts, actions, propensities and rewards.

use crate::FormatError;
use crate::actions::Actions;
use crate::columns::{Dictionary, date_or_number, number};
use crate::error::Place;
use crate::facts::{Progress, ReadFacts, ReadFile, SkipCounts};
use crate::layout::Layout;
use crate::options::{Format, LogOptions, MissingPropensities, RowWeights};
use crate::pass::{Files, Sources};
use crate::readers::{Absent, ColumnNames, Wanted};
use crate::record::{Cell, Record};
use crate::roles::{Role, Roles};
use crate::source::Source;
use off_policy::{ActionNames, ActionSets, Log, Rewards, Schema};
use rows::RowMatrix;
use std::ops::ControlFlow;

/// A log that was read.
///
/// *Shapes:* n rows each; actions in 0, …, |A|−1, propensities in (0, 1], rewards finite.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadLog {
    /// x_1, …; dense where no column holds labels and at least half of the cells are not 0.
    pub contexts: RowMatrix,
    /// What the numbers stand for.
    pub schema: Schema,
    /// a_1, …
    pub actions: Vec<u32>,
    /// p_1, …; `None` where the file has none.
    pub propensities: Option<Vec<f64>>,
    /// r_1, …; of a file with costs, −cost.
    pub rewards: Vec<f64>,
    /// The actions on offer, where not every action was in every row.
    pub on_offer: Option<ActionSets>,
    /// What orders the rows, where a column was named: its numbers, or the days since 1970.
    pub time: Option<Vec<f64>>,
    /// The labels of the column that splits the rows, where one was named.
    pub split: Option<RowLabels>,
    /// The weights of the rows, where they differ: 1/(1 − pdrop) of a file that was thinned.
    pub weights: Option<Vec<f64>>,
    /// What else was found.
    pub facts: ReadFacts,
    /// The files that were read.
    pub files: Vec<ReadFile>,
}

/// A label a row, of a column that is none of the contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowLabels {
    /// The labels in an order that does not depend on that of the rows; a missing one is the empty one.
    pub labels: Vec<String>,
    /// The place of each row's label among them.
    pub codes: Vec<u32>,
}

impl RowLabels {
    pub(crate) fn of((mut codes, labels): (Vec<u32>, Dictionary)) -> Self {
        let (labels, places) = labels.sorted();
        codes.iter_mut().for_each(|code| *code = places.get(*code as usize).copied().unwrap_or_default());
        Self { labels, codes }
    }
}

impl ReadLog {
    /// The log, with its schema and the actions on offer.
    ///
    /// # Errors
    /// [`FormatError::NoPropensities`]; [`FormatError::Weights`] where rows have different weights.
    pub fn into_log(self) -> Result<Log, FormatError> {
        if self.weights.is_some() {
            return Err(FormatError::Weights);
        }
        let propensities = self.propensities.ok_or(FormatError::NoPropensities)?;
        let actions = self.schema.actions();
        let mut log = Log::new(self.contexts, actions, self.actions, propensities, Rewards(self.rewards))?;
        if let Some(sets) = self.on_offer {
            log = log.with_action_sets(sets)?;
        }
        Ok(log.with_schema(self.schema)?)
    }
}

/// Reads a log. What its columns hold is inferred of all rows: numbers, dates or labels, and which values are
/// missing.
///
/// A column of numbers is one coordinate, and one more where numbers are missing. A cell is missing where it
/// is empty or null, and in a column of numbers or dates also where it is NaN, NA or the like. A column of
/// dates counts days since 1970. A column of labels is one coordinate a label; a missing label is the empty
/// one. Labels and actions are sorted, so that the order of the rows does not matter. A column with more
/// labels than [`most_labels`](LogOptions::most_labels) is left out, with a note. In CSV a text that looks
/// like a number is one; the other formats have numbers besides texts, and their texts are labels.
///
/// *Cost:* one pass. Until the end of the file a number takes 12 bytes (8 once its column has too many values
/// to be labels) and a label 4; then the log is made of them, 8 bytes a number in a dense log and 12 a value
/// that is not 0 in a sparse one.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_log};
/// let text = "age,device,since,shown,p,price\n4,phone,2026-01-31,news,0.5,1\n,tablet,2026-02-01,tv,1,0\n";
/// let options = LogOptions::default().action("shown").propensity("p").cost("price");
/// let read = read_log(Source::bytes("log.csv", text), &options, &mut quiet)?;
/// assert_eq!(
///     read.schema.feature_names(),
///     ["age", "age is missing", "device=phone", "device=tablet", "since"],
/// );
/// assert_eq!((read.facts.missing["age"], &read.rewards[..]), (1, &[-1.0, 0.0][..]));
/// assert_eq!(read.into_log()?.len(), 2);
///
/// let refused = read_log(Source::bytes("log.csv", text), &LogOptions::default(), &mut quiet);
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     "log.csv: there is no column \"action\"; there are \"age\", \"device\", \"since\", \"shown\", \"p\", \
///      \"price\"",
/// );
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// [`FormatError`] says which; every message names the file, and the line where there are lines.
pub fn read_log(
    source: Source,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    read(&mut std::iter::once(Ok(source)), None, options, progress)
}

/// Reads a log that lies in several files, as if they were one: what a column holds is inferred of all rows.
///
/// The files have the same columns, in any order; formats may differ, but for those of decisions. A file is
/// opened when the one before it has been read. Messages name the file.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_logs};
/// let monday = Source::bytes("mo.csv", "age,action,propensity,reward\n41,news,0.5,1\n");
/// let tuesday = Source::bytes("tu.csv", "reward,action,propensity,age\n0,sport,0.25,7\n1,news,2,8\n");
/// let refused = read_logs([Ok(monday), Ok(tuesday)], &LogOptions::default(), &mut quiet);
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     "tu.csv, line 3, column \"propensity\": \"2\" is not a propensity in (0, 1]",
/// );
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_log`]; [`FormatError::NoFile`], [`FormatError::OtherFormat`], and
/// [`FormatError::ColumnOfFirst`] or [`FormatError::ColumnNotOfFirst`] for a file with other columns than the
/// first.
pub fn read_logs(
    sources: impl IntoIterator<Item = Result<Source, FormatError>>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    read(&mut sources.into_iter(), None, options, progress)
}

/// Reads a log by the columns, labels and actions of a schema, such as that of a model which is to be judged.
///
/// Columns may come in any order, and others may be there. A label outside the schema is 0 in all coordinates
/// and counted.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_log, read_log_coded};
/// let first = "age,device,action,propensity,reward\n41,phone,news,0.5,1\n7,tablet,sport,0.25,0\n";
/// let options = LogOptions::default();
/// let first = read_log(Source::bytes("first.csv", first), &options, &mut quiet)?;
/// let second = "reward,action,propensity,device,age\n1,sport,0.5,watch,20\n";
/// let second = read_log_coded(Source::bytes("second.csv", second), &first.schema, &options, &mut quiet)?;
/// assert_eq!((&second.schema, second.facts.unknown_labels["device"]), (&first.schema, 1));
/// assert_eq!(second.contexts.row(0).map(|x| x.to_dense()), Some(vec![20.0, 0.0, 0.0]));
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_log`]; [`FormatError::MissingColumn`], [`FormatError::UnknownAction`] with the line, and
/// [`FormatError::MissingCell`] for a missing number in a column that had none when the model was learnt.
pub fn read_log_coded(
    source: Source,
    schema: &Schema,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    read(&mut std::iter::once(Ok(source)), Some(schema), options, progress)
}

fn read(
    sources: Sources<'_>,
    schema: Option<&Schema>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    let mut files = Files::open(sources, options, progress, Wanted::Decisions)?;
    let (file, format) = (files.name().clone(), files.format());
    let is_event = files.absent() == Absent::Zero;
    let roles = match is_event {
        true => Roles::of_events(file.clone(), options)?,
        false => Roles::of_log(file.clone(), options, format)?,
    };
    let known_items = items(&files);
    let names = schema.map(Schema::action_names).or(known_items.as_ref());
    let action_column = if is_event { "the action" } else { roles.name(Role::Action) }.to_owned();
    let actions = Actions::new(file.clone(), &action_column, options.separator, names);
    let columns = Layout::new(&files, roles, schema, options.most_labels);
    let mut rows = Rows {
        options,
        columns,
        actions,
        propensities: Vec::new(),
        without: None,
        rewards: Vec::new(),
        time: Vec::new(),
        split: (Vec::new(), Dictionary::default()),
        weights: Vec::new(),
        skips: SkipCounts::default(),
    };
    rows.columns.extend(files.columns());
    if !is_event {
        rows.columns.check_header(&files)?;
    }
    files.for_each(progress, |record, names| rows.push(record, names))?;
    let (mut facts, of_files) = files.facts();
    facts.skipped.extend(rows.skips.list());
    if rows.rewards.is_empty() {
        return Err(FormatError::NoRows { file, skipped: facts.skipped });
    }
    facts.rows = rows.rewards.len() as u64;
    match is_event {
        true => rows.columns.roles.check_events(files.columns())?,
        false => rows.columns.roles.check(files.columns())?,
    }
    if is_event || rows.columns.roles.is_cost {
        facts.notes.push("the file has costs: the reward is −cost".into());
    }
    let propensities = rows.propensities(&mut facts)?;
    let weights = weights_where_they_differ(std::mem::take(&mut rows.weights), options, &mut facts);
    let (actions, on_offer, names) = rows.actions.finish(&mut facts.notes)?;
    if let ([only], None) = (&names[..], schema) {
        return Err(FormatError::OneAction { file, column: action_column, action: only.clone() });
    }
    let (contexts, inferred) = rows.columns.finish(files.columns(), &mut facts)?;
    let schema = match (schema, inferred) {
        (Some(schema), _) => schema.clone(),
        (None, columns) => Schema::new(columns.unwrap_or_default(), ActionNames::Labels(names))?,
    };
    let time = (!rows.time.is_empty()).then_some(rows.time);
    let split = options.split.is_some().then(|| RowLabels::of(rows.split));
    Ok(ReadLog {
        contexts,
        schema,
        actions,
        propensities,
        rewards: rows.rewards,
        on_offer,
        time,
        split,
        weights,
        facts,
        files: of_files,
    })
}

/// The items of the Open Bandit Dataset: there is a column of affinities for each.
fn items(files: &Files<'_>) -> Option<ActionNames> {
    let is_item = |name: &String| name.starts_with("user-item_affinity_");
    let count = files.columns().all().iter().filter(|name| is_item(name)).count();
    let names = (0..count).map(|item| item.to_string()).collect();
    (files.format() == Format::OpenBandit && count > 0).then_some(ActionNames::Labels(names))
}

/// The rows read so far.
struct Rows<'a> {
    options: &'a LogOptions,
    columns: Layout,
    actions: Actions,
    /// NaN where there is none.
    propensities: Vec<f64>,
    /// The first row without one.
    without: Option<Place>,
    rewards: Vec<f64>,
    time: Vec<f64>,
    split: (Vec<u32>, Dictionary),
    weights: Vec<f64>,
    skips: SkipCounts,
}

impl Rows<'_> {
    fn push(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        self.columns.extend(names);
        let Some(decision) = record.decision else { return self.push_cells(record, names) };
        if decision.cost.is_none() {
            self.skips.add("decisions without a label");
            return Ok(());
        }
        let propensity = record.propensity(&decision)?;
        if propensity.is_none() && self.options.missing_propensities == MissingPropensities::Skip {
            self.skips.add("rows without a propensity");
            return Ok(());
        }
        self.actions.push_offered(record, decision.offered)?;
        self.time(record, names)?;
        self.split(record);
        self.keep_propensity(record, propensity);
        // 0 − c and not −c, so that a cost of 0 is a reward of 0 and not of −0.
        self.rewards.push(0.0 - decision.cost.unwrap_or_default());
        self.weights.push(decision.weight);
        self.columns.push(record, names)
    }

    fn push_cells(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        let propensity = match self.columns.cell(record, Role::Propensity) {
            None => None,
            Some(cell) => match number(record, cell) {
                Ok(None) => None,
                Ok(Some(p)) if p > 0.0 && p <= 1.0 => Some(p),
                _ => return Err(self.bad(record, Role::Propensity, cell, "a propensity in (0, 1]")),
            },
        };
        let has_column = names.find(self.columns.roles.name(Role::Propensity)).is_some();
        if propensity.is_none()
            && has_column
            && self.options.missing_propensities == MissingPropensities::Skip
        {
            self.skips.add("rows without a propensity");
            return Ok(());
        }
        let outcome = self.needed(record, names, Role::Outcome)?;
        let outcome = match number(record, outcome) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => return Err(self.empty(record, Role::Outcome)),
            Err(()) => {
                let expected = "a finite number up to 1e140 in magnitude";
                return Err(self.bad(record, Role::Outcome, outcome, expected));
            }
        };
        let action = self.needed(record, names, Role::Action)?;
        let available = match self.columns.roles.name(Role::Available) {
            "" => None,
            _ => Some(self.needed(record, names, Role::Available)?),
        };
        self.actions.push_cells(record, Some(action), available)?;
        self.time(record, names)?;
        self.split(record);
        self.keep_propensity(record, propensity);
        // −0 is 0.
        self.rewards.push(if self.columns.roles.is_cost { 0.0 - outcome } else { outcome + 0.0 });
        self.columns.push(record, names)
    }

    fn time(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        let name = self.columns.roles.name(Role::Time);
        // The time of the Open Bandit Dataset is not asked for by the caller, and may be missing.
        if name.is_empty() || (self.options.time.is_none() && names.find(name).is_none()) {
            return Ok(());
        }
        let cell = self.needed(record, names, Role::Time)?;
        match date_or_number(record, cell) {
            Ok(Some(time)) => self.time.push(time + 0.0),
            Ok(None) => return Err(self.empty(record, Role::Time)),
            Err(()) => return Err(self.bad(record, Role::Time, cell, "a date or a number")),
        }
        Ok(())
    }

    fn keep_propensity(&mut self, record: &Record, propensity: Option<f64>) {
        if propensity.is_none() && self.without.is_none() {
            self.without = Some(record.place());
        }
        self.propensities.push(propensity.unwrap_or(f64::NAN));
    }

    /// The cell of a role that every row must have.
    fn needed(&self, record: &Record, names: &ColumnNames, role: Role) -> Result<Cell, FormatError> {
        match self.columns.cell(record, role) {
            Some(cell) if cell != Cell::Missing => Ok(cell),
            _ => {
                // A column that no line had so far is one that is not there.
                self.columns.roles.check(names).or_else(|error| match error {
                    FormatError::MissingColumn { ref column, .. }
                        if column != self.columns.roles.name(role) =>
                    {
                        Ok(())
                    }
                    error => Err(error),
                })?;
                Err(self.empty(record, role))
            }
        }
    }

    fn empty(&self, record: &Record, role: Role) -> FormatError {
        let column = self.columns.roles.name(role).to_owned();
        FormatError::MissingCell { place: record.place(), column, hint: "" }
    }

    fn bad(&self, record: &Record, role: Role, cell: Cell, expected: &'static str) -> FormatError {
        let (mut buffer, column) = (String::new(), self.columns.roles.name(role).to_owned());
        let value = record.written(cell, &mut buffer).to_owned();
        FormatError::BadCell { place: record.place(), column, value, expected }
    }

    /// The label by which the row is split; a missing one is the empty one.
    fn split(&mut self, record: &Record) {
        if self.options.split.is_some() {
            let (codes, labels) = &mut self.split;
            let mut buffer = String::new();
            let cell = self.columns.cell(record, Role::Split).unwrap_or(Cell::Missing);
            codes.push(labels.number(record.written(cell, &mut buffer)));
        }
    }

    /// All propensities, or none.
    fn propensities(&mut self, facts: &mut ReadFacts) -> Result<Option<Vec<f64>>, FormatError> {
        let Some(first) = self.without.take() else {
            return Ok(Some(std::mem::take(&mut self.propensities)));
        };
        if self.propensities.iter().all(|p| p.is_nan()) && self.options.propensity.is_none() {
            facts.notes.push("the file has no propensities".into());
            return Ok(None);
        }
        let column = match self.columns.roles.name(Role::Propensity) {
            "" => "the probability".to_owned(),
            name => name.to_owned(),
        };
        let hint = ", and other rows have a propensity; leave such rows out or add them";
        Err(FormatError::MissingCell { place: first, column, hint })
    }
}

/// The weights, where they differ.
pub(crate) fn weights_where_they_differ(
    weights: Vec<f64>,
    options: &LogOptions,
    facts: &mut ReadFacts,
) -> Option<Vec<f64>> {
    let first = *weights.first()?;
    if weights.iter().all(|weight| *weight == first) {
        if first != 1.0 {
            facts.notes.push(format!("every row has the weight {first} (from pdrop), which changes no mean"));
        }
        return None;
    }
    if options.weights == RowWeights::Drop {
        facts.notes.push("the weights of the rows (from pdrop) are left out: every row counts once".into());
        return None;
    }
    facts.notes.push("the rows have different weights (from pdrop)".into());
    Some(weights)
}
