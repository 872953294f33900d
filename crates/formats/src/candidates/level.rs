//! The columns of one level of features: found in the file, or those of a schema.

use super::sparse::Sparse;
use crate::FormatError;
use crate::columns::{HAS_EVERY_VALUE, number};
use crate::error::quoted;
use crate::facts::ReadFacts;
use crate::options::LogOptions;
use crate::readers::ColumnNames;
use crate::record::{Cell, Record};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// A number is a column of its feature's name, and a text of the name `feature=text`: by name what Vowpal
/// Wabbit does by hash.
///
/// While rows are read, name k has two columns: 2k for its values, and 2k + 1, which is 1 where its number is
/// missing. Which of them there are is known at the end.
pub(super) struct Level {
    names: ColumnNames,
    known: Option<Known>,
    /// What was seen of the names that are found; a number a name.
    found: Vec<Found>,
    features: Vec<Feature>,
    /// Values of columns that are known.
    pub(super) seen: u64,
    row: Vec<Entry>,
    name: String,
}

const NUMBER: &str = "a finite number up to 1e140 in magnitude";

/// The most names, so that their columns have numbers.
const MOST_NAMES: u64 = 1 << 31;

/// The name of the column of a cell of this feature.
pub(super) fn column_of<'a>(record: &Record, cell: Cell, feature: &'a str) -> Cow<'a, str> {
    match cell {
        Cell::Text(span) | Cell::Bare(span) => format!("{feature}={}", record.text(span)).into(),
        _ => feature.into(),
    }
}

/// A column of the log that is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ColumnName {
    pub(super) name: String,
    /// Whether it says where the number of this name is missing.
    pub(super) is_missing: bool,
}

/// How columns are called, each name once.
pub(super) fn shown(columns: &[ColumnName]) -> Vec<String> {
    let taken: HashSet<&str> =
        columns.iter().filter(|column| !column.is_missing).map(|column| &*column.name).collect();
    let shown = |column: &ColumnName| {
        if !column.is_missing {
            return column.name.clone();
        }
        let mut name = format!("{} is missing", column.name);
        while taken.contains(&*name) {
            name.push('\'');
        }
        name
    };
    columns.iter().map(shown).collect()
}

/// The columns of a schema.
struct Known {
    names: Vec<String>,
    /// By column its place in the schema.
    places: Vec<Option<u32>>,
    /// The features that have texts among the columns.
    features: HashSet<String>,
}

impl Known {
    fn has(&self, column: u32) -> bool {
        self.places.get(column as usize).copied().flatten().is_some()
    }
}

/// What was seen of a name.
#[derive(Default, Clone, Copy)]
struct Found {
    /// The feature whose texts it is, and no numbers.
    of_text: Option<u32>,
    has_values: bool,
    has_numbers: bool,
    lacks: bool,
}

/// What was seen of a feature of the file.
#[derive(Default, Clone)]
struct Feature {
    /// The name of its numbers, once there was one.
    number: Option<u32>,
    texts: usize,
    values: u64,
    missing: u64,
    /// Values without a column, where the columns are known.
    unknown: u64,
    has_too_many: bool,
}

struct Entry {
    column: u32,
    /// Whether it counts once, however often it is there.
    is_text: bool,
    value: f64,
}

impl Level {
    pub(super) fn found() -> Self {
        Self::new(ColumnNames::default(), None)
    }

    /// Those of a schema, with the places of the numbers that may be missing, rising.
    pub(super) fn known(columns: &[String], optional: &[usize]) -> Self {
        let mut names = ColumnNames::default();
        let (mut features, mut places) = (HashSet::new(), Vec::new());
        let mut indicator_of = None;
        for (place, name) in (0_u32..).zip(columns) {
            if let Some(own) = indicator_of.take() {
                places[own] = Some(place);
                continue;
            }
            // A schema has as many names as its maker had memory for.
            let Some(k) = names.place(name, MOST_NAMES) else { break };
            let own = 2 * k as usize;
            if places.len() > own {
                // No two columns of a log have one name.
                continue;
            }
            places.extend([Some(place), None]);
            features.extend(name.match_indices('=').map(|(end, _)| name[..end].to_owned()));
            indicator_of = optional.binary_search(&(place as usize)).is_ok().then_some(own + 1);
        }
        Self::new(names, Some(Known { names: columns.to_vec(), places, features }))
    }

