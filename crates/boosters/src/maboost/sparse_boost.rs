//! SparseBoost \[NP14, Algorithm 2\].

use super::mirror_ascent::check_losses;
use super::{Answer, BoostError, Examples, Promise, Reweighting};
use projections::{Euclidean, Projection, Scratch, Simplex};
use serde::{Deserialize, Serialize};

/// SparseBoost \[NP14, Algorithm 2\]: η_t = γ_t/N, z = w_t + η_t d_t, y = clip(z − α_tη_t/2, 0, 1), w_{t+1} = Π_simplex(y).
///
/// *Guarantee.* The training error is at most 1/(1 + ½Σγ_t(γ_t − 2α_t)) \[NP14, Theorem 4\].
/// *Erratum.* The second projection need not make the weights sparser: where Σy < 1 it adds mass to every coordinate.
/// *Cost:* O(N) expected a round; no allocation after the first.
///
/// ```
/// use boosters::maboost::{Answer, Examples, Reweighting, SparseBoost, Sparsity};
/// use weak_learners::Label::{Minus, Plus};
/// let examples = Examples::uniform(vec![Plus, Minus, Plus, Plus])?;
/// let mut sparse = SparseBoost::new(&examples, Sparsity::Fraction(0.5))?;
/// let eta = sparse.reweight(Answer { losses: &[-1.0, 1.0, -1.0, -1.0], edge: 0.5, error_before: 1.0 })?;
/// assert_eq!(eta, 0.125);
/// // z sums to 0.75 and y to 0.71875: the projection adds mass everywhere.
/// assert!((sparse.weights()[1] - (0.3671875 + 0.28125 / 4.0)).abs() < 1e-15);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SparseBoost {
    sparsity: Sparsity,
    heaviest: f64,
    w: Vec<f64>,
    rounds: usize,
    /// Σ½γ_t(γ_t − 2α_t) and Σγ_t(γ_t − α_t).
    progress: [f64; 2],
    #[serde(skip)]
    next_w: Vec<f64>,
    #[serde(skip)]
    scratch: Scratch,
}

/// How α_t is chosen; α_t ≤ γ_t/2 is what Theorem 4 needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sparsity {
    /// α_t = min(α, γ_t/2).
    Constant(f64),
    /// α_t = θγ_t/2 with θ ∈ \[0, 1\].
    Fraction(f64),
    /// The α_t themselves; one that is above γ_t/2 is refused in its round.
    Sequence(Vec<f64>),
}

impl Reweighting for SparseBoost {
    fn reweight(&mut self, Answer { losses: d, edge, .. }: Answer<'_>) -> Result<f64, BoostError> {
        check_losses(self.w.len(), d)?;
        let alpha = self.alpha(edge)?;
        #[allow(clippy::cast_precision_loss, reason = "a count of examples")]
        let n = d.len() as f64;
        let eta = edge / n;
        // z = w + ηd; y = argmin over the cube of ‖y − z‖² + αη‖y‖₁.
        self.next_w.clear();
        let shift = alpha * eta / 2.0;
        self.next_w.extend(self.w.iter().zip(d).map(|(w, d)| (w + eta * d - shift).clamp(0.0, 1.0)));
        Projection::<Euclidean>::project_with(&Simplex::new(1.0)?, &mut self.next_w, &mut self.scratch)?;
        std::mem::swap(&mut self.w, &mut self.next_w);
        self.rounds += 1;
        self.progress[0] += 0.5 * edge * (edge - 2.0 * alpha) / n;
        self.progress[1] += edge * (edge - alpha) / n;
        Ok(eta)
    }

    fn weights(&self) -> &[f64] {
        &self.w
    }

    fn promise(&self) -> Promise {
        let [error, tight] = self.progress.map(|progress| 1.0 / (1.0 + progress / self.heaviest));
        Promise { error, tight: Some(tight), margin: None }
    }
}

impl SparseBoost {
    /// Starts from w_1 = D.
    ///
    /// # Errors
    /// An α below 0 or a θ outside \[0, 1\].
    pub fn new(examples: &Examples, sparsity: Sparsity) -> Result<Self, BoostError> {
        let w = examples.start().to_vec();
        let heaviest = w.iter().fold(0.0, |a: f64, b| a.max(*b));
        let (next_w, scratch) = (Vec::new(), Scratch::default());
        Ok(Self { sparsity, heaviest, w, rounds: 0, progress: [0.0; 2], next_w, scratch })
    }

    /// α_t.
    fn alpha(&self, edge: f64) -> Result<f64, BoostError> {
        let (round, limit) = (self.rounds + 1, edge / 2.0);
        let alpha = match &self.sparsity {
            Sparsity::Constant(alpha) => alpha.min(limit),
            Sparsity::Fraction(theta) => theta * limit,
            Sparsity::Sequence(alphas) => alphas.get(self.rounds).copied().unwrap_or(0.0),
        };
        if (0.0..=limit).contains(&alpha) {
            Ok(alpha)
        } else {
            Err(BoostError::AlphaTooLarge { round, alpha, limit })
        }
    }
}
