//! The ridge-penalised cross-entropy, and its gradient.

use super::linear;
use super::scales::Scales;
use crate::{LabelSets, PolicyError};
use rows::RowMatrix;

/// J(θ) = (1/n)Σ_i (ln Σ_a exp(s_a(x_i)) − mean of s_a(x_i) over the labels of i) + (λ/2)‖θ‖², with
/// s_a(x) = ⟨v_a, z(x)⟩ + c_a and θ = (v_0, …, v_{|A|−1}, c).
pub(super) struct Objective<'a> {
    pub(super) contexts: &'a RowMatrix,
    pub(super) labels: &'a LabelSets,
    pub(super) rows: &'a [usize],
    pub(super) scales: &'a Scales,
    pub(super) ridge: f64,
}

/// The most numbers that θ may have: 32 GiB of them.
const MOST_WEIGHTS: usize = u32::MAX as usize;

/// θ = 0 for m inputs and |A| actions.
///
/// # Errors
/// [`PolicyError::TooManyWeights`].
pub(super) fn origin(inputs: usize, actions: usize) -> Result<Vec<f64>, PolicyError> {
    let too_many = PolicyError::TooManyWeights { inputs, actions };
    let length = inputs.checked_add(1).and_then(|length| length.checked_mul(actions));
    let Some(length) = length.filter(|length| *length <= MOST_WEIGHTS) else { return Err(too_many) };
    let mut theta = Vec::new();
    theta.try_reserve_exact(length).map_err(|_| too_many)?;
    theta.resize(length, 0.0);
    Ok(theta)
}

impl Objective<'_> {
    /// L with ‖∇J(θ) − ∇J(θ')‖ ≤ L‖θ − θ'‖: diag(π) − ππᵀ ⪯ ½I, and the intercept is a coordinate that is
    /// always 1.
    pub(super) fn smoothness(&self) -> f64 {
        0.5 * (self.scales.mean_square + 1.0) + self.ridge
    }

    /// J(θ), and ∇J(θ) in `gradient`.
    pub(super) fn evaluate(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let loss = self.cross_entropy(theta, Some(gradient));
        let (m, n) = (self.contexts.dimension(), self.rows.len() as f64);
        let (weights, intercepts) = gradient.split_at_mut(self.labels.classes() * m);
        for (g, residual) in weights.chunks_exact_mut(m).zip(&*intercepts) {
            // ∂/∂v_aj = (Σ_i u_ia x_ij − mean_j Σ_i u_ia)/deviation_j.
            for ((g, mean), inverse) in g.iter_mut().zip(&self.scales.means).zip(&self.scales.inverses) {
                *g = (*g - mean * residual) * inverse;
            }
        }
        let mut square = 0.0;
        for (g, t) in gradient.iter_mut().zip(theta) {
            *g = *g / n + self.ridge * t;
            square += t * t;
        }
        loss + 0.5 * self.ridge * square
    }

    /// The mean cross-entropy; adds Σ_i u_i ⊗ (x_i, 1), u_i = π(x_i) − shares of the labels, to `sums`.
    pub(super) fn cross_entropy(&self, theta: &[f64], mut sums: Option<&mut [f64]>) -> f64 {
        let (m, actions) = (self.contexts.dimension(), self.labels.classes());
        let (weights, intercepts) = self.raw(theta);
        let (mut scores, mut total) = (vec![0.0; actions], 0.0);
        for &i in self.rows {
            let (Some(x), Some(labels)) = (self.contexts.row(i), self.labels.row(i)) else { continue };
            linear(x, &weights, &intercepts, &mut scores);
            let share = 1.0 / labels.len() as f64;
            let top = scores.iter().fold(f64::MIN, |top: f64, s| top.max(*s));
            let at_labels = labels.iter().map(|a| (scores[*a as usize] - top) * share).sum::<f64>();
            scores.iter_mut().for_each(|s| *s = (*s - top).exp());
            let sum = scores.iter().sum::<f64>();
            total += sum.ln() - at_labels;
            if let Some(sums) = sums.as_deref_mut() {
                scores.iter_mut().for_each(|s| *s /= sum);
                labels.iter().for_each(|a| scores[*a as usize] -= share);
                let (to_weights, to_intercepts) = sums.split_at_mut(actions * m);
                for ((g, c), u) in to_weights.chunks_exact_mut(m).zip(to_intercepts).zip(&scores) {
                    x.axpy_into(*u, g);
                    *c += u;
                }
            }
        }
        total / self.rows.len() as f64
    }

    /// The weights and intercepts that give the scores of θ on rows as they are.
    pub(super) fn raw(&self, theta: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let m = self.contexts.dimension();
        let (weights, intercepts) = theta.split_at(self.labels.classes() * m);
        let (mut weights, mut intercepts) = (weights.to_vec(), intercepts.to_vec());
        for (w, b) in weights.chunks_exact_mut(m).zip(&mut intercepts) {
            for ((w, mean), inverse) in w.iter_mut().zip(&self.scales.means).zip(&self.scales.inverses) {
                *w *= inverse;
                *b -= *w * mean;
            }
        }
        (weights, intercepts)
    }
}
