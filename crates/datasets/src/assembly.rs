//! Rows and targets in the making.

use crate::column::Kind;
use crate::table::{Storage, Table};
use crate::{DataError, Dataset, Provenance, Targets};
use rows::RowMatrix;

/// The rows of a table, filled cell by cell in the order of the columns.
pub(crate) struct Assembly<'a> {
    table: &'a Table,
    /// The first feature of each column.
    starts: Vec<u32>,
    dimension: u32,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    target_values: Vec<f64>,
    target_classes: Vec<u32>,
}

impl<'a> Assembly<'a> {
    pub(crate) fn new(table: &'a Table) -> Self {
        let mut dimension = 0;
        let mut starts = Vec::with_capacity(table.columns.len());
        for column in &table.columns {
            starts.push(dimension);
            dimension += u32::try_from(column.width()).unwrap_or(u32::MAX);
        }
        Self {
            table,
            starts,
            dimension,
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            target_values: Vec::new(),
            target_classes: Vec::new(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A numeric cell of column j. A sparse row does not store a zero.
    pub(crate) fn number(&mut self, j: usize, value: f64) {
        match self.table.storage {
            Storage::Dense => {
                self.values.push(value);
                self.values.extend(self.table.columns[j].may_be_missing.then_some(0.0));
            }
            Storage::Sparse if value == 0.0 => {}
            Storage::Sparse => self.store(self.starts[j], value),
        }
    }

    /// A numeric cell of column j that is missing: 0, and the column's indicator is set.
    pub(crate) fn missing_number(&mut self, j: usize) {
        match self.table.storage {
            Storage::Dense => self.values.extend([0.0, 1.0]),
            Storage::Sparse => self.store(self.starts[j] + 1, 1.0),
        }
    }

    /// A nominal cell of column j: the position of its category, or none where it is missing.
    pub(crate) fn indicator(&mut self, j: usize, category: Option<u32>) {
        match self.table.storage {
            Storage::Dense => {
                let start = self.values.len();
                self.values.resize(start + self.table.columns[j].width(), 0.0);
                if let Some(category) = category {
                    self.values[start + category as usize] = 1.0;
                }
            }
            Storage::Sparse => {
                if let Some(category) = category {
                    self.store(self.starts[j] + category, 1.0);
                }
            }
        }
    }

    fn store(&mut self, index: u32, value: f64) {
        self.indices.push(index);
        self.values.push(value);
    }

    pub(crate) fn value(&mut self, value: f64) {
        self.target_values.push(value);
    }

    pub(crate) fn class(&mut self, class: u32) {
        self.target_classes.push(class);
    }

    pub(crate) fn end_row(&mut self) {
        self.offsets.push(self.values.len());
    }

    pub(crate) fn finish(self, provenance: Provenance) -> Result<Dataset, DataError> {
        let dimension = self.dimension as usize;
        let mut feature_names = Vec::with_capacity(dimension);
        let mut numeric_columns = Vec::new();
        let mut targets = Targets::Values(self.target_values);
        for column in &self.table.columns {
            match &column.kind {
                Kind::Number => {
                    numeric_columns.push(feature_names.len());
                    feature_names.push(column.name.to_string());
                    feature_names.extend(column.may_be_missing.then(|| format!("{}=?", column.name)));
                }
                Kind::Nominal(categories) => {
                    feature_names.extend(categories.categories().map(|c| format!("{}={c}", column.name)));
                }
                Kind::Class { classes, .. } => {
                    let names = classes.categories().map(str::to_owned).collect();
                    targets = Targets::Classes { indices: self.target_classes.clone(), names };
                }
                Kind::Ignored | Kind::Value => {}
            }
        }
        let features = match self.table.storage {
            Storage::Dense => RowMatrix::dense(dimension, self.values)?,
            Storage::Sparse => RowMatrix::sparse(dimension, self.offsets, self.indices, self.values)?,
        };
        let name = self.table.name.to_string();
        Ok(Dataset { name, features, targets, provenance, feature_names, numeric_columns })
    }
}
