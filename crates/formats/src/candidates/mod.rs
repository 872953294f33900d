//! Logs whose actions have features of their own, other candidates in every row.
//!
//! Reading order: [`read_candidates`] and [`ReadCandidates`]; [`read_choices`], to predict for; `Rows`, what
//! is kept of every event; `level`, the columns; `sparse`, the rows; `finish`, how a log is made of them.

mod finish;
mod level;
mod sparse;

use crate::FormatError;
use crate::columns::{Dictionary, date_or_number};
use crate::error::Place;
use crate::facts::{FileName, Progress, ReadFacts, ReadFile, SkipCounts};
use crate::log::RowLabels;
use crate::options::{LogOptions, MissingPropensities};
use crate::pass::{Files, Sources};
use crate::readers::{ColumnNames, Wanted};
use crate::record::{Cell, Offered, Record, Span};
use crate::source::Source;
use level::Level;
use off_policy::Rewards;
use off_policy::candidates::{CandidateLog, CandidateSchema};
use rows::Candidates;
use sparse::{Distinct, Sparse};
use std::ops::ControlFlow;

/// A log of choices among candidates that was read.
///
/// *Shapes:* n choices each; `chosen` are places in a choice's own list, from 0, propensities in (0, 1],
/// rewards finite.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadCandidates {
    /// The candidates of every choice. A level is dense where at least half of its cells are not 0 and none
    /// of its columns stands for a text.
    pub candidates: Candidates,
    /// What the columns are called, sorted within a level.
    pub schema: CandidateSchema,
    /// The places of the candidates that were shown.
    pub chosen: Vec<u32>,
    /// p_1, …; `None` where the file has none.
    pub propensities: Option<Vec<f64>>,
    /// r_1, …; −cost.
    pub rewards: Vec<f64>,
    /// What orders the choices, where a feature of the context was named: its numbers, or the days since
    /// 1970.
    pub time: Option<Vec<f64>>,
    /// The labels of the feature of the context that splits the choices, where one was named.
    pub split: Option<RowLabels>,
    /// The weights of the rows, where they differ: 1/(1 − pdrop) of a file that was thinned.
    pub weights: Option<Vec<f64>>,
    /// What else was found.
    pub facts: ReadFacts,
    /// The files that were read.
    pub files: Vec<ReadFile>,
}

impl ReadCandidates {
    /// The log with its schema.
    ///
    /// # Errors
    /// [`FormatError::NoPropensities`]; [`FormatError::Weights`] where rows have different weights.
    pub fn into_log(self) -> Result<CandidateLog, FormatError> {
        if self.weights.is_some() {
            return Err(FormatError::Weights);
        }
        let propensities = self.propensities.ok_or(FormatError::NoPropensities)?;
        let log = CandidateLog::new(self.candidates, self.chosen, propensities, Rewards(self.rewards))?;
        Ok(log.with_schema(self.schema)?)
    }
}

