//! Regret accounts with exact comparators.

use crate::gradient_sum::GradientSum;
use crate::wide::Wide;
use crate::{OcoError, check_vector};
use projections::{Euclidean, Exact, LinearMinimisation, ProjectionError};
use serde::{Deserialize, Serialize};

/// A regret together with the comparator that attains it.
#[derive(Debug, Clone, PartialEq)]
pub struct Regret {
    /// Learner loss minus comparator loss.
    pub value: f64,
    /// Σ ℓ_t(x_t).
    pub learner_loss: f64,
    /// Σ ℓ_t(u).
    pub comparator_loss: f64,
    /// u, the best fixed point of K.
    pub comparator: Vec<f64>,
}

/// The account of linear losses ℓ_t(x) = ⟨g_t, x⟩: the best fixed point is the lmo of Σ g_t. O(n) a round.
///
/// Sums may leave the range of doubles and come back; a loss or a regret that is itself beyond the range is ±∞.
///
/// ```
/// use oco_core::LinearRegret;
/// use projections::BoxSet;
/// let mut account = LinearRegret::new(1)?;
/// account.record(&[1.0], &[0.5])?;
/// account.record(&[-3.0], &[0.5])?;
/// let regret = account.regret(&BoxSet::interval(-1.0, 1.0)?)?;
/// assert_eq!((regret.value, regret.comparator), (1.0, vec![1.0]));
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearRegret {
    gradient_sum: GradientSum,
    learner_loss: Wide,
    rounds: u64,
}

impl LinearRegret {
    /// An empty account in R^n.
    ///
    /// # Errors
    /// [`ProjectionError::Empty`] for n = 0.
    pub fn new(dimension: usize) -> Result<Self, OcoError> {
        if dimension == 0 {
            return Err(ProjectionError::Empty { argument: "gradient" }.into());
        }
        Ok(Self { gradient_sum: GradientSum::zero(dimension), learner_loss: Wide::default(), rounds: 0 })
    }

    /// Books the round in which x was played and g seen.
    ///
    /// # Errors
    /// Vectors of the wrong length or with entries that are not finite; nothing is booked then.
    pub fn record(&mut self, g: &[f64], x: &[f64]) -> Result<(), OcoError> {
        check_vector("gradient", g, self.gradient_sum.terms().len())?;
        check_vector("play", x, self.gradient_sum.terms().len())?;
        self.gradient_sum.add(g);
        self.learner_loss = self.learner_loss.plus(Wide::inner(g, x, 0));
        self.rounds += 1;
        Ok(())
    }

    /// Σ⟨g_t, x_t⟩ − min_{u∈K} Σ⟨g_t, u⟩.
    ///
    /// # Errors
    /// A set of another dimension.
    pub fn regret<K: LinearMinimisation>(&self, set: &K) -> Result<Regret, OcoError> {
        // A minimiser does not depend on the unit of the sum.
        let comparator = set.lmo(self.gradient_sum.terms())?;
        let comparator_loss = self.loss_of(&comparator);
        Ok(Regret {
            value: self.learner_loss.minus(comparator_loss).value(),
            learner_loss: self.learner_loss.value(),
            comparator_loss: comparator_loss.value(),
            comparator,
        })
    }

    /// Σ⟨g_t, x_t − u⟩ for a comparator of the caller's.
    ///
    /// # Errors
    /// A comparator of the wrong length or with entries that are not finite.
    pub fn against(&self, comparator: &[f64]) -> Result<f64, OcoError> {
        check_vector("comparator", comparator, self.gradient_sum.terms().len())?;
        Ok(self.learner_loss.minus(self.loss_of(comparator)).value())
    }

    fn loss_of(&self, u: &[f64]) -> Wide {
        Wide::inner(self.gradient_sum.terms(), u, self.gradient_sum.exponent())
    }

    /// T, the rounds booked.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }
}

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
