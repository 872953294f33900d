//! The lecture's experiment as a program: every bound holds in every row, and neither threads nor a stop
//! change a number.

#![allow(clippy::unwrap_used, reason = "a run that fails here is a failure of the test")]

mod bounds;

use bounds::compare;
use datasets::SearchPath;
use experiments::oco::{Options, run};
use report::record::Record;
use std::path::Path;

/// A quick run on stand-ins, which need no files.
fn quick(out: &Path, trials: u64, threads: usize) -> Record {
    let options = Options {
        trials,
        seed: 5,
        threads: Some(threads),
        quick: true,
        plan: (),
        out: out.to_owned(),
        search: SearchPath::nowhere(),
        quiet: true,
    };
    let report = run(&options).unwrap();
    assert!(report.files.iter().all(|file| file.exists()));
    assert!(report.terminal.contains("(synthetic stand-in)") && report.terminal.contains("(synthetic)"));
    Record::load(&out.join("oco.json")).unwrap()
}

#[test]
fn neither_threads_nor_a_stop_change_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = quick(&out("whole"), 2, 1);
    assert_eq!(quick(&out("threads"), 2, 2).trials, whole.trials);
    quick(&out("stopped"), 1, 2);
    assert_eq!(quick(&out("stopped"), 2, 2).trials, whole.trials);
}

/// The pairs of series ordered by a theorem of the lecture. A regret is known up to the gap of its
/// comparator.
const BOUNDS: [(&str, &str, f64); 9] = [
    ("lower bound T − 1", "follow the leader", 0.0),
    ("follow the regularised leader", "bound √(2T), Theorem 2", 0.0),
    ("lazy OGD", "bound Dρ√(2T), Theorem 2", 0.1),
    ("active OGD, any horizon", "bound 3Dρ√T, Zinkevich", 0.1),
    ("Perceptron", "bound (R/γ)², Perceptron", 0.0),
    ("Winnow", "bound 2X² ln n/γ², Winnow", 0.0),
    ("Hedge, best response", "bound √(2 ln n/T)·max|M|", 0.0),
    ("certified from below", "value", 0.0),
    ("value", "certified from above", 0.0),
];

#[test]
fn every_bound_holds_in_every_trial() {
    let folder = tempfile::tempdir().unwrap();
    let record = quick(folder.path(), 2, 2);
    let found = compare(&record, &BOUNDS);
    assert!(found.broken.is_empty() && found.compared > 100, "{found:?}");
    for pair in BOUNDS {
        assert!(compare(&record, &[pair]).compared > 1, "{pair:?} compares nothing");
    }
    // The gaps of the comparators are within that slack.
    let gaps = record.trials.iter().filter(|row| row.method == "comparator's gap");
    let gaps: Vec<f64> = gaps.map(|row| row.value).collect();
    assert!(!gaps.is_empty() && gaps.iter().all(|gap| (0.0..=0.1).contains(gap)), "{gaps:?}");
    every_planted_violation_is_counted(&record);
    trials_of_what_is_random_differ(&record);
}

/// One number of each bounded method is moved above its bound: exactly this violation is found.
fn every_planted_violation_is_counted(record: &Record) {
    for (below, above, slack) in BOUNDS {
        let mut broken = record.clone();
        let last = broken.trials.iter().rposition(|row| row.method == below).unwrap();
        let low = broken.trials[last].clone();
        let bound = broken.trials.iter().find(|row| {
            (&row.dataset, row.method.as_str(), &row.metric, row.trial)
                == (&low.dataset, above, &low.metric, low.trial)
        });
        broken.trials[last].value = bound.unwrap().value + slack + 1e-6;
        assert_eq!(compare(&broken, &[(below, above, slack)]).broken.len(), 1, "{below}");
        broken.trials[last].value = f64::NAN;
        assert_eq!(compare(&broken, &[(below, above, slack)]).broken.len(), 1, "{below}");
        // Without its bound every number counts as a violation.
        broken.trials.retain(|row| row.method != above);
        let found = compare(&broken, &[(below, above, slack)]);
        assert_eq!(found.broken.len(), found.compared, "{below}");
    }
}

fn trials_of_what_is_random_differ(record: &Record) {
    for method in ["lazy OGD", "active OGD, any horizon", "Perceptron", "Winnow", "value"] {
        let of = |trial: u64| -> Vec<f64> {
            let rows = record.trials.iter().filter(|row| row.method == method && row.trial == trial);
            rows.map(|row| row.value).collect()
        };
        assert!(of(0).len() == of(1).len() && of(0) != of(1), "{method}: {:?}", of(0));
    }
}
