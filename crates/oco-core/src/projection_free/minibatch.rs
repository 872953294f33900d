//! Gradients of a few random losses of many.

use super::stochastic_gradient::StochasticGradient;
use crate::OcoError;
use crate::losses::Loss;
use projections::{ProjectionError, filled};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The largest batch: a saved state states its size, and this bounds the allocation.
const LARGEST_BATCH: usize = 1 << 22;

/// A source of minibatch gradients of ℓ = (1/m) Σ_j ℓ_j: a draw picks `size` of the m losses, uniformly with
/// replacement, and g(x; ξ) is the mean of their gradients at x.
///
/// A sample's gradient is as smooth as the losses: at close points its values are close, and recursive
/// estimates cancel its noise. The source outlives the rounds and owns their generator; [`over`](Self::over)
/// lends it to the losses of one round.
/// *Cost:* `size` gradients a gradient.
///
/// ```
/// use oco_core::{losses::SquaredLoss, projection_free::{Minibatches, StochasticGradient}};
/// use rand::SeedableRng;
/// let losses = [SquaredLoss::new(&[0.0])?, SquaredLoss::new(&[4.0])?];
/// let mut batches = Minibatches::new(1, rand_chacha::ChaCha8Rng::seed_from_u64(7))?;
/// let (mut oracle, mut g, mut h) = (batches.over(&losses)?, [0.0], [0.0]);
/// oracle.draw();
/// oracle.gradient(&[1.0], &mut g);
/// oracle.gradient(&[2.0], &mut h);
/// assert!(g == [2.0] || g == [-6.0]);
/// assert_eq!(h[0] - g[0], 2.0, "the same sample at two points");
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct Minibatches {
    state: State,
    batch: Vec<usize>,
    term: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    size: usize,
    rng: ChaCha8Rng,
}

impl Minibatches {
    /// Batches of `size` losses, 1 to 2²²; a batch takes 8 bytes a loss.
    ///
    /// # Errors
    /// A size of 0, more than 2²², or more than the memory holds.
    pub fn new(size: usize, rng: ChaCha8Rng) -> Result<Self, OcoError> {
        State { size, rng }.try_into()
    }

    /// The oracle of one round, whose loss is the mean of `losses`.
    ///
    /// # Errors
    /// No loss, or losses of different dimensions.
    pub fn over<'a, L: Loss>(&'a mut self, losses: &'a [L]) -> Result<MinibatchGradient<'a, L>, OcoError> {
        let argument = "losses";
        let Some(expected) = losses.first().map(Loss::dimension) else {
            return Err(ProjectionError::Empty { argument }.into());
        };
        if let Some(got) = losses.iter().map(Loss::dimension).find(|d| *d != expected) {
            return Err(ProjectionError::LengthMismatch { argument, expected, got }.into());
        }
        self.batch.clear();
        Ok(MinibatchGradient { batches: self, losses, dimension: expected })
    }
}

/// The oracle that [`Minibatches::over`] makes of a round's losses.
#[derive(Debug)]
pub struct MinibatchGradient<'a, L> {
    batches: &'a mut Minibatches,
    losses: &'a [L],
    dimension: usize,
}

impl<L: Loss> StochasticGradient for MinibatchGradient<'_, L> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn draw(&mut self) {
        let Minibatches { state, batch, .. } = &mut *self.batches;
        batch.clear();
        batch.extend((0..state.size).map(|_| state.rng.random_range(0..self.losses.len())));
    }

    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        let Minibatches { batch, term, .. } = &mut *self.batches;
        term.resize(self.dimension, 0.0);
        // A batch is far below 2^53 losses.
        #[allow(clippy::cast_precision_loss, reason = "a count of losses")]
        let share = 1.0 / batch.len() as f64;
        g.fill(0.0);
        for loss in batch.iter().filter_map(|j| self.losses.get(*j)) {
            loss.subgradient(x, term);
            g.iter_mut().zip(&*term).for_each(|(g, term)| *g += share * term);
        }
    }
}

impl From<Minibatches> for State {
    fn from(batches: Minibatches) -> Self {
        batches.state
    }
}

impl TryFrom<State> for Minibatches {
    type Error = OcoError;

    fn try_from(state: State) -> Result<Self, OcoError> {
        if state.size == 0 {
            let (name, domain) = ("batch size", "1, 2, …");
            return Err(ProjectionError::BadParameter { name, value: 0.0, domain }.into());
        }
        if state.size > LARGEST_BATCH {
            return Err(ProjectionError::TooLarge { argument: "batch", size: state.size }.into());
        }
        let batch = filled("batch", state.size, 0)?;
        Ok(Self { state, batch, term: Vec::new() })
    }
}