    fn new(names: ColumnNames, known: Option<Known>) -> Self {
        let (found, features, row, name) = (Vec::new(), Vec::new(), Vec::new(), String::new());
        Self { names, known, found, features, seen: 0, row, name }
    }

    /// Whether a feature is one of the known columns, or its texts are.
    pub(super) fn has(&self, feature: &str) -> bool {
        self.names.find_exactly(feature).is_some()
            || self.known.as_ref().is_some_and(|known| known.features.contains(feature))
    }

    /// The names of values.
    pub(super) fn names(&self) -> &ColumnNames {
        &self.names
    }

    /// Puts a row of these cells behind `rows`. Numbers of one feature add up; a text twice is one.
    pub(super) fn push(
        &mut self,
        record: &Record,
        cells: impl Iterator<Item = (u32, Cell)>,
        columns: &ColumnNames,
        options: &LogOptions,
        rows: &mut Sparse,
    ) -> Result<(), FormatError> {
        self.row.clear();
        for (column, cell) in cells {
            self.cell(record, column, cell, columns.name(column), options)?;
        }
        self.row.sort_unstable_by_key(|entry| (entry.column, entry.is_text));
        let start = rows.open_len();
        for Entry { column, is_text, value } in self.row.drain(..) {
            match rows.last_since(start) {
                Some((last, _)) if last == column && is_text => {}
                // A number that is there beside a missing one is there.
                Some((last, _)) if column % 2 == 1 && last == column - 1 => {}
                Some((last, sum)) if last == column => {
                    *sum += value;
                    if sum.abs() > rows::numeric::LARGEST {
                        let (place, column) = (record.place(), self.names.name(column / 2).to_owned());
                        return Err(FormatError::BadCell {
                            place,
                            column,
                            value: sum.to_string(),
                            expected: NUMBER,
                        });
                    }
                }
                _ => rows.put(column, value),
            }
        }
        rows.end_row();
        Ok(())
    }

    fn cell(
        &mut self,
        record: &Record,
        column: u32,
        cell: Cell,
        feature: &str,
        options: &LogOptions,
    ) -> Result<(), FormatError> {
        let place = column as usize;
        if self.features.len() <= place {
            self.features.resize(place + 1, Feature::default());
        }
        let Some(own) = self.features.get(place).filter(|own| !own.has_too_many) else { return Ok(()) };
        let (is_text, value) = match cell {
            Cell::Text(_) | Cell::Bare(_) => (true, 1.0),
            cell => match number(record, cell) {
                Ok(Some(value)) => (false, value),
                Ok(None) => return self.missing(record, place, feature, options),
                Err(()) => {
                    let mut buffer = String::new();
                    let value = record.written(cell, &mut buffer).to_owned();
                    let (place, column) = (record.place(), feature.to_owned());
                    return Err(FormatError::BadCell { place, column, value, expected: NUMBER });
                }
            },
        };
        let before = self.names.len();
        let name = match own.number.filter(|_| !is_text) {
            Some(name) => Some(name),
            None => {
                self.name.clear();
                self.name.push_str(feature);
                if let Cell::Text(span) | Cell::Bare(span) = cell {
                    self.name.push('=');
                    self.name.push_str(record.text(span));
                }
                self.place(record, options)?
            }
        };
        let Some(own) = self.features.get_mut(place) else { return Ok(()) };
        own.values += 1;
        let Some(name) = name else {
            own.unknown += 1;
            return Ok(());
        };
        self.seen += 1;
        own.number = own.number.or((!is_text).then_some(name));
        if let Some(found) = self.found.get_mut(name as usize) {
            if self.names.len() > before {
                found.of_text = is_text.then_some(column);
                own.texts += usize::from(is_text);
                let is_asked = options.labels.iter().any(|name| name.trim() == feature);
                own.has_too_many = is_text && !is_asked && own.texts > options.most_labels;
            } else if !is_text {
                found.of_text = None;
            }
            found.has_values = true;
            found.has_numbers |= !is_text;
        }
        self.row.push(Entry { column: 2 * name, is_text, value });
        Ok(())
    }

    /// The place of `self.name`, where it has one. A name that is new gets one, where columns are found.
    fn place(&mut self, record: &Record, options: &LogOptions) -> Result<Option<u32>, FormatError> {
        if self.known.is_some() {
            return Ok(self.names.find_exactly(&self.name));
        }
        let limit = options.limits.columns.min(MOST_NAMES);
        let found = self.names.place(&self.name, limit);
        self.found.resize(self.names.len(), Found::default());
        match found {
            Some(found) => Ok(Some(found)),
            None => Err(FormatError::TooMany { place: record.place(), what: "features", limit }),
        }
    }

