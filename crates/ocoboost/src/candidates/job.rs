//! A policy over candidates from a log, within a budget of time, judged on rows kept apart.

use super::model::{CandidateModel, CandidateRecord, TriedRecipe};
use super::recipe::{CandidateObjective, CandidateRecipe, RECIPES, Valued};
use crate::error::JobError;
use crate::judge::{Circumstances, JudgeJob, JudgedRows, Judgement};
use crate::model::{Exploration, Provenance, Source};
use crate::propensities::PropensitySource;
use crate::split::{Split, holdout_share};
use boosters::bopl::CandidateEnsemble;
use off_policy::candidates::{CandidateLog, CandidatePolicy, OnCandidates};
use off_policy::estimators::{Observation, Observations};
use off_policy::policies::Argmax;
use off_policy::{ActionSets, Log, Rewards};
use rows::RowMatrix;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use weak_learners::pairs::{BinnedCandidates, PairHypothesis};

/// A policy over candidates from a log within a budget of time, and the judgement of it.
///
/// *How.* A share of the choices is kept apart and has no part in the search. Of the others four fifths train
/// one [recipe](CandidateRecipe) after the other, and one fifth says which recipe and how many rounds are
/// best, by doubly robust estimates less their standard errors. The winner is trained on all of them. Then
/// the policy, the argmax of the scores, is judged on the choices kept apart, with rewards that a regression
/// on the others predicts.
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
    holdout_share: Option<f64>,
    rounds: usize,
    delta: f64,
    range: Option<[f64; 2]>,
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

/// What a watcher of a job sees.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum CandidateEvent {
    /// A round of a recipe of the search.
    Search {
        /// The recipe.
        recipe: CandidateRecipe,
        /// Its place, counted from 0, of so many.
        place: (usize, usize),
        /// The rounds so far.
        round: usize,
    },
    /// A round of the training of the winner.
    Training {
        /// The recipe.
        recipe: CandidateRecipe,
        /// The rounds so far, of so many.
        round: (usize, usize),
    },
    /// The judgement begins.
    Judging,
}

impl CandidateJob {
    /// 60 seconds, seed 0, a tenth of the choices to judge on, bounds of 95%, ε = 0.1: to be changed by name.
    pub fn builder() -> CandidateJobBuilder {
        let job = Self {
            budget: Duration::from_secs(60),
            spent: Duration::ZERO,
            seed: 0,
            holdout_share: None,
            rounds: 400,
            delta: 0.05,
            range: None,
            exploration: Exploration::default(),
            sources: Vec::new(),
            format: serde_json::Value::Null,
        };
        CandidateJobBuilder { job }
    }

    /// Trains and judges. `watch` sees every round; `Break` ends the search, and a second one the training.
    ///
    /// # Errors
    /// [`JobError::TooFewRows`]; those of training and judging.
    pub fn fit(
        &self,
        log: &CandidateLog,
        mut watch: impl FnMut(CandidateEvent) -> ControlFlow<()>,
    ) -> Result<CandidateModel, JobError> {
        let begun = Instant::now();
        let now = || (self.spent + begun.elapsed()).as_secs_f64();
        let budget = self.budget.as_secs_f64();
        let share = self.holdout_share.unwrap_or_else(|| holdout_share(log.len()));
        let parts = Split::Random.parts(log.len(), share, self.seed)?;
        let learning = log.select(parts.learning.iter().copied())?;
        let judging = log.select(parts.judging.iter().copied())?;
        // Half of the time is the search's, and what judging takes is a part of what training takes.
        let (tried, chosen, mut is_cut) = self.search(&learning, |event| {
            let asked = watch(event);
            if now() >= 0.5 * budget { ControlFlow::Break(()) } else { asked }
        })?;
        let searched = now();
        let sample = BinnedCandidates::new(learning.candidates().clone())?;
        let winner = tried[chosen];
        let train =
            |tried: TriedRecipe, until: f64, watch: &mut dyn FnMut(CandidateEvent) -> ControlFlow<()>| {
                let mut rounds = 0;
                let ensemble = tried.recipe.train(&learning, &sample, tried.rounds, |round, _| {
                    rounds = round;
                    let round = (round, tried.rounds);
                    let asked = watch(CandidateEvent::Training { recipe: tried.recipe, round });
                    Ok(if now() >= until { ControlFlow::Break(()) } else { asked })
                })?;
                Ok::<_, JobError>((ensemble, rounds < tried.rounds))
            };
        let (ensemble, is_short) = train(winner, 0.85 * budget, &mut watch)?;
        is_cut |= is_short;
        let trained = now();
        let _ = watch(CandidateEvent::Judging);
        let predicts = |tried: &&TriedRecipe| tried.recipe.objective == CandidateObjective::Regression;
        let usual = TriedRecipe { recipe: RECIPES[0], rounds: 100, value: 0.0, standard_error: 0.0 };
        let of_rewards = tried.iter().find(predicts).copied().unwrap_or(usual);
        let (rewards, _) = train(of_rewards, budget, &mut |_| ControlFlow::Continue(()))?;
        let judgement = self.judge(&learning, &judging, &Argmax::new(&ensemble), &rewards)?;
        let leaves = ensemble.members().iter().map(|member| member.predictor.leaves()).sum();
        let record = CandidateRecord {
            seed: self.seed,
            budget,
            split: Split::Random.name().to_owned(),
            holdout_share: share,
            tried,
            chosen,
            trees: ensemble.members().len(),
            leaves,
            is_cut,
            seconds: [searched, trained - searched, now() - trained],
        };
        debug_assert!(ensemble.members().iter().all(|member| member.predictor.actions() == 1));
        let ensemble =
            CandidateEnsemble::of(ensemble.shape(), log.schema().cloned(), ensemble.members().to_vec())?;
        let provenance = Provenance {
            rows: log.len(),
            learning_rows: learning.len(),
            judging_rows: judging.len(),
            sources: self.sources.clone(),
            log_sha256: sha256(log),
            program: concat!("ocoboost ", env!("CARGO_PKG_VERSION")).to_owned(),
            propensities: PropensitySource::Logged,
        };
        let (exploration, format) = (self.exploration, self.format.clone());
        Ok(CandidateModel { ensemble, record, provenance, judgement, exploration, format })
    }

