//! The stochastic gradient oracle, through which projection-free learners see a loss.

use crate::losses::Loss;
use crate::{OcoError, OnlineLearner, check_vector};
use projections::ProjectionError;
use serde::{Deserialize, Serialize};

/// An oracle for the gradient of one round's loss \[BH20, Assumption 2\]: g(x; ξ) with E g(x; ξ) = ∇ℓ_t(x).
///
/// Contract: [`draw`](Self::draw) draws a fresh sample ξ, independent of the past. Between two draws ξ stays,
/// so that a learner can compare the gradients of *one* sample at two points, as
/// [`Morgfw`](crate::projection_free::Morgfw) does. Callers draw before the first gradient, and pass points
/// and gradients with [`dimension`](Self::dimension) entries. All three methods are required.
pub trait StochasticGradient {
    /// d.
    fn dimension(&self) -> usize;

    /// Draws ξ.
    fn draw(&mut self);

    /// Writes g(x; ξ).
    fn gradient(&mut self, x: &[f64], g: &mut [f64]);
}

/// A learner that queries the oracle of a round at points of its choice.
///
/// Contract: `play` returns x_t ∈ K, which depends on earlier rounds only, and changes nothing. `observe`
/// queries the oracle of ℓ_t and moves to x_{t+1}; `reset` returns to x_1. An oracle of another dimension, or
/// an answer that is not finite or above 1e140 in magnitude, is refused; the learner is then unchanged (the
/// oracle's generator has advanced). After the first round, a round allocates nothing. All three methods are
/// required.
pub trait OracleLearner {
    /// x_t.
    fn play(&self) -> &[f64];

    /// Learns from ℓ_t.
    ///
    /// # Errors
    /// An oracle of another dimension, or a gradient with an entry that is not finite or above 1e140.
    fn observe(&mut self, oracle: &mut dyn StochasticGradient) -> Result<(), OcoError>;

    /// Back to x_1.
    fn reset(&mut self);
}

/// The oracle without noise: g(x; ξ) = ∇ℓ(x) for every ξ.
///
/// ```
/// use oco_core::{losses::SquaredLoss, projection_free::{ExactGradient, StochasticGradient}};
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

/// An oracle that counts its samples and gradients.
///
/// ```
/// use oco_core::StepSchedule;
/// use oco_core::learners::Ogd;
/// use oco_core::losses::SquaredLoss;
/// use oco_core::projection_free::{Counted, ExactGradient, OneGradient, OracleLearner};
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

    /// Gradients queried.
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

/// An adaptor from an [`OnlineLearner`] to an [`OracleLearner`]: the learner receives one g(x_t; ξ) a round.
///
/// It makes OGD and Online-FW comparable with the methods that query more often. With noise the learner's
/// regret bounds hold in expectation, because E⟨g, x_t − u⟩ = ⟨∇ℓ_t(x_t), x_t − u⟩.
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
    /// The learner, with one gradient a round.
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

/// Queries g(x; ξ) and checks the answer.
pub(super) fn ask(oracle: &mut dyn StochasticGradient, x: &[f64], g: &mut [f64]) -> Result<(), OcoError> {
    oracle.gradient(x, g);
    check_vector("gradient", g, x.len())
}
