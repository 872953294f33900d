//! When a search has to end so that the training fits.

use boosters::auto_policy::{Plan, Progress};
use std::collections::BTreeMap;
use std::time::Duration;

/// Measures rounds, and compares what is left of a budget with what is still to be done.
///
/// A round of a candidate costs about as much a row in the training as in the search. So the search ends
/// where the time so far, the training of the winner so far, and the judgement would be more than the budget.
/// The judgement fits a model of rewards and asks it and the policy about every judged row. The search has
/// done the same with a fold, and that is measured too. The time is an argument, so that the rule can be
/// tested.
#[derive(Debug)]
pub(super) struct Clock {
    budget: f64,
    /// The time that was used before the first event.
    begun: f64,
    /// The rows to judge on.
    judged: usize,
    /// Who shares the rows of the training; each of them searches on all rows of the search.
    ranks: usize,
    /// Seconds and row-rounds of every candidate.
    rounds: BTreeMap<usize, (f64, f64)>,
    /// The candidate and rows of the round that is under way, and when it began.
    under_way: Option<(usize, usize, f64)>,
    /// The training, if the search ended now; `None` once it has.
    plan: Option<Plan>,
    /// The trees of the model of rewards that is under way, when it began, and the longest time of one so
    /// far.
    model_trees: usize,
    model_since: f64,
    model_seconds: f64,
    /// The most trees of one that was asked about rows, and the seconds a row and tree.
    asked_trees: usize,
    asked_seconds: f64,
    /// The time of models that a candidate needs for itself, and that of those since the last round.
    own_models: BTreeMap<usize, f64>,
    models: f64,
    /// When something was last seen.
    seen: f64,
}

/// The share of the budget that is left for what is not foreseen.
const RESERVE: f64 = 0.1;
/// The most that is left for the judgement.
const MOST_RESERVE: f64 = 0.5;
/// The share of the budget after which models of rewards end as they are, before the search has begun.
const MODELS: f64 = 0.4;
/// The share of the budget that the model of the judgement has at least, and the one that is left for it at
/// most.
const LEAST_MODEL: f64 = 0.05;
const MOST_MODEL: f64 = 0.15;

impl Clock {
    /// A budget of which so much is used, and the number of rows to judge on.
    pub(super) fn new(budget: Duration, begun: f64, judged: usize) -> Self {
        Self {
            budget: budget.as_secs_f64(),
            begun,
            judged,
            ranks: 1,
            rounds: BTreeMap::new(),
            under_way: None,
            plan: None,
            model_trees: usize::MAX,
            model_since: begun,
            model_seconds: 0.0,
            asked_trees: 0,
            asked_seconds: 0.0,
            own_models: BTreeMap::new(),
            models: 0.0,
            seen: begun,
        }
    }

    /// The same of a training whose rows so many ranks share.
    pub(super) fn shared_by(self, ranks: usize) -> Self {
        Self { ranks: ranks.max(1), ..self }
    }

    /// Whether the search or the training has to end, so many seconds after the beginning.
    pub(super) fn is_over(&mut self, now: f64, progress: &Progress<'_>) -> bool {
        let before = std::mem::replace(&mut self.seen, now);
        let is_before_search = self.rounds.is_empty() && self.under_way.is_none();
        match *progress {
            Progress::RewardModel { trees, .. } => {
                // Fewer trees, or as many, are those of another model.
                if trees <= self.model_trees {
                    self.model_since = before;
                }
                self.model_trees = trees;
                self.model_seconds = self.model_seconds.max(now - self.model_since);
                if !is_before_search {
                    self.models += now - before;
                }
                let of_models = self.begun + MODELS * (self.budget - self.begun);
                // The training comes first that could be had in place of further models.
                let planned = self.plan.map_or(0.0, |plan| self.seconds_of(plan));
                let rounds = self.plan.map_or(0, |plan| plan.rounds);
                now > of_models && is_before_search || self.ends(now + planned + self.reserve(rounds))
            }
            Progress::Predicted { trees, rows } => {
                let seconds = (now - before) / (rows.max(1) as f64 * trees.max(1) as f64);
                self.asked_trees = self.asked_trees.max(trees);
                self.asked_seconds = self.asked_seconds.max(seconds);
                self.model_trees = usize::MAX;
                self.ends(now + self.reserve(0))
            }
            Progress::Search { candidate, rows, plan, .. } => {
                self.book(now);
                let models = std::mem::take(&mut self.models);
                self.own_models.entry(candidate).or_insert(models);
                self.under_way = Some((candidate, rows, now));
                self.model_trees = usize::MAX;
                self.plan = Some(plan);
                self.ends(now + self.seconds_of(plan) + self.reserve(plan.rounds))
            }
            Progress::Training { planned, .. } => self.ends(now + self.reserve(planned)),
            _ => {
                self.book(now);
                false
            }
        }
    }