    /// The recipes that were tried, the place of the best one, and whether some were left out.
    fn search(
        &self,
        learning: &CandidateLog,
        mut watch: impl FnMut(CandidateEvent) -> ControlFlow<()>,
    ) -> Result<(Vec<TriedRecipe>, usize, bool), JobError> {
        let parts = Split::Random.parts(learning.len(), 0.2, self.seed.wrapping_add(1))?;
        let training = learning.select(parts.learning)?;
        let held_out = learning.select(parts.judging)?;
        let sample = BinnedCandidates::new(training.candidates().clone())?;
        let (mut tried, mut chosen, mut is_cut) = (Vec::<TriedRecipe>::new(), 0, false);
        let (mut predicted, mut best): (Option<Vec<f64>>, Option<f64>) = (None, None);
        for (place, recipe) in RECIPES.into_iter().enumerate() {
            let found = recipe.search(
                (&training, &sample),
                (&held_out, predicted.as_deref()),
                self.rounds,
                |round| {
                    let place = (place, RECIPES.len());
                    let asked = watch(CandidateEvent::Search { recipe, place, round });
                    is_cut |= asked.is_break();
                    asked
                },
            )?;
            if let Some(found) = found {
                let mut value = found.value;
                if predicted.is_none() && recipe.objective == CandidateObjective::Regression {
                    // This value was SNIPS; from now on all of them are doubly robust.
                    value = super::recipe::value(&held_out, &found.scores, Some(&found.scores))?;
                    predicted = Some(found.scores);
                }
                let Valued { value: estimate, standard_error } = value;
                tried.push(TriedRecipe { recipe, rounds: found.rounds, value: estimate, standard_error });
                if best.is_none_or(|best| value.cautious() > best) {
                    (best, chosen) = (Some(value.cautious()), tried.len() - 1);
                }
            }
            if is_cut && !tried.is_empty() {
                break;
            }
        }
        if tried.is_empty() {
            // No recipe came as far as to be judged: the first one is trained for as long as there is time.
            let (recipe, rounds) = (RECIPES[0], self.rounds);
            tried.push(TriedRecipe { recipe, rounds, value: 0.0, standard_error: 0.0 });
        }
        Ok((tried, chosen, is_cut))
    }

    fn judge(
        &self,
        learning: &CandidateLog,
        judging: &CandidateLog,
        policy: &impl CandidatePolicy,
        rewards: &CandidateEnsemble,
    ) -> Result<Judgement, JobError> {
        let range = learning.rewards().iter().fold([f64::MAX, f64::MIN], |[l, u], r| [l.min(*r), u.max(*r)]);
        let step = learning.len().div_ceil(2_000);
        let tuning = learning.select((0..learning.len()).step_by(step))?;
        let tuning = observations(&tuning, policy, None)?;
        self.judge_job()?.judge_observations(
            &with_numbered_actions(judging)?,
            observations(judging, policy, Some(rewards))?,
            true,
            Some(&tuning),
            &Circumstances {
                judged: JudgedRows::KeptApart,
                other_range: Some(range),
                tuning_rows: None,
                model: None,
                are_grouped: false,
                times: 1,
            },
        )
    }

