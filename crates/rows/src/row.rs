//! One example: a borrowed row, dense or sparse.

use crate::RowError;
use crate::numeric::{LARGEST, first_beyond};

/// A borrowed, well-formed feature row x ∈ R^m with its squared norm: no |x_j| exceeds 1e140.
///
/// *Shapes:* `dimension()` = m ≥ 1; a sparse row holds k ≤ m values at strictly rising indices, and all other
/// coordinates are 0.
/// *Cost:* one pass over the stored values to make a row; every operation is O(stored values).
///
/// ```
/// use rows::{Row, RowError};
/// assert!(matches!(Row::dense(&[1.0, f64::NAN]), Err(RowError::NotFinite { position: 1, .. })));
/// assert!(matches!(Row::sparse(2, &[2], &[1.0]), Err(RowError::IndexOutOfRange { .. })));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    entries: Entries<'a>,
    dimension: usize,
    norm_squared: f64,
}

/// How the values of a row are stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entries<'a> {
    /// Every coordinate in order.
    Dense(&'a [f64]),
    /// Values at strictly rising indices.
    Sparse(&'a [u32], &'a [f64]),
}

impl<'a> Row<'a> {
    /// A dense row of values up to 1e140 in magnitude.
    ///
    /// # Errors
    /// [`RowError::Empty`], [`RowError::NotFinite`], [`RowError::TooLarge`].
    pub fn dense(values: &'a [f64]) -> Result<Self, RowError> {
        let norm_squared = checked_norm_squared(values)?;
        if values.is_empty() {
            return Err(RowError::Empty);
        }
        Ok(Self { entries: Entries::Dense(values), dimension: values.len(), norm_squared })
    }

    /// A sparse row of the given dimension; `values[k]` stands at coordinate `indices[k]`.
    ///
    /// # Errors
    /// [`RowError::Empty`] (dimension 0), [`RowError::TooManyCoordinates`] (more than 2³² − 1),
    /// [`RowError::LengthMismatch`], [`RowError::NotFinite`], [`RowError::TooLarge`],
    /// [`RowError::IndexOutOfRange`], [`RowError::IndicesNotRising`].
    pub fn sparse(dimension: usize, indices: &'a [u32], values: &'a [f64]) -> Result<Self, RowError> {
        check_dimension(dimension)?;
        check_indices(dimension, indices)?;
        if indices.len() != values.len() {
            return Err(RowError::LengthMismatch {
                what: "values of a sparse row",
                expected: indices.len(),
                got: values.len(),
            });
        }
        let norm_squared = checked_norm_squared(values)?;
        Ok(Self { entries: Entries::Sparse(indices, values), dimension, norm_squared })
    }

    /// A row of a matrix whose constructor has checked it.
    pub(crate) fn trusted(entries: Entries<'a>, dimension: usize, norm_squared: f64) -> Self {
        Self { entries, dimension, norm_squared }
    }

    /// m, the number of coordinates, stored or not.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// ‖x‖², finite.
    pub fn norm_squared(&self) -> f64 {
        self.norm_squared
    }

