//! A reference for linear learners: the best fixed linear predictor in hindsight.

use super::task::Halves;
use nalgebra::{DMatrix, DVector};
use rows::Entries;

/// The mean squared loss of the least-squares predictor of the reporting half, fitted on that very half: what the best
/// *fixed* linear predictor, not clipped to Y, loses. The hull of linear learners holds nothing but linear predictors,
/// so boosting them cannot have a better comparator than this one.
///
/// The normal equations get a ridge of 1e−9 times their mean diagonal, since one-hot blocks are collinear with the
/// constant; that raises the loss by less than the digits shown. `None` where they cannot be solved all the same.
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
