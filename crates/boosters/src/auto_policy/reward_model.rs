//! The model of rewards behind the estimates, and behind the doubly robust objective.

use super::candidate::{Candidate, Objective};
use super::learner::{contexts_of, trees};
use super::progress::Progress;
use crate::bopl::{BoplError, EarlyStopping, PolicyEnsemble, PredictedRewards, RewardRegression};
use off_policy::estimators::{RewardModel, cross_fit};
use off_policy::policies::Scores;
use off_policy::{Log, PolicyError, Schema};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use std::ops::ControlFlow;
use weak_learners::Shard;
use weak_learners::pairs::PairTree;

/// Boosted reward regression, stopped early on a fifth of its rows.
const MODEL: Candidate = Candidate {
    objective: Objective::RewardRegression,
    max_depth: 8,
    min_child_weight: 5.0,
    reg_lambda: 1.0,
    learning_rate: 0.2,
    translation: 0.0,
    clip: None,
    columns: 0.5,
    rows: 0.8,
};
const MOST_ROUNDS: usize = 200;
const PATIENCE: usize = 15;
/// The most rows of a fit, evenly spread: an estimate is doubly robust with any model.
const MOST_ROWS: usize = 100_000;
/// Every fifth row is held out.
const HELD_OUT: usize = 5;
/// The folds of the predictions that a doubly robust objective is trained on.
const FOLDS: usize = 3;

/// A model of rewards by boosted reward regression, stopped early on a fifth of its rows: the one behind the
/// estimates of [`AutoPolicy`](super::AutoPolicy).
///
/// *Randomness:* two ChaCha streams of the seed. *Cost:* at most 200 trees on at most 100,000 rows.
///
/// ```
/// use boosters::auto_policy::BoostedRewards;
/// use off_policy::{Log, Rewards, estimators::RewardModel};
/// use std::ops::ControlFlow;
/// let contexts = rows::RowMatrix::dense(1, (0..400).map(|i| f64::from(i % 20)).collect())?;
/// let actions = (0..400).map(|i| (i / 20) % 2).collect();
/// let rewards = (0..400).map(|i| f64::from((i / 20) % 2)).collect();
/// let log = Log::new(contexts, 2, actions, vec![0.5; 400], Rewards(rewards))?;
/// let model = BoostedRewards::fit(&log, 1, |_| ControlFlow::Continue(()))?;
/// let mut q = [0.0; 2];
/// model.rewards(rows::Row::dense(&[7.0])?, &mut q)?;
/// assert!(q[0].abs() < 0.1 && (q[1] - 1.0).abs() < 0.1, "{q:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct BoostedRewards(PolicyEnsemble<PairTree>);

impl BoostedRewards {
    /// The model of a log. `watch` sees the number of trees; `Break` keeps the best ones so far.
    ///
    /// # Errors
    /// Those of [`RewardRegression`].
    pub fn fit(
        log: &Log,
        seed: u64,
        mut watch: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Self, BoplError> {
        let stream = |of: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream((1 << 44) + of);
            rng
        };
        let mut watch = |progress: Progress<'_>| match progress {
            Progress::RewardModel { trees, .. } => watch(trees),
            _ => ControlFlow::Continue(()),
        };
        fit(log, &[stream(0), stream(1)], &mut watch)
    }

    /// The rows of n that a [`fit`](Self::fit) takes, spread evenly: the model of these alone is the same.
    pub fn rows(n: usize) -> impl ExactSizeIterator<Item = usize> {
        let count = n.min(MOST_ROWS);
        (0..count).map(move |k| spread(k, count, n))
    }
}

/// Row k of `count` among n.
fn spread(k: usize, count: usize, n: usize) -> usize {
    (k as u128 * n as u128 / count as u128) as usize
}

impl RewardModel for BoostedRewards {
    fn inputs(&self) -> Option<usize> {
        PredictedRewards(&self.0).inputs()
    }

    fn actions(&self) -> usize {
        PredictedRewards(&self.0).actions()
    }

    fn schema(&self) -> Option<&Schema> {
        Scores::schema(&self.0)
    }

    fn rewards(&self, x: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        PredictedRewards(&self.0).rewards(x, rewards)
    }

    fn rewards_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        rewards: &mut [f64],
    ) -> Result<(), PolicyError> {
        PredictedRewards(&self.0).rewards_of_rows(contexts, from, rewards)
    }
}

