//! What is counted of a log.

use super::EstimatorSettings;
use super::block::Block;
use super::support::FLOOR;

/// Numbers of rows, and the least propensity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    pub(super) rows: u64,
    /// w_i > M.
    pub(super) clipped: u64,
    /// w_i > τ.
    pub(super) switched: u64,
    /// w_i r_i ≠ 0.
    pub(super) effective_rewards: u64,
    pub(super) at_floor: u64,
    pub(super) least_propensity: f64,
}

impl Default for Counts {
    fn default() -> Self {
        let (rows, clipped, switched, effective_rewards, at_floor) = (0, 0, 0, 0, 0);
        let least_propensity = f64::INFINITY;
        Self { rows, clipped, switched, effective_rewards, at_floor, least_propensity }
    }
}

impl Counts {
    pub(super) fn of(block: &Block, settings: EstimatorSettings) -> Self {
        let (weights, propensities) = (&block.weights[..block.len], &block.propensities[..block.len]);
        let above = |end: Option<f64>| match end {
            Some(end) => weights.iter().map(|w| u64::from(*w > end)).sum(),
            None => 0,
        };
        let rewarded = |(w, r): (&f64, &f64)| u64::from((*w > 0.0) & (*r != 0.0));
        Self {
            rows: weights.len() as u64,
            clipped: above(settings.clip()),
            switched: above(settings.switch()),
            effective_rewards: weights.iter().zip(&block.rewards).map(rewarded).sum(),
            at_floor: propensities.iter().map(|p| u64::from(*p <= FLOOR)).sum(),
            least_propensity: propensities.iter().fold(f64::INFINITY, |m, p| if *p < m { *p } else { m }),
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.clipped += other.clipped;
        self.switched += other.switched;
        self.effective_rewards += other.effective_rewards;
        self.at_floor += other.at_floor;
        self.least_propensity = self.least_propensity.min(other.least_propensity);
    }
}
