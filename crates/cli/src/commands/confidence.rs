//! The certainty of an interval or a bound.

use crate::failure::Failure;

/// δ of a certainty.
pub(super) fn delta(confidence: Option<f64>) -> Result<f64, Failure> {
    let confidence = confidence.unwrap_or(0.95);
    if confidence > 0.5 && confidence <= 0.99999 {
        return Ok(ocoboost::delta_of(confidence));
    }
    let why = "not above 0.5 and at most 0.99999".to_owned();
    Err(Failure::Argument { name: "confidence", value: confidence.to_string(), why })
}
