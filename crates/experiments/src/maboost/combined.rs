//! Two sets of different quality: the error in each as the cap on the weights of the worse one moves.

use super::methods::{Learner, Method};
use super::noise::TEST_ERROR;
use super::sets::Split;
use super::{MaboostError, Point};

/// The shares of turned labels in B; those of A are true.
pub const NOISE: [f64; 2] = [0.2, 0.4];
/// The caps on the weights of B, in units of 1/N.
pub const CAPS: [f64; 7] = [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0];
/// What caps are compared with.
pub const A_ALONE: &str = "A alone";
/// And what becomes of large ones.
pub const NO_CAPS: &str = "A and B, no caps";
/// \[NP14, Section 3.2\].
pub const CAPPED: &str = "A and B, w ≤ k/N in B";
/// Training errors and their bounds, as shares of A and B together.
pub const PARTS: [&str; 4] = ["errors in A", "errors in B", "bound, A", "bound, B"];

/// One example in five is in A. The test rows tell the truth.
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
    let in_a = split.truth.len() / 5;
    let alone = split.first(in_a)?;
    let of_a = end(Method::Entropy, learner, &alone.task(&alone.truth)?, rounds)?;
    for noise in NOISE {
        let case = format!("B {:.0}% noise", 100.0 * noise);
        let mut told = split.told(noise, seed, trial)?;
        told.iter_mut().zip(&split.truth).take(in_a).for_each(|(told, truth)| *told = *truth);
        let mut task = split.task(&told)?;
        task.secondary.iter_mut().skip(in_a).for_each(|in_b| *in_b = true);
        points.push(Point::new(&case, A_ALONE, TEST_ERROR, 0.0, of_a.test));
        let free = end(Method::Entropy, learner, &task, rounds)?;
        points.push(Point::new(&case, NO_CAPS, TEST_ERROR, 0.0, free.test));
        for (metric, error) in PARTS.iter().zip(free.errors) {
            points.push(Point::new(&case, NO_CAPS, metric, 0.0, error));
        }
        for k in CAPS {
            let found = end(Method::Combined(k), learner, &task, rounds)?;
            points.push(Point::new(&case, CAPPED, TEST_ERROR, k, found.test));
            let unconstrained = (-0.5 * found.squares).exp();
            let bounds = [unconstrained, unconstrained.max(1.0 / k)];
            for (metric, value) in PARTS.iter().zip(found.errors.into_iter().chain(bounds)) {
                points.push(Point::new(&case, CAPPED, metric, k, value));
            }
        }
    }
    Ok(points)
}

/// A run at its end.
#[derive(Debug, Clone, Copy)]
struct End {
    test: f64,
    /// In A and in B, as shares of both together.
    errors: [f64; 2],
    /// Σγ².
    squares: f64,
}

fn end(
    method: Method,
    learner: Learner,
    task: &super::sets::Task<'_>,
    rounds: u32,
) -> Result<End, MaboostError> {
    let mut end = End { test: 1.0, errors: [1.0; 2], squares: 0.0 };
    method.boost(learner, task, rounds, &mut |now| {
        let wrong = |part: bool| {
            let of_part = now.margins.iter().zip(&task.secondary).filter(|(_, in_b)| **in_b == part);
            of_part.filter(|(margin, _)| **margin <= 0.0).count() as f64 / now.margins.len() as f64
        };
        let squares = end.squares + now.round.edge * now.round.edge;
        end = End { test: now.test_error, errors: [wrong(false), wrong(true)], squares };
    })?;
    Ok(end)
}
