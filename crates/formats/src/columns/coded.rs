//! Contexts whose columns are known: those of a model that exists.

use super::matrix::{Cells, has_labels, of_rows};
use super::numbers::{date, number};
use crate::FormatError;
use crate::facts::{FileName, ReadFacts};
use crate::readers::{Absent, ColumnNames};
use crate::record::{Cell, Record};
use off_policy::{ContextColumn, Schema, spellings_of_truth};
use rows::numeric::LARGEST;
use std::collections::{BTreeMap, HashMap};

/// Said of a missing number where there was none when the model was learnt.
pub(crate) const HAS_EVERY_VALUE: &str =
    ", and the model was learnt from a log that has a value in every row";

/// The rows read so far, by the columns of a schema.
pub(crate) struct BySchema {
    file: FileName,
    absent: Absent,
    columns: Vec<Known>,
    places: HashMap<String, usize>,
    dimension: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    entries: Vec<Entry>,
    unknown: BTreeMap<String, u64>,
    rows: u64,
    buffer: String,
}

/// A value of a row.
struct Entry {
    index: u32,
    kind: Kind,
    value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Number,
    Label,
    /// That there is no number.
    Missing,
}

/// A column of the schema.
struct Known {
    column: ContextColumn,
    base: u32,
    labels: HashMap<String, u32>,
    /// The last row that had a cell of it, from 1; 0 before there was one.
    last: u64,
    missing: u64,
}

/// Where the cells of a column of the file go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Column(usize),
    /// Perhaps to a column a label, as rows with several labels are coded.
    Set,
    /// Nowhere.
    Extra,
}

impl BySchema {
    pub(crate) fn new(file: FileName, absent: Absent, schema: &Schema) -> Self {
        let (mut base, mut places) = (0_u32, HashMap::new());
        let mut columns = Vec::new();
        for (place, column) in schema.contexts().iter().enumerate() {
            let labels = match column {
                ContextColumn::Labels { labels, .. } => labels.iter().cloned().zip(0..).collect(),
                _ => HashMap::new(),
            };
            places.insert(column.name().to_owned(), place);
            let width = u32::try_from(column.width()).unwrap_or(u32::MAX);
            columns.push(Known { column: column.clone(), base, labels, last: 0, missing: 0 });
            base = base.saturating_add(width);
        }
        Self {
            file,
            absent,
            columns,
            places,
            dimension: base as usize,
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            entries: Vec::new(),
            unknown: BTreeMap::new(),
            rows: 0,
            buffer: String::new(),
        }
    }

    /// Where the cells of a column of the file go.
    pub(crate) fn target(&self, name: &str) -> Target {
        match self.places.get(name) {
            Some(place) => Target::Column(*place),
            None if self.absent == Absent::Zero && self.has_set(name) => Target::Set,
            None => Target::Extra,
        }
    }

    fn has_set(&self, name: &str) -> bool {
        let is_of = |own: &String| own.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
        self.places.keys().any(is_of)
    }

    /// Refuses a file whose header lacks a column.
    pub(crate) fn check_header(&self, names: &ColumnNames) -> Result<(), FormatError> {
        let missing = self.columns.iter().find(|known| names.find(known.column.name()).is_none());
        missing.map_or(Ok(()), |known| Err(self.missing_column(known, names)))
    }

    fn missing_column(&self, known: &Known, names: &ColumnNames) -> FormatError {
        let column = known.column.name().to_owned();
        FormatError::MissingColumn { file: self.file.clone(), column, columns: names.all() }
    }

    /// Another row.
    pub(crate) fn push(
        &mut self,
        record: &Record,
        cells: impl Iterator<Item = (Target, u32, Cell)>,
        names: &ColumnNames,
    ) -> Result<(), FormatError> {
        self.rows += 1;
        self.entries.clear();
        for (target, column, cell) in cells {
            match target {
                Target::Column(place) => self.cell(place, record, cell)?,
                Target::Set => self.set(names.name(column), record, cell),
                Target::Extra => {}
            }
        }
        if self.absent == Absent::Missing {
            self.absent_columns(record, names)?;
        }
        self.entries.sort_by_key(|entry| (entry.index, entry.kind));
        let start = self.indices.len();
        let mut number = None;
        for Entry { index, kind, value } in self.entries.drain(..) {
            let is_again = self.indices.len() > start && self.indices.last() == Some(&index);
            match (kind, self.values.last_mut()) {
                // A feature that is there twice adds up, in formats that allow it; a label does not.
                (Kind::Number, Some(last)) if is_again && (*last + value).abs() <= LARGEST => *last += value,
                (Kind::Missing, _) if number.is_some() && number == index.checked_sub(1) => {}
                _ if is_again || value == 0.0 => {}
                _ => {
                    self.indices.push(index);
                    self.values.push(value);
                }
            }
            if kind == Kind::Number {
                number = Some(index);
            }
        }
        self.offsets.push(self.indices.len());
        Ok(())
    }

