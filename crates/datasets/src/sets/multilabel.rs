//! Multi-label sets in the ARFF format: features first, then one `{0,1}` attribute for every class.

use crate::classification::{Classification, Contexts, Labels};
use crate::dataset::Provenance;
use crate::error::ArffProblem;
use crate::error::DataError;
use crate::formats::arff::{self, Arff, Attribute, AttributeKind};
use crate::names::ClassificationName;
use rows::{Entries, Row, RowMatrix};
use std::path::{Path, PathBuf};

/// The format of one such set.
#[derive(Debug, Clone)]
pub(crate) struct MultiLabel {
    pub(crate) name: ClassificationName,
    pub(crate) features: usize,
    pub(crate) kind: AttributeKind,
    pub(crate) classes: Vec<String>,
}

impl MultiLabel {
    /// Reads the first of the files, which holds the whole set.
    pub(crate) fn read(&self, files: &[PathBuf]) -> Result<Classification, DataError> {
        let path = files.first().ok_or(DataError::NoFiles { set: self.name.into() })?;
        let arff = arff::read(path)?;
        self.check(path, &arff.attributes)?;
        let (contexts, labels) = self.parts(&arff)?;
        let features = arff.attributes.into_iter().take(self.features);
        let task = Classification {
            name: self.name.to_string(),
            contexts: Contexts::Rows(contexts),
            labels,
            classes: self.classes.clone(),
            training: None,
            provenance: Provenance::Unverified { files: vec![arff.file] },
            feature_names: features.map(|attribute| attribute.name).collect(),
            numeric_columns: self.numeric_columns(),
        };
        task.checked()
    }

    pub(crate) fn numeric_columns(&self) -> Vec<usize> {
        match self.kind {
            AttributeKind::Number => (0..self.features).collect(),
            AttributeKind::Binary => Vec::new(),
        }
    }

    /// The attributes are those of the set, and the classes have the expected names.
    fn check(&self, path: &Path, attributes: &[Attribute]) -> Result<(), DataError> {
        let line = attributes.last().map_or(1, |attribute| attribute.line);
        let refuse = |line, problem| DataError::Arff { path: path.to_owned(), line, column: 1, problem };
        let (expected, got) = (self.features + self.classes.len(), attributes.len());
        if got != expected {
            return Err(refuse(line, ArffProblem::AttributeCount { expected, got }));
        }
        let (features, labels) = attributes.split_at(self.features);
        let features = features.iter().map(|feature| (feature, feature.name.as_str(), self.kind));
        let labels = labels.iter().zip(&self.classes);
        let labels = labels.map(|(label, class)| (label, class.as_str(), AttributeKind::Binary));
        for (position, (attribute, name, kind)) in features.chain(labels).enumerate() {
            if (attribute.name.as_str(), attribute.kind) != (name, kind) {
                let declaration = |name: &str, kind| match kind {
                    AttributeKind::Number => format!("{name} numeric"),
                    AttributeKind::Binary => format!("{name} {{0,1}}"),
                };
                let (expected, got) = (declaration(name, kind), declaration(&attribute.name, attribute.kind));
                return Err(refuse(attribute.line, ArffProblem::OtherAttribute { position, expected, got }));
            }
        }
        Ok(())
    }

    /// The features, stored as the file stores them, and the labels.
    fn parts(&self, arff: &Arff) -> Result<(RowMatrix, Labels), DataError> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let (mut label_offsets, mut labels) = (vec![0], Vec::new());
        for row in arff.rows.iter() {
            match row.entries() {
                Entries::Dense(x) => values.extend_from_slice(&x[..self.features]),
                Entries::Sparse(j, x) => {
                    let of_features = j.partition_point(|&j| (j as usize) < self.features);
                    indices.extend_from_slice(&j[..of_features]);
                    values.extend_from_slice(&x[..of_features]);
                }
            }
            offsets.push(values.len());
            labels.extend((0..).zip(self.features..row.dimension()).filter_map(|(k, j)| is_set(row, j, k)));
            label_offsets.push(labels.len());
        }
        let sparse = arff.rows.iter().next().is_some_and(|row| matches!(row.entries(), Entries::Sparse(..)));
        let contexts = if sparse {
            RowMatrix::sparse(self.features, offsets, indices, values)?
        } else {
            RowMatrix::dense(self.features, values)?
        };
        Ok((contexts, Labels::new(self.classes.len(), label_offsets, labels)?))
    }
}

fn is_set(row: Row<'_>, j: usize, class: u32) -> Option<u32> {
    row.get(j).filter(|&x| x != 0.0).map(|_| class)
}
