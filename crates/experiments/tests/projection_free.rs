//! The experiment as a program: the same regrets and counts for any number of threads and after a stop, and comparators that
//! are what they claim.

#![allow(clippy::unwrap_used, reason = "a run that fails here is a failure of the test")]

use datasets::SearchPath;
use experiments::projection_free::growth::{Summary, exponent};
use experiments::projection_free::hindsight::best;
use experiments::projection_free::methods::{Method, run as play};
use experiments::projection_free::problems::{Problem, Task};
use experiments::projection_free::round_loss::RoundLoss;
use experiments::projection_free::{Options, run};
use experiments::record::{Provenance, Record, Trial};
use oco_core::Loss;
use projections::{Euclidean, Projection, Simplex};
use std::path::Path;

fn quick(out: &Path, trials: u64, threads: usize, problem: Problem) -> Record {
    let options = Options {
        trials,
        seed: 3,
        threads: Some(threads),
        quick: true,
        problems: vec![problem],
        out: out.to_owned(),
        search: SearchPath::nowhere(),
        quiet: true,
    };
    let report = run(&options).unwrap();
    for file in &report.files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(
            text.contains("synthetic") || text.contains("stand-in"),
            "{} does not say what it was made on",
            file.display()
        );
    }
    Record::load(&out.join("projection-free.json")).unwrap()
}

/// What does not depend on the machine.
fn regrets(record: &Record) -> Vec<&Trial> {
    record.trials.iter().filter(|trial| trial.metric.starts_with("regret")).collect()
}

#[test]
fn neither_threads_nor_a_stop_change_a_regret_or_a_count() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = quick(&out("whole"), 2, 1, Problem::SimplexTargets);
    assert_eq!(regrets(&quick(&out("threads"), 2, 2, Problem::SimplexTargets)), regrets(&whole));
    quick(&out("stopped"), 1, 1, Problem::SimplexTargets);
    assert_eq!(regrets(&quick(&out("stopped"), 2, 1, Problem::SimplexTargets)), regrets(&whole));
}

#[test]
fn a_stand_in_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let record = quick(folder.path(), 1, 1, Problem::Abalone);
    assert!(record.rows.iter().all(|row| row.provenance == Provenance::StandIn));
    assert!(record.paper.iter().any(|row| row.method == "Algorithm 1" && row.mean == 0.5));
}

/// Squared distances are best met by the projection of the targets' mean.
#[test]
fn the_comparator_of_targets_is_the_projected_mean() {
    let (rounds, nowhere) = (300_u32, SearchPath::nowhere());
    let task = Task::draw(Problem::SimplexTargets, rounds as usize, 1, 0, &nowhere).unwrap();
    let mut mean = vec![0.0; task.start.len()];
    for loss in &task.losses {
        let RoundLoss::Distance { target } = loss else { continue };
        mean.iter_mut().zip(target).for_each(|(m, c)| *m += c / f64::from(rounds));
    }
    Projection::<Euclidean>::project(&Simplex::new(1.0).unwrap(), &mut mean).unwrap();
    let least: f64 = task.losses.iter().map(|loss| loss.value(&mean)).sum();
    let found = best(&task, rounds).unwrap();
    assert!(found.loss <= least + found.gap && least <= found.loss + 1e-9, "{least}: {found:?}");
}

/// Every comparator is certified as closely as asked, no play or vertex is better than its certificate allows, and no loss is
/// steeper or more curved than its task says.
#[test]
fn comparators_and_constants_hold_for_every_problem() {
    for problem in Problem::ALL {
        let task = Task::draw(problem, 200, 5, 1, &SearchPath::nowhere()).unwrap();
        let found = best(&task, 200).unwrap();
        assert!(
            found.gap <= 1e-3 * task.gradient_bound * task.diameter * 200.0_f64.sqrt(),
            "{problem:?}: {found:?}"
        );
        let n = task.start.len();
        let mut points = vec![task.start.clone()];
        for j in [0, 1, n - 1] {
            let g: Vec<f64> = (0..n).map(|i| if i == j { -1.0 } else { 0.1 * (i as f64).sin() }).collect();
            points.push(task.set.lmo(&g).unwrap());
        }
        let (mut g, mut h) = (vec![0.0; n], vec![0.0; n]);
        for x in &points {
            let sum: f64 = task.losses.iter().map(|loss| loss.value(x)).sum();
            assert!(found.loss - found.gap <= sum + 1e-9, "{problem:?}");
            for loss in &task.losses {
                loss.subgradient(x, &mut g);
                loss.subgradient(&task.start, &mut h);
                let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
                assert!(norm(&mut g.iter().copied()) <= task.gradient_bound + 1e-9, "{problem:?}");
                let apart = norm(&mut x.iter().zip(&task.start).map(|(a, b)| a - b));
                let change = norm(&mut g.iter().zip(&h).map(|(a, b)| a - b));
                assert!(change <= task.smoothness * apart + 1e-9, "{problem:?}");
            }
        }
    }
}

/// A method asks what its line in the table says, and what it loses is its regret's: the reference is no oracle.
#[test]
fn methods_cost_what_they_say() {
    let task = Task::draw(Problem::SimplexCoins, 16, 2, 0, &SearchPath::nowhere()).unwrap();
    for method in Method::ALL {
        let run = play(method, &task, 1.0, 16, 9).unwrap();
        let copies = u64::from(method.copies(&task, 1.0, 16).unwrap());
        let want = match method {
            Method::Ogd => (16, 0, 16),
            Method::OnlineFw => (16, 16, 0),
            Method::Morgfw => (16 * 31, 16 * 16, 0),
            Method::MetaFw | Method::Algorithm1 => (16 * copies, 16 * copies, 0),
        };
        assert_eq!((run.gradients, run.minimisations, run.projections), want, "{method:?}");
        assert_eq!(play(method, &task, 1.0, 16, 9).unwrap().loss, run.loss, "{method:?}");
    }
}

/// A slope that is known comes back, whatever the shorter horizons do; and the interval holds it.
#[test]
fn exponents_come_back() {
    let horizons: Vec<f64> = (0..10).map(|k| 2.0_f64.powi(k)).collect();
    let trials: Vec<Vec<f64>> = (0..12)
        .map(|trial| {
            let shift = 1.0 + 0.3 * f64::from(trial).sin();
            horizons
                .iter()
                .enumerate()
                .map(|(k, t)| if k < 4 { 100.0 } else { shift * t.powf(0.75) })
                .collect()
        })
        .collect();
    let fit = exponent(&horizons, &trials, Summary::Mean, 1).unwrap();
    assert!((fit.slope - 0.75).abs() < 1e-9 && fit.low <= fit.slope && fit.slope <= fit.high, "{fit:?}");
    assert_eq!(exponent(&horizons[..2], &trials, Summary::Mean, 1), None);
    assert_eq!(Summary::Least.of([3.0, 1.0, 2.0].into_iter()), Some(1.0));
}
