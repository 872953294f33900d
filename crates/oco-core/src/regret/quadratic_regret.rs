//! The regret of squared distances.

use super::Regret;
use crate::{OcoError, check_vector};
use projections::{Euclidean, Exact, ProjectionError};
use serde::{Deserialize, Serialize};

/// The account of squared losses ℓ_t(x) = ‖x − c_t‖²: the best fixed point is the projection of the mean of the
/// c_t. O(n) a round.
///
/// ```
/// use oco_core::QuadraticRegret;
/// use projections::BoxSet;
/// let mut account = QuadraticRegret::new(1)?;
/// account.record(&[1.0], &[0.0])?;
/// account.record(&[3.0], &[0.0])?;
/// let regret = account.regret(&BoxSet::interval(0.0, 1.5)?)?;
/// assert_eq!((regret.comparator, regret.comparator_loss, regret.value), (vec![1.5], 2.5, 7.5));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuadraticRegret {
    mean: Vec<f64>,
    /// Σ‖c_t − mean‖², kept by Welford's recurrence: it never cancels.
    scatter: f64,
    learner_loss: f64,
    rounds: f64,
}

impl QuadraticRegret {
    /// An empty account in R^n.
    ///
    /// # Errors
    /// [`ProjectionError::Empty`] for n = 0.
    pub fn new(dimension: usize) -> Result<Self, OcoError> {
        if dimension == 0 {
            return Err(ProjectionError::Empty { argument: "centre" }.into());
        }
        Ok(Self { mean: vec![0.0; dimension], scatter: 0.0, learner_loss: 0.0, rounds: 0.0 })
    }

    /// Books the round with loss ‖· − c‖² in which x was played.
    ///
    /// # Errors
    /// Vectors of the wrong length or with entries that are not finite; nothing is booked then.
    pub fn record(&mut self, c: &[f64], x: &[f64]) -> Result<(), OcoError> {
        check_vector("centre", c, self.mean.len())?;
        check_vector("play", x, self.mean.len())?;
        self.rounds += 1.0;
        for (mean, c) in self.mean.iter_mut().zip(c) {
            let before = c - *mean;
            *mean += before / self.rounds;
            self.scatter += before * (c - *mean);
        }
        self.learner_loss += c.iter().zip(x).map(|(c, x)| (x - c) * (x - c)).sum::<f64>();
        Ok(())
    }

    /// Σ‖x_t − c_t‖² − min_{u∈K} Σ‖u − c_t‖².
    ///
    /// # Errors
    /// A set of another dimension.
    pub fn regret<K: Exact<Euclidean>>(&self, set: &K) -> Result<Regret, OcoError> {
        let mut comparator = self.mean.clone();
        set.project(&mut comparator)?;
        let bias: f64 = comparator.iter().zip(&self.mean).map(|(u, mean)| (u - mean) * (u - mean)).sum();
        let comparator_loss = self.scatter + self.rounds * bias;
        let value = self.learner_loss - comparator_loss;
        Ok(Regret { value, learner_loss: self.learner_loss, comparator_loss, comparator })
    }
}
