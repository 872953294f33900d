//! The course of one run: what is kept of its rounds, and whether they keep what the theorems say.

use super::BoplRunError;
use super::task::Rewarded;
use boosters::bopl::{RegressionRound, Round, Stop};
use serde::{Deserialize, Serialize};
use weak_learners::pairs::PairHypothesis;

/// One run of one method in one trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The mean reward on the rows that were watched: of the argmax policy, or of the stochastic logging policy.
    pub reward: f64,
    /// The rounds that were run.
    pub rounds: u32,
    /// Why they ended before the last one, if they did.
    pub stop: Option<Stop>,
    /// The rounds in which the objective fell by less than it had to; none, if the theorem is right.
    pub short_of_the_decrease: u32,
    /// The rounds after which the objective was above the bound of \[L23, Theorem 1\]; none, if it is right.
    pub above_the_bound: u32,
    /// What the rounds took, without the watching.
    pub seconds: f64,
    /// What the direct method says of the policy, where it was asked.
    pub direct_method: Option<f64>,
    /// What is known of the logging policy, in its own row.
    pub logging: Option<Logging>,
    /// The rounds that are kept, the last among them.
    pub places: Vec<Place>,
}

/// What is kept of a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// t.
    pub round: u32,
    /// The mean reward of the argmax policy on the rows that were watched.
    pub reward: f64,
    /// The norm of the gradient before the round.
    pub gradient_norm: f64,
    /// The SNIPS estimate of the softmax policy's value on the log; BRR-gb has no softmax policy.
    pub snips: Option<f64>,
    /// The objective; of BRR-gb the mean squared error.
    pub objective: Option<f64>,
    /// The bound of \[L23, Theorem 1\] on it; BRR-gb has none.
    pub bound: Option<f64>,
}

/// The logging policy beyond its test reward.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Logging {
    /// Its mean reward on the validation rows.
    pub on_validation: f64,
    /// The least propensity of the log.
    pub least_propensity: f64,
}

/// Kept rounds of a run, about.
const PLACES: u32 = 60;

/// Follows a run on rows whose rewards are known.
pub(super) struct Watch<'a> {
    rows: &'a Rewarded,
    /// F(x_i, a) of these rows.
    pub(super) scores: Vec<f64>,
    every: u32,
    last: u32,
    before: f64,
    tick: &'a (dyn Fn(u64) + Sync),
    pub(super) course: Course,
}

impl<'a> Watch<'a> {
    /// A run of so many rounds that starts at this objective; `tick` counts rounds.
    pub(super) fn new(
        rows: &'a Rewarded,
        rounds: u32,
        objective: f64,
        tick: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        let every = rounds.div_ceil(PLACES).max(1);
        let (scores, course) = (rows.no_scores(), Course::default());
        Self { rows, scores, every, last: rounds, before: objective, tick, course }
    }

    /// A round of boosted off-policy learning: f_t and α_t were added.
    pub(super) fn see(
        &mut self,
        round: &Round,
        predictor: &impl PairHypothesis,
        seconds: f64,
    ) -> Result<(), BoplRunError> {
        let near = 1e-9 * (1.0 + self.before.abs());
        let course = &mut self.course;
        course.short_of_the_decrease += u32::from(round.objective > self.before - round.decrease + near);
        course.above_the_bound += u32::from(round.objective > round.bound + near);
        self.before = round.objective;
        let [snips, objective, bound] = [round.snips, round.objective, round.bound].map(Some);
        let place =
            Place { round: 0, reward: 0.0, gradient_norm: round.gradient_norm, snips, objective, bound };
        self.add(place, round.alpha, predictor, seconds)
    }

    /// A round of reward regression.
    pub(super) fn see_regression(
        &mut self,
        round: &RegressionRound,
        gradient_norm: f64,
        (rate, predictor): (f64, &impl PairHypothesis),
        seconds: f64,
    ) -> Result<(), BoplRunError> {
        let (squared_error, near) = (round.squared_error, 1e-9 * (1.0 + self.before));
        self.course.short_of_the_decrease += u32::from(squared_error > self.before - round.decrease + near);
        self.before = squared_error;
        let (snips, objective, bound) = (None, Some(squared_error), None);
        let place = Place { round: 0, reward: 0.0, gradient_norm, snips, objective, bound };
        self.add(place, rate, predictor, seconds)
    }

