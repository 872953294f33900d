//! A policy from a log with nothing to set: which objective, how deep, how long is chosen on the log alone.
//!
//! [`AutoPolicy`] tries [`Candidate`]s one by one on a part of the log, judges each after every round by the
//! doubly robust estimate on rows that it has not seen, and trains the best one on all rows.

mod candidate;
mod checkpoint;
mod curve;
mod learner;
mod progress;
mod reward_model;

pub use candidate::{Candidate, Objective, Overrides};
pub use checkpoint::{AutoCheckpoint, Snapshot};
pub use progress::{Plan, Progress};
pub use reward_model::BoostedRewards;

use crate::bopl::{BoplError, Member, PolicyEnsemble, Validation};
use candidate::{Ranges, candidates};
use checkpoint::{Done, Journal, Piece};
use curve::{Curve, FIRST_MILESTONE, FIRST_WINNER, Pooled, best, by_value, finalists};
use learner::{Training, check, contexts_of, contexts_of_rank};
use off_policy::estimators::{Estimate, Estimator};
use off_policy::{Log, Rewards};
use progress::Watch;
use rand::SeedableRng;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::ControlFlow;
use weak_learners::pairs::{BinnedContexts, PairTree};
use weak_learners::{Ranks, Shard};

/// A recipe: the number of candidates, the most rounds of each, and a seed.
///
/// *How.* Rewards are mapped to [0, 1]. The search takes all rows, or 1,000,000 of them by lot.
/// They are dealt to five folds. One of them is held out, and in a
/// log below 10,000 rows each of them in turn. A candidate is trained on the other rows, and after every
/// round the argmax policy is valued on the held-out fold by DR, with a model of rewards that is fitted on
/// the same training rows. All candidates play until Ση = 2. The best one then leads, and goes on until Ση =
/// 60, the most rounds, or, from Ση = 15 on, as long without a better round as half of its rounds. The others
/// follow, and end where they lag: what they have gained since Ση was half as long, once more, would not
/// bring them up to it. The best one, and up to two others within half a standard error of it, are then
/// trained and valued on further folds, until all rows or 20,000 of them have been held out. The candidate
/// and the round of the largest mean value from Ση = 5 on win. They are trained on all rows: four times on
/// other draws of rows and columns, or less often from 100,001 rows on.
///
/// The value is that of a winner among many, and therefore optimistic: judge the policy on rows that were
/// not in the log. *Randomness:* a ChaCha stream per component. The result depends on the log, the settings
/// and the seed alone. *Cost:* that of the candidates' rounds; one candidate is in memory at a time.
///
/// ```
/// use boosters::auto_policy::AutoPolicy;
/// use off_policy::policies::{Argmax, Policy};
/// use off_policy::{ActionSet, Log, Rewards};
/// use rows::{Row, RowMatrix};
/// use std::ops::ControlFlow;
/// // Action 1 pays where x ≥ ½; the log played both evenly.
/// let contexts = RowMatrix::dense(1, (0..400).map(|i| f64::from(i % 20) / 20.0).collect())?;
/// let actions: Vec<u32> = (0..400).map(|i| (i / 20) % 2).collect();
/// let paid = |i: u32, a: u32| f64::from(u8::from((i % 20 >= 10) == (a == 1)));
/// let rewards = (0..400).map(|i| paid(i, actions[i as usize])).collect();
/// let log = Log::new(contexts, 2, actions.clone(), vec![0.5; 400], Rewards(rewards))?;
/// let recipe = AutoPolicy::builder().candidates(2).rounds(30).seed(1).build()?;
/// let fit = recipe.fit(&log, |tried| ControlFlow::Continue(()))?;
/// let policy = Argmax::new(fit.ensemble);
/// let mut pi = [0.0; 2];
/// policy.probabilities(Row::dense(&[0.9])?, ActionSet::all(2)?, &mut pi)?;
/// assert_eq!(pi, [0.0, 1.0]);
/// assert_eq!(fit.tried.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AutoPolicy {
    candidates: usize,
    rounds: usize,
    seed: u64,
    overrides: Overrides,
    search_rows: usize,
}

/// Builds an [`AutoPolicy`]: 9 candidates of at most 800 rounds, seed 0, unless it is told otherwise.
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct AutoPolicyBuilder {
    recipe: AutoPolicy,
}

/// A candidate that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What it was.
    pub candidate: Candidate,
    /// The rounds that it played.
    pub rounds: usize,
    /// The round of the largest value; 0 is the policy of no trees.
    pub best_round: usize,
    /// The value of the argmax policy after that round, by DR on held-out rows, in the log's own rewards.
    pub value: Estimate,
    /// Rounds in their order with such values, rounded to seven digits: the first round, the best, the last,
    /// and others evenly, 64 at most. Not in what was saved before there was one.
    #[serde(default)]
    pub curve: Vec<(usize, f64)>,
}

