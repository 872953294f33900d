//! The empirical Bernstein interval of every estimator, against the theorem on terms that are worked out one
//! by one.

use crate::logs::{ACTIONS, Columns, close, settings};
use off_policy::estimators::{
    EmpiricalBernstein, Estimator, EstimatorSettings, Interval, Moments, OffPolicyEvaluation, Sides,
    StatedRanges, Tables, empirical_bernstein_interval,
};

const DELTA: f64 = 0.1;
const CLIP: f64 = 1.5;
const TAU: f64 = 1.0;
/// What is added to rewards of 0 and 1; the ranges of rewards, on both sides of 0 or on one, and of
/// predictions.
const RANGES: [(f64, [f64; 2], [f64; 2]); 5] = [
    (0.0, [0.0, 1.0], [-1.0, 3.0]),
    (0.0, [-2.0, 1.0], [-4.0, 3.5]),
    (2.0, [1.5, 4.0], [-1.0, 3.0]),
    (-9.0, [-9.0, -7.0], [-1.0, 4.0]),
    (5.0, [4.5, 6.0], [-1.0, 3.0]),
];

/// (w_i, r_i, d_i, q_i) of every row.
fn rows(log: &Columns) -> Vec<[f64; 4]> {
    let row = |(i, action): (usize, &u32)| {
        let (at, action) = (i * ACTIONS, *action as usize);
        let (target, q) = (&log.target[at..at + ACTIONS], &log.q[at..at + ACTIONS]);
        let direct = target.iter().zip(q).map(|(p, q)| p * q).sum();
        [target[action] / log.propensities[i], log.rewards[i], direct, q[action]]
    };
    log.actions.iter().enumerate().map(row).collect()
}

fn stated(rewards: [f64; 2], predictions: [f64; 2], w_max: f64) -> StatedRanges {
    let ranges = StatedRanges::new(rewards).unwrap().with_predictions(predictions).unwrap();
    ranges.with_largest_weight(w_max).unwrap()
}

fn interval(found: &OffPolicyEvaluation, estimator: Estimator, sides: Sides) -> Interval {
    empirical_bernstein_interval(found, estimator, DELTA, sides).unwrap().unwrap()
}

/// The corners of (w, r, d, q): a term that is linear in each is largest and least in one of them.
fn width(term: impl Fn(f64, f64, f64, f64) -> f64, w_max: f64, r: [f64; 2], q: [f64; 2]) -> f64 {
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    for corner in 0..16_usize {
        let bit = |k: usize| corner >> k & 1;
        let t = term([0.0, w_max][bit(0)], r[bit(1)], q[bit(2)], q[bit(3)]);
        ends = [ends[0].min(t), ends[1].max(t)];
    }
    ends[1] - ends[0]
}

#[test]
fn means_have_the_interval_of_the_theorem_over_their_terms() {
    for (shift, rewards, predictions) in RANGES {
        let mut log = Columns::drawn(700, 8);
        log.rewards.iter_mut().for_each(|r| *r += shift);
        for w_max in [2.0, 5.0] {
            let settings = settings(CLIP, TAU).within(stated(rewards, predictions, w_max));
            let found = log.evaluate(settings);
            let check =
                |estimator, w_max, term: &dyn Fn(f64, f64, f64, f64) -> f64, cut: &dyn Fn(f64) -> f64| {
                    let terms: Vec<f64> =
                        rows(&log).iter().map(|[w, r, d, q]| term(cut(*w), *r, *d, *q)).collect();
                    let width = width(term, w_max, rewards, predictions);
                    for sides in [Sides::One, Sides::Two] {
                        let moments = Moments::of(&terms).unwrap();
                        let want = EmpiricalBernstein::new(&moments, width, DELTA, sides).unwrap();
                        let got = interval(&found, estimator, sides);
                        close(got.lower, want.mean - want.half_width);
                        close(got.upper, want.mean + want.half_width);
                    }
                };
            let doubly_robust = |w: f64, r: f64, d: f64, q: f64| d + w * (r - q);
            check(Estimator::Ips, w_max, &|w, r, _, _| w * r, &|w| w);
            check(Estimator::ClippedIps, CLIP, &|w, r, _, _| w * r, &|w| w.min(CLIP));
            check(Estimator::Dm, w_max, &|_, _, d, _| d, &|w| w);
            check(Estimator::Dr, w_max, &doubly_robust, &|w| w);
            check(Estimator::SwitchDr, TAU, &doubly_robust, &|w| if w <= TAU { w } else { 0.0 });
        }
    }
}

#[test]
fn a_cut_above_the_largest_weight_is_none() {
    let log = Columns::drawn(700, 9);
    let found = log.evaluate(settings(7.0, 7.0).within(stated([0.0, 1.0], [-1.0, 3.0], 2.0)));
    let of = |estimator| interval(&found, estimator, Sides::Two);
    assert_eq!(of(Estimator::ClippedIps), of(Estimator::Ips));
    assert_eq!(of(Estimator::SwitchDr), of(Estimator::Dr));
    // The least propensity says as much as the largest weight.
    let ranges = StatedRanges::new([0.0, 1.0]).unwrap().with_predictions([-1.0, 3.0]).unwrap();
    let by_weight = log.evaluate(settings(CLIP, TAU).within(ranges.with_largest_weight(4.0).unwrap()));
    let by_propensity = log.evaluate(settings(CLIP, TAU).within(ranges.with_least_propensity(0.25).unwrap()));
    for estimator in Estimator::ALL {
        let of = |found| interval(found, estimator, Sides::Two);
        assert_eq!(of(&by_weight), of(&by_propensity), "{estimator:?}");
    }
}

