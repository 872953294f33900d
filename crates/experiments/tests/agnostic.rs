//! The experiment on agnostic boosting as a program: neither threads nor a stop change a number, no method
//! looks ahead, and with realised regrets every bound holds in every trial.

#![allow(clippy::unwrap_used, reason = "a run that fails here is a failure of the test")]

mod bounds;

use bounds::compare;
use datasets::{Name, SearchPath};
use experiments::agnostic::methods::votes;
use experiments::agnostic::streams::{LabelFlips, Source, Stream};
use experiments::agnostic::{Options, run};
use report::record::Record;
use std::path::Path;

/// A quick run on a stand-in, which needs no files, and on a synthetic stream.
fn quick(out: &Path, trials: u64, threads: usize) -> Record {
    let options = Options {
        trials,
        seed: 5,
        threads: Some(threads),
        quick: true,
        plan: vec![Source::Real(Name::BreastCancer), Source::FiveStumps],
        out: out.to_owned(),
        search: SearchPath::nowhere(),
        quiet: true,
    };
    let report = run(&options).unwrap();
    assert!(report.files.iter().all(|file| file.exists()));
    assert!(report.terminal.contains("(synthetic stand-in)") && report.terminal.contains("(synthetic)"));
    Record::load(&out.join("agnostic.json")).unwrap()
}

#[test]
fn neither_threads_nor_a_stop_change_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = quick(&out("whole"), 2, 1);
    for threads in [2, 4] {
        let other = quick(&out(&format!("{threads} threads")), 2, threads);
        assert_eq!((&other.trials, &other.rows), (&whole.trials, &whole.rows), "{threads} threads");
    }
    quick(&out("stopped"), 1, 2);
    assert_eq!(quick(&out("stopped"), 2, 2).trials, whole.trials);
    every_bound_holds(&whole);
}

/// The pairs of a theorem's lower bound, with realised regrets, and the bounded series.
const BOUNDS: [(&str, &str, f64); 5] = [
    ("bound, γ = 1", "Algorithm 1, γ = 1", 0.0),
    ("bound, γ = 0.2", "Algorithm 1, γ = 0.2", 0.0),
    ("bound on [0, 1], γ = 0.2", "Algorithm 1 on [0, 1], γ = 0.2", 0.0),
    ("bound, stumps", "stumps", 0.0),
    ("bound, trees", "trees", 0.0),
];

/// Proposition 3 and Theorems 8 and 10 with realised regrets hold on every run, not on average.
fn every_bound_holds(record: &Record) {
    let found = compare(record, &BOUNDS);
    assert!(found.broken.is_empty() && found.compared > 60, "{found:?}");
    for (below, above, slack) in BOUNDS {
        let pair = [(below, above, slack)];
        assert!(compare(record, &pair).compared > 1, "{pair:?} compares nothing");
        // A bound moved above its series: exactly this violation is found.
        let mut broken = record.clone();
        let last = broken.trials.iter().rposition(|row| row.method == above).unwrap();
        broken.trials[last].value = -1.5;
        assert_eq!(compare(&broken, &pair).broken.len(), 1, "{below}");
    }
}

#[test]
fn a_row_is_from_its_own_label_noise() {
    let folder = tempfile::tempdir().unwrap();
    let record = quick(folder.path(), 2, 2);
    // More random label noise means fewer correct votes of the best stump, in every trial.
    for trial in [0, 1] {
        for source in ["breast-cancer", "five-stumps"] {
            let of = |noise: u32| {
                let (dataset, method) = (format!("{source}, {noise}% noise"), "best stump in hindsight");
                let mut rows =
                    record.trials.iter().filter(|row| row.dataset == dataset && row.trial == trial);
                let found = rows.find(|row| row.method == method && row.metric == "progressive accuracy");
                found.unwrap().value
            };
            let shares = [0, 10, 20, 30, 40].map(of);
            assert!(shares.windows(2).all(|pair| pair[0] > pair[1]), "{source}: {shares:?}");
        }
    }
    for method in ["one learner", "Algorithm 1", "AdaBoost.OL"] {
        let of = |trial: u64| -> Vec<f64> {
            let rows = record.trials.iter().filter(|row| row.method == method && row.trial == trial);
            rows.map(|row| row.value).collect()
        };
        assert_ne!(of(0), of(1), "{method}");
    }
}

fn stream(source: Source, label_flips: LabelFlips, longest: usize) -> Stream {
    let real = source.load(&SearchPath::nowhere(), 3, Some(1_000)).unwrap();
    source.stream(real.as_ref(), label_flips, longest, 3, 1).unwrap()
}

#[test]
fn votes_do_not_depend_on_later_labels() {
    const FROM: usize = 60;
    for source in [Source::Real(Name::Adult), Source::Jumps] {
        let told = stream(source, LabelFlips::Noise(0.2), 120);
        let mut garbled = told.clone();
        garbled.labels[FROM..].iter_mut().for_each(|y| *y = -*y);
        let mut differ = 0;
        for (told, garbled) in votes(&told, 4, 3, 1).unwrap().iter().zip(&votes(&garbled, 4, 3, 1).unwrap()) {
            // The vote of the first garbled round comes before its label.
            assert_eq!(told.votes[..=FROM], garbled.votes[..=FROM], "{}, {source}", told.method);
            differ += usize::from(told.votes != garbled.votes);
        }
        assert!(differ >= 8, "only {differ} methods learn from labels");
    }
}

#[test]
fn fits_do_not_depend_on_scored_rows() {
    let source = Source::Real(Name::Adult);
    let (short, long) =
        (stream(source, LabelFlips::Noise(0.0), 50), stream(source, LabelFlips::Noise(0.0), 200));
    assert_eq!(short.class, long.class);
    assert_eq!(short.labels, long.labels[..50]);
    assert!(short.rows.iter().zip(long.rows.iter()).all(|(a, b)| a == b));
    // 1,000 rows, of which a tenth is set aside.
    assert_eq!(stream(source, LabelFlips::Noise(0.0), 2_000).labels.len(), 900);
}

#[test]
fn labels_are_flipped_at_the_stated_rate_on_the_same_rows() {
    for source in [Source::Real(Name::Letter), Source::HalfSpace] {
        let clean = stream(source, LabelFlips::Noise(0.0), 600);
        for &label_flips in LabelFlips::about(source) {
            let told = stream(source, label_flips, 600);
            assert!(told.rows.iter().zip(clean.rows.iter()).all(|(a, b)| a == b));
            let turned = told.labels.iter().zip(&clean.labels).filter(|(a, b)| a != b).count();
            let share = turned as f64 / 600.0;
            let (expected, slack) = match label_flips {
                // Hoeffding with a probability below 1e−6 to fail.
                LabelFlips::Noise(p) => (p, (2e6f64.ln() / 1200.0).sqrt()),
                LabelFlips::Blocks(length) => (length as f64 / 200.0, 0.0),
                LabelFlips::Surest(p) => (p, 0.0),
            };
            assert!((share - expected).abs() <= slack + 1e-12, "{source}, {label_flips}: {share}");
        }
    }
}

#[test]
fn a_source_is_found_by_its_name() {
    for source in Source::ALL {
        assert_eq!(source.name().parse::<Source>().unwrap(), source);
    }
    let refused = "adlut".parse::<Source>().unwrap_err().to_string();
    assert!(refused.contains("adlut") && refused.contains("five-stumps"), "{refused}");
}