impl Tried {
    fn new(candidate: &Candidate, curve: &Curve, unit: Unit) -> Self {
        let (best_round, value) = curve.best();
        let rounds = curve.values.len() - 1;
        let point = |round: usize| (round, seven_digits(unit.undo(curve.values[round]).value));
        Self {
            candidate: *candidate,
            rounds,
            best_round,
            value: unit.undo(value),
            curve: shown(rounds, best_round).into_iter().map(point).collect(),
        }
    }
}

/// The most points of a curve that is kept.
const POINTS: usize = 64;

/// Rounds 0, …, `last`, or as many of them as are kept.
fn shown(last: usize, best: usize) -> Vec<usize> {
    let steps = last.min(POINTS - 2);
    let mut rounds: Vec<usize> = (0..=steps).map(|step| step * last / steps.max(1)).chain([best]).collect();
    rounds.sort_unstable();
    rounds.dedup();
    rounds
}

fn seven_digits(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

/// The outcome of a recipe.
#[derive(Debug, Clone)]
pub struct AutoFit {
    /// The scores of the policy, trained on all rows; its [`Argmax`](off_policy::policies::Argmax) is the
    /// policy that was valued.
    pub ensemble: PolicyEnsemble<PairTree>,
    /// The position of the winner in `tried`.
    pub chosen: usize,
    /// The candidates in the order in which they were drawn.
    pub tried: Vec<Tried>,
    /// Whether the search was ended before its own end.
    pub is_search_cut: bool,
    /// The rounds of the training on all rows as planned, those of all its repetitions.
    pub rounds_planned: usize,
    /// The rounds of it in the ensemble: fewer where it was ended, or where no further tree improves.
    pub rounds_trained: usize,
    /// Whether the training on all rows was ended before its own end.
    pub is_training_cut: bool,
    /// Whether that end came so early that the ensemble is the winner's of the search instead, trained on
    /// four fifths of the rows.
    pub is_of_search: bool,
}

/// The most rows of a search, unless it is told otherwise.
const SEARCH_ROWS: usize = 1_000_000;
/// The folds that rows are dealt to.
const FOLDS: usize = 5;
/// Logs of fewer rows are valued on all folds, others on one at first.
const SMALL: usize = 10_000;
/// The rows that are held out in all folds of the finalists.
const HELD_OUT: usize = 20_000;
/// The least patience.
const PATIENCE: usize = 50;
/// The most trainings of the winner, each on other parts of the rows and columns, and the rows of all of
/// them from which one less is enough: the larger the log, the less trainings differ.
const BAGS: u16 = 4;
const ROWS_OF_BAGS: usize = 400_000;
/// The stream of the rows of a search, behind those of candidates and trainings.
const SEARCH_STREAM: u64 = 1 << 21;
/// The Ση at which a candidate ends, and the one before which none runs out of patience.
const LONGEST_PATH: f64 = 60.0;
const SHORTEST_PATH: f64 = 15.0;

impl AutoPolicy {
    /// A builder that starts from the defaults.
    pub fn builder() -> AutoPolicyBuilder {
        let overrides = Overrides::default();
        let search_rows = SEARCH_ROWS;
        AutoPolicyBuilder { recipe: Self { candidates: 9, rounds: 800, seed: 0, overrides, search_rows } }
    }

    /// Tries the candidates, and trains the best one on all rows. `watch` sees each candidate after its first
    /// rounds, again when it ends, and after each further fold; `Break` ends the search, and the best one so
    /// far is trained.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a log of fewer than 10 rows; the errors of training.
    pub fn fit(
        &self,
        log: &Log,
        mut watch: impl FnMut(&Tried) -> ControlFlow<()>,
    ) -> Result<AutoFit, BoplError> {
        self.fit_watched(log, |progress| match progress {
            Progress::Tried(tried) => watch(tried),
            _ => ControlFlow::Continue(()),
        })
    }

    /// The same with a watcher that sees every round, and may end the search and the training: for work
    /// within a time. `Break` before [`Progress::Training`] ends the search, and the best candidate so far is
    /// trained: to its best round or, if the search ended before Ση = 5, to that one. `Break` at a
    /// [`Progress::Training`] ends the training: the ensemble is that of the repetitions so far, or of the
    /// rounds so far of the first one, or where it has fewer rounds that of the search.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(
        &self,
        log: &Log,
        mut watch: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<AutoFit, BoplError> {
        self.fit_resumable(log, None, |progress, _| watch(progress))
    }

    /// The same from the beginning, or from a checkpoint on. `watch` sees beside the progress a [`Snapshot`],
    /// from which a [checkpoint](AutoCheckpoint) of that moment is made: a program writes it to a file every
    /// so often.
    ///
    /// ```
    /// use boosters::auto_policy::{AutoCheckpoint, AutoPolicy, Progress};
    /// use off_policy::{Log, Rewards};
    /// use std::ops::ControlFlow;
    /// let contexts = rows::RowMatrix::dense(1, (0..100).map(|i| f64::from(i % 20) / 20.0).collect())?;
    /// let actions: Vec<u32> = (0..100).map(|i| u32::from(i % 3 == 0)).collect();
    /// let paid = |(i, a): (usize, &u32)| f64::from(u8::from((i % 20 >= 10) == (*a == 1)));
    /// let rewards = Rewards(actions.iter().enumerate().map(paid).collect());
    /// let log = Log::new(contexts, 2, actions, vec![0.5; 100], rewards)?;
    /// let recipe = AutoPolicy::builder().candidates(2).rounds(9).build()?;
    /// let mut file = String::new();
    /// let fit = recipe.fit_resumable(&log, None, |progress, snapshot| {
    ///     if let Progress::Search { candidate: 1, round: 5, .. } = progress {
    ///         file = serde_json::to_string(&snapshot.checkpoint()).unwrap_or_default();
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// let from: AutoCheckpoint = serde_json::from_str(&file)?;
    /// let resumed = recipe.fit_resumable(&log, Some(from), |_, _| ControlFlow::Continue(()))?;
    /// assert_eq!(resumed.ensemble, fit.ensemble);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`BoplError::AnotherRecipe`], [`BoplError::AnotherLog`],
    /// [`BoplError::BrokenSearch`] and the errors of [`Checkpoint::resume`](crate::bopl::Checkpoint::resume)
    /// for a checkpoint.
    pub fn fit_resumable(
        &self,
        log: &Log,
        from: Option<AutoCheckpoint>,
        watch: impl FnMut(Progress<'_>, &Snapshot<'_>) -> ControlFlow<()>,
    ) -> Result<AutoFit, BoplError> {
        self.fit_of_rank((log, &Shard::whole(log.len())), &Ranks::alone(), from, watch)
    }

    /// The same on the rows of several ranks, of which the log has those of one: a run of whole blocks, as
    /// [`PolicyBoosting::of_rank`](crate::bopl::PolicyBoosting::of_rank) asks for. A log of all rows on every
    /// rank has [`Shard::whole`], and every rank does all of the work.
    ///
    /// *Guarantee:* the fit is that of one process on all rows, and every rank gets it. A checkpoint of any
    /// number of ranks is gone on with by any number. *How.* The rows of the search are sent to every rank,
    /// and all ranks search. The training of the winner is on the rows of the ranks. *Watchers:* every rank
    /// has one, and `Break` of any of them counts.
    ///
    /// # Errors
    /// As [`fit_resumable`](Self::fit_resumable), and
    /// [`LearnerError::Ranks`](weak_learners::LearnerError::Ranks).
    pub fn fit_of_rank(
        &self,
        (log, shard): (&Log, &Shard),
        ranks: &Ranks,
        from: Option<AutoCheckpoint>,
        mut watch: impl FnMut(Progress<'_>, &Snapshot<'_>) -> ControlFlow<()>,
    ) -> Result<AutoFit, BoplError> {
        let all_rows = shard.total();
        if all_rows < 2 * FOLDS {
            #[allow(clippy::cast_precision_loss, reason = "below 10")]
            let value = all_rows as f64;
            return Err(BoplError::BadParameter { name: "rows of the log", value, domain: "10, 11, …" });
        }
        let recipe = (self.candidates, self.rounds, self.seed, self.overrides);
        let journal = Journal::new((recipe, self.search_rows), (log, shard), from)?;
        let watch = &mut Watch::new(&mut watch, journal, ranks.clone());
        let unit = Unit::of(log, shard)?;
        let all = unit.scaled(log)?;
        let log = self.searched(&all, shard)?;
        let n = log.len();
        let mut rows: Vec<usize> = (0..n).collect();
        rows.shuffle(&mut self.stream(0));
        let held_out = if n < SMALL { FOLDS } else { 1 };
        let (count, rngs) = (held_out, self.streams(1));
        // They are made when the first round needs them: not for what an earlier run has done.
        let mut folds = Folds { log: &log, order: &rows, all_rows, count, rngs, made: None };
        let drawn = candidates(Ranges::of(&log), self.candidates, self.overrides, &mut self.stream(3));
        let (mut tried, mut curves, mut so_far) = (Vec::new(), Vec::<Curve>::new(), None);
        for (k, candidate) in drawn.iter().enumerate() {
            // At least one candidate is valued, however early the search ends.
            let race = self.race((Piece::Start(k), candidate), &mut folds, (None, &curves), watch)?;
            let found = Tried::new(candidate, &race.0, unit);
            let _ = watch.see(Progress::Tried(&found));
            tried.push(found);
            curves.push(race.0);
            if by_value(&curves).first() == Some(&k) {
                so_far = race.1;
                watch.journal.keep_last_race();
            } else {
                watch.journal.drop_last_race();
            }
            if watch.is_over() {
                break;
            }
        }
        // The best so far leads, and the others go on as long as they keep up.
        let order = by_value(&curves);
        let mut chosen = order.first().copied().unwrap_or_default();
        for k in order {
            let leader = (k != chosen).then_some(chosen);
            if watch.is_over() || curves[k].lags(leader.map(|leader| &curves[leader])) {
                continue;
            }
            let (curve, ensemble) =
                self.race((Piece::Race(k), &drawn[k]), &mut folds, (leader, &curves), watch)?;
            // A race that was ended may be behind where the first one came to.
            let is_further = curve.values.len() >= curves[k].values.len();
            if is_further {
                tried[k] = Tried::new(&drawn[k], &curve, unit);
                curves[k] = curve;
            }
            let _ = watch.see(Progress::Tried(&tried[k]));
            let is_better = curves[k].best().1.value > curves[chosen].best().1.value;
            if (is_better || k == chosen) && is_further {
                so_far = ensemble;
                watch.journal.keep_last_race();
            } else {
                watch.journal.drop_last_race();
            }
            if is_better {
                chosen = k;
            }
        }
        let winner_of_search = chosen;
        drop(folds);
        if !watch.is_over() {
            let finalists = finalists(&curves, chosen);
            for fold in held_out..further_folds(n) {
                let rows_held_out = (0..n).filter(|place| place % FOLDS == fold).count();
                let (mut made, mut values) = (None, Vec::new());
                for k in &finalists {
                    let piece = Piece::Follow { candidate: *k, fold };
                    if let Some(done) = watch.journal.take_up(piece)? {
                        values.push(Some(done.values));
                        continue;
                    }
                    if watch.is_over() {
                        values.push(None);
                        continue;
                    }
                    let fold = match &mut made {
                        Some(fold) => fold,
                        None => made.insert(Fold::new(&log, &rows, fold, &self.streams(1), watch)?),
                    };
                    let plan = self.plan(chosen, &curves, all_rows);
                    values.push(self.follow((piece, &drawn[*k]), fold, &curves[*k], plan, watch)?);
                }
                for (k, values) in finalists.iter().zip(values) {
                    // What was ended half-way counts for nothing.
                    let Some(values) = values else { continue };
                    curves[*k].merge(rows_held_out, &values);
                    tried[*k] = Tried::new(&drawn[*k], &curves[*k], unit);
                    let _ = watch.see(Progress::Tried(&tried[*k]));
                }
                if watch.is_over() {
                    break;
                }
            }
            chosen = best(&curves, finalists);
        }
        watch.check_ranks()?;
        let is_search_cut = watch.is_over();
        let rounds = self.rounds_of(&curves[chosen], is_search_cut);
        watch.start_training();
        let (mut ensemble, mut rounds_trained) =
            self.bag((chosen, &tried[chosen].candidate), rounds, (&all, shard), watch)?;
        watch.check_ranks()?;
        let rounds_planned = rounds * usize::from(bags(all_rows));
        let is_training_cut = watch.is_over();
        let so_far = so_far.filter(|_| is_training_cut && chosen == winner_of_search);
        let so_far =
            so_far.map(|so_far| so_far.prefix(rounds)).filter(|so_far| so_far.len() > rounds_trained);
        let is_of_search = so_far.is_some();
        if let Some(so_far) = so_far {
            (rounds_trained, ensemble) = (so_far.len(), so_far);
        }
        Ok(AutoFit {
            ensemble,
            chosen,
            tried,
            is_search_cut,
            rounds_planned,
            rounds_trained,
            is_training_cut,
            is_of_search,
        })
    }

    /// The rounds to train the winner for: those of its best value, or Ση = 5 where the search ended before.
    fn rounds_of(&self, curve: &Curve, is_cut: bool) -> usize {
        if !is_cut || curve.path(curve.values.len() - 1) >= FIRST_WINNER {
            return curve.best().0;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of rounds")]
        let first = (FIRST_WINNER / curve.learning_rate).ceil() as usize;
        first.min(self.rounds)
    }

    /// What would be trained if the search ended now.
    fn plan(&self, chosen: usize, curves: &[Curve], rows: usize) -> Plan {
        let rounds = curves.get(chosen).map_or(0, |curve| self.rounds_of(curve, true));
        Plan { candidate: chosen, rounds: rounds * usize::from(bags(rows)), rows }
    }

    /// The mean of the scores of several trainings on all rows, and their rounds.
    fn bag(
        &self,
        (k, candidate): (usize, &Candidate),
        rounds: usize,
        (log, shard): (&Log, &Shard),
        watch: &mut Watch<'_>,
    ) -> Result<(PolicyEnsemble<PairTree>, usize), BoplError> {
        let (n, ranks) = (shard.total(), shard.ranks());
        let contexts = contexts_of_rank(log, ranks)?;
        let predictions = match candidate.objective {
            Objective::DoublyRobust => {
                let see = &mut |progress: Progress<'_>| watch.see(progress);
                reward_model::cross_fitted_of_rank((log, shard), &self.streams(1), see)?
            }
            _ => Vec::new(),
        };
        // Whoever ended the models of rewards is asked again about the rounds.
        watch.start_training();
        let (mut kept, mut of_bags) = (Vec::new(), 0_u16);
        let bags = bags(n);
        let planned = rounds * usize::from(bags);
        for bag in 0..bags {
            let piece = Piece::Bag { candidate: k, rounds, bag };
            if let Some(Done { ensemble: Some(ensemble), .. }) = watch.journal.take_up(piece)? {
                kept.extend_from_slice(ensemble.members());
                of_bags += 1;
                continue;
            }
            let rngs = self.streams((1 << 20) + 2 * u64::from(bag));
            let saved = watch.journal.resumed(piece, 1).and_then(|mut runs| runs.pop());
            let mut training = match saved {
                Some(saved) => {
                    Training::resume(saved, (candidate, rngs), (log, ranks), || Ok(predictions.clone()))?
                }
                None => Training::of_rank(candidate, (log, ranks), rngs, || Ok(predictions.clone()))?,
            };
            for round in training.ensemble().len() + 1..=rounds {
                if training.round(&contexts)?.is_break() {
                    break;
                }
                let done = rounds * usize::from(bag) + round;
                let progress = Progress::Training { candidate: k, done, planned, rows: n };
                let under_way = Some((piece, std::slice::from_ref(&training)));
                if watch.see_runs(progress, under_way).is_break() {
                    break;
                }
            }
            let is_whole = !watch.is_over() || training.ensemble().len() == rounds;
            if is_whole {
                watch.journal.book(piece, &[], Some(training.ensemble()));
            }
            if is_whole || of_bags == 0 {
                kept.extend_from_slice(training.ensemble().members());
                of_bags += 1;
            }
            if watch.is_over() {
                break;
            }
        }
        let rounds = kept.len();
        let share = |Member { alpha, predictor }: Member<PairTree>| Member {
            alpha: alpha / f64::from(of_bags),
            predictor,
        };
        let members = kept.into_iter().map(share).collect();
        let ensemble = PolicyEnsemble::of(log.inputs(), log.actions(), members)?;
        let ensemble = match log.schema() {
            Some(schema) => ensemble.with_schema(schema.clone())?,
            None => ensemble,
        };
        Ok((ensemble, rounds))
    }

    /// The values of a candidate's rounds, until it has ended, lags behind, or Ση is as long as it may be;
    /// and the ensemble on the first fold.
    fn race(
        &self,
        (piece, candidate): (Piece, &Candidate),
        folds: &mut Folds<'_>,
        (leader, others): (Option<usize>, &[Curve]),
        watch: &mut Watch<'_>,
    ) -> Result<(Curve, Option<PolicyEnsemble<PairTree>>), BoplError> {
        let (k, longest_path) = match piece {
            Piece::Race(k) => (k, LONGEST_PATH),
            Piece::Start(k) | Piece::Follow { candidate: k, .. } | Piece::Bag { candidate: k, .. } => {
                (k, FIRST_MILESTONE)
            }
        };
        if let Some(Done { values, ensemble, .. }) = watch.journal.take_up(piece)? {
            let rows = (0..folds.log.len()).filter(|place| place % FOLDS < folds.count).count();
            return Ok((Curve { learning_rate: candidate.learning_rate, rows, values }, ensemble));
        }
        let (all_rows, alone) = (folds.all_rows, Ranks::alone());
        let folds = folds.made(watch)?;
        let rngs = self.streams(4 + 2 * (k as u64 + 1));
        let saved = watch.journal.resumed(piece, folds.len()).unwrap_or_default();
        let mut saved = saved.into_iter();
        let mut runs = Vec::new();
        for fold in folds {
            let predictions = || fold.predictions(&self.streams(1), watch).map(<[f64]>::to_vec);
            runs.push(match saved.next() {
                Some(saved) => {
                    Training::resume(saved, (candidate, rngs.clone()), (&fold.train, &alone), predictions)?
                }
                None => Training::new(candidate, &fold.train, rngs.clone(), predictions)?,
            });
        }
        // Where a run had to begin again, all of them do.
        let begun = runs.iter().map(|run| run.ensemble().len()).min().unwrap_or_default();
        if runs.iter().any(|run| run.ensemble().len() > begun) {
            runs.clear();
            for fold in folds {
                let predictions = || fold.predictions(&self.streams(1), watch).map(<[f64]>::to_vec);
                runs.push(Training::new(candidate, &fold.train, rngs.clone(), predictions)?);
            }
        }
        let begun = runs.first().map_or(0, |run| run.ensemble().len());
        let mut validations = folds.iter().map(Fold::validation).collect::<Result<Vec<_>, _>>()?;
        let rows = folds.iter().map(|fold| fold.held_out.len()).sum();
        let trained: usize = folds.iter().map(|fold| fold.train.len()).sum();
        let best_other = by_value(others).first().copied();
        let learning_rate = candidate.learning_rate;
        let mut curve = Curve { learning_rate, rows, values: Vec::new() };
        'rounds: for round in begun.. {
            for (validation, run) in validations.iter_mut().zip(&runs) {
                validation.follow(run.ensemble())?;
            }
            for round in curve.values.len()..=round {
                let mut pooled = Pooled::default();
                for (validation, fold) in validations.iter().zip(folds) {
                    if let Some(estimate) = validation.estimates().get(round).copied().flatten() {
                        pooled.add(fold.held_out.len(), estimate);
                    }
                }
                curve.values.push(pooled.mean());
            }
            let best = curve.best();
            let is_patient = round - best.0 < PATIENCE.max(round / 2);
            let has_waited = !is_patient && curve.path(round) >= SHORTEST_PATH;
            let is_long = round >= self.rounds || curve.path(round) >= longest_path;
            if has_waited || is_long || curve.lags(leader.map(|leader| &others[leader])) {
                break;
            }
            let plan = match best_other.map(|other| (other, others[other].best().1.value)) {
                Some((other, value)) if value >= best.1.value => self.plan(other, others, all_rows),
                _ => Plan { candidate: k, ..self.plan(0, std::slice::from_ref(&curve), all_rows) },
            };
            let progress = Progress::Search { candidate: k, round, rows: trained, plan };
            if watch.see_runs(progress, Some((piece, &runs))).is_break() {
                break;
            }
            for (run, fold) in runs.iter_mut().zip(folds) {
                if run.round(&fold.contexts)?.is_break() {
                    break 'rounds;
                }
            }
        }
        drop(validations);
        let ensemble = runs.into_iter().next().map(Training::into_ensemble);
        watch.journal.book(piece, &curve.values, ensemble.as_ref());
        Ok((curve, ensemble))
    }

    /// As many values of the k-th candidate on one more fold as there are: F_0, F_1, …; fewer where training
    /// ended. `None` where the watcher ended it.
    fn follow(
        &self,
        (piece, candidate): (Piece, &Candidate),
        fold: &Fold,
        curve: &Curve,
        plan: Plan,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<Estimate>>, BoplError> {
        let Piece::Follow { candidate: k, .. } = piece else { return Ok(None) };
        let rngs = self.streams(4 + 2 * (k as u64 + 1));
        let saved = watch.journal.resumed(piece, 1).and_then(|mut runs| runs.pop());
        let predictions = || fold.predictions(&self.streams(1), watch).map(<[f64]>::to_vec);
        let mut run = match saved {
            Some(saved) => {
                Training::resume(saved, (candidate, rngs), (&fold.train, &Ranks::alone()), predictions)?
            }
            None => Training::new(candidate, &fold.train, rngs, predictions)?,
        };
        let mut validation = fold.validation()?;
        validation.follow(run.ensemble())?;
        for round in run.ensemble().len() + 1..curve.values.len() {
            let progress = Progress::Search { candidate: k, round, rows: fold.train.len(), plan };
            if watch.see_runs(progress, Some((piece, std::slice::from_ref(&run)))).is_break() {
                return Ok(None);
            }
            if run.round(&fold.contexts)?.is_break() {
                break;
            }
            validation.follow(run.ensemble())?;
        }
        let values: Vec<Estimate> = validation.estimates().iter().copied().flatten().collect();
        watch.journal.book(piece, &values, None);
        Ok(Some(values))
    }

    /// The rows of the search, on every rank: all of them, or as many as it takes, by lot and in their order.
    fn searched<'l>(&self, log: &'l Log, shard: &Shard) -> Result<Cow<'l, Log>, BoplError> {
        let (ranks, n, first) = (shard.ranks(), shard.total(), shard.first());
        let own = 0..log.len();
        let rows: Vec<usize> = if n > self.search_rows {
            let drawn = index::sample(&mut self.stream(SEARCH_STREAM), n, self.search_rows);
            let mut rows: Vec<usize> = drawn
                .iter()
                .filter_map(|row| row.checked_sub(first))
                .filter(|row| own.contains(row))
                .collect();
            rows.sort_unstable();
            rows
        } else if ranks.are_several() {
            own.collect()
        } else {
            return Ok(Cow::Borrowed(log));
        };
        Ok(Cow::Owned(log.gathered(&rows, ranks)?))
    }

    fn stream(&self, of: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream((1 << 43) + of);
        rng
    }

    fn streams(&self, of: u64) -> [ChaCha8Rng; 2] {
        [self.stream(of), self.stream(of + 1)]
    }
}

