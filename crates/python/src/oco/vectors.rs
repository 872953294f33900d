//! Vectors and tables of numpy for the crates below, and what is saved of a learner.

use crate::arrays::check_places;
use crate::errors::value;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use oco_core::OcoError;
use projections::{ProjectionError, check_finite};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::numeric::first_beyond;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// The entries, in place where they lie one after the other: Python does not run as long as they are used.
///
/// # Errors
/// As [`check_places`].
pub(super) fn entries<'a>(array: &'a PyReadonlyArray1<'_, f64>) -> PyResult<Cow<'a, [f64]>> {
    check_places(&**array)?;
    Ok(match array.as_slice() {
        Ok(slice) => slice.into(),
        Err(_) => array.as_array().iter().copied().collect(),
    })
}

/// The entries row by row, whatever the order in memory, with the number of columns. The array is let go, as
/// in [`vector`](crate::arrays::vector).
///
/// # Errors
/// As [`check_places`].
pub(super) fn table(array: PyReadonlyArray2<'_, f64>) -> PyResult<(Vec<f64>, usize)> {
    check_places(&*array)?;
    let view = array.as_array();
    let all = view.as_slice().map_or_else(|| view.iter().copied().collect(), <[f64]>::to_vec);
    Ok((all, array.shape()[1]))
}

/// Refuses a point of another dimension, and a number that is not finite or above 1e140.
pub(super) fn check_point(argument: &'static str, x: &[f64], expected: usize) -> Result<(), OcoError> {
    check_finite(argument, x)?;
    if let Some(index) = first_beyond(x) {
        return Err(OcoError::TooLarge { argument, index, value: x[index] });
    }
    if x.len() != expected {
        return Err(ProjectionError::LengthMismatch { argument, expected, got: x.len() }.into());
    }
    Ok(())
}

/// The generator of a component that draws.
pub(super) fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The state as bytes.
pub(super) fn saved<'py>(py: Python<'py>, state: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &serde_json::to_vec(state).map_err(value)?))
}

/// The state of such bytes.
pub(super) fn loaded<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    serde_json::from_slice(bytes).map_err(value)
}

/// What pickle and copy keep: the constructor and its bytes.
pub(super) type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));
