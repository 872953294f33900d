//! The baseline of [L23] that models rewards.

use super::algorithm::NEGLIGIBLE;
use super::ensemble::{check_predictions, check_predictor};
use super::pass::largest;
use super::run::{LogContexts, check_reproduced};
use super::weighted_log::zeros;
use super::{Along, BoplError, BoplStop, Member, PolicyEnsemble};
use crate::patience::Patience;
use off_policy::estimators::RewardModel;
use off_policy::policies::Scores;
use off_policy::{Log, PolicyError, Schema};
use rows::numeric::LARGEST;
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::pairs::{PairHypothesis, PairLearner, PairRound, PairWeights};
use weak_learners::{RankError, Ranks, Shard};

/// Boosted reward regression, BRR of \[L23, Section 5.2\]: gradient boosting of the squared or the logistic
/// loss of predicted rewards on the logged pairs.
///
/// Each round fits f_t to the gradient with weight w_i on the logged pairs and 0 on all others, and F_t =
/// F_{t−1} + α_tf_t. The policy is the [`Argmax`](off_policy::policies::Argmax) of the ensemble. *Shapes:*
/// pair (i, a) stands at a·n + i. *Cost:* one training, and O(n); 24 bytes a pair.
///
/// *Squared loss* ([`new`](Self::new)), BRR-gb: residuals r_i − F(x_i, a_i), w_i = 1, α_t = η. *Guarantee:*
/// the mean squared error falls by (2ηΣ⟨residual, f⟩ − η²Σf²)/n, up to rounding, whatever the base learner
/// finds; least squares on trees has Σ⟨residual, f⟩ ≥ Σf², so that it never rises for η in (0, 2). The
/// ensemble as [`PredictedRewards`] is a model for DM and DR.
///
/// *Logistic loss* ([`logistic`](Self::logistic)) for rewards in [0, 1], such as clicks: with q = 1/(1 +
/// e^−F), residuals r_i − q_i and w_i = q_i(1 − q_i), so that trees take Newton steps. α_t is the minimum on
/// [−η, η] of the quadratic above the loss along f_t that [`Along`] has for two actions with the scores F and
/// 0. *Guarantee:* the mean loss falls by at least (αU − α²Q/2)/n with U = Σ⟨residual, f⟩ and Q the sum of
/// the curvatures, whatever the base learner finds. The model is [`PredictedProbabilities`].
///
/// *Ranks:* the rows may be those of several ranks ([`of_rank`](Self::of_rank),
/// [`logistic_of_rank`](Self::logistic_of_rank)), each a run behind those of the ranks before. The rounds,
/// the ensemble and the record are those of one process on all rows, to the bit. *Base learner:* as
/// [`PolicyBoosting::of_rank`](super::PolicyBoosting::of_rank) says. *Messages of a round:* those of the
/// tree, three small ones, and 16 bytes from rank to rank; the logistic loss sends 8 more so. Sums are row
/// by row, and their additions alone wait for the ranks before.
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
/// assert_eq!((round.loss, round.decrease), (0.125, 0.375)); // of 1/2
/// let mut q = [0.0; 2];
/// PredictedRewards(run.ensemble()).rewards(Row::dense(&[7.0])?, &mut q)?;
/// assert_eq!(q, [0.5, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RewardRegression<L: PairLearner> {
    rate: f64,
    contexts: LogContexts,
    /// Which rows of all ranks these are.
    shard: Shard,
    learner: L,
    ensemble: PolicyEnsemble<L::Hypothesis>,
    /// The place of the logged pair of each row.
    logged: Vec<usize>,
    /// r − F, or r − q.
    residuals: Vec<f64>,
    /// The rewards and F of the logged pairs, for the logistic loss alone.
    logistic: Option<Logistic>,
    /// The numbers of the logged pairs after a round that is not booked yet.
    moved: Vec<f64>,
    gradients: Vec<f64>,
    weights: Vec<f64>,
    values: Vec<f64>,
    loss: f64,
    record: Vec<RegressionRound>,
}

