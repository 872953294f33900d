//! Judgements as Python gets them.

use crate::errors::value;
use ocoboost::{Comparison, Judgement};
use pyo3::prelude::*;

/// A judgement as JSON, its sentence, and its warnings in words.
pub(crate) type Told = (String, String, Vec<String>);

/// # Errors
/// Never, for a judgement of a job.
pub(crate) fn told(judgement: &Judgement) -> PyResult<Told> {
    let warnings = judgement.warnings.iter().map(ToString::to_string).collect();
    Ok((serde_json::to_string(judgement).map_err(value)?, judgement.sentence(), warnings))
}

/// The differences of a comparison as JSON, its sentence, and its judgements.
pub(crate) type ToldComparison = (String, String, Vec<Told>);

/// # Errors
/// Never, for a comparison of a job.
pub(crate) fn told_comparison(comparison: &Comparison, names: &[String]) -> PyResult<ToldComparison> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let judgements = comparison.judgements.iter().map(told).collect::<PyResult<_>>()?;
    let differences = serde_json::to_string(&comparison.differences).map_err(value)?;
    Ok((differences, comparison.sentence(&names), judgements))
}
