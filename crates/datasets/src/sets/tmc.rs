//! TMC2007-500: which of 22 problems the report of an aeroplane's failure describes, from the words in it.

use crate::classification::Classification;
use crate::error::DataError;
use crate::formats::arff::AttributeKind;
use crate::names::ClassificationName;
use crate::sets::multilabel::MultiLabel;
use std::path::PathBuf;

/// Reads `tmc2007-500.arff`: 28,596 rows, the training part before the test part, 500 indicators of words,
/// stored sparse, and 22 classes `class01` to `class22`, of which a report has 2.158 on average.
///
/// # Errors
/// See [`DataError`]; [`DataError::Arff`] where the attributes are not those of the set.
pub fn read(files: &[PathBuf]) -> Result<Classification, DataError> {
    format().read(files)
}

pub(crate) fn format() -> MultiLabel {
    MultiLabel {
        name: ClassificationName::Tmc,
        features: 500,
        kind: AttributeKind::Binary,
        classes: (1..=22).map(|k| format!("class{k:02}")).collect(),
    }
}
