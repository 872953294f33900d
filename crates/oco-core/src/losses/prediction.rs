//! The linear prediction ⟨w, x⟩ in losses of a target or a label.

use super::{inner, norm, reach};
use crate::error::check_label;
use crate::{OcoError, check_magnitudes};
use projections::ProjectionError;

/// ⟨w, x⟩ against y, for features x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prediction<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: f64,
}

impl<'a> Prediction<'a> {
    /// Against any target.
    pub(super) fn of_target(x: &'a [f64], y: f64) -> Result<Self, OcoError> {
        check_magnitudes("target", &[y])?;
        check_magnitudes("features", x)?;
        if x.is_empty() {
            return Err(ProjectionError::Empty { argument: "features" }.into());
        }
        Ok(Self { x, y })
    }

    /// Against a label −1 or +1.
    pub(super) fn of_label(x: &'a [f64], y: f64) -> Result<Self, OcoError> {
        check_label(y)?;
        Self::of_target(x, y)
    }

    /// ⟨w, x⟩ − y.
    pub(super) fn residual(&self, w: &[f64]) -> f64 {
        inner(w, self.x) - self.y
    }

    /// y⟨w, x⟩.
    pub(super) fn margin(&self, w: &[f64]) -> f64 {
        self.y * inner(w, self.x)
    }

    /// g ← slope·x.
    pub(super) fn along_features(&self, slope: f64, g: &mut [f64]) {
        g.iter_mut().zip(self.x).for_each(|(g, x)| *g = slope * x);
    }

    /// sup |⟨w, x⟩ − y| over a ball.
    pub(super) fn largest_residual(&self, centre: &[f64], radius: f64) -> f64 {
        self.residual(centre).abs() + reach(self.steepness(), radius)
    }

    /// inf y⟨w, x⟩ over a ball, for a label y.
    pub(super) fn lowest_margin(&self, centre: &[f64], radius: f64) -> f64 {
        self.margin(centre) - reach(self.steepness(), radius)
    }

    /// ‖x‖.
    pub(super) fn steepness(&self) -> f64 {
        norm(self.x)
    }
}
