//! Two sets of different quality: the error in each against the cap on the weights of the worse set.

use super::Point;
use super::methods::{Learner, Method};
use super::noise::TEST_ERROR;
use super::sets::{Split, Task};
use crate::runner::ExperimentError;

/// The shares of flipped labels in B; the labels of A are true.
pub const NOISE: [f64; 2] = [0.2, 0.4];
/// The caps on the weights of B, in units of 1/N.
pub const CAPS: [f64; 7] = [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0];
/// The first baseline: the clean set without B.
pub const A_ALONE: &str = "A alone";
/// The second baseline, and the limit of large caps.
pub const NO_CAPS: &str = "A and B, no caps";
/// \[NP14, Section 3.2\].
pub const CAPPED: &str = "A and B, w ≤ k/N in B";
/// Training errors and their bounds, as shares of A and B together.
pub const PARTS: [&str; 4] = ["errors in A", "errors in B", "bound, A", "bound, B"];

/// The test errors and the errors in A and B. One example in five is in A. The test labels are true.
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
    let in_a = split.truth.len() / 5;
    let alone = split.first(in_a)?;
    let of_a = end(Method::Entropy, learner, &alone.task(&alone.truth)?, rounds)?;
    for noise in NOISE {
        let case = format!("B {:.0}% noise", 100.0 * noise);
        let task = both(split, in_a, &split.told(noise, seed, trial)?)?;
        points.push(Point::new(&case, A_ALONE, TEST_ERROR, 0.0, of_a.test));
        let free = end(Method::Entropy, learner, &task, rounds)?;
        points.push(Point::new(&case, NO_CAPS, TEST_ERROR, 0.0, free.test));
        for (metric, error) in PARTS.iter().zip(free.errors) {
            points.push(Point::new(&case, NO_CAPS, metric, 0.0, error));
        }
        for k in CAPS {
            let found = end(Method::Combined(k), learner, &task, rounds)?;
            points.push(Point::new(&case, CAPPED, TEST_ERROR, k, found.test));
            for (metric, value) in PARTS.iter().zip(found.errors.into_iter().chain(bounds(found.squares, k)))
            {
                points.push(Point::new(&case, CAPPED, metric, k, value));
            }
        }
    }
    Ok(points)
}

/// The task whose first rows are A, with true labels, and whose other rows are B.
fn both<'a>(split: &'a Split, in_a: usize, told: &[f64]) -> Result<Task<'a>, ExperimentError> {
    let labels: Vec<f64> = split.truth[..in_a].iter().chain(&told[in_a..]).copied().collect();
    let mut task = split.task(&labels)?;
    task.secondary.iter_mut().skip(in_a).for_each(|in_b| *in_b = true);
    Ok(task)
}

/// The bounds of \[NP14, Section 3.2\] on the errors in A and in B.
fn bounds(squares: f64, k: f64) -> [f64; 2] {
    let unconstrained = (-0.5 * squares).exp();
    [unconstrained, unconstrained.max(1.0 / k)]
}

/// The errors in A and in B, as shares of both together; a margin of 0 counts as an error.
fn errors_of_parts(margins: &[f64], secondary: &[bool]) -> [f64; 2] {
    [false, true].map(|part| {
        let of_part = margins.iter().zip(secondary).filter(|(_, in_b)| **in_b == part);
        of_part.filter(|(margin, _)| **margin <= 0.0).count() as f64 / margins.len() as f64
    })
}

/// The end of a run.
#[derive(Debug, Clone, Copy)]
struct End {
    test: f64,
    /// The errors in A and in B, as shares of both together.
    errors: [f64; 2],
    /// Σγ².
    squares: f64,
}

