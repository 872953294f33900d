//! Errors of Rust as exceptions, in the same words.

use formats::FormatError;
use ocoboost::model_file::ModelFileError;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;

/// A `ValueError`.
pub(crate) fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An `OSError` where a file could not be read, else a `ValueError`.
pub(crate) fn of_format(error: FormatError) -> PyErr {
    match error {
        FormatError::Io { .. } => PyOSError::new_err(error.to_string()),
        error => value(error),
    }
}

/// An `OSError` where a file could not be read or written, else a `ValueError`.
pub(crate) fn of_model_file(error: ModelFileError) -> PyErr {
    match error {
        ModelFileError::Io { .. } => PyOSError::new_err(error.to_string()),
        ModelFileError::OtherContent { ref found, .. } => match reader(found) {
            Some(reader) => value(format!("{error}: {reader} reads it")),
            None => value(error),
        },
        error => value(error),
    }
}

/// What reads such a content, by the words of [`Content::kind`](ocoboost::model_file::Content::kind).
fn reader(found: &str) -> Option<&'static str> {
    match found {
        "a policy" | "a policy over candidates" => Some("offpolicy.PolicyBooster.load"),
        "a learner of a stream" => Some("online.OnlineBoostingClassifier.load"),
        "a classifier" => Some("the program"),
        _ => None,
    }
}
