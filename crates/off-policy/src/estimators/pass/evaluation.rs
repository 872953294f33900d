//! A policy, evaluated on the log of another.

use crate::estimators::definitions::{Estimate, Estimator, EstimatorSettings, Observation};
use crate::estimators::error::EstimateError;
use crate::estimators::observations::{Observations, OnLog, RewardModel, Tables};
use crate::estimators::pass::block::{Block, Sums};
use crate::estimators::support::{Support, SupportWarning};
use crate::log::Log;
use crate::policies::Policy;
use serde::{Deserialize, Serialize};

/// All that one pass over a log says of a policy: six estimates of its value, and whether the log can answer
/// at all.
///
/// *Cost:* one pass; what the policy and the model cost a row.
///
/// ```
/// use off_policy::{Log, Rewards, policies::{Softmax, Tabular}};
/// use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation, TableModel};
/// use rows::RowMatrix;
/// // Two actions drawn evenly; the second always pays 1.
/// let (actions, rewards) = (vec![0, 1, 1, 0], Rewards(vec![0.0, 1.0, 1.0, 0.0]));
/// let log = Log::new(RowMatrix::dense(1, vec![0.0; 4])?, 2, actions, vec![0.5; 4], rewards)?;
/// let policy = Softmax::new(Tabular::new(1, vec![0.0, 3f64.ln()])?, 1.0)?; // plays it with probability 3/4
/// let model = TableModel::new(vec![0.0, 1.0])?;
/// let found = OffPolicyEvaluation::of(&log, &policy, Some(&model), EstimatorSettings::default())?;
/// for (name, value) in found.estimates().map(|(estimator, v)| (estimator.name(), v.value)) {
///     assert!((value - 0.75).abs() < 1e-15, "{name}");
/// }
/// assert!((found.support.ess - 3.2).abs() < 1e-12 && found.warnings().len() == 2); // few rows
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OffPolicyEvaluation {
    /// M and τ, and what was stated of the rows.
    pub settings: EstimatorSettings,
    /// [`Estimator::Ips`].
    pub ips: Estimate,
    /// [`Estimator::ClippedIps`].
    pub clipped_ips: Estimate,
    /// [`Estimator::Snips`]; `None` where every weight is 0.
    pub snips: Option<Estimate>,
    /// [`Estimator::Dm`]; `None` without a model, as the next two.
    pub dm: Option<Estimate>,
    /// [`Estimator::Dr`].
    pub dr: Option<Estimate>,
    /// [`Estimator::SwitchDr`].
    pub switch_dr: Option<Estimate>,
    /// Σw_i²(r_i − V)/(Σw)², V being SNIPS: how the errors w_i(r_i − V) go with the weights. `None` as of
    /// SNIPS.
    pub snips_covariance: Option<f64>,
    /// How the weights are spread.
    pub support: Support,
}

impl OffPolicyEvaluation {
    /// The value of a policy by a log. Without a model there is no DM, DR and SWITCH-DR.
    ///
    /// # Errors
    /// [`EstimateError::Coding`], [`EstimateError::ActionCount`]; [`EstimateError::Policy`],
    /// [`EstimateError::Model`], [`EstimateError::NotADistribution`], [`EstimateError::NotOnOffer`] and
    /// [`EstimateError::NotFinite`] with the row; [`EstimateError::Weight`] and
    /// [`EstimateError::OutsideStated`] with the row, [`EstimateError::Overflow`] of a result.
    pub fn of(
        log: &Log,
        policy: &impl Policy,
        model: Option<&dyn RewardModel>,
        settings: EstimatorSettings,
    ) -> Result<Self, EstimateError> {
        Self::of_observations(&OnLog::new(log, policy, model)?, settings)
    }

    /// The same from tables of π and q.
    ///
    /// # Errors
    /// [`EstimateError::Log`], [`EstimateError::NotFinite`] and [`EstimateError::NotADistribution`] with the
    /// row; [`EstimateError::Weight`] and [`EstimateError::OutsideStated`] with the row,
    /// [`EstimateError::Overflow`] of a result.
    pub fn of_tables(tables: &Tables<'_>, settings: EstimatorSettings) -> Result<Self, EstimateError> {
        Self::of_observations(tables, settings)
    }

    /// The same of any rows, such as those of [`OnCandidates`](crate::candidates::OnCandidates).
    ///
    /// # Errors
    /// Those of [`Observations::visit`]; [`EstimateError::Weight`] and [`EstimateError::OutsideStated`] with
    /// the row, [`EstimateError::Overflow`] of a result.
    pub fn of_observations(
        observations: &impl Observations,
        settings: EstimatorSettings,
    ) -> Result<Self, EstimateError> {
        let mut accumulator = Accumulator::new(settings, observations.has_model());
        observations.visit(|row| accumulator.add(row))?;
        accumulator.finish()
    }

