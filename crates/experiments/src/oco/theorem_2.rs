//! \[W13, Theorem 2\] on real streams: logistic regression on a ball, the regret at each horizon beside its
//! bound.

use super::{Point, powers_of_two};
use crate::bandit_boosting::task::Task;
use crate::runner::ExperimentError;
use oco_core::learners::{LazyOgd, Ogd};
use oco_core::losses::{LogisticLoss, Loss, LossSum};
use oco_core::regret::best_in_hindsight;
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::L2Ball;

/// D, the radius of the ball around 0. Features are divided by the largest norm of the stream, so ρ = 1 and
/// margins reach from −10 to 10.
const D: f64 = 10.0;
/// The largest allowed distance of the comparator's loss from the minimum.
const TOLERANCE: f64 = 0.1;
/// The series name of the certified distance of the comparator's loss from the minimum; in the table, not in
/// the figure.
pub(super) const GAP: &str = "comparator's gap";

/// Regret of lazy OGD with Theorem 2's step for each horizon, and of active OGD with η_t = 2D/√t, for an
/// unknown horizon. Labels are ±1. The examples are the second half of a trial's order; the first half sets
/// their scaling.
pub(super) fn run(task: &Task, seed: u64, trial: u64, quick: bool) -> Result<Vec<Point>, ExperimentError> {
    let last = if quick { 8 } else { 12 };
    let halves = task.halves(seed, trial, 1 << 12)?;
    let rows = halves
        .reporting
        .iter()
        .take(1 << last)
        .filter_map(|&i| Some((halves.features.row(i)?, halves.labels[i])));
    let mut examples: Vec<(Vec<f64>, f64)> = rows.map(|(x, y)| (x.to_dense(), y)).collect();
    let longest = examples.iter().map(|(x, _)| norm(x)).fold(f64::MIN_POSITIVE, f64::max);
    examples.iter_mut().for_each(|(x, _)| x.iter_mut().for_each(|x| *x /= longest));
    let losses = examples.iter().map(|(x, y)| LogisticLoss::new(x, *y)).collect::<Result<Vec<_>, _>>()?;
    let n = losses.first().map_or(0, Loss::dimension);
    let ball = L2Ball::new(D)?;
    let mut points = Vec::new();
    for horizon in powers_of_two(4, last) {
        let Some(stream) = losses.get(..horizon as usize) else { break };
        let best = best_in_hindsight(&LossSum::new(stream)?, &ball, TOLERANCE, 20_000)?;
        let eta = StepSchedule::lecture_theorem_2(D, 1.0, horizon)?.eta(1);
        let lazy = total_loss(LazyOgd::new(ball, n, eta)?, stream)?;
        let active = total_loss(Ogd::new(ball, n, StepSchedule::zinkevich(2.0 * D, 1.0)?)?, stream)?;
        let t = f64::from(horizon);
        for (series, value) in [
            ("lazy OGD", lazy - best.loss),
            ("bound Dρ√(2T), Theorem 2", D * (2.0 * t).sqrt()),
            ("active OGD, any horizon", active - best.loss),
            ("bound 3Dρ√T, Zinkevich", 3.0 * D * t.sqrt()),
            (GAP, best.gap),
        ] {
            let (panel, series) = (task.name.to_string(), series.to_owned());
            points.push(Point { panel, series, x: u64::from(horizon), value });
        }
    }
    Ok(points)
}

fn total_loss<L: Loss>(mut learner: impl OnlineLearner, stream: &[L]) -> Result<f64, OcoError> {
    let mut g = vec![0.0; learner.play().len()];
    let mut total = 0.0;
    for loss in stream {
        total += loss.value(learner.play());
        loss.subgradient(learner.play(), &mut g);
        learner.observe(&g)?;
    }
    Ok(total)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use datasets::synthetic::{LabelNoise, generated};
    use rows::RowMatrix;

    const SEED: u64 = 2;

    /// Divided by the longest, all rows are (2, 1)/√5, so only the play's component w along them matters: the
    /// loss on a label y is ln(1 + e^(−yw)), and of p labels +1 and q labels −1 the best w is ln(p/q). In the
    /// reporting half every fifth label is −1; in the tuning half all are.
    fn task(trial: u64) -> (Task, Vec<f64>) {
        let mut dataset = generated("test", &mut LabelNoise::new(1, 0.0, 1).unwrap(), 600).unwrap();
        dataset.features = RowMatrix::dense(1, vec![2.0; 600]).unwrap();
        dataset.numeric_columns = Vec::new();
        let name = datasets::Name::Adult;
        let mut task = Task { name, dataset, labels: vec![-1.0; 600], coding: "" };
        let reporting = task.halves(SEED, trial, 600).unwrap().reporting;
        reporting.iter().filter(|i| *i % 5 > 0).for_each(|&i| task.labels[i] = 1.0);
        let stream = reporting.iter().map(|&i| task.labels[i]).collect();
        (task, stream)
    }

    /// The loss of a learner whose play starts at 0 and moves by `step`, with the gradient −y/(1 + e^(yw)).
    fn lost(stream: &[f64], mut step: impl FnMut(f64, f64) -> f64) -> f64 {
        let (mut w, mut total) = (0.0_f64, 0.0);
        for y in stream {
            total += (1.0 + (-y * w).exp()).ln();
            w = step(w, -y / (1.0 + (y * w).exp())).clamp(-D, D);
        }
        total
    }

    #[test]
    fn regret_is_against_the_best_point_of_the_same_rounds_of_the_reporting_half() {
        for trial in [0, 1] {
            let (task, stream) = task(trial);
            let points = run(&task, SEED, trial, true).unwrap();
            for horizon in [16_u32, 32, 64, 128, 256] {
                let stream = &stream[..horizon as usize];
                let of = |series: &str| {
                    points.iter().find(|p| p.series == series && p.x == u64::from(horizon)).unwrap().value
                };
                let t = f64::from(horizon);
                let q = stream.iter().filter(|y| **y < 0.0).count() as f64;
                let best = -(t - q) * ((t - q) / t).ln() - q * (q / t).ln();
                let (eta, mut sum) = (D / (2.0 * t).sqrt(), 0.0);
                let lazy = lost(stream, |_, g| {
                    sum += g;
                    -eta * sum
                });
                let mut round = 0.0_f64;
                let active = lost(stream, |w, g| {
                    round += 1.0;
                    w - 2.0 * D / round.sqrt() * g
                });
                let gap = of(GAP);
                assert!((0.0..=TOLERANCE).contains(&gap));
                for (series, expected) in
                    [("lazy OGD", lazy - best), ("active OGD, any horizon", active - best)]
                {
                    let short = expected - of(series);
                    assert!(
                        (-1e-6..=gap + 1e-6).contains(&short),
                        "{series}, T = {t}: {} {expected}",
                        of(series)
                    );
                }
                assert!((of("bound Dρ√(2T), Theorem 2") - 10.0 * (2.0 * t).sqrt()).abs() < 1e-9);
                assert!((of("bound 3Dρ√T, Zinkevich") - 30.0 * t.sqrt()).abs() < 1e-9);
            }
        }
    }
}
