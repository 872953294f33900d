//! The record's and the tables' view of the trials.

use super::super::fixtures::{histories, history, points, snapshot};
use super::super::methods::Method;
use super::*;
use crate::maboost::measured::of_part;

#[test]
fn the_record_keeps_every_number_under_its_name() {
    let of = |method, at, broken| history(method, vec![snapshot(1, 0.75), snapshot(4, at)], broken, 0.0);
    let one = histories(vec![vec![of(Method::Entropy, 0.125, 3)], vec![of(Method::Entropy, 0.25, 0)]]);
    let found = trials(&one, 7);
    let numbers: Vec<_> = found.iter().map(|kept| (kept.trial, &kept.metric[..], kept.value)).collect();
    let expected = |trial, of: f64, broken| {
        [
            (trial, "training error", of),
            (trial, "bound", of + 0.5),
            (trial, "sharper bound", of + 0.75),
            (trial, "test error", of + 0.25),
            (trial, "least margin", of + 1.0),
            (trial, "bound on the margin", of + 2.0),
            (trial, "sum of squared edges", of + 3.0),
            (trial, "rounds", 4.0),
            (trial, "share of zero weights", of + 4.0),
            (trial, "share of weights at the cap", of + 5.0),
            (trial, "share of rows used", (of + 6.0) / 4.0),
            (trial, "rounds above a bound", broken),
        ]
    };
    assert_eq!(numbers, [expected(0, 0.125, 3.0), expected(1, 0.25, 0.0)].concat());
    let named =
        |kept: &Trial| (&kept.dataset[..], &kept.method[..], kept.seed) == ("spambase, stumps", "entropy", 7);
    assert!(found.iter().all(named));
}

#[test]
fn rows_of_combined_sets_name_their_k() {
    let of = |part| {
        let one = points(
            part,
            &[vec![("case", "M", "test error", 0.0, 0.5), ("case", "M", "test error", 5.0, 0.25)]],
        );
        trials(&one, 7).into_iter().map(|kept| (kept.dataset, kept.value)).collect::<Vec<_>>()
    };
    let named = |name: &str, value| (name.to_owned(), value);
    assert_eq!(
        of(Part::Combined),
        [named("spambase, stumps, case", 0.5), named("spambase, stumps, case, k = 5", 0.25)]
    );
    assert_eq!(
        of(Part::Noise),
        [named("spambase, stumps, case", 0.5), named("spambase, stumps, case", 0.25)]
    );
}

/// A stopped trial counts with its last value, at every later round and at the end.
#[test]
fn means_are_over_the_trials() {
    let of = |rounds: &[(u32, f64)], share| {
        history(Method::Entropy, rounds.iter().map(|(t, at)| snapshot(*t, *at)).collect(), 0, share)
    };
    let one = histories(vec![
        vec![of(&[(1, 0.5), (10, 0.25)], 0.25)],
        vec![of(&[(1, 0.75), (10, 0.5), (200, 0.125)], 0.75)],
    ]);
    assert_eq!(one.rounds("entropy"), [1, 10, 200]);
    assert!(one.rounds("AdaBoost").is_empty());
    let at = |round| one.at("entropy", round, |snapshot| Some(snapshot.error)).map(|found| found.mean);
    assert_eq!([1, 10, 200].map(at), [0.625, 0.375, 0.1875].map(Some));
    let end = |metric| one.end("entropy", metric).map(|found| found.mean);
    assert_eq!((end("training error"), end("rounds"), end("nothing")), (Some(0.1875), Some(105.0), None));
    // The first trial reached ten rounds, the second two hundred; neither kept margins in between.
    let margins = |after| one.margins("entropy", after).map(|shares| shares[0]);
    assert_eq!(margins(None), Some(0.5));
    assert_eq!((margins(Some(10)), margins(Some(100)), margins(Some(201))), (Some(0.25), Some(0.25), None));
    assert_eq!(one.margins("AdaBoost", None), None);
}

#[test]
fn a_number_is_found_by_case_method_metric_and_x() {
    let trial = |value| {
        vec![
            ("b", "M", "error", 0.0, value + 1.0),
            ("a", "N", "error", 0.0, value + 2.0),
            ("a", "M", "k", 0.0, value + 3.0),
            ("a", "M", "error", 2.0, value + 4.0),
            ("a", "M", "error", 0.0, value),
            ("a", "M", "error", 1.0, value + 5.0),
        ]
    };
    let one = points(Part::Noise, &[trial(0.25), trial(0.5)]);
    assert_eq!(one.values("a", "M", "error", 0.0), [0.25, 0.5]);
    assert_eq!(one.values("b", "M", "error", 0.0), [1.25, 1.5]);
    assert_eq!(one.values("a", "N", "error", 0.0), [2.25, 2.5]);
    assert_eq!(one.values("a", "M", "k", 0.0), [3.25, 3.5]);
    assert_eq!(one.values("a", "M", "error", 2.0), [4.25, 4.5]);
    assert_eq!(one.values("a", "M", "error", 1.0), [5.25, 5.5]);
    assert_eq!(one.cases(), [("b", 0.0), ("a", 0.0)]);
    let others = [one, points(Part::Combined, &[])];
    assert_eq!(of_part(&others, Part::Noise).count() + of_part(&others, Part::Histories).count(), 1);
}
