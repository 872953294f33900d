//! By which columns rows are coded.

use off_policy::{ContextColumn, Schema};
use pyo3::prelude::*;
use std::borrow::Cow;

/// The coding of a model: its schema, or a number of columns without names.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Coding {
    pub(crate) schema: Option<Schema>,
    pub(crate) inputs: usize,
}

impl Coding {
    /// The columns, `x0`, `x1`, … where they have no names.
    pub(crate) fn columns(&self) -> Cow<'_, [ContextColumn]> {
        match &self.schema {
            Some(schema) => schema.contexts().into(),
            None => (0..self.inputs).map(|j| ContextColumn::Number { name: format!("x{j}") }).collect(),
        }
    }
}

/// The names of so many actions.
pub(crate) fn names_of_actions(schema: Option<&Schema>, count: usize) -> Vec<String> {
    let name = |a| schema.and_then(|schema| schema.action_name(a)).map(Cow::into_owned);
    (0..count).map(|a| name(a).unwrap_or_else(|| a.to_string())).collect()
}
