//! `convert`.

use super::reading::options;
use crate::arguments::{Convert, Manners};
use crate::failure::Failure;
use formats::{LogOptions, Source, WriteOptions};
use report::output::warn;

pub(super) fn convert(asked: &Convert, manners: &Manners) -> Result<u8, Failure> {
    manners.no_form("the end of the name of OUT says the format")?;
    let options = options(LogOptions::default(), &asked.columns)?;
    let log = formats::read_log(Source::path(&asked.input)?, &options, &mut formats::quiet)?;
    let facts =
        formats::write_log(&log, &asked.output, &WriteOptions::default()).map_err(Failure::WriteLog)?;
    log.facts.notes.iter().chain(&facts.notes).for_each(|note| warn(note));
    Ok(0)
}
