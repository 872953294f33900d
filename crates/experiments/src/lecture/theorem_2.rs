//! \[W13, Theorem 2\] on real streams: logistic regression on a ball, the regret at each horizon beside its bound.

use super::{LectureError, Point, powers_of_two};
use crate::bandit_boosting::task::Task;
use oco_core::{
    LazyOgd, LogisticLoss, Loss, LossSum, OcoError, Ogd, OnlineLearner, StepSchedule, best_in_hindsight,
};
use projections::L2Ball;

/// D, the radius of the ball around 0. Features are divided by the largest norm of the stream, so ρ = 1 and margins reach
/// from −10 to 10.
const D: f64 = 10.0;
/// How far the comparator may be from the best one.
const TOLERANCE: f64 = 0.1;
/// The largest certified distance of the comparator's loss from the minimum; in the table, not in the figure.
pub(super) const GAP: &str = "comparator's gap";

/// Regret of lazy OGD with Theorem 2's step for each horizon, and of active OGD with η_t = 2D/√t, which does not know
/// the horizon. Labels are ±1; the examples are the second half of a trial's order, their scaling is the first half's.
pub(super) fn run(task: &Task, seed: u64, trial: u64, quick: bool) -> Result<Vec<Point>, LectureError> {
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