    /// A cell without a value: a number is missing, if the feature has numbers. A text that is missing is no
    /// column.
    fn missing(
        &mut self,
        record: &Record,
        feature_place: usize,
        feature: &str,
        options: &LogOptions,
    ) -> Result<(), FormatError> {
        self.name.clear();
        self.name.push_str(feature);
        let Some(name) = self.place(record, options)? else { return Ok(()) };
        let column = 2 * name + 1;
        if let Some(known) = &self.known {
            if !known.has(column) && feature.contains('=') {
                // Perhaps a column of texts, which are absent where they are missing.
                return Ok(());
            }
            if !known.has(column) {
                let (place, column) = (record.place(), feature.to_owned());
                return Err(FormatError::MissingCell { place, column, hint: HAS_EVERY_VALUE });
            }
            self.seen += 1;
        }
        if let Some(own) = self.features.get_mut(feature_place) {
            own.missing += 1;
            own.number = own.number.or(self.known.as_ref().map(|_| name));
        }
        if let Some(found) = self.found.get_mut(name as usize) {
            found.lacks = true;
        }
        self.row.push(Entry { column, is_text: true, value: 1.0 });
        Ok(())
    }

    /// The columns in their order, and the place of each column that was read: those that are found without
    /// identifiers, sorted, or those of the schema.
    pub(super) fn columns(
        &self,
        columns: &ColumnNames,
        options: &LogOptions,
        notes: &mut Vec<String>,
    ) -> (Vec<ColumnName>, Vec<Option<u32>>) {
        if let Some(known) = &self.known {
            let name = |name: &String| ColumnName { name: name.clone(), is_missing: false };
            return (known.names.iter().map(name).collect(), known.places.clone());
        }
        let mut is_left = Vec::with_capacity(self.features.len());
        for (place, own) in (0_u32..).zip(&self.features) {
            let feature = columns.name(place);
            let is_asked = options.labels.iter().any(|name| name.trim() == feature);
            let is_own = own.texts > 50 && own.texts as u64 * 2 > own.values && !is_asked;
            if own.has_too_many || is_own {
                let count = match own.has_too_many {
                    true => format!("more than {}", options.most_labels),
                    false => own.texts.to_string(),
                };
                notes.push(format!(
                    "feature {} left out: {count} texts look like identifiers; name it among the columns of \
                     labels to keep it",
                    quoted(feature)
                ));
            }
            is_left.push(own.has_too_many || is_own);
        }
        let is_kept = |found: &Found| {
            let is_left = |feature: u32| is_left.get(feature as usize) == Some(&true);
            found.has_values && !found.of_text.is_some_and(is_left)
        };
        let mut kept: Vec<(u32, &Found)> = (0..).zip(&self.found).filter(|(_, own)| is_kept(own)).collect();
        kept.sort_unstable_by_key(|(name, _)| self.names.name(*name));
        let (mut names, mut places) = (Vec::with_capacity(kept.len()), vec![None; 2 * self.found.len()]);
        for (k, found) in kept {
            let name = self.names.name(k);
            for is_missing in
                [false, true].into_iter().take(1 + usize::from(found.has_numbers && found.lacks))
            {
                places[2 * k as usize + usize::from(is_missing)] = u32::try_from(names.len()).ok();
                names.push(ColumnName { name: name.to_owned(), is_missing });
            }
        }
        (names, places)
    }

    /// Books the values that no known column has, and the numbers that are missing.
    pub(super) fn book(
        &self,
        columns: &ColumnNames,
        facts: &mut ReadFacts,
        extra: &mut BTreeMap<String, u64>,
    ) {
        for (place, own) in (0_u32..).zip(&self.features) {
            let feature = columns.name(place);
            if own.missing > 0 && own.number.is_some() {
                *facts.missing.entry(feature.to_owned()).or_default() += own.missing;
            }
            if own.unknown > 0 {
                let is_of_texts = self.known.as_ref().is_some_and(|known| known.features.contains(feature));
                let counts = if is_of_texts { &mut facts.unknown_labels } else { &mut *extra };
                *counts.entry(feature.to_owned()).or_default() += own.unknown;
            }
        }
    }
}