    /// The stored values: all of a dense row, the named ones of a sparse row.
    pub fn values(&self) -> &'a [f64] {
        match self.entries {
            Entries::Dense(values) | Entries::Sparse(_, values) => values,
        }
    }

    /// The storage, for loops that distinguish dense from sparse.
    pub fn entries(&self) -> Entries<'a> {
        self.entries
    }

    /// x_j, stored or not; `None` where j ≥ m. O(1) for a dense row, O(log k) for a sparse one.
    ///
    /// ```
    /// let x = rows::Row::sparse(3, &[1], &[5.0])?;
    /// assert_eq!((x.get(0), x.get(1), x.get(3)), (Some(0.0), Some(5.0), None));
    /// # Ok::<(), rows::RowError>(())
    /// ```
    #[inline]
    pub fn get(&self, j: usize) -> Option<f64> {
        match self.entries {
            Entries::Dense(x) => x.get(j).copied(),
            Entries::Sparse(..) if j >= self.dimension => None,
            Entries::Sparse(indices, x) => {
                let place = indices.partition_point(|&i| (i as usize) < j);
                let stored = indices.get(place).is_some_and(|&i| i as usize == j);
                if stored { x.get(place).copied() } else { Some(0.0) }
            }
        }
    }

    /// ⟨w, x⟩. `w` may be longer than the row; the rest of it is not read.
    ///
    /// # Panics
    /// If `w` is shorter than [`dimension`](Self::dimension): learners check that once, when they receive the
    /// row.
    #[inline]
    pub fn dot(&self, w: &[f64]) -> f64 {
        match self.entries {
            Entries::Dense(x) => dot(x, &w[..x.len()]),
            Entries::Sparse(indices, x) => sparse_dot(indices, x, &w[..self.dimension]),
        }
    }

    /// w ← w + a·x.
    ///
    /// # Panics
    /// As [`dot`](Self::dot).
    #[inline]
    pub fn axpy_into(&self, a: f64, w: &mut [f64]) {
        match self.entries {
            Entries::Dense(x) => {
                for (w_j, &x_j) in w[..x.len()].iter_mut().zip(x) {
                    *w_j += a * x_j;
                }
            }
            Entries::Sparse(indices, x) => {
                let w = &mut w[..self.dimension];
                for (&j, &x_j) in indices.iter().zip(x) {
                    w[j as usize] += a * x_j;
                }
            }
        }
    }

    /// w ← w + a·x; returns the change of ‖w‖² without a second pass over w.
    ///
    /// # Panics
    /// As [`dot`](Self::dot).
    #[inline]
    pub fn axpy_norm_change(&self, a: f64, w: &mut [f64]) -> f64 {
        match self.entries {
            Entries::Dense(x) => dense_axpy_norm_change(a, x, &mut w[..x.len()]),
            Entries::Sparse(indices, x) => sparse_axpy_norm_change(a, indices, x, &mut w[..self.dimension]),
        }
    }

    /// Calls `f(j, x_j)` for every stored coordinate, in rising order of j.
    #[inline]
    pub fn for_each(&self, mut f: impl FnMut(usize, f64)) {
        match self.entries {
            Entries::Dense(x) => x.iter().enumerate().for_each(|(j, &x_j)| f(j, x_j)),
            Entries::Sparse(indices, x) => {
                indices.iter().zip(x).for_each(|(&j, &x_j)| f(j as usize, x_j));
            }
        }
    }

    /// A copy with every coordinate written out.
    pub fn to_dense(&self) -> Vec<f64> {
        let mut dense = vec![0.0; self.dimension];
        self.for_each(|j, x_j| dense[j] = x_j);
        dense
    }
}

/// ⟨a, b⟩ over the common length, in eight partial sums for vector registers. The order of summation is
/// fixed: equal input gives equal bits on every machine of the same architecture.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut lanes = [0.0; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    let halves: [f64; 4] = std::array::from_fn(|k| lanes[k] + lanes[k + 4]);
    (halves[0] + halves[2]) + (halves[1] + halves[3]) + tail
}

