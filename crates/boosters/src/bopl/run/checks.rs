//! What a run refuses, and the range of its numbers.

use crate::bopl::BoplError;
use off_policy::Log;
use weak_learners::batch::Sample;
use weak_learners::pairs::PairHypothesis;

/// Which contexts a log has: a learner is handed its own layout of them, and may be handed that of others.
#[derive(Debug, Clone, Copy)]
pub(in crate::bopl) struct LogContexts {
    rows: usize,
    inputs: usize,
    fingerprint: u64,
}

impl LogContexts {
    pub(in crate::bopl) fn of(log: &Log) -> Self {
        Self { rows: log.len(), inputs: log.inputs(), fingerprint: log.contexts().fingerprint() }
    }

    /// Refuses contexts that are not those of the log, row by row. O(1) but for the first call with a sample.
    pub(in crate::bopl) fn check(&self, contexts: &impl Sample) -> Result<(), BoplError> {
        let Self { rows, inputs, fingerprint } = *self;
        for (unit, expected, got) in
            [("rows", rows, contexts.size()), ("coordinates", inputs, contexts.inputs())]
        {
            if got != expected {
                return Err(BoplError::Mismatch { argument: "contexts", unit, expected, got });
            }
        }
        if contexts.fingerprint() != fingerprint {
            return Err(BoplError::OtherContexts);
        }
        Ok(())
    }
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