    /// A round of any method.
    fn add(
        &mut self,
        place: Place,
        alpha: f64,
        predictor: &impl PairHypothesis,
        seconds: f64,
    ) -> Result<(), BoplRunError> {
        self.rows.add(predictor, alpha, &mut self.scores)?;
        self.course.seconds += seconds;
        self.course.rounds += 1;
        let round = self.course.rounds;
        if round == 1 || round.is_multiple_of(self.every) || round == self.last {
            let reward = self.rows.reward(&self.scores);
            self.course.places.push(Place { round, reward, ..place });
        }
        (self.tick)(1);
        Ok(())
    }

    /// The end, with the scores; a run that stopped early has done the rest as well.
    pub(super) fn finish(mut self, stop: Option<Stop>, end: Option<Place>) -> (Course, Vec<f64>) {
        let course = &mut self.course;
        course.stop = stop;
        course.reward = self.rows.reward(&self.scores);
        if let Some(end) = end.filter(|_| course.places.last().is_none_or(|last| last.round < course.rounds))
        {
            course.places.push(Place { round: course.rounds, reward: course.reward, ..end });
        }
        (self.tick)(u64::from(self.last - course.rounds));
        (self.course, self.scores)
    }
}

impl Course {
    /// The run after this round, or where it had stopped before.
    #[must_use]
    pub fn at(&self, round: u32) -> Option<&Place> {
        self.places.iter().rfind(|place| place.round <= round)
    }
}

#[cfg(test)]
mod tests {
    use super::super::made_up::place;
    use super::*;
    use off_policy::{LabelSets, RewardStructure};
    use rows::{Row, RowMatrix};
    use std::sync::atomic::{AtomicU64, Ordering};
    use weak_learners::LearnerError;

    /// Three rows with right actions 0, 1 and 1.
    fn rows() -> Rewarded {
        let contexts = RowMatrix::dense(1, vec![0.0; 3]).unwrap();
        let labels = LabelSets::new(2, [[0], [1], [1]]).unwrap();
        Rewarded::new(&contexts, &labels, &RewardStructure::one_of_the_labels(2).unwrap(), 0.0).unwrap()
    }

    /// The same score of either action everywhere.
    struct Alike([f64; 2]);

    impl PairHypothesis for Alike {
        fn inputs(&self) -> usize {
            1
        }

        fn actions(&self) -> usize {
            2
        }

        fn scores(&self, _: Row<'_>, scores: &mut [f64]) -> Result<(), LearnerError> {
            scores.copy_from_slice(&self.0);
            Ok(())
        }
    }

    fn round(objective: f64, decrease: f64, bound: f64) -> Round {
        let (gradient_norm, alpha, ips, snips) = (16.0, 1.0, 64.0, 32.0);
        Round { gradient_norm, alpha, decrease, objective, bound, ips, snips }
    }

    /// From an objective of 1, rounds 2 and 3 fall by less than they had to, and 3 and 4 end above the bound.
    #[test]
    fn rounds_that_break_a_theorem_are_counted() {
        let rows = rows();
        let mut watch = Watch::new(&rows, 6, 1.0, &|_| ());
        let mut broken = Vec::new();
        for (objective, decrease, bound) in [
            (0.75, 0.25, 0.75),
            (0.625, 0.25, 0.75),
            (0.5625, 0.125, 0.5),
            (0.4375, 0.125, 0.375),
            (0.5, -0.125, 0.5),
            (0.25, 0.125, 0.25),
        ] {
            watch.see(&round(objective, decrease, bound), &Alike([0.0; 2]), 0.0).unwrap();
            broken.push((watch.course.short_of_the_decrease, watch.course.above_the_bound));
        }
        assert_eq!(broken, [(0, 0), (1, 0), (2, 1), (2, 2), (2, 2), (2, 2)]);
        // Rounding breaks nothing.
        watch.see(&round(0.25 + 1e-12, 0.0, 0.25), &Alike([0.0; 2]), 0.0).unwrap();
        watch.see(&round(0.25 + 1e-6, 0.0, 0.125), &Alike([0.0; 2]), 0.0).unwrap();
        assert_eq!((watch.course.short_of_the_decrease, watch.course.above_the_bound), (3, 3));
    }

