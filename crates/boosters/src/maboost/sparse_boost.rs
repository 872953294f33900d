//! SparseBoost \[NP14, Algorithm 2\].

use super::mirror_map::{count, largest_entry};
use super::reweighting::{LEAST_STEP, check_distribution, check_length, check_start, check_sum};
use super::{Answer, BoostError, Examples, Promise, Reweighting};
use projections::{Euclidean, Projection, Scratch, Simplex, project_l1_box};
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;

/// SparseBoost \[NP14, Algorithm 2\]: η_t = γ_t/N, z = w_t + η_t d_t, y = clip(z − α_tη_t/2, 0, 1), w_{t+1} =
/// Π_simplex(y).
///
/// *Guarantee.* For 0 ≤ α_t ≤ γ_t/2 the training error is at most 1/(1 + ½Σγ_t(γ_t − 2α_t)) \[NP14, Theorem
/// 4\], and at most 1/(1 + Σγ_t(γ_t − α_t)), both for the uniform D. For other D the sums are divided by
/// N·max D. *Proof.* Let w* be D on the errors, divided by their share ε. y minimises ½‖y − z‖² + ½α_tη_t‖y‖₁
/// over a cube that w* lies in, so ½‖w* − w_{t+1}‖² ≤ ½‖w* − y‖² ≤ ½‖w* − z‖² + ½α_tη_t ≤ ½‖w* − w_t‖² −
/// η_t⟨w*, d_t⟩ − γ_t(γ_t − α_t)/2N. Sum up: Σ⟨w*, η_t d_t⟩ ≥ 0 on errors, and ‖w* − D‖² ≤ (1/ε − 1)·max D.
/// The paper's constant loses half of that.
///
/// *Erratum.* The second projection need not make the weights sparser: where Σy < 1, the usual case, it adds
/// mass to every coordinate. For sparse weights see [`LazySparseBoost`](super::LazySparseBoost). *Cost:* O(N)
/// a round; no allocation after the first.
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
/// assert_eq!(sparse.promise().error, 1.0 / (1.0 + 0.5 * 0.5 * (0.5 - 2.0 * 0.125)));
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct SparseBoost {
    state: State,
    /// max D.
    heaviest: f64,
    next_w: Vec<f64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    sparsity: Sparsity,
    /// D.
    start: Vec<f64>,
    w: Vec<f64>,
    rounds: usize,
    /// Σ½γ_t(γ_t − 2α_t)/N and Σγ_t(γ_t − α_t)/N.
    progress: [f64; 2],
}

/// The choice of α_t; Theorem 4 needs 0 ≤ α_t ≤ γ_t/2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sparsity {
    /// α_t = min(α, γ_t/2), α ≥ 0.
    Constant(f64),
    /// α_t = θγ_t/2, θ ∈ \[0, 1\].
    Fraction(f64),
    /// The α_t themselves, 0 after the last; an α_t above γ_t/2 is refused in its round.
    Sequence(Vec<f64>),
}

impl Reweighting for SparseBoost {
    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError> {
        let Self { state, next_w, scratch, .. } = self;
        answer.check(state.w.len())?;
        let Answer { losses: d, edge, .. } = answer;
        let alpha = state.sparsity.alpha(state.rounds, edge)?;
        let n = count(d.len());
        let eta = (edge / n).max(LEAST_STEP);
        // z = w_t + η_t d_t.
        next_w.iter_mut().zip(&state.w).zip(d).for_each(|((z, w), d)| *z = w + eta * d);
        // y = argmin over the cube of ‖y − z‖² + α_tη_t‖y‖₁.
        project_l1_box(next_w, alpha, eta)?;
        // w_{t+1} = argmin over the simplex of ‖w − y‖².
        Projection::<Euclidean>::project_with(&Simplex::new(1.0)?, next_w, scratch)?;
        std::mem::swap(&mut state.w, next_w);
        state.rounds = state.rounds.saturating_add(1);
        state.progress[0] += 0.5 * edge * (edge - 2.0 * alpha) / n;
        state.progress[1] += edge * (edge - alpha) / n;
        Ok(eta)
    }

    fn weights(&self) -> &[f64] {
        &self.state.w
    }

    fn start(&self) -> &[f64] {
        &self.state.start
    }

    fn rounds(&self) -> usize {
        self.state.rounds
    }

    fn promise(&self) -> Promise {
        let [error, tight] = self.state.progress.map(|progress| 1.0 / (1.0 + progress / self.heaviest));
        Promise { error, tight: Some(tight), margin: None }
    }
}

impl SparseBoost {
    /// Starts from w_1 = D.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a constant α that is negative or not finite and for θ outside \[0,
    /// 1\]; [`BoostError::AlphaTooLarge`] for an α_t outside \[0, ½\], since no edge exceeds 1.
    pub fn new(examples: &Examples, sparsity: Sparsity) -> Result<Self, BoostError> {
        let start = examples.start().to_vec();
        State { sparsity, w: start.clone(), start, rounds: 0, progress: [0.0; 2] }.try_into()
    }
}

impl Sparsity {
    /// α_t, after so many rounds.
    fn alpha(&self, rounds: usize, edge: f64) -> Result<f64, BoostError> {
        let (round, limit) = (rounds.saturating_add(1), edge / 2.0);
        let alpha = match self {
            Self::Constant(alpha) => alpha.min(limit),
            Self::Fraction(theta) => theta * limit,
            Self::Sequence(alphas) => alphas.get(rounds).copied().unwrap_or(0.0),
        };
        if alpha <= limit { Ok(alpha) } else { Err(BoostError::AlphaTooLarge { round, alpha, limit }) }
    }

    fn check(&self) -> Result<(), BoostError> {
        let refused = |name, value, domain| Err(LearnerError::BadParameter { name, value, domain }.into());
        match self {
            Self::Constant(alpha) if !(0.0..=LARGEST).contains(alpha) => {
                refused("alpha", *alpha, "[0, 1e140]")
            }
            Self::Fraction(theta) if !(0.0..=1.0).contains(theta) => refused("theta", *theta, "[0, 1]"),
            Self::Sequence(alphas) => match alphas.iter().position(|alpha| !(0.0..=0.5).contains(alpha)) {
                Some(t) => Err(BoostError::AlphaTooLarge { round: t + 1, alpha: alphas[t], limit: 0.5 }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

impl From<SparseBoost> for State {
    fn from(boost: SparseBoost) -> Self {
        boost.state
    }
}

impl TryFrom<State> for SparseBoost {
    type Error = BoostError;

    fn try_from(state: State) -> Result<Self, BoostError> {
        state.sparsity.check()?;
        check_distribution("weights", &state.w)?;
        check_distribution("start", &state.start)?;
        check_start(&state.start)?;
        check_length("weights", state.start.len(), state.w.len())?;
        state.progress.iter().try_for_each(|progress| check_sum("progress", *progress))?;
        let next_w = vec![0.0; state.w.len()];
        let heaviest = largest_entry(&state.start);
        Ok(Self { state, heaviest, next_w, scratch: Scratch::default() })
    }
}
