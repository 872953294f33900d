//! One column while it is read: what it holds is known at the end of the file.

use super::dictionary::Dictionary;
use super::matrix::{Coded, Values};
use super::numbers::is_missing_mark;
use crate::FormatError;
use crate::error::{Seen, quoted};
use crate::record::{Cell, Record};
use off_policy::ContextColumn;
use off_policy::dates::days_since_1970;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// The code of a row without a label.
const NO_LABEL: u32 = u32::MAX;
/// The code of a number whose label is that number, as it is written by itself.
const OF_NUMBER: u32 = u32::MAX - 1;

/// A column of the contexts that may hold numbers, dates or labels.
///
/// As long as every cell is a number or a date, both the numbers and the labels are kept, so that a text in
/// the last row makes labels of them all. A column with more labels than are allowed keeps its numbers alone.
/// *Memory:* 8 bytes a row of numbers, 4 a row of labels.
pub(super) struct Column {
    name: String,
    is_forced: bool,
    most_labels: usize,
    /// The rows that have a cell, where not all have.
    rows: Option<Vec<u32>>,
    store: Store,
    counts: Counts,
    first_text: Option<Seen>,
    /// The first number that is not finite or too large.
    bad_number: Option<Seen>,
    rising: Rising,
    /// A row has two labels.
    is_set: bool,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Counts {
    numbers: u64,
    dates: u64,
    texts: u64,
    /// Texts that say that a number is missing.
    marks: u64,
    missing: u64,
    lists: u64,
}

enum Store {
    /// All cells so far are numbers, or all are dates. The codes are there until there are too many labels.
    Numbers {
        numbers: Vec<f64>,
        labels: Option<(Vec<u32>, Dictionary)>,
    },
    Labels {
        codes: Vec<u32>,
        dictionary: Dictionary,
    },
    /// Nothing is kept.
    TooMany,
}

/// Whether the cells are whole numbers that rise from row to row, as row numbers do.
struct Rising {
    holds: bool,
    first: f64,
    last: f64,
}

/// What decides which kind a column is of: of the rows of a rank, and of all.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Summary {
    counts: Counts,
    first_text: Option<Seen>,
    bad_number: Option<Seen>,
    /// Whether the cells are whole numbers that rise.
    rises: bool,
    /// The bits of the first and the last number.
    ends: Option<[u64; 2]>,
    is_set: bool,
    /// Whether some labels are not kept, because there are too many.
    pub(super) has_too_many: bool,
}

/// A column that was read to the end.
pub(super) enum Finished {
    /// Columns of the contexts, one as a rule.
    Coded { columns: Vec<Coded>, missing: u64, note: Option<String> },
    /// Left out, and why.
    Left(String),
}

