//! Weights of many experts in terms of the heaviest of them.

use crate::online::dartboard::exact;

/// Σ e^(ηG − cost) over some experts, in terms of the heaviest of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mass {
    /// P of the heaviest, counted from the first gap of the subtree.
    pub(super) below: i64,
    pub(super) cost: f64,
    pub(super) sum: f64,
}

/// What weights are fractions of: e^(ηG − cost) of some expert.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) eta: f64,
    pub(crate) gain: i64,
    pub(crate) cost: f64,
}

impl Unit {
    /// The weight of an expert in this unit.
    pub(crate) fn weight(self, gain: i64, cost: f64) -> f64 {
        (self.eta * difference(gain, self.gain) - (cost - self.cost)).exp()
    }
}

impl Mass {
    pub(super) const NONE: Self = Self { below: 0, cost: 0.0, sum: 0.0 };

    /// Both, where a unit of P is so much gain.
    pub(super) fn and(self, other: Self, gain: i64, eta: f64) -> Self {
        let heavier = eta * exact(gain * (other.below - self.below)) - (other.cost - self.cost);
        if heavier > 0.0 {
            Self { sum: other.sum + self.sum * (-heavier).exp(), ..other }
        } else {
            Self { sum: self.sum + other.sum * heavier.exp(), ..self }
        }
    }
}

/// A difference of gains; rounded where it is beyond 2^53.
#[allow(clippy::cast_precision_loss, reason = "see above")]
fn difference(a: i64, b: i64) -> f64 {
    match a.checked_sub(b) {
        Some(difference) => exact(difference),
        None => a as f64 - b as f64,
    }
}
