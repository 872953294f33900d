//! The numbers of a log that boosting needs: the action of every row, and its translated reward over its
//! propensity.

use super::{Bopl, BoplError, PolicyObjective};
use off_policy::Log;
use rows::numeric::LARGEST;
use rows::numeric::exponent_above;
pub(super) use rows::numeric::scale as times_power;
use weak_learners::{RankError, Shard};

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
    /// v_i; with predicted rewards δ_i = (r_i − q̂(x_i, a_i))/p_i.
    pub(super) ratios: Vec<f64>,
    /// The predicted rewards of the doubly robust objective.
    pub(super) predicted: Option<Predicted>,
    /// Whether pair (i, a) is not on offer, at a·n + i; empty where every pair is.
    pub(super) absent: Vec<bool>,
    /// Whether some row of any rank has two actions on offer.
    pub(super) has_choice: bool,
    /// Which rows of all ranks these are.
    pub(super) shard: Shard,
}

/// The doubly robust rewards: q̂ of every pair, and the range of r̃(x_i, a) = q̂(x_i, a) + δ_i·1{a = a_i}
/// over the actions on offer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Predicted {
    /// q̂(x_i, a) + b, where the pair stands.
    pub(super) rewards: Vec<f64>,
    /// max_a q̂ − min_a q̂.
    pub(super) spans_of_model: Vec<f64>,
    /// max_a r̃ − min_a r̃.
    pub(super) spans: Vec<f64>,
    /// min_a r̃.
    pub(super) least: Vec<f64>,
    /// max_a r̃.
    pub(super) most: Vec<f64>,
}

impl Predicted {
    /// Of no row yet, with q̂ + b of every pair.
    pub(super) fn with_rewards(rewards: Vec<f64>, n: usize) -> Self {
        let room = || Vec::with_capacity(n);
        Self { rewards, spans_of_model: room(), spans: room(), least: room(), most: room() }
    }

    /// Books the next row: q̂ of the actions on offer, of which one was logged, b, and δ_i.
    pub(super) fn include_row(
        &mut self,
        on_offer: impl Iterator<Item = (bool, f64)>,
        (translation, delta): (f64, f64),
    ) {
        let (mut of_model, mut of_both) = (Range::NOTHING, Range::NOTHING);
        for (is_logged, q) in on_offer {
            of_model.include(q);
            of_both.include(q + translation + if is_logged { delta } else { 0.0 });
        }
        self.spans_of_model.push(of_model.most - of_model.least);
        self.spans.push(of_both.most - of_both.least);
        self.least.push(of_both.least);
        self.most.push(of_both.most);
    }
}

impl WeightedLog {
    /// With v_i = (r_i + b)·w_i for these weights.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a translation beyond 1e140, [`BoplError::Importance`] for such a v_i,
    /// r_i/p_i or 1/p_i.
    pub(super) fn new(log: &Log, translation: f64, weights: ImportanceWeights) -> Result<Self, BoplError> {
        let (ratios, untranslated) = ratios(log.rewards(), log.propensities(), translation, weights)?;
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
        let (actions, predicted, shard) = (log.actions(), None, Shard::whole(log.len()));
        Ok(Self { actions, logged, propensities, untranslated, ratios, predicted, absent, has_choice, shard })
    }

    /// The same as the rows of a rank.
    ///
    /// # Errors
    /// [`RankError::Unaligned`], and those of the ranks.
    pub(super) fn among(self, shard: Shard) -> Result<Self, RankError> {
        shard.check_alignment()?;
        let has_choice = shard.ranks().any(self.has_choice)?;
        Ok(Self { has_choice, shard, ..self })
    }

    /// The log with predicted rewards: q̂(x_i, a) at i·|A| + a.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] for a table of another size, [`BoplError::NotFinite`] for a prediction beyond
    /// 1e140, [`BoplError::Importance`] for such a δ_i; [`BoplError::TooManyPairs`].
    pub(super) fn with_predictions(
        self,
        log: &Log,
        predictions: &[f64],
        (translation, weights): (f64, ImportanceWeights),
    ) -> Result<Self, BoplError> {
        let (n, actions) = (self.len(), self.actions);
        let rewards = zeros(log)?;
        if predictions.len() != rewards.len() {
            let (expected, got) = (rewards.len(), predictions.len());
            return Err(BoplError::Mismatch { argument: "predictions", unit: "pairs", expected, got });
        }
        check_predicted(predictions)?;
        let (mut ratios, mut predicted) = (Vec::with_capacity(n), Predicted::with_rewards(rewards, n));
        for (i, q) in predictions.chunks_exact(actions).enumerate() {
            let logged = self.logged[i] as usize;
            let delta = weights.residual(i, (log.rewards()[i], q[logged]), self.propensities[i])?;
            ratios.push(delta);
            for (a, q) in q.iter().enumerate() {
                predicted.rewards[a * n + i] = q + translation;
            }
            let is_on_offer = |a: usize| self.absent.is_empty() || !self.absent[a * n + i];
            let on_offer = q.iter().enumerate().filter(|(a, _)| is_on_offer(*a));
            predicted.include_row(on_offer.map(|(a, q)| (a == logged, *q)), (translation, delta));
        }
        Ok(Self { ratios, predicted: Some(predicted), ..self })
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.ratios.len()
    }