#[derive(Debug, Clone)]
struct Logistic {
    rewards: Vec<f64>,
    scores: Vec<f64>,
}

/// The record of a round of reward regression.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegressionRound {
    /// The mean loss after the round: (1/n) Σ (r_i − F(x_i, a_i))², or (1/n) Σ (ln(1 + e^F) − r_iF).
    pub loss: f64,
    /// Its fall: for the squared loss (2ηΣ⟨residual, f⟩ − η²Σf²)/n, up to rounding; for the logistic loss at
    /// least this.
    pub decrease: f64,
}

impl<L: PairLearner> RewardRegression<L> {
    /// One round on the contexts of the log; it ends where the residuals or the predictions are below 10^−10,
    /// or no step along the predictions lowers the logistic loss.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] and [`BoplError::OtherContexts`] for contexts that are not the log's; the
    /// errors of the base learner; predictions or losses that are not finite. The round is then not booked.
    pub fn round(
        &mut self,
        contexts: &L::Contexts,
    ) -> Result<ControlFlow<BoplStop, RegressionRound>, BoplError> {
        let (n, actions, ranks) = (self.residuals.len(), self.ensemble.actions(), self.shard.ranks());
        for ((i, pair), residual) in self.logged.iter().enumerate().zip(&self.residuals) {
            self.gradients[*pair] = *residual;
            if let Some(Logistic { scores, .. }) = &self.logistic {
                let [q, rest] = both(scores[i]);
                self.weights[*pair] = (q * rest).max(LEAST_WEIGHT);
            }
        }
        let weights = PairWeights::OfPairs(&self.weights);
        let round = self.contexts.check(contexts).and_then(|()| {
            Ok(match ranks.are_several() {
                false => PairRound::new(n, actions, &self.gradients, weights)?,
                true => PairRound::of_rank(n, actions, &self.gradients, weights)?,
            })
        });
        let round = ranks.agree(round)?;
        if !ranks.any(!is_negligible(&self.residuals))? {
            return Ok(ControlFlow::Break(BoplStop::Gradient));
        }
        let f = self.learner.train(contexts, &round, &mut self.values)?;
        check_predictor(&f, self.ensemble.inputs(), actions)?;
        let [largest] = ranks.largest([largest(&self.values)])?;
        if !(largest <= LARGEST) {
            ranks.agree(check_predictions(&self.values))?;
        }
        if largest < NEGLIGIBLE {
            return Ok(ControlFlow::Break(BoplStop::Predictions));
        }
        let (alpha, round) = match &self.logistic {
            None => self.least_squares()?,
            Some(logistic) => {
                let (alpha, decrease) = self.newton(logistic)?;
                if alpha == 0.0 {
                    return Ok(ControlFlow::Break(BoplStop::Alpha));
                }
                let places = self.logged.iter().zip(&logistic.scores);
                self.moved.clear();
                self.moved.extend(places.map(|(pair, score)| score + alpha * self.values[*pair]));
                let loss = mean_logistic(&self.shard, &logistic.rewards, &self.moved)?;
                (alpha, RegressionRound { loss, decrease })
            }
        };
        // Booked from here on.
        match &mut self.logistic {
            None => std::mem::swap(&mut self.residuals, &mut self.moved),
            Some(Logistic { rewards, scores }) => {
                std::mem::swap(scores, &mut self.moved);
                let rows = rewards.iter().zip(&*scores);
                for (residual, (r, score)) in self.residuals.iter_mut().zip(rows) {
                    *residual = r - probability(*score);
                }
            }
        }
        self.loss = round.loss;
        self.ensemble.push(alpha, f);
        self.record.push(round);
        Ok(ControlFlow::Continue(round))
    }

