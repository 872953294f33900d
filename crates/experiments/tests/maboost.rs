//! The experiment on the MABoost family as a program: neither threads nor a stop change a number, every bound
//! holds after every round, and neither learning nor choices use the test rows.

#![allow(clippy::unwrap_used, reason = "a run that fails here is a failure of the test")]

use datasets::{Dataset, Name, SearchPath, StandIn, load, permutation};
use experiments::maboost::history::History;
use experiments::maboost::methods::{Learner, Method};
use experiments::maboost::noise::TEST_ERROR;
use experiments::maboost::sets::{SETS, Split, Task};
use experiments::maboost::{Options, Point, combined, noise, run};
use experiments::runner::ExperimentError;
use report::record::Record;
use rows::RowMatrix;
use std::path::Path;
use weak_learners::batch::Sample;

fn options(out: &Path, trials: u64, threads: usize) -> Options {
    Options {
        trials,
        seed: 5,
        threads: Some(threads),
        quick: true,
        plan: vec![Name::BreastCancer, Name::Spambase],
        out: out.to_owned(),
        search: SearchPath::nowhere(),
        quiet: true,
    }
}

/// A quick run on stand-ins, which need no files.
fn quick(out: &Path, trials: u64, threads: usize) -> Record {
    let report = run(&options(out, trials, threads)).unwrap();
    assert!(report.files.iter().all(|file| file.exists()));
    assert!(report.terminal.contains("(synthetic stand-in)"));
    Record::load(&out.join("maboost.json")).unwrap()
}

#[test]
fn neither_threads_nor_a_stop_change_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = quick(&out("whole"), 2, 1);
    let other = quick(&out("threads"), 2, 3);
    assert_eq!((&other.trials, &other.rows), (&whole.trials, &whole.rows));
    for table in ["maboost-rounds.csv", "maboost-margins.csv"] {
        let [whole, other] = ["whole", "threads"].map(|run| std::fs::read(out(run).join(table)).unwrap());
        assert_eq!(whole, other, "{table}");
    }
    quick(&out("stopped"), 1, 2);
    assert_eq!(quick(&out("stopped"), 2, 2).trials, whole.trials);
    let broken = whole.trials.iter().filter(|trial| trial.metric == "rounds above a bound");
    assert_eq!(broken.clone().count(), 2 * 3 * Method::ALL.len() * 2);
    assert!(broken.map(|trial| trial.value).all(|rounds| rounds == 0.0));
}

#[test]
fn the_table_of_a_reduced_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    run(&Options { plan: vec![Name::BreastCancer], ..options(out, 2, 2) }).unwrap();
    let page = std::fs::read_to_string(out.join("maboost.md")).unwrap();
    let table = page.lines().skip_while(|line| !line.starts_with("| breast-cancer, stumps ")).take(14);
    insta::assert_snapshot!(table.collect::<Vec<_>>().join("\n"), @r"
    | breast-cancer, stumps                            | training error, % | bound, % | sharper, % | test error, % | least margin | bound on it |  Σγ² | rounds | weights 0, % | at the cap, % | rows used, % | rounds above a bound |
    |--------------------------------------------------|------------------:|---------:|-----------:|--------------:|-------------:|------------:|-----:|-------:|-------------:|--------------:|-------------:|---------------------:|
    | quadratic, active (synthetic stand-in)           |              4.50 |     46.3 |       30.2 |    15.5 ± 0.7 |      -0.0824 |       -12.2 | 2.32 |   30.0 |         11.3 |             0 |         91.3 |                    0 |
    | quadratic, lazy (synthetic stand-in)             |              5.25 |     48.4 |       31.9 |    16.0 ± 1.4 |      -0.0783 |       -12.8 | 2.14 |   30.0 |         26.2 |             0 |         84.2 |                    0 |
    | quadratic, Theorem 2 (synthetic stand-in)        |              10.8 |     64.6 |       47.7 |    17.5 ± 6.4 |       -0.266 |       -38.3 | 1.78 |   30.0 |         5.25 |             0 |         97.5 |                    0 |
    | quadratic, lazy, long steps (synthetic stand-in) |              4.25 |     58.2 |       41.1 |    16.0 ± 0.0 |      -0.0531 |       -6.62 | 2.88 |   30.0 |         41.8 |             0 |         69.2 |                    0 |
    | entropy (synthetic stand-in)                     |              3.75 |     27.9 |          – |    15.0 ± 2.8 |      -0.0549 |      -0.583 | 2.55 |   30.0 |            0 |             0 |          100 |                    0 |
    | entropy, line search (synthetic stand-in)        |              2.75 |     24.4 |          – |    15.5 ± 0.7 |      -0.0431 |      -0.430 | 2.67 |   30.0 |            0 |             0 |          100 |                    0 |
    | entropy, Theorem 2 (synthetic stand-in)          |              9.00 |     56.0 |          – |    17.5 ± 6.4 |       -0.203 |       -1.89 | 1.90 |   30.0 |            0 |             0 |          100 |                    0 |
    | smooth, k = 10 (synthetic stand-in)              |              3.75 |     27.9 |          – |    15.0 ± 2.8 |      -0.0549 |           – | 2.55 |   30.0 |            0 |             0 |          100 |                    0 |
    | SparseBoost, θ = 0.5 (synthetic stand-in)        |              4.50 |     63.0 |       36.2 |    16.0 ± 0.0 |      -0.0954 |           – | 2.35 |   30.0 |            0 |             0 |         99.9 |                    0 |
    | SparseBoost, α = 0.01 (synthetic stand-in)       |              4.00 |     47.9 |       30.7 |    14.5 ± 2.1 |      -0.0941 |           – | 2.34 |   30.0 |            0 |             0 |         99.9 |                    0 |
    | MadaBoost (synthetic stand-in)                   |              13.5 |     85.5 |          – |    19.0 ± 5.7 |       -0.476 |           – | 2.08 |   30.0 |            0 |             0 |          100 |                    0 |
    | AdaBoost (synthetic stand-in)                    |              2.75 |     24.4 |          – |    15.5 ± 0.7 |      -0.0431 |           – | 2.67 |   30.0 |            0 |             0 |          100 |                    0 |
    ");
}