    fn judge_job(&self) -> Result<JudgeJob, JobError> {
        let judge = JudgeJob::builder().delta(self.delta).seed(self.seed);
        self.range.map_or(judge.clone(), |range| judge.reward_range(range)).build()
    }
}

impl JudgeJob {
    /// The judgement of a policy over candidates, by a log of choices that had no part in its training.
    /// Without a model of rewards there is no DM, DR and SWITCH-DR.
    ///
    /// # Errors
    /// [`JobError::Estimate`] for a policy of other columns, and for a reward outside the stated range.
    pub fn evaluate_candidates(
        &self,
        log: &CandidateLog,
        policy: &impl CandidatePolicy,
        model: Option<&CandidateEnsemble>,
    ) -> Result<Judgement, JobError> {
        let rows = observations(log, policy, model)?;
        let circumstances = Circumstances {
            judged: JudgedRows::Given,
            other_range: None,
            tuning_rows: None,
            model: None,
            are_grouped: false,
            times: 1,
        };
        self.judge_observations(&with_numbered_actions(log)?, rows, model.is_some(), None, &circumstances)
    }
}

/// The rows of a log as the estimators see them.
fn observations(
    log: &CandidateLog,
    policy: &impl CandidatePolicy,
    model: Option<&CandidateEnsemble>,
) -> Result<Vec<Observation>, JobError> {
    let mut seen = OnCandidates::new(log, policy);
    if let Some(model) = model {
        seen = seen.with_model(model);
    }
    let mut rows = Vec::with_capacity(log.len());
    seen.visit(|row| {
        rows.push(*row);
        Ok(())
    })?;
    Ok(rows)
}

/// The log with numbers for its candidates, as a judgement asks for: what was on offer and what was taken.
///
/// A place in a list means nothing, so it is turned by the number of the row: a log whose chosen candidate
/// always comes first did not always take the same action.
fn with_numbered_actions(log: &CandidateLog) -> Result<Log, JobError> {
    let n = log.len();
    let counts: Vec<usize> = (0..n).map(|i| log.candidates().pairs_of(i).len()).collect();
    let most = counts.iter().copied().max().unwrap_or(1).max(2);
    let number = |v: usize| u32::try_from(v).unwrap_or(u32::MAX);
    let chosen = (0..n).map(|i| number((log.chosen()[i] as usize + i) % counts[i])).collect();
    let contexts = RowMatrix::dense(1, vec![0.0; n]).map_err(weak_learners::LearnerError::from)?;
    let rewards = Rewards(log.rewards().to_vec());
    let numbered = Log::new(contexts, most, chosen, log.propensities().to_vec(), rewards)?;
    let sets = counts.iter().map(|count| (0..number(*count)).collect::<Vec<u32>>());
    Ok(numbered.with_action_sets(ActionSets::new(most, sets)?)?)
}

/// The SHA-256 of the numbers of a log.
fn sha256(log: &CandidateLog) -> String {
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
        hash.update(log.propensities()[i].to_le_bytes());
        hash.update(log.rewards()[i].to_le_bytes());
    }
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

    /// The share of the choices to judge on, 0.05 to 0.8.
    pub fn holdout_share(mut self, share: f64) -> Self {
        self.job.holdout_share = Some(share);
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

    /// The range that every reward lies in, known beforehand.
    pub fn reward_range(mut self, range: [f64; 2]) -> Self {
        self.job.range = Some(range);
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
    /// [`JobError::BadSetting`] for a share outside [0.05, 0.8], rounds outside 1, …, 100,000 or an ε outside
    /// \[0, 1\]; as [`JudgeJobBuilder::build`](crate::JudgeJobBuilder::build).
    pub fn build(self) -> Result<CandidateJob, JobError> {
        let job = self.job;
        #[allow(clippy::cast_precision_loss, reason = "for the message")]
        let checks = [
            ("holdout_share", job.holdout_share.unwrap_or(0.1), [0.05, 0.8], "[0.05, 0.8]"),
            ("rounds", job.rounds as f64, [1.0, 1e5], "1, …, 100,000"),
            ("epsilon", job.exploration.epsilon, [0.0, 1.0], "[0, 1]"),
        ];
        for (name, value, [least, most], domain) in checks {
            if !(least..=most).contains(&value) {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        job.judge_job()?;
        Ok(job)
    }
}
