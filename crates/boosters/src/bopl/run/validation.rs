//! The value of a run's policies on a held-out log.

use super::replay::add_to_rows;
use crate::bopl::pass::{BLOCK, in_pool};
use crate::bopl::weighted_log::zeros;
use crate::bopl::{BoplError, Member, PolicyEnsemble};
use crate::patience::Patience;
use off_policy::estimators::{Accumulator, Estimate, Estimator, EstimatorSettings, Observation, RewardModel};
use off_policy::policies::{argmax, softmax};
use off_policy::{Log, PolicyError};
use rayon::prelude::*;
use std::borrow::Cow;
use std::fmt;
use weak_learners::pairs::PairHypothesis;
use weak_learners::{Ranks, Shard};

/// The estimated values of F_0, F_1, … on a held-out log, on its rewards without translation, and the
/// patience for no better one.
///
/// A round is better only where its estimate is larger than all before. A missing estimate (SNIPS where every
/// weight is 0) is never better. The estimates depend on the ensemble alone, so that a validation needs not
/// be saved: a new one catches up with a run that is ahead of it, bit for bit, whatever the number of
/// threads. *Cost:* one evaluation of one predictor and one softmax a round; 16 bytes a pair while it
/// follows, and 8 more with a model.
///
/// ```
/// use boosters::bopl::{Member, PolicyEnsemble, Validation};
/// use off_policy::{Log, Rewards};
/// use rows::RowMatrix;
/// use weak_learners::pairs::{PairNode, PairTree};
/// let contexts = RowMatrix::dense(1, vec![0.0, 1.0])?;
/// let log = Log::new(contexts, 2, vec![0, 1], vec![0.5, 0.5], Rewards(vec![0.0, 1.0]))?;
/// let leaf = |value| PairNode::Leaf { value };
/// let split = PairNode::Action { action: 1, others: 1, this: 2 };
/// let predictor = PairTree::new(1, 2, vec![split, leaf(0.0), leaf(1.0)])?;
/// let members = [5.0, -9.0].map(|alpha| Member { alpha, predictor: predictor.clone() });
/// let mut validation = Validation::builder(&log).patience(1).of_argmax().build()?;
/// validation.follow(&PolicyEnsemble::of(1, 2, members.to_vec())?)?;
/// // Action 0 wins the tie of F_0 and pays nothing; F_1 prefers action 1, F_2 does not.
/// let values: Vec<f64> = validation.estimates().iter().flatten().map(|e| e.value).collect();
/// assert_eq!(values, [0.0, 1.0, 0.0]);
/// assert_eq!((validation.best_round(), validation.is_over()), (1, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Validation<'a> {
    log: &'a Log,
    estimator: Estimator,
    settings: EstimatorSettings,
    is_of_argmax: bool,
    /// F(x_i, a) and q(x_i, a), |A| numbers a row; no q without a model.
    scores: Vec<f64>,
    predictions: Cow<'a, [f64]>,
    ranks: Ranks,
    estimates: Vec<Option<Estimate>>,
    patience: Patience,
}

/// Builds a [`Validation`].
#[derive(Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ValidationBuilder<'a> {
    log: &'a Log,
    estimator: Estimator,
    model: Option<&'a dyn RewardModel>,
    predictions: Option<&'a [f64]>,
    settings: EstimatorSettings,
    is_of_argmax: bool,
    ranks: Ranks,
    patience: usize,
    least_rounds: usize,
}

impl<'a> ValidationBuilder<'a> {
    /// The estimator of the value; SNIPS by default.
    pub fn estimator(self, estimator: Estimator) -> Self {
        Self { estimator, ..self }
    }

    /// The model of rewards for DM, DR and SWITCH-DR.
    pub fn model(self, model: &'a dyn RewardModel) -> Self {
        Self { model: Some(model), ..self }
    }

    /// The predicted rewards for DM, DR and SWITCH-DR in place of a model, q̂(x_i, a) at i·|A| + a: for
    /// several validations on one log.
    pub fn predictions(self, predictions: &'a [f64]) -> Self {
        Self { predictions: Some(predictions), ..self }
    }

    /// The thresholds at which weights are clipped and switched.
    pub fn settings(self, settings: EstimatorSettings) -> Self {
        Self { settings, ..self }
    }

    /// Estimates the value of the argmax policy, the policy of \[L23\] at test time, instead of the softmax
    /// policy's.
    pub fn of_argmax(self) -> Self {
        Self { is_of_argmax: true, ..self }
    }

    /// The number of rounds without a better one after which the run is over; 20 by default, `usize::MAX` for
    /// never.
    pub fn patience(self, patience: usize) -> Self {
        Self { patience, ..self }
    }

    /// The number of predictors before which the run is not over, whatever the patience.
    pub fn not_before(self, least_rounds: usize) -> Self {
        Self { least_rounds, ..self }
    }