impl Column {
    /// In a sparse column a row without a cell has no value at all.
    pub(super) fn new(name: &str, is_forced: bool, is_sparse: bool, most_labels: usize) -> Self {
        let store = if is_forced {
            Store::Labels { codes: Vec::new(), dictionary: Dictionary::default() }
        } else {
            Store::Numbers { numbers: Vec::new(), labels: Some((Vec::new(), Dictionary::default())) }
        };
        Self {
            name: name.to_owned(),
            is_forced,
            most_labels,
            rows: is_sparse.then(Vec::new),
            store,
            counts: Counts::default(),
            first_text: None,
            bad_number: None,
            rising: Rising { holds: true, first: f64::NEG_INFINITY, last: f64::NEG_INFINITY },
            is_set: false,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Rows that it has, in a column that is not sparse.
    pub(super) fn len(&self) -> u64 {
        let counts = &self.counts;
        counts.numbers + counts.dates + counts.texts + counts.marks + counts.missing + counts.lists
    }

    /// Empty cells up to this number of rows.
    pub(super) fn fill(&mut self, rows: u64) {
        let more = rows.saturating_sub(self.len());
        if more == 0 || self.rows.is_some() {
            return;
        }
        self.counts.missing += more;
        self.rising.holds = false;
        let more = usize::try_from(more).unwrap_or(usize::MAX);
        match &mut self.store {
            Store::Numbers { numbers, labels } => {
                numbers.resize(numbers.len().saturating_add(more), f64::NAN);
                if let Some((codes, _)) = labels {
                    codes.resize(codes.len().saturating_add(more), NO_LABEL);
                }
            }
            Store::Labels { codes, .. } => codes.resize(codes.len().saturating_add(more), NO_LABEL),
            Store::TooMany => {}
        }
    }

    /// The cell of the next row, or of the row with this index in a sparse column.
    pub(super) fn push(&mut self, cell: Cell, index: u32, record: &Record, buffer: &mut String) {
        if let Some(rows) = &mut self.rows {
            if rows.last() == Some(&index) {
                if self.add_to_last(cell, record, buffer) {
                    return;
                }
                self.is_set = true;
                self.make_labels(self.counts.dates > 0);
            }
            if let Some(rows) = &mut self.rows {
                rows.push(index);
            }
        }
        match cell {
            Cell::Missing => {
                self.counts.missing += 1;
                self.rising.holds = false;
                self.keep(f64::NAN, Code::None);
            }
            Cell::List(_) => {
                self.counts.lists += 1;
                self.keep(f64::NAN, Code::None);
            }
            Cell::Bool(_) => {
                let text = record.written(cell, buffer);
                self.text(text, record);
            }
            Cell::Integer(number) => {
                #[allow(clippy::cast_precision_loss, reason = "a number of a context is a double")]
                let double = number as f64;
                if number.unsigned_abs() <= 1 << 53 {
                    self.number(double, Code::OfNumber);
                } else {
                    let text = record.written(cell, buffer);
                    self.number(double, Code::Label(text));
                }
            }
            Cell::Number(number) if number.is_nan() => {
                self.push_missing();
            }
            Cell::Number(number) if number.abs() <= LARGEST => self.number(number, Code::OfNumber),
            Cell::Number(number) => {
                let text = record.written(cell, buffer);
                self.bad(text, record);
                self.number(if number.is_finite() { number } else { f64::NAN }, Code::Label(text));
            }
            Cell::Days(days) => self.date(days, Code::OfDate),
            Cell::Bare(span) => {
                let text = record.text(span);
                match text.parse::<f64>() {
                    Ok(number) if number.is_nan() => self.mark(text),
                    Ok(number) => {
                        let is_bad = number.abs() > LARGEST;
                        if is_bad {
                            self.bad(text, record);
                        }
                        self.number(if is_bad { f64::NAN } else { number }, Code::Label(text));
                    }
                    Err(_) => self.date_or_text(text, record),
                }
            }
            Cell::Text(span) => {
                let text = record.text(span);
                self.date_or_text(text, record);
            }
        }
    }

    fn push_missing(&mut self) {
        self.counts.missing += 1;
        self.rising.holds = false;
        self.keep(f64::NAN, Code::None);
    }

    /// Adds a second number of a feature to the first, as Vowpal Wabbit does; the same label twice is one
    /// label. False for another label.
    fn add_to_last(&mut self, cell: Cell, record: &Record, buffer: &mut String) -> bool {
        let number = match cell {
            Cell::Number(number) => Some(number),
            #[allow(clippy::cast_precision_loss, reason = "a number of a context is a double")]
            Cell::Integer(number) => Some(number as f64),
            _ => None,
        };
        let mut is_beyond = false;
        let is_done = match &mut self.store {
            Store::Numbers { numbers, .. } if self.counts.dates == 0 => match (numbers.last_mut(), number) {
                (Some(last), Some(number)) => {
                    let sum = if last.is_nan() { number } else { *last + number };
                    is_beyond = !(sum.abs() <= LARGEST);
                    *last = if is_beyond { f64::NAN } else { sum };
                    self.counts.numbers += 1;
                    true
                }
                _ => cell == Cell::Missing,
            },
            Store::Labels { codes, dictionary } => {
                codes.last().and_then(|code| dictionary.label(*code)) == Some(record.written(cell, buffer))
            }
            Store::Numbers { .. } | Store::TooMany => false,
        };
        if is_beyond {
            let text = record.written(cell, buffer);
            self.bad(text, record);
        }
        is_done
    }

    fn bad(&mut self, text: &str, record: &Record) {
        self.bad_number.get_or_insert_with(|| Seen::new(record.place(), text));
    }

    fn date_or_text(&mut self, text: &str, record: &Record) {
        if is_missing_mark(text) {
            self.mark(text);
        } else if let Some(days) = days_since_1970(text) {
            self.date(days, Code::Label(text));
        } else {
            self.text(text, record);
        }
    }

    /// A text that says that a number is missing.
    fn mark(&mut self, text: &str) {
        self.counts.marks += 1;
        self.rising.holds = false;
        self.keep(f64::NAN, Code::Label(text));
    }

    fn number(&mut self, number: f64, code: Code<'_>) {
        self.counts.numbers += 1;
        self.rising.holds &= number > self.rising.last && number.fract() == 0.0;
        self.rising.last = number;
        if self.counts.numbers == 1 {
            self.rising.first = number;
        }
        if self.counts.dates > 0 {
            self.make_labels(true);
        }
        self.keep(number, code);
    }

    fn date(&mut self, days: f64, code: Code<'_>) {
        self.counts.dates += 1;
        self.rising.holds = false;
        if self.counts.numbers > 0 {
            self.make_labels(false);
        }
        self.keep(days, code);
    }

    fn text(&mut self, text: &str, record: &Record) {
        self.counts.texts += 1;
        self.first_text.get_or_insert_with(|| Seen::new(record.place(), text));
        self.make_labels(self.counts.dates > 0);
        self.keep(f64::NAN, Code::Label(text));
    }

    fn keep(&mut self, number: f64, code: Code<'_>) {
        let limit = if self.is_forced { usize::MAX } else { self.most_labels };
        match &mut self.store {
            Store::Numbers { numbers, labels } => {
                numbers.push(number);
                if let Some((codes, dictionary)) = labels {
                    match code {
                        Code::None => codes.push(NO_LABEL),
                        // The codes of typed numbers and dates follow from the numbers.
                        Code::OfNumber | Code::OfDate => codes.push(OF_NUMBER),
                        Code::Label(text) => codes.push(dictionary.number(text)),
                    }
                    if dictionary.len() > limit {
                        *labels = None;
                    }
                }
            }
            Store::Labels { codes, dictionary } => {
                codes.push(match code {
                    Code::None => NO_LABEL,
                    Code::OfNumber => dictionary.number(&written(number, false)),
                    Code::OfDate => dictionary.number(&written(number, true)),
                    Code::Label(text) => dictionary.number(text),
                });
                if dictionary.len() > limit {
                    self.store = Store::TooMany;
                }
            }
            Store::TooMany => {}
        }
    }

    /// From here on the cells are labels; those so far are dates or numbers.
    fn make_labels(&mut self, are_dates: bool) {
        let Store::Numbers { numbers, labels } = &mut self.store else { return };
        let Some((mut codes, mut dictionary)) = labels.take() else {
            self.store = Store::TooMany;
            return;
        };
        for (code, number) in codes.iter_mut().zip(&*numbers) {
            if *code == OF_NUMBER {
                *code = dictionary.number(&written(*number, are_dates));
                if dictionary.len() > self.most_labels && !self.is_forced {
                    self.store = Store::TooMany;
                    return;
                }
            }
        }
        self.store = Store::Labels { codes, dictionary };
    }

    /// What is known at the end of this many rows.
    pub(super) fn summary(&mut self, rows: u64) -> Summary {
        self.fill(rows);
        let ends = [self.rising.first, self.rising.last].map(f64::to_bits);
        Summary {
            counts: self.counts.clone(),
            first_text: self.first_text.take(),
            bad_number: self.bad_number.take(),
            rises: self.rising.holds,
            ends: (self.counts.numbers > 0).then_some(ends),
            is_set: self.is_set,
            has_too_many: matches!(self.store, Store::Numbers { labels: None, .. } | Store::TooMany),
        }
    }

    /// The labels of these rows, where those of all ranks are labels; `None` where there are too many.
    pub(super) fn labels(&mut self) -> Option<&mut Dictionary> {
        self.make_labels(self.counts.dates > 0);
        match &mut self.store {
            Store::Labels { dictionary, .. } => Some(dictionary),
            Store::Numbers { .. } | Store::TooMany => None,
        }
    }

    /// Whether the cells of all ranks are labels.
    pub(super) fn is_of_labels(&self, all: &Summary) -> bool {
        let Counts { numbers, dates, texts, .. } = all.counts;
        self.is_forced || all.is_set || texts > 0 || (numbers > 0 && dates > 0)
    }

    /// What the column holds, by what is known of this many rows of all ranks. Its labels are those of all
    /// ranks.
    pub(super) fn finish(mut self, all: &Summary, rows: u64) -> Result<Finished, FormatError> {
        let name = self.name.clone();
        let Counts { numbers, dates, texts, marks, missing, lists } = all.counts;
        if lists > 0 {
            return Ok(Finished::Left(format!("column {} left out: it holds lists", quoted(&name))));
        }
        if numbers + dates + texts == 0 && !(self.is_forced && marks > 0) {
            return Ok(Finished::Left(format!(
                "column {} left out: it is empty in every row",
                quoted(&name)
            )));
        }
        match std::mem::replace(&mut self.store, Store::TooMany) {
            Store::Numbers { numbers, .. } if !self.is_of_labels(all) => {
                if let Some(seen) = &all.bad_number {
                    let expected = "a finite number up to 1e140 in magnitude";
                    let (place, value) = (seen.place(), seen.value.clone());
                    return Err(FormatError::BadCell { place, column: name, value, expected });
                }
                let missing = missing + marks;
                let column = match (dates > 0, missing > 0) {
                    (false, false) => ContextColumn::Number { name: name.clone() },
                    (false, true) => ContextColumn::NumberOrMissing { name: name.clone() },
                    (true, false) => ContextColumn::Date { name: name.clone() },
                    (true, true) => ContextColumn::DateOrMissing { name: name.clone() },
                };
                let note = (all.rises && self.rows.is_none() && rows >= 20).then(|| {
                    format!(
                        "column {} holds whole numbers that rise from row to row: leave it out if it \
                         only numbers the rows",
                        quoted(&name)
                    )
                });
                let columns = vec![Coded { column, rows: self.rows, values: Values::Numbers(numbers) }];
                Ok(Finished::Coded { columns, missing, note })
            }
            Store::Labels { codes, dictionary }
                if !all.has_too_many && (self.is_forced || dictionary.len() <= self.most_labels) =>
            {
                let (distinct, present) = (dictionary.len() as u64, numbers + dates + texts + marks);
                if !self.is_forced && distinct > 50 && distinct * 2 > present {
                    return self.too_many(all, Some(distinct));
                }
                Ok(self.coded(all, codes, dictionary))
            }
            _ => self.too_many(all, None),
        }
    }

    fn coded(self, all: &Summary, mut codes: Vec<u32>, mut dictionary: Dictionary) -> Finished {
        let (missing, name) = (all.counts.missing, self.name);
        // A missing label is the empty one.
        if missing > 0 {
            let empty = dictionary.number("");
            codes.iter_mut().filter(|code| **code == NO_LABEL).for_each(|code| *code = empty);
        }
        let (labels, places) = dictionary.sorted();
        for code in &mut codes {
            *code = places.get(*code as usize).copied().unwrap_or_default();
        }
        if all.is_set {
            return sets(&name, &self.rows.unwrap_or_default(), &codes, &labels);
        }
        let column = ContextColumn::Labels { name, labels };
        let columns = vec![Coded { column, rows: self.rows, values: Values::Codes(codes) }];
        Finished::Coded { columns, missing, note: None }
    }

    /// Too many labels: identifiers, or numbers with a text among them.
    fn too_many(&self, all: &Summary, distinct: Option<u64>) -> Result<Finished, FormatError> {
        let Counts { numbers, dates, texts, marks, .. } = all.counts;
        let present = numbers + dates + texts + marks;
        for (count, expected) in [(numbers, "a number"), (dates, "a date")] {
            if let Some(seen) = &all.first_text
                && count * 2 > present
            {
                let (column, value) = (self.name.clone(), seen.value.clone());
                return Err(FormatError::MixedColumn { place: seen.place(), column, value, expected });
            }
        }
        let count = distinct.map_or_else(|| format!("more than {}", self.most_labels), |n| n.to_string());
        Ok(Finished::Left(format!(
            "column {} left out: {count} labels in {present} rows look like identifiers; name it among the \
             columns of labels to keep it",
            quoted(&self.name)
        )))
    }
}

impl Summary {
    /// Adds what is known of the rows of the next rank.
    pub(super) fn append(&mut self, next: Self) {
        let (own, of_next) = (&mut self.counts, &next.counts);
        own.numbers += of_next.numbers;
        own.dates += of_next.dates;
        own.texts += of_next.texts;
        own.marks += of_next.marks;
        own.missing += of_next.missing;
        own.lists += of_next.lists;
        self.first_text = self.first_text.take().or(next.first_text);
        self.bad_number = self.bad_number.take().or(next.bad_number);
        self.rises &= next.rises;
        self.ends = match (self.ends, next.ends) {
            (Some([first, before]), Some([behind, last])) => {
                self.rises &= f64::from_bits(before) < f64::from_bits(behind);
                Some([first, last])
            }
            (own, of_next) => own.or(of_next),
        };
        self.is_set |= next.is_set;
        self.has_too_many |= next.has_too_many;
    }
}

/// A typed number or date as a label.
fn written(number: f64, is_date: bool) -> String {
    let date = is_date.then(|| off_policy::dates::date_of_days(number)).flatten();
    date.unwrap_or_else(|| (number + 0.0).to_string())
}

/// How a cell is written as a label.
#[derive(Clone, Copy)]
enum Code<'a> {
    None,
    /// As its number.
    OfNumber,
    /// As the date of these days since 1970.
    OfDate,
    Label(&'a str),
}

/// A column whose rows have several labels: one of numbers a label, 1 where the label stands.
fn sets(name: &str, rows: &[u32], codes: &[u32], labels: &[String]) -> Finished {
    let mut of_label: Vec<Vec<u32>> = labels.iter().map(|_| Vec::new()).collect();
    for (row, code) in rows.iter().zip(codes) {
        if let Some(rows) = of_label.get_mut(*code as usize)
            && rows.last() != Some(row)
        {
            rows.push(*row);
        }
    }
    let columns = labels.iter().zip(of_label).map(|(label, rows)| {
        let column = ContextColumn::Number { name: format!("{name}={label}") };
        let values = Values::Numbers(vec![1.0; rows.len()]);
        Coded { column, rows: Some(rows), values }
    });
    Finished::Coded { columns: columns.collect(), missing: 0, note: None }
}
