//! Ionosphere: whether a radar return shows structure in the ionosphere, from 17 complex pulses.

use crate::dataset::Dataset;
use crate::error::DataError;
use crate::formats::table::Column;
use crate::formats::table::{Storage, Table};
use crate::names::Name;
use std::path::PathBuf;

/// Reads `ionosphere.data`: 351 rows, 34 numbers between −1 and 1 (real and imaginary part of each pulse),
/// classes `b` (126 rows) and `g`, good.
///
/// # Errors
/// See [`DataError`]; no cell may be missing.
pub fn read(files: &[PathBuf]) -> Result<Dataset, DataError> {
    table().read(files)
}

pub(crate) fn table() -> Table {
    let parts = (1..=17).flat_map(|pulse| ["real", "imaginary"].map(|part| format!("pulse {pulse}, {part}")));
    let mut columns: Vec<Column> = parts.map(Column::number).collect();
    columns.push(Column::class("return", ["b", "g"], ""));
    Table {
        name: Name::Ionosphere.into(),
        columns,
        storage: Storage::Dense,
        has_header: false,
        comment: None,
    }
}