    /// η, with the residuals that it leaves.
    fn least_squares(&mut self) -> Result<(f64, RegressionRound), BoplError> {
        let Self { rate, shard, logged, residuals, moved, values, .. } = self;
        let rate = *rate;
        moved.clear();
        moved.extend(logged.iter().zip(&*residuals).map(|(pair, r)| r - rate * values[*pair]));
        let rows = logged.iter().map(|pair| values[*pair]).zip(&*residuals).zip(&*moved);
        // r² − (r − ηf)² = ηf(2r − ηf).
        let terms = rows.map(|((f, r), moved)| [moved * moved, rate * f * (2.0 * r - rate * f)]);
        let [squares, falls] = shard.ranks().sum_of_rows([-0.0; 2], terms)?;
        let [loss, decrease] = [squares, falls].map(|sum| sum / rows_of(shard));
        let loss = finite("the squared error", loss)?;
        Ok((rate, RegressionRound { loss, decrease }))
    }

    /// α and the guaranteed fall of the mean logistic loss.
    fn newton(&self, logistic: &Logistic) -> Result<(f64, f64), RankError> {
        let rows = self.logged.iter().zip(&self.residuals).zip(&logistic.scores);
        let terms = rows.map(|((pair, residual), score)| {
            let f = self.values[*pair];
            let [pi, rest] = both(*score);
            let along = Along { pi, rest, variance: pi * rest * f * f, range: f.abs(), eta: self.rate };
            [residual * f, along.of_logarithm()]
        });
        let [slope, curvature] = self.shard.ranks().sum_of_rows([0.0; 2], terms)?;
        if curvature <= 0.0 || slope == 0.0 {
            return Ok((0.0, 0.0));
        }
        let alpha = (slope / curvature).clamp(-self.rate, self.rate);
        let decrease = alpha * (slope - 0.5 * alpha * curvature) / rows_of(&self.shard);
        Ok((alpha, decrease))
    }

    /// Rounds until the mean loss on the held-out log has not fallen for as many as the patience allows.
    /// Rounds that were played before count. On several ranks the held-out log has the held-out rows of this
    /// one, behind those of the ranks before, and every rank stops at the same round.
    ///
    /// # Errors
    /// [`BoplError::Policy`] for a held-out log of another coding; [`BoplError::Mismatch`] for one of other
    /// contexts or actions; [`BoplError::BadParameter`] for rewards outside [0, 1] under the logistic loss;
    /// [`BoplError::NotFinite`] for a held-out loss; those of [`round`](Self::round). The rounds before
    /// stand.
    pub fn fit(
        &mut self,
        contexts: &L::Contexts,
        stopping: &EarlyStopping<'_>,
    ) -> Result<StoppedEarly, BoplError> {
        self.fit_watched(contexts, stopping, |_| ControlFlow::Continue(()))
    }

    /// The same with a watcher that sees the number of rounds after each new one, and may end the run: the
    /// run of all ranks, where there are several.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(
        &mut self,
        contexts: &L::Contexts,
        stopping: &EarlyStopping<'_>,
        mut watch: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<StoppedEarly, BoplError> {
        let EarlyStopping { held_out, rounds, ref patience } = *stopping;
        let (is_logistic, ranks) = (self.logistic.is_some(), self.shard.ranks().clone());
        let check = self.ensemble.check_fit(held_out);
        ranks.agree(check.and_then(|()| if is_logistic { check_probabilities(held_out) } else { Ok(()) }))?;
        let shard = Shard::of(ranks.clone(), held_out.len())?;
        // F, or the residuals of the squared loss.
        let mut numbers = if is_logistic { vec![0.0; held_out.len()] } else { held_out.rewards().to_vec() };
        let sign = if is_logistic { 1.0 } else { -1.0 };
        let mut patience = patience.clone();
        let (mut followed, mut stop, mut is_watched) = (0, BoplStop::Rounds, false);
        loop {
            let found = if is_logistic {
                mean_logistic(&shard, held_out.rewards(), &numbers)?
            } else {
                mean_square(&shard, &numbers)?
            };
            patience.observe(followed, Some(-found));
            if patience.is_over(followed, 0) {
                stop = BoplStop::Patience;
                break;
            }
            if followed == self.ensemble.len() {
                if followed >= rounds {
                    break;
                }
                if std::mem::replace(&mut is_watched, true) && ranks.any(watch(followed).is_break())? {
                    stop = BoplStop::Watcher;
                    break;
                }
                if let ControlFlow::Break(reason) = self.round(contexts)? {
                    stop = reason;
                    break;
                }
            }
            let Some(Member { alpha, predictor }) = self.ensemble.members().get(followed) else { break };
            for (number, row) in numbers.iter_mut().zip(held_out.iter()) {
                *number += sign * alpha * predictor.score(row.context, row.action)?;
            }
            followed += 1;
        }
        let (best_round, negative) = patience.best().unwrap_or((0, 0.0));
        Ok(StoppedEarly { best_round, held_out_loss: -negative, stop })
    }

