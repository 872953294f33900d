//! The regret of linear losses.

use super::Regret;
use crate::error::check_sum;
use crate::losses::inner;
use crate::{OcoError, check_vector};
use projections::{LinearMinimisation, ProjectionError, check_finite, filled};
use serde::{Deserialize, Serialize};

/// The account of linear losses ℓ_t(x) = ⟨g_t, x⟩: the best fixed point is the lmo of Σ g_t, and the gap is
/// the lmo's accuracy, 0 except for sets of matrices. O(n) a round.
///
/// ```
/// use oco_core::regret::LinearRegret;
/// use projections::BoxSet;
/// let mut account = LinearRegret::new(1)?;
/// account.record(&[1.0], &[0.5])?;
/// account.record(&[-3.0], &[0.5])?;
/// let regret = account.regret(&BoxSet::interval(-1.0, 1.0)?)?;
/// assert_eq!((regret.value, regret.comparator), (1.0, vec![1.0]));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct LinearRegret {
    gradient_sum: Vec<f64>,
    learner_loss: f64,
    rounds: u64,
}

impl LinearRegret {
    /// An empty account in R^n.
    ///
    /// # Errors
    /// [`ProjectionError::Empty`] for n = 0, [`ProjectionError::TooLarge`].
    pub fn new(dimension: usize) -> Result<Self, OcoError> {
        if dimension == 0 {
            return Err(ProjectionError::Empty { argument: "gradient" }.into());
        }
        Ok(Self { gradient_sum: filled("dimension", dimension, 0.0)?, learner_loss: 0.0, rounds: 0 })
    }

    /// Books the round in which x was played and g seen.
    ///
    /// # Errors
    /// Vectors of the wrong length or with entries that are not finite or above 1e140 in magnitude; the round
    /// then does not count.
    pub fn record(&mut self, g: &[f64], x: &[f64]) -> Result<(), OcoError> {
        check_vector("gradient", g, self.gradient_sum.len())?;
        check_vector("play", x, self.gradient_sum.len())?;
        self.gradient_sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += g);
        self.learner_loss += inner(g, x);
        self.rounds = self.rounds.saturating_add(1);
        Ok(())
    }

    /// Σ⟨g_t, x_t⟩ − min_{u∈K} Σ⟨g_t, u⟩.
    ///
    /// # Errors
    /// A set of another dimension, or one whose best point has an entry above 1e140 in magnitude.
    pub fn regret<K: LinearMinimisation>(&self, set: &K) -> Result<Regret, OcoError> {
        let comparator = set.lmo(&self.gradient_sum)?;
        let comparator_loss = self.loss_of(&comparator)?;
        Ok(Regret {
            value: self.learner_loss - comparator_loss,
            gap: set.lmo_accuracy(&self.gradient_sum),
            learner_loss: self.learner_loss,
            comparator_loss,
            comparator,
        })
    }

    /// Σ⟨g_t, x_t − u⟩ for a given comparator u.
    ///
    /// # Errors
    /// A comparator of the wrong length or with entries that are not finite.
    pub fn against(&self, comparator: &[f64]) -> Result<f64, OcoError> {
        Ok(self.learner_loss - self.loss_of(comparator)?)
    }

    fn loss_of(&self, comparator: &[f64]) -> Result<f64, OcoError> {
        check_vector("comparator", comparator, self.gradient_sum.len())?;
        Ok(inner(&self.gradient_sum, comparator))
    }

    /// T, the rounds booked.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }
}

#[derive(Deserialize)]
struct Unchecked {
    gradient_sum: Vec<f64>,
    learner_loss: f64,
    rounds: u64,
}

impl TryFrom<Unchecked> for LinearRegret {
    type Error = OcoError;

    fn try_from(saved: Unchecked) -> Result<Self, OcoError> {
        let Unchecked { gradient_sum, learner_loss, rounds } = saved;
        let empty = Self::new(gradient_sum.len())?;
        check_sum("sum of gradients", &gradient_sum, gradient_sum.len())?;
        check_finite("learner's loss", &[learner_loss])?;
        // Without rounds every sum is 0.
        if rounds == 0 && (gradient_sum != empty.gradient_sum || learner_loss != empty.learner_loss) {
            return Err(ProjectionError::BadParameter { name: "rounds", value: 0.0, domain: "t ≥ 1" }.into());
        }
        Ok(Self { gradient_sum, learner_loss, rounds })
    }
}
