//! Fashion-MNIST: the kind of a piece of clothing, from a picture of 28 by 28 grey points.

use crate::classification::{ByteMatrix, Classification, Contexts, Labels};
use crate::dataset::Provenance;
use crate::error::IdxProblem;
use crate::error::{DataError, LabelsError};
use crate::formats::idx::{self, Idx};
use crate::names::ClassificationName;
use std::path::{Path, PathBuf};

/// Reads the training images, training labels, test images and test labels, in this order: 60,000 and 10,000
/// pictures of 784 bytes, 0 to 255, with one class each.
///
/// # Errors
/// [`DataError::NoFiles`] for other than four files, [`DataError::Idx`] for a malformed one, for pictures of
/// another size and for a label above 9, [`DataError::Labels`] where a part has more pictures than labels or
/// fewer, [`DataError::NoRows`] where it has none.
pub fn read(files: &[PathBuf]) -> Result<Classification, DataError> {
    let [training_images, training_labels, test_images, test_labels] = files else {
        return Err(DataError::NoFiles { set: ClassificationName::Fashion.into() });
    };
    let mut training = part(training_images, training_labels)?;
    let test = part(test_images, test_labels)?;
    let boundary = training.labels.bytes.len();
    training.images.bytes.extend_from_slice(&test.images.bytes);
    let labels = training.labels.bytes.iter().chain(&test.labels.bytes);
    let task = Classification {
        name: ClassificationName::Fashion.to_string(),
        labels: Labels::multiclass(CLASSES.len(), labels.map(|&label| u32::from(label)).collect())?,
        contexts: Contexts::Bytes(ByteMatrix::new(SIDE * SIDE, training.images.bytes)?),
        classes: CLASSES.map(str::to_owned).to_vec(),
        training: Some(boundary),
        provenance: Provenance::Unverified {
            files: vec![training.images.file, training.labels.file, test.images.file, test.labels.file],
        },
        feature_names: feature_names(),
        numeric_columns: (0..SIDE * SIDE).collect(),
    };
    task.checked()
}

/// The classes by name, in the order of their numbers.
pub const CLASSES: [&str; 10] = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
];

const SIDE: usize = 28;

pub(crate) fn feature_names() -> Vec<String> {
    (0..SIDE * SIDE).map(|k| format!("row {} column {}", k / SIDE, k % SIDE)).collect()
}

struct Part {
    images: Idx,
    labels: Idx,
}

fn part(images: &Path, labels: &Path) -> Result<Part, DataError> {
    let refuse = |path: &Path, offset, problem| DataError::Idx { path: path.to_owned(), offset, problem };
    let part = Part { images: idx::read(images, 3)?, labels: idx::read(labels, 1)? };
    for (dimension, &got) in part.images.dimensions.iter().enumerate().skip(1) {
        if got != SIDE {
            let problem = IdxProblem::Dimension { dimension, expected: SIDE, got };
            return Err(refuse(images, 4 + 4 * dimension as u64, problem));
        }
    }
    let classes = CLASSES.len();
    if let Some(at) = part.labels.bytes.iter().position(|&label| usize::from(label) >= classes) {
        let problem = IdxProblem::UnknownClass { value: part.labels.bytes[at], classes };
        return Err(refuse(labels, 8 + at as u64, problem));
    }
    let (contexts, labelled) = (part.images.dimensions[0], part.labels.bytes.len());
    if contexts != labelled {
        return Err(LabelsError::OtherLength { labels: labelled, contexts }.into());
    }
    if contexts == 0 {
        return Err(DataError::NoRows { path: images.to_owned() });
    }
    Ok(part)
}