    /// A run of the squared loss from F_0 = 0 with the learning rate η.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a rate outside (0, 2), [`BoplError::NotFinite`] for rewards whose
    /// squares are beyond the range of numbers; [`BoplError::TooManyPairs`].
    pub fn new(log: &Log, learner: L, rate: f64) -> Result<Self, BoplError> {
        Self::of_rank(log, learner, rate, Ranks::alone())
    }

    /// The same run on the rows of all ranks, of which this log has those of one.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`LearnerError::Ranks`](weak_learners::LearnerError::Ranks).
    pub fn of_rank(log: &Log, learner: L, rate: f64, ranks: Ranks) -> Result<Self, BoplError> {
        Self::start(log, learner, rate, (false, ranks))
    }

    /// A run of the logistic loss from F_0 = 0, where every reward is predicted to be ½, with the learning
    /// rate η.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a rate outside (0, 2), or a reward outside [0, 1];
    /// [`BoplError::TooManyPairs`].
    pub fn logistic(log: &Log, learner: L, rate: f64) -> Result<Self, BoplError> {
        Self::logistic_of_rank(log, learner, rate, Ranks::alone())
    }

    /// The same run on the rows of all ranks, of which this log has those of one.
    ///
    /// # Errors
    /// As [`logistic`](Self::logistic), and [`LearnerError::Ranks`](weak_learners::LearnerError::Ranks).
    pub fn logistic_of_rank(log: &Log, learner: L, rate: f64, ranks: Ranks) -> Result<Self, BoplError> {
        Self::start(log, learner, rate, (true, ranks))
    }

    fn start(
        log: &Log,
        learner: L,
        rate: f64,
        (is_logistic, ranks): (bool, Ranks),
    ) -> Result<Self, BoplError> {
        let checked = if is_logistic { check_probabilities(log) } else { Ok(()) };
        let room = checked.and_then(|()| {
            if !(rate > 0.0 && rate < 2.0) {
                return Err(BoplError::BadParameter { name: "rate", value: rate, domain: "(0, 2)" });
            }
            Ok((PolicyEnsemble::start(log)?, zeros(log)?, zeros(log)?, zeros(log)?))
        });
        let (ensemble, gradients, mut weights, values) = ranks.agree(room)?;
        let (n, rewards) = (log.len(), log.rewards());
        let shard = Shard::of(ranks, n)?;
        let (residuals, logistic, loss) = if is_logistic {
            let (rewards, scores) = (rewards.to_vec(), vec![0.0; n]);
            let loss = mean_logistic(&shard, &rewards, &scores)?;
            (rewards.iter().map(|r| r - 0.5).collect(), Some(Logistic { rewards, scores }), loss)
        } else {
            (rewards.to_vec(), None, mean_square(&shard, rewards)?)
        };
        let logged: Vec<usize> =
            log.logged_actions().iter().enumerate().map(|(i, a)| *a as usize * n + i).collect();
        logged.iter().for_each(|pair| weights[*pair] = 1.0);
        Ok(Self {
            rate,
            contexts: LogContexts::of(log, shard.clone()),
            shard,
            learner,
            ensemble,
            logged,
            residuals,
            logistic,
            moved: Vec::with_capacity(n),
            gradients,
            weights,
            values,
            loss,
            record: Vec::new(),
        })
    }

