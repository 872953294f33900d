//! One pass over the records of a file, or of several with the same columns.

use crate::FormatError;
use crate::facts::{FileName, Progress, ReadFacts, ReadFile, Skipped};
use crate::options::{Format, LogOptions};
use crate::readers::{Absent, ColumnNames, Opened, Wanted, open};
use crate::record::Record;
use crate::source::Source;
use std::ops::ControlFlow;

/// How many rows are read between two calls of a watcher.
const ROWS_A_CALL: u64 = 1024;

/// The files of a log, each opened when the one before it has been read.
pub(crate) type Sources<'a> = &'a mut dyn Iterator<Item = Result<Source, FormatError>>;
pub(crate) type Watcher<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// The records of all files, as if they were one: columns have one number whatever their place in a file.
pub(crate) struct Files<'a> {
    rest: Sources<'a>,
    options: &'a LogOptions,
    wanted: Wanted,
    /// The file that is read.
    file: FileName,
    opened: Opened,
    /// The numbers of its columns.
    places: Vec<u32>,
    /// Whether a file so far has its columns in another order than they were found.
    is_mapped: bool,
    columns: ColumnNames,
    /// Of the first file.
    first: (FileName, Format),
    has_header: bool,
    /// The rows of the file that is read, and of all.
    own_rows: u64,
    rows: u64,
    read: Vec<ReadFile>,
    skipped: Vec<Skipped>,
    notes: Vec<String>,
}

impl<'a> Files<'a> {
    pub(crate) fn open(
        sources: Sources<'a>,
        options: &'a LogOptions,
        progress: Watcher<'_>,
        wanted: Wanted,
    ) -> Result<Self, FormatError> {
        let source = sources.next().ok_or(FormatError::NoFile)??;
        let file: FileName = source.name().into();
        let opened = open(source, options, progress, wanted)?;
        let mut files = Self {
            rest: sources,
            options,
            wanted,
            first: (file.clone(), opened.format),
            has_header: opened.records.has_header(),
            file,
            opened,
            places: Vec::new(),
            is_mapped: false,
            columns: ColumnNames::default(),
            own_rows: 0,
            rows: 0,
            read: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
        };
        files.extend_columns()?;
        Ok(files)
    }

    /// The first file.
    pub(crate) fn name(&self) -> &FileName {
        &self.first.0
    }

    pub(crate) fn format(&self) -> Format {
        self.first.1
    }

    pub(crate) fn absent(&self) -> Absent {
        self.opened.records.absent()
    }

    /// Whether no file is known to follow.
    pub(crate) fn is_last(&self) -> bool {
        self.rest.size_hint().1 == Some(0)
    }

    /// Whether all columns are known before the first record.
    pub(crate) fn has_header(&self) -> bool {
        self.has_header
    }

    /// The columns found so far.
    pub(crate) fn columns(&self) -> &ColumnNames {
        &self.columns
    }

    /// Calls `each` for every record, and returns their number.
    pub(crate) fn for_each(
        &mut self,
        progress: Watcher<'_>,
        mut each: impl FnMut(&Record, &ColumnNames) -> Result<(), FormatError>,
    ) -> Result<u64, FormatError> {
        let mut record = Record::new(self.file.clone());
        loop {
            while self.opened.records.advance(&mut record)? {
                self.extend_columns()?;
                if self.is_mapped {
                    record.renumber(&self.places);
                }
                each(&record, &self.columns)?;
                (self.own_rows, self.rows) = (self.own_rows + 1, self.rows + 1);
                if self.rows.is_multiple_of(ROWS_A_CALL) {
                    self.show(progress)?;
                }
            }
            self.show(progress)?;
            self.book()?;
            match self.rest.next() {
                None => return Ok(self.rows),
                Some(source) => self.go_on(source?, progress)?,
            }
            record = Record::new(self.file.clone());
        }
    }

    fn show(&self, progress: Watcher<'_>) -> Result<(), FormatError> {
        match progress(self.opened.records.progress(self.rows)) {
            ControlFlow::Break(()) => Err(FormatError::Interrupted { rows: self.rows }),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Gives columns that are new a number.
    fn extend_columns(&mut self) -> Result<(), FormatError> {
        let own = self.opened.records.columns();
        for place in self.places.len()..own.len() {
            let name = own.name(u32::try_from(place).unwrap_or(u32::MAX));
            let limit = self.options.limits.columns;
            let Some(number) = self.columns.place(name, limit) else {
                let place = Record::new(self.file.clone()).place();
                return Err(FormatError::TooMany { place, what: "columns", limit });
            };
            self.is_mapped |= number as usize != place;
            self.places.push(number);
        }
        Ok(())
    }

    /// Keeps what is known of a file that was read to its end.
    fn book(&mut self) -> Result<(), FormatError> {
        let records = &mut self.opened.records;
        let (bytes, sha256) = records.fingerprint()?;
        let (file, format) = (self.file.to_string(), self.opened.format.name().to_owned());
        for Skipped { count, reason } in records.skipped() {
            match self.skipped.iter_mut().find(|known| known.reason == reason) {
                Some(known) => known.count += count,
                None => self.skipped.push(Skipped { count, reason }),
            }
        }
        for note in records.notes() {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self.read.push(ReadFile { file, format, rows: self.own_rows, bytes, sha256 });
        Ok(())
    }

    /// Goes on with another file, which has to be alike.
    fn go_on(&mut self, source: Source, progress: Watcher<'_>) -> Result<(), FormatError> {
        self.file = source.name().into();
        let before = self.absent();
        self.opened = open(source, self.options, progress, self.wanted)?;
        let (first, first_format) = self.first.clone();
        let (file, format) = (self.file.clone(), self.opened.format);
        let is_open_bandit = |format| format == Format::OpenBandit;
        if self.absent() != before || is_open_bandit(format) != is_open_bandit(first_format) {
            let (format, first_format) = (format.name(), first_format.name());
            return Err(FormatError::OtherFormat { file, format, first, first_format });
        }
        let own = self.opened.records.columns();
        if self.has_header && self.opened.records.has_header() {
            let ignored = |name: &String| self.options.ignore.iter().any(|own| own.trim() == name);
            let other = |names: &ColumnNames, than: &ColumnNames| {
                names.all().into_iter().find(|name| than.find(name).is_none() && !ignored(name))
            };
            if let Some(column) = other(&self.columns, own) {
                return Err(FormatError::ColumnOfFirst { file, column, first });
            }
            if let Some(column) = other(own, &self.columns) {
                return Err(FormatError::ColumnNotOfFirst { file, column, first });
            }
        }
        self.has_header &= self.opened.records.has_header();
        (self.places, self.is_mapped, self.own_rows) = (Vec::new(), false, 0);
        self.extend_columns()
    }

    /// The facts of all files, behind the last record.
    pub(crate) fn facts(&self) -> (ReadFacts, Vec<ReadFile>) {
        let [first, others @ ..] = &self.read[..] else { return Default::default() };
        let sum = |of: fn(&ReadFile) -> u64| self.read.iter().map(of).fold(0, u64::saturating_add);
        let facts = ReadFacts {
            file: match others.len() {
                0 => first.file.clone(),
                1 => format!("{} and another file", first.file),
                count => format!("{} and {count} other files", first.file),
            },
            format: first.format.clone(),
            skipped: self.skipped.clone(),
            notes: self.notes.clone(),
            bytes: sum(|file| file.bytes),
            sha256: if others.is_empty() { first.sha256.clone() } else { String::new() },
            ..ReadFacts::default()
        };
        (facts, self.read.clone())
    }
}