    /// The log has the rows of this rank among those of all, in whole blocks as
    /// [`PolicyBoosting::of_rank`](crate::bopl::PolicyBoosting::of_rank) says; every rank builds a validation
    /// and follows the run. The estimates are those of one process on all rows, to the bit.
    pub fn of_rank(self, ranks: Ranks) -> Self {
        Self { ranks, ..self }
    }

    /// The validation before the first round.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a patience of 0; [`BoplError::NoModel`] for DM, DR or SWITCH-DR
    /// without a model or predictions; a model of another coding, of other contexts or actions; predictions
    /// of another number, or that are not finite; [`BoplError::TooManyPairs`]; the errors of the ranks.
    pub fn build(self) -> Result<Validation<'a>, BoplError> {
        let Self {
            log,
            estimator,
            model,
            predictions,
            settings,
            is_of_argmax,
            ranks,
            patience,
            least_rounds,
        } = self;
        let here = || -> Result<_, BoplError> {
            let Some(patience) = Patience::new(patience, least_rounds) else {
                return Err(BoplError::BadParameter {
                    name: "patience",
                    value: 0.0,
                    domain: Patience::DOMAIN,
                });
            };
            let needs_model = matches!(estimator, Estimator::Dm | Estimator::Dr | Estimator::SwitchDr);
            let scores = zeros(log)?;
            let predictions = match (predictions, model) {
                (Some(given), _) => Cow::Borrowed(given),
                (None, Some(model)) => Cow::Owned(predictions_of(model, log)?),
                (None, None) if needs_model => {
                    return Err(BoplError::NoModel { estimator: estimator.name() });
                }
                (None, None) => Cow::Borrowed(&[][..]),
            };
            let has_predictions = needs_model || !predictions.is_empty();
            if has_predictions && predictions.len() != scores.len() {
                let (expected, got) = (scores.len(), predictions.len());
                return Err(BoplError::Mismatch { argument: "predictions", unit: "pairs", expected, got });
            }
            if let Some(index) = predictions.iter().position(|q| !q.is_finite()) {
                let value = predictions[index];
                return Err(BoplError::NotFinite { argument: "a predicted reward", index, value });
            }
            Ok((patience, scores, predictions))
        };
        let (patience, scores, predictions) = ranks.agree(here())?;
        Shard::of(ranks.clone(), log.len())?.check_alignment()?;
        let estimates = Vec::new();
        Ok(Validation {
            log,
            estimator,
            settings,
            is_of_argmax,
            scores,
            predictions,
            ranks,
            estimates,
            patience,
        })
    }
}

/// q̂ of every pair of a log, |A| numbers a row.
fn predictions_of(model: &dyn RewardModel, log: &Log) -> Result<Vec<f64>, BoplError> {
    if let (Some(own), Some(of_log)) = (model.schema(), log.schema()) {
        own.check_same(of_log).map_err(PolicyError::from)?;
    }
    if model.actions() != log.actions() {
        let (expected, got) = (log.actions(), model.actions());
        return Err(BoplError::Mismatch { argument: "the model", unit: "actions", expected, got });
    }
    let mut predictions = zeros(log)?;
    model.rewards_of_rows(log.contexts(), 0, &mut predictions)?;
    Ok(predictions)
}

impl fmt::Debug for ValidationBuilder<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            log,
            estimator,
            model,
            predictions,
            settings,
            is_of_argmax,
            ranks,
            patience,
            least_rounds,
        } = self;
        let mut written = out.debug_struct("ValidationBuilder");
        written
            .field("rows", &log.len())
            .field("estimator", estimator)
            .field("has_model", &(model.is_some() || predictions.is_some()));
        written.field("settings", settings).field("is_of_argmax", is_of_argmax).field("ranks", ranks);
        written.field("patience", patience).field("least_rounds", least_rounds).finish()
    }
}

