//! When a search has to end so that the training fits.

use boosters::auto_policy::{Plan, Progress};
use std::collections::BTreeMap;
use std::time::Duration;

/// Measures rounds, and compares what is left of a budget with what is still to be done.
///
/// A round of a candidate costs about as much a row in the training as in the search. So the search ends
/// where the time so far, the training of the winner so far, and the judgement would be more than the budget.
/// The time is an argument, so that the rule can be tested.
#[derive(Debug)]
pub(super) struct Clock {
    budget: f64,
    /// Seconds and row-rounds of every candidate.
    rounds: BTreeMap<usize, (f64, f64)>,
    /// The candidate and rows of the round that is under way, and when it began.
    under_way: Option<(usize, usize, f64)>,
    /// The trees of the model of rewards that is under way, when it began, and the longest time of one so
    /// far.
    model_trees: usize,
    model_since: f64,
    model_seconds: f64,
    /// When something was last seen.
    seen: f64,
}

/// The share of the budget that is left for what is not foreseen.
const RESERVE: f64 = 0.1;
/// The share of the budget after which models of rewards end as they are, before the search has begun.
const MODELS: f64 = 0.4;

impl Clock {
    pub(super) fn new(budget: Duration) -> Self {
        let budget = budget.as_secs_f64();
        Self {
            budget,
            rounds: BTreeMap::new(),
            under_way: None,
            model_trees: 0,
            model_since: 0.0,
            model_seconds: 0.0,
            seen: 0.0,
        }
    }

    /// Whether the search or the training has to end, so many seconds after the beginning.
    pub(super) fn is_over(&mut self, now: f64, progress: &Progress<'_>) -> bool {
        let before = std::mem::replace(&mut self.seen, now);
        match *progress {
            Progress::RewardModel { trees, .. } => {
                // Fewer trees, or as many, are those of another model.
                if trees <= self.model_trees {
                    self.model_since = before;
                }
                self.model_trees = trees;
                self.model_seconds = self.model_seconds.max(now - self.model_since);
                now > MODELS * self.budget && self.rounds.is_empty() || now + self.reserve() > self.budget
            }
            Progress::Search { candidate, rows, plan, .. } => {
                self.book(now);
                self.under_way = Some((candidate, rows, now));
                self.model_trees = usize::MAX;
                now + self.seconds_of(plan) + self.reserve() > self.budget
            }
            Progress::Training { .. } => now + self.reserve() > self.budget,
            _ => {
                self.book(now);
                false
            }
        }
    }

    /// What the judgement needs, and what is left for the unforeseen.
    fn reserve(&self) -> f64 {
        (self.model_seconds + RESERVE * self.budget).min(0.35 * self.budget)
    }

    fn book(&mut self, now: f64) {
        if let Some((candidate, rows, since)) = self.under_way.take() {
            let (seconds, row_rounds) = self.rounds.entry(candidate).or_default();
            *seconds += now - since;
            *row_rounds += rows as f64;
        }
    }

    /// The time of a training, by the rounds of its candidate, or of all where it has none yet.
    fn seconds_of(&self, Plan { candidate, rounds, rows }: Plan) -> f64 {
        let all = || self.rounds.values().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let (seconds, row_rounds) = self.rounds.get(&candidate).copied().unwrap_or_else(all);
        if row_rounds > 0.0 { seconds / row_rounds * (rounds as f64 * rows as f64) } else { 0.0 }
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
        let mut clock = Clock::new(Duration::from_secs(100));
        // A round of 800 rows takes 0.8 s, so 40 of 1,000 take 40 s; 10 s are kept.
        for tenth in 0..60 {
            let now = f64::from(tenth) * 0.8;
            assert_eq!(clock.is_over(now, &search(0, 40)), now + 40.0 + 10.0 > 100.0, "{now}");
        }
        // Another candidate, ten times as slow, would need 400 s.
        let mut clock = Clock::new(Duration::from_secs(100));
        assert!(!clock.is_over(0.0, &search(1, 40)));
        assert!(clock.is_over(8.0, &search(1, 40)));
    }

    #[test]
    fn a_training_ends_within_the_budget() {
        let mut clock = Clock::new(Duration::from_secs(100));
        let training = Progress::Training { candidate: 0, done: 1, planned: 9, rows: 1000 };
        assert!(!clock.is_over(89.0, &training));
        assert!(clock.is_over(91.0, &training));
        let model = Progress::RewardModel { trees: 10, rows: 1000 };
        let mut clock = Clock::new(Duration::from_secs(100));
        assert!(!clock.is_over(39.0, &model));
        assert!(clock.is_over(41.0, &model));
    }
}
