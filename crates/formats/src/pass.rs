//! One pass over the records of a file, or of several with the same columns.

use crate::FormatError;
use crate::agreement::gathered;
use crate::facts::{FileName, Progress, ReadFacts, ReadFile, Skipped};
use crate::options::{Format, LogOptions};
use crate::parts::{Part, PartsOfRank};
use crate::readers::{Absent, ColumnNames, Extent, Opened, Wanted, open_part};
use crate::record::Record;
use crate::source::Source;
use ranks::Ranks;
use serde::{Deserialize, Serialize};
use std::mem::take;
use std::ops::ControlFlow;

/// How many rows are read between two calls of a watcher.
const ROWS_A_CALL: u64 = 1024;

/// The files of a log, each opened when the one before it has been read.
pub(crate) type Sources<'a> = &'a mut dyn Iterator<Item = Result<Source, FormatError>>;
pub(crate) type Watcher<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// The records of all files, as if they were one: columns have one number whatever their place in a file.
pub(crate) struct Files<'a> {
    rest: Box<dyn Iterator<Item = Result<Part, FormatError>> + 'a>,
    /// Whether no file follows the first.
    is_only: bool,
    /// Whether the first file was opened for its columns alone.
    is_header: bool,
    options: &'a LogOptions,
    wanted: Wanted,
    /// The file that is read, and its place.
    file: FileName,
    place: usize,
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
    read: Vec<(usize, ReadFile)>,
    skipped: Vec<Skipped>,
    notes: Vec<String>,
}

/// What a rank has found in its files.
#[derive(Serialize, Deserialize)]
struct Found {
    columns: Vec<String>,
    read: Vec<(usize, ReadFile)>,
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
        let is_only = sources.size_hint().1 == Some(0);
        let first = Part { source, extent: Extent::Whole, place: 0 };
        let whole = |(source, place): (Result<Source, _>, usize)| {
            Ok(Part { source: source?, extent: Extent::Whole, place })
        };
        let rest = Box::new(sources.zip(1..).map(whole));
        Self::begin(first, rest, is_only, options, progress, wanted)
    }

    /// The parts of a rank. Every rank looks at the columns of the first file of the log, as others must have
    /// the same.
    pub(crate) fn of_rank(
        parts: PartsOfRank,
        options: &'a LogOptions,
        progress: Watcher<'_>,
        wanted: Wanted,
    ) -> Result<Self, FormatError> {
        let PartsOfRank { first, own, files } = parts;
        let mut own = own.into_iter().peekable();
        let first = own.next_if(|part| part.place == 0).unwrap_or(Part {
            source: first,
            extent: Extent::Header,
            place: 0,
        });
        Self::begin(first, Box::new(own.map(Ok)), files == 1, options, progress, wanted)
    }

    fn begin(
        first: Part,
        rest: Box<dyn Iterator<Item = Result<Part, FormatError>> + 'a>,
        is_only: bool,
        options: &'a LogOptions,
        progress: Watcher<'_>,
        wanted: Wanted,
    ) -> Result<Self, FormatError> {
        let Part { source, extent, place } = first;
        let file: FileName = source.name().into();
        let opened = open_part(source, &extent, options, progress, wanted)?;
        let mut files = Self {
            rest,
            is_only,
            is_header: extent == Extent::Header,
            place,
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

    /// Whether no file is known to follow the first.
    pub(crate) fn is_only(&self) -> bool {
        self.is_only
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
        if self.is_header {
            match self.rest.next() {
                None => return Ok(self.rows),
                Some(part) => self.go_on(part?, progress)?,
            }
        }
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
                Some(part) => self.go_on(part?, progress)?,
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
        let read = ReadFile { file, format, rows: self.own_rows, bytes, sha256 };
        let (skipped, notes) = (records.skipped(), records.notes());
        self.add([(self.place, read)], skipped, notes);
        Ok(())
    }

    fn add(
        &mut self,
        read: impl IntoIterator<Item = (usize, ReadFile)>,
        skipped: Vec<Skipped>,
        notes: Vec<String>,
    ) {
        for Skipped { count, reason } in skipped {
            match self.skipped.iter_mut().find(|known| known.reason == reason) {
                Some(known) => known.count += count,
                None => self.skipped.push(Skipped { count, reason }),
            }
        }
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        for (place, file) in read {
            match self.read.last_mut() {
                // Another part of the same file, which one of the ranks has hashed.
                Some((last, known)) if *last == place => {
                    known.rows += file.rows;
                    if known.sha256.is_empty() {
                        known.sha256 = file.sha256;
                    }
                }
                _ => self.read.push((place, file)),
            }
        }
    }

    /// What the ranks have found, as if one had read all files.
    ///
    /// # Errors
    /// [`FormatError::TooMany`] for more columns than are allowed; [`FormatError::Ranks`].
    pub(crate) fn merge(&mut self, ranks: &Ranks) -> Result<(), FormatError> {
        if !ranks.are_several() {
            return Ok(());
        }
        let columns = self.columns.list();
        let (read, skipped, notes) = (take(&mut self.read), take(&mut self.skipped), take(&mut self.notes));
        self.columns = ColumnNames::default();
        for Found { columns, read, skipped, notes } in
            gathered(ranks, Found { columns, read, skipped, notes })?
        {
            self.add(read, skipped, notes);
            for name in columns {
                let limit = self.options.limits.columns;
                self.columns.place(&name, limit).ok_or_else(|| {
                    let place = Record::new(self.first.0.clone()).place();
                    FormatError::TooMany { place, what: "columns", limit }
                })?;
            }
        }
        Ok(())
    }

    /// Goes on with another file, which has to be alike.
    fn go_on(&mut self, part: Part, progress: Watcher<'_>) -> Result<(), FormatError> {
        let Part { source, extent, place } = part;
        (self.file, self.place) = (source.name().into(), place);
        let before = self.absent();
        self.opened = open_part(source, &extent, self.options, progress, self.wanted)?;
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
        let read: Vec<ReadFile> = self.read.iter().map(|(_, file)| file.clone()).collect();
        let [first, others @ ..] = &read[..] else { return Default::default() };
        let sum = |of: fn(&ReadFile) -> u64| read.iter().map(of).fold(0, u64::saturating_add);
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
        (facts, read)
    }
}
