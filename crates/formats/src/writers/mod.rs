//! Logs as files that others read.

mod batches;
mod json_lines;
mod numbers;
mod output;
mod row;
mod separated;
mod vw_text;

use crate::FormatError;
use crate::facts::FileName;
use crate::log::ReadLog;
use crate::options::{Format, LogOptions};
use output::{Output, with_compression};
use row::Rows;
use std::io::Write;
use std::path::Path;

/// How a log is written.
///
/// ```
/// use formats::{Format, LogOptions, Source, WriteOptions, quiet, read_log, write_log_to};
/// let text = "age,zip,action,propensity,reward\n41,8000,news,0.5,1\n7,8001,sport,0.25,-2.5\n";
/// let options = LogOptions::default().labels(["zip"]);
/// let log = read_log(Source::bytes("log.csv", text), &options, &mut quiet)?;
/// let mut written = Vec::new();
/// let format = WriteOptions::default().format(Format::JsonLines);
/// let facts = write_log_to(&log, &mut written, &format)?;
/// let first = r#"{"age":41,"zip":"8000","action":"news","propensity":0.5,"reward":1}"#;
/// assert_eq!(String::from_utf8_lossy(&written).lines().next(), Some(first));
/// let again = read_log(Source::bytes("log.jsonl", written), &facts.options, &mut quiet)?;
/// assert_eq!((&again.schema, &again.contexts), (&log.schema, &log.contexts));
/// # Ok::<(), formats::FormatError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteOptions {
    format: Option<Format>,
}

/// What a reader of the file should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteFacts {
    /// The format.
    pub format: Format,
    /// Rows.
    pub rows: u64,
    /// The options by which [`read_log`](crate::read_log) finds the same log in the file: columns of labels
    /// that look like numbers, and the names of columns that differ from the defaults.
    pub options: LogOptions,
    /// What the format cannot hold, a sentence each.
    pub notes: Vec<String>,
}

impl WriteOptions {
    /// The format; default by the end of the name of the file.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }
}

/// Writes a log as CSV, TSV, JSON lines, Parquet, Arrow or Vowpal Wabbit's text (`cb`), by the end of the
/// name; a further `.gz` or `.zst` compresses it. The file is written beside its target, synced and renamed.
///
/// Read with the [`options`](WriteFacts::options) that are returned, the file gives the same log, its numbers
/// bit for bit. Vowpal Wabbit's text has costs, −reward, and no names of actions: they are numbered from 1 in
/// the order of the schema, unless they are positive whole numbers. Characters that have a meaning there are
/// written as in URLs.
///
/// # Errors
/// [`FormatError::UnknownEnding`], [`FormatError::WrongFormat`] for a format that is only read;
/// [`FormatError::NoPropensities`] for Vowpal Wabbit's text without them; [`FormatError::Weights`];
/// [`FormatError::Io`].
pub fn write_log(
    log: &ReadLog,
    path: impl AsRef<Path>,
    options: &WriteOptions,
) -> Result<WriteFacts, FormatError> {
    let path = path.as_ref();
    let file: FileName = path.to_string_lossy().into();
    let (format, output) = form_of(path, options)?;
    let mut facts = None;
    output::atomically(path, &file, |writer| {
        with_compression(writer, output, &file, |writer| {
            facts = Some(write(log, writer, format, &file)?);
            Ok(())
        })
    })?;
    facts.ok_or(FormatError::UnknownEnding { file })
}

/// The format that [`write_log`] would write, before there is a log.
///
/// # Errors
/// [`FormatError::UnknownEnding`], [`FormatError::WrongFormat`].
pub fn format_to_write(path: impl AsRef<Path>, options: &WriteOptions) -> Result<Format, FormatError> {
    Ok(form_of(path.as_ref(), options)?.0)
}

fn form_of(path: &Path, options: &WriteOptions) -> Result<(Format, Output), FormatError> {
    let file: FileName = path.to_string_lossy().into();
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let (plain, output) = match name.rsplit_once('.') {
        Some((plain, "gz" | "gzip")) => (plain, Output::Gzip),
        Some((plain, "zst" | "zstd")) => (plain, Output::Zstd),
        _ => (&*name, Output::Plain),
    };
    let by_name = plain.rsplit_once('.').and_then(|(_, end)| Format::of_extension(end));
    let Some(format) = options.format.or(by_name) else { return Err(FormatError::UnknownEnding { file }) };
    if matches!(format, Format::VwEval | Format::Dsjson | Format::OpenBandit) {
        return Err(only_read(format, &file));
    }
    Ok((format, output))
}

fn only_read(format: Format, file: &FileName) -> FormatError {
    let reason = "is read and not written; csv, tsv, json-lines, parquet, arrow and vw are written";
    FormatError::WrongFormat { file: file.clone(), format: format.name(), reason }
}

/// The same to a writer, such as standard output: not compressed, and CSV unless a format is asked for.
///
/// # Errors
/// As [`write_log`].
pub fn write_log_to(
    log: &ReadLog,
    writer: &mut (dyn Write + Send),
    options: &WriteOptions,
) -> Result<WriteFacts, FormatError> {
    write(log, writer, options.format.unwrap_or(Format::Csv), &"the output".into())
}

fn write(
    log: &ReadLog,
    writer: &mut (dyn Write + Send),
    format: Format,
    file: &FileName,
) -> Result<WriteFacts, FormatError> {
    if log.weights.is_some() {
        return Err(FormatError::Weights);
    }
    let rows = Rows::new(log, file);
    let mut notes = Vec::new();
    match format {
        Format::Csv => separated::write(&rows, writer, ',')?,
        Format::Tsv => separated::write(&rows, writer, '\t')?,
        Format::JsonLines => json_lines::write(&rows, writer)?,
        Format::Parquet => batches::write_parquet(&rows, writer)?,
        Format::Arrow => batches::write_arrow(&rows, writer)?,
        Format::Vw => notes = vw_text::write(&rows, writer)?,
        Format::VwEval | Format::Dsjson | Format::OpenBandit => {
            return Err(only_read(format, file));
        }
    }
    let options = if format == Format::Vw { rows.options_of_labels() } else { rows.options() };
    Ok(WriteFacts { format, rows: rows.len() as u64, options: options.format(format), notes })
}
