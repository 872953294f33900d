//! Abalone: the age of a shellfish, counted in rings, from its sex, size and weight.

use crate::dataset::Dataset;
use crate::error::DataError;
use crate::formats::table::Column;
use crate::formats::table::{Storage, Table};
use crate::names::Name;
use std::path::PathBuf;

/// Reads `abalone.data`: 4,177 rows, 10 features (3 indicators of the sex, 7 numbers), and 1 to 29 rings as
/// the target.
///
/// # Errors
/// See [`DataError`]; no cell may be missing.
pub fn read(files: &[PathBuf]) -> Result<Dataset, DataError> {
    table().read(files)
}

pub(crate) fn table() -> Table {
    let numbers =
        ["length", "diameter", "height", "whole weight", "shucked weight", "viscera weight", "shell weight"];
    let mut columns = vec![Column::nominal("sex", ["F", "I", "M"])];
    columns.extend(numbers.map(Column::number));
    columns.push(Column::value("rings"));
    Table { name: Name::Abalone.into(), columns, storage: Storage::Dense, has_header: false, comment: None }
}
