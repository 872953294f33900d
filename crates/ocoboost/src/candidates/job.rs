//! A policy over candidates from a log, within a budget of time, judged on rows kept apart.

use super::checkpoint::{CandidateMoment, CandidateTrainCheckpoint, Done, Piece, Settings};
use super::event::CandidateEvent;
use super::judging::{observations, with_numbered_actions};
use super::model::{CandidateModel, CandidateRecord, TriedRecipe};
use super::recipe::{CandidateObjective, RECIPES, REGRESSION, ends, may_win, recipes};
use super::run::{Run, binned, check};
use super::search::Plan;
use crate::any_order;
use crate::copies::times_of_every_choice;
use crate::error::JobError;
use crate::judge::{Circumstances, JudgeJob, JudgedObservations, JudgedRows, Judgement};
use crate::model::{Exploration, Provenance, Seconds, Source};
use crate::propensities::{EstimatedPropensities, PropensitySource};
use crate::split::{Parts, Split, holdout_share};
use boosters::auto_policy::Overrides;
use boosters::bopl::CandidateEnsemble;
use off_policy::candidates::{CandidateLog, CandidatePolicy};
use off_policy::policies::Argmax;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use weak_learners::pairs::PairHypothesis;

/// A policy over candidates from a log within a budget of time, and the judgement of it.
///
/// *How.* A share of the choices is kept apart and has no part in the search. Of the others four fifths train
/// one [recipe](crate::CandidateRecipe) after the other, and one fifth says which recipe and how many rounds
/// are best, by doubly robust estimates less their standard errors. The winner is trained on all of them.
/// Then the policy, the argmax of the scores, is judged on the choices kept apart, with rewards that a
/// regression on the others predicts.
///
/// *The budget* is kept but for the round that is under way, the binning and the judgement. *Determinism:* as
/// of [the crate](crate).
///
/// ```
/// use ocoboost::CandidateJob;
/// use off_policy::Rewards;
/// use off_policy::candidates::CandidateLog;
/// use rows::{Candidates, RowMatrix};
/// use std::{ops::ControlFlow, time::Duration};
/// // Five prices on offer, of which one was shown; the lowest sells best.
/// let prices = (0..1500).map(|p| f64::from(p * 7 % 11)).collect();
/// let candidates = Candidates::builder((0..=300).map(|i| 5 * i).collect())
///     .features(RowMatrix::dense(1, prices)?)
///     .build()?;
/// let chosen: Vec<u32> = (0..300).map(|i| i * i % 5).collect();
/// let sold = (0..300).map(|i| f64::from(u8::from((5 * i + i * i % 5) * 7 % 11 < 3))).collect();
/// let log = CandidateLog::new(candidates.clone(), chosen, vec![0.2; 300], Rewards(sold))?;
/// let job = CandidateJob::builder().budget(Duration::from_secs(2)).rounds(30).build()?;
/// let model = job.fit(&log, |_| ControlFlow::Continue(()))?;
/// println!("{}", model.judgement().sentence());
/// let best = model.predict(&candidates)?;
/// let price = |i: usize, place: u32| (5 * i + place as usize) * 7 % 11;
/// assert!((0..300).filter(|i| price(*i, best[*i]) < 3).count() > 250);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CandidateJob {
    budget: Duration,
    spent: Duration,
    seed: u64,
    split: Split,
    holdout_share: Option<f64>,
    candidates: usize,
    rounds: usize,
    overrides: Overrides,
    delta: f64,
    range: Option<[f64; 2]>,
    estimated: Option<EstimatedPropensities>,
    exploration: Exploration,
    sources: Vec<Source>,
    format: serde_json::Value,
}

/// Builds a [`CandidateJob`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct CandidateJobBuilder {
    job: CandidateJob,
}

