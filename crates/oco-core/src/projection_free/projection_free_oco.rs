//! Projection-free online convex optimisation with a stochastic gradient oracle \[BH20, Algorithm 1\].

use super::cascade::{Cascade, whole_copies};
use super::stochastic_gradient::{OracleLearner, StochasticGradient, ask};
use crate::step::check_step;
use crate::{OcoError, OnlineLearner};
use projections::{DecisionSet, Euclidean, Projection};
use serde::{Deserialize, Serialize};

/// Projection-free OCO with a stochastic gradient oracle \[BH20, Algorithm 1\] over N copies of any online
/// linear optimiser: x^i = (1 − η_i)x^{i−1} + η_i·A_i.play() with η_i = 2/(i + 1); A_i receives g_i =
/// g(x^{i−1}; ξ_i); x^N is played.
///
/// *Guarantee* (`tests/projection_free/`). For β-smooth convex losses on K of diameter D, exact gradients,
/// every u ∈ K and every T, Σ ℓ_t(x_t) − ℓ_t(u) ≤ 2βD²T/(N + 1) + max_i R_i, where R_i = Σ⟨g_{t,i},
/// A_i.play() − u⟩ is the *measured* regret of A_i. With noise this holds in expectation \[BH20, Proposition
/// 5\], and with probability 1 − ρ up to (σ + G)D√(2T log(4N/ρ)) \[BH20, Proposition 13\].
/// [`theorem_2_copies`](Self::theorem_2_copies) is the N that makes it O(σD√T).
/// *Errata.* The paper starts at x^0 = 0, which need not lie in K; the bound needs x^0 ∈ K (K = \[10, 11\]).
/// As η_1 = 1, the start only determines where the first gradient is queried. The paper has N where the proof
/// gives N + 1.
/// *Cost:* N gradients and N rounds of A a round, and O(Nn).
/// *Errors:* refused gradients leave every A_i unchanged.
///
/// ```
/// use oco_core::StepSchedule;
/// use oco_core::learners::Ogd;
/// use oco_core::losses::SquaredLoss;
/// use oco_core::projection_free::{ExactGradient, OracleLearner, ProjectionFreeOco};
/// use projections::L2Ball;
/// let ball = L2Ball::new(1.0)?;
/// let optimiser = Ogd::new(ball, 2, StepSchedule::power(0.5, 0.5)?)?;
/// let mut learner = ProjectionFreeOco::new(vec![optimiser; 30], ball)?;
/// let loss = SquaredLoss::new(&[0.5, 0.0])?;
/// for _ in 0..300 {
///     learner.observe(&mut ExactGradient(&loss))?;
/// }
/// assert!((learner.play()[0] - 0.5).abs() < 0.05);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    transparent,
    bound(
        serialize = "A: Clone + Serialize, K: Clone + Serialize",
        deserialize = "A: Deserialize<'de> + OnlineLearner, K: Deserialize<'de> + DecisionSet"
    )
)]
pub struct ProjectionFreeOco<A, K> {
    // Lines 1 and 2: A_1, …, A_N and η_i = 2/(i + 1). The points x^1, …, x^N are computed before the round:
    // line 6 needs none of its gradients.
    cascade: Cascade<A, K, 2, 1>,
}

impl<A: OnlineLearner, K: DecisionSet> OracleLearner for ProjectionFreeOco<A, K> {
    fn play(&self) -> &[f64] {
        self.cascade.last() // line 10
    }

    fn observe(&mut self, oracle: &mut dyn StochasticGradient) -> Result<(), OcoError> {
        self.cascade.check(oracle)?;
        for (_, x_before, g) in self.cascade.stages() {
            oracle.draw();
            ask(oracle, x_before, g)?; // line 7
        }
        self.cascade.teach()?; // line 8
        self.cascade.advance(); // lines 4 to 6 of the next round
        Ok(())
    }

    fn reset(&mut self) {
        self.cascade.reset();
    }
}

impl<A: OnlineLearner, K: DecisionSet> ProjectionFreeOco<A, K> {
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
        Ok(Self { cascade: Cascade::at_origin(learners, set)? })
    }

    /// Starts at x^0 ∈ K; K needs no projection.
    ///
    /// # Errors
    /// No learner, learners of another dimension than x^0, or [`OcoError::OutsideSet`] (x^0 or a play).
    pub fn starting_at(learners: Vec<A>, set: K, start: Vec<f64>) -> Result<Self, OcoError> {
        Ok(Self { cascade: Cascade::new(learners, set, start)? })
    }
}

impl<A, K> ProjectionFreeOco<A, K> {
    /// A_1, …, A_N.
    pub fn learners(&self) -> &[A] {
        self.cascade.learners()
    }

    /// x^0, …, x^N of the coming round.
    pub fn partials(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.cascade.points()
    }

    /// The last g_1, …, g_N, also of a refused round; zeros before the first.
    pub fn gradients(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.cascade.gradients()
    }
}

impl ProjectionFreeOco<(), ()> {
    /// N = ⌈(βD/σ)√T⌉ of \[BH20, Theorem 2\], at least 1: β the smoothness, D the diameter, σ a bound on the
    /// stochastic gradients.
    ///
    /// ```
    /// assert_eq!(oco_core::projection_free::ProjectionFreeOco::theorem_2_copies(2.0, 1.5, 6.0, 100)?, 5);
    /// # Ok::<(), oco_core::OcoError>(())
    /// ```
    ///
    /// # Errors
    /// D or σ not positive, β negative, or more copies than 2³² − 1.
    pub fn theorem_2_copies(
        smoothness: f64,
        diameter: f64,
        gradient_bound: f64,
        rounds: u32,
    ) -> Result<u32, OcoError> {
        if smoothness != 0.0 {
            check_step("smoothness", smoothness)?;
        }
        check_step("diameter", diameter)?;
        check_step("gradient bound", gradient_bound)?;
        // Root by root, so that no intermediate leaves the range.
        let copies = smoothness * (diameter / gradient_bound) * f64::from(rounds).sqrt();
        whole_copies(if copies.is_nan() { f64::INFINITY } else { copies })
    }
}
