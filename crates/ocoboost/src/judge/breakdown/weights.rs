//! How weights and propensities are spread.

use crate::error::JobError;
use crate::judge::observations::weights;
use off_policy::estimators::Observation;
use serde::Serialize;

/// Histograms of the weights w_i = π(a_i|x_i)/p_i and of the propensities, and the rows with the largest
/// weights.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightsOfRows {
    /// Rows by weight: 0, then up to 1/2, 1, 2, 4, …, 64, and above. Empty bins at the end are left out.
    pub weights: Vec<Bin>,
    /// Rows by propensity, from the largest down: above 0.5, 0.2, 0.1, …, 0.005, 0.001, and the rest. Empty
    /// bins at either end are left out.
    pub propensities: Vec<Bin>,
    /// The five rows with the largest weights, the largest first, as far as weights are not 0.
    pub largest: Vec<LargeWeight>,
}

/// Rows whose number is in (above, `up_to`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// The lower end, which is not in the bin; that of the first bin of weights, {0}, is −∞.
    pub above: f64,
    /// The upper end, which is in the bin; ∞ for the last bin of weights.
    pub up_to: f64,
    /// How many.
    pub rows: u64,
    /// Their share of the sum of all weights; 0 where every weight is 0.
    pub weight_share: f64,
}

/// A row with a large weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LargeWeight {
    /// Its place in the log, from 0 on.
    pub row: usize,
    /// w.
    pub weight: f64,
    /// w/Σw.
    pub share: f64,
    /// p.
    pub propensity: f64,
    /// r.
    pub reward: f64,
}

const WEIGHTS: [f64; 11] = [f64::NEG_INFINITY, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, f64::INFINITY];
const PROPENSITIES: [f64; 10] = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0];
/// The rows with the largest weights.
const LARGEST: usize = 5;

impl WeightsOfRows {
    pub(super) fn of(rows: &[Observation]) -> Result<Self, JobError> {
        let weight = weights(rows)?;
        let sum: f64 = weight.iter().sum();
        let share = |w: f64| if sum > 0.0 { w / sum } else { 0.0 };
        let bin = |above: f64, up_to: f64, value: &dyn Fn(usize) -> f64| {
            let inside = || (0..rows.len()).filter(|i| above < value(*i) && value(*i) <= up_to);
            let weight_share = share(inside().map(|i| weight[i]).sum());
            Bin { above, up_to, rows: inside().count() as u64, weight_share }
        };
        let mut weights: Vec<Bin> =
            WEIGHTS.windows(2).map(|ends| bin(ends[0], ends[1], &|i| weight[i])).collect();
        let mut propensities: Vec<Bin> =
            PROPENSITIES.windows(2).map(|ends| bin(ends[1], ends[0], &|i| rows[i].propensity)).collect();
        for bins in [&mut weights, &mut propensities] {
            let filled = bins.iter().rposition(|bin| bin.rows > 0).map_or(0, |last| last + 1);
            bins.truncate(filled);
        }
        let empty = propensities.iter().take_while(|bin| bin.rows == 0).count();
        propensities.drain(..empty);
        let mut order: Vec<usize> = (0..rows.len()).filter(|i| weight[*i] > 0.0).collect();
        order.sort_by(|a, b| weight[*b].total_cmp(&weight[*a]).then(a.cmp(b)));
        let large = |row: usize| LargeWeight {
            row,
            weight: weight[row],
            share: share(weight[row]),
            propensity: rows[row].propensity,
            reward: rows[row].reward,
        };
        let largest = order.into_iter().take(LARGEST).map(large).collect();
        Ok(Self { weights, propensities, largest })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    #[test]
    fn rows_are_in_the_bins_of_their_numbers() {
        let row = |target: f64, propensity: f64| Observation {
            target,
            propensity,
            reward: 1.0,
            direct: 0.0,
            predicted: 0.0,
        };
        // Weights 0, 2, 2, 5 and 1/2.
        let rows = [row(0.0, 0.3), row(1.0, 0.5), row(0.5, 0.25), row(1.0, 0.2), row(0.2, 0.4)];
        let found = WeightsOfRows::of(&rows).unwrap();
        let counts = |bins: &[Bin]| bins.iter().map(|bin| (bin.up_to, bin.rows)).collect::<Vec<_>>();
        let weights = [(0.0, 1), (0.5, 1), (1.0, 0), (2.0, 2), (4.0, 0), (8.0, 1)];
        assert_eq!(counts(&found.weights), weights);
        assert_eq!(counts(&found.propensities), [(0.5, 4), (0.2, 1)]);
        let shares: f64 = found.weights.iter().map(|bin| bin.weight_share).sum();
        assert!((shares - 1.0).abs() < 1e-12 && (found.weights[3].weight_share - 4.0 / 9.5).abs() < 1e-12);
        let largest: Vec<(usize, f64)> = found.largest.iter().map(|one| (one.row, one.weight)).collect();
        assert_eq!(largest, [(3, 5.0), (1, 2.0), (2, 2.0), (4, 0.5)]);
        // No weight at all.
        let found = WeightsOfRows::of(&rows[..1]).unwrap();
        assert_eq!((counts(&found.weights), found.largest.len()), (vec![(0.0, 1)], 0));
    }
}