impl AutoPolicyBuilder {
    /// The number of candidates, 1 to 1,000.
    pub fn candidates(mut self, candidates: usize) -> Self {
        self.recipe.candidates = candidates;
        self
    }

    /// The most rounds of a candidate, 1 to 100,000.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.recipe.rounds = rounds;
        self
    }

    /// The seed of all draws.
    pub fn seed(mut self, seed: u64) -> Self {
        self.recipe.seed = seed;
        self
    }

    /// Settings that every candidate has.
    pub fn overrides(mut self, overrides: Overrides) -> Self {
        self.recipe.overrides = overrides;
        self
    }

    /// The most rows of the search, 10 to 2³² − 1: 1,000,000. They are a sample by lot where there are more.
    /// The training of the winner is on all rows.
    pub fn search_rows(mut self, rows: usize) -> Self {
        self.recipe.search_rows = rows;
        self
    }

    /// The recipe.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a number of candidates, rounds or rows outside its range;
    /// [`BoplError::Learner`] and others for a setting of every candidate that no candidate can have.
    pub fn build(self) -> Result<AutoPolicy, BoplError> {
        let AutoPolicy { candidates, rounds, search_rows, .. } = self.recipe;
        for (name, number, [least, most], domain) in [
            ("candidates", candidates, [1, 1_000], "1, 2, …, 1000"),
            ("rounds", rounds, [1, 100_000], "1, 2, …, 100000"),
            ("search_rows", search_rows, [2 * FOLDS, u32::MAX as usize], "10, 11, …, 4294967295"),
        ] {
            if !(least..=most).contains(&number) {
                #[allow(clippy::cast_precision_loss, reason = "for a message")]
                let value = number as f64;
                return Err(BoplError::BadParameter { name, value, domain });
            }
        }
        check(&self.recipe.overrides.of(Candidate::USUAL, 0.0))?;
        Ok(self.recipe)
    }
}

