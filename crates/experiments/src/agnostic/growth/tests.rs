//! The two sides of Proposition 3, by hand and on a stream whose best stump changes.

use super::*;
use weak_learners::Label::{Minus, Plus};
use weak_learners::online::Thresholds;

/// One feature with one threshold, so that there are four stumps. The sign of x is right for four rounds, and
/// wrong for the next ten.
fn stream() -> Stream {
    let x: Vec<f64> = (0..14).map(|t| if t % 3 == 0 { -1.0 } else { 1.0 }).collect();
    let label = |t: usize| Label::of_score(if t < 4 { x[t] } else { -x[t] });
    Stream {
        labels: (0..14).map(label).collect(),
        rows: RowMatrix::dense(1, x).unwrap(),
        class: Thresholds::at(vec![vec![0.0]]).unwrap(),
    }
}

#[test]
fn a_rounds_terms_are_those_of_the_proposition() {
    let votes = [Plus, Minus];
    let of = |y: f64, slopes: [f64; 2], lowest| Round::of(y, 0.5, (&[0.5, -1.0], &votes, &slopes), lowest);
    let round = of(-1.0, [-2.0, 3.0], -1.0);
    // E Π(½) = ½; the plays are ½ and −1, so y·mean is ¼, and y·p·W is −½ and −1.
    assert_eq!((round.gain, round.taught, round.learnt), (-0.5, 0.25, -0.75));
    // The losses are −1 and −3, and the best point of the slope 1 is −1, or 0 where none is below.
    assert_eq!([round.oco, of(-1.0, [-2.0, 3.0], 0.0).oco], [-1.5, -2.0]);
    // Of the slope −5 it is 1: −5. The losses are −1 and 3.
    assert_eq!([of(-1.0, [-2.0, -3.0], -1.0).oco, of(-1.0, [-2.0, -3.0], 0.0).oco], [3.5, 3.5]);
    let other = of(1.0, [-2.0, 3.0], -1.0);
    assert_eq!((other.gain, other.taught, other.learnt, other.oco), (0.5, -0.25, 0.75, -1.5));
}

#[test]
fn the_bound_is_the_gain_of_its_stump_minus_both_regrets() {
    let round = |gain, taught, learnt, oco| Round { gain, taught, learnt, oco };
    let rounds =
        vec![round(0.5, 0.25, 0.125, 0.0625), round(-1.0, 1.0, -0.5, 0.25), round(1.0, 0.5, 0.5, 1.0)];
    let account = Account { gamma: 0.25, rounds };
    assert_eq!([account.gain(1), account.gain(2), account.gain(3)], [0.5, -0.5, 0.5]);
    // Each round takes off taught·h − learnt/γ + oco: ¼ − ½ + 1/16, then −1 + 2 + ¼, then ½ − 2 + 1.
    let bound = |t, gain, stump: &[Label]| account.bound(t, gain, stump);
    assert_eq!(bound(1, 1.0, &[Plus]), 1.0 + 0.1875);
    assert_eq!(bound(2, 2.0, &[Plus, Minus]), 2.0 + 0.1875 - 1.25);
    assert_eq!(bound(3, 2.0, &[Plus, Minus, Plus]), 2.0 + 0.1875 - 1.25 + 0.5);
    // For another stump, +1 in the second round takes off 1 + 2 + ¼.
    assert_eq!(bound(2, 2.0, &[Plus, Plus]), 2.0 + 0.1875 - 3.25);
}

#[test]
fn the_best_stump_is_that_of_the_rounds_so_far() {
    let stream = stream();
    let (gain, votes) = best(&stream, 4).unwrap();
    assert_eq!((gain, &votes[..]), (4.0, &stream.labels[..4]));
    // From the eighth round on the opposite is right more often: 10 − 4 of 14.
    let (gain, votes) = best(&stream, 14).unwrap();
    assert_eq!(gain, 6.0);
    assert!(votes[..4].iter().zip(&stream.labels).all(|(vote, y)| vote != y));
    assert_eq!(votes[4..], stream.labels[4..]);
}