    /// What one estimator says; `None` for SNIPS where every weight is 0, and for the last three without a
    /// model.
    #[must_use]
    pub fn estimate(&self, estimator: Estimator) -> Option<Estimate> {
        match estimator {
            Estimator::Ips => Some(self.ips),
            Estimator::ClippedIps => Some(self.clipped_ips),
            Estimator::Snips => self.snips,
            Estimator::Dm => self.dm,
            Estimator::Dr => self.dr,
            Estimator::SwitchDr => self.switch_dr,
        }
    }

    /// Those that there are, in the order of [`Estimator::ALL`].
    pub fn estimates(&self) -> impl Iterator<Item = (Estimator, Estimate)> {
        Estimator::ALL.into_iter().filter_map(|estimator| Some((estimator, self.estimate(estimator)?)))
    }

    /// SNIPS, where a caller cannot do without.
    ///
    /// # Errors
    /// [`EstimateError::ZeroWeights`].
    pub fn self_normalised(&self) -> Result<Estimate, EstimateError> {
        self.snips.ok_or(EstimateError::ZeroWeights)
    }

    /// What speaks against the log, and against a doubly robust estimate.
    #[must_use]
    pub fn warnings(&self) -> Vec<SupportWarning> {
        let mut warnings = self.support.warnings();
        warnings.extend(self.dr.and_then(|_| self.support.warning_of_doubly_robust()));
        warnings
    }

    /// The same where every reward lies in a range; also the estimates outside of it, by more than rounding.
    #[must_use]
    pub fn warnings_within(&self, [lower, upper]: [f64; 2]) -> Vec<SupportWarning> {
        let slack = 1e-9 * lower.abs().max(upper.abs());
        let is_outside = |value: f64| value < lower - slack || value > upper + slack;
        let outside = self.estimates().filter(|(_, estimate)| is_outside(estimate.value));
        let mut warnings = self.warnings();
        warnings.extend(outside.map(|(estimator, Estimate { value, .. })| SupportWarning::OutOfRange {
            estimator,
            value,
            lower,
            upper,
        }));
        warnings
    }
}

/// Sees the rows of a log once, one by one, and knows all six estimates then.
///
/// Rows are gathered in blocks of 256, whose moments are merged in order. Accumulators of the parts of a log
/// merge as well: parts cut at the same rows and merged in the same order give the same bits, on however many
/// threads they were made.
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
    /// [`EstimateError::NotFinite`], [`EstimateError::Log`] for the propensity,
    /// [`EstimateError::BadParameter`] for a target outside [0, 1], [`EstimateError::Weight`] beyond the
    /// largest double, [`EstimateError::OutsideStated`] of [`StatedRanges`](crate::estimators::StatedRanges),
    /// [`EstimateError::TooManyRows`] beyond 2⁵³; the row is not counted then.
    pub fn observe(&mut self, row: &Observation) -> Result<(), EstimateError> {
        row.check(self.rows())?;
        self.add(row)
    }

    /// One more row that is known to be in range.
    #[inline]
    pub(crate) fn add(&mut self, row: &Observation) -> Result<(), EstimateError> {
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

    /// All that [`merge`](Self::merge) takes from this accumulator, as numbers: for another process, such as
    /// another rank of a training. Some 500 bytes, and as many for rows beyond the last block of 256.
    ///
    /// ```
    /// use off_policy::estimators::{Accumulator, EstimatorSettings, Observation};
    /// let mut here = Accumulator::new(EstimatorSettings::default(), false);
    /// let (mut there, mut merged) = (here.clone(), here.clone());
    /// for (seen, reward) in [(&mut here, 1.0), (&mut there, 0.25)] {
    ///     let row = Observation { target: 0.5, propensity: 0.25, reward, direct: 0.0, predicted: 0.0 };
    ///     seen.observe(&row)?;
    /// }
    /// merged.merge_words(&here.to_words())?;
    /// merged.merge_words(&there.to_words())?;
    /// here.merge(&there)?;
    /// assert_eq!(merged.finish()?, here.finish()?);
    /// assert!(merged.merge_words(&[1, 2, 3]).is_err());
    /// # Ok::<(), off_policy::estimators::EstimateError>(())
    /// ```
    #[must_use]
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        self.sums.write(&mut words);
        if self.block.len > 0 {
            self.block.sums(self.settings, self.has_model).write(&mut words);
        }
        words
    }

    /// The rows of another accumulator of the same settings behind these, from its
    /// [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// [`EstimateError::OtherSettings`] for words that are none of an accumulator,
    /// [`EstimateError::TooManyRows`] beyond 2⁵³; nothing has changed then.
    pub fn merge_words(&mut self, words: &[u64]) -> Result<(), EstimateError> {
        let mut words = words.iter().copied().peekable();
        let mut parts = Vec::new();
        while words.peek().is_some() {
            parts.push(Sums::read(&mut words).ok_or(EstimateError::OtherSettings)?);
        }
        let counted = parts.iter().fold(self.counted(), |all, part| all.saturating_add(part.counts.rows));
        check_rows(counted)?;
        self.flush();
        parts.into_iter().for_each(|part| self.sums.merge(part));
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