/// Who sees the trees of a model, and may end it.
pub(super) type Watcher<'a> = &'a mut dyn FnMut(Progress<'_>) -> ControlFlow<()>;

/// The model with the least squared error on the held-out rows; F_0 = 0 for a log of few rows.
fn fit(log: &Log, rngs: &[ChaCha8Rng; 2], watch: Watcher<'_>) -> Result<BoostedRewards, BoplError> {
    if log.len() < HELD_OUT {
        return Ok(BoostedRewards(PolicyEnsemble::new(log.inputs(), log.actions())?));
    }
    let part = |is_held_out: bool| {
        let places = BoostedRewards::rows(log.len()).enumerate();
        log.select(places.filter(|(k, _)| (k % HELD_OUT == 0) == is_held_out).map(|(_, row)| row))
    };
    let (train, held_out) = (part(false)?, part(true)?);
    let contexts = contexts_of(&train)?;
    let mut run = RewardRegression::new(&train, trees(&MODEL, rngs.clone())?, MODEL.learning_rate)?;
    let stopping = EarlyStopping::builder(&held_out).rounds(MOST_ROUNDS).patience(PATIENCE).build()?;
    let end = run.fit_watched(&contexts, &stopping, |trees| {
        watch(Progress::RewardModel { trees, rows: train.len() })
    })?;
    Ok(BoostedRewards(run.ensemble().prefix(end.best_round)))
}

/// q̂(x_i, a) of the rows of `log` at i·|A| + a, by a model of the rows of `others`.
pub(super) fn predictions(
    others: &Log,
    log: &Log,
    rngs: &[ChaCha8Rng; 2],
    watch: Watcher<'_>,
) -> Result<Vec<f64>, BoplError> {
    let model = fit(others, rngs, watch)?;
    let mut predictions = vec![0.0; log.len() * log.actions()];
    model.rewards_of_rows(log.contexts(), 0, &mut predictions)?;
    // Whoever ends the search here is heard at the next event.
    let _ = watch(Progress::Predicted { trees: model.0.len(), rows: log.len() });
    Ok(predictions)
}

/// q̂(x_i, a) at i·|A| + a, cross-fitted.
pub(super) fn cross_fitted(
    log: &Log,
    rngs: &[ChaCha8Rng; 2],
    watch: Watcher<'_>,
) -> Result<Vec<f64>, BoplError> {
    cross_fit(log, FOLDS.min(log.len()), |others: &Log| fit(others, rngs, watch))
}

/// The same of the rows of this rank, by models of those of all ranks.
///
/// The rows of a fit are sent to every rank, and every rank does the same work on them: at most 100,000 are
/// too few to share.
pub(super) fn cross_fitted_of_rank(
    (log, shard): (&Log, &Shard),
    rngs: &[ChaCha8Rng; 2],
    watch: Watcher<'_>,
) -> Result<Vec<f64>, BoplError> {
    let (n, ranks) = (shard.total(), shard.ranks());
    let folds = FOLDS.min(n);
    if !ranks.are_several() || folds < 2 {
        return cross_fitted(log, rngs, watch);
    }
    let actions = log.actions();
    let mut predictions = vec![0.0; log.len() * actions];
    for fold in 0..folds {
        // Of any `folds` rows in a row the fold has one.
        let row = |k: usize| {
            let place = k % (folds - 1);
            k / (folds - 1) * folds + place + usize::from(place >= fold)
        };
        let others = n - (n - fold).div_ceil(folds);
        let own = BoostedRewards::rows(others).map(row).filter_map(|row| row.checked_sub(shard.first()));
        let own: Vec<usize> = own.filter(|row| *row < log.len()).collect();
        let model = fit(&log.gathered(&own, ranks)?, rngs, watch)?;
        let mut rows = log.contexts().iter().zip(predictions.chunks_exact_mut(actions)).enumerate();
        let predicted = rows.try_for_each(|(i, (x, q))| match (shard.first() + i) % folds == fold {
            true => model.rewards(x, q).map_err(BoplError::from),
            false => Ok(()),
        });
        ranks.agree(predicted)?;
    }
    Ok(predictions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use off_policy::Rewards;
    use rand::{RngExt, SeedableRng};

    /// 300 rows of two actions, of which the second pays 0.3 more where x > 0, and noise.
    fn log(change: impl Fn(usize, f64) -> f64) -> Log {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let x: Vec<f64> = (0..300).map(|_| rng.random_range(-1.0..1.0)).collect();
        let actions: Vec<u32> = (0..300).map(|_| rng.random_range(0..2)).collect();
        let rewards = x.iter().zip(&actions).enumerate().map(|(i, (x, a))| {
            let expected = if *a == 1 && *x > 0.0 { 0.3 } else { 0.0 };
            change(i, expected + rng.random_range(0.0..1.0))
        });
        let rewards = Rewards(rewards.collect());
        Log::new(RowMatrix::dense(1, x).unwrap(), 2, actions, vec![0.5; 300], rewards).unwrap()
    }

    fn rngs() -> [ChaCha8Rng; 2] {
        [3, 4].map(ChaCha8Rng::seed_from_u64)
    }

    #[test]
    fn the_model_has_the_least_error_on_every_fifth_row() {
        let log = log(|_, reward| reward);
        let BoostedRewards(ensemble) = fit(&log, &rngs(), &mut |_| ControlFlow::Continue(())).unwrap();
        let error = |rounds: usize| {
            let model = ensemble.prefix(rounds);
            let square = |i: usize| {
                let (mut q, row) = ([0.0; 2], log.row(i).unwrap());
                PredictedRewards(&model).rewards(row.context, &mut q).unwrap();
                (q[row.action] - row.reward).powi(2)
            };
            (0..300).step_by(HELD_OUT).map(square).sum::<f64>()
        };
        let rounds = ensemble.len();
        assert!((3..MOST_ROUNDS - PATIENCE).contains(&rounds), "{rounds}");
        assert!((0..rounds).all(|fewer| error(fewer) > error(rounds)));
    }

    #[test]
    fn what_is_predicted_of_a_row_does_not_rest_on_it() {
        let q = |log: &Log| cross_fitted(log, &rngs(), &mut |_| ControlFlow::Continue(())).unwrap();
        let before = q(&log(|_, reward| reward));
        for changed in [0, 101, 298] {
            let log = log(|i, reward| if i == changed { reward + 5.0 } else { reward });
            let after = q(&log);
            assert_eq!(after[2 * changed..2 * changed + 2], before[2 * changed..2 * changed + 2]);
            assert_ne!(after, before);
        }
    }
}
