//! How a quantity grows with T: the slope of its logarithm, with an interval from resampled trials.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The summary of the trials of a horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summary {
    /// Their mean.
    Mean,
    /// Their minimum: for timings, the least disturbed trial.
    Least,
}

impl Summary {
    /// The summary; `None` without values.
    #[must_use]
    pub fn of(self, values: impl Iterator<Item = f64>) -> Option<f64> {
        let values: Vec<f64> = values.collect();
        match self {
            Self::Mean => (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
            Self::Least => values.into_iter().min_by(f64::total_cmp),
        }
    }
}

/// An exponent, with the middle 95 % of its bootstrap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponent {
    /// The slope of the logarithm against log T.
    pub slope: f64,
    /// The 2.5 % quantile of the resampled slopes.
    pub low: f64,
    /// The 97.5 % quantile of the resampled slopes.
    pub high: f64,
}

/// The number of fitted horizons, the longest ones; constants and lower orders dominate shorter ones.
pub const FITTED: usize = 6;
const RESAMPLES: u32 = 1000;

/// Fits summary ∝ T^slope by least squares to the longest [`FITTED`] horizons. A row is a trial with one
/// value per horizon; trials are resampled whole. `None` if there are fewer than three horizons, or if a
/// summary of all trials is not positive. In a resample, horizons whose summary is not positive are left out.
///
/// ```
/// use experiments::projection_free::growth::{Summary::Mean, exponent};
/// let horizons = [4.0, 16.0, 64.0];
/// let fit = exponent(&horizons, &[vec![2.0, 4.0, 8.0], vec![4.0, 8.0, 16.0]], Mean, 7).unwrap();
/// assert!((fit.slope - 0.5).abs() < 1e-12 && (fit.high - fit.low).abs() < 1e-12);
/// assert_eq!(exponent(&horizons, &[vec![2.0, -4.0, 8.0]], Mean, 7), None);
/// ```
#[must_use]
pub fn exponent(horizons: &[f64], trials: &[Vec<f64>], summary: Summary, seed: u64) -> Option<Exponent> {
    let skipped = horizons.len().saturating_sub(FITTED);
    let summaries = |of: &[usize]| -> Vec<(f64, f64)> {
        let at = |k: usize| summary.of(of.iter().filter_map(|&i| trials.get(i)?.get(k).copied()));
        horizons.iter().enumerate().skip(skipped).filter_map(|(k, t)| Some((*t, at(k)?))).collect()
    };
    let all = summaries(&(0..trials.len()).collect::<Vec<_>>());
    if all.len() < 3 || all.iter().any(|(_, value)| !(*value > 0.0)) {
        return None;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut slopes: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let drawn: Vec<usize> = trials.iter().map(|_| rng.random_range(0..trials.len())).collect();
            slope(&summaries(&drawn))
        })
        .collect();
    slopes.sort_by(f64::total_cmp);
    let at =
        |share: usize| slopes.get((slopes.len() * share / 1000).min(slopes.len().saturating_sub(1))).copied();
    Some(Exponent { slope: slope(&all)?, low: at(25)?, high: at(975)? })
}

/// The least-squares slope of the logarithms, over the positive points.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(_, value)| *value > 0.0).map(|(t, value)| (t.ln(), value.ln())).collect();
    if logs.len() < 2 {
        return None;
    }
    let n = logs.len() as f64;
    let (x, y) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let spread: f64 = logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    Some(logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread)
}