/// The number of trainings of the winner on a log of n ≥ 1 rows.
fn bags(n: usize) -> u16 {
    u16::try_from(ROWS_OF_BAGS / n).unwrap_or(BAGS).clamp(1, BAGS)
}

/// The folds that candidates race on.
struct Folds<'a> {
    log: &'a Log,
    order: &'a [usize],
    /// Of the training that follows.
    all_rows: usize,
    count: usize,
    rngs: [ChaCha8Rng; 2],
    made: Option<Vec<Fold>>,
}

impl Folds<'_> {
    fn made(&mut self, watch: &mut Watch<'_>) -> Result<&[Fold], BoplError> {
        if self.made.is_none() {
            let of = |fold| Fold::new(self.log, self.order, fold, &self.rngs, watch);
            self.made = Some((0..self.count).map(of).collect::<Result<_, _>>()?);
        }
        Ok(self.made.as_deref().unwrap_or_default())
    }
}

/// Rows that a candidate is trained on, and rows that it is valued on.
struct Fold {
    train: Log,
    contexts: BinnedContexts,
    held_out: Log,
    /// q̂ of the held-out rows, by a model that is fitted on `train`.
    predicted: Vec<f64>,
    /// q̂ of `train`, cross-fitted.
    predictions: OnceCell<Vec<f64>>,
}

