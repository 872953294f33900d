//! The sum of the gradients, whose partial sums may leave the range of doubles.

use rows::Row;
use rows::numeric::{scale_down, scale_up};
use serde::{Deserialize, Serialize};

/// Σ g_s, in units of 1 while every coordinate fits, else of 2^64, which hold 2^63 more gradients.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GradientSum {
    terms: Vec<f64>,
    far: bool,
}

/// The exponent of the larger unit.
const FAR: u32 = 64;

impl GradientSum {
    pub(crate) fn zero(dimension: usize) -> Self {
        Self::of(vec![0.0; dimension])
    }

    /// The sum with these coordinates.
    pub(crate) fn of(terms: Vec<f64>) -> Self {
        Self { terms, far: false }
    }

    /// The coordinates in units of 2^[`exponent`](GradientSum::exponent).
    pub(crate) fn terms(&self) -> &[f64] {
        &self.terms
    }

    pub(crate) fn exponent(&self) -> u32 {
        if self.far { FAR } else { 0 }
    }

    /// Copies `other` without allocating.
    pub(crate) fn set_to(&mut self, other: &Self) {
        self.terms.clone_from(&other.terms);
        self.far = other.far;
    }

    /// Sets the sum to 0 without allocating.
    pub(crate) fn clear(&mut self) {
        self.terms.fill(0.0);
        self.far = false;
    }

    /// Adds a finite gradient of the same length.
    pub(crate) fn add(&mut self, g: &[f64]) {
        let mut sums = self.terms.iter().zip(g).map(|(sum, g)| sum + g);
        if !self.far && sums.all(f64::is_finite) {
            self.terms.iter_mut().zip(g).for_each(|(sum, g)| *sum += g);
            return;
        }
        self.go_far();
        for (sum, g) in self.terms.iter_mut().zip(g) {
            *sum += scale_down(*g, FAR);
        }
        self.come_back();
    }

    /// Adds y·x for y = ±1 and a row of the same dimension; O(stored values) while the sum fits.
    pub(crate) fn add_row(&mut self, y: f64, x: Row<'_>) {
        let mut fits = !self.far;
        x.for_each(|j, x_j| fits &= (self.terms[j] + y * x_j).is_finite());
        if fits {
            x.axpy_into(y, &mut self.terms);
            return;
        }
        self.go_far();
        x.for_each(|j, x_j| self.terms[j] += scale_down(y * x_j, FAR));
        self.come_back();
    }

    fn go_far(&mut self) {
        let rest = FAR - self.exponent();
        self.terms.iter_mut().for_each(|sum| *sum = scale_down(*sum, rest));
        self.far = true;
    }

    /// Returns to units of 1 if every coordinate fits.
    fn come_back(&mut self) {
        self.far = self.terms.iter().any(|sum| !scale_up(*sum, FAR).is_finite());
        if !self.far {
            self.terms.iter_mut().for_each(|sum| *sum = scale_up(*sum, FAR));
        }
    }
}
