//! \[W13, Example 2\]: the leader has linear regret, the regularised leader does not.

use super::{Point, powers_of_two};
use crate::runner::ExperimentError;
use oco_core::learners::{FollowTheLeader, LazyOgd};
use oco_core::regret::LinearRegret;
use oco_core::{OnlineLearner, StepSchedule};
use projections::BoxSet;

/// f_1(w) = −w/2, then w and −w in turn, on [−1, 1]: D = ρ = 1. FTRL with the lecture's quadratic regulariser
/// is lazy OGD on these linear losses; its step is that of Theorem 2 for each horizon.
pub(super) fn run(quick: bool) -> Result<Vec<Point>, ExperimentError> {
    let interval = BoxSet::interval(-1.0, 1.0)?;
    let mut points = Vec::new();
    for horizon in powers_of_two(2, if quick { 8 } else { 14 }) {
        let eta = StepSchedule::lecture_theorem_2(1.0, 1.0, horizon)?.eta(1);
        let leader = regret(FollowTheLeader::new(interval.clone(), 1)?, &interval, horizon)?;
        let regularised = regret(LazyOgd::new(interval.clone(), 1, eta)?, &interval, horizon)?;
        let t = f64::from(horizon);
        for (series, value) in [
            ("follow the leader", leader),
            ("lower bound T − 1", t - 1.0),
            ("follow the regularised leader", regularised),
            ("bound √(2T), Theorem 2", (2.0 * t).sqrt()),
        ] {
            let (panel, series) = ("Example 2".to_owned(), series.to_owned());
            points.push(Point { panel, series, x: u64::from(horizon), value });
        }
    }
    Ok(points)
}

fn regret(mut learner: impl OnlineLearner, interval: &BoxSet, horizon: u32) -> Result<f64, ExperimentError> {
    let mut account = LinearRegret::new(1)?;
    for t in 1..=horizon {
        let g = match t {
            1 => [-0.5],
            t if t.is_multiple_of(2) => [1.0],
            _ => [-1.0],
        };
        account.record(&g, learner.play())?;
        learner.observe(&g)?;
    }
    Ok(account.regret(interval)?.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the leader is on the wrong side from the second round on and loses 1 in each, the regularised
    /// leader η/2, with η = 1/√(2T); the best fixed point gains ½.
    #[test]
    fn regrets_are_those_calculated_by_hand() {
        let points = run(true).unwrap();
        let horizons = [4_u32, 8, 16, 32, 64, 128, 256];
        assert_eq!(points.len(), 4 * horizons.len());
        for horizon in horizons {
            let of = |series: &str| {
                let found = points.iter().find(|p| p.series == series && p.x == u64::from(horizon));
                found.unwrap().value
            };
            let t = f64::from(horizon);
            let root = (2.0 * t).sqrt();
            let expected = [
                ("follow the leader", t - 0.5),
                ("lower bound T − 1", t - 1.0),
                ("follow the regularised leader", (t - 1.0) / (2.0 * root) + 0.5),
                ("bound √(2T), Theorem 2", root),
            ];
            for (series, value) in expected {
                assert!((of(series) - value).abs() < 1e-9, "{series}, T = {t}: {} {value}", of(series));
            }
        }
    }
}
