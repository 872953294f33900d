//! Where the columns of the training rows lie, and how far they spread.

use rows::numeric::power_of_two_below;
use rows::{Entries, RowMatrix};
use serde::{Deserialize, Serialize};

/// The scale on which the ridge sees the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Columns {
    /// Mean 0 and variance 1 on the rows of the fit; a column that is constant there gets the weight 0.
    /// Sparse rows stay sparse.
    Standardised,
    /// As they are.
    Raw,
}

/// z_j = (x_j − mean_j)·inverse_j, which is never computed row by row: weights are folded instead, so that
/// sparse rows stay sparse.
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
    /// Those of the named rows, in two passes over their stored values: the means, then the squares about
    /// them.
    pub(super) fn fit(contexts: &RowMatrix, rows: &[usize], columns: Columns) -> Self {
        let (m, n) = (contexts.dimension(), rows.len() as f64);
        if columns == Columns::Raw {
            let norms = rows.iter().filter_map(|i| contexts.row(*i)).map(|x| x.norm_squared() / n);
            return Self { means: vec![0.0; m], inverses: vec![1.0; m], mean_square: norms.sum() };
        }
        let (mut means, mut largest, mut stored) = (vec![0.0; m], vec![0.0_f64; m], vec![0.0; m]);
        for_each(contexts, rows, |j, x| {
            means[j] += x / n;
            largest[j] = largest[j].max(x.abs());
            stored[j] += 1.0;
        });
        // Squares are of columns over a power of two next to their largest, so that none underflows.
        let units: Vec<f64> = largest.iter().map(|largest| power_of_two_below(*largest)).collect();
        let squared = |x: f64| x * x;
        let mut variances: Vec<f64> =
            (0..m).map(|j| squared(means[j] / units[j]) * ((n - stored[j]) / n)).collect();
        for_each(contexts, rows, |j, x| variances[j] += squared(x / units[j] - means[j] / units[j]) / n);
        let mut inverses = Vec::with_capacity(m);
        for ((variance, largest), unit) in variances.iter().zip(&largest).zip(&units) {
            let deviation = variance.sqrt() * unit;
            let inverse = if deviation <= CONSTANT * largest { 0.0 } else { 1.0 / deviation };
            // Below 1e−308 a deviation has no reciprocal; such a column says as little as a constant one.
            inverses.push(if inverse.is_finite() { inverse } else { 0.0 });
        }
        let mean_square = inverses.iter().filter(|inverse| **inverse > 0.0).count() as f64;
        Self { means, inverses, mean_square }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A column times a power of two has its mean and deviation times the same, although squares of it are no
    /// doubles.
    #[test]
    fn columns_of_any_size_have_a_spread() {
        let (plain, rows) = ([3.0, -1.0, 0.0, 7.0, 2.5], [0, 1, 2, 3, 4]);
        let fit = |values: &[f64], sparse: bool| {
            let contexts = match sparse {
                true => RowMatrix::sparse(1, vec![0, 1, 2, 2, 3, 4], vec![0; 4], {
                    values.iter().copied().filter(|x| *x != 0.0).collect()
                }),
                false => RowMatrix::dense(1, values.to_vec()),
            };
            Scales::fit(&contexts.unwrap(), &rows, Columns::Standardised)
        };
        for sparse in [false, true] {
            let want = fit(&plain, sparse);
            for power in [-1000, -540, 300, 440] {
                let scale = 2f64.powi(power);
                let found = fit(&plain.map(|x| x * scale), sparse);
                assert_eq!(found.means[0] / scale, want.means[0], "2^{power}");
                assert_eq!(found.inverses[0] * scale, want.inverses[0], "2^{power}");
                assert_eq!(found.mean_square, 1.0);
            }
        }
        assert_eq!(fit(&[0.0; 5], false).inverses, [0.0]);
    }
}
