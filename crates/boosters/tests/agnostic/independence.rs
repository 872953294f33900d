//! The coins of a round are independent of each other and of the round before; results depend neither on the
//! number of threads nor, for the first learners, on how many follow them.

use super::lemmas::{Plays, Votes};
use super::streams::{Examples, hedges, margin, rng};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster};
use oco_core::StepSchedule;
use oco_core::learners::Ogd;
use projections::BoxSet;
use rows::Row;
use weak_learners::Label::{Minus, Plus};

/// Trials on 1, 2 and 4 threads, of both boosters: votes, traces and the learners at the end are bit for bit
/// the same.
#[test]
fn the_number_of_threads_changes_nothing() {
    let examples = Examples::letter();
    let thresholds = examples.thresholds(4);
    let trial = &|seed: u64| {
        let stream = examples.noisy(150, 0.2, seed);
        let learners = || hedges(&thresholds, 150, 8, seed);
        let mut agnostic = OnlineAgnosticBooster::with_ogd(learners(), 0.5, &mut rng(seed, 0)).unwrap();
        let mut realizable = OnlineRealizableBooster::with_ogd(learners(), 0.5, &mut rng(seed, 0)).unwrap();
        let mut text = String::new();
        for (x, y) in stream.examples() {
            let votes = (agnostic.round(x, y).unwrap(), realizable.round(x, y).unwrap());
            text += &format!("{votes:?} {:?} {:?}\n", agnostic.trace(), realizable.trace());
        }
        text + &serde_json::to_string(&(agnostic, realizable)).unwrap()
    };
    let on = |threads: usize| {
        let trials: Vec<u64> = (0..8).collect();
        std::thread::scope(|scope| {
            let run = |part: Vec<u64>| scope.spawn(move || part.into_iter().map(trial).collect::<Vec<_>>());
            let handles: Vec<_> = trials.chunks(8 / threads).map(|part| run(part.to_vec())).collect();
            handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect::<Vec<_>>()
        })
    };
    let alone = on(1);
    assert!(alone.iter().zip(&alone[1..]).all(|(a, b)| a != b), "seeds differ");
    assert_eq!(on(2), alone);
    assert_eq!(on(4), alone);
}

/// With steps that do not depend on N, the examples passed to learner i depend only on the learners before
/// it.
#[test]
fn a_prefix_of_the_learners_is_taught_the_same() {
    let examples = Examples::letter();
    let (thresholds, stream) = (examples.thresholds(4), examples.noisy(400, 0.2, 1));
    let steps = StepSchedule::zinkevich(2.0, 3.0).unwrap();
    let oco =
        |lower, start| Ogd::starting_at(BoxSet::interval(lower, 1.0).unwrap(), vec![start], steps).unwrap();
    let agnostic = |n| {
        OnlineAgnosticBooster::new(hedges(&thresholds, 400, n, 4), oco(-1.0, 0.0), 0.5, &mut rng(9, 0))
            .unwrap()
    };
    let realizable = |n| {
        OnlineRealizableBooster::new(hedges(&thresholds, 400, n, 4), oco(0.0, 0.5), 0.5, &mut rng(9, 0))
            .unwrap()
    };
    let (mut few, mut many) = ((agnostic(3), realizable(3)), (agnostic(10), realizable(10)));
    for (x, y) in stream.examples() {
        for booster in [&mut few.0, &mut many.0] {
            booster.round(x, y).unwrap();
        }
        for booster in [&mut few.1, &mut many.1] {
            booster.round(x, y).unwrap();
        }
        for (few, many) in [(few.0.trace(), many.0.trace()), (few.1.trace(), many.1.trace())] {
            assert_eq!((few.votes(), few.p()), (&many.votes()[..3], &many.p()[..3]));
            assert_eq!((few.passed(), few.p_next()), (&many.passed()[..3], many.p()[3]));
        }
    }
}

/// Where every coin is fair, those of the vote and of the learners are right together as often as not, and
/// right again in the next round as often as not: each product of two signs is a martingale difference with a
/// range of 2.
#[test]
fn the_coins_of_a_round_are_independent() {
    let (rounds, team) = (4000_u32, vec![Votes(Plus), Votes(Minus), Votes(Plus), Votes(Minus)]);
    let mut a = OnlineAgnosticBooster::new(team.clone(), Plays([0.0]), 0.5, &mut rng(1, 0)).unwrap();
    let mut r = OnlineRealizableBooster::new(team, Plays([0.5]), 0.5, &mut rng(1, 0)).unwrap();
    let x = [0.0];
    let x = Row::dense(&x).unwrap();
    let sign = |happened: bool| if happened { 1.0 } else { -1.0 };
    let (mut sums, mut before) = ([[[0.0_f64; 5]; 10]; 2], [[1.0; 5]; 2]);
    for t in 0..rounds {
        let y = if t % 3 == 0 { Plus } else { Minus };
        let votes = [a.round(x, y).unwrap(), r.round(x, y).unwrap()];
        for (k, (vote, trace)) in votes.into_iter().zip([a.trace(), r.trace()]).enumerate() {
            let mut coins = [sign(vote == Plus); 5];
            for (coin, passed) in coins[1..].iter_mut().zip(trace.passed()) {
                *coin = sign(*passed == Some(y));
            }
            for i in 0..5 {
                for j in 0..5 {
                    sums[k][i][j] += if i < j { coins[i] * coins[j] } else { 0.0 };
                    sums[k][5 + i][j] += before[k][i] * coins[j];
                }
            }
            before[k] = coins;
        }
    }
    let margin = margin(4.0 * f64::from(rounds), 1.0);
    for sum in sums.iter().flatten().flatten() {
        assert!(sum.abs() <= margin, "{sums:?}");
    }
}
