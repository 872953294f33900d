//! A policy from a log, within a budget of time, judged on rows kept apart.

mod checkpoint;
mod clock;
mod fingerprint;
#[cfg(test)]
mod on_ranks;

use crate::split::{Split, holdout_share};
pub use checkpoint::{Moment, TrainCheckpoint};

use crate::any_order;
use crate::copies::times_of_every_row;
use crate::error::JobError;
use crate::importance::Importance;
use crate::judge::{Circumstances, JudgeJob, JudgedRows, Judgement, Target};
use crate::model::{Cuts, Exploration, Model, Provenance, Seconds, Source, TrainingRecord};
use crate::of_ranks::{doubles, gathered, own};
use crate::propensities::{EstimatedPropensities, PropensitySource};
use boosters::auto_policy::{AutoPolicy, BoostedRewards, Overrides, Progress, Tried};
use boosters::bopl::PolicyEnsemble;
use checkpoint::Settings;
use clock::Clock;
use fingerprint::Digests;
use off_policy::Log;
use off_policy::estimators::RewardModel;
use off_policy::policies::Argmax;
use ranks::{Ranks, Shard};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use weak_learners::pairs::PairTree;

/// A policy from a log within a budget of time, and the judgement of it.
///
/// *How.* A share of the rows is kept apart and has no part in the choice. On the others [`AutoPolicy`]
/// searches and trains. The search ends early enough for the training of the winner to fit into the budget:
/// rounds are measured. Where even that does not fit, the training ends when the budget does, and the model
/// has fewer rounds. [`Cuts`] says what was cut off. Then the policy, the argmax of the scores, is judged on
/// the rows kept apart: with a model of rewards, M and λ from the other rows.
///
/// *The budget* is kept but for the round that is under way when it ends, and for the binning of the columns
/// and the judgement, which are not divided, but foreseen by what the search took for the same.
/// *Determinism:* as of [the crate](crate).
///
/// ```
/// use ocoboost::{Split, TrainJob};
/// use std::time::Duration;
/// let job = TrainJob::builder().budget(Duration::from_secs(10)).seed(7).holdout_share(0.25).max_depth(4);
/// assert!(job.build().is_ok());
/// assert!(TrainJob::builder().holdout_share(1.5).build().is_err());
/// ```
#[derive(Debug, Clone)]
pub struct TrainJob {
    budget: Duration,
    spent: Duration,
    seed: u64,
    split: Split,
    /// `None`: by the number of rows.
    holdout_share: Option<f64>,
    candidates: usize,
    rounds: usize,
    search_rows: Option<usize>,
    overrides: Overrides,
    delta: f64,
    range: Option<[f64; 2]>,
    estimated: Option<EstimatedPropensities>,
    exploration: Exploration,
    sources: Vec<Source>,
    format: serde_json::Value,
    ranks: Ranks,
}

/// Builds a [`TrainJob`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct TrainJobBuilder {
    job: TrainJob,
}

/// What a watcher of a job sees.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A piece of the search or of the training.
    Progress(Progress<'a>),
    /// The search and the training are over, and the judgement begins.
    Judging,
}

impl TrainJob {
    /// 60 seconds, seed 0, rows by lot to judge on (a tenth, see
    /// [`holdout_share`](TrainJobBuilder::holdout_share)), bounds of 95%, ε = 0.1: to be changed by name.
    pub fn builder() -> TrainJobBuilder {
        TrainJobBuilder {
            job: Self {
                budget: Duration::from_secs(60),
                spent: Duration::ZERO,
                seed: 0,
                split: Split::Random,
                holdout_share: None,
                candidates: 9,
                rounds: 800,
                search_rows: None,
                overrides: Overrides::default(),
                delta: 0.05,
                range: None,
                estimated: None,
                exploration: Exploration::default(),
                sources: Vec::new(),
                format: serde_json::Value::Null,
                ranks: Ranks::alone(),
            },
        }
    }

