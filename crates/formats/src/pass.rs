//! One pass over the records of a file.

use crate::FormatError;
use crate::facts::{Progress, ReadFacts};
use crate::readers::{Opened, Records};
use crate::record::Record;
use std::ops::ControlFlow;

/// How many rows are read between two calls of `progress`.
const ROWS_A_CALL: u64 = 1024;

/// Calls `each` for every record.
pub(crate) fn each_record(
    records: &mut dyn Records,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    mut each: impl FnMut(&Record, &dyn Records) -> Result<(), FormatError>,
) -> Result<u64, FormatError> {
    let (mut record, mut rows) = (Record::default(), 0_u64);
    while records.advance(&mut record)? {
        each(&record, records)?;
        rows += 1;
        if rows.is_multiple_of(ROWS_A_CALL) && progress(records.progress(rows)).is_break() {
            return Err(FormatError::Interrupted { rows });
        }
    }
    if progress(records.progress(rows)).is_break() {
        return Err(FormatError::Interrupted { rows });
    }
    Ok(rows)
}

/// The facts of a file that was read to its end.
pub(crate) fn facts_of(opened: &mut Opened, file: &str) -> Result<ReadFacts, FormatError> {
    let (bytes, sha256) = opened.records.fingerprint()?;
    Ok(ReadFacts {
        file: file.to_owned(),
        format: opened.format.name().to_owned(),
        skipped: opened.records.skipped(),
        notes: opened.records.notes(),
        bytes,
        sha256,
        ..ReadFacts::default()
    })
}
