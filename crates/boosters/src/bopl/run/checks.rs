//! What a run refuses, and the range of its numbers.

use crate::bopl::BoplError;
use weak_learners::batch::Sample;
use weak_learners::pairs::PairHypothesis;

/// Contexts of so many rows and coordinates.
pub(in crate::bopl) fn check_contexts(
    contexts: &impl Sample,
    rows: usize,
    inputs: usize,
) -> Result<(), BoplError> {
    for (unit, expected, got) in [("rows", rows, contexts.size()), ("coordinates", inputs, contexts.inputs())]
    {
        if got != expected {
            return Err(BoplError::Mismatch { argument: "contexts", unit, expected, got });
        }
    }
    Ok(())
}

/// The largest number instead of what is beyond all.
pub(super) fn within_range(v: f64) -> f64 {
    v.clamp(f64::MIN, f64::MAX)
}

/// A predictor on so many coordinates and actions.
pub(in crate::bopl) fn check_predictor(
    f: &impl PairHypothesis,
    inputs: usize,
    actions: usize,
) -> Result<(), BoplError> {
    for (unit, expected, got) in [("coordinates", inputs, f.inputs()), ("actions", actions, f.actions())] {
        if got != expected {
            return Err(BoplError::Mismatch { argument: "a predictor", unit, expected, got });
        }
    }
    Ok(())
}

pub(in crate::bopl) fn check_values(values: &[f64]) -> Result<(), BoplError> {
    match values.iter().position(|f| !f.is_finite()) {
        Some(index) => Err(BoplError::NotFinite { argument: "a prediction", index, value: values[index] }),
        None => Ok(()),
    }
}

/// A number of the record and the one that was found again, the same bits.
pub(in crate::bopl) fn check_reproduced(
    quantity: &'static str,
    recorded: f64,
    found: f64,
) -> Result<(), BoplError> {
    if recorded.to_bits() == found.to_bits() {
        Ok(())
    } else {
        Err(BoplError::NotReproduced { quantity, recorded, found })
    }
}