    /// n, the number of rows of all ranks.
    pub(super) fn n(&self) -> usize {
        self.shard.total()
    }

    /// The mean of the least losses, which are −max(v_i, 0) for BOPL and BOPL-S, and −max_a r̃(x_i, a) where
    /// rewards were predicted: a lower bound on the risk of any policy, and its infimum where contexts are
    /// distinct and have two actions.
    ///
    /// # Errors
    /// Those of the ranks.
    pub(super) fn optimal_risk<O: PolicyObjective>(&self, objective: O) -> Result<f64, RankError> {
        // The loss falls with π where v ≥ 0, and is 0 at π = 0 elsewhere.
        let least = |v: &f64| if *v > 0.0 { objective.loss(*v, 1.0, 0.0) } else { 0.0 };
        // Row by row, so that the sum of all ranks is that of one process.
        let ranks = self.shard.ranks();
        let [sum] = match &self.predicted {
            None => ranks.sum_of_rows([-0.0], self.ratios.iter().map(|v| [least(v)])),
            Some(predicted) => ranks.sum_of_rows([-0.0], predicted.most.iter().map(|most| [*most])),
        }?;
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let mean = sum / self.n() as f64;
        Ok(if self.predicted.is_some() { -mean } else { mean })
    }

    /// max_a r̃ − min_a r̃ of every row, up to its sign: v_i unless rewards were predicted.
    pub(super) fn spans(&self) -> &[f64] {
        self.predicted.as_ref().map_or(&self.ratios, |predicted| &predicted.spans)
    }
}

/// v_i = (r_i + b)·w_i for these weights, and r_i/p_i.
///
/// # Errors
/// [`BoplError::BadParameter`] for a translation beyond 1e140, [`BoplError::Importance`] for such a v_i,
/// r_i/p_i or 1/p_i.
pub(super) fn ratios(
    rewards: &[f64],
    propensities: &[f64],
    translation: f64,
    weights: ImportanceWeights,
) -> Result<(Vec<f64>, Vec<f64>), BoplError> {
    if !(translation.abs() <= LARGEST) {
        let domain = "[-1e140, 1e140]";
        return Err(BoplError::BadParameter { name: "translation", value: translation, domain });
    }
    let ratio = |(row, (r, p)): (usize, (&f64, &f64))| {
        let reward = r + translation;
        let v = weights.times(reward, *p);
        // The estimates need r/p and 1/p.
        let is_beyond = |numerator: &f64| !((numerator / p).abs() <= LARGEST);
        match [reward, *r].into_iter().find(is_beyond).or((1.0 / p > LARGEST).then_some(*r)) {
            None => Ok(v),
            Some(reward) => Err(BoplError::Importance { row, reward, propensity: *p }),
        }
    };
    let rows = rewards.iter().zip(propensities);
    let ratios = rows.clone().enumerate().map(ratio).collect::<Result<_, _>>()?;
    Ok((ratios, rows.map(|(r, p)| r / p).collect()))
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
    let weighted = WeightedLog::new(log, translation, ImportanceWeights::default())?;
    Ok(weighted.optimal_risk(Bopl)?)
}

struct Range {
    least: f64,
    most: f64,
}

impl Range {
    const NOTHING: Self = Self { least: f64::INFINITY, most: f64::NEG_INFINITY };

    fn include(&mut self, x: f64) {
        (self.least, self.most) = (self.least.min(x), self.most.max(x));
    }
}

/// Whether all predicted rewards are in range.
///
/// # Errors
/// [`BoplError::NotFinite`].
pub(super) fn check_predicted(predictions: &[f64]) -> Result<(), BoplError> {
    match predictions.iter().position(|q| !(q.abs() <= LARGEST)) {
        Some(index) => {
            let value = predictions[index];
            Err(BoplError::NotFinite { argument: "a predicted reward", index, value })
        }
        None => Ok(()),
    }
}

/// w = min(1/p, M), and 0 where 1/p > τ.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ImportanceWeights {
    /// M.
    pub(super) clip: Option<f64>,
    /// τ.
    pub(super) switch: Option<f64>,
}

impl ImportanceWeights {
    /// δ_i = (r_i − q̂(x_i, a_i))·w_i.
    ///
    /// # Errors
    /// [`BoplError::Importance`] beyond 1e140.
    pub(super) fn residual(
        self,
        row: usize,
        (reward, predicted): (f64, f64),
        propensity: f64,
    ) -> Result<f64, BoplError> {
        let reward = reward - predicted;
        let delta = self.times(reward, propensity);
        if delta.abs() <= LARGEST {
            Ok(delta)
        } else {
            Err(BoplError::Importance { row, reward, propensity })
        }
    }

    /// r·w.
    fn times(self, reward: f64, p: f64) -> f64 {
        if self.switch.is_some_and(|most| 1.0 / p > most) {
            return 0.0;
        }
        reward / self.clip.map_or(p, |most| p.max(1.0 / most))
    }
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
    zeros_of(log.len(), log.actions())
}

/// The same for so many rows and actions.
///
/// # Errors
/// [`BoplError::TooManyPairs`].
pub(super) fn zeros_of(rows: usize, actions: usize) -> Result<Vec<f64>, BoplError> {
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
