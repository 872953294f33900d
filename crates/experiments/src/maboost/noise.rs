//! Labels turned at random: what AdaBoost, MadaBoost and smooth boosting make of them.

use super::methods::{Learner, Method};
use super::sets::{Split, Task};
use super::{MaboostError, Point};

/// The shares of training labels that are turned.
pub const LEVELS: [f64; 5] = [0.0, 0.05, 0.1, 0.2, 0.3];
/// The k that smooth boosting chooses from.
pub const SMOOTHNESS: [f64; 6] = [1.5, 2.0, 3.0, 5.0, 10.0, 30.0];

/// What is compared with everything else.
pub const ADABOOST: &str = "AdaBoost";
/// \[NP14, Section 3.1\].
pub const SMOOTH: &str = "smooth, k chosen";
/// The same, stopped where the validation error was least.
pub const SMOOTH_STOPPED: &str = "smooth, k and T chosen";
/// The methods, in the order of tables and figures.
pub const METHODS: [&str; 7] =
    [ADABOOST, "AdaBoost, T chosen", "MadaBoost", "MadaBoost, T chosen", "entropy", SMOOTH, SMOOTH_STOPPED];
/// What the chosen k are reported as.
pub const CHOSEN: &str = "k";
/// The share of test rows, which lie never, that the ensemble has wrong.
pub const TEST_ERROR: &str = "test error";

/// The test errors of every method at every level. Whatever is chosen is chosen by the error on a fifth of the training rows,
/// labels turned as the others; the method then learns from all of them.
///
/// # Errors
/// What boosters refuse.
pub fn errors(
    split: &Split,
    learner: Learner,
    rounds: u32,
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, MaboostError> {
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
            say(stopped, TEST_ERROR, errors.get(chosen.round).copied().unwrap_or_else(|| last(&errors)));
        }
        say(METHODS[4], TEST_ERROR, last(&test_errors(Method::Entropy, learner, &whole, rounds)?));
        let choices = SMOOTHNESS
            .map(|k| Ok::<_, MaboostError>((k, Choice::of(Method::Smooth(k), learner, &most, rounds)?)));
        let choices = choices.into_iter().collect::<Result<Vec<_>, _>>()?;
        // Of equals the first, which is the smallest k.
        let by =
            |error: fn(&Choice) -> f64| choices.iter().min_by(|a, b| error(&a.1).total_cmp(&error(&b.1)));
        if let (Some((k, _)), Some((k_stopped, stopped))) =
            (by(|choice| choice.at_end), by(|choice| choice.least))
        {
            say(SMOOTH, TEST_ERROR, last(&test_errors(Method::Smooth(*k), learner, &whole, rounds)?));
            say(SMOOTH, CHOSEN, *k);
            let errors = test_errors(Method::Smooth(*k_stopped), learner, &whole, rounds)?;
            say(
                SMOOTH_STOPPED,
                TEST_ERROR,
                errors.get(stopped.round).copied().unwrap_or_else(|| last(&errors)),
            );
            say(SMOOTH_STOPPED, CHOSEN, *k_stopped);
        }
    }
    Ok(points)
}

/// What validation says of a method.
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
    /// Of a task whose test is the validation.
    ///
    /// # Errors
    /// What boosters refuse.
    pub fn of(method: Method, learner: Learner, task: &Task<'_>, rounds: u32) -> Result<Self, MaboostError> {
        let errors = test_errors(method, learner, task, rounds)?;
        let first = errors.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let (round, least) = first.unwrap_or((0, 1.0));
        Ok(Self { round, least, at_end: last(&errors) })
    }
}

/// The test error after every round.
fn test_errors(
    method: Method,
    learner: Learner,
    task: &Task<'_>,
    rounds: u32,
) -> Result<Vec<f64>, MaboostError> {
    let mut errors = Vec::new();
    method.boost(learner, task, rounds, &mut |now| errors.push(now.test_error))?;
    Ok(errors)
}

/// The error of a run that found nothing to begin with is 1.
fn last(errors: &[f64]) -> f64 {
    errors.last().copied().unwrap_or(1.0)
}
