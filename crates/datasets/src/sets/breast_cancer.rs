//! Breast Cancer Wisconsin (Original): whether a tumour is malignant, from nine gradings of its cells.

use crate::dataset::Dataset;
use crate::error::DataError;
use crate::formats::table::Column;
use crate::formats::table::{Storage, Table};
use crate::names::Name;
use std::path::PathBuf;

/// Reads `breast-cancer-wisconsin.data`: 699 rows, 10 features (nine gradings from 1 to 10, and an
/// indicator), classes `2`, benign (458 rows), and `4`, malignant. The sample's number is not a feature.
///
/// Sixteen rows lack the grading `bare nuclei`. They are kept: the number is then 0, below every grading, and
/// the indicator `bare nuclei=?` is 1, so that a linear rule can give such a row a value of its own.
///
/// # Errors
/// See [`DataError`]; only that column may be missing.
pub fn read(files: &[PathBuf]) -> Result<Dataset, DataError> {
    table().read(files)
}

pub(crate) fn table() -> Table {
    let mut columns = vec![Column::ignored("sample")];
    columns.extend(
        ["clump thickness", "cell size", "cell shape", "marginal adhesion", "epithelial cell size"]
            .map(Column::number),
    );
    columns.push(Column::number_or_missing("bare nuclei"));
    columns.extend(["bland chromatin", "normal nucleoli", "mitoses"].map(Column::number));
    columns.push(Column::class("class", ["2", "4"], ""));
    Table {
        name: Name::BreastCancer.into(),
        columns,
        storage: Storage::Dense,
        has_header: false,
        comment: None,
    }
}
