//! Meta-Frank-Wolfe, convex variant \[CHHK18\].

use super::cascade::{Cascade, whole_copies};
use super::stochastic_gradient::{OracleLearner, StochasticGradient, ask};
use crate::{OcoError, OnlineLearner};
use projections::{DecisionSet, Euclidean, Projection};
use serde::{Deserialize, Serialize};

/// Meta-FW \[CHHK18\] for convex losses, over K copies of any online linear optimiser: averaged gradients
/// tame the noise.
///
/// x^1 fixed; x^{k+1} = x^k + η_k(A_k.play() − x^k) with η_k = 1/(k + 3); x^{K+1} is played. A_k receives d^k
/// = (1 − ρ_k)d^{k−1} + ρ_k g(x^k; ξ_k), with ρ_k = 2/(k + 3)^{2/3} and d^0 = 0.
///
/// *Guarantee* (`tests/projection_free/`). E‖d^k − ∇ℓ(x^k)‖² ≤ Q/(k + 4)^{2/3} with Q =
/// max(4^{2/3}‖∇ℓ(x^1)‖², 4σ² + (16/9)L²D²), σ² the variance of the oracle; hence expected regret at most
/// (3C + TDQ^{1/2}Σ_k(k + 4)^{−1/3} + ½LD²TΣ_k 1/(k + 3))/(K + 3) + K/(K + 3)·max_k R_k, where C = Σℓ_t(x^1)
/// − ℓ_t(u) and R_k = Σ⟨d_t^k, A_k.play() − u⟩, each of weight 1/(K + 3): O(√T) at K = T^{3/2}
/// ([`copies`](Self::copies)). The constants are ours, from the paper's recurrences.
/// *Chosen here.* The paper's points are numbered from 1, ours (`partials`) from 0.
/// *Cost:* K gradients and K rounds of A a round.
/// *Errors:* refused gradients leave every A_k unchanged.
///
/// ```
/// use oco_core::StepSchedule;
/// use oco_core::learners::Ogd;
/// use oco_core::losses::SquaredLoss;
/// use oco_core::projection_free::{ExactGradient, MetaFrankWolfe, OracleLearner};
/// use projections::L2Ball;
/// let (ball, rounds) = (L2Ball::new(1.0)?, 16);
/// let optimiser = Ogd::new(ball, 1, StepSchedule::power(0.5, 0.5)?)?;
/// let copies = MetaFrankWolfe::copies(rounds)?;
/// let mut learner = MetaFrankWolfe::new(vec![optimiser; copies as usize], ball)?;
/// let loss = SquaredLoss::new(&[0.5])?;
/// for _ in 0..rounds {
///     learner.observe(&mut ExactGradient(&loss))?;
/// }
/// assert_eq!(copies, 64);
/// assert!((learner.play()[0] - 0.5).abs() < 0.1);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    from = "Cascade<A, K, 1, 3>",
    into = "Cascade<A, K, 1, 3>",
    bound(
        serialize = "A: Clone + Serialize, K: Clone + Serialize",
        deserialize = "A: Deserialize<'de> + OnlineLearner, K: Deserialize<'de> + DecisionSet"
    )
)]
pub struct MetaFrankWolfe<A, K> {
    cascade: Cascade<A, K, 1, 3>,
    /// d^{k−1}.
    before: Vec<f64>,
}

impl<A: OnlineLearner, K: DecisionSet> OracleLearner for MetaFrankWolfe<A, K> {
    fn play(&self) -> &[f64] {
        self.cascade.last()
    }

    fn observe(&mut self, oracle: &mut dyn StochasticGradient) -> Result<(), OcoError> {
        self.cascade.check(oracle)?;
        self.before.fill(0.0); // d^0 = 0
        for (k, x, d) in self.cascade.stages() {
            let rho = 2.0 / (f64::from(k) + 3.0).cbrt().powi(2);
            oracle.draw();
            ask(oracle, x, d)?; // g(x^k; ξ_k)
            for (d, before) in d.iter_mut().zip(&mut self.before) {
                *d = (1.0 - rho) * *before + rho * *d; // d^k
                *before = *d;
            }
        }
        self.cascade.teach()?;
        self.cascade.advance();
        Ok(())
    }

    fn reset(&mut self) {
        self.cascade.reset();
    }
}

impl<A: OnlineLearner, K: DecisionSet> MetaFrankWolfe<A, K> {
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

impl<A, K> MetaFrankWolfe<A, K> {
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

impl MetaFrankWolfe<(), ()> {
    /// K = ⌈T^{3/2}⌉.
    ///
    /// # Errors
    /// More copies than 2³² − 1.
    pub fn copies(rounds: u32) -> Result<u32, OcoError> {
        whole_copies(f64::from(rounds) * f64::from(rounds).sqrt())
    }
}

impl<A, K> From<Cascade<A, K, 1, 3>> for MetaFrankWolfe<A, K> {
    fn from(cascade: Cascade<A, K, 1, 3>) -> Self {
        let before = vec![0.0; cascade.dimension()];
        Self { cascade, before }
    }
}

impl<A, K> From<MetaFrankWolfe<A, K>> for Cascade<A, K, 1, 3> {
    fn from(learner: MetaFrankWolfe<A, K>) -> Self {
        learner.cascade
    }
}