impl Fold {
    fn new(
        log: &Log,
        order: &[usize],
        fold: usize,
        rngs: &[ChaCha8Rng; 2],
        watch: &mut Watch<'_>,
    ) -> Result<Self, BoplError> {
        let of = |is_held_out: bool| {
            let places = order.iter().enumerate();
            let mut rows: Vec<usize> = places
                .filter(|(place, _)| (place % FOLDS == fold) == is_held_out)
                .map(|(_, row)| *row)
                .collect();
            rows.sort_unstable();
            log.select(rows)
        };
        let (train, held_out) = (of(false)?, of(true)?);
        let (contexts, predicted) = (
            contexts_of(&train)?,
            reward_model::predictions(&train, &held_out, rngs, &mut |progress| watch.see(progress))?,
        );
        Ok(Self { train, contexts, held_out, predicted, predictions: OnceCell::new() })
    }

    fn predictions(&self, rngs: &[ChaCha8Rng; 2], watch: &mut Watch<'_>) -> Result<&[f64], BoplError> {
        if let Some(found) = self.predictions.get() {
            return Ok(found);
        }
        let found = reward_model::cross_fitted(&self.train, rngs, &mut |progress| watch.see(progress))?;
        Ok(self.predictions.get_or_init(|| found))
    }

    fn validation(&self) -> Result<Validation<'_>, BoplError> {
        let validation = Validation::builder(&self.held_out).estimator(Estimator::Dr);
        validation.predictions(&self.predicted).of_argmax().patience(usize::MAX).build()
    }
}

