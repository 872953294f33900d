//! Logs: contexts, actions, propensities and rewards.

use crate::FormatError;
use crate::actions::Actions;
use crate::agreement::{Agreement, gathered};
use crate::alignment::{Moved, PerRow, align};
use crate::columns::{Cells, Dictionary, date_or_number, number};
use crate::error::{Place, Seen};
use crate::facts::{Progress, ReadFacts, ReadFile, SkipCounts, Skipped};
use crate::layout::Layout;
use crate::options::{Format, LogOptions, MissingPropensities, RowWeights};
use crate::parts;
use crate::pass::{Files, Sources};
use crate::readers::{Absent, ColumnNames, Wanted};
use crate::record::{Cell, Record};
use crate::roles::{Role, Roles};
use crate::source::Source;
use off_policy::{ActionNames, ActionSets, Log, Rewards, Schema};
use ranks::Ranks;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};
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
    read_alone(&mut std::iter::once(Ok(source)), None, options, progress)
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
    read_alone(&mut sources.into_iter(), None, options, progress)
}

/// Reads the part of a log that is this rank's: the rows of the ranks, one behind the other, are those that
/// [`read_logs`] reads in one process, to the bit, and what is inferred is inferred of all rows.
///
/// Every rank calls it with the same files. A rank reads a run of them; of a Parquet file it may read a run
/// of row groups. Runs are of about as many rows each where all files are of Parquet, and of as many bytes
/// otherwise; a rank may have none. Then rows change their rank, so that those of every rank begin at a
/// multiple of [`Shard::BLOCK`](ranks::Shard::BLOCK): about half a block for every two ranks, and what is
/// behind the last block goes to the last rank. The schema, the facts and the list of files are those of all
/// rows, on every rank. With [`Ranks::alone`] this is [`read_logs`].
///
/// *Cost:* that of reading the part. Between the ranks go the names of the columns, the labels and the
/// actions, and the rows that change their rank. One rank hashes a file of which several read row groups.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_logs_of_rank};
/// use std::time::Duration;
/// let monday = "age,device,action,propensity,reward\n41,phone,news,0.5,1\n";
/// let tuesday = "age,device,action,propensity,reward\n,tablet,sport,0.25,0\n";
/// let logs = ranks::on_threads(2, Duration::from_secs(60), |ranks| {
///     let files = [Source::bytes("mo.csv", monday), Source::bytes("tu.csv", tuesday)];
///     read_logs_of_rank(files.map(Ok), &LogOptions::default(), &mut quiet, &ranks)
/// });
/// let logs: Vec<_> = logs.into_iter().flatten().collect::<Result<_, _>>()?;
/// let names = ["age", "age is missing", "device=phone", "device=tablet"];
/// assert!(logs.iter().all(|log| log.schema.feature_names() == names && log.facts.rows == 2));
/// // Two rows are less than a block.
/// assert_eq!((logs[0].rewards.len(), &logs[1].rewards[..]), (0, &[1.0, 0.0][..]));
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_logs`]; [`FormatError::StreamOfRanks`]; [`FormatError::Ranks`]. An error that one rank meets
/// ends the reading of all: the others return [`FormatError::OtherRank`] with what it says.
pub fn read_logs_of_rank(
    sources: impl IntoIterator<Item = Result<Source, FormatError>>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ranks: &Ranks,
) -> Result<ReadLog, FormatError> {
    if !ranks.are_several() {
        return read_logs(sources, options, progress);
    }
    let parts = parts::of_rank(sources, options, ranks)?;
    let agreement = Agreement::new(ranks);
    let files = Files::of_rank(parts, options, progress, Wanted::Decisions);
    let read = files.and_then(|files| records(files, None, options, progress, &agreement));
    agreement.end(read)?.finish(None, ranks)
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
    read_alone(&mut std::iter::once(Ok(source)), Some(schema), options, progress)
}

fn read_alone(
    sources: Sources<'_>,
    schema: Option<&Schema>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadLog, FormatError> {
    let (files, ranks) = (Files::open(sources, options, progress, Wanted::Decisions)?, Ranks::alone());
    records(files, schema, options, progress, &Agreement::new(&ranks))?.finish(schema, &ranks)
}

/// Reads all records.
fn records<'a>(
    mut files: Files<'a>,
    schema: Option<&Schema>,
    options: &'a LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    agreement: &Agreement<'_>,
) -> Result<Records<'a>, FormatError> {
    let (file, format) = (files.name().clone(), files.format());
    let is_event = files.absent() == Absent::Zero;
    let roles = match is_event {
        true => Roles::of_events(file.clone(), options)?,
        false => Roles::of_log(file.clone(), options, format)?,
    };
    let known_items = items(&files);
    let names = schema.map(Schema::action_names).or(known_items.as_ref());
    let action_column = if is_event { "the action" } else { roles.name(Role::Action) }.to_owned();
    let actions = Actions::new(file, &action_column, options.separator, names);
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
    files.for_each(progress, |record, names| {
        agreement.record()?;
        rows.push(record, names)
    })?;
    Ok(Records { files, rows, is_event, action_column })
}

/// The records that this rank has read, and what they are of.
struct Records<'a> {
    files: Files<'a>,
    rows: Rows<'a>,
    is_event: bool,
    action_column: String,
}

/// What is known of the rows of a rank besides their columns.
#[derive(Serialize, Deserialize)]
struct OfRows {
    rows: u64,
    skipped: Vec<Skipped>,
    /// The first row without a propensity.
    without: Option<Seen>,
    has_propensity: bool,
    has_time: bool,
    weights: Weights,
}

impl OfRows {
    /// That of all ranks.
    fn gathered(self, ranks: &Ranks) -> Result<Self, FormatError> {
        let none = Weights { first: None, are_same: true };
        let (rows, skipped, without, weights) = (0, Vec::new(), None, none);
        let mut all = Self { rows, skipped, without, has_propensity: false, has_time: false, weights };
        for next in gathered(ranks, self)? {
            all.rows += next.rows;
            all.skipped.extend(next.skipped);
            all.without = all.without.or(next.without);
            all.has_propensity |= next.has_propensity;
            all.has_time |= next.has_time;
            all.weights = all.weights.and(next.weights);
        }
        all.skipped = SkipCounts::added(all.skipped);
        Ok(all)
    }
}

impl Records<'_> {
    /// The log, of what all ranks have read.
    fn finish(self, schema: Option<&Schema>, ranks: &Ranks) -> Result<ReadLog, FormatError> {
        let Self { mut files, mut rows, is_event, action_column } = self;
        let (file, options) = (files.name().clone(), rows.options);
        files.merge(ranks)?;
        let all = rows.facts().gathered(ranks)?;
        let (mut facts, of_files) = files.facts();
        facts.skipped.extend(all.skipped);
        if all.rows == 0 {
            return Err(FormatError::NoRows { file, skipped: facts.skipped });
        }
        facts.rows = all.rows;
        match is_event {
            true => rows.columns.roles.check_events(files.columns())?,
            false => rows.columns.roles.check(files.columns())?,
        }
        if is_event || rows.columns.roles.is_cost {
            facts.notes.push("the file has costs: the reward is −cost".into());
        }
        let have_propensities = rows.have_propensities(all.without, all.has_propensity, &mut facts)?;
        let have_weights = all.weights.are_kept(options, &mut facts);
        let (actions, on_offer, names) = rows.actions.finish(ranks, &mut facts.notes)?;
        if let ([only], None) = (&names[..], schema) {
            return Err(FormatError::OneAction { file, column: action_column, action: only.clone() });
        }
        let (contexts, inferred) = rows.columns.finish(files.columns(), ranks, &mut facts)?;
        let schema = match (schema, inferred) {
            (Some(schema), _) => schema.clone(),
            (None, columns) => Schema::new(columns.unwrap_or_default(), ActionNames::Labels(names))?,
        };
        let (codes, mut labels) = rows.split;
        labels.merge(ranks)?;
        let mut own = OwnRows {
            contexts,
            actions,
            propensities: have_propensities.then_some(rows.propensities),
            rewards: rows.rewards,
            on_offer,
            time: all.has_time.then_some(rows.time),
            split: options.split.is_some().then(|| RowLabels::of((codes, labels))),
            weights: have_weights.then_some(rows.weights),
        };
        if ranks.are_several() {
            own = own.aligned(ranks)?;
        }
        let OwnRows { contexts, actions, propensities, rewards, on_offer, time, split, weights } = own;
        let contexts = contexts.matrix().map_err(FormatError::from);
        let contexts = Agreement::new(ranks).end(contexts)?;
        let files = of_files;
        Ok(ReadLog {
            contexts,
            schema,
            actions,
            propensities,
            rewards,
            on_offer,
            time,
            split,
            weights,
            facts,
            files,
        })
    }
}

/// What is of the rows of this rank.
struct OwnRows {
    contexts: Cells,
    actions: Vec<u32>,
    propensities: Option<Vec<f64>>,
    rewards: Vec<f64>,
    on_offer: Option<ActionSets>,
    time: Option<Vec<f64>>,
    split: Option<RowLabels>,
    weights: Option<Vec<f64>>,
}

impl OwnRows {
    /// The same rows of all ranks, where those of every rank begin at a block.
    fn aligned(self, ranks: &Ranks) -> Result<Self, FormatError> {
        let rows = self.rewards.len();
        let numbers = |values: Vec<f64>| PerRow::of_width(1, values);
        let mut actions = PerRow::of_width(1, self.actions);
        let mut rewards = numbers(self.rewards);
        let mut optional = [self.propensities, self.time, self.weights].map(|values| values.map(numbers));
        let (labels, codes) = self.split.map(|split| (split.labels, split.codes)).unzip();
        let mut codes = codes.map(|codes| PerRow::of_width(1, codes));
        let count = self.on_offer.as_ref().map(ActionSets::actions);
        let mut sets = self.on_offer.map(|sets| {
            let (mut offsets, mut listed) = (vec![0], Vec::new());
            for set in (0..sets.len()).filter_map(|row| sets.row(row)) {
                listed.extend(set.iter().filter_map(|action| u32::try_from(action).ok()));
                offsets.push(listed.len());
            }
            PerRow::of_offsets(offsets, listed)
        });
        let (mut indices, mut values, dimension, is_dense) = match self.contexts {
            Cells::Dense { dimension, values } => {
                (PerRow::of_width(0, Vec::new()), PerRow::of_width(dimension, values), dimension, true)
            }
            Cells::Sparse { dimension, offsets, indices, values } => {
                let indices = PerRow::of_offsets(offsets.clone(), indices);
                (indices, PerRow::of_offsets(offsets, values), dimension, false)
            }
        };
        let mut parts: Vec<&mut dyn Moved> = vec![&mut actions, &mut rewards, &mut indices, &mut values];
        parts.extend(optional.iter_mut().flatten().map(|part| part as &mut dyn Moved));
        parts.extend(codes.as_mut().map(|part| part as &mut dyn Moved));
        parts.extend(sets.as_mut().map(|part| part as &mut dyn Moved));
        align(rows, &mut parts, ranks)?;
        let on_offer = sets.zip(count).map(|(sets, count)| {
            let (offsets, listed) = sets.into_parts();
            let rows = offsets.windows(2).map(|ends| listed.get(ends[0]..ends[1]).unwrap_or_default());
            ActionSets::new(count, rows)
        });
        let contexts = if is_dense {
            Cells::Dense { dimension, values: values.into_values() }
        } else {
            let (offsets, values) = values.into_parts();
            Cells::Sparse { dimension, offsets, indices: indices.into_values(), values }
        };
        let [propensities, time, weights] = optional.map(|part| part.map(PerRow::into_values));
        Ok(Self {
            contexts,
            actions: actions.into_values(),
            propensities,
            rewards: rewards.into_values(),
            on_offer: on_offer.transpose()?,
            time,
            split: labels.zip(codes).map(|(labels, codes)| RowLabels { labels, codes: codes.into_values() }),
            weights,
        })
    }
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

    /// What is known of these rows.
    fn facts(&mut self) -> OfRows {
        OfRows {
            rows: self.rewards.len() as u64,
            skipped: self.skips.list(),
            without: self.without.take().map(|place| Seen::new(place, "")),
            has_propensity: self.propensities.iter().any(|p| !p.is_nan()),
            has_time: !self.time.is_empty(),
            weights: Weights::of(&self.weights),
        }
    }

    /// Whether all rows have a propensity, by the first one without; otherwise none may have one.
    fn have_propensities(
        &self,
        without: Option<Seen>,
        has_some: bool,
        facts: &mut ReadFacts,
    ) -> Result<bool, FormatError> {
        let Some(first) = without else { return Ok(true) };
        if !has_some && self.options.propensity.is_none() {
            facts.notes.push("the file has no propensities".into());
            return Ok(false);
        }
        let column = match self.columns.roles.name(Role::Propensity) {
            "" => "the probability".to_owned(),
            name => name.to_owned(),
        };
        let hint = ", and other rows have a propensity; leave such rows out or add them";
        Err(FormatError::MissingCell { place: first.place(), column, hint })
    }
}

/// Whether the rows of a rank, or of all, have the same weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Weights {
    /// The bits of the first one.
    first: Option<u64>,
    are_same: bool,
}

impl Weights {
    fn of(weights: &[f64]) -> Self {
        let first = weights.first();
        Self {
            first: first.map(|first| first.to_bits()),
            are_same: weights.iter().all(|weight| Some(weight) == first),
        }
    }

    /// With those of the next rank.
    fn and(self, next: Self) -> Self {
        let is_same = self.first.is_none() || next.first.is_none() || self.first == next.first;
        Self { first: self.first.or(next.first), are_same: self.are_same && next.are_same && is_same }
    }

    /// Whether they differ and are kept.
    fn are_kept(self, options: &LogOptions, facts: &mut ReadFacts) -> bool {
        let Some(first) = self.first.map(f64::from_bits) else { return false };
        if self.are_same {
            if first != 1.0 {
                facts
                    .notes
                    .push(format!("every row has the weight {first} (from pdrop), which changes no mean"));
            }
            return false;
        }
        if options.weights == RowWeights::Drop {
            let note = "the weights of the rows (from pdrop) are left out: every row counts once";
            facts.notes.push(note.into());
            return false;
        }
        facts.notes.push("the rows have different weights (from pdrop)".into());
        true
    }
}

/// The weights, where they differ.
pub(crate) fn weights_where_they_differ(
    weights: Vec<f64>,
    options: &LogOptions,
    facts: &mut ReadFacts,
) -> Option<Vec<f64>> {
    Weights::of(&weights).are_kept(options, facts).then_some(weights)
}
