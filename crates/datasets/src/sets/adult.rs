//! Adult: whether a person earns more than 50,000 dollars a year, from the 1994 census.

use crate::dataset::Dataset;
use crate::error::DataError;
use crate::formats::table::{Column, columns_of};
use crate::formats::table::{Storage, Table};
use crate::names::Name;
use std::path::PathBuf;

/// Reads `adult.data` and `adult.test`: 32,561 and 16,281 rows, 105 features (6 numbers, 99 indicators of 8
/// nominal columns), classes `<=50K` and `>50K`. A missing work class, occupation or country sets no
/// indicator.
///
/// # Errors
/// See [`DataError`]; only those three columns may be missing.
pub fn read(files: &[PathBuf]) -> Result<Dataset, DataError> {
    table().read(files)
}

pub(crate) fn table() -> Table {
    // The test part opens with a comment line, and its labels end in a full stop.
    let mut columns = columns_of(include_str!("adult.columns"));
    columns.push(Column::class("income", ["<=50K", ">50K"], "."));
    Table {
        name: Name::Adult.into(),
        columns,
        storage: Storage::Sparse,
        has_header: false,
        comment: Some(b'|'),
    }
}