    /// Whether what would be over then has to end. What follows is no search any more.
    fn ends(&mut self, over: f64) -> bool {
        let is_over = over > self.budget;
        if is_over {
            self.plan = None;
        }
        is_over
    }

    /// Whether the model of the judgement has to end, which began at a time, if the policy has so many trees.
    pub(super) fn is_model_over(&self, now: f64, since: f64, trees: usize) -> bool {
        now + self.judgement(trees) > self.budget && now - since > LEAST_MODEL * self.budget
    }

    /// What the judgement of a policy of so many trees needs, and what is left for the unforeseen.
    fn reserve(&self, trees: usize) -> f64 {
        let model = self.model_seconds.min(MOST_MODEL * self.budget);
        let needed = model + self.judgement(trees) + RESERVE * self.budget;
        needed.min(MOST_RESERVE * self.budget)
    }

    /// The time to ask the policy and a model of rewards about the judged rows.
    fn judgement(&self, trees: usize) -> f64 {
        self.asked_seconds * self.judged as f64 * (self.asked_trees + trees) as f64
    }

    fn book(&mut self, now: f64) {
        if let Some((candidate, rows, since)) = self.under_way.take() {
            let (seconds, row_rounds) = self.rounds.entry(candidate).or_default();
            *seconds += now - since;
            *row_rounds += rows as f64;
        }
    }

