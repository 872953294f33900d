//! Where the columns of the training rows lie, and how far they spread.

use super::Columns;
use crate::PolicyError;
use rows::{Entries, RowMatrix};

/// z_j = (x_j − mean_j)·inverse_j, which is never computed row by row: weights are folded instead, so that sparse rows
/// stay sparse.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scales {
    pub(super) means: Vec<f64>,
    /// 1/deviation; 0 for a column that is constant.
    pub(super) inverses: Vec<f64>,
    /// The mean of ‖z‖².
    pub(super) mean_square: f64,
}

/// A deviation of fewer than this many times the largest magnitude of its column is rounding.
const CONSTANT: f64 = 1e-10;

impl Scales {
    /// Those of the named rows, in two passes over their stored values: the means, then the squares about them.
    pub(super) fn fit(contexts: &RowMatrix, rows: &[usize], columns: Columns) -> Result<Self, PolicyError> {
        let (m, n) = (contexts.dimension(), rows.len() as f64);
        if columns == Columns::Raw {
            let norms = rows.iter().filter_map(|i| contexts.row(*i)).map(|x| x.norm_squared() / n);
            let mean_square = norms.sum::<f64>();
            if !mean_square.is_finite() {
                return Err(PolicyError::GradientOverflow);
            }
            return Ok(Self { means: vec![0.0; m], inverses: vec![1.0; m], mean_square });
        }
        let (mut means, mut largest, mut stored) = (vec![0.0; m], vec![0.0_f64; m], vec![0.0; m]);
        for_each(contexts, rows, |j, x| {
            means[j] += x / n;
            largest[j] = largest[j].max(x.abs());
            stored[j] += 1.0;
        });
        let mut variances: Vec<f64> =
            means.iter().zip(&stored).map(|(mean, k)| mean * mean * ((n - k) / n)).collect();
        for_each(contexts, rows, |j, x| variances[j] += (x - means[j]) * (x - means[j]) / n);
        let mut inverses = Vec::with_capacity(m);
        for (column, (variance, largest)) in variances.iter().zip(&largest).enumerate() {
            let deviation = variance.sqrt();
            if !deviation.is_finite() {
                return Err(PolicyError::ColumnOverflow { column });
            }
            let inverse = if deviation <= CONSTANT * largest { 0.0 } else { 1.0 / deviation };
            // Below 1e−308 a deviation has no reciprocal; such a column says as little as a constant one.
            inverses.push(if inverse.is_finite() { inverse } else { 0.0 });
        }
        let mean_square = inverses.iter().filter(|inverse| **inverse > 0.0).count() as f64;
        Ok(Self { means, inverses, mean_square })
    }
}

fn for_each(contexts: &RowMatrix, rows: &[usize], mut visit: impl FnMut(usize, f64)) {
    for x in rows.iter().filter_map(|i| contexts.row(*i)) {
        match x.entries() {
            Entries::Dense(values) => values.iter().enumerate().for_each(|(j, x)| visit(j, *x)),
            Entries::Sparse(indices, values) => {
                indices.iter().zip(values).for_each(|(j, x)| visit(*j as usize, *x));
            }
        }
    }
}