impl CandidateJob {
    /// 60 seconds, seed 0, a tenth of the choices to judge on, bounds of 95%, ε = 0.1: to be changed by name.
    pub fn builder() -> CandidateJobBuilder {
        let job = Self {
            budget: Duration::from_secs(60),
            spent: Duration::ZERO,
            seed: 0,
            split: Split::Random,
            holdout_share: None,
            candidates: RECIPES.len(),
            rounds: 400,
            overrides: Overrides::default(),
            delta: 0.05,
            range: None,
            estimated: None,
            exploration: Exploration::default(),
            sources: Vec::new(),
            format: serde_json::Value::Null,
        };
        CandidateJobBuilder { job }
    }

    /// Trains and judges. `watch` sees every round. `Break` during the search ends it, and the best recipe so
    /// far is trained; `Break` during the training, or at every round as of a flag that stays up, ends that
    /// too, with the rounds so far or the winner's trees of the search, whichever are more. `Break` during
    /// the judgement ends its regression: rewards are then predicted by the trees so far or those of the
    /// search, whichever are more.
    ///
    /// # Errors
    /// [`JobError::TooFewRows`]; [`JobError::Length`] and [`JobError::BadTime`] for a split or estimated
    /// propensities of another log; [`JobError::OtherPropensities`]; [`JobError::Estimate`] for a reward
    /// outside the stated range; those of training and judging.
    pub fn fit(
        &self,
        log: &CandidateLog,
        mut watch: impl FnMut(CandidateEvent) -> ControlFlow<()>,
    ) -> Result<CandidateModel, JobError> {
        self.fit_resumable(log, None, |event, _| watch(event))
    }

