//! The loss of a round, with the constants of the theorems.

use super::geometry::Geometry;
use crate::runner::ExperimentError;
use oco_core::losses::Loss;

/// A round's loss.
#[derive(Debug, Clone)]
pub enum RoundLoss {
    /// ½(⟨row, x⟩ − label)² − x_gain.
    Row {
        /// The direction in which the loss is curved.
        row: Vec<f64>,
        /// The label: the curved part is 0 where ⟨row, x⟩ equals it.
        label: f64,
        /// The coordinate that gains 1, if any.
        gain: Option<usize>,
    },
    /// ½‖x − target‖².
    Distance {
        /// The point of loss 0.
        target: Vec<f64>,
    },
}

impl Loss for RoundLoss {
    fn dimension(&self) -> usize {
        match self {
            Self::Row { row: v, .. } | Self::Distance { target: v } => v.len(),
        }
    }

    fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::Row { row, label, gain } => {
                0.5 * (dot(row, x) - label).powi(2) - gain.map_or(0.0, |j| x[j])
            }
            Self::Distance { target } => {
                0.5 * x.iter().zip(target).map(|(x, c)| (x - c) * (x - c)).sum::<f64>()
            }
        }
    }

    fn subgradient(&self, x: &[f64], g: &mut [f64]) {
        match self {
            Self::Row { row, label, gain } => {
                let residual = dot(row, x) - label;
                g.iter_mut().zip(row).for_each(|(g, v)| *g = residual * v);
                gain.iter().for_each(|&j| g[j] -= 1.0);
            }
            Self::Distance { target } => {
                g.iter_mut().zip(x.iter().zip(target)).for_each(|(g, (x, c))| *g = x - c);
            }
        }
    }
}

impl RoundLoss {
    /// β.
    pub fn smoothness(&self) -> f64 {
        match self {
            Self::Row { row, .. } => dot(row, row),
            Self::Distance { .. } => 1.0,
        }
    }

    /// The largest gradient on K: exact but for the triangle inequality between the two parts of a row's
    /// loss.
    pub(super) fn gradient_bound(&self, set: &dyn Geometry, diameter: f64) -> Result<f64, ExperimentError> {
        Ok(match self {
            Self::Row { row, label, gain } => {
                let back: Vec<f64> = row.iter().map(|v| -v).collect();
                let (low, high) = (dot(row, &set.lmo(row)?), dot(row, &set.lmo(&back)?));
                (low - label).abs().max((high - label).abs()) * dot(row, row).sqrt()
                    + f64::from(u8::from(gain.is_some()))
            }
            Self::Distance { target } => {
                let mut nearest = target.clone();
                set.project(&mut nearest)?;
                let gap: f64 = nearest.iter().zip(target).map(|(x, c)| (x - c) * (x - c)).sum();
                gap.sqrt() + diameter
            }
        })
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