    /// Trains and judges. `watch` sees every round. `Break` during the search ends it, and the best candidate
    /// so far is trained; `Break` during the training, or at every round as of a flag that stays up, ends
    /// that too, with the rounds so far or the winner's trees of the search, whichever are more. `Break`
    /// during the judgement ends its model of rewards.
    ///
    /// # Errors
    /// [`JobError::TooFewRows`]; [`JobError::Length`] and [`JobError::BadTime`] for a split or estimated
    /// propensities of another log; [`JobError::OtherPropensities`]; [`JobError::Estimate`] for a reward
    /// outside the stated range; those of training and judging.
    pub fn fit(
        &self,
        log: &Log,
        mut watch: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Model, JobError> {
        self.fit_resumable(log, None, |event, _| watch(event))
    }

    /// The same from the beginning, or from a checkpoint on. `watch` sees with every event but those of the
    /// judgement a [`Moment`], from which a checkpoint is made. The time of the run that is gone on with
    /// counts towards the budget.
    ///
    /// *Guarantee:* where neither a budget nor a watcher cuts anything off, the model is that of a run that
    /// was not stopped, but for [`Seconds`].
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`JobError::OtherRun`] and [`JobError::Training`] for a checkpoint of other
    /// settings or of another log.
    pub fn fit_resumable(
        &self,
        log: &Log,
        from: Option<TrainCheckpoint>,
        mut watch: impl FnMut(Event<'_>, Option<&Moment<'_>>) -> ControlFlow<()>,
    ) -> Result<Model, JobError> {
        let begun = Instant::now();
        let ranks = &self.ranks;
        if ranks.are_several() {
            ranks.check_same(&self.named(from.as_ref()))?;
        }
        let judge = self.judge_job()?;
        ranks.agree(judge.check_rewards(log.rewards()))?;
        let shard = Shard::of(ranks.clone(), log.len())?;
        let digests = Digests::of(log, &shard)?;
        let settings = self.settings(&digests, shard.total());
        let checked = from.map(|from| from.checked(&settings, (log, &shard))).transpose();
        let (resumed, from) = ranks.agree(checked)?.unwrap_or_default();
        let spent = self.spent.as_secs_f64();
        let now = || spent + resumed + begun.elapsed().as_secs_f64();
        ranks.agree(judge.check_propensities(log.propensities()))?;
        // Groups keep copies together.
        let is_grouped = matches!(self.split, Split::ByGroup(_));
        let times = if is_grouped { 1 } else { times_of_every_row(log, ranks)? };
        let split = self.split.gathered(log.len(), ranks)?;
        let parts = split.parts(shard.total(), settings.holdout_share, self.seed)?;
        let (learning, of_learning) = self.dealt(log, &shard, &parts.learning)?;
        let judging = own(parts.judging.iter().copied(), &shard, log.len());
        let clock = Clock::new(self.budget, now(), parts.judging.len().div_ceil(ranks.size()));
        let mut clock = clock.shared_by(of_learning.ranks().size());
        // The clock of one rank is that of all.
        let has_clock = ranks.rank() == 0;
        let mut seconds = Seconds::default();
        let recipe = self.recipe()?;
        let fit = recipe.fit_of_rank((&learning, &of_learning), ranks, from, |progress, snapshot| {
            let is_over = has_clock && clock.is_over(now(), &progress);
            if matches!(progress, Progress::Training { .. }) && seconds.search == 0.0 {
                seconds.search = now() - spent;
            }
            let moment = Moment { snapshot, settings: &settings, spent: now() - spent };
            let asked = watch(Event::Progress(progress), Some(&moment));
            if is_over { ControlFlow::Break(()) } else { asked }
        })?;
        let since = now();
        seconds.search = if seconds.search > 0.0 { seconds.search } else { since - spent };
        seconds.training = since - spent - seconds.search;
        let is_interrupted = watch(Event::Judging, None).is_break();
        let (mut is_model_cut, mut failed, rows) = (false, None, parts.learning.len());
        let of_model = gathered(&learning, &of_learning, BoostedRewards::rows(rows))?;
        let model_of_rewards = BoostedRewards::fit(&of_model, self.seed, |trees| {
            let event = Event::Progress(Progress::RewardModel { trees, rows });
            let is_cut = is_interrupted
                || watch(event, None).is_break()
                || has_clock && clock.is_model_over(now(), since, fit.ensemble.len());
            is_model_cut = ranks.any(is_cut).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                true
            });
            if is_model_cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        let judgement = self.judge(
            &judge,
            (&learning, &of_learning),
            (log, &judging, &fit.ensemble),
            (&model_of_rewards, times),
        )?;
        let of_importance = gathered(&learning, &of_learning, Importance::rows(rows))?;
        let importance = Importance::of(&fit.ensemble, of_importance.contexts());
        seconds.judging = now() - since;
        // Every rank has measured its own, and all say what the first one has.
        let own_seconds = [seconds.search, seconds.training, seconds.judging];
        if let [search, training, judging, ..] = doubles(ranks, &own_seconds)?[..] {
            (seconds.search, seconds.training, seconds.judging) = (search, training, judging);
        }
        let leaves = fit.ensemble.members().iter().map(|member| member.predictor.leaves()).sum();
        let record = TrainingRecord {
            seed: self.seed,
            budget: self.budget.as_secs_f64(),
            split: self.split.name().to_owned(),
            holdout_share: settings.holdout_share,
            overrides: self.overrides,
            tried: fit.tried,
            chosen: fit.chosen,
            trees: fit.ensemble.len(),
            leaves,
            cuts: Cuts {
                search: fit.is_search_cut,
                training: fit.is_training_cut,
                is_of_search: fit.is_of_search,
                reward_model: is_model_cut,
                rounds_planned: fit.rounds_planned,
                rounds_trained: fit.rounds_trained,
            },
            seconds,
            importance,
        };
        let provenance = Provenance {
            rows: shard.total(),
            learning_rows: parts.learning.len(),
            judging_rows: parts.judging.len(),
            sources: self.sources.clone(),
            log_sha256: digests.of_decisions,
            row_digest: any_order::of_rows_of_ranks(log, ranks)?,
            program: concat!("ocoboost ", env!("CARGO_PKG_VERSION")).to_owned(),
            propensities: match self.estimated {
                Some(_) => PropensitySource::Estimated,
                None => PropensitySource::Logged,
            },
        };
        let (exploration, format) = (self.exploration, self.format.clone());
        Ok(Model { ensemble: fit.ensemble, record, provenance, judgement, exploration, format })
    }

