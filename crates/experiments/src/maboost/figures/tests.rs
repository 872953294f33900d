//! Every curve shows the numbers of its name.

use super::super::fixtures::{histories as of_histories, history as of_snapshots, points, snapshot};
use super::super::methods::Method;
use super::*;

fn curves(panel: &LinePanel) -> Vec<(&str, &[f64], &[f64])> {
    panel.series.iter().map(|one| (&one.name[..], &one.x[..], &one.y[..])).collect()
}

/// Differences from AdaBoost in the same trial, in points, with the band of the paired differences.
#[test]
fn noise_is_drawn_as_difference_from_adaboost() {
    let trial = |base: f64, more: f64| {
        let of = |method, x, value| ("case", method, TEST_ERROR, x, value);
        vec![of(ADABOOST, 0.0, base), of("MadaBoost", 0.0, base + more), of(SMOOTH, 0.0, base - 0.25)]
    };
    let one = points(Part::Noise, &[trial(0.5, 0.125), trial(0.25, 0.25)]);
    let plot = noise(&[one]);
    assert_eq!(
        curves(&plot.panels[0]),
        [("MadaBoost", &[0.0][..], &[18.75][..]), (SMOOTH, &[0.0], &[-25.0])]
    );
    let band = plot.panels[0].series[0].band.clone().unwrap()[0];
    // s = 100/8/√2, n = 2: half the width is 12.7062·6.25.
    assert!(
        (band.0 - (18.75 - 79.41375)).abs() < 1e-9 && (band.1 - (18.75 + 79.41375)).abs() < 1e-9,
        "{band:?}"
    );
}

#[test]
fn combined_sets_are_drawn_against_k() {
    let case = "B 20% noise";
    let mut trial = vec![(case, A_ALONE, TEST_ERROR, 0.0, 0.5), (case, NO_CAPS, TEST_ERROR, 0.0, 0.25)];
    for k in CAPS {
        trial.push((case, CAPPED, TEST_ERROR, k, k / 64.0));
        trial.extend(
            PARTS.iter().zip([0.125, 0.25, 0.375, 0.5]).map(|(part, value)| (case, CAPPED, *part, k, value)),
        );
    }
    let one = [points(Part::Combined, &[trial])];
    let (test, parts) = (combined_test(&one), combined_parts(&one));
    let errors = CAPS.map(|k| 100.0 * (k / 64.0));
    let flat = |value: f64| [value; CAPS.len()];
    assert_eq!(
        curves(&test.panels[0]),
        [(CAPPED, &CAPS[..], &errors[..]), (A_ALONE, &CAPS, &flat(50.0)), (NO_CAPS, &CAPS, &flat(25.0)),]
    );
    assert_eq!(
        curves(&parts.panels[0]),
        [
            (PARTS[0], &CAPS[..], &flat(12.5)[..]),
            (PARTS[1], &CAPS, &flat(25.0)),
            (PARTS[2], &CAPS, &flat(37.5)),
            (PARTS[3], &CAPS, &flat(50.0)),
        ]
    );
    let dashed = parts.panels[0].series.iter().map(|one| one.stroke == Stroke::Dashed);
    assert_eq!(dashed.collect::<Vec<_>>(), [false, false, true, true]);
}

/// One curve per drawn number of a round.
#[test]
fn histories_are_drawn_by_round() {
    let of = |method, at: f64| of_snapshots(method, vec![snapshot(1, at), snapshot(10, at / 2.0)], 0, 0.5);
    let (active, entropy) = (Method::QuadraticActive, Method::Entropy);
    let all = [of_histories(vec![vec![of(active, 0.5), of(entropy, 0.25), of(Method::AdaBoost, 0.125)]])];
    let plots = histories::plots(&all);
    let plot = |ending: &str| &plots.iter().find(|(name, _)| name == ending).unwrap().1.panels;
    let x = [1.0, 10.0];
    assert_eq!(
        curves(&plot("bounds-spambase")[0]),
        [
            ("training error", &x[..], &[0.5, 0.25][..]),
            ("test error", &x, &[0.75, 0.5]),
            ("bound", &x, &[1.0, 0.75]),
            ("sharper bound", &x, &[1.25, 1.0]),
        ]
    );
    assert_eq!(plot("bounds-spambase")[0].title, "quadratic, active: stumps");
    assert_eq!(plot("bounds-spambase")[1].title, "entropy: stumps");
    assert_eq!(
        curves(&plot("test-quadratic")[0]),
        [("quadratic, active", &x[..], &[75.0, 50.0][..]), ("AdaBoost", &x, &[37.5, 31.25]),]
    );
    assert_eq!(curves(&plot("test-entropy")[0])[0], ("entropy", &x[..], &[50.0, 37.5][..]));
    assert_eq!(curves(&plot("zeros")[0]), [("quadratic, active", &x[..], &[450.0, 425.0][..])]);
    assert_eq!(
        curves(&plot("used")[0]),
        [
            ("quadratic, active", &[6.5, 6.25][..], &[75.0, 50.0][..]),
            ("entropy", &[6.25, 6.125], &[50.0, 37.5]),
        ]
    );
}

/// The margins of trees: the bound is that of Theorem 2's steps, and distributions rise from left to right.
#[test]
fn margins_are_drawn_of_trees() {
    use super::super::methods::Learner;
    let of = |method, at: f64, share| {
        of_snapshots(method, vec![snapshot(1, at), snapshot(10, at / 2.0)], 0, share)
    };
    let mut one =
        of_histories(vec![vec![of(Method::EntropyMargin, -1.5, 0.25), of(Method::Entropy, -1.25, 0.75)]]);
    assert!(
        histories::plots(std::slice::from_ref(&one))
            .iter()
            .all(|(name, plot)| !name.contains("margin") || plot.panels.is_empty())
    );
    one.learner = Learner::Trees;
    let plots = histories::plots(&[one]);
    let plot = |ending: &str| &plots.iter().find(|(name, _)| name == ending).unwrap().1.panels;
    assert_eq!(
        curves(&plot("margin-bound")[0]),
        [
            ("entropy, Theorem 2", &[1.0, 10.0][..], &[-0.5, 0.25][..]),
            ("entropy", &[1.0, 10.0], &[-0.25, 0.375]),
            ("bound, entropy, Theorem 2", &[1.0, 10.0], &[0.5, 1.25]),
        ]
    );
    let distributions = &plot("margins-entropy")[0].series;
    let ends = distributions.iter().map(|one| (&one.name[..], one.x[0], one.x[100], one.y[0]));
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [("entropy", -1.0, 1.0, 0.75), ("entropy, Theorem 2", -1.0, 1.0, 0.25)]
    );
}