fn end(method: Method, learner: Learner, task: &Task<'_>, rounds: u32) -> Result<End, ExperimentError> {
    let mut end = End { test: 1.0, errors: [1.0; 2], squares: 0.0 };
    method.boost(learner, task, rounds, &mut |now| {
        let squares = end.squares + now.round.edge * now.round.edge;
        end = End { test: now.test_error, errors: errors_of_parts(now.margins, &task.secondary), squares };
    })?;
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::split;
    use super::*;
    use datasets::Name;

    #[test]
    fn the_bound_of_the_capped_set_stays_above_one_over_k() {
        let near = |found: [f64; 2], expected: [f64; 2]| {
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12)
        };
        let ln = |share: f64| -2.0 * share.ln();
        assert!(near(bounds(ln(0.25), 2.0), [0.25, 0.5]), "exp(−½Σγ²) = ¼");
        assert!(near(bounds(ln(0.25), 10.0), [0.25, 0.25]));
        assert!(near(bounds(0.0, 10.0), [1.0, 1.0]));
    }

    #[test]
    fn errors_are_counted_in_their_own_set() {
        let margins = [1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -3.0, 1.0];
        let secondary = [false, false, false, false, true, true, true, true];
        assert_eq!(errors_of_parts(&margins, &secondary), [0.25, 0.375]);
    }

    /// A is the first fifth, and its labels are true; the labels of B are as given.
    #[test]
    fn the_clean_set_has_true_labels() {
        let split = split(Name::Spambase, 300);
        let told: Vec<f64> = split.truth.iter().map(|y| -y).collect();
        let task = both(&split, 40, &told).unwrap();
        for (i, (label, in_b)) in task.labels.iter().zip(&task.secondary).enumerate() {
            assert_eq!(
                (label.sign(), *in_b),
                if i < 40 { (split.truth[i], false) } else { (-split.truth[i], true) }
            );
        }
    }

    /// Every number is that of the named run.
    #[test]
    fn every_error_is_that_of_its_run() {
        let (split, rounds) = (split(Name::Spambase, 300), 20);
        let found = errors(&split, Learner::Stumps, rounds, 3, 1).unwrap();
        let in_a = split.truth.len() / 5;
        let alone = split.first(in_a).unwrap();
        let ends = |method: Method, task: &Task<'_>| {
            let (mut test, mut parts, mut squares) = (1.0, [1.0; 2], 0.0);
            let mut each = |now: &super::super::methods::Moment<'_>| {
                squares += now.round.edge * now.round.edge;
                let wrong = |rows: &[f64]| rows.iter().filter(|margin| **margin <= 0.0).count() as f64;
                let of = |rows| wrong(rows) / now.margins.len() as f64;
                (test, parts) = (now.test_error, [of(&now.margins[..in_a]), of(&now.margins[in_a..])]);
            };
            method.boost(Learner::Stumps, task, rounds, &mut each).unwrap();
            (test, parts, squares)
        };
        let mut expected = Vec::new();
        for (noise, case) in [(0.2, "B 20% noise"), (0.4, "B 40% noise")] {
            let task = both(&split, in_a, &split.told(noise, 3, 1).unwrap()).unwrap();
            let mut say = |method: &str, metric: &str, k: f64, value: f64| {
                expected.push(Point::new(case, method, metric, k, value));
            };
            say("A alone", "test error", 0.0, ends(Method::Entropy, &alone.task(&alone.truth).unwrap()).0);
            let (test, [a, b], _) = ends(Method::Entropy, &task);
            say("A and B, no caps", "test error", 0.0, test);
            say("A and B, no caps", "errors in A", 0.0, a);
            say("A and B, no caps", "errors in B", 0.0, b);
            for k in [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0] {
                let (test, [a, b], squares) = ends(Method::Combined(k), &task);
                say("A and B, w ≤ k/N in B", "test error", k, test);
                say("A and B, w ≤ k/N in B", "errors in A", k, a);
                say("A and B, w ≤ k/N in B", "errors in B", k, b);
                say("A and B, w ≤ k/N in B", "bound, A", k, (-0.5 * squares).exp());
                say("A and B, w ≤ k/N in B", "bound, B", k, (-0.5 * squares).exp().max(1.0 / k));
            }
        }
        assert_eq!(found, expected);
    }
}