/// The number of folds that finalists are valued on, in a log of n rows.
fn further_folds(n: usize) -> usize {
    HELD_OUT.div_ceil((n / FOLDS).max(1)).min(FOLDS)
}

/// r = least + span·r′, with r′ in [0, 1].
#[derive(Debug, Clone, Copy)]
struct Unit {
    least: f64,
    span: f64,
}

impl Unit {
    /// Of the rewards of all ranks.
    fn of(log: &Log, shard: &Shard) -> Result<Self, BoplError> {
        let [least, most] = shard.ranks().ends(log.rewards())?;
        Ok(Self { least, span: if most > least { most - least } else { 1.0 } })
    }

    /// The log with rewards in [0, 1].
    fn scaled(self, log: &Log) -> Result<Log, BoplError> {
        let rewards = log.rewards().iter().map(|r| (r - self.least) / self.span).collect();
        let (actions, propensities) = (log.logged_actions().to_vec(), log.propensities().to_vec());
        let mut scaled =
            Log::new(log.contexts().clone(), log.actions(), actions, propensities, Rewards(rewards))?;
        if let Some(sets) = log.action_sets() {
            scaled = scaled.with_action_sets(sets.clone())?;
        }
        if let Some(schema) = log.schema() {
            scaled = scaled.with_schema(schema.clone())?;
        }
        Ok(scaled)
    }