    #[test]
    fn rounds_of_regression_that_fall_short_are_counted() {
        let rows = rows();
        let mut watch = Watch::new(&rows, 3, 1.0, &|_| ());
        for (squared_error, decrease) in [(0.75, 0.25), (0.625, 0.25), (0.5, 0.125), (0.625, -0.0625)] {
            let round = RegressionRound { squared_error, decrease };
            watch.see_regression(&round, 0.0, (1.0, &Alike([0.0; 2])), 0.0).unwrap();
        }
        assert_eq!((watch.course.short_of_the_decrease, watch.course.above_the_bound), (2, 0));
    }

    /// Of 130 rounds the first, every third and the last are kept, with the numbers of that round.
    #[test]
    fn what_is_kept_of_a_run_is_that_of_its_rounds() {
        let (rows, ticks) = (rows(), AtomicU64::new(0));
        let tick = |rounds| {
            ticks.fetch_add(rounds, Ordering::Relaxed);
        };
        let mut watch = Watch::new(&rows, 130, 2.0, &tick);
        for t in 1..=130 {
            // Action 0 is best at first, and from round 64 on action 1.
            let predictor = Alike(if t == 1 { [1.0, 0.0] } else { [0.0, 1.0 / 62.5] });
            let objective = 1.0 / f64::from(t);
            watch.see(&round(objective, 0.0, 2.0 * objective), &predictor, 0.5).unwrap();
        }
        let (course, scores) = watch.finish(None, Some(place(0, 0.0)));
        let kept: Vec<u32> = course.places.iter().map(|place| place.round).collect();
        let expected: Vec<u32> = std::iter::once(1).chain((3..130).step_by(3)).chain([130]).collect();
        assert_eq!(kept, expected);
        for place in &course.places {
            let right = if place.round < 64 { 1.0 } else { 2.0 };
            assert!((place.reward - right / 3.0).abs() < 1e-15, "{place:?}");
            let objective = 1.0 / f64::from(place.round);
            assert_eq!((place.objective, place.bound), (Some(objective), Some(2.0 * objective)));
            assert_eq!((place.gradient_norm, place.snips), (16.0, Some(32.0)));
        }
        assert_eq!((course.rounds, course.seconds, course.stop), (130, 65.0, None));
        assert!((course.reward - 2.0 / 3.0).abs() < 1e-15 && scores.len() == 6);
        assert_eq!(ticks.into_inner(), 130);
    }

    /// A run that stopped keeps its last round, once, and has done the rest as well.
    #[test]
    fn a_run_that_stopped_keeps_its_end() {
        let (rows, ticks) = (rows(), AtomicU64::new(0));
        let tick = |rounds| {
            ticks.fetch_add(rounds, Ordering::Relaxed);
        };
        let run = |rounds: u32| {
            let mut watch = Watch::new(&rows, 130, 2.0, &tick);
            for t in 1..=rounds {
                // The fourth round, which is kept for being the last one alone, makes action 0 the best.
                let predictor = Alike(if t == 4 { [8.0, 0.0] } else { [0.0, 1.0] });
                watch.see(&round(1.0, 0.0, 1.0), &predictor, 0.0).unwrap();
            }
            watch.finish(Some(Stop::Alpha), Some(place(0, 0.25))).0
        };
        let (four, six) = (run(4), run(6));
        assert_eq!(four.places.iter().map(|place| place.round).collect::<Vec<_>>(), [1, 3, 4]);
        let end = Place { round: 4, reward: four.reward, ..place(0, 0.25) };
        assert_eq!((four.places.last(), four.stop), (Some(&end), Some(Stop::Alpha)));
        assert!((four.reward - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(six.places.iter().map(|place| place.round).collect::<Vec<_>>(), [1, 3, 6]);
        assert_eq!(ticks.into_inner(), 260);
    }

    #[test]
    fn a_course_is_looked_at_where_it_was() {
        let course =
            Course { places: vec![place(1, 0.5), place(4, 0.75), place(6, 0.25)], ..Course::default() };
        let at = |round| course.at(round).map(|place| place.round);
        assert_eq!(
            [0, 1, 3, 4, 5, 6, 9].map(at),
            [None, Some(1), Some(1), Some(4), Some(4), Some(6), Some(6)]
        );
    }
}
