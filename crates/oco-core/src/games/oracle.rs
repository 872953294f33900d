//! Oracles for player B: the exact best response, and one with random mistakes.

use super::{Game, Oracle};
use crate::OcoError;
use projections::ProjectionError;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Answers p with argmax over K'_B of g(p, ·): ε₀ = 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestResponse<G>(pub G);

impl<G: Game> Oracle for BestResponse<G> {
    fn respond(&mut self, p: &[f64], q: &mut [f64]) -> Result<(), OcoError> {
        self.0.best_response_of_b(p, q);
        Ok(())
    }
}

/// The best response with probability 1 − `tremble`, else a pure strategy drawn uniformly: for payoffs in an
/// interval of length w, E g(p, q) ≥ max g(p, ·) − ε₀ with ε₀ = `tremble`·w.
///
/// ```
/// use oco_core::games::{MatrixGame, Oracle, TremblingHand};
/// use rand::SeedableRng;
/// let game = MatrixGame::new(&[[1.0, 0.0], [1.0, 0.0]])?;
/// let mut hand = TremblingHand::new(game, 0.5, rand_chacha::ChaCha8Rng::seed_from_u64(7))?;
/// let (mut q, mut best) = ([0.0; 2], 0);
/// for _ in 0..1000 {
///     hand.respond(&[0.5, 0.5], &mut q)?;
///     best += u32::from(q[0] > 0.0);
/// }
/// // Three quarters, give or take five deviations of a mean of 1000.
/// assert!((680..820).contains(&best));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<G>", into = "Unchecked<G>")]
#[serde(bound(serialize = "G: Clone + Serialize", deserialize = "G: Deserialize<'de>"))]
pub struct TremblingHand<G> {
    game: G,
    tremble: f64,
    rng: ChaCha8Rng,
}

impl<G: Game> Oracle for TremblingHand<G> {
    fn respond(&mut self, p: &[f64], q: &mut [f64]) -> Result<(), OcoError> {
        if self.rng.random::<f64>() < self.tremble {
            q.fill(0.0);
            let drawn = self.rng.random_range(0..q.len().max(1));
            q.iter_mut().skip(drawn).take(1).for_each(|q| *q = 1.0);
        } else {
            self.game.best_response_of_b(p, q);
        }
        Ok(())
    }
}

impl<G> TremblingHand<G> {
    /// Trembles with the given probability.
    ///
    /// # Errors
    /// A probability outside \[0, 1\].
    pub fn new(game: G, tremble: f64, rng: ChaCha8Rng) -> Result<Self, OcoError> {
        Unchecked { game, tremble, rng }.try_into()
    }
}

#[derive(Serialize, Deserialize)]
struct Unchecked<G> {
    game: G,
    tremble: f64,
    rng: ChaCha8Rng,
}

impl<G> From<TremblingHand<G>> for Unchecked<G> {
    fn from(TremblingHand { game, tremble, rng }: TremblingHand<G>) -> Self {
        Self { game, tremble, rng }
    }
}

impl<G> TryFrom<Unchecked<G>> for TremblingHand<G> {
    type Error = OcoError;

    fn try_from(Unchecked { game, tremble, rng }: Unchecked<G>) -> Result<Self, OcoError> {
        crate::check_magnitudes("tremble", &[tremble])?;
        if !(0.0..=1.0).contains(&tremble) {
            let (name, domain) = ("tremble", "[0, 1]");
            return Err(ProjectionError::BadParameter { name, value: tremble, domain }.into());
        }
        Ok(Self { game, tremble, rng })
    }
}
