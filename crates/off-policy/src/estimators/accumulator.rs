//! Six estimators in one pass.

use super::block::{Block, Sums};
use super::support::Support;
use super::{EstimateError, EstimatorSettings, Observation, OffPolicyEvaluation};

/// Sees the rows of a log once, one by one, and knows all six estimates then.
///
/// Rows are gathered in blocks of 256, whose moments are merged in order. Accumulators of the parts of a log merge as well:
/// parts cut at the same rows and merged in the same order give the same bits, on however many threads they were made.
/// *Memory:* O(1), some 10 KiB. *Cost:* some thirty operations a row.
///
/// ```
/// use off_policy::estimators::{Accumulator, EstimatorSettings, Observation};
/// let mut estimates = Accumulator::new(EstimatorSettings::default(), false);
/// for (target, propensity, reward) in [(0.5, 0.25, 1.0), (0.5, 0.5, 0.0), (0.5, 1.0, 2.0)] {
///     estimates.observe(&Observation { target, propensity, reward, direct: 0.0, predicted: 0.0 })?;
/// }
/// let found = estimates.finish()?;
/// assert!((found.ips.value - 1.0).abs() < 1e-15);
/// assert!(found.snips.is_some_and(|v| (v.value - 3.0 / 3.5).abs() < 1e-15));
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Accumulator {
    settings: EstimatorSettings,
    has_model: bool,
    block: Block,
    sums: Sums,
}

impl Accumulator {
    /// Of no rows yet; `has_model` says whether the rows come with what a model predicts.
    #[must_use]
    pub fn new(settings: EstimatorSettings, has_model: bool) -> Self {
        Self { settings, has_model, block: Block::EMPTY, sums: Sums::default() }
    }

    /// One more row.
    ///
    /// # Errors
    /// [`EstimateError::NotFinite`], [`EstimateError::Log`] for the propensity, [`EstimateError::BadParameter`] for a
    /// target outside [0, 1], [`EstimateError::Weight`] beyond the largest double, [`EstimateError::OutsideStated`] of
    /// [`StatedRanges`](super::StatedRanges), [`EstimateError::TooManyRows`] beyond 2⁵³; the row is not counted then.
    pub fn observe(&mut self, row: &Observation) -> Result<(), EstimateError> {
        row.check(self.rows())?;
        self.add(row)
    }

    /// One more row that is known to be in range.
    #[inline]
    pub(super) fn add(&mut self, row: &Observation) -> Result<(), EstimateError> {
        let w = row.weight(self.rows())?;
        if let Some(ranges) = self.settings.ranges() {
            ranges.check(self.rows(), row, w, self.has_model)?;
        }
        check_rows(self.counted() + 1)?;
        if self.block.push(row, w) {
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
    /// [`EstimateError::OtherSettings`], [`EstimateError::TooManyRows`] beyond 2⁵³; neither has changed then.
    pub fn merge(&mut self, other: &Self) -> Result<(), EstimateError> {
        if self.settings != other.settings || self.has_model != other.has_model {
            return Err(EstimateError::OtherSettings);
        }
        check_rows(self.counted() + other.counted())?;
        self.flush();
        self.sums.merge(other.sums);
        self.sums.merge(other.block.sums(other.settings, other.has_model));
        Ok(())
    }

    /// The number of rows so far.
    #[must_use]
    pub fn rows(&self) -> usize {
        usize::try_from(self.counted()).unwrap_or(usize::MAX)
    }

    /// The same, at most 2⁵³.
    fn counted(&self) -> u64 {
        self.sums.counts.rows + self.block.len as u64
    }

    /// The estimates of the rows so far.
    ///
    /// # Errors
    /// [`LogError::Empty`](crate::LogError::Empty), and [`EstimateError::Overflow`] of a result.
    pub fn finish(&self) -> Result<OffPolicyEvaluation, EstimateError> {
        if self.rows() == 0 {
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
            snips_covariance: sums.self_normalised.covariance(),
            support: support(&sums)?,
        })
    }
}

/// Rows beyond which a double does not count one by one.
const MOST_ROWS: u64 = 1 << f64::MANTISSA_DIGITS;

fn check_rows(rows: u64) -> Result<(), EstimateError> {
    if rows > MOST_ROWS { Err(EstimateError::TooManyRows { rows, limit: MOST_ROWS }) } else { Ok(()) }
}

fn support(sums: &Sums) -> Result<Support, EstimateError> {
    let (weights, counts) = (sums.weights, sums.counts);
    Ok(Support {
        rows: counts.rows,
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
