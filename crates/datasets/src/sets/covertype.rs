//! Covertype: the kind of forest on a square of thirty metres, from a map.

use crate::classification::Classification;
use crate::error::DataError;
use crate::formats::table::Column;
use crate::formats::table::{Storage, Table};
use crate::names::ClassificationName;
use std::path::PathBuf;

/// Reads `covtype.data`: 581,012 rows, ten numbers, four indicators of the wilderness area and forty of the
/// soil type, stored sparse, and seven classes, `1` to `7` in the file, here 0 to 6 with the names of
/// [`CLASSES`].
///
/// *Cost:* at most 12 values and their indices a row are stored, 84 MB; 54 numbers a row would take 251 MB.
///
/// # Errors
/// See [`DataError`]; no cell may be missing.
pub fn read(files: &[PathBuf]) -> Result<Classification, DataError> {
    let mut task = Classification::try_from(table().read(files)?)?;
    task.classes = CLASSES.map(str::to_owned).to_vec();
    // An indicator is read as a number, which is what the file has.
    task.numeric_columns.truncate(NUMBERS.len());
    Ok(task)
}

/// The classes by name, in the order of their numbers.
pub const CLASSES: [&str; 7] = [
    "Spruce/Fir",
    "Lodgepole Pine",
    "Ponderosa Pine",
    "Cottonwood/Willow",
    "Aspen",
    "Douglas-fir",
    "Krummholz",
];

pub(crate) const NUMBERS: [&str; 10] = [
    "elevation",
    "aspect",
    "slope",
    "horizontal distance to hydrology",
    "vertical distance to hydrology",
    "horizontal distance to roadways",
    "hillshade at 9",
    "hillshade at noon",
    "hillshade at 15",
    "horizontal distance to fire points",
];

pub(crate) fn feature_names() -> Vec<String> {
    let areas = (1..=4).map(|k| format!("wilderness area={k}"));
    let soils = (1..=40).map(|k| format!("soil type={k}"));
    NUMBERS.iter().map(|&name| name.to_owned()).chain(areas).chain(soils).collect()
}

fn table() -> Table {
    let mut columns: Vec<Column> = feature_names().into_iter().map(Column::number).collect();
    columns.push(Column::class("cover type", ["1", "2", "3", "4", "5", "6", "7"], ""));
    Table {
        name: ClassificationName::Covertype.into(),
        columns,
        storage: Storage::Sparse,
        has_header: false,
        comment: None,
    }
}