/// A second run, with its bound from the numbers of its trace.
#[test]
fn an_account_holds_the_terms_of_its_run() {
    let stream = stream();
    for (optimiser, gamma) in FORMS {
        let account = Account::of(&stream, 5, (optimiser, gamma), &mut generator(3, 1, 16)).unwrap();
        let rng = &mut generator(3, 1, 16);
        let mut booster = optimiser.booster(hedges(&stream, 5, rng), gamma, rng).unwrap();
        assert_eq!((account.gamma, account.rounds.len()), (gamma, 14));
        for ((x, y), round) in stream.rows.iter().zip(&stream.labels).zip(&account.rounds) {
            booster.round(x, *y).unwrap();
            let trace = booster.trace();
            assert!((round.gain - y.sign() * trace.z().clamp(-1.0, 1.0)).abs() < 1e-12);
            let mean = trace.p().iter().sum::<f64>() / 5.0;
            assert!((round.taught - y.sign() * mean).abs() < 1e-12);
            // The regret of A is at least the regret against any fixed play.
            for play in [optimiser.lowest(), 0.5, 1.0] {
                let regret: f64 =
                    trace.losses().zip(trace.slopes()).map(|(loss, slope)| loss - play * slope).sum();
                assert!(round.oco >= regret / 5.0 - 1e-12);
            }
        }
    }
}

#[test]
fn curves_are_means_over_the_rounds_so_far() {
    let stream = stream();
    let points = against_rounds(&stream, 5, &[4, 14, 15], 3, 1).unwrap();
    let at = |x: u64, series: &str| {
        points.iter().find(|point| point.series == series && point.x == x).map(|point| point.value)
    };
    assert_eq!((at(4, BEST), at(14, BEST), at(15, BEST)), (Some(1.0), Some(6.0 / 14.0), None));
    let alone = run(&stream, hedges(&stream, 1, &mut generator(3, 1, 0)).swap_remove(0)).unwrap();
    let gain = |t: usize| {
        let agree = alone.iter().zip(&stream.labels).take(t).filter(|(vote, y)| vote == y).count();
        (2.0 * agree as f64 - t as f64) / t as f64
    };
    assert_eq!((at(4, ALONE), at(14, ALONE)), (Some(gain(4)), Some(gain(14))));
    let names = [
        ("Algorithm 1, γ = 1", "bound, γ = 1"),
        ("Algorithm 1, γ = 0.2", "bound, γ = 0.2"),
        ("Algorithm 1 on [0, 1], γ = 0.2", "bound on [0, 1], γ = 0.2"),
    ];
    for ((k, form), (curve, bound)) in (0..).zip(FORMS).zip(names) {
        let account = Account::of(&stream, 5, form, &mut generator(3, 1, 16 + k)).unwrap();
        for t in [4, 14] {
            let x = t as u64;
            assert_eq!(at(x, curve).unwrap(), account.gain(t) / t as f64, "{curve}");
            let stump: Vec<Label> = stream.labels[..t]
                .iter()
                .enumerate()
                .map(|(i, y)| if (i < 4) == (t == 4) { *y } else { -*y })
                .collect();
            let of_stump = if t == 4 { 4.0 } else { 6.0 };
            assert_eq!(at(x, bound).unwrap(), account.bound(t, of_stump, &stump) / t as f64, "{bound}");
            assert!(at(x, bound) <= at(x, curve));
        }
    }
    // As N grows: the same numbers after all rounds, with N learners.
    let found_by_n = against_learners(&stream, &[2, 5], 3, 1).unwrap();
    let of = |x: u64, series: &str| {
        found_by_n.iter().find(|point| point.series == series && point.x == x).unwrap().value
    };
    for (curve, bound) in names {
        assert_eq!([of(5, curve), of(5, bound)], [at(14, curve), at(14, bound)].map(Option::unwrap));
    }
    assert_eq!([of(2, BEST), of(2, ALONE)], [6.0 / 14.0, gain(14)]);
    assert!(names.iter().any(|(curve, _)| of(2, curve) != of(5, curve)));
}
