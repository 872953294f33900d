//! The counted and the kept rounds of a run.

use super::super::fixtures::snapshot;
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

/// The same score for both actions everywhere.
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

/// From an objective of 1, rounds 2 and 3 fall by less than guaranteed, and 3 and 4 end above the bound.
#[test]
fn rounds_that_violate_a_theorem_are_counted() {
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
        broken.push((watch.history.short_of_the_decrease, watch.history.above_the_bound));
    }
    assert_eq!(broken, [(0, 0), (1, 0), (2, 1), (2, 2), (2, 2), (2, 2)]);
    // Rounding is not a violation.
    watch.see(&round(0.25 + 1e-12, 0.0, 0.25), &Alike([0.0; 2]), 0.0).unwrap();
    watch.see(&round(0.25 + 1e-6, 0.0, 0.125), &Alike([0.0; 2]), 0.0).unwrap();
    assert_eq!((watch.history.short_of_the_decrease, watch.history.above_the_bound), (3, 3));
}

#[test]
fn regression_rounds_short_of_the_decrease_are_counted() {
    let rows = rows();
    let mut watch = Watch::new(&rows, 3, 1.0, &|_| ());
    for (loss, decrease) in [(0.75, 0.25), (0.625, 0.25), (0.5, 0.125), (0.625, -0.0625)] {
        let round = RegressionRound { loss, decrease };
        watch.see_regression(&round, 0.0, (1.0, &Alike([0.0; 2])), 0.0).unwrap();
    }
    assert_eq!((watch.history.short_of_the_decrease, watch.history.above_the_bound), (2, 0));
}

/// Of 130 rounds the first, every third and the last are kept, with their numbers.
#[test]
fn a_snapshot_holds_the_numbers_of_its_round() {
    let (rows, ticks) = (rows(), AtomicU64::new(0));
    let tick = |rounds| {
        ticks.fetch_add(rounds, Ordering::Relaxed);
    };
    let mut watch = Watch::new(&rows, 130, 2.0, &tick);
    for t in 1..=130 {
        // Action 0 is best until round 64, then action 1.
        let predictor = Alike(if t == 1 { [1.0, 0.0] } else { [0.0, 1.0 / 62.5] });
        let objective = 1.0 / f64::from(t);
        watch.see(&round(objective, 0.0, 2.0 * objective), &predictor, 0.5).unwrap();
    }
    let (history, scores) = watch.finish(None, Some(snapshot(0, 0.0)));
    let kept: Vec<u32> = history.snapshots.iter().map(|snapshot| snapshot.round).collect();
    let expected: Vec<u32> = std::iter::once(1).chain((3..130).step_by(3)).chain([130]).collect();
    assert_eq!(kept, expected);
    for snapshot in &history.snapshots {
        let right = if snapshot.round < 64 { 1.0 } else { 2.0 };
        assert!((snapshot.reward - right / 3.0).abs() < 1e-15, "{snapshot:?}");
        let objective = 1.0 / f64::from(snapshot.round);
        assert_eq!((snapshot.objective, snapshot.bound), (Some(objective), Some(2.0 * objective)));
        assert_eq!((snapshot.gradient_norm, snapshot.snips), (16.0, Some(32.0)));
    }
    assert_eq!((history.rounds, history.seconds, history.stop), (130, 65.0, None));
    let half_seconds = |snapshot: &Snapshot| snapshot.seconds == Some(0.5 * f64::from(snapshot.round));
    assert!(history.snapshots.iter().all(half_seconds));
    assert!((history.reward - 2.0 / 3.0).abs() < 1e-15 && scores.len() == 6);
    assert_eq!(ticks.into_inner(), 130);
}

/// A stopped run keeps its last round, once, and counts the remaining rounds as done.
#[test]
fn a_stopped_run_keeps_its_end() {
    let (rows, ticks) = (rows(), AtomicU64::new(0));
    let tick = |rounds| {
        ticks.fetch_add(rounds, Ordering::Relaxed);
    };
    let run = |rounds: u32| {
        let mut watch = Watch::new(&rows, 130, 2.0, &tick);
        for t in 1..=rounds {
            // The fourth round, kept only as the last one, makes action 0 the best.
            let predictor = Alike(if t == 4 { [8.0, 0.0] } else { [0.0, 1.0] });
            watch.see(&round(1.0, 0.0, 1.0), &predictor, 0.0).unwrap();
        }
        watch.finish(Some(BoplStop::Alpha), Some(snapshot(0, 0.25))).0
    };
    let (four, six) = (run(4), run(6));
    assert_eq!(four.snapshots.iter().map(|snapshot| snapshot.round).collect::<Vec<_>>(), [1, 3, 4]);
    let end = Snapshot { round: 4, reward: four.reward, seconds: Some(0.0), ..snapshot(0, 0.25) };
    assert_eq!((four.snapshots.last(), four.stop), (Some(&end), Some(BoplStop::Alpha)));
    assert!((four.reward - 1.0 / 3.0).abs() < 1e-15);
    assert_eq!(six.snapshots.iter().map(|snapshot| snapshot.round).collect::<Vec<_>>(), [1, 3, 6]);
    assert_eq!(ticks.into_inner(), 260);
}

#[test]
fn a_stopped_history_keeps_its_last_snapshot() {
    let history = History {
        snapshots: vec![snapshot(1, 0.5), snapshot(4, 0.75), snapshot(6, 0.25)],
        ..History::default()
    };
    let at = |round| history.at(round).map(|snapshot| snapshot.round);
    assert_eq!([0, 1, 3, 4, 5, 6, 9].map(at), [None, Some(1), Some(1), Some(4), Some(4), Some(6), Some(6)]);
}
