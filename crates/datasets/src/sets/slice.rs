//! Slice localisation: where along the body a CT slice was taken, from histograms of the image.

use crate::dataset::Dataset;
use crate::error::DataError;
use crate::formats::table::Column;
use crate::formats::table::{Storage, Table};
use crate::names::Name;
use std::path::PathBuf;

/// Reads `slice_localization_data.csv`: a header, then 53,500 rows of `patientId`, `value0` to `value383` and
/// `reference`, the target, between 0 (head) and 180 (soles of the feet).
///
/// All 385 columns before the target are features. [BH20, Appendix E] counts 385 too, so the patient's number
/// is one of them there; [`read_without_patient`] leaves it out.
///
/// # Errors
/// See [`DataError`]; no cell may be missing, and the header must name these columns.
pub fn read(files: &[PathBuf]) -> Result<Dataset, DataError> {
    table(true).read(files)
}

/// As [`read`], with the 384 histogram entries as the only features: a patient's number says nothing about a
/// new patient.
///
/// # Errors
/// As [`read`].
pub fn read_without_patient(files: &[PathBuf]) -> Result<Dataset, DataError> {
    table(false).read(files)
}

pub(crate) fn table(with_patient: bool) -> Table {
    let patient = if with_patient { Column::number("patientId") } else { Column::ignored("patientId") };
    let mut columns = vec![patient];
    columns.extend((0..384).map(|k| Column::number(format!("value{k}"))));
    columns.push(Column::value("reference"));
    Table { name: Name::Slice.into(), columns, storage: Storage::Dense, has_header: true, comment: None }
}
