//! Labelled rows, one by one.

use crate::FormatError;
use crate::columns::{date, date_or_number};
use crate::error::Place;
use crate::facts::{FileName, Progress, ReadFacts};
use crate::options::LogOptions;
use crate::readers::{Absent, LABEL_OF_VW, Opened, Wanted, open};
use crate::record::{Cell, Record};
use crate::roles::{Role, Roles};
use crate::source::Source;
use off_policy::Value;
use rows::numeric::LARGEST;
use std::ops::Range;

/// The rows of a file or a stream, one at a time, for learners that read no row twice.
///
/// Nothing is inferred of other rows. A cell is a number or a date if it reads as one, else a label; dates
/// count days since 1970. A cell is missing that is empty or null, NaN, NA or the like. In formats that have
/// numbers besides texts, a text is no number. The columns of [`labels`](LogOptions::labels) hold labels
/// whatever they look like. Lists are left out, with a note.
///
/// In Vowpal Wabbit's text the label stands before the first bar, in no column: `1 |f size:2 colour=red`.
/// Features that a line does not have are not among its cells.
///
/// *Memory:* that of one row, and the names of the columns.
///
/// ```
/// use formats::{Examples, LogOptions, Source};
/// use off_policy::Value;
/// let text = "size,colour,since,kind\n2.5,red,1970-01-03,a\n,NA,,\n";
/// let mut rows = Examples::open(Source::bytes("t.csv", text), Some("kind"), &LogOptions::default())?;
/// let first = rows.advance()?.expect("a row");
/// assert_eq!(first.label(), Some("a"));
/// let cells = [("size", Value::Number(2.5)), ("colour", Value::Text("red")), ("since", Value::Number(2.0))];
/// assert_eq!(first.cells().collect::<Vec<_>>(), cells);
/// let second = rows.advance()?.expect("a row");
/// assert_eq!((second.label(), second.cells().next()), (None, Some(("size", Value::Missing))));
/// assert_eq!(second.place().to_string(), "t.csv, line 3");
/// assert!(rows.advance()?.is_none());
/// assert_eq!(rows.finish()?.rows, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Examples {
    opened: Opened,
    file: FileName,
    label: String,
    roles: Roles,
    kinds: Vec<Kind>,
    record: Record,
    rows: u64,
    /// The cells of the row: columns and values, texts by their place in `text`.
    cells: Vec<(u32, Found)>,
    own_label: Option<Range<usize>>,
    text: String,
    buffer: String,
    /// Columns that hold lists.
    lists: Vec<String>,
}

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Left,
    Label,
    /// Labels that may look like numbers.
    Labels,
    Context,
}

/// A cell that was read.
#[derive(Debug, Clone, PartialEq)]
enum Found {
    Missing,
    Number(f64),
    Text(Range<usize>),
}

/// A row of [`Examples`].
#[derive(Clone, Copy)]
pub struct Example<'a> {
    examples: &'a Examples,
}

impl std::fmt::Debug for Examples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Examples").field("file", &self.file).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Example<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Example").field("label", &self.label()).finish_non_exhaustive()
    }
}

impl Examples {
    /// Opens a file or a stream. `label` is the column of the labels, of which rows may have none; `None`
    /// where they [have no column](Self::has_own_labels), or none is wanted.
    ///
    /// # Errors
    /// [`FormatError::Io`], [`FormatError::Empty`], [`FormatError::UnknownFormat`];
    /// [`FormatError::WrongFormat`] for dsjson, whose rows are decisions.
    pub fn open(source: Source, label: Option<&str>, options: &LogOptions) -> Result<Self, FormatError> {
        let file: FileName = source.name().into();
        let opened = open(source, options, &mut crate::facts::quiet, Wanted::Examples)?;
        let label = match has_own_labels(&opened) {
            true => LABEL_OF_VW,
            false => label.unwrap_or_default().trim(),
        };
        let label = label.to_owned();
        let roles = Roles::of_examples(file.clone(), options)?;
        let record = Record::new(file.clone());
        Ok(Self {
            opened,
            file,
            label,
            roles,
            kinds: Vec::new(),
            record,
            rows: 0,
            cells: Vec::new(),
            own_label: None,
            text: String::new(),
            buffer: String::new(),
            lists: Vec::new(),
        })
    }

    /// Whether the labels stand in no column, as in Vowpal Wabbit's text.
    #[must_use]
    pub fn has_own_labels(&self) -> bool {
        has_own_labels(&self.opened)
    }