fn stand_in(name: Name, rows: usize) -> Dataset {
    load(name, &SearchPath::nowhere(), StandIn { seed: 3, rows: Some(rows) }).unwrap()
}

fn split(name: Name, rows: usize) -> Split {
    Split::draw(name, &stand_in(name, rows), [200, 100], 3, 1).unwrap()
}

/// The same training rows, with opposite test labels.
fn with_other_test_labels(split: &Split) -> Split {
    let test_labels = split.test_labels.iter().map(|y| -*y).collect();
    Split { test_labels, ..split.clone() }
}

/// The split of a set with entirely different test rows.
fn with_other_test_rows(name: Name, rows: usize) -> Split {
    let mut dataset = stand_in(name, rows);
    let order = permutation(rows, 3, 1).unwrap();
    let (_, tested) = order.split_at(2 * rows / 3);
    let mut values: Vec<Vec<f64>> = dataset.features.iter().map(|row| row.to_dense()).collect();
    tested.iter().for_each(|&i| values[i].iter_mut().for_each(|x| *x = 1e3 - 7.0 * *x));
    dataset.features = RowMatrix::dense(dataset.features.dimension(), values.concat()).unwrap();
    Split::draw(name, &dataset, [200, 100], 3, 1).unwrap()
}

#[test]
fn learning_and_choices_do_not_use_test_labels() {
    let split = split(Name::Spambase, 300);
    let garbled = with_other_test_labels(&split);
    for method in Method::ALL {
        let of = |split: &Split| {
            History::run(method, Learner::Trees, &split.task(&split.truth).unwrap(), 12).unwrap()
        };
        let (mut told, mut other) = (of(&split), of(&garbled));
        for (a, b) in told.snapshots.iter_mut().zip(&mut other.snapshots) {
            assert!((a.test + b.test - 1.0).abs() < 1e-12, "{method}");
            (a.test, b.test) = (0.0, 0.0);
        }
        assert_eq!(told, other, "{method}");
    }
    for (a, b) in points(&split).iter().zip(&points(&garbled)) {
        if a.metric == TEST_ERROR {
            assert!((a.value + b.value - 1.0).abs() < 1e-12, "{a:?}, {b:?}: another ensemble");
        } else {
            assert_eq!(a, b);
        }
    }
}

fn points(split: &Split) -> Vec<Point> {
    let mut points = noise::errors(split, Learner::Stumps, 8, 3, 1).unwrap();
    points.extend(combined::errors(split, Learner::Stumps, 8, 3, 1).unwrap());
    points
}