    /// The same from the beginning, or from a checkpoint on. `watch` sees with every event but those of the
    /// judgement a [`CandidateMoment`], from which a checkpoint is made. The time of the run that is gone on
    /// with counts towards the budget.
    ///
    /// *Guarantee:* where neither a budget nor a watcher cuts anything off, the model is that of a run that
    /// was not stopped, but for the seconds of its record.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`JobError::OtherRun`] and [`JobError::Training`] for a checkpoint of other
    /// settings or of another log.
    pub fn fit_resumable(
        &self,
        log: &CandidateLog,
        from: Option<CandidateTrainCheckpoint>,
        mut watch: impl FnMut(CandidateEvent, Option<&CandidateMoment<'_>>) -> ControlFlow<()>,
    ) -> Result<CandidateModel, JobError> {
        let begun = Instant::now();
        let judge = self.judge_job()?;
        judge.check_rewards(log.rewards())?;
        judge.check_propensities(log.propensities())?;
        let share = self.holdout_share.unwrap_or_else(|| holdout_share(log.len()));
        let parts = self.split.parts(log.len(), share, self.seed)?;
        let settings = self.settings(log, share, &parts);
        let (resumed, mut done) = match from {
            Some(from) => from.checked(&settings)?,
            None => (0.0, Done::default()),
        };
        let spent = self.spent.as_secs_f64();
        let now = || spent + resumed + begun.elapsed().as_secs_f64();
        let budget = self.budget.as_secs_f64();
        let learning = log.select(parts.learning.iter().copied())?;
        let judging = log.select(parts.judging.iter().copied())?;
        let (overrides, recipes) = (&self.overrides, &settings.recipes[..]);
        let split = self.split.of(&parts.learning);
        let plan = Plan { recipes, overrides, rounds: self.rounds, seed: self.seed, split: &split };
        // Half of the time is the search's, and what judging takes is a part of what training takes.
        let mut see = |event: CandidateEvent, done: &Done, run: Option<(Piece, &Run)>| {
            let moment = CandidateMoment { settings: &settings, spent: now() - spent, done, run };
            let asked = watch(event, Some(&moment));
            let share = if matches!(event, CandidateEvent::Search { .. }) { 0.5 } else { 0.85 };
            if now() >= share * budget { ControlFlow::Break(()) } else { asked }
        };
        if !done.is_search_over() {
            plan.search(&learning, &mut done, &mut see)?;
        }
        let winner = done.best(overrides).unwrap_or_else(|| {
            // No recipe had a round to be judged: the first one is trained for as long as there is time.
            let recipe = recipes.iter().find(|recipe| may_win(recipe, overrides)).unwrap_or(&REGRESSION);
            TriedRecipe { recipe: *recipe, rounds: self.rounds, value: None, standard_error: None }
        });
        let searched = now();
        let sample = binned(&learning)?;
        let on_all = (&learning, &sample);
        let (mut ensemble, is_short) =
            plan.train((&winner.recipe, winner.rounds), on_all, &mut done, &mut see)?;
        // Whichever are more: a training that is cut short, or finds no further tree, may have fewer.
        let of_search = done.trees.take().filter(|own| own.members().len() > ensemble.members().len());
        let is_of_search = of_search.is_some();
        ensemble = of_search.unwrap_or(ensemble);
        let trained = now();
        let is_interrupted = watch(CandidateEvent::Judging, None).is_break();
        let mut tried: Vec<TriedRecipe> = done.tried.iter().flatten().copied().collect();
        if !tried.contains(&winner) {
            tried.push(winner);
        }
        let chosen = tried.iter().position(|one| *one == winner).unwrap_or_default();
        let predicts = |tried: &&TriedRecipe| tried.recipe.objective == CandidateObjective::Regression;
        let of_rewards =
            tried.iter().find(predicts).map_or((&REGRESSION, 100), |own| (&own.recipe, own.rounds));
        let mut until = |event: CandidateEvent, _: &Done, _: Option<(Piece, &Run)>| {
            let CandidateEvent::Training { round, .. } = event else { return ControlFlow::Continue(()) };
            let is_over = is_interrupted
                || watch(CandidateEvent::RewardModel { round }, None).is_break()
                || now() >= budget;
            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let (mut rewards, is_model_cut) = plan.train(of_rewards, on_all, &mut Done::default(), &mut until)?;
        // Those of the search have not seen the rows that judge either.
        if let Some(of_search) = done.predicts.take().filter(|_| is_model_cut)
            && of_search.members().len() > rewards.members().len()
        {
            rewards = of_search;
        }
        let policy = Argmax::new(&ensemble);
        // Groups keep copies together.
        let are_grouped = matches!(self.split, Split::ByGroup(_));
        let times = if are_grouped { 1 } else { times_of_every_choice(log) };
        let circumstances = Circumstances {
            judged: JudgedRows::KeptApart,
            other_range: Some(ends(learning.rewards())),
            tuning_rows: None,
            model: None,
            are_grouped,
            times,
        };
        let judge = judge.on_rows(&parts.judging)?;
        let judgement = judged(&judge, (&learning, &judging), &policy, (&rewards, &circumstances))?;
        let leaves = ensemble.members().iter().map(|member| member.predictor.leaves()).sum();
        let record = CandidateRecord {
            seed: self.seed,
            budget,
            split: settings.split.clone(),
            holdout_share: settings.holdout_share,
            overrides: self.overrides,
            tried,
            chosen,
            trees: ensemble.members().len(),
            leaves,
            is_cut: done.is_cut || is_short,
            is_of_search,
            is_model_cut,
            seconds: Seconds { search: searched, training: trained - searched, judging: now() - trained },
        };
        debug_assert!(ensemble.members().iter().all(|member| member.predictor.actions() == 1));
        let ensemble =
            CandidateEnsemble::of(ensemble.shape(), log.schema().cloned(), ensemble.members().to_vec())?;
        let provenance = Provenance {
            rows: log.len(),
            learning_rows: learning.len(),
            judging_rows: judging.len(),
            sources: self.sources.clone(),
            log_sha256: match self.estimated {
                Some(_) => sha256(log, false),
                None => settings.log_sha256.clone(),
            },
            row_digest: any_order::of_choices(log),
            program: concat!("ocoboost ", env!("CARGO_PKG_VERSION")).to_owned(),
            propensities: match self.estimated {
                Some(_) => PropensitySource::Estimated,
                None => PropensitySource::Logged,
            },
        };
        let (exploration, format) = (self.exploration, self.format.clone());
        Ok(CandidateModel { ensemble, record, provenance, judgement, exploration, format })
    }

    /// What a checkpoint is made with, but for its own numbers.
    fn settings(&self, log: &CandidateLog, holdout_share: f64, parts: &Parts) -> Settings {
        let is_drawn = self.split == Split::Random;
        Settings {
            seed: self.seed,
            split: self.split.name().to_owned(),
            holdout_share,
            candidates: self.candidates,
            rounds: self.rounds,
            overrides: self.overrides,
            recipes: recipes(&self.overrides, self.candidates),
            log_sha256: sha256(log, true),
            split_sha256: (!is_drawn).then(|| {
                let mut hash = Sha256::new();
                parts.judging.iter().for_each(|row| hash.update((*row as u64).to_le_bytes()));
                written(hash)
            }),
        }
    }

    fn judge_job(&self) -> Result<JudgeJob, JobError> {
        let mut judge = JudgeJob::builder().delta(self.delta).seed(self.seed);
        if let Some(range) = self.range {
            judge = judge.reward_range(range);
        }
        if let Some(estimated) = &self.estimated {
            judge = judge.estimated(estimated.clone());
        }
        judge.build()
    }
}

/// The judgement on rows kept apart, with rewards that a regression on the others predicts.
fn judged(
    judge: &JudgeJob,
    (learning, judging): (&CandidateLog, &CandidateLog),
    policy: &impl CandidatePolicy,
    (rewards, circumstances): (&CandidateEnsemble, &Circumstances<'_>),
) -> Result<Judgement, JobError> {
    let step = learning.len().div_ceil(2_000);
    let tuning = learning.select((0..learning.len()).step_by(step))?;
    let tuning = observations(&tuning, policy, None)?;
    let rows = JudgedObservations {
        rows: observations(judging, policy, Some(rewards))?,
        has_model: true,
        is_logged: false,
    };
    judge.judge_observations(&with_numbered_actions(judging)?, &rows, Some(&tuning), circumstances)
}

impl CandidateModel {
    /// Whether it was trained on the choices of this log, whatever their order and propensities; on exactly
    /// this log where the file is of before that, or there are fewer than 20 different choices. Its judgement
    /// on the same choices shows nothing. Propensities that were estimated in training are of no matter.
    #[must_use]
    pub fn was_trained_on(&self, log: &CandidateLog) -> bool {
        let Provenance { rows, row_digest, log_sha256, propensities, .. } = &self.provenance;
        *rows == log.len()
            && match row_digest {
                Some(own) => any_order::of_choices(log).as_ref() == Some(own),
                None => *log_sha256 == sha256(log, *propensities == PropensitySource::Logged),
            }
    }
}

/// The SHA-256 of the numbers of a log, with its propensities or without.
fn sha256(log: &CandidateLog, has_propensities: bool) -> String {
    let mut hash = Sha256::new();
    let candidates = log.candidates();
    let shape = candidates.shape();
    for i in 0..log.len() {
        for p in candidates.pairs_of(i) {
            if let Some(pair) = candidates.pair(p) {
                pair.for_each(shape, |j, value| {
                    if value != 0.0 {
                        hash.update((j as u64).to_le_bytes());
                        hash.update(value.to_le_bytes());
                    }
                });
            }
            // No coordinate has this number, so the end of a pair is unambiguous.
            hash.update(u64::MAX.to_le_bytes());
        }
        hash.update(log.chosen()[i].to_le_bytes());
        if has_propensities {
            hash.update(log.propensities()[i].to_le_bytes());
        }
        hash.update(log.rewards()[i].to_le_bytes());
    }
    written(hash)
}

fn written(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl CandidateJobBuilder {
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

    /// Which choices are kept apart to judge on. The search splits the others in the same way, where enough
    /// are left on either side, else by lot.
    ///
    /// ```
    /// use ocoboost::{CandidateJob, JobError, Split};
    /// use off_policy::Rewards;
    /// use off_policy::candidates::CandidateLog;
    /// use rows::{Candidates, RowMatrix};
    /// use std::ops::ControlFlow;
    /// let prices = RowMatrix::dense(1, (0..800).map(|p| f64::from(p * 7 % 11)).collect())?;
    /// let candidates = Candidates::builder((0..=400).map(|i| 2 * i).collect()).features(prices).build()?;
    /// let sold = Rewards((0..400).map(|i| f64::from(i % 3 / 2)).collect());
    /// let log = CandidateLog::new(candidates, (0..400).map(|i| i / 2 % 2).collect(), vec![0.5; 400], sold)?;
    /// // Ten visits a customer.
    /// let job = CandidateJob::builder().rounds(4).candidates(1);
    /// let by_customer = job.clone().validation(Split::ByGroup((0..400).map(|i| i / 10).collect())).build()?;
    /// let model = by_customer.fit(&log, |_| ControlFlow::Continue(()))?;
    /// assert_eq!((model.record().split.as_str(), model.provenance().judging_rows % 10), ("by groups", 0));
    /// let other = job.validation(Split::ByGroup(vec![1; 399])).build()?;
    /// let refused = other.fit(&log, |_| ControlFlow::Continue(()));
    /// assert!(matches!(refused, Err(JobError::Length { expected: 400, got: 399, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validation(mut self, split: Split) -> Self {
        self.job.split = split;
        self
    }

    /// The share of the choices to judge on, 0.05 to 0.8.
    pub fn holdout_share(mut self, share: f64) -> Self {
        self.job.holdout_share = Some(share);
        self
    }

    /// The most recipes that are tried, at least 1: there are seven.
    pub fn candidates(mut self, candidates: usize) -> Self {
        self.job.candidates = candidates;
        self
    }

    /// Settings that every recipe has, in place of its own. Where an objective is among them, a regression of
    /// rewards is still fitted, to judge the others by.
    pub fn overrides(mut self, overrides: Overrides) -> Self {
        self.job.overrides = overrides;
        self
    }

    /// The most rounds of a recipe, 1 to 100,000.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.job.rounds = rounds;
        self
    }

    /// δ of the judgement.
    pub fn delta(mut self, delta: f64) -> Self {
        self.job.delta = delta;
        self
    }

    /// The range that every reward lies in, known beforehand. A log with another reward is refused.
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

    /// A file of the log, for the record.
    pub fn source(mut self, source: Source) -> Self {
        self.job.sources.push(source);
        self
    }

    /// The options of the reader, for the record.
    pub fn format(mut self, format: serde_json::Value) -> Self {
        self.job.format = format;
        self
    }

    /// The job.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for a share outside [0.05, 0.8], rounds outside 1, …, 100,000, candidates
    /// outside 1, …, 1,000 or an ε outside \[0, 1\]; [`JobError::Training`] and [`JobError::Learner`] for
    /// settings of the recipes; as [`JudgeJobBuilder::build`](crate::JudgeJobBuilder::build).
    pub fn build(self) -> Result<CandidateJob, JobError> {
        let job = self.job;
        #[allow(clippy::cast_precision_loss, reason = "for the message")]
        let checks = [
            ("holdout_share", job.holdout_share.unwrap_or(0.1), [0.05, 0.8], "[0.05, 0.8]"),
            ("rounds", job.rounds as f64, [1.0, 1e5], "1, …, 100,000"),
            ("candidates", job.candidates as f64, [1.0, 1e3], "1, …, 1,000"),
            ("epsilon", job.exploration.epsilon, [0.0, 1.0], "[0, 1]"),
        ];
        for (name, value, [least, most], domain) in checks {
            if !(least..=most).contains(&value) {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        job.judge_job()?;
        recipes(&job.overrides, job.candidates).iter().try_for_each(check)?;
        Ok(job)
    }
}