    /// The next row; `None` behind the last one.
    ///
    /// # Errors
    /// What is wrong with the line; [`FormatError::BadCell`] for a number that is not finite or above 1e140
    /// in magnitude.
    pub fn advance(&mut self) -> Result<Option<Example<'_>>, FormatError> {
        self.cells.clear();
        self.text.clear();
        self.own_label = None;
        if !self.opened.records.advance(&mut self.record)? {
            return Ok(None);
        }
        self.rows += 1;
        self.extend();
        for k in 0..self.record.cells.len() {
            let Some((column, cell)) = self.record.cells.get(k).copied() else { continue };
            match self.kinds.get(column as usize).copied().unwrap_or(Kind::Left) {
                Kind::Left => {}
                Kind::Label => self.own_label = self.keep(cell),
                Kind::Labels => {
                    let found = self.keep(cell).map_or(Found::Missing, Found::Text);
                    self.cells.push((column, found));
                }
                Kind::Context => self.context(column, cell)?,
            }
        }
        Ok(Some(Example { examples: self }))
    }

    /// A cell by what it reads as.
    fn context(&mut self, column: u32, cell: Cell) -> Result<(), FormatError> {
        let found = match cell {
            Cell::List(_) => {
                let name = self.opened.records.columns().name(column);
                if !self.lists.iter().any(|known| known == name) {
                    self.lists.push(name.to_owned());
                }
                return Ok(());
            }
            Cell::Bool(_) => self.keep(cell).map_or(Found::Missing, Found::Text),
            // A format of numbers and texts has said that this is no number.
            Cell::Text(_) => match date(&self.record, cell) {
                Ok(days) => days.map_or(Found::Missing, Found::Number),
                Err(()) => self.keep(cell).map_or(Found::Missing, Found::Text),
            },
            _ => match date_or_number(&self.record, cell) {
                Ok(None) => Found::Missing,
                Ok(Some(number)) => Found::Number(number + 0.0),
                Err(()) if self.is_number(cell) => return Err(self.beyond(column, cell)),
                Err(()) => self.keep(cell).map_or(Found::Missing, Found::Text),
            },
        };
        self.cells.push((column, found));
        Ok(())
    }

    /// Whether a cell is a number, if one that no coordinate holds.
    fn is_number(&self, cell: Cell) -> bool {
        match cell {
            Cell::Integer(_) | Cell::Number(_) => true,
            Cell::Bare(span) => self.record.text(span).parse::<f64>().is_ok_and(|x| x.abs() > LARGEST),
            _ => false,
        }
    }

    fn beyond(&self, column: u32, cell: Cell) -> FormatError {
        FormatError::BadCell {
            place: self.place(),
            column: self.opened.records.columns().name(column).to_owned(),
            value: self.record.written(cell, &mut String::new()).to_owned(),
            expected: "a finite number up to 1e140 in magnitude",
        }
    }

    /// Keeps a cell as it is written; `None` where it is missing.
    fn keep(&mut self, cell: Cell) -> Option<Range<usize>> {
        let written = self.record.written(cell, &mut self.buffer);
        let start = self.text.len();
        self.text.push_str(written);
        (!written.is_empty() && !matches!(cell, Cell::List(_))).then_some(start..self.text.len())
    }

    /// Finds out about the columns that are new.
    fn extend(&mut self) {
        let names = self.opened.records.columns();
        for place in self.kinds.len()..names.len() {
            let name = names.name(u32::try_from(place).unwrap_or(u32::MAX));
            self.kinds.push(match self.roles.role(name) {
                _ if name == self.label && !name.is_empty() => Kind::Label,
                Role::Context if self.roles.labels.iter().any(|own| own.trim() == name) => Kind::Labels,
                Role::Context => Kind::Context,
                _ => Kind::Left,
            });
        }
    }

    fn place(&self) -> Place {
        Place { file: self.file.clone(), row: Some(self.record.row), line: self.record.line }
    }

    /// Refuses a file that lacks the column of the labels, or one of `ignore` and `labels`: once there is a
    /// header, or a first row, so that it says something before the first row and behind the last one.
    ///
    /// # Errors
    /// [`FormatError::MissingColumn`].
    pub fn check_columns(&self) -> Result<(), FormatError> {
        let columns = self.opened.records.columns();
        if !self.opened.records.has_header() && self.rows == 0 {
            return Ok(());
        }
        self.roles.check(columns)?;
        if self.label.is_empty() || columns.find(&self.label).is_some() {
            return Ok(());
        }
        let column = if self.label == LABEL_OF_VW { "the label" } else { &self.label }.to_owned();
        Err(FormatError::MissingColumn { file: self.file.clone(), column, columns: columns.all() })
    }

    /// How far the file is read.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.opened.records.progress(self.rows)
    }

    /// What was found besides the rows, behind the last one.
    ///
    /// # Errors
    /// [`FormatError::NoRows`].
    pub fn finish(mut self) -> Result<ReadFacts, FormatError> {
        let (bytes, sha256) = self.opened.records.fingerprint()?;
        let mut facts = ReadFacts {
            file: self.file.to_string(),
            format: self.opened.format.name().to_owned(),
            skipped: self.opened.records.skipped(),
            notes: self.opened.records.notes(),
            bytes,
            sha256,
            ..ReadFacts::default()
        };
        if self.rows == 0 {
            return Err(FormatError::NoRows { file: self.file, skipped: facts.skipped });
        }
        facts.rows = self.rows;
        let lists = self.lists.iter().map(|name| format!("column {name:?} left out: it holds lists"));
        facts.notes.extend(lists);
        Ok(facts)
    }
}

fn has_own_labels(opened: &Opened) -> bool {
    opened.records.absent() == Absent::Zero
}

impl<'a> Example<'a> {
    /// The label as it is written; `None` where it is missing.
    #[must_use]
    pub fn label(&self) -> Option<&'a str> {
        self.examples.own_label.clone().and_then(|range| self.examples.text.get(range))
    }

    /// The other cells, with the names of their columns.
    pub fn cells(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> + use<'a> {
        let Examples { opened, cells, text, .. } = self.examples;
        let names = opened.records.columns();
        cells.iter().map(move |(column, found)| {
            let value = match found {
                Found::Missing => Value::Missing,
                Found::Number(number) => Value::Number(*number),
                Found::Text(range) => Value::Text(text.get(range.clone()).unwrap_or_default()),
            };
            (names.name(*column), value)
        })
    }

    /// Where the row is.
    #[must_use]
    pub fn place(&self) -> Place {
        self.examples.place()
    }
}