    fn recipe(&self) -> Result<AutoPolicy, JobError> {
        let mut recipe = AutoPolicy::builder().candidates(self.candidates).rounds(self.rounds);
        if let Some(rows) = self.search_rows {
            recipe = recipe.search_rows(rows);
        }
        Ok(recipe.overrides(self.overrides).seed(self.seed).build()?)
    }

    /// The rows to learn from, dealt out to the ranks in whole blocks, and which they are; all of them on
    /// every rank where there are fewer blocks than ranks.
    fn dealt(&self, log: &Log, shard: &Shard, learning: &[usize]) -> Result<(Log, Shard), JobError> {
        let (ranks, n) = (&self.ranks, learning.len());
        let rows = own(learning.iter().copied(), shard, log.len());
        if n.div_ceil(Shard::BLOCK) < ranks.size() {
            return Ok((log.gathered(&rows, ranks)?, Shard::whole(n)));
        }
        let learning = log.dealt(&rows, ranks)?;
        let shard = Shard::of(ranks.clone(), learning.len())?;
        Ok((learning, shard))
    }

    fn judge(
        &self,
        judge: &JudgeJob,
        (learning, of_learning): (&Log, &Shard),
        (log, judging, ensemble): (&Log, &[usize], &PolicyEnsemble<PairTree>),
        (rewards, times): (&BoostedRewards, u64),
    ) -> Result<Judgement, JobError> {
        let policy = Argmax::new(ensemble.clone());
        let range = of_learning.ranks().ends(learning.rewards())?;
        let n = of_learning.total();
        let tuning = gathered(learning, of_learning, (0..n).step_by(n.div_ceil(TUNING_ROWS)))?;
        let circumstances = Circumstances {
            judged: JudgedRows::KeptApart,
            other_range: Some(range),
            tuning_rows: Some(&tuning),
            model: Some(rewards as &dyn RewardModel),
            are_grouped: matches!(self.split, Split::ByGroup(_)),
            times,
        };
        judge.judge_apart(log, judging, Target::Policy(&policy), &circumstances)
    }

