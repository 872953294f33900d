//! Census-Income (KDD): whether a person earns more than 50,000 dollars a year, from two population surveys.

use crate::dataset::Dataset;
use crate::error::DataError;
use crate::formats::table::{Column, columns_of};
use crate::formats::table::{Storage, Table};
use crate::names::Name;
use std::path::PathBuf;

/// How the columns of the census become features.
///
/// The data set's own description calls the industry, occupation, own-business and veterans-benefits codes
/// and the year nominal, though they are written as integers, and asks not to train on the instance weight.
/// [BH20, Appendix E] has 401 features, and does not say which; that count comes out when all 13
/// number-valued columns are numbers, the weight among them, and the other 28 are one-hot encoded without an
/// indicator for missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CensusCoding {
    /// As described: 7 numbers and 495 indicators, 502 features; no instance weight.
    #[default]
    Described,
    /// With the published count: 13 numbers and 388 indicators, 401 features.
    Published,
}

/// Columns of numbers that name something, or weigh the row, rather than measure it.
const NUMBERS_ONLY_WHERE_PUBLISHED: [&str; 6] = [
    "detailed industry recode",
    "detailed occupation recode",
    "instance weight",
    "own business or self employed",
    "veterans benefits",
    "year",
];

/// Reads `census-income.data` and `census-income.test`: 199,523 and 99,762 rows (one more than [BH20,
/// Appendix E] counts), classes `- 50000.` and `50000+.`. A missing value, which eight nominal columns have,
/// sets no indicator.
///
/// # Errors
/// See [`DataError`]; only those eight columns may be missing.
pub fn read(files: &[PathBuf], coding: CensusCoding) -> Result<Dataset, DataError> {
    table(coding).read(files)
}

pub(crate) fn table(coding: CensusCoding) -> Table {
    let mut columns = columns_of(include_str!("census-income.columns"));
    if coding == CensusCoding::Published {
        for column in &mut columns {
            if NUMBERS_ONLY_WHERE_PUBLISHED.contains(&&*column.name) {
                *column = Column::number(column.name.clone());
            }
        }
    }
    columns.push(Column::class("income", ["- 50000.", "50000+."], ""));
    Table { name: Name::Census.into(), columns, storage: Storage::Sparse, has_header: false, comment: None }
}
