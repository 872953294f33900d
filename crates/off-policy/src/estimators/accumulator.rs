//! Six estimators in one pass.

use super::block::{Block, Sums};
use super::support::{FLOOR, Support};
use super::{EstimateError, EstimatorSettings, Observation, OffPolicyEvaluation};

/// Sees the rows of a log once, one by one, and knows all six estimates then.
///
/// Rows are gathered in blocks of 256, whose moments are merged in order. Accumulators of the parts of a log merge as well:
/// parts cut at the same rows and merged in the same order give the same bits, on however many threads they were made.
/// *Memory:* O(1), some 8 KiB. *Cost:* some thirty operations a row.
///
/// ```
/// use off_policy::estimators::{Accumulator, EstimatorSettings, Observation};
/// let mut estimates = Accumulator::new(EstimatorSettings::default(), false);
/// for (target, propensity, reward) in [(0.5, 0.25, 1.0), (0.5, 0.5, 0.0), (0.5, 1.0, 2.0)] {
///     estimates.observe(&Observation { target, propensity, reward, direct: 0.0, predicted: 0.0 })?;
/// }
/// let found = estimates.finish()?;
/// assert_eq!((found.ips.value, found.snips.map(|v| v.value)), (1.0, Some(3.0 / 3.5)));
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Accumulator {
    settings: EstimatorSettings,
    has_model: bool,
    block: Block,
    sums: Sums,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Counts {
    rows: usize,
    clipped: u64,
    switched: u64,
    effective_rewards: u64,
    at_floor: u64,
    least_propensity: f64,
}

impl Accumulator {
    /// Of no rows yet; `has_model` says whether the rows come with what a model predicts.
    #[must_use]
    pub fn new(settings: EstimatorSettings, has_model: bool) -> Self {
        let counts = Counts {
            rows: 0,
            clipped: 0,
            switched: 0,
            effective_rewards: 0,
            at_floor: 0,
            least_propensity: f64::INFINITY,
        };
        Self { settings, has_model, block: Block::EMPTY, sums: Sums::default(), counts }
    }

    /// One more row.
    ///
    /// # Errors
    /// [`EstimateError::NotFinite`], [`EstimateError::Log`] for the propensity, [`EstimateError::BadParameter`] for a
    /// target outside [0, 1], [`EstimateError::Overflow`] of the weight; the row is not counted then.
    pub fn observe(&mut self, row: &Observation) -> Result<(), EstimateError> {
        row.check(self.counts.rows)?;
        self.add(row)
    }

    /// One more row that is known to be in range.
    #[inline]
    pub(super) fn add(&mut self, row: &Observation) -> Result<(), EstimateError> {
        let w = row.weight()?;
        let is_full = self.block.push(row, w);
        let counts = &mut self.counts;
        counts.rows += 1;
        counts.clipped += u64::from(self.settings.clip().is_some_and(|clip| w > clip));
        counts.switched += u64::from(self.settings.switch().is_some_and(|tau| w > tau));
        counts.effective_rewards += u64::from(w > 0.0 && row.reward != 0.0);
        counts.at_floor += u64::from(row.propensity <= FLOOR);
        counts.least_propensity = counts.least_propensity.min(row.propensity);
        if is_full {
            self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) {
        self.sums.merge(self.block.sums(self.settings, self.has_model));
        self.block.len = 0;
    }

    /// The rows of another accumulator behind these.
    ///
    /// # Errors
    /// [`EstimateError::OtherSettings`]; neither has changed then.
    pub fn merge(&mut self, other: &Self) -> Result<(), EstimateError> {
        if self.settings != other.settings || self.has_model != other.has_model {
            return Err(EstimateError::OtherSettings);
        }
        self.flush();
        self.sums.merge(other.sums);
        self.sums.merge(other.block.sums(other.settings, other.has_model));
        let (a, b) = (&mut self.counts, other.counts);
        a.rows += b.rows;
        a.clipped += b.clipped;
        a.switched += b.switched;
        a.effective_rewards += b.effective_rewards;
        a.at_floor += b.at_floor;
        a.least_propensity = a.least_propensity.min(b.least_propensity);
        Ok(())
    }

    /// The number of rows so far.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.counts.rows
    }

    /// The estimates of the rows so far.
    ///
    /// # Errors
    /// [`LogError::Empty`](crate::LogError::Empty), and [`EstimateError::Overflow`] of a result.
    pub fn finish(&self) -> Result<OffPolicyEvaluation, EstimateError> {
        if self.counts.rows == 0 {
            return Err(crate::LogError::Empty.into());
        }
        let mut sums = self.sums;
        sums.merge(self.block.sums(self.settings, self.has_model));
        let of_model = |moments: super::Moments| self.has_model.then(|| moments.estimate()).transpose();
        Ok(OffPolicyEvaluation {
            settings: self.settings,
            ips: sums.ips.estimate()?,
            clipped_ips: sums.clipped.estimate()?,
            snips: sums.self_normalised.estimate()?,
            dm: of_model(sums.direct)?,
            dr: of_model(sums.doubly_robust)?,
            switch_dr: of_model(sums.switched)?,
            clipped_terms: [sums.clipped.least(), sums.clipped.largest()],
            support: self.support(&sums)?,
        })
    }

    fn support(&self, sums: &Sums) -> Result<Support, EstimateError> {
        let (weights, counts) = (sums.weights, self.counts);
        Ok(Support {
            rows: counts.rows as u64,
            mean_weight: weights.mean()?,
            standard_error: weights.standard_error()?,
            max_weight: weights.largest(),
            ess: sums.self_normalised.effective_sample_size()?,
            clipped: counts.clipped,
            switched: counts.switched,
            effective_rewards: counts.effective_rewards,
            least_propensity: counts.least_propensity,
            at_floor: counts.at_floor,
        })
    }
}