    /// The columns that the record has no cell of.
    fn absent_columns(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        for place in 0..self.columns.len() {
            let Some(known) = self.columns.get(place) else { continue };
            if known.last == self.rows {
                continue;
            }
            if known.last == 0 && !known.column.may_be_missing() && known.labels.is_empty() {
                return Err(self.missing_column(known, names));
            }
            let last = known.last;
            self.cell(place, record, Cell::Missing)?;
            // An absent cell does not show that the file has the column.
            if let Some(known) = self.columns.get_mut(place) {
                known.last = last;
            }
        }
        Ok(())
    }

    fn cell(&mut self, place: usize, record: &Record, cell: Cell) -> Result<(), FormatError> {
        let Some(known) = self.columns.get_mut(place) else { return Ok(()) };
        let is_second = known.last == self.rows;
        if is_second && cell == Cell::Missing {
            // It says nothing; the first reading of a file passes over it, too.
            return Ok(());
        }
        known.last = self.rows;
        let name = known.column.name();
        let at = || record.place();
        let found = match &known.column {
            ContextColumn::Labels { .. } => {
                let text = record.written(cell, &mut self.buffer);
                known.missing += u64::from(text.is_empty());
                let find = |text: &str| known.labels.get(text);
                match find(text).or_else(|| spellings_of_truth(text).iter().find_map(|other| find(other))) {
                    Some(label) => {
                        let index = known.base.saturating_add(*label);
                        self.entries.push(Entry { index, kind: Kind::Label, value: 1.0 });
                    }
                    None => *self.unknown.entry(name.to_owned()).or_default() += 1,
                }
                return Ok(());
            }
            column if column.is_date() => date(record, cell).map_err(|()| "a date"),
            _ => number(record, cell).map_err(|()| "a finite number up to 1e140 in magnitude"),
        };
        if let (true, true, Ok(Some(days))) = (is_second, known.column.is_date(), found) {
            // Numbers add up, and dates do not: the same one says nothing new.
            let is_day = |entry: &&Entry| entry.index == known.base && entry.kind == Kind::Number;
            match self.entries.iter().find(is_day) {
                Some(first) if first.value == days => return Ok(()),
                Some(_) => {
                    let value = record.written(cell, &mut self.buffer).to_owned();
                    let (place, column, expected) = (at(), name.to_owned(), "the one date of its row");
                    return Err(FormatError::BadCell { place, column, value, expected });
                }
                None => {}
            }
        }
        match found {
            Ok(Some(value)) => self.entries.push(Entry { index: known.base, kind: Kind::Number, value }),
            Ok(None) if known.column.may_be_missing() => {
                known.missing += 1;
                let index = known.base.saturating_add(1);
                self.entries.push(Entry { index, kind: Kind::Missing, value: 1.0 });
            }
            Ok(None) => {
                let hint = HAS_EVERY_VALUE;
                return Err(FormatError::MissingCell { place: at(), column: name.to_owned(), hint });
            }
            Err(expected) => {
                let value = record.written(cell, &mut self.buffer).to_owned();
                return Err(FormatError::BadCell { place: at(), column: name.to_owned(), value, expected });
            }
        }
        Ok(())
    }

    /// A label of a row that may have several.
    fn set(&mut self, name: &str, record: &Record, cell: Cell) {
        let feature = format!("{name}={}", record.written(cell, &mut self.buffer));
        match self.places.get(&feature).and_then(|place| self.columns.get_mut(*place)) {
            Some(known) => {
                known.last = self.rows;
                self.entries.push(Entry { index: known.base, kind: Kind::Label, value: 1.0 });
            }
            None if cell == Cell::Missing => {}
            None => *self.unknown.entry(name.to_owned()).or_default() += 1,
        }
    }

    /// The contexts.
    pub(crate) fn finish(self, names: &ColumnNames, facts: &mut ReadFacts) -> Result<Cells, FormatError> {
        let never = self.columns.iter().find(|known| known.last == 0);
        if self.absent == Absent::Missing
            && let Some(known) = never
        {
            return Err(self.missing_column(known, names));
        }
        if self.columns.iter().all(|known| known.last == 0) {
            let left_out = vec!["none of the features of the model is in the file".to_owned()];
            return Err(FormatError::NoContexts { file: self.file, left_out });
        }
        for known in &self.columns {
            if known.missing > 0 {
                facts.missing.insert(known.column.name().to_owned(), known.missing);
            }
        }
        facts.unknown_labels = self.unknown;
        let columns: Vec<ContextColumn> = self.columns.into_iter().map(|known| known.column).collect();
        Ok(of_rows(has_labels(&columns), self.dimension, self.offsets, self.indices, self.values))
    }
}
