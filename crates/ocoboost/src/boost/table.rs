//! A table whose rows have classes.

use crate::classification::MOST_CLASSES;
use crate::error::JobError;
use off_policy::Schema;
use rows::{Entries, RowMatrix};

/// Rows with a class each: what a classifier learns from, and is judged on.
///
/// *Shapes:* n rows of the coordinates of the schema; classes 0, …, K−1, which are the actions of the schema,
/// 2 ≤ K ≤ [`MOST_CLASSES`].
///
/// ```
/// use ocoboost::ClassTable;
/// use off_policy::{ActionNames, ContextColumn, Schema};
/// use rows::RowMatrix;
/// let kinds = ActionNames::Labels(vec!["oak".into(), "elm".into()]);
/// let schema = Schema::new(vec![ContextColumn::Number { name: "height".into() }], kinds)?;
/// let rows = RowMatrix::dense(1, vec![20.0, 30.0])?;
/// let table = ClassTable::new(rows, vec![1, 0], schema)?;
/// assert_eq!((table.len(), table.class_name(1)), (2, "elm".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ClassTable {
    contexts: RowMatrix,
    classes: Vec<u32>,
    schema: Schema,
}

impl ClassTable {
    /// These rows.
    ///
    /// # Errors
    /// [`JobError::Classes`]; [`JobError::UnknownClass`] for a class outside the schema;
    /// [`JobError::Length`] for another number of classes than of rows, or of columns than of the schema.
    pub fn new(contexts: RowMatrix, classes: Vec<u32>, schema: Schema) -> Result<Self, JobError> {
        let k = schema.actions();
        if !(2..=MOST_CLASSES).contains(&k) {
            return Err(JobError::Classes { classes: k, most: MOST_CLASSES });
        }
        for (column, expected, got) in
            [("the classes", contexts.len(), classes.len()), ("a row", schema.inputs(), contexts.dimension())]
        {
            if got != expected {
                return Err(JobError::Length { column, expected, got });
            }
        }
        if let Some(&class) = classes.iter().find(|class| **class as usize >= k) {
            return Err(JobError::UnknownClass { class, classes: k });
        }
        Ok(Self { contexts, classes, schema })
    }

    /// n.
    #[must_use]
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The rows.
    #[must_use]
    pub fn contexts(&self) -> &RowMatrix {
        &self.contexts
    }

    /// Their classes.
    #[must_use]
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The columns, and the names of the classes.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What a class is called.
    #[must_use]
    pub fn class_name(&self, class: u32) -> String {
        class_name(&self.schema, class)
    }

    pub(super) fn select(&self, rows: &[usize]) -> Result<Self, JobError> {
        let contexts =
            self.contexts.select(rows.iter().copied()).map_err(weak_learners::LearnerError::from)?;
        let classes = rows.iter().filter_map(|row| self.classes.get(*row)).copied().collect();
        Self::new(contexts, classes, self.schema.clone())
    }

    /// The rows of both tables, those of `other` last.
    pub(super) fn joined(&self, other: &Self) -> Result<Self, JobError> {
        self.schema.check_same(&other.schema)?;
        let classes = [&self.classes[..], &other.classes[..]].concat();
        let contexts = joined(&self.contexts, &other.contexts).map_err(weak_learners::LearnerError::from)?;
        Self::new(contexts, classes, self.schema.clone())
    }

    /// The commonest class, the first of equals.
    pub(super) fn commonest(&self) -> u32 {
        let mut counts = vec![0_u64; self.schema.actions()];
        for class in &self.classes {
            if let Some(count) = counts.get_mut(*class as usize) {
                *count += 1;
            }
        }
        let largest = counts.iter().max().copied().unwrap_or_default();
        (0..).zip(counts).find(|(_, count)| *count == largest).map_or(0, |(class, _)| class)
    }
}

/// What a class of a schema is called.
pub(super) fn class_name(schema: &Schema, class: u32) -> String {
    schema.action_name(class as usize).unwrap_or_default().into_owned()
}

fn joined(first: &RowMatrix, second: &RowMatrix) -> Result<RowMatrix, rows::RowError> {
    let dimension = first.dimension();
    let all = || first.iter().chain(second.iter());
    let are_dense = all().all(|row| matches!(row.entries(), Entries::Dense(_)));
    if are_dense {
        return RowMatrix::dense(dimension, all().flat_map(|row| row.values().iter().copied()).collect());
    }
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in all() {
        row.for_each(|j, x| {
            if x != 0.0 {
                indices.push(u32::try_from(j).unwrap_or(u32::MAX));
                values.push(x);
            }
        });
        offsets.push(indices.len());
    }
    RowMatrix::sparse(dimension, offsets, indices, values)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    #[test]
    fn dense_and_sparse_rows_are_joined_alike() {
        let dense = RowMatrix::dense(2, vec![1.0, 0.0, 0.0, 3.0]).unwrap();
        let sparse = RowMatrix::sparse(2, vec![0, 0, 1], vec![1], vec![5.0]).unwrap();
        let rows = |matrix: &RowMatrix| matrix.iter().map(|row| row.to_dense()).collect::<Vec<_>>();
        let expected = [[1.0, 0.0], [0.0, 3.0], [0.0, 0.0], [0.0, 5.0]];
        assert_eq!(rows(&joined(&dense, &sparse).unwrap()), expected);
        assert_eq!(rows(&joined(&dense, &dense).unwrap())[2..], expected[..2]);
    }
}
