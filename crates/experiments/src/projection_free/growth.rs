//! How a quantity grows with T: the slope of its logarithm, with an interval from resampled trials.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// An exponent, with the middle 95 % of its bootstrap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponent {
    /// The slope of log mean against log T.
    pub slope: f64,
    /// Where 2.5 % of the resampled slopes lie below.
    pub low: f64,
    /// Where 2.5 % of the resampled slopes lie above.
    pub high: f64,
}

/// The longest horizons that are fitted; shorter ones show constants and lower orders.
pub const FITTED: usize = 6;
const RESAMPLES: u32 = 1000;

/// Fits mean ∝ T^slope by least squares to the longest [`FITTED`] horizons. A row is a trial with a value a horizon; trials are
/// resampled whole. `None` if there are fewer than three horizons, or if a mean over all trials is not positive: then
/// there is no power to fit. A resampled mean that is not positive leaves its horizon out of that resample.
///
/// ```
/// use experiments::projection_free::growth::exponent;
/// let horizons = [4.0, 16.0, 64.0];
/// let fit = exponent(&horizons, &[vec![2.0, 4.0, 8.0], vec![4.0, 8.0, 16.0]], 7).unwrap();
/// assert!((fit.slope - 0.5).abs() < 1e-12 && (fit.high - fit.low).abs() < 1e-12);
/// assert_eq!(exponent(&horizons, &[vec![2.0, -4.0, 8.0]], 7), None);
/// ```
#[must_use]
pub fn exponent(horizons: &[f64], trials: &[Vec<f64>], seed: u64) -> Option<Exponent> {
    let skipped = horizons.len().saturating_sub(FITTED);
    let means = |of: &[usize]| -> Vec<(f64, f64)> {
        let mean = |k: usize| {
            let values = of.iter().filter_map(|&i| trials.get(i)?.get(k));
            values.sum::<f64>() / of.len() as f64
        };
        horizons.iter().enumerate().skip(skipped).map(|(k, t)| (*t, mean(k))).collect()
    };
    let all = means(&(0..trials.len()).collect::<Vec<_>>());
    if all.len() < 3 || all.iter().any(|(_, mean)| !(*mean > 0.0)) {
        return None;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut slopes: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let drawn: Vec<usize> = trials.iter().map(|_| rng.random_range(0..trials.len())).collect();
            slope(&means(&drawn))
        })
        .collect();
    slopes.sort_by(f64::total_cmp);
    let at =
        |share: usize| slopes.get((slopes.len() * share / 1000).min(slopes.len().saturating_sub(1))).copied();
    Some(Exponent { slope: slope(&all)?, low: at(25)?, high: at(975)? })
}

/// The least-squares slope of log mean against log T, over the positive means.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(_, mean)| *mean > 0.0).map(|(t, mean)| (t.ln(), mean.ln())).collect();
    if logs.len() < 2 {
        return None;
    }
    let n = logs.len() as f64;
    let (x, y) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let spread: f64 = logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    Some(logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread)
}
