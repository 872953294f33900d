//! AdaBoost, MadaBoost and smooth boosting under random label noise.

use super::Point;
use super::methods::{Learner, Method};
use super::sets::{Split, Task};
use crate::runner::ExperimentError;

/// The shares of flipped training labels.
pub const LEVELS: [f64; 5] = [0.0, 0.05, 0.1, 0.2, 0.3];
/// The candidates k of smooth boosting.
pub const SMOOTHNESS: [f64; 6] = [1.5, 2.0, 3.0, 5.0, 10.0, 30.0];

/// The baseline of all comparisons.
pub const ADABOOST: &str = "AdaBoost";
/// \[NP14, Section 3.1\].
pub const SMOOTH: &str = "smooth, k chosen";
/// The same, stopped at the least validation error.
pub const SMOOTH_STOPPED: &str = "smooth, k and T chosen";
/// The methods, in the order of tables and figures.
pub const METHODS: [&str; 7] =
    [ADABOOST, "AdaBoost, T chosen", "MadaBoost", "MadaBoost, T chosen", "entropy", SMOOTH, SMOOTH_STOPPED];
/// The metric name of the chosen k.
pub const CHOSEN: &str = "k";
/// The share of the test rows that the ensemble misclassifies; test labels are never flipped.
pub const TEST_ERROR: &str = "test error";

/// The test errors of every method at every level. Every choice is made by the error on a fifth of the
/// training rows, whose labels are as noisy as the others; the method then learns from all training rows.
///
/// # Errors
/// The errors of the boosters.
pub fn errors(
    split: &Split,
    learner: Learner,
    rounds: u32,
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, ExperimentError> {
    let mut points = Vec::new();
    for level in LEVELS {
        let told = split.told(level, seed, trial)?;
        let validation = split.validation(&told)?;
        let (whole, most) = (split.task(&told)?, validation.task(&validation.truth)?);
        let case = format!("{:.0}% noise", 100.0 * level);
        let mut say = |method: &str, metric: &str, value: f64| {
            points.push(Point::new(&case, method, metric, 100.0 * level, value));
        };
        for (method, [plain, stopped]) in
            [(Method::AdaBoost, [METHODS[0], METHODS[1]]), (Method::Mada, [METHODS[2], METHODS[3]])]
        {
            let chosen = Choice::of(method, learner, &most, rounds)?;
            let errors = test_errors(method, learner, &whole, rounds)?;
            say(plain, TEST_ERROR, last(&errors));
            say(stopped, TEST_ERROR, chosen.stopped(&errors));
        }
        say(METHODS[4], TEST_ERROR, last(&test_errors(Method::Entropy, learner, &whole, rounds)?));
        let choices = SMOOTHNESS
            .map(|k| Ok::<_, ExperimentError>((k, Choice::of(Method::Smooth(k), learner, &most, rounds)?)));
        let choices = choices.into_iter().collect::<Result<Vec<_>, _>>()?;
        let by = |error| best(&choices, error);
        if let (Some((k, _)), Some((k_stopped, stopped))) =
            (by(|choice| choice.at_end), by(|choice| choice.least))
        {
            say(SMOOTH, TEST_ERROR, last(&test_errors(Method::Smooth(*k), learner, &whole, rounds)?));
            say(SMOOTH, CHOSEN, *k);
            let errors = test_errors(Method::Smooth(*k_stopped), learner, &whole, rounds)?;
            say(SMOOTH_STOPPED, TEST_ERROR, stopped.stopped(&errors));
            say(SMOOTH_STOPPED, CHOSEN, *k_stopped);
        }
    }
    Ok(points)
}

/// The validation result of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The first round, from 0, of least validation error.
    pub round: usize,
    /// That error.
    pub least: f64,
    /// The validation error after all rounds.
    pub at_end: f64,
}

impl Choice {
    /// From a task whose test rows are the validation rows.
    ///
    /// # Errors
    /// The errors of the boosters.
    pub fn of(
        method: Method,
        learner: Learner,
        task: &Task<'_>,
        rounds: u32,
    ) -> Result<Self, ExperimentError> {
        Ok(Self::among(&test_errors(method, learner, task, rounds)?))
    }

    /// From the validation errors after every round.
    fn among(errors: &[f64]) -> Self {
        let first = errors.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let (round, least) = first.unwrap_or((0, 1.0));
        Self { round, least, at_end: last(errors) }
    }

    /// The test error at the chosen round, or at the end of a run that ended earlier.
    fn stopped(&self, errors: &[f64]) -> f64 {
        errors.get(self.round).copied().unwrap_or_else(|| last(errors))
    }
}

/// The k of least validation error; the smallest k on ties.
fn best(choices: &[(f64, Choice)], error: fn(&Choice) -> f64) -> Option<&(f64, Choice)> {
    choices.iter().min_by(|a, b| error(&a.1).total_cmp(&error(&b.1)))
}

