//! The map that standardising and min–max scaling share: some columns are shifted and scaled, the others stay
//! as they are.

use crate::error::EncodeError;
use crate::room::has_room;
use rows::numeric::LARGEST;
use rows::{Entries, RowMatrix};
use serde::{Deserialize, Serialize};

/// `x_j ← (x_j − centre)/spread` on the named columns; a column with spread 0 was constant, and becomes 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fitted", into = "Fitted")]
pub(super) struct Affine {
    dimension: usize,
    maps: Vec<ColumnMap>,
}

/// The map of one column. A map of an older version has a unit, and is refused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnMap {
    column: u32,
    centre: f64,
    spread: f64,
}

#[derive(Serialize, Deserialize)]
struct Fitted {
    dimension: usize,
    maps: Vec<ColumnMap>,
}

impl ColumnMap {
    fn apply(&self, x: f64) -> f64 {
        if self.spread > 0.0 { (x - self.centre) / self.spread } else { 0.0 }
    }
}

impl Affine {
    /// Fits a map to each column; `fit` gets the column's values over the rows, and returns (centre,
    /// spread).
    pub(super) fn fit(
        matrix: &RowMatrix,
        rows: &[usize],
        columns: &[usize],
        fit: impl Fn(&[f64]) -> (f64, f64),
    ) -> Result<Self, EncodeError> {
        let dimension = matrix.dimension();
        let mut columns = columns.to_vec();
        columns.sort_unstable();
        let indices = checked_columns(dimension, &columns)?;
        if rows.is_empty() {
            return Err(EncodeError::NoRows);
        }
        let gathered = gather(matrix, rows, &columns)?;
        let maps = indices.into_iter().zip(gathered).map(|(column, values)| {
            let (centre, spread) = fit(&values);
            ColumnMap { column, centre, spread }
        });
        Ok(Self { dimension, maps: maps.collect() })
    }

    /// The mapped copy. Dense rows stay dense; sparse rows store the mapped columns, where these are not 0,
    /// beside what they held.
    pub(super) fn apply(&self, matrix: &RowMatrix) -> Result<RowMatrix, EncodeError> {
        if matrix.dimension() != self.dimension {
            let (expected, got) = (self.dimension, matrix.dimension());
            return Err(EncodeError::DimensionMismatch { expected, got });
        }
        let Some(first) = matrix.row(0) else { return Ok(matrix.clone()) };
        match first.entries() {
            Entries::Dense(_) => self.apply_dense(matrix),
            Entries::Sparse(..) => self.apply_sparse(matrix),
        }
    }

    fn apply_dense(&self, matrix: &RowMatrix) -> Result<RowMatrix, EncodeError> {
        let mut values = Vec::with_capacity(matrix.stored_values());
        for row in matrix.iter() {
            let start = values.len();
            values.extend_from_slice(row.values());
            for map in &self.maps {
                let x_j = &mut values[start + map.column as usize];
                *x_j = map.apply(*x_j);
            }
        }
        Ok(RowMatrix::dense(self.dimension, values)?)
    }

    /// Merges each row's stored coordinates with the mapped columns, of which 0 may become something else.
    fn apply_sparse(&self, matrix: &RowMatrix) -> Result<RowMatrix, EncodeError> {
        let mut mapped = SparseRows { offsets: vec![0], indices: Vec::new(), values: Vec::new() };
        for row in matrix.iter() {
            let Entries::Sparse(indices, values) = row.entries() else { continue };
            let mut maps = self.maps.iter().peekable();
            for (&j, &x_j) in indices.iter().zip(values) {
                while let Some(map) = maps.next_if(|map| map.column < j) {
                    mapped.push(map.column, map.apply(0.0));
                }
                mapped.push(j, maps.next_if(|map| map.column == j).map_or(x_j, |map| map.apply(x_j)));
            }
            for map in maps {
                mapped.push(map.column, map.apply(0.0));
            }
            mapped.offsets.push(mapped.values.len());
        }
        let SparseRows { offsets, indices, values } = mapped;
        Ok(RowMatrix::sparse(self.dimension, offsets, indices, values)?)
    }
}

