//! One column while it is read: what it holds is known at the end of the file.

use super::dictionary::Dictionary;
use super::matrix::{Coded, Values};
use super::numbers::is_missing_mark;
use crate::FormatError;
use crate::error::{Place, quoted};
use crate::record::{Cell, Record};
use off_policy::ContextColumn;
use off_policy::dates::days_since_1970;
use rows::numeric::LARGEST;

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

/// A cell of a row, for a message.
struct Seen {
    place: Place,
    value: String,
}

#[derive(Default)]
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
    last: f64,
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
            rising: Rising { holds: true, last: f64::NEG_INFINITY },
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
                self.make_labels();
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
            Cell::Days(days) => self.date(days, Code::OfNumber),
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
        self.bad_number.get_or_insert_with(|| Seen { place: record.place(), value: text.to_owned() });
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
        if self.counts.dates > 0 {
            self.make_labels();
        }
        self.keep(number, code);
    }

    fn date(&mut self, days: f64, code: Code<'_>) {
        self.counts.dates += 1;
        self.rising.holds = false;
        if self.counts.numbers > 0 {
            self.make_labels();
        }
        self.keep(days, code);
    }

    fn text(&mut self, text: &str, record: &Record) {
        self.counts.texts += 1;
        self.first_text.get_or_insert_with(|| Seen { place: record.place(), value: text.to_owned() });
        self.make_labels();
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
                        // The codes of typed numbers follow from the numbers.
                        Code::OfNumber => codes.push(OF_NUMBER),
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
                    Code::OfNumber => dictionary.number(&(number + 0.0).to_string()),
                    Code::Label(text) => dictionary.number(text),
                });
                if dictionary.len() > limit {
                    self.store = Store::TooMany;
                }
            }
            Store::TooMany => {}
        }
    }

    /// From here on the cells are labels.
    fn make_labels(&mut self) {
        let Store::Numbers { numbers, labels } = &mut self.store else { return };
        let Some((mut codes, mut dictionary)) = labels.take() else {
            self.store = Store::TooMany;
            return;
        };
        let of_dates = self.counts.dates > 0 && self.counts.numbers == 0;
        for (code, number) in codes.iter_mut().zip(&*numbers) {
            if *code == OF_NUMBER {
                let date = of_dates.then(|| off_policy::dates::date_of_days(*number)).flatten();
                let text = date.unwrap_or_else(|| (number + 0.0).to_string());
                *code = dictionary.number(&text);
                if dictionary.len() > self.most_labels && !self.is_forced {
                    self.store = Store::TooMany;
                    return;
                }
            }
        }
        self.store = Store::Labels { codes, dictionary };
    }

    /// What the column holds, of a file of this many rows.
    pub(super) fn finish(mut self, rows: u64) -> Result<Finished, FormatError> {
        self.fill(rows);
        let name = self.name.clone();
        let Counts { numbers, dates, texts, marks, missing, lists } = self.counts;
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
            Store::Numbers { numbers, .. } => {
                if let Some(seen) = &self.bad_number {
                    let expected = "a finite number up to 1e140 in magnitude";
                    let value = seen.value.clone();
                    return Err(FormatError::BadCell {
                        place: seen.place.clone(),
                        column: name,
                        value,
                        expected,
                    });
                }
                let missing = missing + marks;
                let column = match (dates > 0, missing > 0) {
                    (false, false) => ContextColumn::Number { name: name.clone() },
                    (false, true) => ContextColumn::NumberOrMissing { name: name.clone() },
                    (true, false) => ContextColumn::Date { name: name.clone() },
                    (true, true) => ContextColumn::DateOrMissing { name: name.clone() },
                };
                let note = (self.rising.holds && self.rows.is_none() && rows >= 20).then(|| {
                    format!(
                        "column {} holds whole numbers that rise from row to row: leave it out if it \
                         only numbers the rows",
                        quoted(&name)
                    )
                });
                let columns = vec![Coded { column, rows: self.rows, values: Values::Numbers(numbers) }];
                Ok(Finished::Coded { columns, missing, note })
            }
            Store::TooMany => self.too_many(None),
            Store::Labels { codes, dictionary } => {
                let (distinct, present) = (dictionary.len() as u64, numbers + dates + texts + marks);
                if !self.is_forced && distinct > 50 && distinct * 2 > present {
                    return self.too_many(Some(distinct));
                }
                self.labels(codes, dictionary)
            }
        }
    }

    fn labels(self, mut codes: Vec<u32>, mut dictionary: Dictionary) -> Result<Finished, FormatError> {
        let missing = self.counts.missing;
        let name = self.name;
        if self.is_set {
            return Ok(sets(&name, &self.rows.unwrap_or_default(), codes, dictionary));
        }
        // A missing label is the empty one.
        if missing > 0 {
            let empty = dictionary.number("");
            codes.iter_mut().filter(|code| **code == NO_LABEL).for_each(|code| *code = empty);
        }
        let (labels, places) = dictionary.sorted();
        for code in &mut codes {
            *code = places.get(*code as usize).copied().unwrap_or_default();
        }
        let column = ContextColumn::Labels { name, labels };
        let columns = vec![Coded { column, rows: self.rows, values: Values::Codes(codes) }];
        Ok(Finished::Coded { columns, missing, note: None })
    }

    /// Too many labels: identifiers, or numbers with a text among them.
    fn too_many(&self, distinct: Option<u64>) -> Result<Finished, FormatError> {
        let Counts { numbers, dates, texts, marks, .. } = self.counts;
        let present = numbers + dates + texts + marks;
        for (count, expected) in [(numbers, "a number"), (dates, "a date")] {
            if let Some(seen) = &self.first_text
                && count * 2 > present
            {
                let (column, value) = (self.name.clone(), seen.value.clone());
                return Err(FormatError::MixedColumn { place: seen.place.clone(), column, value, expected });
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

/// How a cell is written as a label.
#[derive(Clone, Copy)]
enum Code<'a> {
    None,
    /// As its number.
    OfNumber,
    Label(&'a str),
}

/// A column whose rows have several labels: one of numbers a label, 1 where the label stands.
fn sets(name: &str, rows: &[u32], mut codes: Vec<u32>, mut dictionary: Dictionary) -> Finished {
    let has_missing = codes.contains(&NO_LABEL);
    if has_missing {
        let empty = dictionary.number("");
        codes.iter_mut().filter(|code| **code == NO_LABEL).for_each(|code| *code = empty);
    }
    let (labels, places) = dictionary.sorted();
    let mut of_label: Vec<Vec<u32>> = labels.iter().map(|_| Vec::new()).collect();
    for (row, code) in rows.iter().zip(&codes) {
        let place = places.get(*code as usize).copied().unwrap_or_default();
        if let Some(rows) = of_label.get_mut(place as usize)
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