/// Reads a log whose actions have features: Vowpal Wabbit's `cb_adf` text, and dsjson with `_multi`.
///
/// *Columns.* A number `x` of the namespace `ns` is the column `ns.x`, a text `v` the column `ns.x=v`, which
/// is 1 where the text stands: what Vowpal Wabbit does by hash, by name. `|ns key=v` in text is the same
/// column as `{"ns":{"key":"v"}}` in dsjson. An absent feature is 0. Texts are no dates and no numbers.
///
/// *Missing values.* A number that is `null` or an empty text in dsjson, or `key=` in text, is missing: it is
/// 0, and 1 in the column behind it, `ns.x is missing`. The [indicators](CandidateSchema::indicators) of the
/// schema say so to trees. A text that is missing is absent.
///
/// *Left out,* with a note: a feature with more texts than [`most_labels`](LogOptions::most_labels), and one
/// with over 50 that are distinct in over half of the places where it stands.
///
/// *Levels.* The shared line, or what is beside `_multi`, is the context. An action's line is an *item*,
/// which all equal lines of the log share. Features that [`pair_features`](LogOptions::pair_features) names
/// are those of the pair. Names that begin with `_`, `id` and `constant` are no features of an action of
/// dsjson.
///
/// *Identities*, where they are [asked for](LogOptions::identities): an action is the item that its tag (or
/// its `_tag` or `id`) names, if every action of the log has one. Features that differ between the
/// appearances of a tag are then those of pairs. Without tags an item's identity is its line.
///
/// *Time and groups.* [`time`](LogOptions::time) and [`split`](LogOptions::split) name features of the
/// context, which are none of it then; in dsjson `Timestamp` is the time of an event.
///
/// Events without a label, with `_skipLearn`, with slots or with slates are skipped and counted. A
/// probability of 0 says that there is no label. The words of `_text` are no features; a note counts them.
///
/// *Cost:* one pass. Memory is that of the log, and of every distinct line of an action twice.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_candidates};
/// let text = "shared |user age:30\n'tea |drink hot warm:0.5\n1:-1:0.25 'ice |drink taste=mint\n\n\
///             shared |user age:50\n0:0:0.5 'ice |drink taste=mint\n'tea |drink hot warm:0.5\n";
/// let options = LogOptions::default().identities(true);
/// let log = read_candidates(Source::bytes("log.vw", text), &options, &mut quiet)?.into_log()?;
/// let schema = log.schema().cloned().unwrap_or_default();
/// assert_eq!(schema.contexts, ["user.age"]);
/// assert_eq!(schema.items, ["drink.hot", "drink.taste=mint", "drink.warm"]);
/// assert_eq!(schema.identities, ["ice", "tea"]);
/// assert_eq!((log.chosen(), log.rewards()), (&[1, 0][..], &[1.0, 0.0][..]));
/// assert_eq!(log.candidates().items(), [1, 0, 0, 1]);
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// [`FormatError`] says which; every message names the file, and the line of what is wrong.
pub fn read_candidates(
    source: Source,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadCandidates, FormatError> {
    read(&mut std::iter::once(Ok(source)), None, options, progress)
}

/// Reads a log by the columns of a schema, such as that of a model which is to be judged.
///
/// A feature goes to the level where the schema has it, whatever [`pair_features`](LogOptions::pair_features)
/// says. Values of other columns are left out and counted, in [`unknown_labels`](ReadFacts::unknown_labels)
/// where the feature has other texts in the schema, and in a note otherwise. An item keeps the identity that
/// its tag or its line has in the schema; others have none. An identity is that of one item: where a tag
/// stands at several lines of this log, the first of them keeps it, and a note counts the others.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_candidates, read_candidates_coded};
/// let options = LogOptions::default();
/// let first = "0:0:0.5 |a price:2 taste=mint\n|a price:3\n\n";
/// let first = read_candidates(Source::bytes("first.vw", first), &options, &mut quiet)?;
/// let second = "shared |user age:3\n0:-2:1 |a price:7 taste=rose\n";
/// let second = Source::bytes("second.vw", second);
/// let second = read_candidates_coded(second, &first.schema, &options, &mut quiet)?;
/// assert_eq!((&second.schema, second.facts.unknown_labels["a.taste"]), (&first.schema, 1));
/// let note = "features that the model does not know left out: \"user.age\" (1 value)";
/// assert!(second.facts.notes.contains(&note.to_owned()));
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_candidates`]; [`FormatError::NoContexts`] for a log without any of the columns.
pub fn read_candidates_coded(
    source: Source,
    schema: &CandidateSchema,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadCandidates, FormatError> {
    read(&mut std::iter::once(Ok(source)), Some(schema), options, progress)
}

/// Reads a log that lies in several files, as if they were one: by a schema, or to find one.
///
/// # Errors
/// As [`read_candidates_coded`]; [`FormatError::NoFile`].
pub fn read_candidates_of_files(
    sources: impl IntoIterator<Item = Result<Source, FormatError>>,
    schema: Option<&CandidateSchema>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadCandidates, FormatError> {
    read(&mut sources.into_iter(), schema, options, progress)
}

/// Choices that were read to predict for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadChoices {
    /// The candidates of every choice.
    pub candidates: Candidates,
    /// What else was found.
    pub facts: ReadFacts,
    /// The files that were read.
    pub files: Vec<ReadFile>,
}

/// Reads choices to predict for, by the columns of a schema: as [`read_candidates_coded`] reads a log. Labels
/// are not looked at: an event with `_skipLearn`, or with a bad label, is a choice as well.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_candidates, read_choices};
/// let options = LogOptions::default();
/// let log = Source::bytes("log.vw", "0:0:0.5 |a price:2\n|a price:3\n");
/// let schema = read_candidates(log, &options, &mut quiet)?.schema;
/// let today = Source::bytes("today.vw", "|a price:7\n|a price:2\n|a price:1\n");
/// let today = read_choices(today, &schema, &options, &mut quiet)?;
/// assert_eq!((today.candidates.len(), today.candidates.pairs()), (1, 3));
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// As [`read_candidates_coded`], but for those of labels.
pub fn read_choices(
    source: Source,
    schema: &CandidateSchema,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadChoices, FormatError> {
    let read = read_as(&mut std::iter::once(Ok(source)), Some(schema), options, progress, false)?;
    Ok(ReadChoices { candidates: read.candidates, facts: read.facts, files: read.files })
}

fn read(
    sources: Sources<'_>,
    schema: Option<&CandidateSchema>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadCandidates, FormatError> {
    read_as(sources, schema, options, progress, true)
}

/// Reads a log, or only its choices.
fn read_as(
    sources: Sources<'_>,
    schema: Option<&CandidateSchema>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    is_log: bool,
) -> Result<ReadCandidates, FormatError> {
    schema.map_or(Ok(()), CandidateSchema::check)?;
    let wanted = if is_log { Wanted::Candidates } else { Wanted::Choices };
    let mut files = Files::open(sources, options, progress, wanted)?;
    let (file, format) = (files.name().clone(), files.format().name());
    let mut rows = Rows::new(file, format, schema, options);
    rows.is_log = is_log;
    files.for_each(progress, |record, columns| rows.push(record, columns))?;
    let (mut facts, of_files) = files.facts();
    facts.skipped.extend(rows.skips.list());
    rows.finish(files.columns(), facts, of_files)
}

/// The levels to which the cells of an action go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goes {
    Nowhere,
    ToPair,
    ToItem,
    /// Some texts to the pair, and others to the item.
    ByText,
}

/// The events read so far.
struct Rows<'a> {
    file: FileName,
    format: &'static str,
    /// Whether labels are read.
    is_log: bool,
    options: &'a LogOptions,
    schema: Option<&'a CandidateSchema>,
    /// By column of the files.
    goes: Vec<Goes>,
    /// The cells of an action, parted.
    to_pair: Vec<(u32, Cell)>,
    to_item: Vec<(u32, Cell)>,
    contexts: Level,
    pairs: Level,
    items: Level,
    of_contexts: Sparse,
    of_pairs: Sparse,
    /// The distinct lines of actions, each with its tag, and the line of every pair.
    lines: Distinct,
    line_of: Vec<u32>,
    tags: Dictionary,
    /// Whether every action so far has a tag.
    are_tagged: bool,
    offsets: Vec<usize>,
    chosen: Vec<u32>,
    /// NaN where there is none.
    propensities: Vec<f64>,
    /// The first event without one.
    without: Option<Place>,
    rewards: Vec<f64>,
    time: Vec<f64>,
    split: (Vec<u32>, Dictionary),
    weights: Vec<f64>,
    skips: SkipCounts,
}

/// The code of an action that no tag names.
const UNTAGGED: u32 = u32::MAX;

impl<'a> Rows<'a> {
    fn new(
        file: FileName,
        format: &'static str,
        schema: Option<&'a CandidateSchema>,
        options: &'a LogOptions,
    ) -> Self {
        let indicators = schema.map(CandidateSchema::indicators).unwrap_or_default();
        let (of_pairs, of_items) = schema.map_or((0, 0), |schema| {
            let shape = schema.shape();
            (shape.contexts, shape.contexts + shape.features)
        });
        let level = |first: usize, of: fn(&CandidateSchema) -> &[String]| match schema {
            Some(schema) => {
                let own = indicators.iter().filter_map(|(j, _)| j.checked_sub(first));
                Level::known(of(schema), &own.collect::<Vec<usize>>())
            }
            None => Level::found(),
        };
        let mut tags = Dictionary::default();
        for name in schema.map_or(&[][..], |schema| &schema.identities) {
            tags.number(name);
        }
        Self {
            file,
            format,
            is_log: true,
            options,
            schema,
            goes: Vec::new(),
            to_pair: Vec::new(),
            to_item: Vec::new(),
            contexts: level(0, |schema| &schema.contexts),
            pairs: level(of_pairs, |schema| &schema.features),
            items: level(of_items, |schema| &schema.items),
            of_contexts: Sparse::default(),
            of_pairs: Sparse::default(),
            lines: Distinct::default(),
            line_of: Vec::new(),
            tags,
            are_tagged: true,
            offsets: vec![0],
            chosen: Vec::new(),
            propensities: Vec::new(),
            without: None,
            rewards: Vec::new(),
            time: Vec::new(),
            split: (Vec::new(), Dictionary::default()),
            weights: Vec::new(),
            skips: SkipCounts::default(),
        }
    }

    fn push(&mut self, record: &Record, columns: &ColumnNames) -> Result<(), FormatError> {
        let Some(decision) = record.decision else { return Ok(()) };
        let Offered::Placed { tags, .. } = decision.offered else { return Ok(()) };
        if !self.is_log {
            return self.choice(record, tags, columns);
        }
        let (Some(cost), Offered::Placed { shown: Some(shown), .. }) = (decision.cost, decision.offered)
        else {
            self.skips.add("decisions without a label");
            return Ok(());
        };
        let propensity = record.propensity(&decision)?;
        if propensity.is_none() {
            if self.options.missing_propensities == MissingPropensities::Skip {
                self.skips.add("rows without a propensity");
                return Ok(());
            }
            self.without.get_or_insert_with(|| record.place());
        }
        self.choice(record, tags, columns)?;
        self.order(record, columns)?;
        self.chosen.push(shown);
        self.propensities.push(propensity.unwrap_or(f64::NAN));
        // 0 − c and not −c, so that a cost of 0 is a reward of 0 and not of −0.
        self.rewards.push(0.0 - cost);
        self.weights.push(decision.weight);
        Ok(())
    }

    /// The time of an event, and the label by which it is split, where features are named for them.
    fn order(&mut self, record: &Record, columns: &ColumnNames) -> Result<(), FormatError> {
        let cell = |name: &str| {
            let place = columns.find(name)?;
            record.cells.iter().find(|(column, _)| *column == place).map(|(_, cell)| *cell)
        };
        if let Some(name) = &self.options.time {
            let column = name.trim().to_owned();
            match cell(name).map(|cell| (cell, date_or_number(record, cell))) {
                Some((_, Ok(Some(time)))) => self.time.push(time + 0.0),
                Some((cell, Err(()))) => {
                    let (mut buffer, expected) = (String::new(), "a date or a number");
                    let value = record.written(cell, &mut buffer).to_owned();
                    return Err(FormatError::BadCell { place: record.place(), column, value, expected });
                }
                None if columns.find(name).is_none() => {
                    let (file, columns) = (self.file.clone(), columns.all());
                    return Err(FormatError::MissingColumn { file, column, columns });
                }
                None | Some((_, Ok(None))) => {
                    return Err(FormatError::MissingCell { place: record.place(), column, hint: "" });
                }
            }
        }
        if let Some(name) = &self.options.split {
            let (codes, labels) = &mut self.split;
            let mut buffer = String::new();
            let cell = cell(name).unwrap_or(Cell::Missing);
            codes.push(labels.number(record.written(cell, &mut buffer)));
        }
        Ok(())
    }

    /// The context and the actions of an event.
    fn choice(
        &mut self,
        record: &Record,
        tags: Option<Span>,
        columns: &ColumnNames,
    ) -> Result<(), FormatError> {
        self.extend(columns);
        let is_kept = |goes: &[Goes], column: u32| goes.get(column as usize) != Some(&Goes::Nowhere);
        let own = record.cells.iter().copied().filter(|(column, _)| is_kept(&self.goes, *column));
        self.contexts.push(record, own, columns, self.options, &mut self.of_contexts)?;
        for k in 0..record.candidates() {
            let tag = self.tag(record, tags, k);
            self.part(record, k, columns);
            let (to_pair, to_item) = (self.to_pair.iter().copied(), self.to_item.iter().copied());
            self.pairs.push(record, to_pair, columns, self.options, &mut self.of_pairs)?;
            self.items.push(record, to_item, columns, self.options, self.lines.open())?;
            let line = self.lines.close(tag).ok_or_else(|| {
                let (place, limit) = (record.place(), u64::from(u32::MAX));
                FormatError::TooMany { place, what: "items", limit }
            })?;
            self.line_of.push(line);
        }
        self.offsets.push(self.line_of.len());
        Ok(())
    }

    /// Parts the cells of candidate k into those of the pair and of the item.
    fn part(&mut self, record: &Record, k: usize, columns: &ColumnNames) {
        self.to_pair.clear();
        self.to_item.clear();
        for (column, cell) in record.candidate(k).iter().copied() {
            let is_of_pair = match self.goes.get(column as usize) {
                Some(Goes::ToPair) => true,
                Some(Goes::ToItem) => false,
                Some(Goes::ByText) => {
                    let name = level::column_of(record, cell, columns.name(column));
                    match self.schema {
                        Some(_) => self.pairs.names().find_exactly(&name).is_some(),
                        None => self.is_named(&name),
                    }
                }
                Some(Goes::Nowhere) | None => continue,
            };
            (if is_of_pair { &mut self.to_pair } else { &mut self.to_item }).push((column, cell));
        }
    }

    /// Whether the caller names a column as one of pairs.
    fn is_named(&self, name: &str) -> bool {
        self.options.pair_features.iter().any(|own| is_within(name, own.trim()))
    }

    /// The number of the tag of candidate k, where tags are names.
    fn tag(&mut self, record: &Record, tags: Option<Span>, k: usize) -> u32 {
        let tag = tags.and_then(|tags| record.items(tags).get(k).copied());
        let text = match tag {
            Some(Cell::Text(span) | Cell::Bare(span)) => record.text(span),
            _ => "",
        };
        self.are_tagged &= !text.is_empty();
        match self.schema {
            Some(_) => self.tags.find(text).unwrap_or(UNTAGGED),
            None if self.options.identities && self.are_tagged => self.tags.number(text),
            None => UNTAGGED,
        }
    }

    /// Finds out where the cells of new columns go.
    fn extend(&mut self, columns: &ColumnNames) {
        for place in self.goes.len()..columns.len() {
            let name = columns.name(u32::try_from(place).unwrap_or(u32::MAX));
            let apart = [&self.options.time, &self.options.split].into_iter().flatten();
            let is_ignored = self.options.ignore.iter().chain(apart).any(|own| own.trim() == name);
            let by_text = match self.schema {
                Some(_) => self.pairs.has(name),
                None => self.options.pair_features.iter().any(|own| is_text_of(own.trim(), name)),
            };
            self.goes.push(match (is_ignored, by_text) {
                (true, _) => Goes::Nowhere,
                (_, true) => Goes::ByText,
                (_, false) if self.schema.is_none() && self.is_named(name) => Goes::ToPair,
                (_, false) => Goes::ToItem,
            });
        }
    }
}

/// Whether a column is this feature, one of its texts, or of this namespace.
fn is_within(feature: &str, name: &str) -> bool {
    let rest = feature.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '=']))
}

/// Whether a name is `feature=text`, or begins so.
fn is_text_of(name: &str, feature: &str) -> bool {
    name.strip_prefix(feature).is_some_and(|rest| rest.starts_with('='))
}
