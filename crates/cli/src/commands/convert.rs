//! `convert`.

use super::models::check_apart;
use super::output::write_to;
use super::reading::{options, watched};
use crate::arguments::{Convert, Manners};
use crate::failure::Failure;
use formats::{FormatError, LogOptions, Source, WriteOptions};
use report::output::warn;

pub(super) fn convert(asked: &Convert, manners: &Manners) -> Result<u8, Failure> {
    manners.no_form("the end of the name of OUT says the format, or --output-format")?;
    check_apart([&*asked.output], [&*asked.input])?;
    let mut writing = WriteOptions::default();
    if let Some(value) = &asked.output_format {
        let refused = |error: FormatError| Failure::Argument {
            name: "output-format",
            value: value.clone(),
            why: error.to_string(),
        };
        writing = writing.format(value.parse().map_err(refused)?);
    }
    let is_standard = asked.output.as_os_str() == "-";
    if !is_standard || asked.output_format.is_some() {
        // Before a long log is read.
        formats::format_to_write(&asked.output, &writing).map_err(Failure::NoOutputFormat)?;
    }
    let options = options(LogOptions::default(), &asked.columns)?;
    let source = Source::path(&asked.input)?;
    let name = || asked.input.display().to_string();
    let log = watched(name, manners, |watch| formats::read_log(source, &options, watch))?;
    let refused = |error| match error {
        FormatError::Io { .. } => Failure::WriteLog(error),
        other => other.into(),
    };
    let facts = if is_standard {
        let mut bytes = Vec::new();
        let facts = formats::write_log_to(&log, &mut bytes, &writing).map_err(refused)?;
        write_to(None, |out| Ok(out.write_all(&bytes)?))?;
        facts
    } else {
        formats::write_log(&log, &asked.output, &writing).map_err(refused)?
    };
    log.facts.notes.iter().chain(&facts.notes).for_each(|note| warn(note));
    Ok(0)
}
