//! Arrays of numpy as rows, and back.

use crate::errors::value;
use crate::lent::Lent;
use numpy::ndarray::{ArrayView2, Axis};
use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use off_policy::{ActionSets, ContextColumn};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use rows::{RowError, RowMatrix};

/// Rows of numbers, in the caller's memory.
pub(crate) enum Numbers<'py> {
    /// Whether they may be read there as long as there are rows of them.
    Double(PyReadonlyArray2<'py, f64>, bool),
    Single(PyReadonlyArray2<'py, f32>),
    Sparse(Compressed<'py>),
}

/// Compressed rows, as of `scipy.sparse.csr_array`: offsets, columns, values, and the number of columns.
#[derive(FromPyObject)]
pub(crate) struct Compressed<'py>(
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, f64>,
    usize,
);

impl<'py> Numbers<'py> {
    /// Whether `is_lent`, the package promises what [`Lent`] asks for; else the numbers are copied.
    ///
    /// # Errors
    /// `TypeError` for anything but a two-dimensional array of float64 or float32.
    pub(crate) fn of(array: &Bound<'py, PyAny>, is_lent: bool) -> PyResult<Self> {
        if let Ok(array) = array.cast::<PyArray2<f64>>() {
            check_places(array)?;
            return Ok(Self::Double(array.try_readonly().map_err(value)?, is_lent));
        }
        if let Ok(array) = array.cast::<PyArray2<f32>>() {
            check_places(array)?;
            return Ok(Self::Single(array.try_readonly().map_err(value)?));
        }
        let refused = "an array of shape (n, m) of float64 or float32, or compressed rows, are needed";
        array.extract().map(Self::Sparse).map_err(|_| PyTypeError::new_err(refused))
    }

    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::Double(array, _) => array.shape()[1],
            Self::Single(array) => array.shape()[1],
            Self::Sparse(Compressed(.., columns)) => *columns,
        }
    }

    /// The columns that hold NaN.
    fn with_missing(&self) -> Vec<bool> {
        match self {
            Self::Double(array, _) => with_nan(array.as_array(), f64::is_nan),
            Self::Single(array) => with_nan(array.as_array(), f32::is_nan),
            // A value that is not stored is 0; a stored NaN is refused with its place.
            Self::Sparse(Compressed(.., columns)) => vec![false; *columns],
        }
    }

    /// The rows, coded as a table with such columns is: a column with NaN has a second coordinate, which is 1
    /// where the value is missing. With `columns`, by that coding.
    ///
    /// *Cost:* none but a look at the numbers, for lent doubles in C's order without NaN; else one copy.
    ///
    /// # Errors
    /// `ValueError` for another number of columns, NaN in a column that had none, infinite and too large
    /// numbers; `MemoryError` where there is no room for a copy.
    pub(crate) fn rows(
        &self,
        names: &[String],
        columns: Option<&[ContextColumn]>,
    ) -> PyResult<(RowMatrix, Vec<ContextColumn>)> {
        let m = self.columns();
        if let Some(columns) = columns
            && columns.len() != m
        {
            return Err(value(format!("context has {m} columns, {} are expected", columns.len())));
        }
        // An array that numpy has broadcast may be larger than any memory.
        match self {
            Self::Double(array, false) => drop(room(array.shape()[0].saturating_mul(m))?),
            Self::Single(array) => drop(room(array.shape()[0].saturating_mul(m))?),
            Self::Double(_, true) | Self::Sparse(_) => {}
        }
        let missing = self.with_missing();
        let columns: Vec<ContextColumn> = match columns {
            Some(columns) => columns.to_vec(),
            None => names
                .iter()
                .zip(&missing)
                .map(|(name, is_missing)| match is_missing {
                    true => ContextColumn::NumberOrMissing { name: name.clone() },
                    false => ContextColumn::Number { name: name.clone() },
                })
                .collect(),
        };
        if columns.len() != m {
            return Err(value(format!("context has {m} columns, {} are expected", columns.len())));
        }
        for (column, is_missing) in columns.iter().zip(&missing) {
            match column {
                ContextColumn::Number { name } if *is_missing => {
                    return Err(value(format!("column {name:?} holds NaN, and had none in the fit")));
                }
                ContextColumn::Number { .. } | ContextColumn::NumberOrMissing { .. } => {}
                other => {
                    let name = other.name();
                    return Err(value(format!(
                        "column {name:?} is no column of numbers: hand in a data frame"
                    )));
                }
            }
        }
        let width: usize = columns.iter().map(ContextColumn::width).sum();
        let rows = match self {
            Self::Double(array, is_lent) => {
                let lent = if *is_lent && width == m { Lent::of(array) } else { None };
                match lent {
                    Some(lent) => RowMatrix::lent(width, lent),
                    None => RowMatrix::dense(width, coded(array.as_array(), &columns, width, |x| x)),
                }
            }
            Self::Single(array) => {
                RowMatrix::dense(width, coded(array.as_array(), &columns, width, f64::from))
            }
            Self::Sparse(Compressed(offsets, indices, values, _)) => {
                let offset = |offset: &i64| usize::try_from(*offset).unwrap_or(usize::MAX);
                let offsets = vector(offsets.clone())?.iter().map(offset).collect();
                widened(&columns, offsets, vector(indices.clone())?, vector(values.clone())?)
            }
        };
        Ok((rows.map_err(value)?, columns))
    }
}

