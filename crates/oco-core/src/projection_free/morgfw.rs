//! Meta online Frank–Wolfe with recursive gradients \[XSZQW19\].

use super::cascade::Cascade;
use super::stochastic_gradient::{OracleLearner, StochasticGradient, ask};
use crate::{OcoError, OnlineLearner};
use projections::{DecisionSet, Euclidean, Projection};
use serde::{Deserialize, Serialize};

/// MORGFW \[XSZQW19\] over K copies of any online linear optimiser: a recursive estimate of the gradient
/// along the steps, with each sample queried at both ends of a step.
///
/// x^1 fixed; x^{k+1} = x^k + η_k(A_k.play() − x^k); x^{K+1} is played. A_k receives d^1 = g(x^1; ξ_1) and
/// then d^k = g(x^k; ξ_k) + (1 − ρ_k)(d^{k−1} − g(x^{k−1}; ξ_k)), with η_k = ρ_k = 1/(k + 1).
///
/// *Guarantee* (`tests/projection_free/`). If every sample's gradient is L-Lipschitz and the oracle's
/// variance at most σ², E‖d^k − ∇ℓ(x^k)‖² ≤ 2(σ² + L²D²)/(k + 1); hence expected regret at most (C + ½LD²T
/// ln(K + 1))/(K + 1) + 2TD√(2(σ² + L²D²)/(K + 1)) + K/(K + 1)·max_k R_k, where C = Σℓ_t(x^1) − ℓ_t(u) and
/// R_k = Σ⟨d_t^k, A_k.play() − u⟩: O(√T) at K = T. The weights 1/(K + 1) of the R_k sum to less than 1. d^k
/// is unbiased given the earlier rounds, so for a u fixed in advance (and E max_k R_k) the term with the root
/// vanishes. The constants are ours, from the paper's recurrences; its own theorem holds with high
/// probability.
/// *Chosen here.* The exponent α = 1 of the paper's 1/(k + 1)^α, which gives its best rate, and its K = T.
/// *Cost:* 2K − 1 gradients and K rounds of A a round.
/// *Errors:* refused gradients leave every A_k unchanged.
///
/// ```
/// use oco_core::StepSchedule;
/// use oco_core::learners::Ogd;
/// use oco_core::losses::SquaredLoss;
/// use oco_core::projection_free::{ExactGradient, Morgfw, OracleLearner};
/// use projections::L2Ball;
/// let ball = L2Ball::new(1.0)?;
/// let optimiser = Ogd::new(ball, 1, StepSchedule::power(0.5, 0.5)?)?;
/// let mut learner = Morgfw::new(vec![optimiser; 50], ball)?;
/// let loss = SquaredLoss::new(&[0.5])?;
/// for _ in 0..50 {
///     learner.observe(&mut ExactGradient(&loss))?;
/// }
/// assert!((learner.play()[0] - 0.5).abs() < 0.1);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    from = "Cascade<A, K, 1, 1>",
    into = "Cascade<A, K, 1, 1>",
    bound(
        serialize = "A: Clone + Serialize, K: Clone + Serialize",
        deserialize = "A: Deserialize<'de> + OnlineLearner, K: Deserialize<'de> + DecisionSet"
    )
)]
pub struct Morgfw<A, K> {
    cascade: Cascade<A, K, 1, 1>,
    /// d^{k−1}.
    d_before: Vec<f64>,
    /// x^{k−1}.
    x_before: Vec<f64>,
    /// g(x^{k−1}; ξ_k).
    g_before: Vec<f64>,
}

impl<A: OnlineLearner, K: DecisionSet> OracleLearner for Morgfw<A, K> {
    fn play(&self) -> &[f64] {
        self.cascade.last()
    }

    fn observe(&mut self, oracle: &mut dyn StochasticGradient) -> Result<(), OcoError> {
        self.cascade.check(oracle)?;
        for (k, x, d) in self.cascade.stages() {
            oracle.draw();
            ask(oracle, x, d)?; // g(x^k; ξ_k)
            if k > 1 {
                let rho = 1.0 / (f64::from(k) + 1.0);
                ask(oracle, &self.x_before, &mut self.g_before)?; // g(x^{k−1}; ξ_k)
                for ((d, d_before), g_before) in d.iter_mut().zip(&self.d_before).zip(&self.g_before) {
                    *d += (1.0 - rho) * (d_before - g_before); // d^k
                }
            }
            self.d_before.copy_from_slice(d);
            self.x_before.copy_from_slice(x);
        }
        self.cascade.teach()?;
        self.cascade.advance();
        Ok(())
    }

    fn reset(&mut self) {
        self.cascade.reset();
    }
}

impl<A: OnlineLearner, K: DecisionSet> Morgfw<A, K> {
    /// Starts at 0 if it lies in K, else at its projection.
    ///
    /// # Errors
    /// No learner, learners of different dimensions, a dimension that does not fit the set, or a play outside
    /// it. Later plays are not checked, because a check costs more than the round. A learner over a larger
    /// set than K therefore leaves K; a saved state with such a play is refused on loading.
    pub fn new(learners: Vec<A>, set: K) -> Result<Self, OcoError>
    where
        K: Projection<Euclidean>,
    {
        Ok(Cascade::at_origin(learners, set)?.into())
    }

    /// Starts at x^1 ∈ K; K needs no projection.
    ///
    /// # Errors
    /// No learner, learners of another dimension than x^1, or [`OcoError::OutsideSet`] (x^1 or a play).
    pub fn starting_at(learners: Vec<A>, set: K, start: Vec<f64>) -> Result<Self, OcoError> {
        Ok(Cascade::new(learners, set, start)?.into())
    }
}

impl<A, K> Morgfw<A, K> {
    /// A_1, …, A_K.
    pub fn learners(&self) -> &[A] {
        self.cascade.learners()
    }

    /// x^1, …, x^{K+1} of the coming round.
    pub fn partials(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.cascade.points()
    }

    /// The last d^1, …, d^K, also of a refused round; zeros before the first.
    pub fn gradients(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.cascade.gradients()
    }
}

impl<A, K> From<Cascade<A, K, 1, 1>> for Morgfw<A, K> {
    fn from(cascade: Cascade<A, K, 1, 1>) -> Self {
        let zeros = vec![0.0; cascade.dimension()];
        Self { cascade, d_before: zeros.clone(), x_before: zeros.clone(), g_before: zeros }
    }
}

impl<A, K> From<Morgfw<A, K>> for Cascade<A, K, 1, 1> {
    fn from(learner: Morgfw<A, K>) -> Self {
        learner.cascade
    }
}