    /// F_t: predicted rewards, or their log-odds.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<L::Hypothesis> {
        &self.ensemble
    }

    /// F_t, by value.
    #[must_use]
    pub fn into_ensemble(self) -> PolicyEnsemble<L::Hypothesis> {
        self.ensemble
    }

    /// The mean loss, as in [`RegressionRound`].
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// The rounds so far.
    #[must_use]
    pub fn record(&self) -> &[RegressionRound] {
        &self.record
    }
}

/// A run between two rounds, to be saved: the base learner with its random stream, the ensemble and the
/// record.
///
/// Residuals are not saved but replayed from the ensemble. *Guarantee:* with the same log and contexts the
/// continued run is bit for bit the run that was not stopped. *Checked:* the weights, and the loss of every
/// round against the replay. *Cost:* resuming evaluates every predictor on every logged pair.
///
/// ```
/// use boosters::bopl::{RegressionCheckpoint, RewardRegression};
/// use off_policy::{Log, Rewards};
/// use rows::RowMatrix;
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{ExactPairTree, PairGrowth};
/// let contexts = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0])?;
/// let rewards = Rewards(vec![1.0, 0.0, 1.0, 0.0]);
/// let log = Log::new(contexts.clone(), 2, vec![0, 1, 0, 1], vec![0.5; 4], rewards)?;
/// let columns = SortedColumns::new(contexts)?;
/// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let mut run = RewardRegression::new(&log, ExactPairTree::new(growth), 0.5)?;
/// assert!(run.round(&columns)?.is_continue());
/// let file = serde_json::to_string(&run.checkpoint())?;
/// let checkpoint: RegressionCheckpoint<ExactPairTree> = serde_json::from_str(&file)?;
/// let mut resumed = checkpoint.resume(&log)?;
/// assert_eq!(resumed.round(&columns)?, run.round(&columns)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "L: Serialize, L::Hypothesis: Serialize",
    deserialize = "L: Deserialize<'de>, L::Hypothesis: Deserialize<'de>"
))]
pub struct RegressionCheckpoint<L: PairLearner> {
    rate: f64,
    is_logistic: bool,
    learner: L,
    ensemble: PolicyEnsemble<L::Hypothesis>,
    record: Vec<RegressionRound>,
}

impl<L: PairLearner> RegressionCheckpoint<L> {
    /// F_t.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<L::Hypothesis> {
        &self.ensemble
    }

    /// The run between the same two rounds, on the log that it was trained on.
    ///
    /// # Errors
    /// [`BoplError::NotReproduced`] where the weights or the losses are not those of the log and the
    /// ensemble; [`BoplError::Mismatch`] for an ensemble of other contexts or actions, or a record of another
    /// length; the errors of [`RewardRegression::new`].
    pub fn resume(self, log: &Log) -> Result<RewardRegression<L>, BoplError> {
        self.resume_of_rank(log, Ranks::alone())
    }

    /// The same on the rows of all ranks, of which this log has those of one. The number of ranks may be
    /// another than before.
    ///
    /// # Errors
    /// As [`resume`](Self::resume), and [`LearnerError::Ranks`](weak_learners::LearnerError::Ranks).
    pub fn resume_of_rank(self, log: &Log, ranks: Ranks) -> Result<RewardRegression<L>, BoplError> {
        let Self { rate, is_logistic, learner, ensemble, record } = self;
        let (expected, got) = (ensemble.len(), record.len());
        ranks.agree(ensemble.check_fit(log).and(match got == expected {
            true => Ok(()),
            false => Err(BoplError::Mismatch { argument: "the record", unit: "rounds", expected, got }),
        }))?;
        let mut run = RewardRegression::start(log, learner, rate, (is_logistic, ranks))?;
        let ranks = run.shard.ranks().clone();
        for (Member { alpha, predictor }, round) in ensemble.members().iter().zip(record) {
            let scores = log.iter().map(|row| predictor.score(row.context, row.action));
            let f = scores.collect::<Result<Vec<f64>, _>>().map_err(BoplError::from);
            let f = ranks.agree(f.and_then(|f| check_predictions(&f).map(|()| f)))?;
            match &mut run.logistic {
                None => {
                    check_reproduced("alpha", *alpha, rate)?;
                    run.residuals.iter_mut().zip(&f).for_each(|(residual, f)| *residual -= rate * f);
                    run.loss = mean_square(&run.shard, &run.residuals)?;
                }
                Some(Logistic { rewards, scores }) => {
                    scores.iter_mut().zip(&f).for_each(|(score, f)| *score += alpha * f);
                    run.loss = mean_logistic(&run.shard, rewards, scores)?;
                    for (residual, (r, score)) in run.residuals.iter_mut().zip(rewards.iter().zip(&*scores)) {
                        *residual = r - probability(*score);
                    }
                }
            }
            check_reproduced("loss", round.loss, run.loss)?;
            run.record.push(round);
        }
        run.ensemble = ensemble.named_by(log);
        Ok(run)
    }
}