/// Room for so many numbers.
///
/// # Errors
/// `MemoryError`: memory that is not there would end the process.
pub(crate) fn room(count: usize) -> PyResult<Vec<f64>> {
    let mut all = Vec::new();
    let refused = |_| PyMemoryError::new_err(format!("there is no memory for {count} numbers"));
    all.try_reserve_exact(count).map_err(refused)?;
    Ok(all)
}

/// The columns that hold NaN.
fn with_nan<T: Copy>(array: ArrayView2<'_, T>, is_nan: fn(T) -> bool) -> Vec<bool> {
    // Rows of C's order one after another; else columns.
    if !array.is_standard_layout() {
        return array.axis_iter(Axis(1)).map(|column| column.iter().any(|x| is_nan(*x))).collect();
    }
    let mut found = vec![false; array.ncols()];
    for row in array.rows() {
        row.iter().zip(&mut found).for_each(|(x, found)| *found |= is_nan(*x));
    }
    found
}

/// The values in the order of the rows, whatever the order in memory, with the coordinates that say whether a
/// value is missing.
fn coded<T: Copy>(
    array: ArrayView2<'_, T>,
    columns: &[ContextColumn],
    width: usize,
    double: fn(T) -> f64,
) -> Vec<f64> {
    let mut values = Vec::with_capacity(array.nrows().saturating_mul(width));
    for row in array.rows() {
        if width == columns.len() {
            values.extend(row.iter().map(|x| double(*x)));
            continue;
        }
        for (x, column) in row.iter().map(|x| double(*x)).zip(columns) {
            match column.width() {
                1 => values.push(x),
                _ if x.is_nan() => values.extend([0.0, 1.0]),
                _ => values.extend([x, 0.0]),
            }
        }
    }
    values
}

/// Compressed rows with a second coordinate, always 0, for every column that may be missing.
fn widened(
    columns: &[ContextColumn],
    offsets: Vec<usize>,
    mut indices: Vec<u32>,
    values: Vec<f64>,
) -> Result<RowMatrix, RowError> {
    let (mut places, mut width) = (Vec::with_capacity(columns.len()), 0_usize);
    for column in columns {
        places.push(u32::try_from(width).unwrap_or(u32::MAX));
        width += column.width();
    }
    if width > columns.len() {
        // A column beyond them is refused below.
        indices.iter_mut().for_each(|j| *j = places.get(*j as usize).copied().unwrap_or(u32::MAX));
    }
    RowMatrix::sparse(width, offsets, indices, values)
}

/// A vector of any order in memory. It is let go: an array that Python resizes while the crate `numpy` has it
/// borrowed ends the process, so that no array is borrowed while Python runs.
///
/// # Errors
/// As [`check_places`].
pub(crate) fn vector<T: Element + Copy>(array: PyReadonlyArray1<'_, T>) -> PyResult<Vec<T>> {
    check_places(&*array)?;
    Ok(array.as_array().iter().copied().collect())
}

/// Refuses numbers that do not lie as Rust reads them: the crate `numpy` divides strides by the size of a
/// number and rounds, and asks for no alignment.
///
/// # Errors
/// `ValueError` for numbers that are not aligned, or are no whole number of numbers apart.
pub(crate) fn check_places<'py>(array: &impl PyUntypedArrayMethods<'py>) -> PyResult<()> {
    let size = isize::try_from(array.dtype().itemsize()).unwrap_or(isize::MAX).max(1);
    if array.is_aligned() && array.strides().iter().all(|stride| stride % size == 0) {
        Ok(())
    } else {
        Err(value("the numbers of an array are not aligned: copy it first"))
    }
}

/// The sets of a Boolean array n × |A|.
///
/// The bytes are read, and not truth values: numpy keeps whatever byte a view of other numbers has, and a
/// `bool` of Rust is 0 or 1.
///
/// # Errors
/// `ValueError` for a row without an action.
pub(crate) fn sets(available: &Bound<'_, PyArray2<bool>>) -> PyResult<ActionSets> {
    let bytes: PyReadonlyArray2<'_, u8> = available.call_method1("view", ("uint8",))?.extract()?;
    let (array, mut set) = (bytes.as_array(), Vec::new());
    let rows = array.rows().into_iter().map(|row| {
        set.clear();
        set.extend((0_u32..).zip(row).filter(|(_, byte)| **byte != 0).map(|(a, _)| a));
        set.clone()
    });
    ActionSets::new(array.ncols(), rows).map_err(value)
}

/// An array of n rows.
///
/// # Errors
/// Never, for a whole number of rows.
pub(crate) fn array_of_rows<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    width: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = values.len() / width.max(1);
    PyArray1::from_vec(py, values).reshape([rows, width])
}
