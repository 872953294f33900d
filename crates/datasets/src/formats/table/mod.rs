//! The format of comma-separated data files, and the reader that turns their lines into rows.

mod column;

pub(crate) use column::{Column, Kind, columns_of};

use crate::dataset::{Dataset, Provenance, SourceFile, Targets};
use crate::encode::OneHot;
use crate::error::DataError;
use crate::files::source::{Source, read_failure};
use crate::names::Set;
use csv::{ByteRecord, ReaderBuilder};
use rows::RowMatrix;
use rows::numeric::LARGEST;
use std::path::{Path, PathBuf};

/// The storage of a set's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    Dense,
    Sparse,
}

/// The format of all files of one data set.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: Set,
    pub(crate) columns: Vec<Column>,
    pub(crate) storage: Storage,
    pub(crate) has_header: bool,
    /// Lines that begin with this byte are skipped.
    pub(crate) comment: Option<u8>,
}

impl Table {
    /// Reads the files one after the other.
    pub(crate) fn read(&self, paths: &[PathBuf]) -> Result<Dataset, DataError> {
        let first = paths.first().ok_or(DataError::NoFiles { set: self.name })?;
        let mut assembly = Assembly::new(self);
        let mut files = Vec::new();
        for path in paths {
            files.push(self.read_file(path, &mut assembly)?);
        }
        if assembly.rows() == 0 {
            return Err(DataError::NoRows { path: first.clone() });
        }
        assembly.finish(Provenance::Unverified { files })
    }

    fn read_file(&self, path: &Path, assembly: &mut Assembly<'_>) -> Result<SourceFile, DataError> {
        // No file of these sets quotes a cell, so a quotation mark is a character like any other.
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .quoting(false)
            .comment(self.comment)
            .buffer_capacity(1 << 16)
            .from_reader(Source::open(path)?);
        let mut record = ByteRecord::new();
        let mut line = 0;
        let mut header_expected = self.has_header;
        while reader.read_byte_record(&mut record).map_err(|e| csv_failure(path, line, e))? {
            line = record.position().map_or(line, csv::Position::line);
            let (expected, got) = (self.columns.len(), record.len());
            if got != expected {
                return Err(DataError::ColumnCount { path: path.to_owned(), line, expected, got });
            }
            if header_expected {
                self.check_header(path, &record)?;
                header_expected = false;
            } else {
                self.read_line(&Place { path, line }, &record, assembly)?;
            }
        }
        reader.into_inner().finish()
    }

    fn check_header(&self, path: &Path, record: &ByteRecord) -> Result<(), DataError> {
        for ((j, column), cell) in self.columns.iter().enumerate().zip(record) {
            if cell.trim_ascii() != column.name.as_bytes() {
                let (expected, got) = (column.name.to_string(), String::from_utf8_lossy(cell).into_owned());
                return Err(DataError::WrongHeader { path: path.to_owned(), column: j + 1, expected, got });
            }
        }
        Ok(())
    }

    fn read_line(
        &self,
        place: &Place<'_>,
        record: &ByteRecord,
        assembly: &mut Assembly<'_>,
    ) -> Result<(), DataError> {
        for ((j, column), cell) in self.columns.iter().enumerate().zip(record) {
            let cell = cell.trim_ascii();
            if matches!(column.kind, Kind::Ignored) {
                continue;
            }
            if matches!(cell, b"" | b"?") {
                if !column.may_be_missing {
                    return Err(place.missing(j, column));
                }
                match column.kind {
                    Kind::Number => assembly.missing_number(j),
                    _ => assembly.indicator(j, None),
                }
                continue;
            }
            match &column.kind {
                Kind::Ignored => {}
                Kind::Number => assembly.number(j, place.number(j, column, cell)?),
                Kind::Nominal(categories) => {
                    assembly.indicator(j, Some(place.category(j, column, categories, cell)?));
                }
                Kind::Value => assembly.value(place.number(j, column, cell)?),
                Kind::Class { classes, optional_suffix } => {
                    let label = cell.strip_suffix(optional_suffix.as_bytes()).unwrap_or(cell);
                    assembly.class(place.category(j, column, classes, label)?);
                }
            }
        }
        assembly.end_row();
        Ok(())
    }
}

/// Where in a file a cell stands, for the errors about it.
struct Place<'a> {
    path: &'a Path,
    line: u64,
}