    /// What a checkpoint is made with, but for its own numbers.
    fn settings(&self, digests: &Digests, rows: usize) -> Settings {
        Settings {
            seed: self.seed,
            split: self.split.name().to_owned(),
            holdout_share: self.holdout_share.unwrap_or_else(|| holdout_share(rows)),
            candidates: self.candidates,
            rounds: self.rounds,
            overrides: self.overrides,
            log_sha256: digests.of_log.clone(),
        }
    }

    /// What this job was told, but for what is of the rows of this rank: every rank is to be told the same.
    fn named(&self, from: Option<&TrainCheckpoint>) -> Vec<(String, String)> {
        // All but the columns of the rows, the time until now, the names of files and the ranks.
        let Self { budget, spent: _, seed, split, holdout_share, candidates, rounds, .. } = self;
        let Self { search_rows, overrides, delta, range, estimated, exploration, format, .. } = self;
        let mut named = vec![
            ("budget", format!("{budget:?}")),
            ("seed", seed.to_string()),
            ("split", split.name().to_owned()),
            ("holdout_share", format!("{holdout_share:?}")),
            ("candidates", candidates.to_string()),
            ("rounds", rounds.to_string()),
            ("search_rows", format!("{search_rows:?}")),
            ("delta", delta.to_string()),
            ("reward_range", format!("{range:?}")),
            ("estimated", estimated.is_some().to_string()),
            ("exploration", format!("{exploration:?}")),
            ("format", format.to_string()),
            ("checkpoint", from.map_or_else(|| "none".to_owned(), TrainCheckpoint::digest)),
        ];
        let json = serde_json::to_value(overrides).unwrap_or_default();
        let overrides = json.as_object().into_iter().flatten();
        let overrides: Vec<(&str, String)> =
            overrides.map(|(name, value)| (name.as_str(), value.to_string())).collect();
        named.extend(overrides);
        named.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
    }

    fn judge_job(&self) -> Result<JudgeJob, JobError> {
        let mut judge = JudgeJob::builder().delta(self.delta).seed(self.seed).ranks(self.ranks.clone());
        if let Some(range) = self.range {
            judge = judge.reward_range(range);
        }
        if let Some(estimated) = &self.estimated {
            judge = judge.estimated(estimated.clone());
        }
        judge.build()
    }
}

impl Model {
    /// Whether it was trained on the rows of this log, whatever their order and propensities; in their order
    /// where the file is of before that, or there are fewer than 20 different rows. Its judgement on the same
    /// rows shows nothing.
    #[must_use]
    pub fn was_trained_on(&self, log: &Log) -> bool {
        let Provenance { rows, row_digest, log_sha256, .. } = &self.provenance;
        *rows == log.len()
            && match row_digest {
                Some(own) => any_order::of_rows(log).as_ref() == Some(own),
                None => fingerprint::is_of(log_sha256, log),
            }
    }
}

/// The most learning rows that M and λ are chosen on.
const TUNING_ROWS: usize = 2_000;