#[test]
fn learning_and_choices_do_not_use_test_rows() {
    let (split, other) = (split(Name::Spambase, 300), with_other_test_rows(Name::Spambase, 300));
    assert!(split.test.matrix().iter().zip(other.test.matrix().iter()).all(|(a, b)| a != b));
    assert!((0..split.train.inputs()).all(|j| split.train.cuts(j) == other.train.cuts(j)));
    assert_eq!((&split.train, &split.truth), (&other.train, &other.truth));
    let (first, first_other) = (split.first(40).unwrap(), other.first(40).unwrap());
    assert_eq!((first.train, first.truth), (first_other.train, first_other.truth));
    let mut tests_differ = false;
    for method in Method::ALL {
        let of = |split: &Split| {
            History::run(method, Learner::Trees, &split.task(&split.truth).unwrap(), 12).unwrap()
        };
        let (mut history, mut of_other) = (of(&split), of(&other));
        tests_differ |= history != of_other;
        history.snapshots.iter_mut().chain(&mut of_other.snapshots).for_each(|snapshot| snapshot.test = 0.0);
        assert_eq!(history, of_other, "{method}");
        let choice = |split: &Split| {
            let validation = split.validation(&split.told(0.2, 3, 1).unwrap()).unwrap();
            let task = validation.task(&validation.truth).unwrap();
            noise::Choice::of(method, Learner::Stumps, &task, 12).unwrap()
        };
        assert_eq!(choice(&split), choice(&other), "{method}");
    }
    assert!(tests_differ, "the other test rows change no test error");
    for (mut a, mut b) in points(&split).into_iter().zip(points(&other)) {
        if a.metric == TEST_ERROR {
            (a.value, b.value) = (0.0, 0.0);
        }
        assert_eq!(a, b);
    }
}

/// In every trial both parts of the split come from their own files.
#[test]
fn the_split_of_adult_is_that_of_its_files() {
    let rows = 90;
    let dataset = stand_in(Name::Adult, rows);
    let file: Vec<_> = dataset.features.iter().take(60).collect();
    for trial in 0..3 {
        let split = Split::draw(Name::Adult, &dataset, [100, 100], 3, trial).unwrap();
        assert_eq!((split.train.size(), split.test.size()), (60, 30));
        assert!(split.train.matrix().iter().all(|x| file.contains(&x)));
    }
}

#[test]
fn validation_is_the_last_fifth_with_the_given_labels() {
    let split = split(Name::Ionosphere, 300);
    let told = split.told(0.3, 3, 1).unwrap();
    let validation = split.validation(&told).unwrap();
    assert_eq!(validation.truth, told[..160]);
    let labels: Vec<f64> = validation.test_labels.iter().map(|y| y.sign()).collect();
    assert_eq!(labels, told[160..]);
    let (some, more) = (split.told(0.1, 3, 1).unwrap(), told);
    let turned = |told: &[f64]| told.iter().zip(&split.truth).map(|(a, b)| a != b).collect::<Vec<_>>();
    assert!(turned(&some).iter().zip(turned(&more)).all(|(less, more)| more || !less));
    assert!(turned(&some).contains(&true) && turned(&some) != turned(&more));
}

fn method_run(method: Method, task: &Task<'_>, tests: &mut Vec<f64>) {
    method.boost(Learner::Trees, task, 20, &mut |now| tests.push(now.test_error)).unwrap();
}

/// [NP14, Section 3.2] for every k; and caps that cannot bind leave the run unchanged.
#[test]
fn combined_sets_keep_their_bounds() {
    let split = split(Name::Spambase, 300);
    let points = combined::errors(&split, Learner::Stumps, 40, 3, 1).unwrap();
    let value = |of: &Point, metric: &str| {
        let same = |point: &&Point| {
            (&point.case, &point.method, point.metric.as_str()) == (&of.case, &of.method, metric)
                && point.x == of.x
        };
        points.iter().find(same).unwrap().value
    };
    let mut held = 0;
    for point in points.iter().filter(|point| point.metric == "bound, A") {
        assert!(value(point, "errors in A") <= point.value + 1e-12, "{point:?}");
        assert!(value(point, "errors in B") <= value(point, "bound, B") + 1e-12, "{point:?}");
        held += 1;
    }
    assert_eq!(held, combined::NOISE.len() * combined::CAPS.len());
    let mut task = split.task(&split.truth).unwrap();
    task.secondary.fill(true);
    let tests = |method| {
        let mut tests = Vec::new();
        method_run(method, &task, &mut tests);
        tests
    };
    assert_eq!(tests(Method::Combined(200.0)), tests(Method::Entropy));
}

#[test]
fn only_sets_with_two_classes_are_boosted() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(&Options { plan: vec![Name::Abalone], ..options(folder.path(), 1, 1) }).unwrap_err();
    assert!(matches!(refused, ExperimentError::NotTwoClasses { name: Name::Abalone, .. }));
    assert!(SETS.iter().all(|name| refused.to_string().contains(name.as_str())), "{refused}");
    let refused = run(&Options { trials: 0, ..options(folder.path(), 1, 1) }).unwrap_err();
    assert!(matches!(refused, ExperimentError::NothingToRun { .. }));
    for trials in [1_000_001, u64::MAX] {
        let refused = run(&Options { trials, ..options(folder.path(), 1, 1) }).unwrap_err();
        assert!(matches!(refused, ExperimentError::TooManyTrials { limit: 1_000_000, .. }), "{refused}");
    }
}
