//! Every number is under its own name, in the tables and in the figures.

use super::*;
use crate::bandit_boosting::methods::{Progressive, Setting};
use crate::bandit_boosting::tuning::Tuned;
use crate::bandit_boosting::{Plan, Run, paper};
use datasets::SearchPath;
use report::record::Trial;
use std::path::PathBuf;

fn options() -> Options {
    Options {
        trials: 2,
        seed: 1,
        threads: None,
        quick: true,
        plan: Plan { delta: 0.5, datasets: vec![Name::Letter] },
        out: PathBuf::new(),
        search: SearchPath::nowhere(),
        quiet: true,
    }
}

/// Two trials of two sets; each method's loss is the method's number ± a known spread.
fn record() -> Record {
    let mut record = Record::new("test", 1, serde_json::Value::Null);
    for (set, name) in [(0.0, "letter"), (100.0, "slice")] {
        for (k, method) in (1..).zip(COLUMNS) {
            for (trial, side) in [(0, -1.0), (1, 1.0)] {
                let row = |metric: &str, value: f64| Trial {
                    dataset: name.to_owned(),
                    method: method.name().to_owned(),
                    metric: metric.to_owned(),
                    trial,
                    seed: 1,
                    value,
                    settings: serde_json::Value::Null,
                    provenance: Provenance::StandIn,
                };
                record.trials.push(row(LOSS, set + f64::from(k) + 0.5 * side));
                record.trials.push(row(DECREASE, 0.01 * f64::from(k)));
            }
        }
    }
    record.paper = paper::table_2(Name::Letter);
    record.summarise();
    record
}

#[test]
fn losses_are_under_their_methods() {
    let table = losses(&record()).unwrap();
    for (k, method) in (1..).zip(COLUMNS) {
        // The standard deviation of two values 1 apart is 1/√2, with divisor n − 1.
        assert_eq!(
            table.cell("letter (synthetic stand-in)", method.name()).unwrap(),
            format!("{k}.000 ± 0.71")
        );
        assert_eq!(
            table.cell("slice (synthetic stand-in)", method.name()).unwrap(),
            format!("10{k}.0 ± 0.71")
        );
    }
    let printed = [
        ("OGD", "0.5070 ± 0.0080"),
        ("online boosting", "0.4980 ± 0.0020"),
        ("N-FKM", "0.5220 ± 0.0060"),
        ("bandit boosting", "0.5170 ± 0.0030"),
        ("FKM, one query", "–"),
        (HINDSIGHT, "–"),
    ];
    for (method, text) in printed {
        assert_eq!(table.cell("letter, BH20", method).unwrap(), text);
    }
}

#[test]
fn decreases_are_under_their_settings_beside_the_papers() {
    let table = decreases(&record()).unwrap();
    assert_eq!(
        table.row("letter (synthetic stand-in)").unwrap(),
        ["2.00% ± 0.00%", "1.78%", "4.00% ± 0.00%", "0.95%"]
    );
    assert_eq!(
        table.row("slice (synthetic stand-in)").unwrap(),
        ["2.00% ± 0.00%", "–", "4.00% ± 0.00%", "–"]
    );
}

#[test]
fn bars_are_in_their_group() {
    let plot = bars(&record(), &options());
    let [letter, slice] = &plot.panels[..] else { panic!("{} panels", plot.panels.len()) };
    assert_eq!((letter.title.as_str(), slice.title.as_str()), ("letter", "slice"));
    let values = |panel: &BarPanel, group: usize| -> Vec<(String, f64)> {
        panel.groups[group].bars.iter().map(|bar| (bar.series.clone(), bar.value)).collect()
    };
    let named = |values: [f64; 3]| -> Vec<(String, f64)> {
        let names = ["weak learner alone", "boosted", "one learner on the larger ball"];
        names.map(str::to_owned).into_iter().zip(values).collect()
    };
    assert_eq!(
        letter.groups.iter().map(|group| group.label.as_str()).collect::<Vec<_>>(),
        ["full information", "bandit"]
    );
    assert_eq!(values(letter, 0), named([1.0, 2.0, 6.0]));
    assert_eq!(values(letter, 1), named([3.0, 4.0, 7.0]));
    assert_eq!(values(slice, 1), named([103.0, 104.0, 107.0]));
    let error = letter.groups[0].bars[0].error.unwrap();
    assert!((error - 0.5_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_curve_is_the_mean_over_the_trials_within_one_deviation() {
    let outcome = |value: f64| {
        let run = |(k, method): (u32, Method)| Run {
            method,
            tuned: Tuned { setting: Setting { n: 1, lr: 0.1, c: 0.5, advantage: 1.0 }, loss: 0.0 },
            reported: Progressive {
                average: 0.0,
                curve: vec![(99, 50.0), (100, f64::from(k) + value), (200, f64::from(k) + 2.0 * value)],
            },
            seed: 0,
        };
        let (provenance, runs) = (Provenance::StandIn, (0..).zip(Method::ALL).map(run).collect());
        Arc::new(Outcome { provenance, radius: 1.0, runs, hindsight: None, seconds: 0.0 })
    };
    let curves = vec![(Name::Letter, [1.0, 2.0, 6.0].map(outcome).to_vec())];
    let plot = lines(&curves, &options());
    let panel = &plot.panels[0];
    assert_eq!((panel.title.as_str(), panel.provenance), ("letter", Provenance::StandIn));
    let std = 7.0_f64.sqrt(); // of 1, 2, 6: (4 + 1 + 9)/2
    for (k, method) in (0..).zip(Method::ALL).filter(|(_, method)| COLUMNS[..4].contains(method)) {
        let series = panel.series.iter().find(|series| series.name == method.name()).unwrap();
        let k = f64::from(k);
        assert_eq!(series.x, [100.0, 200.0], "earlier averages say nothing");
        assert_eq!(series.y, [k + 3.0, k + 6.0]);
        for ((low, high), (mean, std)) in
            series.band.clone().unwrap().into_iter().zip([(k + 3.0, std), (k + 6.0, 2.0 * std)])
        {
            assert!((low - mean + std).abs() < 1e-12 && (high - mean - std).abs() < 1e-12);
        }
        let alone = matches!(method, Method::Ogd | Method::NFkm);
        assert_eq!(series.stroke == Stroke::Dashed, alone);
    }
    assert_eq!(panel.series.len(), 4);
}