/// The sparse case of [`Row::dot`], in four partial sums so that additions do not wait for each other.
#[inline]
fn sparse_dot(indices: &[u32], x: &[f64], w: &[f64]) -> f64 {
    let ((indices, j_rest), (x, x_rest)) = (indices.as_chunks::<4>(), x.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (j, x) in indices.iter().zip(x) {
        for k in 0..4 {
            sums[k] += w[j[k] as usize] * x[k];
        }
    }
    let rest: f64 = j_rest.iter().zip(x_rest).map(|(&j, x_j)| w[j as usize] * x_j).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// w ← w + step, and the change of w².
#[inline]
fn move_one(w: &mut f64, step: f64) -> f64 {
    let moved = *w + step;
    let change = step * (*w + moved);
    *w = moved;
    change
}

/// The dense case of [`Row::axpy_norm_change`], in the lanes of [`dot`].
#[inline]
fn dense_axpy_norm_change(a: f64, x: &[f64], w: &mut [f64]) -> f64 {
    let ((x, x_rest), (w, w_rest)) = (x.as_chunks::<8>(), w.as_chunks_mut::<8>());
    let mut sums = [0.0; 8];
    for (w, x) in w.iter_mut().zip(x) {
        // Loop by loop, not entry by entry: each loop compiles to a few vector instructions.
        let steps = x.map(|x_j| a * x_j);
        let moved: [f64; 8] = std::array::from_fn(|k| w[k] + steps[k]);
        for k in 0..8 {
            sums[k] += steps[k] * (w[k] + moved[k]);
        }
        *w = moved;
    }
    let rest: f64 = w_rest.iter_mut().zip(x_rest).map(|(w_j, x_j)| move_one(w_j, a * x_j)).sum();
    let halves: [f64; 4] = std::array::from_fn(|k| sums[k] + sums[k + 4]);
    (halves[0] + halves[2]) + (halves[1] + halves[3]) + rest
}

/// The sparse case, in the sums of [`sparse_dot`].
#[inline]
fn sparse_axpy_norm_change(a: f64, indices: &[u32], x: &[f64], w: &mut [f64]) -> f64 {
    let ((indices, j_rest), (x, x_rest)) = (indices.as_chunks::<4>(), x.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (j, x) in indices.iter().zip(x) {
        for k in 0..4 {
            sums[k] += move_one(&mut w[j[k] as usize], a * x[k]);
        }
    }
    let rest: f64 = j_rest.iter().zip(x_rest).map(|(&j, x_j)| move_one(&mut w[j as usize], a * x_j)).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// ‖values‖², or the first entry that is refused. A sum of squares up to 1e280 proves every entry in range;
/// only if it is larger are the entries checked one by one.
pub(crate) fn checked_norm_squared(values: &[f64]) -> Result<f64, RowError> {
    let norm_squared = dot(values, values);
    if !(norm_squared <= LARGEST * LARGEST)
        && let Some(position) = first_beyond(values)
    {
        let value = values[position];
        return Err(if value.is_finite() {
            RowError::TooLarge { position, value }
        } else {
            RowError::NotFinite { position, value }
        });
    }
    Ok(norm_squared)
}

/// Checks a stated dimension.
pub(crate) fn check_dimension(dimension: usize) -> Result<(), RowError> {
    let limit = u32::MAX as usize;
    match dimension {
        0 => Err(RowError::Empty),
        _ if dimension > limit => Err(RowError::TooManyCoordinates { dimension, limit }),
        _ => Ok(()),
    }
}

pub(crate) fn check_indices(dimension: usize, indices: &[u32]) -> Result<(), RowError> {
    for (position, &index) in indices.iter().enumerate() {
        if index as usize >= dimension {
            return Err(RowError::IndexOutOfRange { position, index, dimension });
        }
        if position > 0 && index <= indices[position - 1] {
            return Err(RowError::IndicesNotRising { position, index });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A sparse row and its dense copy are the same vector to every operation, up to the order of
        /// summation.
        #[test]
        fn sparse_and_dense_agree(x in prop::collection::vec(prop_oneof![Just(0.0), -5.0..5.0], 1..60), a in -3.0..3.0) {
            let (indices, values): (Vec<u32>, Vec<f64>) =
                (0u32..).zip(&x).filter(|(_, v)| **v != 0.0).map(|(j, v)| (j, *v)).unzip();
            let w: Vec<f64> = (0..x.len()).map(|j| (j as f64).sin()).collect();
            let dense = Row::dense(&x).unwrap();
            let sparse = Row::sparse(x.len(), &indices, &values).unwrap();
            prop_assert!((dense.dot(&w) - sparse.dot(&w)).abs() < 1e-12);
            prop_assert!((dense.norm_squared() - sparse.norm_squared()).abs() < 1e-10);
            let (mut u, mut v) = (w.clone(), w.clone());
            dense.axpy_into(a, &mut u);
            sparse.axpy_into(a, &mut v);
            prop_assert_eq!(&u, &v);
            let mut z = w.clone();
            let change = dense.axpy_norm_change(a, &mut z);
            prop_assert_eq!(&z, &u);
            prop_assert!((change - (dot(&u, &u) - dot(&w, &w))).abs() < 1e-9);
            prop_assert!((change - sparse.axpy_norm_change(a, &mut w.clone())).abs() < 1e-9);
            prop_assert_eq!(sparse.to_dense(), x);
        }
    }

    #[test]
    fn the_largest_numbers_are_accepted_and_larger_ones_are_named() {
        let row = Row::dense(&[LARGEST, -LARGEST]).unwrap();
        assert_eq!(row.norm_squared(), 2.0 * (LARGEST * LARGEST));
        let value = -LARGEST.next_up();
        assert_eq!(Row::dense(&[1.0, value]), Err(RowError::TooLarge { position: 1, value }));
        assert_eq!(Row::sparse(9, &[7], &[value]), Err(RowError::TooLarge { position: 0, value }));
        // A large norm alone is no reason to refuse.
        assert!(Row::dense(&[0.9 * LARGEST; 100]).is_ok());
    }

    #[test]
    fn every_malformed_row_is_named() {
        assert_eq!(Row::dense(&[]), Err(RowError::Empty));
        assert_eq!(Row::sparse(0, &[], &[]), Err(RowError::Empty));
        assert_eq!(
            Row::sparse(3, &[1, 1], &[1.0, 2.0]),
            Err(RowError::IndicesNotRising { position: 1, index: 1 })
        );
        assert!(matches!(
            Row::sparse(3, &[1], &[]),
            Err(RowError::LengthMismatch { expected: 1, got: 0, .. })
        ));
        assert!(matches!(
            Row::dense(&[0.0, f64::INFINITY]),
            Err(RowError::NotFinite { position: 1, value }) if value == f64::INFINITY
        ));
    }
}
