//! A point of the dual space.

use crate::OcoError;
use projections::{ProjectionError, Regulariser};
use serde::{Deserialize, Serialize};

/// ∇R(x). The entropy's −∞ stands for the weight 0 and is saved as `None`, because not every format has an
/// infinity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Option<f64>>", into = "Vec<Option<f64>>")]
pub(crate) struct DualPoint(pub(crate) Vec<f64>);

impl DualPoint {
    /// ∇R(x).
    pub(crate) fn of<R: Regulariser>(regulariser: &R, x: &[f64]) -> Result<Self, OcoError> {
        let mut theta = vec![0.0; x.len()];
        regulariser.mirror(x, &mut theta)?;
        Ok(Self(theta))
    }

    /// next ← θ − ηg.
    pub(crate) fn step(&self, eta: f64, g: &[f64], next: &mut Self) {
        next.0.clear();
        next.0.extend(self.0.iter().zip(g).map(|(theta, g)| theta - eta * g));
    }

    /// Refuses a saved θ with a coordinate that matches the saved x neither as ∇R(x) nor under (∇R)⁻¹: one of
    /// the two may underflow.
    pub(crate) fn check_against<R: Regulariser>(&self, regulariser: &R, x: &[f64]) -> Result<(), OcoError> {
        let Self(mirrored) = Self::of(regulariser, x)?;
        let mut named = vec![0.0; x.len()];
        regulariser.inverse_mirror(&self.0, &mut named)?;
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
        for (((&value, mirrored), named), x) in self.0.iter().zip(mirrored).zip(named).zip(x) {
            if !close(value, mirrored) && !close(named, *x) {
                let (name, domain) = ("saved dual point", "the mirror image of the play");
                return Err(ProjectionError::BadParameter { name, value, domain }.into());
            }
        }
        Ok(())
    }
}

impl From<Vec<Option<f64>>> for DualPoint {
    fn from(saved: Vec<Option<f64>>) -> Self {
        Self(saved.into_iter().map(|v| v.unwrap_or(f64::NEG_INFINITY)).collect())
    }
}

impl From<DualPoint> for Vec<Option<f64>> {
    fn from(theta: DualPoint) -> Self {
        theta.0.into_iter().map(|v| (v > f64::NEG_INFINITY).then_some(v)).collect()
    }
}