/// Compressed rows in the making, without stored zeros.
struct SparseRows {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl SparseRows {
    fn push(&mut self, index: u32, value: f64) {
        if value != 0.0 {
            self.indices.push(index);
            self.values.push(value);
        }
    }
}

/// The columns as indices of a sparse row: below the dimension and strictly rising.
fn checked_columns(dimension: usize, sorted: &[usize]) -> Result<Vec<u32>, EncodeError> {
    if let Some(&column) = sorted.iter().find(|&&column| column >= dimension) {
        return Err(EncodeError::ColumnOutOfRange { column, dimension });
    }
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(EncodeError::RepeatedColumn { column: pair[1] });
    }
    sorted.iter().map(|&j| u32::try_from(j).map_err(|_| EncodeError::TooWide { dimension })).collect()
}

/// The named columns over the named rows, in one pass over the stored values.
fn gather(matrix: &RowMatrix, rows: &[usize], columns: &[usize]) -> Result<Vec<Vec<f64>>, EncodeError> {
    let dimension = matrix.dimension();
    if !has_room(dimension, size_of::<Option<usize>>()) {
        return Err(EncodeError::TooWide { dimension });
    }
    let mut slot_of_column = vec![None; dimension];
    for (slot, &column) in columns.iter().enumerate() {
        slot_of_column[column] = Some(slot);
    }
    let mut gathered = vec![vec![0.0; rows.len()]; columns.len()];
    for (i, &row) in rows.iter().enumerate() {
        let found = matrix.row(row).ok_or(EncodeError::RowOutOfRange { row, rows: matrix.len() })?;
        found.for_each(|j, x_j| {
            if let Some(slot) = slot_of_column[j] {
                gathered[slot][i] = x_j;
            }
        });
    }
    Ok(gathered)
}

impl From<Affine> for Fitted {
    fn from(affine: Affine) -> Self {
        Self { dimension: affine.dimension, maps: affine.maps }
    }
}

impl TryFrom<Fitted> for Affine {
    type Error = EncodeError;

    fn try_from(fitted: Fitted) -> Result<Self, EncodeError> {
        let columns: Vec<usize> = fitted.maps.iter().map(|map| map.column as usize).collect();
        checked_columns(fitted.dimension, &columns)?;
        for map in &fitted.maps {
            let bad = |name, value, requirement| {
                Err(EncodeError::BadParameter { name, column: map.column as usize, value, requirement })
            };
            // A centre is a mean or a minimum, a spread a width of up to 2e140; both may be rounded up.
            if !(map.centre.abs() <= 2.0 * LARGEST) {
                return bad("centre", map.centre, "between −2e140 and 2e140");
            }
            if !(0.0..=4.0 * LARGEST).contains(&map.spread) {
                return bad("spread", map.spread, "between 0 and 4e140");
            }
        }
        Ok(Self { dimension: fitted.dimension, maps: fitted.maps })
    }
}

#[cfg(test)]
mod tests {
    use crate::encode::{MinMax, Standardiser};
    use crate::error::EncodeError;
    use proptest::prelude::*;
    use rows::{RowError, RowMatrix};

    fn sparse_copy(m: usize, values: &[f64]) -> RowMatrix {
        let (mut offsets, mut indices, mut stored) = (vec![0], vec![], vec![]);
        for row in values.chunks(m) {
            for (j, &x) in (0u32..).zip(row).filter(|(_, x)| **x != 0.0) {
                indices.push(j);
                stored.push(x);
            }
            offsets.push(stored.len());
        }
        RowMatrix::sparse(m, offsets, indices, stored).unwrap()
    }

    fn column(matrix: &RowMatrix, j: usize) -> Vec<f64> {
        matrix.iter().map(|row| row.to_dense()[j]).collect()
    }