impl Place<'_> {
    fn number(&self, j: usize, column: &Column, cell: &[u8]) -> Result<f64, DataError> {
        let number = std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok());
        number.filter(|number| number.abs() <= LARGEST).ok_or_else(|| DataError::BadNumber {
            path: self.path.to_owned(),
            line: self.line,
            column: j + 1,
            name: column.name.to_string(),
            text: String::from_utf8_lossy(cell).into_owned(),
        })
    }

    fn category(&self, j: usize, column: &Column, known: &OneHot, cell: &[u8]) -> Result<u32, DataError> {
        let position = std::str::from_utf8(cell).ok().and_then(|text| known.position(text));
        position.ok_or_else(|| DataError::UnknownCategory {
            path: self.path.to_owned(),
            line: self.line,
            column: j + 1,
            name: column.name.to_string(),
            text: String::from_utf8_lossy(cell).into_owned(),
        })
    }

    fn missing(&self, j: usize, column: &Column) -> DataError {
        let (path, name) = (self.path.to_owned(), column.name.to_string());
        DataError::Missing { path, line: self.line, column: j + 1, name }
    }
}

fn csv_failure(path: &Path, line: u64, error: csv::Error) -> DataError {
    match error.into_kind() {
        csv::ErrorKind::Io(source) => read_failure(path, line, source),
        // With flexible byte records, input and output is all that can fail.
        other => read_failure(path, line, std::io::Error::other(format!("{other:?}"))),
    }
}

/// The rows of a table, filled cell by cell in the order of the columns.
pub(crate) struct Assembly<'a> {
    table: &'a Table,
    /// The first feature of each column.
    starts: Vec<u32>,
    dimension: u32,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    target_values: Vec<f64>,
    target_classes: Vec<u32>,
}

impl<'a> Assembly<'a> {
    pub(crate) fn new(table: &'a Table) -> Self {
        let mut dimension = 0;
        let mut starts = Vec::with_capacity(table.columns.len());
        for column in &table.columns {
            starts.push(dimension);
            dimension += u32::try_from(column.width()).unwrap_or(u32::MAX);
        }
        Self {
            table,
            starts,
            dimension,
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            target_values: Vec::new(),
            target_classes: Vec::new(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A numeric cell of column j. A sparse row does not store a zero.
    pub(crate) fn number(&mut self, j: usize, value: f64) {
        match self.table.storage {
            Storage::Dense => {
                self.values.push(value);
                self.values.extend(self.table.columns[j].may_be_missing.then_some(0.0));
            }
            Storage::Sparse if value == 0.0 => {}
            Storage::Sparse => self.store(self.starts[j], value),
        }
    }

    /// A numeric cell of column j that is missing: 0, and the column's indicator is set.
    pub(crate) fn missing_number(&mut self, j: usize) {
        match self.table.storage {
            Storage::Dense => self.values.extend([0.0, 1.0]),
            Storage::Sparse => self.store(self.starts[j] + 1, 1.0),
        }
    }

    /// A nominal cell of column j: the position of its category, or `None` if the cell is missing.
    pub(crate) fn indicator(&mut self, j: usize, category: Option<u32>) {
        match self.table.storage {
            Storage::Dense => {
                let start = self.values.len();
                self.values.resize(start + self.table.columns[j].width(), 0.0);
                if let Some(category) = category {
                    self.values[start + category as usize] = 1.0;
                }
            }
            Storage::Sparse => {
                if let Some(category) = category {
                    self.store(self.starts[j] + category, 1.0);
                }
            }
        }
    }

    fn store(&mut self, index: u32, value: f64) {
        self.indices.push(index);
        self.values.push(value);
    }

    pub(crate) fn value(&mut self, value: f64) {
        self.target_values.push(value);
    }

    pub(crate) fn class(&mut self, class: u32) {
        self.target_classes.push(class);
    }

    pub(crate) fn end_row(&mut self) {
        self.offsets.push(self.values.len());
    }

    pub(crate) fn finish(self, provenance: Provenance) -> Result<Dataset, DataError> {
        let dimension = self.dimension as usize;
        let mut feature_names = Vec::with_capacity(dimension);
        let mut numeric_columns = Vec::new();
        let mut targets = Targets::Values(self.target_values);
        for column in &self.table.columns {
            match &column.kind {
                Kind::Number => {
                    numeric_columns.push(feature_names.len());
                    feature_names.push(column.name.to_string());
                    feature_names.extend(column.may_be_missing.then(|| format!("{}=?", column.name)));
                }
                Kind::Nominal(categories) => {
                    feature_names.extend(categories.categories().map(|c| format!("{}={c}", column.name)));
                }
                Kind::Class { classes, .. } => {
                    let names = classes.categories().map(str::to_owned).collect();
                    targets = Targets::Classes { indices: self.target_classes.clone(), names };
                }
                Kind::Ignored | Kind::Value => {}
            }
        }
        let features = match self.table.storage {
            Storage::Dense => RowMatrix::dense(dimension, self.values)?,
            Storage::Sparse => RowMatrix::sparse(dimension, self.offsets, self.indices, self.values)?,
        };
        let name = self.table.name.to_string();
        Ok(Dataset { name, features, targets, provenance, feature_names, numeric_columns })
    }
}
