//! Choice of the reported setting: the best on the tuning half.

use super::methods::{Fixed, Method, Setting, progressive};
use super::task::Halves;
use crate::runner::ExperimentError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The grid of candidate values. \[BH20, Appendix E\] gives the ranges lr ∈ [1e−4, 0.1], c ∈ [0.25, 1], N ∈
/// [5, 30].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// Scales of the step.
    pub lr: Vec<f64>,
    /// Exponents of the step.
    pub c: Vec<f64>,
    /// Weak learners.
    pub n: Vec<u32>,
    /// Advantages.
    pub advantage: Vec<f64>,
}

impl Grid {
    /// Half-decades of lr, quarters of c.
    pub fn full() -> Self {
        Self {
            lr: vec![1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1],
            c: vec![0.25, 0.5, 0.75, 1.0],
            n: vec![5, 15, 30],
            advantage: vec![1.0, 0.3, 0.1],
        }
    }

    /// A corner of the full grid, for a quick look.
    pub fn quick() -> Self {
        Self { lr: vec![1e-3, 1e-2, 1e-1], c: vec![0.25, 0.5], n: vec![10], advantage: vec![1.0, 0.3] }
    }

    /// The candidate settings of a method. `boosting_n` is the N chosen by bandit boosting; N-FKM gets the
    /// same.
    fn settings(&self, method: Method, boosting_n: u32) -> Vec<Setting> {
        let n = match method {
            Method::Ogd | Method::OgdLargeBall | Method::OneQueryFkm => &[1][..],
            Method::NFkm | Method::NFkmLargeBall => &[boosting_n],
            Method::OnlineBoosting | Method::BanditBoosting => &self.n,
        };
        let advantage = match method {
            Method::Ogd | Method::NFkm | Method::OneQueryFkm => &[1.0][..],
            _ => &self.advantage,
        };
        let mut settings = Vec::new();
        for &n in n {
            for &advantage in advantage {
                for &lr in &self.lr {
                    settings.extend(self.c.iter().map(|&c| Setting { n, lr, c, advantage }));
                }
            }
        }
        settings
    }
}

/// A setting and its average loss on the tuning half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// The setting.
    pub setting: Setting,
    /// Its progressive loss on the whole tuning half.
    pub loss: f64,
}

/// Shorter prefixes of the tuning half are too noisy to drop a setting.
const SHORTEST_RUNG: usize = 1000;
/// One setting in this many advances to the next rung, which is this many times as long.
const RATIO: usize = 4;

/// A bandit run is noisy, so the least loss of hundreds of settings may be luck. On a short rung the loss is
/// the mean over several draws of directions and noise: enough for this many examples, at most four.
const EXAMPLES_A_SETTING: usize = 10_000;
const MOST_DRAWS: usize = 4;

/// Finds the best setting by successive halving on the tuning half: see `halving`.
///
/// # Errors
/// A setting that a constructor refuses; a grid without a setting.
pub fn tune(
    method: Method,
    grid: &Grid,
    boosting_n: u32,
    fixed: Fixed,
    halves: &Halves,
    seed: u64,
) -> Result<Tuned, ExperimentError> {
    let loss = |setting: &Setting, length: usize| {
        let order = &halves.tuning[..length];
        mean_over_draws(draws(method, length), |draw| {
            let run = progressive(method, *setting, fixed, halves, order, seed.wrapping_add(draw))?;
            Ok::<_, ExperimentError>(run.average)
        })
    };
    halving(grid.settings(method, boosting_n), halves.tuning.len(), loss)?.ok_or(ExperimentError::EmptyGrid)
}

/// The number of draws of directions and noise averaged on a rung of this length.
fn draws(method: Method, length: usize) -> u64 {
    if method.is_bandit() { (EXAMPLES_A_SETTING / length).clamp(1, MOST_DRAWS) as u64 } else { 1 }
}

#[allow(clippy::cast_precision_loss, reason = "at most four draws")]
fn mean_over_draws<E>(draws: u64, average: impl Fn(u64) -> Result<f64, E>) -> Result<f64, E> {
    let mut loss = 0.0;
    for draw in 0..draws {
        // Divided first: the average of a diverged run is the largest double.
        loss += average(draw)? / draws as f64;
    }
    Ok(loss)
}

/// Successive halving. All settings run on the first sixteenth of the `whole` examples, the best quarter on
/// the first quarter, and the best quarter of those on all examples; the result is the best of the last rung.
/// `loss` takes a setting and a number of examples. Sorting is stable, so the result does not depend on the
/// number of threads. `None` without a setting.
fn halving<E: Send>(
    mut settings: Vec<Setting>,
    whole: usize,
    loss: impl Fn(&Setting, usize) -> Result<f64, E> + Sync,
) -> Result<Option<Tuned>, E> {
    let mut rungs: Vec<usize> = vec![whole / (RATIO * RATIO), whole / RATIO];
    rungs.retain(|&length| length >= SHORTEST_RUNG);
    rungs.push(whole);
    let mut ranked: Vec<Tuned> = Vec::new();
    for length in rungs {
        let run = |setting: &Setting| loss(setting, length).map(|loss| Tuned { setting: *setting, loss });
        ranked = settings.par_iter().map(run).collect::<Result<_, _>>()?;
        ranked.sort_by(|a, b| a.loss.total_cmp(&b.loss));
        settings = ranked.iter().take(ranked.len().div_ceil(RATIO)).map(|tuned| tuned.setting).collect();
    }
    Ok(ranked.first().copied())
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests;
