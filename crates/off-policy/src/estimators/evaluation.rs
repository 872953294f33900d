//! A policy, evaluated on the log of another.

use super::{
    Accumulator, Estimate, EstimateError, Estimator, EstimatorSettings, Observations, OnLog, RewardModel,
    Support, SupportWarning, Tables,
};
use crate::Log;
use crate::policies::Policy;
use serde::{Deserialize, Serialize};

/// All that one pass over a log says of a policy: six estimates of its value, and whether the log can answer at all.
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
/// assert!((found.support.ess - 3.2).abs() < 1e-12 && found.warnings().len() == 1); // few rows
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
    /// Σw_i²(r_i − V)/(Σw)², V being SNIPS: how the errors w_i(r_i − V) go with the weights. `None` as of SNIPS.
    pub snips_covariance: Option<f64>,
    /// How the weights are spread.
    pub support: Support,
}

impl OffPolicyEvaluation {
    /// The value of a policy by a log. Without a model there is no DM, DR and SWITCH-DR.
    ///
    /// # Errors
    /// [`EstimateError::Coding`], [`EstimateError::ActionCount`]; [`EstimateError::Policy`], [`EstimateError::Model`],
    /// [`EstimateError::NotADistribution`], [`EstimateError::NotOnOffer`] and [`EstimateError::NotFinite`] with the row;
    /// [`EstimateError::Weight`] and [`EstimateError::OutsideStated`] with the row, [`EstimateError::Overflow`] of a result.
    pub fn of(
        log: &Log,
        policy: &impl Policy,
        model: Option<&dyn RewardModel>,
        settings: EstimatorSettings,
    ) -> Result<Self, EstimateError> {
        Self::over(&OnLog::new(log, policy, model)?, settings)
    }

    /// The same from tables of π and q.
    ///
    /// # Errors
    /// [`EstimateError::Log`], [`EstimateError::NotFinite`] and [`EstimateError::NotADistribution`] with the row;
    /// [`EstimateError::Weight`] and [`EstimateError::OutsideStated`] with the row, [`EstimateError::Overflow`] of a result.
    pub fn of_tables(tables: &Tables<'_>, settings: EstimatorSettings) -> Result<Self, EstimateError> {
        Self::over(tables, settings)
    }

    fn over(observations: &impl Observations, settings: EstimatorSettings) -> Result<Self, EstimateError> {
        let mut accumulator = Accumulator::new(settings, observations.has_model());
        observations.visit(|row| accumulator.add(row))?;
        accumulator.finish()
    }

    /// What one estimator says; `None` for SNIPS where every weight is 0, and for the last three without a model.
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

    /// What speaks against the log.
    #[must_use]
    pub fn warnings(&self) -> Vec<SupportWarning> {
        self.support.warnings()
    }
}