impl<L: PairLearner + Clone> RewardRegression<L>
where
    L::Hypothesis: Clone,
{
    /// The part of the run that has to be saved for it to go on.
    #[must_use]
    pub fn checkpoint(&self) -> RegressionCheckpoint<L> {
        RegressionCheckpoint {
            rate: self.rate,
            is_logistic: self.logistic.is_some(),
            learner: self.learner.clone(),
            ensemble: self.ensemble.clone(),
            record: self.record.clone(),
        }
    }
}

/// When [`RewardRegression::fit`] ends: a held-out log, the most rounds, and a patience.
///
/// ```
/// use boosters::bopl::{EarlyStopping, PredictedProbabilities, RewardRegression};
/// use off_policy::{Log, Rewards, estimators::RewardModel};
/// use rows::{Row, RowMatrix};
/// use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth};
/// // Action 1 pays in half of its rows, action 0 never.
/// let log = |n: usize| -> Result<Log, Box<dyn std::error::Error>> {
///     let contexts = RowMatrix::dense(1, (0..n).map(|i| (i % 7) as f64).collect())?;
///     let paid = Rewards((0..n).map(|i| f64::from(u8::from(i % 4 == 1))).collect());
///     Ok(Log::new(contexts, 2, (0..n).map(|i| (i % 2) as u32).collect(), vec![0.5; n], paid)?)
/// };
/// let (log, held_out) = (log(400)?, log(100)?);
/// let growth = PairGrowth::builder().max_depth(2).min_child_weight(1.0).build()?;
/// let mut run = RewardRegression::logistic(&log, HistogramPairTree::new(growth), 0.5)?;
/// let stopping = EarlyStopping::builder(&held_out).rounds(200).patience(10).build()?;
/// let end = run.fit(&BinnedContexts::new(log.contexts().clone())?, &stopping)?;
/// let mut q = [0.0; 2];
/// PredictedProbabilities(&run.ensemble().prefix(end.best_round)).rewards(Row::dense(&[3.0])?, &mut q)?;
/// assert!(q[0] < 0.01 && (q[1] - 0.5).abs() < 0.1, "{q:?} after {end:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EarlyStopping<'a> {
    held_out: &'a Log,
    rounds: usize,
    patience: Patience,
}

/// Builds an [`EarlyStopping`]: at most 1,000 rounds, and 20 without a better one, unless it is told
/// otherwise.
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct EarlyStoppingBuilder<'a> {
    held_out: &'a Log,
    rounds: usize,
    patience: usize,
}

impl<'a> EarlyStopping<'a> {
    /// A builder with a log that had no part in the training.
    pub fn builder(held_out: &'a Log) -> EarlyStoppingBuilder<'a> {
        EarlyStoppingBuilder { held_out, rounds: 1_000, patience: 20 }
    }
}

impl<'a> EarlyStoppingBuilder<'a> {
    /// The most rounds.
    pub fn rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }

