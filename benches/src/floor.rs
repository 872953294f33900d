//! The floor under a round: the necessary arithmetic on the weights.

use crate::{Case, LEARNERS};
use rows::{Entries, Row};
use std::hint::black_box;

/// A dot product and an axpy for each of [`LEARNERS`] weight vectors, and nothing else: no checks, no step
/// sizes, no norms, no losses.
#[derive(Debug)]
pub struct Floor {
    weights: Vec<Vec<f64>>,
    /// Changes sign from round to round, so that the weights stay in range in any number of rounds.
    step: f64,
}

impl Floor {
    /// Weights for the rows of a case.
    pub fn new(case: Case) -> Self {
        Self { weights: vec![vec![0.0; case.dimension]; LEARNERS], step: 1e-3 }
    }

    /// A round with the operations of [`Row`], which the weak learners use too.
    pub fn round_on_rows(&mut self, x: Row<'_>) {
        self.round(|w| x.dot(w), |a, w| x.axpy_into(a, w));
    }

    /// A round with loops over bare slices.
    pub fn round_on_slices(&mut self, x: Row<'_>) {
        match x.entries() {
            Entries::Dense(x) => self.round(
                |w| rows::dot(x, w),
                |a, w| w.iter_mut().zip(x).for_each(|(w_j, x_j)| *w_j += a * x_j),
            ),
            Entries::Sparse(indices, x) => self.round(
                |w| indices.iter().zip(x).map(|(&j, x_j)| w[j as usize] * x_j).sum(),
                |a, w| indices.iter().zip(x).for_each(|(&j, x_j)| w[j as usize] += a * x_j),
            ),
        }
    }

    fn round(&mut self, dot: impl Fn(&[f64]) -> f64, axpy: impl Fn(f64, &mut [f64])) {
        black_box(self.weights.iter().map(|w| dot(w)).sum::<f64>());
        self.step = -self.step;
        self.weights.iter_mut().for_each(|w| axpy(self.step, w));
    }
}
