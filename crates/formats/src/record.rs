//! One row as a reader hands it on: cells by column, and in Vowpal Wabbit's formats the decision.

use crate::FormatError;
use crate::error::Place;
use crate::facts::FileName;

/// A piece of the text of a record, or of its list items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    start: usize,
    end: usize,
}

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    /// Empty, null or NaN.
    Missing,
    /// A whole number, which a double may not hold.
    Integer(i64),
    Number(f64),
    /// Days since 1970, in a format that has a type for them.
    Days(f64),
    Bool(bool),
    /// A text of a format without types: perhaps a number.
    Bare(Span),
    /// A text of a format that has numbers besides.
    Text(Span),
    /// Several cells.
    List(Span),
}

/// Which actions there were, in a format that says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Offered {
    /// By name, the shown one among them or not at all.
    Named { shown: Option<Span>, list: Option<Span> },
    /// By place. The tags, one an action, are names that may do as well.
    Placed { shown: Option<u32>, count: u32, tags: Option<Span> },
}

impl Offered {
    /// The same where it does not matter which was shown.
    pub(crate) fn unseen(self) -> Self {
        match self {
            Self::Named { list, .. } => Self::Named { shown: None, list },
            Self::Placed { count, tags, .. } => Self::Placed { shown: None, count, tags },
        }
    }
}

/// A decision and what came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decision {
    pub(crate) offered: Offered,
    pub(crate) propensity: Option<f64>,
    pub(crate) cost: Option<f64>,
    pub(crate) weight: f64,
}

/// A row. It is used again for the next one, so that reading allocates nothing.
#[derive(Debug)]
pub(crate) struct Record {
    file: FileName,
    /// From 1, whatever messages count from.
    pub(crate) row: u64,
    /// What messages call the first row: 1 in a file, 0 in memory.
    pub(crate) first: u64,
    /// Where it begins, in a format of lines.
    pub(crate) line: Option<u64>,
    /// Column and cell; columns by the order in which the reader found them.
    pub(crate) cells: Vec<(u32, Cell)>,
    pub(crate) decision: Option<Decision>,
    text: String,
    items: Vec<Cell>,
    /// The cells of the candidates, one after the other, and where those of each end.
    of_candidates: Vec<(u32, Cell)>,
    candidates: Vec<usize>,
}

impl Record {
    pub(crate) fn new(file: FileName) -> Self {
        let (cells, text, items) = (Vec::new(), String::new(), Vec::new());
        let (of_candidates, candidates) = (Vec::new(), Vec::new());
        let (row, first, line, decision) = (0, 1, None, None);
        Self { file, row, first, line, cells, decision, text, items, of_candidates, candidates }
    }

    /// Where it is, for messages.
    pub(crate) fn place(&self) -> Place {
        let row = self.row.checked_sub(1).map(|before| before + self.first);
        Place { file: self.file.clone(), row, line: self.line }
    }

    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
        self.items.clear();
        self.decision = None;
        self.of_candidates.clear();
        self.candidates.clear();
    }

    /// The cells from this one on are those of a candidate, and none of the context.
    pub(crate) fn end_candidate(&mut self, first: usize) {
        let first = first.min(self.cells.len());
        self.of_candidates.extend(self.cells.drain(first..));
        self.candidates.push(self.of_candidates.len());
    }

    /// The number of candidates with cells of their own.
    pub(crate) fn candidates(&self) -> usize {
        self.candidates.len()
    }

    /// The cells of a candidate.
    pub(crate) fn candidate(&self, k: usize) -> &[(u32, Cell)] {
        let start = k.checked_sub(1).and_then(|before| self.candidates.get(before)).copied();
        let end = self.candidates.get(k).copied().unwrap_or_default();
        self.of_candidates.get(start.unwrap_or_default()..end).unwrap_or_default()
    }

    /// The propensity of a decision, in (0, 1] where there is one.
    pub(crate) fn propensity(&self, decision: &Decision) -> Result<Option<f64>, FormatError> {
        match decision.propensity {
            Some(p) if !(p > 0.0 && p <= 1.0) => Err(FormatError::BadCell {
                place: self.place(),
                column: "the probability".into(),
                value: p.to_string(),
                expected: "a propensity in (0, 1]",
            }),
            propensity => Ok(propensity),
        }
    }

    /// Gives columns the numbers that they have in another list of columns.
    pub(crate) fn renumber(&mut self, places: &[u32]) {
        for (column, _) in self.cells.iter_mut().chain(&mut self.of_candidates) {
            *column = places.get(*column as usize).copied().unwrap_or(u32::MAX);
        }
    }

    /// Keeps a text, without the white space around it.
    pub(crate) fn keep(&mut self, text: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(text.trim());
        Span { start, end: self.text.len() }
    }

    /// A text as a cell, which is missing where it is blank.
    pub(crate) fn text_cell(&mut self, text: &str) -> Cell {
        if text.trim().is_empty() { Cell::Missing } else { Cell::Text(self.keep(text)) }
    }

    /// The same of a format without types.
    pub(crate) fn bare_cell(&mut self, text: &str) -> Cell {
        if text.trim().is_empty() { Cell::Missing } else { Cell::Bare(self.keep(text)) }
    }

    /// Keeps the items of a list.
    pub(crate) fn list(&mut self, items: impl IntoIterator<Item = Cell>) -> Span {
        let start = self.items.len();
        self.items.extend(items);
        Span { start, end: self.items.len() }
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    pub(crate) fn items(&self, span: Span) -> &[Cell] {
        self.items.get(span.start..span.end).unwrap_or_default()
    }

    /// How a cell is written as a label, or in a message: 8000 for 8000.0.
    pub(crate) fn written<'a>(&'a self, cell: Cell, buffer: &'a mut String) -> &'a str {
        use std::fmt::Write;
        buffer.clear();
        // A string takes all that is written to it.
        let _ = match cell {
            Cell::Bare(span) | Cell::Text(span) => return self.text(span),
            Cell::Missing => Ok(()),
            Cell::Integer(number) => write!(buffer, "{number}"),
            // −0 is 0.
            Cell::Number(number) => write!(buffer, "{}", number + 0.0),
            Cell::Days(days) => match off_policy::dates::date_of_days(days) {
                Some(date) => write!(buffer, "{date}"),
                None => write!(buffer, "{days}"),
            },
            Cell::Bool(value) => write!(buffer, "{value}"),
            Cell::List(span) => write!(buffer, "a list of {}", self.items(span).len()),
        };
        buffer
    }
}