impl TrainJobBuilder {
    /// The wall-clock time for everything.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.job.budget = budget;
        self
    }

    /// The part of the budget that is used already: reading the log takes time.
    pub fn spent(mut self, spent: Duration) -> Self {
        self.job.spent = spent;
        self
    }

    /// The seed of everything.
    pub fn seed(mut self, seed: u64) -> Self {
        self.job.seed = seed;
        self
    }

    /// Which rows are kept apart to judge on.
    pub fn validation(mut self, split: Split) -> Self {
        self.job.split = split;
        self
    }

    /// The share of the rows to judge on, 0.05 to 0.8. Otherwise it is a tenth, or the share that makes 1,000
    /// rows where that is more, but not above a quarter.
    pub fn holdout_share(mut self, share: f64) -> Self {
        self.job.holdout_share = Some(share);
        self
    }

    /// The most candidates that are tried, 1 to 1,000.
    pub fn candidates(mut self, candidates: usize) -> Self {
        self.job.candidates = candidates;
        self
    }

    /// The most rounds of a candidate, 1 to 100,000.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.job.rounds = rounds;
        self
    }

    /// The most rows of the search, 10 to 2³² − 1: 1,000,000. The winner is trained on all learning rows.
    pub fn search_rows(mut self, rows: usize) -> Self {
        self.job.search_rows = Some(rows);
        self
    }

    /// The ranks that train together. Each hands in a log of its own rows, at least one, which follow those
    /// of the ranks before. The columns of a [split](Split) and [estimated](Self::estimated) propensities are
    /// of the same rows. All else that the job is told is the same on every rank, and a checkpoint too: the
    /// ranks compare it first, and refuse a setting that differs ([`RankError::Settings`](ranks::RankError)).
    /// Not compared are [sources](Self::source) and what was [spent](Self::spent).
    ///
    /// *Guarantee:* every rank gets the model of one process on all rows, to the bit but for its
    /// [`Seconds`], where neither a budget nor a watcher cuts anything off; and a checkpoint of any number of
    /// ranks is gone on with by any number. *How.* The search is on every rank, on the rows of
    /// [`AutoPolicy`]; the training of the winner is on the learning rows, dealt out evenly; every rank
    /// predicts its own rows to judge on, and the judgement is made of what all have found. The clock is that
    /// of the first rank, and `Break` of any watcher counts.
    pub fn ranks(mut self, ranks: Ranks) -> Self {
        self.job.ranks = ranks;
        self
    }

    /// Settings that every candidate has.
    pub fn overrides(mut self, overrides: Overrides) -> Self {
        self.job.overrides = overrides;
        self
    }

    /// The objective of every candidate.
    pub fn objective(mut self, objective: boosters::auto_policy::Objective) -> Self {
        self.job.overrides.objective = Some(objective);
        self
    }

    /// The depth of the deepest leaf, of every candidate.
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.job.overrides.max_depth = Some(depth);
        self
    }

    /// η of every candidate.
    pub fn learning_rate(mut self, rate: f64) -> Self {
        self.job.overrides.learning_rate = Some(rate);
        self
    }

    /// The least weight of a child, of every candidate.
    pub fn min_child_weight(mut self, weight: f64) -> Self {
        self.job.overrides.min_child_weight = Some(weight);
        self
    }

    /// λ of a leaf's value, of every candidate.
    pub fn reg_lambda(mut self, lambda: f64) -> Self {
        self.job.overrides.reg_lambda = Some(lambda);
        self
    }

    /// b of every candidate that has one, for rewards that are mapped to [0, 1].
    pub fn translation(mut self, translation: f64) -> Self {
        self.job.overrides.translation = Some(translation);
        self
    }

    /// The largest importance weight in the training of every candidate.
    pub fn clip(mut self, clip: f64) -> Self {
        self.job.overrides.clip = Some(clip);
        self
    }

    /// δ of the judgement.
    pub fn delta(mut self, delta: f64) -> Self {
        self.job.delta = delta;
        self
    }

    /// The range that every reward lies in, known beforehand, for the bounds of the judgement; else that of
    /// the learning rows. A log with another reward is refused.
    pub fn reward_range(mut self, range: [f64; 2]) -> Self {
        self.job.range = Some(range);
        self
    }

    /// The propensities of the log are these estimates.
    pub fn estimated(mut self, estimated: EstimatedPropensities) -> Self {
        self.job.estimated = Some(estimated);
        self
    }

    /// How the model is played by default.
    pub fn exploration(mut self, exploration: Exploration) -> Self {
        self.job.exploration = exploration;
        self
    }

    /// A file that the log was read from, for the provenance.
    pub fn source(mut self, source: Source) -> Self {
        self.job.sources.push(source);
        self
    }

    /// The options by which the log was read, kept with the model.
    pub fn format(mut self, format: serde_json::Value) -> Self {
        self.job.format = format;
        self
    }

    /// The job.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for a share, δ or ε outside its range; [`JobError::Training`] for the
    /// settings of the recipe, [`JobError::Estimate`] for a range of rewards.
    pub fn build(self) -> Result<TrainJob, JobError> {
        let job = self.job;
        let settings = [
            ("holdout_share", job.holdout_share.unwrap_or(0.1), 0.05, 0.8, "[0.05, 0.8]"),
            ("epsilon", job.exploration.epsilon, 0.0, 1.0, "[0, 1]"),
        ];
        for (name, value, least, most, domain) in settings {
            if !(least..=most).contains(&value) {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        job.judge_job()?;
        job.recipe()?;
        Ok(job)
    }
}

impl Event<'_> {
    /// A candidate that was valued, where that is the event.
    #[must_use]
    pub fn tried(&self) -> Option<&Tried> {
        match self {
            Self::Progress(Progress::Tried(tried)) => Some(tried),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::{Digests, Event, TrainCheckpoint, TrainJob, fingerprint, holdout_share};
    use boosters::auto_policy::Progress;
    use off_policy::{Log, Rewards};
    use ranks::Shard;
    use rows::RowMatrix;
    use std::ops::ControlFlow;

    /// The digest is in saved files, so it is that of the numbers alone. It was computed apart, by Python.
    #[test]
    fn the_digest_of_a_log_is_that_of_its_numbers() {
        let expected = "3ac03da8a08549057dbdb6ba3c3e6ef64d4267f2dceca6aad03fa552e90dcf22";
        let contexts = RowMatrix::dense(2, vec![0.0, 2.5, -1.0, 0.0]).unwrap();
        let log = Log::new(contexts, 3, vec![2, 0], vec![0.5, 0.25], Rewards(vec![1.0, -3.0])).unwrap();
        assert_eq!(Digests::of(&log, &Shard::whole(2)).unwrap().of_log, expected);
        let contexts = RowMatrix::sparse(2, vec![0, 1, 2], vec![1, 0], vec![2.5, -1.0]).unwrap();
        let log = Log::new(contexts, 3, vec![2, 0], vec![0.5, 0.25], Rewards(vec![1.0, -3.0])).unwrap();
        assert_eq!(Digests::of(&log, &Shard::whole(2)).unwrap().of_log, expected);
    }

    #[test]
    fn what_was_saved_with_another_digest_is_of_its_log() {
        let contexts = RowMatrix::dense(1, (0..200).map(|i| f64::from(i % 40)).collect()).unwrap();
        let actions: Vec<u32> = (0..200).map(|i| u32::from(i % 3 == 0)).collect();
        let paid = |(i, a): (usize, &u32)| f64::from(u8::from((i % 40 < 20) == (*a == 1)));
        let rewards = Rewards(actions.iter().enumerate().map(paid).collect());
        let log = Log::new(contexts, 2, actions, vec![0.5; 200], rewards).unwrap();
        let job = TrainJob::builder().candidates(1).rounds(6).build().unwrap();
        let mut saved = None;
        let mut model = job
            .fit_resumable(&log, None, |event, moment| {
                if let (Event::Progress(Progress::Search { round: 3, .. }), Some(moment)) = (event, moment) {
                    saved = Some(serde_json::to_value(moment.checkpoint()).unwrap());
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        let resumed = |digest: &str| {
            let mut saved = saved.clone().unwrap();
            saved["settings"]["log_sha256"] = digest.into();
            let from: TrainCheckpoint = serde_json::from_value(saved).unwrap();
            job.fit_resumable(&log, Some(from), |_, _| ControlFlow::Continue(()))
        };
        assert_eq!(resumed(&fingerprint::of_before(&log)).unwrap().ensemble(), model.ensemble());
        assert!(resumed("00").is_err());
        let turned = log.select((0..200).map(|i| (7 * i + 3) % 200)).unwrap();
        assert!(model.was_trained_on(&log) && model.was_trained_on(&turned));
        // A file of before the rows were known in any order.
        let mut saved = serde_json::to_value(&model.provenance).unwrap();
        assert!(saved.as_object_mut().unwrap().remove("row_digest").is_some());
        model.provenance = serde_json::from_value(saved).unwrap();
        assert!(model.was_trained_on(&log) && !model.was_trained_on(&turned));
        let own = Digests::of(&log, &Shard::whole(200)).unwrap();
        for (digest, is_own) in [
            (own.of_decisions, true),
            (own.of_log, true),
            (fingerprint::of_before(&log), true),
            ("00".to_owned(), false),
        ] {
            model.provenance.log_sha256 = digest;
            assert_eq!(model.was_trained_on(&log), is_own);
        }
    }

    #[test]
    fn a_tenth_or_a_thousand_rows_but_a_quarter_at_most_judge() {
        for (rows, share) in
            [(0, 0.25), (20, 0.25), (4_000, 0.25), (5_000, 0.2), (10_000, 0.1), (10_000_000, 0.1)]
        {
            assert_eq!(holdout_share(rows), share, "{rows} rows");
        }
    }
}
