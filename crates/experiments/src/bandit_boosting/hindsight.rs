//! A reference for linear learners: the best fixed linear predictor in hindsight.

use super::task::Halves;
use nalgebra::{DMatrix, DVector};
use rows::Entries;

/// The mean squared loss of the least-squares predictor of the reporting half, fitted on that half: the loss
/// of the best fixed linear predictor, not clipped to Y. Linear learners span linear predictors only, so
/// boosting them has no better comparator.
///
/// The normal equations get a ridge of 1e−9 times their mean diagonal, since one-hot blocks are collinear
/// with the constant; that raises the loss by less than the digits shown. `None` if they cannot be solved.
pub fn best_linear_loss(halves: &Halves) -> Option<f64> {
    let m = halves.features.dimension();
    let (mut gram, mut moment, mut label_squares) = (DMatrix::<f64>::zeros(m, m), DVector::zeros(m), 0.0);
    for &i in &halves.reporting {
        let (x, y) = (halves.features.row(i)?, halves.labels[i]);
        label_squares += y * y;
        x.axpy_into(y, moment.as_mut_slice());
        match x.entries() {
            Entries::Dense(values) => {
                for (j, &x_j) in values.iter().enumerate() {
                    x.axpy_into(x_j, &mut gram.as_mut_slice()[j * m..(j + 1) * m]);
                }
            }
            Entries::Sparse(indices, values) => {
                for (&j, &x_j) in indices.iter().zip(values) {
                    let j = j as usize;
                    x.axpy_into(x_j, &mut gram.as_mut_slice()[j * m..(j + 1) * m]);
                }
            }
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "counts of columns and examples")]
    let (columns, examples) = (m as f64, halves.reporting.len() as f64);
    let ridge = 1e-9 * gram.trace() / columns;
    let mut ridged = gram.clone();
    (0..m).for_each(|j| ridged[(j, j)] += ridge);
    let w = ridged.cholesky()?.solve(&moment);
    Some((label_squares - 2.0 * w.dot(&moment) + w.dot(&(gram * &w))) / examples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rows::RowMatrix;

    /// The first six examples tune, the last four report.
    fn halves(features: RowMatrix, labels: Vec<f64>) -> Halves {
        Halves { features, labels, tuning: (0..6).collect(), reporting: (6..10).collect(), radius: 1.0 }
    }

    #[test]
    fn the_best_predictor_is_that_of_the_reporting_half() {
        let constant = RowMatrix::dense(1, vec![1.0; 10]).unwrap();
        // Their mean is ½, which misses each by ½; the tuning labels are one other number.
        let labels = [[9.0; 6].as_slice(), &[0.0, 1.0, 1.0, 0.0]].concat();
        let found = best_linear_loss(&halves(constant, labels)).unwrap();
        assert!((found - 0.25).abs() < 1e-8, "{found}");
    }

    #[test]
    fn a_linear_half_has_no_loss_dense_or_sparse() {
        let x: Vec<f64> = (0..10).flat_map(|i| [1.0, f64::from(i), f64::from(i * i % 7)]).collect();
        // Linear on the reporting half alone.
        let label =
            |i: usize| if i < 6 { x[3 * i + 1].powi(3) } else { 0.5 - 0.25 * x[3 * i + 1] + x[3 * i + 2] };
        let labels: Vec<f64> = (0..10).map(label).collect();
        let dense = halves(RowMatrix::dense(3, x.clone()).unwrap(), labels.clone());
        let offsets = (0..=10).map(|i| 3 * i).collect();
        let sparse = RowMatrix::sparse(3, offsets, [0, 1, 2].repeat(10), x).unwrap();
        for mut halves in [dense, halves(sparse, labels)] {
            assert!(best_linear_loss(&halves).unwrap().abs() < 1e-6);
            std::mem::swap(&mut halves.tuning, &mut halves.reporting);
            assert!(best_linear_loss(&halves).unwrap() > 1.0);
        }
    }
}
