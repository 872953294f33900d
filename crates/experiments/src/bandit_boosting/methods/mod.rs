//! The learners of the table, and progressive validation.

use super::task::Halves;
use crate::runner::ExperimentError;
use boosters::feedback::Noise;
use boosters::gradient::{BanditGradientBoosting, OgdBaseline, OnlineGradientBoosting, Queries};
use oco_core::StepSchedule;
use oco_core::losses::{Loss, SquaredLoss};
use projections::BoxSet;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{BanditPredictor, FkmLinear, FullInformationPredictor, LearnerError, OgdLinear, Shape};

/// A learner of the table. The first four are the columns of \[BH20, Table 2\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One weak learner alone, exact gradients.
    Ogd,
    /// Boosting with exact gradients.
    OnlineBoosting,
    /// One weak learner alone, the mean of N noisy one-point estimates.
    NFkm,
    /// Boosting with N noisy one-point estimates.
    BanditBoosting,
    /// N-FKM with one query per round: the estimate given to each weak learner of bandit boosting.
    OneQueryFkm,
    /// OGD on the ball of radius B/γ: the comparator class of boosting, for a single learner.
    OgdLargeBall,
    /// N-FKM on the ball of radius B/γ.
    NFkmLargeBall,
}

impl Method {
    /// All methods in the order of the table. N-FKM comes after the booster whose N it uses.
    pub const ALL: [Self; 7] = [
        Self::Ogd,
        Self::OnlineBoosting,
        Self::BanditBoosting,
        Self::NFkm,
        Self::OneQueryFkm,
        Self::OgdLargeBall,
        Self::NFkmLargeBall,
    ];

    /// Whether the method learns only from noisy loss values.
    pub fn is_bandit(self) -> bool {
        matches!(self, Self::NFkm | Self::OneQueryFkm | Self::BanditBoosting | Self::NFkmLargeBall)
    }

    /// The name in records and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ogd => "OGD",
            Self::OnlineBoosting => "online boosting",
            Self::NFkm => "N-FKM",
            Self::BanditBoosting => "bandit boosting",
            Self::OneQueryFkm => "FKM, one query",
            Self::OgdLargeBall => "OGD, ball B/γ",
            Self::NFkmLargeBall => "N-FKM, ball B/γ",
        }
    }
}

/// The tuned parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Weak learners of a booster, or queries per round of N-FKM; 1 for OGD, which has neither.
    pub n: u32,
    /// The step of round t is lr·t^(−c).
    pub lr: f64,
    /// c.
    pub c: f64,
    /// γ, the advantage of a booster and the divisor of the ball's radius in the last two methods; else 1.
    pub advantage: f64,
}

/// The fixed parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fixed {
    /// δ.
    pub delta: f64,
    /// The noise on every loss value given to a bandit learner.
    pub noise: Noise,
}

/// The average loss of a run, and its learning curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progressive {
    /// Mean squared loss over all examples, each predicted before it was learnt from.
    pub average: f64,
    /// (examples seen, average loss so far) at about forty points, denser early.
    pub curve: Vec<(u64, f64)>,
}

/// Runs a method over the examples in order, each predicted before it is learnt from \[BKL99\]. Y = [−1, 1].
///
/// # Errors
/// A setting that a constructor refuses. A run whose numbers leave the range of doubles is not an error: its
/// average is the largest double, so tuning never picks it.
pub fn progressive(
    method: Method,
    setting: Setting,
    fixed: Fixed,
    halves: &Halves,
    order: &[usize],
    seed: u64,
) -> Result<Progressive, ExperimentError> {
    let Setting { n, lr, c, advantage } = setting;
    let shape = Shape { inputs: halves.features.dimension(), outputs: 1 };
    let set = BoxSet::interval(-1.0, 1.0)?;
    let steps = StepSchedule::power(lr, c)?;
    let learners =
        || (0..n).map(|_| OgdLinear::new(shape, steps, halves.radius)).collect::<Result<Vec<_>, _>>();
    let [directions, noise] = directions_and_noise(seed);
    let radius = halves.radius / advantage;
    let run = match method {
        Method::Ogd | Method::OgdLargeBall => {
            full_information(&mut OgdBaseline::new(shape, set, steps, radius)?, halves, order)
        }
        Method::OnlineBoosting => {
            full_information(&mut OnlineGradientBoosting::new(learners()?, set, advantage)?, halves, order)
        }
        Method::NFkm | Method::OneQueryFkm | Method::NFkmLargeBall => {
            let mut learner = FkmLinear::new(shape, set, steps, radius, fixed.delta, n, directions)?;
            bandit(&mut learner, fixed.noise, noise, halves, order)
        }
        Method::BanditBoosting => {
            let queries = Queries { delta: fixed.delta, rng: directions };
            let mut learner = BanditGradientBoosting::new(learners()?, set, advantage, queries)?;
            bandit(&mut learner, fixed.noise, noise, halves, order)
        }
    };
    Ok(run?)
}

/// Two streams of one seed: the number of drawn directions does not shift the noise.
fn directions_and_noise(seed: u64) -> [ChaCha8Rng; 2] {
    [0, 1].map(|stream| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        rng
    })
}

fn full_information(
    learner: &mut dyn FullInformationPredictor,
    halves: &Halves,
    order: &[usize],
) -> Result<Progressive, LearnerError> {
    average(halves, order, |x, loss| learner.round(x, loss).map(|y| loss.value(y)))
}

/// The learner's only access to the loss is a closure that returns ℓ(y) + w.
fn bandit(
    learner: &mut dyn BanditPredictor,
    noise: Noise,
    mut rng: ChaCha8Rng,
    halves: &Halves,
    order: &[usize],
) -> Result<Progressive, LearnerError> {
    average(halves, order, |x, loss| {
        learner.round(x, &mut |y| loss.value(y) + noise.draw(&mut rng)).map(|y| loss.value(y))
    })
}

/// A refused gradient or answer means that the iterates have overflowed: the run counts as diverged. Any
/// other refusal is an error.
fn average(
    halves: &Halves,
    order: &[usize],
    mut round: impl FnMut(Row<'_>, &SquaredLoss<'_>) -> Result<f64, LearnerError>,
) -> Result<Progressive, LearnerError> {
    let (mut total, mut curve, mut next_mark) = (0.0, Vec::with_capacity(64), 8);
    for (t, &i) in (1_u64..).zip(order) {
        let target = [halves.labels[i]];
        let Some(x) = halves.features.row(i) else { continue };
        match round(x, &SquaredLoss::new(&target)?) {
            Ok(lost) => total += lost,
            Err(LearnerError::NotFinite { .. } | LearnerError::NotFiniteFeedback { .. }) => {
                return Ok(Progressive { average: f64::MAX, curve });
            }
            Err(error) => return Err(error),
        }
        if t == next_mark || t == order.len() as u64 {
            #[allow(clippy::cast_precision_loss, reason = "a count of examples")]
            curve.push((t, total / t as f64));
            next_mark += (next_mark / 4).max(1);
        }
    }
    Ok(Progressive { average: curve.last().map_or(f64::MAX, |(_, average)| *average), curve })
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these numbers are exact")]
mod tests;