/// Whether the theorem, on terms w_i(r_i − v) of length b, leaves open that their mean is 0: half width
/// − |mean|.
fn slack(rows: &[[f64; 4]], v: f64, b: f64, sides: Sides) -> f64 {
    let terms: Vec<f64> = rows.iter().map(|[w, r, ..]| w * (r - v)).collect();
    let found = EmpiricalBernstein::new(&Moments::of(&terms).unwrap(), b, DELTA, sides).unwrap();
    found.half_width - found.mean.abs()
}

#[test]
fn snips_has_the_interval_of_the_values_that_the_theorem_leaves_open() {
    let mut inner = 0;
    for (n, shift, rewards) in [
        (4000, 0.0, [0.0, 1.0]),
        (4000, 0.0, [-1.0, 2.0]),
        (300, 0.0, [0.0, 1.0]),
        (4000, -7.0, [-7.0, -6.0]),
        (60, 0.0, [0.0, 1.0]),
    ] {
        for (seed, sides) in [(1, Sides::One), (2, Sides::Two), (3, Sides::Two)] {
            let mut log = Columns::drawn(n, seed);
            log.rewards.iter_mut().for_each(|r| *r += shift);
            let (w_max, rows) = (2.0, rows(&log));
            let ranges = stated(rewards, [-9.0, 9.0], w_max);
            let found = log.evaluate(EstimatorSettings::default().within(ranges));
            let got = interval(&found, Estimator::Snips, sides);
            let [l, u] = rewards;
            let b = w_max * (u - l);
            for k in 0..=2000_u32 {
                let v = l + (u - l) * f64::from(k) / 2000.0;
                let open = slack(&rows, v, b, sides);
                assert!(open.abs() < 1e-9 || got.contains(v) == (open > 0.0), "{got:?}, {v}: {open}");
            }
            for end in [got.lower, got.upper].into_iter().filter(|end| l < *end && *end < u) {
                assert!(slack(&rows, end, b, sides).abs() < 1e-12, "{got:?}: {end}");
                inner += 1;
            }
        }
    }
    assert!(inner > 20, "{inner} ends are not those of the rewards");
}

#[test]
fn the_interval_of_snips_moves_with_a_translation() {
    let log = Columns::drawn(4000, 4);
    let of = |shift: f64| {
        let mut log = log.clone();
        log.rewards.iter_mut().for_each(|r| *r += shift);
        let ranges = stated([shift, 1.0 + shift], [-1.0, 3.0], 2.0);
        interval(&log.evaluate(settings(CLIP, TAU).within(ranges)), Estimator::Snips, Sides::Two)
    };
    let before = of(0.0);
    assert!(0.0 < before.lower && before.upper < 1.0);
    for shift in [-10.0, 1e6] {
        let after = of(shift);
        close(after.lower, before.lower + shift);
        close(after.upper, before.upper + shift);
    }
}

#[test]
fn where_nothing_is_known_of_snips_it_has_every_reward() {
    let of = |propensities: &[f64], target: &[f64], rewards: &[f64], range, w_max| {
        let actions = vec![0; rewards.len()];
        let tables = Tables::new(2, &actions, propensities, rewards, target, None).unwrap();
        let settings = EstimatorSettings::default().within(stated(range, range, w_max));
        let found = OffPolicyEvaluation::of_tables(&tables, settings).unwrap();
        empirical_bernstein_interval(&found, Estimator::Snips, DELTA, Sides::Two).unwrap()
    };
    let everything = Some(Interval { lower: -1.0, upper: 3.0 });
    // Two rows, and a bound on the weights that is far away.
    assert_eq!(of(&[0.5; 2], &[0.5; 4], &[0.0, 1.0], [-1.0, 3.0], 1e9), everything);
    // One row has all the weight.
    let (mut target, mut rewards) = ([0.0, 1.0].repeat(4000), [0.0; 4000]);
    (target[0], target[1], rewards[0]) = (1.0, 0.0, 1.0);
    assert_eq!(of(&[1.0; 4000], &target, &rewards, [-1.0, 3.0], 1.0), everything);
    // No weight, no estimate.
    assert_eq!(of(&[0.5; 2], &[0.0, 1.0, 0.0, 1.0], &[0.0, 1.0], [-1.0, 3.0], 2.0), None);
    // Rewards that are known beforehand.
    let known = Some(Interval { lower: 2.0, upper: 2.0 });
    assert_eq!(of(&[0.5; 2], &[0.5; 4], &[2.0; 2], [2.0; 2], 2.0), known);
    // u − l is beyond the doubles.
    let vast = of(&[1.0; 2], &[1e-3, 0.999, 1e-3, 0.999], &[0.0, 1.0], [-1e140, 1e140], 1e-3);
    assert_eq!(vast, Some(Interval { lower: -1e140, upper: 1e140 }));
}
