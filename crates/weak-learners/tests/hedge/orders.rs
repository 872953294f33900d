//! Thresholds grown from values that come in order.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::online::GrownStumps;
use weak_learners::{Label, OnlineClassifier, OnlinePredictor};

const VALUES: u32 = 1000;

fn learner(most_values: usize) -> GrownStumps {
    GrownStumps::anytime(1, most_values, ChaCha8Rng::seed_from_u64(1)).unwrap()
}

fn least_prior(learner: &GrownStumps) -> f64 {
    (0..learner.experts()).filter_map(|i| learner.prior(i)).fold(1.0, f64::min)
}

/// Every value is new, so that every round splits a gap; the labels are those of one stump. Rising, falling,
/// and both at once, away from 0 and towards it: no prior is below 1/(4K²(2m + 2)), and the expected regret
/// below the bound for that, a fraction of what there is to gain.
#[test]
fn values_in_order_leave_every_stump_its_prior() {
    let n = f64::from(VALUES);
    let rising: Vec<f64> = (1..=VALUES).map(f64::from).collect();
    let falling: Vec<f64> = rising.iter().rev().copied().collect();
    let opposite = |values: &[f64]| values.iter().map(|v| -v).collect::<Vec<f64>>();
    let apart: Vec<f64> =
        (1..=VALUES).map(|t| if t % 2 == 0 { f64::from(t) } else { -f64::from(t) }).collect();
    for (values, at) in [
        (opposite(&rising), -0.5 * n),
        (opposite(&falling), -0.5 * n),
        (apart, 0.25 * n),
        (rising, 0.5 * n),
        (falling, 0.5 * n),
    ] {
        let mut learner = learner(VALUES as usize + 1);
        let (mut gain, mut etas, mut eta) = (0.0, 0.0, 0.0);
        for v in &values {
            let x = [*v];
            let (x, y) = (Row::dense(&x).unwrap(), Label::of_score(v - at - 0.5));
            gain += learner.mean_vote(x).unwrap() * y.sign();
            eta = learner.eta();
            etas += eta;
            learner.update(x, &y).unwrap();
        }
        assert_eq!(learner.best_expert().1, i64::from(VALUES));
        let floor = 1.0 / (4.0 * (n + 1.0).powi(2) * 4.0);
        assert!(least_prior(&learner) >= floor, "{} < {floor}", least_prior(&learner));
        assert!(n - gain <= (1.0 / floor).ln() / eta + 0.5 * etas);
        assert!(gain > 0.6 * n, "{gain} from {}", values[0]);
    }
}

/// New values on the side of a gap that `sides` say, by bisection.
fn bisected(sides: impl Iterator<Item = bool>) -> GrownStumps {
    let (mut learner, mut ends) = (learner(1000), (0.0, 1.0));
    learner.round(Row::dense(&[1.0]).unwrap(), Label::Plus).unwrap();
    for upper in sides {
        let v = 0.5 * (ends.0 + ends.1);
        learner.round(Row::dense(&[v]).unwrap(), Label::Plus).unwrap();
        ends = if upper { (v, ends.1) } else { (ends.0, v) };
    }
    learner
}

/// The worst order, two splits on one side and then two on the other, comes to the floor within a factor.
#[test]
fn the_floor_of_every_order_is_reached() {
    let learner = bisected((0..40).map(|i| i / 2 % 2 == 0));
    let floor = 6.0_f64.powi(-21) / 4.0;
    assert!(
        least_prior(&learner) >= floor && least_prior(&learner) < 10.0 * floor,
        "{}",
        least_prior(&learner)
    );
}

proptest! {
    /// π ≥ 6^(−K/2)/(2m + 2), with K the values so far, whatever the order.
    #[test]
    fn no_order_takes_more(sides in prop::collection::vec(any::<bool>(), 0..40)) {
        let values = sides.len() as f64 + 2.0;
        let learner = bisected(sides.into_iter());
        prop_assert!(least_prior(&learner) >= 6.0_f64.powf(-0.5 * values) / 4.0);
        let sum: f64 = (0..learner.experts()).filter_map(|i| learner.prior(i)).sum();
        prop_assert!((sum - 1.0).abs() < 1e-12);
    }
}