/// The test error after every round.
fn test_errors(
    method: Method,
    learner: Learner,
    task: &Task<'_>,
    rounds: u32,
) -> Result<Vec<f64>, ExperimentError> {
    let mut errors = Vec::new();
    method.boost(learner, task, rounds, &mut |now| errors.push(now.test_error))?;
    Ok(errors)
}

/// A run without a first round has error 1.
fn last(errors: &[f64]) -> f64 {
    errors.last().copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::split;
    use super::*;
    use datasets::Name;

    #[test]
    fn the_first_round_of_least_error_is_chosen() {
        let of = |errors: &[f64]| {
            let Choice { round, least, at_end } = Choice::among(errors);
            (round, least, at_end)
        };
        assert_eq!(of(&[0.5, 0.25, 0.125, 0.75, 0.125, 0.375]), (2, 0.125, 0.375));
        assert_eq!(of(&[0.25, 0.5]), (0, 0.25, 0.5));
        assert_eq!(of(&[]), (0, 1.0, 1.0), "a run without a first round");
    }

    #[test]
    fn a_run_is_stopped_at_the_chosen_round() {
        let chosen = Choice { round: 2, least: 0.0, at_end: 0.0 };
        assert_eq!(chosen.stopped(&[0.5, 0.25, 0.75, 0.125]), 0.75);
        assert_eq!(chosen.stopped(&[0.5, 0.25]), 0.25, "the run ended before");
        assert_eq!(chosen.stopped(&[]), 1.0);
    }

    /// One k is best at the end, another at its stopping round, and a third is the worst of all.
    #[test]
    fn the_smallest_k_of_least_error_is_chosen() {
        let of = |k, least, at_end| (k, Choice { round: 0, least, at_end });
        let choices = [of(1.5, 0.5, 0.75), of(2.0, 0.375, 0.5), of(3.0, 0.125, 0.625), of(5.0, 0.125, 0.5)];
        let k = |error| best(&choices, error).map(|(k, _)| *k);
        assert_eq!((k(|choice| choice.at_end), k(|choice| choice.least)), (Some(2.0), Some(3.0)));
    }

    /// Every number is that of the named method, trained on all rows with its choices made on a fifth of
    /// them.
    #[test]
    fn every_error_is_that_of_its_method_and_its_choice() {
        let (split, rounds) = (split(Name::Spambase, 300), 12);
        let found = errors(&split, Learner::Stumps, rounds, 3, 1).unwrap();
        let (mut stops_matter, mut ks_differ) = (false, false);
        for level in LEVELS {
            let told = split.told(level, 3, 1).unwrap();
            let validation = split.validation(&told).unwrap();
            let errors = |method: Method, is_whole: bool| {
                let task = if is_whole { split.task(&told) } else { validation.task(&validation.truth) };
                let mut errors = Vec::new();
                let mut each = |now: &super::super::methods::Moment<'_>| errors.push(now.test_error);
                method.boost(Learner::Stumps, &task.unwrap(), rounds, &mut each).unwrap();
                errors
            };
            let least = |errors: &[f64]| errors.iter().copied().fold(1.0, f64::min);
            let stopped = |method| {
                let (validated, tested) = (errors(method, false), errors(method, true));
                let round = validated.iter().position(|error| *error <= least(&validated)).unwrap();
                tested[round]
            };
            let at_end = |method| *errors(method, true).last().unwrap();
            let k_of = |error: &dyn Fn(&[f64]) -> f64| {
                let of = SMOOTHNESS.map(|k| error(&errors(Method::Smooth(k), false)));
                SMOOTHNESS[of.iter().position(|error| *error <= least(&of)).unwrap()]
            };
            let (k, k_stopped) = (k_of(&|errors| *errors.last().unwrap()), k_of(&least));
            ks_differ |= (k - k_stopped).abs() > 0.0;
            let expected = [
                (ADABOOST, TEST_ERROR, at_end(Method::AdaBoost)),
                ("AdaBoost, T chosen", TEST_ERROR, stopped(Method::AdaBoost)),
                ("MadaBoost", TEST_ERROR, at_end(Method::Mada)),
                ("MadaBoost, T chosen", TEST_ERROR, stopped(Method::Mada)),
                ("entropy", TEST_ERROR, at_end(Method::Entropy)),
                (SMOOTH, TEST_ERROR, at_end(Method::Smooth(k))),
                (SMOOTH, CHOSEN, k),
                (SMOOTH_STOPPED, TEST_ERROR, stopped(Method::Smooth(k_stopped))),
                (SMOOTH_STOPPED, CHOSEN, k_stopped),
            ];
            stops_matter |= (expected[0].2 - expected[1].2).abs() > 0.0;
            let case = format!("{:.0}% noise", 100.0 * level);
            let expected = expected
                .map(|(method, metric, value)| Point::new(&case, method, metric, 100.0 * level, value));
            let of_level: Vec<Point> = found.iter().filter(|point| point.case == case).cloned().collect();
            assert_eq!(of_level, expected);
        }
        assert!(stops_matter && ks_differ, "no level distinguishes the choices");
    }
}
