//! One column while it is read: what it holds is known at the end of the file.

use super::dictionary::Dictionary;
use super::numbers::is_missing_mark;
use super::summary::{Counts, Summary};
use crate::error::Seen;
use crate::record::{Cell, Record};
use off_policy::dates::days_since_1970;
use rows::numeric::LARGEST;

/// The code of a row without a label.
pub(super) const NO_LABEL: u32 = u32::MAX;
/// The code of a number whose label is that number, as it is written by itself.
const OF_NUMBER: u32 = u32::MAX - 1;

/// A column of the contexts that may hold numbers, dates or labels.
///
/// As long as every cell is a number or a date, both the numbers and the labels are kept, so that a text in
/// the last row makes labels of them all. A column with more labels than are allowed keeps its numbers alone.
/// *Memory:* 8 bytes a row of numbers, 4 a row of labels.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) is_forced: bool,
    pub(super) most_labels: usize,
    /// The rows that have a cell, where not all have.
    pub(super) rows: Option<Vec<u32>>,
    pub(super) store: Store,
    counts: Counts,
    first_text: Option<Seen>,
    /// The first number that is not finite or too large.
    bad_number: Option<Seen>,
    rising: Rising,
    /// A row has two labels.
    is_set: bool,
    /// A row has two cells.
    pub(super) is_repeated: bool,
    /// The sum of the numbers of the last row, where there are several.
    sum: Option<f64>,
}

pub(super) enum Store {
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
            is_repeated: false,
            sum: None,
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
        let Some(rows) = &mut self.rows else { return self.cell(cell, record, buffer) };
        let is_again = rows.last() == Some(&index);
        if is_again && self.is_last(cell, record, buffer) {
            return;
        }
        if let Some(rows) = &mut self.rows {
            rows.push(index);
        }
        let before = self.counts.kinds();
        self.cell(cell, record, buffer);
        if is_again {
            let kinds = self.counts.kinds().into_iter().zip(before).map(|(kind, before)| kind - before);
            self.counts.again.iter_mut().zip(kinds).for_each(|(again, more)| *again += more);
            self.add_to_last(cell, record, buffer);
        } else {
            self.sum = None;
        }
    }

    #[inline]
    fn cell(&mut self, cell: Cell, record: &Record, buffer: &mut String) {
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

    /// Whether a second cell of a feature in a row says what the one before says: the same date or label.
    fn is_last(&mut self, cell: Cell, record: &Record, buffer: &mut String) -> bool {
        if cell == Cell::Missing {
            return true;
        }
        let (Cell::Bool(_) | Cell::Text(_) | Cell::Bare(_)) = cell else { return false };
        let text = record.written(cell, buffer);
        match &self.store {
            Store::Labels { codes, dictionary } => {
                codes.last().and_then(|code| dictionary.label(*code)) == Some(text)
            }
            Store::Numbers { numbers, .. } => {
                self.counts.dates > 0 && days_since_1970(text).as_ref() == numbers.last()
            }
            Store::TooMany => false,
        }
    }

    /// A second cell of a feature in a row. Numbers add up, as Vowpal Wabbit has it, if the column turns out
    /// to be one of numbers; so their sum is bounded as a number is. Dates do not.
    fn add_to_last(&mut self, cell: Cell, record: &Record, buffer: &mut String) {
        self.is_repeated = true;
        let Store::Numbers { numbers, .. } = &self.store else { return };
        if self.counts.dates > 0 {
            self.is_set = true;
            self.make_labels(true);
            return;
        }
        let [.., before, last] = numbers[..] else { return };
        let sum = sum(self.sum.unwrap_or(before), last);
        self.sum = Some(sum);
        if sum.abs() > LARGEST {
            let text = record.written(cell, buffer);
            self.bad(text, record);
        }
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

    /// The labels of these rows, where those of all ranks are labels, and whether a row has two; `None` where
    /// there are too many.
    pub(super) fn labels(&mut self) -> Option<(&mut Dictionary, bool)> {
        self.make_labels(self.counts.dates > 0);
        let Store::Labels { codes, dictionary } = &mut self.store else { return None };
        if self.is_repeated && !self.is_set {
            let rows = self.rows.as_deref().unwrap_or_default().windows(2);
            self.is_set =
                rows.zip(codes.windows(2)).any(|(rows, codes)| rows[0] == rows[1] && codes[0] != codes[1]);
        }
        Some((dictionary, self.is_set))
    }

    /// Whether the cells of all ranks are labels.
    pub(super) fn is_of_labels(&self, all: &Summary) -> bool {
        let Counts { numbers, dates, texts, .. } = all.counts;
        self.is_forced || all.is_set || texts > 0 || (numbers > 0 && dates > 0)
    }
}

/// The sum of two numbers that may be missing.
pub(super) fn sum(number: f64, next: f64) -> f64 {
    match (number.is_nan(), next.is_nan()) {
        (true, _) => next,
        (_, true) => number,
        _ => number + next,
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
