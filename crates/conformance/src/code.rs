//! The codes of refusals: the map from the crates' typed errors to the vectors' closed list.

use boosters::bopl::BoplError;
use boosters::maboost::BoostError;
use oco_core::OcoError;
use off_policy::estimators::EstimateError;
use off_policy::{LogError, PolicyError};
use projections::ProjectionError;
use rows::RowError;
use thiserror::Error;
use weak_learners::LearnerError;

/// The reason why a kernel has no outputs.
#[derive(Debug, Error)]
pub(super) enum Refusal {
    /// The case does not follow the schema of its kernel, so no crate was called.
    #[error("the case is malformed: {key} is not {wanted}")]
    Malformed { key: &'static str, wanted: &'static str },
    /// Refused by `projections`, or by the decoder with the same error.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    #[error(transparent)]
    Oco(#[from] OcoError),
    #[error(transparent)]
    Learner(#[from] LearnerError),
    #[error(transparent)]
    Boost(#[from] BoostError),
    #[error(transparent)]
    Row(#[from] RowError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Bopl(#[from] BoplError),
    #[error(transparent)]
    Estimate(#[from] EstimateError),
}

impl Refusal {
    /// The code of the fault; `None` for a refusal outside the list.
    pub(super) fn code(&self) -> Option<&'static str> {
        match self {
            Self::Malformed { .. } => None,
            Self::Projection(error) => projection(error),
            Self::Oco(error) => oco(error),
            Self::Learner(error) => learner(error),
            Self::Boost(error) => boost(error),
            Self::Row(error) => row(error),
            Self::Log(error) => log(error),
            Self::Policy(error) => policy(error),
            Self::Bopl(error) => bopl(error),
            Self::Estimate(error) => estimate(error),
        }
    }
}

fn projection(error: &ProjectionError) -> Option<&'static str> {
    match error {
        ProjectionError::NotFinite { .. } => Some("not-finite"),
        ProjectionError::Empty { .. } => Some("empty"),
        ProjectionError::LengthMismatch { .. } => Some("length-mismatch"),
        ProjectionError::BadRadius { .. } => Some("bad-radius"),
        ProjectionError::NegativeCap { .. } => Some("negative-cap"),
        ProjectionError::InfeasibleCaps { .. } => Some("infeasible-caps"),
        ProjectionError::BadBounds { .. } => Some("bad-bounds"),
        ProjectionError::NegativeEntry { .. } => Some("negative-entry"),
        ProjectionError::NoMass => Some("no-mass"),
        ProjectionError::BadStep { .. } => Some("bad-step"),
        // A domain without its own code, such as a start point in K, is a bad parameter.
        ProjectionError::BadParameter { .. } | ProjectionError::OutsideSet { .. } => Some("bad-parameter"),
        _ => None,
    }
}

fn oco(error: &OcoError) -> Option<&'static str> {
    match error {
        OcoError::Projection(error) => projection(error),
        OcoError::NotFiniteLoss { .. } => Some("not-finite"),
        OcoError::OutsideSet { .. } => Some("bad-parameter"),
        OcoError::BadLabel { .. } => Some("bad-label"),
        OcoError::NotADistribution { .. } => Some("not-a-distribution"),
        _ => None,
    }
}

fn learner(error: &LearnerError) -> Option<&'static str> {
    match error {
        LearnerError::Oco(error) => oco(error),
        LearnerError::InputDimension { .. } | LearnerError::OutputDimension { .. } => Some("length-mismatch"),
        LearnerError::NotFinite { .. } | LearnerError::NotFiniteFeedback { .. } => Some("not-finite"),
        LearnerError::BadLabel { .. } => Some("bad-label"),
        LearnerError::Empty { .. } => Some("empty"),
        LearnerError::LengthMismatch { .. } => Some("length-mismatch"),
        LearnerError::ZeroWeights => Some("zero-weights"),
        LearnerError::BadParameter { .. } | LearnerError::NegativeWeight { .. } => Some("bad-parameter"),
        _ => None,
    }
}

fn boost(error: &BoostError) -> Option<&'static str> {
    match error {
        BoostError::Learner(error) => learner(error),
        BoostError::BadPrediction { .. } => Some("bad-prediction"),
        BoostError::BadSmoothness { .. } => Some("bad-smoothness"),
        BoostError::AlphaTooLarge { .. } => Some("alpha-too-large"),
        _ => None,
    }
}

fn row(error: &RowError) -> Option<&'static str> {
    match error {
        RowError::Empty => Some("empty"),
        RowError::NotFinite { .. } | RowError::NotFiniteAt { .. } => Some("not-finite"),
        RowError::LengthMismatch { .. } => Some("length-mismatch"),
        _ => None,
    }
}

fn log(error: &LogError) -> Option<&'static str> {
    match error {
        LogError::Empty | LogError::NoActions => Some("empty"),
        LogError::LengthMismatch { .. } => Some("length-mismatch"),
        LogError::BadPropensity { .. } => Some("bad-propensity"),
        LogError::NotFinite { .. } => Some("not-finite"),
        LogError::ActionOutOfRange { .. } => Some("action-out-of-range"),
        _ => None,
    }
}

fn policy(error: &PolicyError) -> Option<&'static str> {
    match error {
        PolicyError::BadParameter { value, .. } => Some(parameter(*value)),
        PolicyError::NotFiniteScore { .. } => Some("not-finite"),
        PolicyError::ActionCount { .. } | PolicyError::InputDimension { .. } => Some("length-mismatch"),
        PolicyError::Log(error) => log(error),
        _ => None,
    }
}

fn bopl(error: &BoplError) -> Option<&'static str> {
    match error {
        BoplError::Log(error) => log(error),
        BoplError::Policy(error) => policy(error),
        BoplError::Learner(error) => learner(error),
        BoplError::BadParameter { value, .. } => Some(parameter(*value)),
        BoplError::Mismatch { .. } => Some("length-mismatch"),
        BoplError::NotFinite { .. } => Some("not-finite"),
        _ => None,
    }
}

/// The code of a scalar outside its domain, or not finite.
fn parameter(value: f64) -> &'static str {
    if value.is_finite() { "bad-parameter" } else { "not-finite" }
}

fn estimate(error: &EstimateError) -> Option<&'static str> {
    match error {
        EstimateError::Log(error) => log(error),
        EstimateError::Empty { .. } => Some("empty"),
        EstimateError::NotFinite { .. } => Some("not-finite"),
        EstimateError::LengthMismatch { .. } => Some("length-mismatch"),
        EstimateError::NotADistribution { .. } => Some("not-a-distribution"),
        EstimateError::ZeroWeights => Some("zero-weights"),
        // A width too small for the terms is outside its domain.
        EstimateError::BadParameter { .. } | EstimateError::OutsideRange { .. } => Some("bad-parameter"),
        _ => None,
    }
}
