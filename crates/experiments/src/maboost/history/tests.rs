//! The counted and the kept rounds of a run.

use super::super::fixtures::snapshot;
use super::*;
use boosters::maboost::Round;

fn promise(error: f64, tight: Option<f64>, margin: Option<f64>) -> Promise {
    Promise { error, tight, margin }
}

fn round(error: f64, min_margin: f64, promise: Promise) -> Round {
    Round {
        edge: 0.5,
        eta: 2.0,
        flipped: false,
        error,
        min_margin,
        promise,
        trained_on: 6,
        zeros: 2,
        capped: 1,
    }
}

fn moment(t: u32, round: Round) -> Moment<'static> {
    Moment { t, round, margins: &[-2.0, 0.0, 1.0, 2.0], test_error: 1.0 / f64::from(t) }
}

/// The number of these rounds counted as above a bound.
fn broken(method: Method, rounds: &[(f64, f64, Promise)]) -> u32 {
    let mut watch = Watch::new(method, 8);
    for (t, &(error, margin, promise)) in (1..).zip(rounds) {
        watch.see(&moment(t, round(error, margin, promise)));
    }
    watch.finish(None).broken
}

#[test]
fn a_round_above_any_bound_is_counted() {
    let kept = (0.25, 0.0, promise(0.25, None, None));
    let rounds = [
        kept,
        // Above the bound; above the sharper one alone; above the paper's alone; below the margin's.
        (0.5, 0.0, promise(0.25, None, None)),
        (0.5, 0.0, promise(0.75, Some(0.25), None)),
        (0.5, 0.0, promise(0.25, Some(0.75), None)),
        (0.25, 0.125, promise(0.5, None, Some(0.25))),
        (0.25, 0.25, promise(0.5, Some(0.25), Some(0.25))),
        (0.25, -0.25, promise(0.5, None, Some(-0.5))),
    ];
    assert_eq!(broken(Method::Entropy, &rounds), 4);
    for (at, expected) in [0, 1, 1, 1, 1, 0, 0].into_iter().enumerate() {
        assert_eq!(broken(Method::Entropy, &rounds[at..=at]), expected, "{:?}", rounds[at]);
    }
    let near = |by: f64| [(0.25 + by, 0.25 - by, promise(0.25, None, Some(0.25)))];
    assert_eq!([near(1e-12), near(1e-6)].map(|rounds| broken(Method::Entropy, &rounds)), [0, 1]);
}

/// The bound of MadaBoost holds for the least error so far; the bounds of the other methods for the last.
#[test]
fn only_madaboosts_bound_is_on_the_best_round() {
    let of = |error, bound| (error, 0.0, promise(bound, None, None));
    let rounds = [of(0.25, 0.5), of(0.75, 0.5), of(0.75, 0.25), of(0.5, 0.125)];
    assert_eq!([Method::Mada, Method::Entropy].map(|method| broken(method, &rounds)), [1, 3]);
    assert!(Method::ALL.into_iter().all(|method| method.bounds_the_best_round() == (method == Method::Mada)));
}

#[test]
fn a_snapshot_holds_the_numbers_of_its_round() {
    let mut watch = Watch::new(Method::Entropy, 8);
    for t in 1..=3 {
        let promise = promise(0.75, Some(0.625), Some(-0.5));
        watch.see(&moment(t, round(0.5 / f64::from(t), -0.25, promise)));
    }
    let history = watch.finish(Some(BoostStop::NoEdge));
    let snapshot = history.at(3).unwrap();
    let expected = Snapshot {
        round: 3,
        error: 0.5 / 3.0,
        test: 1.0 / 3.0,
        bound: 0.75,
        tight: Some(0.625),
        margin: -0.25,
        margin_bound: Some(-0.5),
        squares: 0.75,
        zeros: 0.25,
        capped: 0.125,
        used: 2.25,
    };
    assert_eq!(
        (snapshot, history.last(), history.stop),
        (&expected, Some(&expected), Some(BoostStop::NoEdge))
    );
    // Of the margins −2, 0, 1 and 2 over Ση = 6.
    let (t, shares) = history.margins.last().unwrap();
    let at = |level: f64| {
        levels().zip(shares).filter(|(at, _)| *at <= level + 1e-9).last().map(|(_, share)| *share)
    };
    let shares = [-1.0, -0.34, -0.32, -0.02, 0.0, 0.16, 0.18, 0.32, 0.34, 1.0].map(at);
    assert_eq!((*t, shares), (3, [0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0].map(Some)));
}

/// Margins are kept after 10, 100 and the last round. Early rounds are nearly all kept, later ones twelve per
/// factor of ten.
#[test]
fn rounds_are_kept_evenly_on_a_logarithmic_scale() {
    let run = |rounds: u32| {
        let mut watch = Watch::new(Method::Entropy, 8);
        (1..=rounds).for_each(|t| watch.see(&moment(t, round(0.5, 0.0, promise(1.0, None, None)))));
        watch.finish(None)
    };
    let rounds =
        |history: &History| history.snapshots.iter().map(|snapshot| snapshot.round).collect::<Vec<_>>();
    let margins = |history: &History| history.margins.iter().map(|(t, _)| *t).collect::<Vec<_>>();
    let history = run(105);
    let kept = rounds(&history);
    assert_eq!(kept[..9], [1, 2, 3, 4, 5, 6, 7, 9, 10], "{kept:?}");
    assert_eq!(kept[kept.len() - 3..], [83, 100, 105], "{kept:?}");
    assert_eq!(margins(&history), [10, 100, 105]);
    assert_eq!((margins(&run(10)), margins(&run(9))), (vec![10], vec![9]));
    assert_eq!(rounds(&run(10)).last(), Some(&10));
    assert!(run(0).snapshots.is_empty() && run(0).margins.is_empty());
}

#[test]
fn a_stopped_history_keeps_its_last_snapshot() {
    let snapshots = vec![snapshot(1, 0.5), snapshot(4, 0.75), snapshot(6, 0.25)];
    let (method, margins) = (String::new(), Vec::new());
    let history = History { method, stop: None, broken: 0, snapshots, margins };
    let at = |round| history.at(round).map(|snapshot| snapshot.round);
    assert_eq!([0, 1, 3, 4, 5, 6, 9].map(at), [None, Some(1), Some(1), Some(4), Some(4), Some(6), Some(6)]);
    assert_eq!(history.last().map(|snapshot| snapshot.round), Some(6));
}
