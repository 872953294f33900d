//! The checks of every booster on its weak learners, their advantage, and the output of a prediction.

use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// The common shape of all weak learners.
pub(crate) fn common_shape<W: OnlinePredictor<[f64]>>(learners: &[W]) -> Result<Shape, LearnerError> {
    let Some(first) = learners.first() else {
        return Err(LearnerError::BadParameter { name: "learners", value: 0.0, domain: "N ≥ 1" });
    };
    let shape = first.shape();
    for other in learners.iter().map(OnlinePredictor::shape) {
        if other.inputs != shape.inputs {
            return Err(LearnerError::InputDimension { expected: shape.inputs, got: other.inputs });
        }
        if other.outputs != shape.outputs {
            let argument = "weak learner";
            return Err(LearnerError::OutputDimension {
                argument,
                expected: shape.outputs,
                got: other.outputs,
            });
        }
    }
    Ok(shape)
}

/// Checks for at least one classifier, all for the same rows and with one vote.
pub(crate) fn check_classifiers<P: OnlinePredictor<Label>>(
    argument: &'static str,
    classifiers: &[P],
) -> Result<(), LearnerError> {
    let first = classifiers.first().ok_or(LearnerError::Empty { argument })?.shape();
    for Shape { inputs, outputs } in classifiers.iter().map(OnlinePredictor::shape) {
        if inputs != first.inputs {
            return Err(LearnerError::InputDimension { expected: first.inputs, got: inputs });
        }
        if outputs != 1 {
            return Err(LearnerError::OutputDimension { argument, expected: 1, got: outputs });
        }
    }
    Ok(())
}

/// Numbers within [`LARGEST`](rows::numeric::LARGEST).
pub(crate) fn check_magnitudes(argument: &'static str, values: &[f64]) -> Result<(), LearnerError> {
    let Some(index) = rows::numeric::first_beyond(values) else { return Ok(()) };
    let value = values[index];
    Err(if value.is_finite() {
        LearnerError::TooLarge { argument, index, value }
    } else {
        LearnerError::NotFinite { argument, index, value }
    })
}

/// Checks γ against a domain that excludes 0.
pub(crate) fn check_advantage(
    value: f64,
    domain: &'static str,
    within: impl FnOnce(f64) -> bool,
) -> Result<(), LearnerError> {
    if !value.is_finite() {
        return Err(LearnerError::NotFinite { argument: "advantage", index: 0, value });
    }
    if value <= 0.0 || !within(value) {
        return Err(LearnerError::BadParameter { name: "advantage", value, domain });
    }
    Ok(())
}

/// Checks the length of the output of a prediction.
pub(crate) fn check_output(expected: usize, got: usize) -> Result<(), LearnerError> {
    if expected != got {
        return Err(LearnerError::OutputDimension { argument: "prediction", expected, got });
    }
    Ok(())
}
