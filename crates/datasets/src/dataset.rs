//! One data set in memory: rows, targets, and where they came from.

use crate::error::EncodeError;
use rows::RowMatrix;
use std::fmt;
use std::path::PathBuf;

/// n examples with their targets.
///
/// *Shapes:* `features` is n×m, unscaled; `feature_names` has m entries, and a one-hot column is called
/// `column=category`; `numeric_columns` are the columns that an encoder should scale, rising; `targets` has n
/// entries. Examples stand in the order of the files, and the files in the official order (training part,
/// test part).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Dataset {
    /// What the data set is called.
    pub name: String,
    /// The rows, unscaled.
    pub features: RowMatrix,
    /// The targets, uncoded.
    pub targets: Targets,
    /// Where the examples come from.
    pub provenance: Provenance,
    /// One name a column.
    pub feature_names: Vec<String>,
    /// Columns that hold numbers rather than indicators.
    pub numeric_columns: Vec<usize>,
}

impl Dataset {
    /// n, the number of examples.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }
}

/// What is to be predicted, as the data set gives it. Turning it into a label that a loss understands is a
/// decision of the experiment: see [`signs`](crate::signs), [`indicators`](crate::indicators) and
/// [`TargetRange`](crate::TargetRange).
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// A number for every example.
    Values(Vec<f64>),
    /// The index of a class for every example.
    Classes {
        /// One index below `names.len()` for every example.
        indices: Vec<u32>,
        /// The classes' names.
        names: Vec<String>,
    },
}

impl Targets {
    /// How many examples have a target.
    pub fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Classes { indices, .. } => indices.len(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of a regression task.
    ///
    /// # Errors
    /// [`EncodeError::NotNumbers`] for a classification task.
    pub fn values(&self) -> Result<&[f64], EncodeError> {
        match self {
            Self::Values(values) => Ok(values),
            Self::Classes { .. } => Err(EncodeError::NotNumbers),
        }
    }

    /// How many examples each class has, in the order of the class names.
    ///
    /// # Errors
    /// [`EncodeError::NotClasses`] for a regression task.
    pub fn class_counts(&self) -> Result<Vec<usize>, EncodeError> {
        let Self::Classes { indices, names } = self else { return Err(EncodeError::NotClasses) };
        let mut counts = vec![0; names.len()];
        for &index in indices {
            if let Some(count) = counts.get_mut(index as usize) {
                *count += 1;
            }
        }
        Ok(counts)
    }
}

/// Where the examples come from. Its display is fit for a table: `official files`, `unverified files`,
/// `synthetic stand-in (seed 7)`, `synthetic (seed 7)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provenance {
    /// Files whose content has the official SHA-256.
    Official {
        /// The files, in the order read.
        files: Vec<SourceFile>,
    },
    /// Files whose sum was not compared, or for which no official sum is known.
    Unverified {
        /// The files, in the order read.
        files: Vec<SourceFile>,
    },
    /// No file was there; the examples imitate the shape of the real set, and nothing else of it.
    StandIn {
        /// The seed they were drawn with.
        seed: u64,
    },
    /// The examples of a synthetic generator.
    Synthetic {
        /// The seed they were drawn with.
        seed: u64,
    },
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path.
    pub path: PathBuf,
    /// SHA-256 of the uncompressed content, hexadecimal.
    pub sha256: String,
    /// Size of the uncompressed content.
    pub bytes: u64,
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Official { .. } => f.pad("official files"),
            Self::Unverified { .. } => f.pad("unverified files"),
            Self::StandIn { seed } => f.pad(&format!("synthetic stand-in (seed {seed})")),
            Self::Synthetic { seed } => f.pad(&format!("synthetic (seed {seed})")),
        }
    }
}
