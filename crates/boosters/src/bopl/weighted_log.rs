//! The numbers of a log that boosting needs: the action of every row, and its translated reward over its
//! propensity.

use super::BoplError;
use off_policy::Log;
use rows::numeric::LARGEST;
use rows::numeric::exponent_above;
pub(super) use rows::numeric::scale as times_power;

/// a_i and v_i = (r_i + b)/p_i of every row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WeightedLog {
    /// |A|.
    pub(super) actions: usize,
    /// a_i.
    pub(super) logged: Vec<u32>,
    /// p_i.
    pub(super) propensities: Vec<f64>,
    /// r_i/p_i.
    pub(super) untranslated: Vec<f64>,
    /// v_i.
    pub(super) ratios: Vec<f64>,
    /// Whether pair (i, a) is not on offer, at a·n + i; empty where every pair is.
    pub(super) absent: Vec<bool>,
    /// Whether some row has two actions on offer.
    pub(super) has_choice: bool,
}

impl WeightedLog {
    /// # Errors
    /// [`BoplError::BadParameter`] for a translation beyond 1e140, [`BoplError::Importance`] for such a v_i,
    /// r_i/p_i or 1/p_i.
    pub(super) fn new(log: &Log, translation: f64) -> Result<Self, BoplError> {
        if !(translation.abs() <= LARGEST) {
            let domain = "[-1e140, 1e140]";
            return Err(BoplError::BadParameter { name: "translation", value: translation, domain });
        }
        let ratio = |(row, (r, p)): (usize, (&f64, &f64))| {
            let reward = r + translation;
            let v = reward / p;
            // The estimates need r/p and 1/p.
            let is_beyond = |numerator: &f64| !((numerator / p).abs() <= LARGEST);
            match [reward, *r].into_iter().find(is_beyond).or((1.0 / p > LARGEST).then_some(*r)) {
                None => Ok(v),
                Some(reward) => Err(BoplError::Importance { row, reward, propensity: *p }),
            }
        };
        let rows = log.rewards().iter().zip(log.propensities());
        let ratios = rows.clone().enumerate().map(ratio).collect::<Result<_, _>>()?;
        let untranslated = rows.map(|(r, p)| r / p).collect();
        let mut absent = Vec::new();
        if log.action_sets().is_some() {
            let pair = |a: usize| (0..log.len()).map(move |i| !log.on_offer(i).contains(a));
            absent = (0..log.actions()).flat_map(pair).collect();
        }
        let (logged, propensities) = (log.logged_actions().to_vec(), log.propensities().to_vec());
        let has_choice = match log.action_sets() {
            None => log.actions() > 1,
            Some(_) => (0..log.len()).any(|i| log.on_offer(i).len() > 1),
        };
        Ok(Self { actions: log.actions(), logged, propensities, untranslated, ratios, absent, has_choice })
    }

    /// n.
    pub(super) fn len(&self) -> usize {
        self.ratios.len()
    }

    /// −(1/n) Σ max(v_i, 0): a lower bound on the risk of any policy, and its infimum where contexts are
    /// distinct and have two actions.
    pub(super) fn optimal_risk(&self) -> f64 {
        -mean(self.len(), self.ratios.iter().map(|v| v.max(0.0)))
    }
}

/// L̂* = −(1/n) Σ max(r_i + b, 0)/p_i: below the risk of every policy on the translated rewards, and its
/// infimum where contexts are distinct and there are two actions.
///
/// ```
/// use boosters::bopl::optimal_risk;
/// use off_policy::{Log, Rewards};
/// let contexts = rows::RowMatrix::dense(1, vec![0.0, 1.0])?;
/// let log = Log::new(contexts, 2, vec![0, 1], vec![0.5, 0.25], Rewards(vec![1.0, 0.25]))?;
/// assert_eq!(optimal_risk(&log, -0.5)?, -0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BoplError::BadParameter`] for a b that is not finite; [`BoplError::Importance`].
pub fn optimal_risk(log: &Log, translation: f64) -> Result<f64, BoplError> {
    Ok(WeightedLog::new(log, translation)?.optimal_risk())
}

/// The mean of n terms.
pub(super) fn mean(n: usize, terms: impl Iterator<Item = f64>) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    let n = n as f64;
    terms.sum::<f64>() / n
}

/// A 0 for every pair of a row and an action.
///
/// # Errors
/// [`BoplError::TooManyPairs`].
pub(super) fn zeros(log: &Log) -> Result<Vec<f64>, BoplError> {
    let (rows, actions) = (log.len(), log.actions());
    let too_many = BoplError::TooManyPairs { rows, actions };
    let pairs = rows.checked_mul(actions).ok_or_else(|| too_many.clone())?;
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(pairs).map_err(|_| too_many)?;
    zeros.resize(pairs, 0.0);
    Ok(zeros)
}

/// v, or the finite number nearest to it.
pub(super) fn within_range(v: f64) -> f64 {
    v.clamp(f64::MIN, f64::MAX)
}

/// The least k with every |v| < 2^k, or 0 where all are 0.
pub(super) fn exponent_of(values: &[f64]) -> i32 {
    let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    if largest > 0.0 { exponent_above(largest) } else { 0 }
}