    /// The time of a training, by the rounds of its candidate, or of all where it has none yet, and by the
    /// models that it needs for itself.
    fn seconds_of(&self, Plan { candidate, rounds, rows }: Plan) -> f64 {
        let models = self.own_models.get(&candidate).copied().unwrap_or_default();
        let all = || self.rounds.values().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let (seconds, row_rounds) = self.rounds.get(&candidate).copied().unwrap_or_else(all);
        let rows = rows.div_ceil(self.ranks) as f64;
        models + if row_rounds > 0.0 { seconds / row_rounds * (rounds as f64 * rows) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(candidate: usize, rounds: usize) -> Progress<'static> {
        Progress::Search { candidate, round: 1, rows: 800, plan: Plan { candidate, rounds, rows: 1000 } }
    }

    #[test]
    fn a_search_ends_while_the_training_still_fits() {
        let mut clock = Clock::new(Duration::from_secs(100), 0.0, 1000);
        // A round of 800 rows takes 0.8 s, so 40 of 1,000 take 40 s; 10 s are kept.
        for tenth in 0..60 {
            let now = f64::from(tenth) * 0.8;
            assert_eq!(clock.is_over(now, &search(0, 40)), now + 40.0 + 10.0 > 100.0, "{now}");
        }
        // Another candidate, ten times as slow, would need 400 s.
        let mut clock = Clock::new(Duration::from_secs(100), 0.0, 1000);
        assert!(!clock.is_over(0.0, &search(1, 40)));
        assert!(clock.is_over(8.0, &search(1, 40)));
    }

    /// Four ranks share the rows of the training, which then takes 10 s in place of 40.
    #[test]
    fn a_training_of_ranks_takes_less_time() {
        let mut clock = Clock::new(Duration::from_secs(100), 0.0, 1000).shared_by(4);
        for tenth in 0..110 {
            let now = f64::from(tenth) * 0.8;
            assert_eq!(clock.is_over(now, &search(0, 40)), now + 10.0 + 10.0 > 100.0, "{now}");
        }
    }

    #[test]
    fn a_training_ends_within_the_budget() {
        let mut clock = Clock::new(Duration::from_secs(100), 0.0, 1000);
        let training = Progress::Training { candidate: 0, done: 1, planned: 9, rows: 1000 };
        assert!(!clock.is_over(89.0, &training));
        assert!(clock.is_over(91.0, &training));
        let model = Progress::RewardModel { trees: 10, rows: 1000 };
        let mut clock = Clock::new(Duration::from_secs(100), 0.0, 1000);
        assert!(!clock.is_over(39.0, &model));
        assert!(clock.is_over(41.0, &model));
    }

    /// A model of 100 trees took 2 s, and 6 s for 500 rows: so the judgement of 1,000 rows and a policy of 50
    /// trees takes 2 s and 18 s.
    #[test]
    fn the_judgement_is_foreseen_by_what_a_fold_took() {
        let mut clock = Clock::new(Duration::from_secs(100), 10.0, 1000);
        let model = |trees| Progress::RewardModel { trees, rows: 1000 };
        assert!(!clock.is_over(11.0, &model(1)));
        assert!(!clock.is_over(12.0, &model(100)));
        assert!(!clock.is_over(18.0, &Progress::Predicted { trees: 100, rows: 500 }));
        let plan = Plan { candidate: 0, rounds: 50, rows: 1000 };
        assert!(!clock.is_over(25.0, &Progress::Search { candidate: 0, round: 0, rows: 800, plan }));
        let training = Progress::Training { candidate: 0, done: 1, planned: 50, rows: 1000 };
        assert!(!clock.is_over(69.9, &training));
        assert!(clock.is_over(70.1, &training));
        assert!(!clock.is_model_over(81.9, 70.0, 50));
        assert!(clock.is_model_over(82.1, 70.0, 50));
        assert!(!clock.is_model_over(99.0, 95.0, 50)); // it has 5 s at least
    }

    /// A doubly robust candidate needs models for itself, in the training too.
    #[test]
    fn the_models_of_a_candidate_count_for_its_training() {
        let mut clock = Clock::new(Duration::from_secs(100), 0.0, 0);
        let plan = |candidate| Plan { candidate, rounds: 10, rows: 800 };
        let search = |candidate| Progress::Search { candidate, round: 0, rows: 800, plan: plan(candidate) };
        assert!(!clock.is_over(0.0, &search(0)));
        assert!(!clock.is_over(1.0, &search(0)));
        clock.book(2.0);
        for trees in 1..=10 {
            let now = 1.0 + f64::from(trees);
            assert!(!clock.is_over(now, &Progress::RewardModel { trees: trees as usize, rows: 800 }));
        }
        // A training of the second takes 10 s of models and 10 s of rounds; 20 s are left for the judgement.
        assert!(!clock.is_over(59.0, &search(1)));
        assert!(clock.is_over(61.0, &search(1)));
        assert!(!clock.is_over(62.0, &search(0)));
    }

    /// While a candidate fits models for itself, the training of the best one so far has to fit.
    #[test]
    fn models_end_where_the_training_would_not_fit_any_more() {
        let mut clock = Clock::new(Duration::from_secs(100), 0.0, 0);
        let plan = Plan { candidate: 0, rounds: 30, rows: 800 };
        let search = Progress::Search { candidate: 0, round: 0, rows: 800, plan };
        assert!(!clock.is_over(0.0, &search));
        assert!(!clock.is_over(1.0, &search));
        clock.book(2.0);
        // 30 s of rounds, 10 s for the unforeseen, and what the model took so far for that of the judgement.
        assert!(!clock.is_over(40.0, &Progress::RewardModel { trees: 1, rows: 800 }));
        assert!(!clock.is_over(44.0, &Progress::RewardModel { trees: 2, rows: 800 }));
        assert!(clock.is_over(46.0, &Progress::RewardModel { trees: 3, rows: 800 }));
        // The search has ended, and the models of the training may take its time.
        assert!(!clock.is_over(50.0, &Progress::RewardModel { trees: 1, rows: 800 }));
    }
}
