//! Settings of learners in the words and by the names that they have in Python.

use crate::errors::value;
use crate::names::{Name, renamed};
use ocoboost::JobError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde::de::value::StrDeserializer;
use std::fmt;
use weak_learners::LearnerError;

/// Settings of JSON; these have one of the names of their types.
///
/// # Errors
/// `ValueError` with the names that are known.
pub(crate) fn settings<T: DeserializeOwned>(json: &str, named: &[(&str, Check)]) -> PyResult<T> {
    let given: serde_json::Value = serde_json::from_str(json).map_err(value)?;
    for (name, check) in named {
        if let Some(own) = given[name].as_str() {
            check(name, own)?;
        }
    }
    serde_json::from_value(given).map_err(value)
}

/// Refuses what is given for a setting.
pub(crate) type Check = fn(&str, &str) -> PyResult<()>;

/// Refuses what is no name of a variant of the type.
///
/// # Errors
/// `ValueError` with the names that are known.
pub(crate) fn check_name<T: DeserializeOwned>(name: &str, given: &str) -> PyResult<()> {
    let refused = |Unknown(words): Unknown| value(format!("{name} = {words}"));
    <T as serde::Deserialize>::deserialize(StrDeserializer::new(given)).map(drop).map_err(refused)
}

/// What is said of an unknown name.
#[derive(Debug)]
struct Unknown(String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unknown {}

impl serde::de::Error for Unknown {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let known: Vec<String> = expected.iter().map(|one| format!("'{one}'")).collect();
        Self(format!("'{variant}' is none of {}", known.join(", ")))
    }
}

/// A `ValueError` of a job, with the names that settings have in Python.
pub(crate) fn of_job(error: JobError) -> PyErr {
    match error {
        JobError::BadSetting { name, value: number, domain } => {
            value(JobError::BadSetting { name: in_python(name), value: number, domain })
        }
        JobError::LossOfPlayAlone { .. } => value(
            "loss is a number, and the learner asks for the losses of several points: a callable is needed, or \
             booster=\"fkm\" with n_queries=1, which plays what it asks about",
        ),
        JobError::Learner(LearnerError::Oco(error)) => value(renamed(error, STEPS)),
        error => value(error),
    }
}

/// What the numbers of the steps of a learner are called in Python.
const STEPS: &[Name] = &[("step scale", "learning_rate"), ("step exponent", "decay")];

/// What a setting of a job is called in Python.
fn in_python(name: &'static str) -> &'static str {
    match name {
        "learners" => "n_learners",
        "queries" => "n_queries",
        "outputs" => "n_outputs",
        "range" => "target_range",
        name => name,
    }
}