    /// The number of rounds without a smaller loss after which the run is over; `usize::MAX` for never.
    pub fn patience(self, patience: usize) -> Self {
        Self { patience, ..self }
    }

    /// The end of a run.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a patience of 0.
    pub fn build(self) -> Result<EarlyStopping<'a>, BoplError> {
        let Self { held_out, rounds, patience } = self;
        let Some(patience) = Patience::new(patience, 0) else {
            return Err(BoplError::BadParameter { name: "patience", value: 0.0, domain: Patience::DOMAIN });
        };
        Ok(EarlyStopping { held_out, rounds, patience })
    }
}

/// The end of [`RewardRegression::fit`]. The model to keep is the
/// [`prefix`](PolicyEnsemble::prefix) of `best_round` members.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppedEarly {
    /// The round of the smallest loss on the held-out log, the first of equals; 0 is the start.
    pub best_round: usize,
    /// That loss.
    pub held_out_loss: f64,
    /// Why no further round was played.
    pub stop: BoplStop,
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

    fn rewards_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        rewards: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.0.scores_of_rows(contexts, from, rewards)
    }
}

/// An ensemble of [`RewardRegression::logistic`] as a model of rewards: q(x, a) = 1/(1 + e^−F(x, a)).
#[derive(Debug, Clone, Copy)]
pub struct PredictedProbabilities<'a, H>(pub &'a PolicyEnsemble<H>);

impl<H: PairHypothesis> RewardModel for PredictedProbabilities<'_, H> {
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
        self.0.scores(x, rewards)?;
        rewards.iter_mut().for_each(|score| *score = probability(*score));
        Ok(())
    }
}

/// The least w_i: a residual of a pair without a weight would be lost.
const LEAST_WEIGHT: f64 = 1e-16;

fn probability(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// q and 1 − q, by one exponential: the difference is 0 from F = 37 on.
fn both(score: f64) -> [f64; 2] {
    let e = (-score.abs()).exp();
    let [most, least] = [1.0, e].map(|part| part / (1.0 + e));
    if score < 0.0 { [least, most] } else { [most, least] }
}

fn check_probabilities(log: &Log) -> Result<(), BoplError> {
    match log.rewards().iter().find(|r| !(0.0..=1.0).contains(*r)) {
        Some(&value) => Err(BoplError::BadParameter { name: "a reward", value, domain: "[0, 1]" }),
        None => Ok(()),
    }
}

fn is_negligible(values: &[f64]) -> bool {
    values.iter().all(|v| v.abs() < NEGLIGIBLE)
}

fn mean_square(shard: &Shard, residuals: &[f64]) -> Result<f64, BoplError> {
    finite("the squared error", mean_of(shard, residuals.iter().map(|r| r * r))?)
}

/// (1/n) Σ (ln(1 + e^F) − rF).
fn mean_logistic(shard: &Shard, rewards: &[f64], scores: &[f64]) -> Result<f64, BoplError> {
    let terms = rewards.iter().zip(scores).map(|(r, score)| {
        let certain = if *score > 0.0 { (1.0 - r) * score } else { -r * score };
        certain + (-score.abs()).exp().ln_1p()
    });
    finite("the logistic loss", mean_of(shard, terms)?)
}

/// The mean of the terms of all rows of all ranks, in their order.
fn mean_of(shard: &Shard, terms: impl Iterator<Item = f64>) -> Result<f64, RankError> {
    let [sum] = shard.ranks().sum_of_rows([-0.0], terms.map(|term| [term]))?;
    Ok(sum / rows_of(shard))
}

/// n, the number of rows of all ranks.
fn rows_of(shard: &Shard) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    let n = shard.total() as f64;
    n
}

fn finite(argument: &'static str, value: f64) -> Result<f64, BoplError> {
    if value.is_finite() { Ok(value) } else { Err(BoplError::NotFinite { argument, index: 0, value }) }
}
