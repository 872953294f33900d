//! The stochastic gradient oracle, the only way in which a projection-free learner sees a loss.

use crate::{Loss, OcoError, OnlineLearner, check_vector};
use projections::ProjectionError;
use serde::{Deserialize, Serialize};

/// An oracle for the gradient of one round's loss \[BH20, Assumption 2\]: g(x; ξ) with E g(x; ξ) = ∇ℓ_t(x).
///
/// Contract: [`draw`](Self::draw) draws a fresh sample ξ, independent of all that came before; between two draws ξ stays,
/// so that a learner can compare the gradients of *one* sample at two points, as [`Morgfw`](crate::Morgfw) does. A sample is
/// drawn before the first gradient is asked for. The point and the gradient handed in have
/// [`dimension`](Self::dimension) entries. All three methods are required.
pub trait StochasticGradient {
    /// d.
    fn dimension(&self) -> usize;

    /// Draws ξ.
    fn draw(&mut self);

    /// Writes g(x; ξ).
    fn gradient(&mut self, x: &[f64], g: &mut [f64]);
}

/// A learner that asks the oracle of a round where it wants, and as often as it wants.
///
/// Contract: `play` is a pure look at x_t ∈ K, which rests on the rounds before alone; `observe` asks the oracle of
/// ℓ_t and moves to x_{t+1}; `reset` returns to x_1. An oracle of another dimension, or one that answers with an entry that is
/// not finite, is refused and leaves the learner as it was (the oracle's own generator has moved on). After the first
/// round, a round allocates nothing. All three methods are required.
pub trait OracleLearner {
    /// x_t.
    fn play(&self) -> &[f64];

    /// Learns from ℓ_t.
    ///
    /// # Errors
    /// An oracle of another dimension, or a gradient with an entry that is not finite.
    fn observe(&mut self, oracle: &mut dyn StochasticGradient) -> Result<(), OcoError>;

    /// Back to x_1.
    fn reset(&mut self);
}

/// The oracle without noise: g(x; ξ) = ∇ℓ(x) for every ξ.
///
/// ```
/// use oco_core::{ExactGradient, SquaredLoss, StochasticGradient};
/// let loss = SquaredLoss::new(&[1.0])?;
/// let (mut oracle, mut g) = (ExactGradient(&loss), [0.0]);
/// oracle.draw();
/// oracle.gradient(&[3.0], &mut g);
/// assert_eq!(g, [4.0]);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ExactGradient<'a, L: ?Sized>(pub &'a L);

impl<L: Loss + ?Sized> StochasticGradient for ExactGradient<'_, L> {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn draw(&mut self) {}

    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        self.0.subgradient(x, g);
    }
}

/// An oracle that is counted: what a round costs where gradients are what costs.
///
/// ```
/// use oco_core::{Counted, ExactGradient, Ogd, OneGradient, OracleLearner, SquaredLoss, StepSchedule};
/// use projections::BoxSet;
/// let ogd = Ogd::new(BoxSet::interval(-1.0, 1.0)?, 1, StepSchedule::constant(0.1)?)?;
/// let (mut learner, loss) = (OneGradient::new(ogd), SquaredLoss::new(&[1.0])?);
/// let mut oracle = Counted::new(ExactGradient(&loss));
/// learner.observe(&mut oracle)?;
/// assert_eq!((oracle.draws(), oracle.gradients()), (1, 1));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counted<O> {
    oracle: O,
    draws: u64,
    gradients: u64,
}

impl<O> Counted<O> {
    /// Counts from 0.
    pub fn new(oracle: O) -> Self {
        Self { oracle, draws: 0, gradients: 0 }
    }

    /// Samples drawn.
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// Gradients asked for.
    pub fn gradients(&self) -> u64 {
        self.gradients
    }
}

impl<O: StochasticGradient> StochasticGradient for Counted<O> {
    fn dimension(&self) -> usize {
        self.oracle.dimension()
    }

    fn draw(&mut self) {
        self.draws += 1;
        self.oracle.draw();
    }

    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        self.gradients += 1;
        self.oracle.gradient(x, g);
    }
}

/// A learner of gradients as a learner of oracles: it is told one g(x_t; ξ) a round.
///
/// This is how OGD with its projection, and Online-FW, stand beside the methods that ask more often. With noise the regret
/// bounds of the learner hold in expectation, because E⟨g, x_t − u⟩ = ⟨∇ℓ_t(x_t), x_t − u⟩.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Inner<L>", into = "Inner<L>", bound(serialize = "L: Clone + Serialize"))]
pub struct OneGradient<L> {
    learner: L,
    g: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Inner<L>(L);

impl<L: OnlineLearner> OracleLearner for OneGradient<L> {
    fn play(&self) -> &[f64] {
        self.learner.play()
    }

    fn observe(&mut self, oracle: &mut dyn StochasticGradient) -> Result<(), OcoError> {
        check_oracle(oracle, self.learner.play().len())?;
        self.g.resize(self.learner.play().len(), 0.0);
        oracle.draw();
        oracle.gradient(self.learner.play(), &mut self.g);
        self.learner.observe(&self.g)
    }

    fn reset(&mut self) {
        self.learner.reset();
    }
}

impl<L> OneGradient<L> {
    /// The learner, told one gradient a round.
    pub fn new(learner: L) -> Self {
        Self { learner, g: Vec::new() }
    }

    /// The learner itself.
    pub fn learner(&self) -> &L {
        &self.learner
    }
}

impl<L> From<Inner<L>> for OneGradient<L> {
    fn from(inner: Inner<L>) -> Self {
        Self::new(inner.0)
    }
}

impl<L> From<OneGradient<L>> for Inner<L> {
    fn from(one: OneGradient<L>) -> Self {
        Self(one.learner)
    }
}

pub(super) fn check_oracle(oracle: &dyn StochasticGradient, expected: usize) -> Result<(), OcoError> {
    let (argument, got) = ("oracle", oracle.dimension());
    if got != expected {
        return Err(ProjectionError::LengthMismatch { argument, expected, got }.into());
    }
    Ok(())
}

/// Asks for g(x; ξ) and refuses an answer that is not finite.
pub(super) fn ask(oracle: &mut dyn StochasticGradient, x: &[f64], g: &mut [f64]) -> Result<(), OcoError> {
    oracle.gradient(x, g);
    check_vector("gradient", g, x.len())
}