    proptest! {
        /// Mean 0 and variance 1 on the fitted rows whatever the other rows hold, at any magnitude; the
        /// unnamed column is untouched; a sparse matrix gives the same numbers as its dense copy.
        #[test]
        fn the_fitted_rows_decide(
            values in prop::collection::vec(prop_oneof![Just(0.0), -3.0..9.0], 18..=18),
            outlier in -1e3..1e3, exponent in -450i32..=450,
        ) {
            let magnitude = 2f64.powi(exponent);
            let mut values: Vec<f64> = values.iter().map(|v| v * magnitude).collect();
            (values[0], values[3]) = (2.0 * magnitude, -magnitude);
            let (m, tuning) = (3, [0, 1, 2, 3]);
            let dense = RowMatrix::dense(m, values.clone()).unwrap();
            let sparse = sparse_copy(m, &values);
            values[12..].fill(outlier * magnitude);
            let others_changed = RowMatrix::dense(m, values).unwrap();

            let scaler = Standardiser::fit(&dense, &tuning, &[2, 0]).unwrap();
            prop_assert_eq!(&scaler, &Standardiser::fit(&others_changed, &tuning, &[0, 2]).unwrap());
            prop_assert_eq!(&scaler, &Standardiser::fit(&sparse, &tuning, &[0, 2]).unwrap());
            let scaled = scaler.apply(&dense).unwrap();
            let x = &column(&scaled, 0)[..4];
            prop_assert!(x.iter().sum::<f64>().abs() < 1e-12);
            prop_assert!((x.iter().map(|v| v * v).sum::<f64>() - 4.0).abs() < 1e-12);
            prop_assert_eq!(column(&scaled, 1), column(&dense, 1));
            let from_sparse = scaler.apply(&sparse).unwrap();
            (0..m).for_each(|j| assert_eq!(column(&from_sparse, j), column(&scaled, j)));

            let range = MinMax::fit(&dense, &tuning, &[0]).unwrap();
            prop_assert_eq!(&range, &MinMax::fit(&others_changed, &tuning, &[0]).unwrap());
            let scaled = column(&range.apply(&dense).unwrap(), 0);
            prop_assert_eq!(scaled[..4].iter().copied().reduce(f64::min), Some(0.0));
            prop_assert_eq!(scaled[..4].iter().copied().reduce(f64::max), Some(1.0));
        }
    }

    #[test]
    fn the_whole_range_of_numbers_is_scaled_and_constants_become_zero() {
        let x = RowMatrix::dense(2, vec![1e140, 0.1, -1e140, 0.1, 5e-324, 0.1]).unwrap();
        let rows = [0, 1, 2];
        let standardised = Standardiser::fit(&x, &rows, &[0, 1]).unwrap().apply(&x).unwrap();
        let expected = 1.5f64.sqrt();
        assert!((column(&standardised, 0)[0] - expected).abs() < 1e-15);
        assert_eq!(column(&standardised, 1), [0.0; 3]);
        let range = MinMax::fit(&x, &rows, &[0, 1]).unwrap().apply(&x).unwrap();
        assert_eq!(column(&range, 0), [1.0, 0.0, 0.5]);
        assert_eq!(column(&range, 1), [0.0; 3]);
        let tiny = RowMatrix::dense(1, vec![1e-140, 0.0]).unwrap();
        assert_eq!(
            column(&Standardiser::fit(&tiny, &[0, 1], &[0]).unwrap().apply(&tiny).unwrap(), 0),
            [1.0, -1.0]
        );
        // A row that the fit has not seen can be too far out; it is refused.
        let wide = RowMatrix::dense(1, vec![1e10, 0.0]).unwrap();
        assert!(matches!(
            Standardiser::fit(&tiny, &[0, 1], &[0]).unwrap().apply(&wide),
            Err(EncodeError::Rows(RowError::TooLargeAt { row: 0, column: 0, .. }))
        ));
    }

    #[test]
    fn bad_requests_and_bad_states_are_refused() {
        let x = RowMatrix::dense(2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(Standardiser::fit(&x, &[], &[0]), Err(EncodeError::NoRows));
        assert_eq!(MinMax::fit(&x, &[0, 2], &[0]), Err(EncodeError::RowOutOfRange { row: 2, rows: 2 }));
        assert_eq!(
            MinMax::fit(&x, &[0], &[2]),
            Err(EncodeError::ColumnOutOfRange { column: 2, dimension: 2 })
        );
        assert_eq!(MinMax::fit(&x, &[0], &[1, 0, 1]), Err(EncodeError::RepeatedColumn { column: 1 }));
        let scaler = Standardiser::fit(&x, &[0, 1], &[0, 1]).unwrap();
        let narrow = RowMatrix::dense(1, vec![1.0]).unwrap();
        assert_eq!(scaler.apply(&narrow), Err(EncodeError::DimensionMismatch { expected: 2, got: 1 }));

        let text = serde_json::to_string(&scaler).unwrap();
        assert_eq!(serde_json::from_str::<Standardiser>(&text).unwrap(), scaler);
        for (good, bad) in [
            ("\"column\":1", "\"column\":7"),
            ("\"column\":1", "\"column\":0"),
            ("\"centre\":2.0", "\"centre\":1e141"),
            ("\"spread\":1.0", "\"spread\":-1.0"),
            ("\"spread\":1.0", "\"spread\":1e141"),
            ("\"centre\":2.0", "\"unit\":2.0,\"centre\":1.0"),
        ] {
            assert!(text.contains(good), "{text}");
            assert!(serde_json::from_str::<Standardiser>(&text.replace(good, bad)).is_err(), "{bad}");
        }
    }
}
