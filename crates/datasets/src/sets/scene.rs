//! Scene: which of six things a picture shows, from the moments of its colours.

use crate::classification::Classification;
use crate::error::DataError;
use crate::formats::arff::AttributeKind;
use crate::names::ClassificationName;
use crate::sets::multilabel::MultiLabel;
use std::path::PathBuf;

/// Reads `scene.arff`: 2,407 rows, the training part before the test part, 294 numbers from 0 to 1, and six
/// classes, of which a picture has 1.074 on average.
///
/// # Errors
/// See [`DataError`]; [`DataError::Arff`] where the attributes are not those of the set.
pub fn read(files: &[PathBuf]) -> Result<Classification, DataError> {
    format().read(files)
}

/// The classes by name, in the order of their attributes.
pub const CLASSES: [&str; 6] = ["Beach", "Sunset", "FallFoliage", "Field", "Mountain", "Urban"];

pub(crate) fn format() -> MultiLabel {
    MultiLabel {
        name: ClassificationName::Scene,
        features: 294,
        kind: AttributeKind::Number,
        classes: CLASSES.map(str::to_owned).to_vec(),
    }
}
