//! Columns binned once against the definition of their bins, and the stump on them against all cuts.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod columns;
#[path = "../exact_sum/mod.rs"]
mod exact_sum;
mod stump;

use proptest::prelude::*;
use proptest::sample::select;
use rows::RowMatrix;

/// Rows of one dimension, dense and sparse.
#[derive(Debug, Clone)]
struct Rows {
    inputs: usize,
    rows: Vec<Vec<f64>>,
}

impl Rows {
    fn dense(&self) -> RowMatrix {
        RowMatrix::dense(self.inputs, self.rows.concat()).unwrap()
    }

    fn sparse(&self) -> RowMatrix {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            for (j, value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                indices.push(j);
                values.push(*value);
            }
            offsets.push(values.len());
        }
        RowMatrix::sparse(self.inputs, offsets, indices, values).unwrap()
    }

    /// The distinct values of a column, rising, and how often each occurs.
    fn column(&self, j: usize) -> Vec<(f64, usize)> {
        let mut values: Vec<f64> = self.rows.iter().map(|row| row[j] + 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
    }
}

const ADJACENT: f64 = 1.0 + f64::EPSILON;
const VALUES: &[f64] =
    &[0.0, -0.0, 0.0, 1.0, ADJACENT, 2.0, -1.0, -1e139, 1e139, 1e140, -1e140, 5e-324, -5e-324];

/// Columns with ties and constants, and values at the ends of the range.
fn rows(most: usize) -> impl Strategy<Value = Rows> {
    (1_usize..10, 1..most).prop_flat_map(|(inputs, m)| {
        let value = prop_oneof![4 => select(VALUES), 1 => -3.0..3.0];
        let row = prop::collection::vec(value, inputs);
        let rows = prop::collection::vec(row, m);
        (rows, select(&[0, 1, 2][..])).prop_map(move |(mut rows, constant)| {
            rows.iter_mut().for_each(|row| row[..constant.min(inputs)].fill(7.0));
            Rows { inputs, rows }
        })
    })
}
