//! The inner quantities of the last round of a booster.

use weak_learners::LearnerError;

/// The inner quantities of one round: y^0..y^N, A_i(x) and g_i for i = 1..N, each in R^d.
///
/// It is the boosters' working memory, allocated once; theorem tests read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    d: usize,
    partials: Vec<f64>,
    weak_predictions: Vec<f64>,
    gradients: Vec<f64>,
}

impl Trace {
    pub(crate) fn new(learners: usize, d: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n * d];
        Self {
            d,
            partials: zeros(learners + 1),
            weak_predictions: zeros(learners),
            gradients: zeros(learners),
        }
    }

    /// N.
    pub fn learners(&self) -> usize {
        self.gradients.len() / self.d
    }

    /// y^0, …, y^N in order.
    pub fn partials(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.partials.chunks_exact(self.d)
    }

    /// A_1(x), …, A_N(x) before their updates.
    pub fn weak_predictions(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.weak_predictions.chunks_exact(self.d)
    }

    /// g_1, …, g_N; g_i was taken at y^{i−1}.
    pub fn gradients(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.gradients.chunks_exact(self.d)
    }

    /// y^i.
    pub(crate) fn partial(&self, i: usize) -> &[f64] {
        &self.partials[i * self.d..(i + 1) * self.d]
    }

    pub(crate) fn partial_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.partials[i * self.d..(i + 1) * self.d]
    }

    /// g_i, i from 1 as in the paper.
    pub(crate) fn gradient(&self, i: usize) -> &[f64] {
        &self.gradients[(i - 1) * self.d..i * self.d]
    }

    /// y^{i−1} to read and g_i to write, i from 1.
    pub(crate) fn gradient_at_previous(&mut self, i: usize) -> (&[f64], &mut [f64]) {
        let (now, before) = ((i - 1) * self.d..i * self.d, (i - 1) * self.d..i * self.d);
        (&self.partials[before], &mut self.gradients[now])
    }

    /// A_i(x) to write, i from 1.
    pub(crate) fn weak_prediction_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.weak_predictions[(i - 1) * self.d..i * self.d]
    }

    /// y^i = keep·y^{i−1} + step·A_i(x)/γ.
    pub(crate) fn advance(&mut self, i: usize, keep: f64, step: f64, advantage: f64) {
        let (before, after) = self.partials.split_at_mut(i * self.d);
        let before = &before[(i - 1) * self.d..];
        let weak = &self.weak_predictions[(i - 1) * self.d..i * self.d];
        for ((y, y_before), a) in after.iter_mut().zip(before).zip(weak) {
            *y = keep * y_before + step * (a / advantage);
        }
    }
}

/// The length η_i = 2/(i+1) of the i-th Frank–Wolfe step.
#[allow(clippy::cast_precision_loss, reason = "a count of learners")]
pub(crate) fn frank_wolfe_step(i: usize) -> f64 {
    2.0 / (i as f64 + 1.0)
}

/// A loss over the output space.
pub(crate) fn check_loss(expected: usize, got: usize) -> Result<(), LearnerError> {
    if expected != got {
        return Err(LearnerError::OutputDimension { argument: "loss", expected, got });
    }
    Ok(())
}