impl<'a> Validation<'a> {
    /// A validation on a held-out log, by default of the softmax policy by SNIPS with a patience of 20
    /// rounds.
    pub fn builder(log: &'a Log) -> ValidationBuilder<'a> {
        ValidationBuilder {
            log,
            estimator: Estimator::Snips,
            model: None,
            predictions: None,
            settings: EstimatorSettings::default(),
            is_of_argmax: false,
            ranks: Ranks::alone(),
            patience: 20,
            least_rounds: 0,
        }
    }

    /// Estimates the values of the rounds since the last call, from F_0 on. The ensemble is that of the same
    /// run in every call.
    ///
    /// # Errors
    /// [`BoplError::Policy`] for an ensemble of another coding than the log's; [`BoplError::Mismatch`] for
    /// one of other contexts or actions, or of fewer rounds than were followed; [`BoplError::NotFinite`] for
    /// scores, [`BoplError::Estimate`] for weights or estimates beyond the range of numbers. The rounds
    /// before stay followed.
    pub fn follow<H: PairHypothesis + Sync>(
        &mut self,
        ensemble: &PolicyEnsemble<H>,
    ) -> Result<(), BoplError> {
        ensemble.check_fit(self.log)?;
        if ensemble.len() + 1 < self.estimates.len() {
            let (expected, got) = (self.estimates.len() - 1, ensemble.len());
            return Err(BoplError::Mismatch { argument: "the ensemble", unit: "rounds", expected, got });
        }
        for t in self.estimates.len()..=ensemble.len() {
            let scores = self.scores.clone();
            let member = t.checked_sub(1).and_then(|t| ensemble.members().get(t));
            match self.estimate_after(member.map(std::slice::from_ref).unwrap_or_default()) {
                Ok(estimate) => self.book(estimate),
                Err(error) => {
                    self.scores = scores;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The estimate after the scores have moved by a member; block by block, merged in the order of all
    /// ranks.
    fn estimate_after<H: PairHypothesis + Sync>(
        &mut self,
        member: &[Member<H>],
    ) -> Result<Option<Estimate>, BoplError> {
        let (log, actions) = (self.log, self.log.actions());
        let has_model = !self.predictions.is_empty();
        let (settings, is_of_argmax, predictions) = (self.settings, self.is_of_argmax, &self.predictions);
        let of_block = |(block, scores): (usize, &mut [f64])| {
            let from = block * BLOCK;
            add_to_rows(member, log.contexts(), from, scores)?;
            let mut seen = Accumulator::new(settings, has_model);
            let mut pi = vec![0.0; actions];
            let rows = (from..).map_while(|i| log.row(i));
            for ((i, row), scores) in (from..).zip(rows).zip(scores.chunks_exact(actions)) {
                if let Some(a) = scores.iter().position(|score| !score.is_finite()) {
                    let (argument, index) = ("a score", i * actions + a);
                    return Err(BoplError::NotFinite { argument, index, value: scores[a] });
                }
                pi.copy_from_slice(scores);
                if is_of_argmax {
                    let best = argmax(scores, row.on_offer);
                    pi.fill(0.0);
                    pi[best] = 1.0;
                } else {
                    softmax(&mut pi, 1.0, row.on_offer);
                }
                let q = predictions.get(i * actions..).unwrap_or_default();
                let direct = row.on_offer.iter().zip(std::iter::repeat(q));
                let direct = direct.filter_map(|(a, q)| Some(pi[a] * q.get(a)?)).sum();
                let predicted = q.get(row.action).copied().unwrap_or_default();
                let (target, propensity, reward) = (pi[row.action], row.propensity, row.reward);
                let counted = seen.observe(&Observation { target, propensity, reward, direct, predicted });
                // A block counts its own rows.
                counted.map_err(|error| error.behind(from))?;
            }
            Ok(seen)
        };
        let length = BLOCK * actions;
        let blocks: Vec<Result<Accumulator, BoplError>> = if in_pool(self.scores.len()) {
            self.scores.par_chunks_mut(length).enumerate().map(of_block).collect()
        } else {
            self.scores.chunks_mut(length).enumerate().map(of_block).collect()
        };
        let mut all = Accumulator::new(settings, has_model);
        if self.ranks.are_several() {
            let mut bytes = Vec::new();
            let own = blocks.into_iter().try_for_each(|block| {
                let words = block?.to_words();
                bytes.extend((words.len() as u64).to_le_bytes());
                words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
                Ok::<(), BoplError>(())
            });
            // The others need not wait for the blocks of a rank that has refused one.
            let gathered = self.ranks.gather_agreed(own.map(|()| bytes))?.concat();
            let mut words = gathered.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
            while let Some(len) = words.next() {
                #[allow(clippy::cast_possible_truncation, reason = "the length of a list")]
                let block: Vec<u64> = words.by_ref().take(len as usize).collect();
                all.merge_words(&block)?;
            }
        } else {
            for block in blocks {
                all.merge(&block?)?;
            }
        }
        Ok(all.finish()?.estimate(self.estimator))
    }

    fn book(&mut self, estimate: Option<Estimate>) {
        self.patience.observe(self.estimates.len(), estimate.map(|estimate| estimate.value));
        self.estimates.push(estimate);
    }

    /// Whether the estimate has not risen for as many rounds as the patience allows.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over_since(0)
    }

    /// Whether it is over for a run that started at F_`start`.
    pub(super) fn is_over_since(&self, start: usize) -> bool {
        self.patience.is_over(self.estimates.len().saturating_sub(1), start)
    }

    /// The t of the largest estimate, the first of equals; 0 where there is no estimate. F_t is the ensemble
    /// to keep: [`PolicyEnsemble::prefix`].
    #[must_use]
    pub fn best_round(&self) -> usize {
        self.patience.best().map_or(0, |(round, _)| round)
    }

    /// The estimates for F_0, F_1, …; `None` for a missing one.
    #[must_use]
    pub fn estimates(&self) -> &[Option<Estimate>] {
        &self.estimates
    }
}
