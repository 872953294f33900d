//! The formats: each reader hands out records, a row each.
//!
//! Reading order: [`Records`], what they have in common; [`open`]; then a file a format.

mod arrow;
mod column_names;
mod delimited;
mod dsjson;
mod json;
mod json_lines;
mod vw;

use crate::FormatError;
use crate::facts::{FileName, Progress, Skipped};
use crate::options::{ActionFeatures, Format, LogOptions};
use crate::record::Record;
use crate::source::{Open, Source, Stream, detect, has_semicolons};
pub use arrow::is_decoding;
pub(crate) use arrow::{MAGIC as MAGIC_OF_PARQUET, rows_of_groups};
pub(crate) use column_names::ColumnNames;
use std::ops::{ControlFlow, Range};
pub(crate) use vw::{LABEL_OF_VW, escaped};

/// What a record without a cell of a column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    /// The value is missing.
    Missing,
    /// The feature is not there: 0, and no label.
    Zero,
}

/// The rows of a file.
pub(crate) trait Records {
    /// The next record; false behind the last one.
    fn advance(&mut self, record: &mut Record) -> Result<bool, FormatError>;

    /// The columns found so far.
    fn columns(&self) -> &ColumnNames;

    /// Whether all columns are known before the first record.
    fn has_header(&self) -> bool;

    /// What an absent cell says. Formats of decisions are those where it says 0.
    fn absent(&self) -> Absent {
        Absent::Missing
    }

    /// How far the file is read.
    fn progress(&self, rows: u64) -> Progress;

    /// Decompressed bytes and their SHA-256; behind the last record.
    fn fingerprint(&mut self) -> Result<(u64, String), FormatError>;

    /// Records that were skipped.
    fn skipped(&self) -> Vec<Skipped> {
        Vec::new()
    }

    /// What else a user should know.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A reader, with the format that was asked for or found.
pub(crate) struct Opened {
    pub(crate) format: Format,
    pub(crate) records: Box<dyn Records>,
}

/// What the rows of a format are read as that has decisions and examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Decisions,
    /// Rows to predict for, whatever came of them.
    Contexts,
    /// Rows with a label.
    Examples,
    /// Decisions with the features of their actions.
    Candidates,
    /// The same to predict for.
    Choices,
}

/// How much of a file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// What the format says before the first row.
    Header,
    /// These row groups of a Parquet file; one reader of several hashes the file.
    Groups {
        groups: Range<usize>,
        is_hashed: bool,
    },
}

impl Extent {
    fn is_hashed(&self) -> bool {
        matches!(self, Self::Whole | Self::Groups { is_hashed: true, .. })
    }
}

/// The member of an event of dsjson that says when it was.
const TIME_OF_DSJSON: &str = "Timestamp";

/// What becomes of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Labels {
    Read,
    /// They are not looked at: a row is predicted for whatever its label is.
    Leave,
}

/// What becomes of features of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OfActions {
    Refuse,
    Drop,
    Keep,
}

/// A reader of what is wanted in a source. `progress` is asked while a file is read that must be read twice.
pub(crate) fn open(
    source: Source,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    wanted: Wanted,
) -> Result<Opened, FormatError> {
    open_part(source, &Extent::Whole, options, progress, wanted)
}

/// The same of a part of a source.
pub(crate) fn open_part(
    source: Source,
    extent: &Extent,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    wanted: Wanted,
) -> Result<Opened, FormatError> {
    let has_candidates = matches!(wanted, Wanted::Candidates | Wanted::Choices);
    let stream: Stream = match source.open(options.limits)? {
        Open::Bytes(stream) => *stream,
        Open::Batches(file, batches) => {
            if has_candidates {
                return Err(no_candidates(file, Format::Arrow));
            }
            let batches = Box::new(arrow::MemoryBatches::new(file.clone(), batches));
            let asked = options.asked_columns();
            let records = arrow::ArrowRecords::new(&file, batches, &asked, options.limits.columns)?;
            return Ok(Opened { format: Format::Arrow, records: Box::new(records) });
        }
    };
    let file = stream.name().clone();
    if stream.beginning().is_empty() {
        return Err(FormatError::Empty { file });
    }
    if options.format.is_none() && is_json_list(stream.beginning()) {
        let (format, reason) = ("a list of JSON", "is not read: write an object a line");
        return Err(FormatError::WrongFormat { file, format, reason });
    }
    let found = options.format.or_else(|| detect(&file, stream.beginning()));
    let format = found.ok_or_else(|| FormatError::UnknownFormat { file: file.clone() })?;
    if has_candidates && !matches!(format, Format::Vw | Format::Dsjson) {
        return Err(no_candidates(file, format));
    }
    let of_actions = match (wanted, options.action_features) {
        (Wanted::Candidates | Wanted::Choices, _) => OfActions::Keep,
        (_, ActionFeatures::Refuse) => OfActions::Refuse,
        (_, ActionFeatures::Drop) => OfActions::Drop,
    };
    let labels = match wanted {
        Wanted::Contexts | Wanted::Choices => Labels::Leave,
        Wanted::Decisions | Wanted::Examples | Wanted::Candidates => Labels::Read,
    };
    let has_time = options.time.as_deref().is_some_and(|name| name.trim() == TIME_OF_DSJSON);
    let records: Box<dyn Records> = match format {
        Format::Csv | Format::Tsv | Format::OpenBandit => {
            let is_free = options.format.is_none() && options.delimiter.is_none() && format == Format::Csv;
            let delimiter = match is_free && has_semicolons(stream.beginning()) {
                true => b';',
                false => options.delimiter_byte(format)?,
            };
            Box::new(delimited::Delimited::open(stream, delimiter)?)
        }
        Format::JsonLines => Box::new(json_lines::JsonLines::new(stream)),
        Format::Vw | Format::VwEval if wanted == Wanted::Examples => {
            Box::new(vw::VwText::of_examples(stream))
        }
        Format::Vw | Format::VwEval => {
            Box::new(vw::VwText::new(stream, format == Format::VwEval, (of_actions, labels)))
        }
        Format::Dsjson if wanted == Wanted::Examples => {
            let (format, reason) = (format.name(), "holds decisions, and no rows with a label");
            return Err(FormatError::WrongFormat { file, format, reason });
        }
        Format::Dsjson => Box::new(dsjson::Dsjson::new(stream, (of_actions, labels), has_time)),
        Format::Parquet | Format::Arrow => {
            let batches: Box<dyn arrow::Batches> = match format {
                Format::Arrow => Box::new(arrow::IpcBatches::open(stream, extent, progress)?),
                _ => Box::new(arrow::ParquetBatches::open(stream, extent, progress)?),
            };
            let asked = options.asked_columns();
            Box::new(arrow::ArrowRecords::new(&file, batches, &asked, options.limits.columns)?)
        }
    };
    Ok(Opened { format, records })
}

fn no_candidates(file: FileName, format: Format) -> FormatError {
    let reason = "has no actions with features of their own: those are read of vw (cb_adf) and dsjson";
    FormatError::WrongFormat { file, format: format.name(), reason }
}

/// Whether a file begins as a document of JSON does that is one list of objects.
fn is_json_list(beginning: &[u8]) -> bool {
    let mut letters = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    letters.next() == Some(&b'[') && letters.next() == Some(&b'{')
}
