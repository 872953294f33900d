//! The baseline of [L23] that models rewards.

use super::algorithm::NEGLIGIBLE;
use super::ensemble::{check_predictions, check_predictor};
use super::run::LogContexts;
use super::weighted_log::zeros;
use super::{BoplError, BoplStop, PolicyEnsemble};
use off_policy::estimators::RewardModel;
use off_policy::policies::Scores;
use off_policy::{Log, PolicyError, Schema};
use rows::Row;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::pairs::{PairHypothesis, PairLearner, PairRound, PairWeights};

/// Boosted reward regression, BRR-gb of \[L23, Section 5.2\]: gradient boosting of the squared error of
/// predicted rewards on the logged pairs.
///
/// Each round fits f_t to the residuals r_i − F_{t−1}(x_i, a_i) with weight 1 on the logged pairs and 0 on
/// all others, and F_t = F_{t−1} + ηf_t. The policy is the [`Argmax`](off_policy::policies::Argmax) of the
/// ensemble; the ensemble as [`PredictedRewards`] is a model for DM and DR. *Guarantee:* the mean squared
/// error falls by (2ηΣ⟨residual, f⟩ − η²Σf²)/n, up to rounding, whatever the base learner finds; least
/// squares on trees has Σ⟨residual, f⟩ ≥ Σf², so that it never rises for η in (0, 2). *Shapes:* pair (i, a)
/// stands at a·n + i. *Cost:* one training, and O(n); 24 bytes a pair.
///
/// ```
/// use boosters::bopl::{PredictedRewards, RewardRegression};
/// use off_policy::{Log, Rewards, estimators::RewardModel};
/// use rows::{Row, RowMatrix};
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{ExactPairTree, PairGrowth};
/// let contexts = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0])?;
/// let rewards = Rewards(vec![1.0, 0.0, 1.0, 0.0]);
/// let log = Log::new(contexts.clone(), 2, vec![0, 1, 0, 1], vec![0.5; 4], rewards)?;
/// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let learner = ExactPairTree::new(growth);
/// let mut run = RewardRegression::new(&log, learner, 0.5)?;
/// let round = run.round(&SortedColumns::new(contexts)?)?.continue_value().ok_or("ended")?;
/// assert_eq!((round.squared_error, round.decrease), (0.125, 0.375)); // of 1/2
/// let mut q = [0.0; 2];
/// PredictedRewards(run.ensemble()).rewards(Row::dense(&[7.0])?, &mut q)?;
/// assert_eq!(q, [0.5, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RewardRegression<L: PairLearner> {
    rate: f64,
    contexts: LogContexts,
    learner: L,
    ensemble: PolicyEnsemble<L::Hypothesis>,
    /// The place of the logged pair of each row.
    logged: Vec<usize>,
    residuals: Vec<f64>,
    gradients: Vec<f64>,
    weights: Vec<f64>,
    values: Vec<f64>,
    squared_error: f64,
    record: Vec<RegressionRound>,
}

/// The record of a round of reward regression.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegressionRound {
    /// (1/n) Σ (r_i − F(x_i, a_i))² after the round.
    pub squared_error: f64,
    /// Its fall, up to rounding: (2ηΣ⟨residual, f⟩ − η²Σf²)/n.
    pub decrease: f64,
}

