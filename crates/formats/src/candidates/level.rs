//! The columns of one level of features: found in the file, or those of a schema.

use super::sparse::Sparse;
use crate::FormatError;
use crate::columns::number;
use crate::error::quoted;
use crate::facts::ReadFacts;
use crate::options::LogOptions;
use crate::readers::ColumnNames;
use crate::record::{Cell, Record};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// A number is a column of its feature's name, and a text of the name `feature=text`: by name what Vowpal
/// Wabbit does by hash.
pub(super) struct Level {
    names: ColumnNames,
    /// The texts that a known column is made of: their features.
    known: Option<HashSet<String>>,
    /// The feature whose texts a column holds, and no numbers; a number a column.
    of_texts: Vec<Option<u32>>,
    features: Vec<Feature>,
    /// Values of columns that are known.
    pub(super) seen: u64,
    row: Vec<Entry>,
    name: String,
}

const NUMBER: &str = "a finite number up to 1e140 in magnitude";

/// The name of the column of a cell of this feature.
pub(super) fn column_of<'a>(record: &Record, cell: Cell, feature: &'a str) -> Cow<'a, str> {
    match cell {
        Cell::Text(span) | Cell::Bare(span) => format!("{feature}={}", record.text(span)).into(),
        _ => feature.into(),
    }
}

/// What was seen of a feature of the file.
#[derive(Default, Clone)]
struct Feature {
    /// The column of its numbers, once there was one.
    number: Option<u32>,
    texts: usize,
    values: u64,
    /// Values without a column, where the columns are known.
    unknown: u64,
    has_too_many: bool,
}

struct Entry {
    column: u32,
    is_text: bool,
    value: f64,
}

impl Level {
    pub(super) fn found() -> Self {
        Self::new(ColumnNames::default(), None)
    }

    pub(super) fn known(columns: &[String]) -> Self {
        let mut names = ColumnNames::default();
        let mut features = HashSet::new();
        for name in columns {
            // A schema has as many names as its maker had memory for.
            let _ = names.place(name, u64::MAX);
            features.extend(name.match_indices('=').map(|(end, _)| name[..end].to_owned()));
        }
        Self::new(names, Some(features))
    }

    fn new(names: ColumnNames, known: Option<HashSet<String>>) -> Self {
        let (of_texts, features, row, name) = (Vec::new(), Vec::new(), Vec::new(), String::new());
        Self { names, known, of_texts, features, seen: 0, row, name }
    }

    /// Whether a feature is one of the known columns, or its texts are.
    pub(super) fn has(&self, feature: &str) -> bool {
        self.names.find_exactly(feature).is_some()
            || self.known.as_ref().is_some_and(|known| known.contains(feature))
    }

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
                Some((last, sum)) if last == column => {
                    *sum += value;
                    if sum.abs() > rows::numeric::LARGEST {
                        let (place, column) = (record.place(), self.names.name(column).to_owned());
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
        let Some(own) = self.features.get_mut(place).filter(|own| !own.has_too_many) else { return Ok(()) };
        let (is_text, value) = match cell {
            Cell::Missing => return Ok(()),
            Cell::Text(_) | Cell::Bare(_) => (true, 1.0),
            cell => match number(record, cell) {
                Ok(Some(value)) => (false, value),
                Ok(None) => return Ok(()),
                Err(()) => {
                    let mut buffer = String::new();
                    let value = record.written(cell, &mut buffer).to_owned();
                    let (place, column) = (record.place(), feature.to_owned());
                    return Err(FormatError::BadCell { place, column, value, expected: NUMBER });
                }
            },
        };
        if let Some(column) = own.number.filter(|_| !is_text) {
            own.values += 1;
            self.seen += 1;
            self.row.push(Entry { column, is_text, value });
            return Ok(());
        }
        self.name.clear();
        self.name.push_str(feature);
        if let Cell::Text(span) | Cell::Bare(span) = cell {
            self.name.push('=');
            self.name.push_str(record.text(span));
        }
        own.values += 1;
        let before = self.names.len();
        let found = match self.known {
            Some(_) => self.names.find_exactly(&self.name),
            None => Some(self.names.place(&self.name, options.limits.columns).ok_or_else(|| {
                let (place, limit) = (record.place(), options.limits.columns);
                FormatError::TooMany { place, what: "features", limit }
            })?),
        };
        let Some(found) = found else {
            own.unknown += 1;
            return Ok(());
        };
        self.seen += 1;
        own.number = own.number.or((!is_text).then_some(found));
        if self.known.is_none() {
            if self.names.len() > before {
                self.of_texts.push(is_text.then_some(column));
                own.texts += usize::from(is_text);
                let is_asked = options.labels.iter().any(|name| name.trim() == feature);
                own.has_too_many = is_text && !is_asked && own.texts > options.most_labels;
            } else if !is_text && let Some(of_text) = self.of_texts.get_mut(found as usize) {
                *of_text = None;
            }
        }
        self.row.push(Entry { column: found, is_text, value });
        Ok(())
    }

    /// The columns that are found, without identifiers, sorted; and for every column its place among them.
    pub(super) fn sorted(
        &self,
        columns: &ColumnNames,
        options: &LogOptions,
        notes: &mut Vec<String>,
    ) -> (Vec<String>, Vec<Option<u32>>) {
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
        let is_left = |column: &u32| {
            let feature = self.of_texts.get(*column as usize).copied().flatten();
            feature.is_some_and(|feature| is_left.get(feature as usize) == Some(&true))
        };
        let all = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let mut kept: Vec<u32> = (0..all).filter(|column| !is_left(column)).collect();
        kept.sort_unstable_by_key(|column| self.names.name(*column));
        let mut places = vec![None; self.names.len()];
        for (place, column) in (0..).zip(&kept) {
            if let Some(own) = places.get_mut(*column as usize) {
                *own = Some(place);
            }
        }
        (kept.iter().map(|column| self.names.name(*column).to_owned()).collect(), places)
    }

    /// Books the values that no known column has.
    pub(super) fn book(
        &self,
        columns: &ColumnNames,
        facts: &mut ReadFacts,
        extra: &mut BTreeMap<String, u64>,
    ) {
        for (place, own) in (0_u32..).zip(&self.features).filter(|(_, own)| own.unknown > 0) {
            let feature = columns.name(place);
            let is_of_texts = self.known.as_ref().is_some_and(|known| known.contains(feature));
            let counts = if is_of_texts { &mut facts.unknown_labels } else { &mut *extra };
            *counts.entry(feature.to_owned()).or_default() += own.unknown;
        }
    }
}
