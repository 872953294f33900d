//! The program that comes with the package.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::panic::catch_unwind;

/// What a program of Rust ends with after a panic. Its message is then on the standard error.
const PANICKED: u8 = 101;

/// Runs the program `ocoboost` on a command line, the first word of which is its name, without Python's lock;
/// returns the exit code. Words that are no Unicode come as Python has them in `sys.argv`.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| catch_unwind(|| cli::run(&arguments)).unwrap_or(PANICKED))
}
