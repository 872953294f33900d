//! The experiment as a program: the same numbers for any number of threads and after a stop, in the record's
//! schema.

#![allow(clippy::unwrap_used, reason = "a run that fails here is a failure of the test")]

use boosters::feedback::Noise;
use datasets::{Name, SearchPath, StandIn};
use experiments::bandit_boosting::methods::{Fixed, Method};
use experiments::bandit_boosting::task::Task;
use experiments::bandit_boosting::tuning::{Grid, tune};
use experiments::bandit_boosting::{DECREASE, LOSS, Options, Plan, run};
use report::record::{Provenance, Record};
use rows::RowMatrix;
use std::path::Path;

/// A quick run on the stand-in of abalone, which needs no files.
fn quick(out: &Path, trials: u64, threads: usize) -> Record {
    let options = Options {
        trials,
        seed: 3,
        threads: Some(threads),
        quick: true,
        out: out.to_owned(),
        plan: Plan { delta: 0.5, datasets: vec![Name::Abalone] },
        search: SearchPath::nowhere(),
        quiet: true,
    };
    let report = run(&options).unwrap();
    assert!(report.terminal.contains("abalone (synthetic stand-in)"), "{}", report.terminal);
    for file in &report.files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("stand-in"), "{} does not state its data", file.display());
    }
    Record::load(&out.join("bandit-boosting.json")).unwrap()
}

#[test]
fn neither_threads_nor_a_stop_change_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = quick(&out("whole"), 2, 1);
    assert_eq!(quick(&out("threads"), 2, 2).trials, whole.trials);
    // Stopped after the first trial, and killed while writing the second.
    quick(&out("stopped"), 1, 2);
    assert_eq!(quick(&out("stopped"), 2, 1).trials, whole.trials);
    let files = std::fs::read_dir(out("stopped")).unwrap().map(|entry| entry.unwrap().path());
    let store = files.into_iter().find(|path| path.extension().is_some_and(|e| e == "trials")).unwrap();
    let text = std::fs::read(&store).unwrap();
    std::fs::write(&store, &text[..text.len() - 100]).unwrap();
    assert_eq!(quick(&out("stopped"), 2, 2).trials, whole.trials);
}

#[test]
fn the_record_holds_every_method_and_the_papers_figures() {
    let folder = tempfile::tempdir().unwrap();
    let record = quick(folder.path(), 2, 2);
    assert_eq!((record.experiment.as_str(), record.seed), ("bandit-boosting", 3));
    let of = |metric: &str| record.rows.iter().filter(|row| row.metric == metric).collect::<Vec<_>>();
    assert_eq!((of(LOSS).len(), of(DECREASE).len()), (8, 2));
    for row in &record.rows {
        assert_eq!((row.n, row.provenance), (2, Provenance::StandIn), "{row:?}");
    }
    let printed =
        record.paper.iter().find(|row| row.method == "bandit boosting" && row.metric == LOSS).unwrap();
    assert_eq!((printed.mean, printed.std), (11.68, Some(0.154)));
    // The protocol of the paper: δ = ½, noise uniform on [−0.1, 0.1].
    let fixed = &record.settings["decides"]["fixed"];
    assert_eq!(fixed["delta"], 0.5);
    assert_eq!(fixed["noise"]["uniform"]["half_width"], 0.1);
    let losses_of = |trial: u64| -> Vec<f64> {
        let rows = record.trials.iter().filter(|row| row.metric == LOSS && row.trial == trial);
        rows.map(|row| row.value).collect()
    };
    let (first, second) = (losses_of(0), losses_of(1));
    assert!(first.len() == 8 && first.iter().zip(&second).all(|(a, b)| a != b), "{first:?} {second:?}");
    // The tuned parameters are recorded with every trial.
    let tuned = record
        .trials
        .iter()
        .filter(|trial| trial.metric == LOSS && trial.method != "fixed linear, hindsight");
    assert!(
        tuned.clone().count() == 14 && tuned.into_iter().all(|t| t.settings["setting"]["lr"].is_number())
    );
}

/// The reporting half does not tune: with other labels and rows there, tuning chooses the same setting at the
/// same loss, bit for bit.
#[test]
fn tuning_does_not_use_the_reporting_half() {
    let fixed = Fixed { delta: 0.5, noise: Noise::uniform(0.1).unwrap() };
    let stand_in = StandIn { seed: 5, rows: Some(3000) };
    let mut task = Task::load(Name::Abalone, &SearchPath::nowhere(), stand_in).unwrap();
    let tuned = |task: &Task, trial| {
        let halves = task.halves(4, trial, usize::MAX).unwrap();
        let chosen = [Method::Ogd, Method::BanditBoosting]
            .map(|method| tune(method, &Grid::quick(), 1, fixed, &halves, 6).unwrap());
        (chosen, halves)
    };
    let (before, halves) = tuned(&task, 0);
    for &i in &halves.reporting {
        task.labels[i] = -task.labels[i];
    }
    let m = task.dataset.features.dimension();
    let mut values: Vec<f64> = task.dataset.features.iter().flat_map(|row| row.to_dense()).collect();
    for &i in &halves.reporting {
        values[i * m..(i + 1) * m].iter_mut().for_each(|v| *v = 7.0 - 3.0 * *v);
    }
    task.dataset.features = RowMatrix::dense(m, values).unwrap();
    assert_eq!(tuned(&task, 0).0, before);
    assert_ne!(tuned(&task, 1).0, before, "another trial draws other halves, and those were changed");
}
