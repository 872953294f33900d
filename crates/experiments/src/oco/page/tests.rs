//! Every number is under its own name, in the tables and in the figures.

use super::*;
use crate::oco::Point;
use report::record::Provenance;

/// Two trials, with a different number for every series, x and trial.
fn measured(part: Part, series: &[&str], xs: &[u64]) -> (Measured, Record) {
    let points = |trial: f64| {
        let mut points = Vec::new();
        for (p, panel) in ["first", "second"].into_iter().enumerate() {
            for &x in xs {
                for (k, name) in series.iter().enumerate() {
                    let bound = name.contains(BOUND);
                    let base = 1000.0 * p as f64 + 100.0 * k as f64 + x as f64;
                    let value = base + if bound { 0.0 } else { trial };
                    points.push(Point { panel: panel.to_owned(), series: (*name).to_owned(), x, value });
                }
            }
        }
        points
    };
    let measured =
        Measured { part, provenance: Provenance::Synthetic, trials: vec![points(0.0), points(2.0)] };
    let mut record = Record::new("test", 3, serde_json::Value::Null);
    record.trials.extend(measured.recorded(3));
    record.summarise();
    (measured, record)
}

#[test]
fn numbers_are_under_their_curves_and_bounds_have_no_spread() {
    let series = ["Perceptron", "bound (R/γ)², Perceptron", "Winnow"];
    let (measured, record) = measured(Part::Mistakes, &series, &[8, 16]);
    assert_eq!(record.trials.len(), 2 * 2 * 2 * 3);
    assert!(record.trials.iter().all(|row| row.seed == 3 && row.provenance == Provenance::Synthetic));
    assert_eq!(record.trials.iter().filter(|row| row.trial == 1).count(), 12);
    for (panel, thousand) in [("first", ""), ("second", "1")] {
        let table = table(&record, &measured, panel).unwrap();
        let expected =
            |text: [&str; 2]| if thousand.is_empty() { text[0].to_owned() } else { text[1].to_owned() };
        let at = |x: u64, column: &str| {
            table.cell(&format!("mistakes, n = {x} (synthetic)"), column).unwrap().to_owned()
        };
        // The mean of v and v + 2, and √2 with divisor n − 1.
        assert_eq!(at(8, "Perceptron"), expected(["9.000 ± 1.4", "1009 ± 1.4"]));
        assert_eq!(at(16, "Perceptron"), expected(["17.00 ± 1.4", "1017 ± 1.4"]));
        assert_eq!(at(8, "bound (R/γ)², Perceptron"), expected(["108.0", "1108"]));
        assert_eq!(at(16, "Winnow"), expected(["217.0 ± 1.4", "1217 ± 1.4"]));
    }
}

#[test]
fn values_of_games_have_a_table_of_their_own_after_the_last_horizon() {
    let series = ["Hedge, best response", VALUES[0], VALUES[1], VALUES[2]];
    let (measured, record) = measured(Part::Games, &series, &[16, 32]);
    let found = values(&record, &measured).unwrap().unwrap();
    assert_eq!(found.row("first (synthetic)").unwrap(), ["133.0 ± 1.4", "233.0 ± 1.4", "333.0 ± 1.4"]);
    assert_eq!(found.cell("second (synthetic)", VALUE).unwrap(), "1133 ± 1.4");
    let gaps = table(&record, &measured, "first").unwrap();
    assert_eq!(gaps.row("gap, T = 32 (synthetic)").unwrap(), ["33.00 ± 1.4"]);
    let figure = FIGURES[3].plot(&record, &[&measured]);
    assert_eq!(figure.panels.len(), 2);
    assert!(figure.panels.iter().all(|panel| panel.series.len() == 1));
}

#[test]
fn a_comparators_gap_is_in_the_table_and_not_in_the_figure() {
    let part = Part::Theorem2(datasets::Name::Adult);
    let (measured, record) = measured(part, &["lazy OGD", GAP], &[16, 32]);
    let table = table(&record, &measured, "first").unwrap();
    assert_eq!(table.row("regret, T = 16 (synthetic)").unwrap(), ["17.00 ± 1.4", "117.0 ± 1.4"]);
    assert!(record.rows.iter().any(|row| row.method == GAP && row.metric == "gap, T = 16"));
    let figure = FIGURES[1].plot(&record, &[&measured]);
    assert_eq!(figure.panels[0].series.len(), 1);
    assert_eq!((figure.x, figure.y), (Axis::log("rounds T"), Axis::log("regret")));
}

#[test]
fn a_curve_is_its_means_within_a_deviation_and_a_bound_is_dashed_without() {
    let (measured, record) = measured(Part::Mistakes, &["Perceptron", "bound, n"], &[8, 16]);
    let drawn: Vec<Series> = curves(&record, &measured, "first").iter().filter_map(Curve::drawn).collect();
    assert_eq!(
        drawn.iter().map(|series| series.name.as_str()).collect::<Vec<_>>(),
        ["Perceptron", "bound, n"]
    );
    let std = 2.0_f64.sqrt();
    assert_eq!((&drawn[0].x, &drawn[0].y), (&vec![8.0, 16.0], &vec![9.0, 17.0]));
    let band = drawn[0].band.clone().unwrap();
    for ((low, high), mean) in band.into_iter().zip([9.0, 17.0]) {
        assert!((low - mean + std).abs() < 1e-9 && (high - mean - std).abs() < 1e-9);
    }
    assert_eq!((&drawn[1].y, &drawn[1].band), (&vec![108.0, 116.0], &None));
    assert_eq!([drawn[0].stroke, drawn[1].stroke], [Stroke::Solid, Stroke::Dashed]);
}

#[test]
fn values_that_are_not_positive_are_left_out_of_a_logarithmic_axis() {
    let row = |mean: f64, std: f64| Row {
        dataset: "d".to_owned(),
        method: "m".to_owned(),
        metric: "x".to_owned(),
        mean,
        std,
        n: 2,
        provenance: Provenance::Synthetic,
    };
    let rows = [row(-1.0, 0.5), row(1.0, 3.0), row(0.0, 1.0), row(5.0, 1.0)];
    let curve = Curve { name: "m", at: (1..).zip(&rows).collect() };
    let drawn = curve.drawn().unwrap();
    assert_eq!((drawn.x, drawn.y), (vec![2.0, 4.0], vec![1.0, 5.0]));
    assert_eq!(drawn.band.unwrap(), [(0.1, 4.0), (4.0, 6.0)]);
    assert!(Curve { name: "m", at: vec![(1, &rows[0])] }.drawn().is_none());
}
