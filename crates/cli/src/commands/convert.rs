//! `convert`.

use super::reading::{options, watched};
use crate::arguments::{Convert, Manners};
use crate::failure::Failure;
use formats::{LogOptions, Source, WriteOptions};
use report::output::warn;

pub(super) fn convert(asked: &Convert, manners: &Manners) -> Result<u8, Failure> {
    manners.no_form("the end of the name of OUT says the format")?;
    let options = options(LogOptions::default(), &asked.columns)?;
    let source = Source::path(&asked.input)?;
    let name = || asked.input.display().to_string();
    let log = watched(name, manners, |watch| formats::read_log(source, &options, watch))?;
    let facts =
        formats::write_log(&log, &asked.output, &WriteOptions::default()).map_err(Failure::WriteLog)?;
    log.facts.notes.iter().chain(&facts.notes).for_each(|note| warn(note));
    Ok(0)
}
