//! `ocoboost._core`: what the Python package does in Rust.
//!
//! It turns arrays and data frames into logs and tables, runs the jobs of the crate `ocoboost` without
//! Python's lock, and hands results back as arrays and JSON. Names, defaults, docstrings and scikit-learn's
//! conventions are the package's, in `python/ocoboost`.

#![allow(clippy::needless_pass_by_value, reason = "what Python hands over is extracted into values")]

mod arrays;
mod boost;
mod candidates;
mod cells;
mod choices;
mod coding;
mod errors;
mod frames;
mod judge;
mod judgement;
mod lent;
mod log;
mod names;
mod oco;
mod policy;
mod program;
mod regression;
mod settings;
mod stream;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::boost::{Stages, Vote};
    #[pymodule_export]
    use crate::candidates::{CandidatePolicy, load_policy, write_file};
    #[pymodule_export]
    use crate::choices::{CandidateLog, Choices, Features};
    #[pymodule_export]
    use crate::coding::Coding;
    #[pymodule_export]
    use crate::judge::{compare, compare_candidates, estimate_rewards, evaluate, evaluate_candidates};
    #[pymodule_export]
    use crate::log::{Contexts, Log};
    #[pymodule_export]
    use crate::oco::{
        Fkm, FtrlQuadratic, GradientNoise, Learner, Loss, Map, MatrixGame, MistakeBound, MultiPointFkm,
        ProjectionFree, Set, Steps, ZeroSumGame, best_in_hindsight, linear_regrets, perturbation_bound,
        perturbation_epsilon, project_l1_box, quadratic_regrets,
    };
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::program::program;
    #[pymodule_export]
    use crate::regression::{Bandit, Regressor};
    #[pymodule_export]
    use crate::stream::Stream;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