    fn undo(self, Estimate { value, standard_error }: Estimate) -> Estimate {
        let standard_error = standard_error.map(|error| error * self.span);
        Estimate { value: self.least + self.span * value, standard_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_ends_and_its_best_round() {
        assert_eq!([shown(0, 0), shown(3, 2), shown(62, 5)], [vec![0], vec![0, 1, 2, 3], (0..63).collect()]);
        let rounds = shown(800, 333);
        assert!(rounds.len() == 64 && rounds[0] == 0 && rounds[63] == 800 && rounds.contains(&333));
        assert!(rounds.windows(2).all(|pair| (1..=13).contains(&(pair[1] - pair[0]))), "{rounds:?}");
        assert_eq!([seven_digits(1.0 / 3.0), seven_digits(-0.0), seven_digits(1e5)], [0.333_333_3, 0.0, 1e5]);
    }

    #[test]
    fn a_large_log_is_trained_on_fewer_times() {
        let logs = [1, 100_000, 100_001, 133_334, 200_000, 200_001, 10_000_000];
        assert_eq!(logs.map(bags), [4, 4, 3, 2, 2, 1, 1]);
    }

    #[test]
    fn a_large_log_is_held_out_in_fewer_folds() {
        let logs = [10, 10_000, 20_000, 25_000, 24_999, 49_995, 50_000, 100_000, 10_000_000];
        assert_eq!(logs.map(further_folds), [5, 5, 5, 4, 5, 3, 2, 1, 1]);
    }

    /// Four trainings with streams of their own, each with a quarter of the weight.
    #[test]
    fn a_bag_is_the_mean_of_its_trainings() {
        let contexts = rows::RowMatrix::dense(1, (0..90).map(|i| f64::from(i * 37 % 91)).collect()).unwrap();
        let rewards = Rewards((0..90_u32).map(|i| f64::from(i * i % 7) / 6.0).collect());
        let log = Log::new(contexts, 2, (0..90).map(|i| i / 3 % 2).collect(), vec![0.5; 90], rewards);
        let log = log.unwrap();
        let recipe = AutoPolicy::builder().seed(5).build().unwrap();
        let drawn = candidates(Ranges::of(&log), 2, Overrides::default(), &mut recipe.stream(3));
        let candidate = Candidate { min_child_weight: 0.5, columns: 1.0, ..drawn[1] };
        assert_eq!(candidate.objective, Objective::DoublyRobust);
        let mut see = |_: Progress<'_>, _: &Snapshot<'_>| ControlFlow::Continue(());
        let (recipe_of_test, whole) = (((0, 0, 0, Overrides::default()), 0), Shard::whole(90));
        let journal = Journal::new(recipe_of_test, (&log, &whole), None).unwrap();
        let watch = &mut Watch::new(&mut see, journal, Ranks::alone());
        let q = reward_model::cross_fitted(&log, &recipe.streams(1), &mut |progress| watch.see(progress))
            .unwrap();
        let mut expected = Vec::new();
        for bag in 0..4 {
            let rngs = recipe.streams((1 << 20) + 2 * bag);
            let mut training = Training::new(&candidate, &log, rngs, || Ok(q.clone())).unwrap();
            let contexts = contexts_of(&log).unwrap();
            (0..3).for_each(|_| assert!(training.round(&contexts).unwrap().is_continue()));
            expected.extend(training.ensemble().members().to_vec());
        }
        expected.iter_mut().for_each(|member| member.alpha /= 4.0);
        let (ensemble, rounds) = recipe.bag((1, &candidate), 3, (&log, &whole), watch).unwrap();
        assert_eq!((ensemble.members(), rounds), (&expected[..], 12));
    }
}