impl<L: PairLearner> RewardRegression<L> {
    /// One round on the contexts of the log; it ends where the residuals or the predictions are below 10^−10.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] and [`BoplError::OtherContexts`] for contexts that are not the log's; the
    /// errors of the base learner; predictions or errors that are not finite. The round is then not booked.
    pub fn round(
        &mut self,
        contexts: &L::Contexts,
    ) -> Result<ControlFlow<BoplStop, RegressionRound>, BoplError> {
        let n = self.residuals.len();
        self.contexts.check(contexts)?;
        if is_negligible(&self.residuals) {
            return Ok(ControlFlow::Break(BoplStop::Gradient));
        }
        for (pair, residual) in self.logged.iter().zip(&self.residuals) {
            self.gradients[*pair] = *residual;
        }
        let actions = self.ensemble.actions();
        let round = PairRound::new(n, actions, &self.gradients, PairWeights::OfPairs(&self.weights))?;
        let f = self.learner.train(contexts, &round, &mut self.values)?;
        check_predictor(&f, self.ensemble.inputs(), actions)?;
        check_predictions(&self.values)?;
        if is_negligible(&self.values) {
            return Ok(ControlFlow::Break(BoplStop::Predictions));
        }
        let moved: Vec<f64> = self
            .logged
            .iter()
            .zip(&self.residuals)
            .map(|(pair, r)| r - self.rate * self.values[*pair])
            .collect();
        let squared_error = mean_square(&moved)?;
        let logged = self.logged.iter().map(|pair| self.values[*pair]);
        // r² − (r − ηf)² = ηf(2r − ηf).
        let terms = logged.zip(&self.residuals).map(|(f, r)| self.rate * f * (2.0 * r - self.rate * f));
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let decrease = terms.sum::<f64>() / n as f64;
        (self.residuals, self.squared_error) = (moved, squared_error);
        self.ensemble.push(self.rate, f);
        let round = RegressionRound { squared_error, decrease };
        self.record.push(round);
        Ok(ControlFlow::Continue(round))
    }

    /// A run from F_0 = 0 with the learning rate η.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a rate outside (0, 2), [`BoplError::NotFinite`] for rewards whose
    /// squares are beyond the range of numbers; [`BoplError::TooManyPairs`].
    pub fn new(log: &Log, learner: L, rate: f64) -> Result<Self, BoplError> {
        if !(rate > 0.0 && rate < 2.0) {
            return Err(BoplError::BadParameter { name: "rate", value: rate, domain: "(0, 2)" });
        }
        let n = log.len();
        let residuals = log.rewards().to_vec();
        let squared_error = mean_square(&residuals)?;
        let mut weights = zeros(log)?;
        let logged: Vec<usize> =
            log.logged_actions().iter().enumerate().map(|(i, a)| *a as usize * n + i).collect();
        logged.iter().for_each(|pair| weights[*pair] = 1.0);
        Ok(Self {
            rate,
            contexts: LogContexts::of(log),
            learner,
            ensemble: PolicyEnsemble::start(log)?,
            logged,
            residuals,
            gradients: zeros(log)?,
            weights,
            values: zeros(log)?,
            squared_error,
            record: Vec::new(),
        })
    }

    /// F_t: predicted rewards.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<L::Hypothesis> {
        &self.ensemble
    }

    /// F_t, by value.
    #[must_use]
    pub fn into_ensemble(self) -> PolicyEnsemble<L::Hypothesis> {
        self.ensemble
    }

    /// (1/n) Σ (r_i − F_t(x_i, a_i))².
    #[must_use]
    pub fn squared_error(&self) -> f64 {
        self.squared_error
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[RegressionRound] {
        &self.record
    }
}

/// An ensemble of [`RewardRegression`] as a model of rewards: q(x, a) = F(x, a).
#[derive(Debug, Clone, Copy)]
pub struct PredictedRewards<'a, H>(pub &'a PolicyEnsemble<H>);

impl<H: PairHypothesis> RewardModel for PredictedRewards<'_, H> {
    fn inputs(&self) -> Option<usize> {
        Some(self.0.inputs())
    }

    fn actions(&self) -> usize {
        self.0.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.0.schema()
    }

    fn rewards(&self, x: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        self.0.scores(x, rewards)
    }
}

fn is_negligible(values: &[f64]) -> bool {
    values.iter().all(|v| v.abs() < NEGLIGIBLE)
}

fn mean_square(residuals: &[f64]) -> Result<f64, BoplError> {
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    let mean = residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64;
    if mean.is_finite() {
        Ok(mean)
    } else {
        Err(BoplError::NotFinite { argument: "the squared error", index: 0, value: mean })
    }
}
