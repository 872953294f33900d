//! Errors of the layers below, with the names that arguments have in Python.

use crate::errors::value;
use oco_core::OcoError;
use projections::ProjectionError as Of;
use pyo3::PyErr;

/// What an argument is called in Rust, and in Python.
pub(crate) type Name = (&'static str, &'static str);

/// A `ValueError` in the words of Rust, where these arguments have other names.
pub(crate) fn by<E: Into<OcoError>>(names: &'static [Name]) -> impl Fn(E) -> PyErr {
    move |error| value(renamed(error.into(), names))
}

/// The same error of arguments that have other names.
pub(crate) fn renamed(mut error: OcoError, names: &[Name]) -> OcoError {
    let own = match &mut error {
        OcoError::TooLarge { argument, .. }
        | OcoError::OutsideSet { argument }
        | OcoError::NotADistribution { argument, .. }
        | OcoError::Projection(
            Of::NotFinite { argument, .. }
            | Of::Empty { argument }
            | Of::LengthMismatch { argument, .. }
            | Of::NegativeEntry { argument, .. }
            | Of::OutsideSet { argument }
            | Of::TooLarge { argument, .. },
        ) => argument,
        OcoError::Projection(
            Of::BadRadius { name, .. } | Of::BadStep { name, .. } | Of::BadParameter { name, .. },
        ) => name,
        _ => return error,
    };
    if let Some((_, python)) = names.iter().find(|(rust, _)| *rust == *own) {
        *own = *python;
    }
    error
}
