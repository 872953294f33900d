//! The regret of squared distances.

use super::Regret;
use crate::step::check_step;
use crate::{OcoError, check_vector};
use projections::{Euclidean, Exact, ProjectionError, check_finite, filled};
use serde::{Deserialize, Serialize};

/// The account of squared losses ℓ_t(x) = ‖x − c_t‖², or (a_t/2)‖x − c_t‖² with weights a_t > 0: the best
/// fixed point is the projection of the weighted mean of the c_t. O(n) a round.
///
/// ```
/// use oco_core::regret::QuadraticRegret;
/// use projections::BoxSet;
/// let mut account = QuadraticRegret::new(1)?;
/// account.record(&[1.0], &[0.0])?;
/// account.record(&[3.0], &[0.0])?;
/// let regret = account.regret(&BoxSet::interval(0.0, 1.5)?)?;
/// assert_eq!((regret.comparator, regret.comparator_loss, regret.value), (vec![1.5], 2.5, 7.5));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct QuadraticRegret {
    mean: Vec<f64>,
    /// Σ(a_t/2)‖c_t − mean‖², by West's weighted form of Welford's recurrence, which does not cancel.
    scatter: f64,
    learner_loss: f64,
    /// Σ a_t/2.
    weight: f64,
}

impl QuadraticRegret {
    /// An empty account in R^n.
    ///
    /// # Errors
    /// [`ProjectionError::Empty`] for n = 0, [`ProjectionError::TooLarge`].
    pub fn new(dimension: usize) -> Result<Self, OcoError> {
        if dimension == 0 {
            return Err(ProjectionError::Empty { argument: "centre" }.into());
        }
        Ok(Self { mean: filled("dimension", dimension, 0.0)?, scatter: 0.0, learner_loss: 0.0, weight: 0.0 })
    }

    /// Books a round with play x and loss ‖· − c‖².
    ///
    /// # Errors
    /// As [`record_weighted`](Self::record_weighted).
    pub fn record(&mut self, c: &[f64], x: &[f64]) -> Result<(), OcoError> {
        self.record_weighted(2.0, c, x)
    }

    /// Books a round with play x and loss (a/2)‖· − c‖².
    ///
    /// # Errors
    /// Vectors of the wrong length or with entries that are not finite, an a that is not positive, or a sum
    /// of losses beyond the range of doubles ([`OcoError::NotFiniteLoss`]); the round then does not count.
    pub fn record_weighted(&mut self, a: f64, c: &[f64], x: &[f64]) -> Result<(), OcoError> {
        check_step("weight", a)?;
        check_vector("centre", c, self.mean.len())?;
        check_vector("play", x, self.mean.len())?;
        let half = 0.5 * a;
        let weight = self.weight + half;
        let share = half / weight;
        // c − mean before and after the mean moves, whose product is (1 − share)·(c − mean)².
        let scatter = self.scatter + half * (1.0 - share) * squared_distance(c, &self.mean);
        let learner_loss = self.learner_loss + half * squared_distance(x, c);
        for value in [scatter, learner_loss, weight] {
            if !value.is_finite() {
                return Err(OcoError::NotFiniteLoss { value });
            }
        }
        self.mean.iter_mut().zip(c).for_each(|(mean, c)| *mean += share * (c - *mean));
        (self.scatter, self.learner_loss, self.weight) = (scatter, learner_loss, weight);
        Ok(())
    }

    /// Σ ℓ_t(x_t) − min_{u∈K} Σ ℓ_t(u).
    ///
    /// # Errors
    /// A set of another dimension, or a loss of the comparator beyond the range.
    pub fn regret<K: Exact<Euclidean>>(&self, set: &K) -> Result<Regret, OcoError> {
        let mut comparator = self.mean.clone();
        set.project(&mut comparator)?;
        let comparator_loss = self.scatter + self.weight * squared_distance(&comparator, &self.mean);
        if !comparator_loss.is_finite() {
            return Err(OcoError::NotFiniteLoss { value: comparator_loss });
        }
        let value = self.learner_loss - comparator_loss;
        Ok(Regret { value, gap: 0.0, learner_loss: self.learner_loss, comparator_loss, comparator })
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[derive(Deserialize)]
struct Unchecked {
    mean: Vec<f64>,
    scatter: f64,
    learner_loss: f64,
    weight: f64,
}

impl TryFrom<Unchecked> for QuadraticRegret {
    type Error = OcoError;

    fn try_from(saved: Unchecked) -> Result<Self, OcoError> {
        let Unchecked { mean, scatter, learner_loss, weight } = saved;
        Self::new(mean.len())?;
        check_finite("mean", &mean)?;
        for (name, value) in [("scatter", scatter), ("learner's loss", learner_loss), ("weight", weight)] {
            check_finite(name, &[value])?;
            if value < 0.0 || (weight == 0.0 && value > 0.0) {
                return Err(ProjectionError::BadParameter { name, value, domain: "[0, ∞)" }.into());
            }
        }
        // Before the first loss there is no centre.
        if let Some(&value) = mean.iter().find(|&&mean| weight == 0.0 && mean != 0.0) {
            let (name, domain) = ("mean", "0 without a weight");
            return Err(ProjectionError::BadParameter { name, value, domain }.into());
        }
        Ok(Self { mean, scatter, learner_loss, weight })
    }
}
