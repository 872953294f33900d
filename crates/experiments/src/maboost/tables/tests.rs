//! Every number is in its column, and every difference is against the method in the heading.

use super::super::fixtures::{histories, history, points, snapshot};
use super::*;

#[test]
fn the_end_of_a_history_is_in_its_columns() {
    let of =
        |method, at: f64, broken| history(method, vec![snapshot(1, 0.75), snapshot(20, at)], broken, 0.0);
    // The first and the last method of the table; each trial lists them in another order.
    let (first, last) = (Method::QuadraticActive, Method::AdaBoost);
    let one = histories(vec![
        vec![of(first, 0.125, 3), of(last, 0.5, 0)],
        vec![of(last, 0.25, 0), of(first, 0.125, 2)],
    ]);
    let found = histories_table(&one);
    let row = |name: &str, cells: [&str; 12]| {
        let mut row = vec![name.to_owned()];
        row.extend(cells.map(str::to_owned));
        row
    };
    assert_eq!(
        found[0],
        row(
            "quadratic, active",
            [
                "12.5",
                "62.5",
                "87.5",
                "37.5 ± 0.0",
                "1.12",
                "2.12",
                "3.12",
                "20.0",
                "412",
                "512",
                "30.6",
                "2.50",
            ]
        )
    );
    assert_eq!(
        found[11],
        row(
            "AdaBoost",
            ["37.5", "87.5", "112", "62.5 ± 17.7", "1.38", "2.38", "3.38", "20.0", "438", "538", "31.9", "0",]
        )
    );
    assert_eq!(found[1][1..], vec!["–"; 12]);
}

fn histories_table(one: &Measured) -> Vec<Vec<String>> {
    histories_of(std::slice::from_ref(one))
}

fn histories_of(measured: &[Measured]) -> Vec<Vec<String>> {
    super::histories(measured).unwrap()[0].cells()
}

/// Two trials: AdaBoost errs in a half and a quarter of the rows, and so on.
fn noisy() -> [Measured; 1] {
    let trial = |base: f64| {
        let mut points = Vec::new();
        for (case, x, more) in [("0% noise", 0.0, 0.0), ("5% noise", 5.0, 0.03125)] {
            for (at, method) in METHODS.into_iter().enumerate() {
                points.push((case, method, TEST_ERROR, x, base + more - at as f64 / 64.0));
            }
            points.push((case, SMOOTH, CHOSEN, x, 8.0 * base));
            points.push((case, SMOOTH_STOPPED, CHOSEN, x, 16.0 * base));
        }
        points
    };
    [points(Part::Noise, &[trial(0.5), trial(0.25)])]
}

#[test]
fn every_method_has_its_own_errors_at_every_level() {
    let found = noise(&noisy()).unwrap()[0].cells();
    let row = |case: &str, cells: [&str; 7]| {
        let mut row = vec![case.to_owned()];
        row.extend(cells.map(|mean| format!("{mean} ± 17.7")));
        row
    };
    assert_eq!(
        found,
        [
            row("0% noise", ["37.5", "35.9", "34.4", "32.8", "31.2", "29.7", "28.1"]),
            row("5% noise", ["40.6", "39.1", "37.5", "35.9", "34.4", "32.8", "31.2"]),
        ]
    );
}

/// Differences are paired with AdaBoost of the same trial and level: they have no spread here.
#[test]
fn differences_are_against_adaboost() {
    let found = against_adaboost(&noisy()).unwrap();
    let lines: Vec<String> = found.cells().iter().map(|row| row.join(" | ")).collect();
    let cells = "-1.6 [-1.6, -1.6] | -3.1 [-3.1, -3.1] | -4.7 [-4.7, -4.7] | -6.2 [-6.2, -6.2] | -7.8 [-7.8, -7.8] | \
                 -9.4 [-9.4, -9.4]";
    assert_eq!(lines, [0, 5].map(|level| format!("spambase, stumps, {level}% noise | {cells}")));
    let markdown = found.to_markdown();
    assert!(
        METHODS[1..].iter().all(|method| markdown.contains(method))
            && markdown.starts_with("| less AdaBoost ")
    );
}

#[test]
fn the_chosen_k_is_in_the_column_of_its_method() {
    let found = chosen(&noisy()).unwrap().cells();
    let row = |level: u32| {
        [format!("spambase, stumps, {level}% noise"), "3.0 ± 1.4".to_owned(), "6.0 ± 2.8".to_owned()]
    };
    assert_eq!(found, [row(0), row(5)]);
}

/// The cap of k/N is worth k points, A alone 50 points of error, and no caps 25.
#[test]
fn combined_sets_are_compared_with_a_alone_and_with_no_caps() {
    let trial = |more: f64| {
        let case = "B 20% noise";
        let mut points =
            vec![(case, A_ALONE, TEST_ERROR, 0.0, 0.5 + more), (case, NO_CAPS, TEST_ERROR, 0.0, 0.25 + more)];
        points.extend([(case, NO_CAPS, PARTS[0], 0.0, 0.0625), (case, NO_CAPS, PARTS[1], 0.0, 0.125)]);
        for k in CAPS {
            points.push((case, CAPPED, TEST_ERROR, k, k / 100.0 + more));
            points.extend(
                PARTS.iter().zip([0.1, 0.2, 0.3, 0.4]).map(|(part, value)| (case, CAPPED, *part, k, value)),
            );
        }
        points
    };
    let found = combined(&[points(Part::Combined, &[trial(0.0), trial(0.125)])]).unwrap()[0].cells();
    let lines: Vec<String> = found.iter().map(|row| row.join(" | ")).collect();
    assert_eq!(
        lines[..4],
        [
            "B 20% noise, A alone | 56.2 ± 8.8 | +0.0 [+0.0, +0.0] | +25.0 [+25.0, +25.0] | – | – | – | –",
            "B 20% noise, A and B, no caps | 31.2 ± 8.8 | -25.0 [-25.0, -25.0] | +0.0 [+0.0, +0.0] | 6.2 | 12.5 | – | –",
            "B 20% noise, k = 1 | 7.3 ± 8.8 | -49.0 [-49.0, -49.0] | -24.0 [-24.0, -24.0] | 10.0 | 20.0 | 30.0 | 40.0",
            "B 20% noise, k = 1.5 | 7.8 ± 8.8 | -48.5 [-48.5, -48.5] | -23.5 [-23.5, -23.5] | 10.0 | 20.0 | 30.0 | 40.0",
        ]
    );
    assert_eq!(lines.len(), 2 + CAPS.len());
    assert!(
        lines[8].starts_with("B 20% noise, k = 30 | 36.2 ± 8.8 | -20.0 [-20.0, -20.0] | +5.0 [+5.0, +5.0]")
    );
}
