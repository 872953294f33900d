//! `ocoboost._core`: what the Python package does in Rust.
//!
//! It turns arrays and data frames into logs and tables, runs the jobs of the crate `ocoboost` without
//! Python's lock, and hands results back as arrays and JSON. Names, defaults, docstrings and scikit-learn's
//! conventions are the package's, in `python/ocoboost`.

#![allow(clippy::needless_pass_by_value, reason = "what Python hands over is extracted into values")]

mod arrays;
mod boost;
mod candidates;
mod choices;
mod coding;
mod errors;
mod frames;
mod judge;
mod log;
mod policy;
mod stream;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::boost::Vote;
    #[pymodule_export]
    use crate::candidates::{CandidatePolicy, load_policy};
    #[pymodule_export]
    use crate::choices::{CandidateLog, Choices, Features};
    #[pymodule_export]
    use crate::coding::Coding;
    #[pymodule_export]
    use crate::judge::{compare, compare_candidates, evaluate, evaluate_candidates};
    #[pymodule_export]
    use crate::log::{Contexts, Log};
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::stream::Stream;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
