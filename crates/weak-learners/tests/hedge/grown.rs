//! Thresholds grown from the stream.

use crate::streams::{Stream, drifting, mean_and_margin, non_zero, real};
use datasets::Name;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::batch::Stump;
use weak_learners::online::GrownStumps;
use weak_learners::{Label, OnlineClassifier, OnlinePredictor};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn json(learner: &GrownStumps) -> String {
    serde_json::to_string(learner).unwrap()
}

/// The thresholds in (below, above) of one feature, written out: their prior mass and their gain, and on
/// which side, and for how many splits in a row, they were split off last.
#[derive(Clone, Debug)]
struct Interval {
    feature: usize,
    below: f64,
    above: f64,
    mass: f64,
    gain: i64,
    upper: bool,
    run: f64,
}

/// The definition: splits an interval where a new value asks for it, in any order and with no sums.
struct Definition {
    most_values: usize,
    seen: Vec<Vec<f64>>,
    intervals: Vec<Interval>,
}

impl Definition {
    fn new(inputs: usize, most_values: usize) -> Self {
        let mass = 0.5 / (2.0 * inputs as f64 + 2.0);
        let halves = |feature| {
            let interval =
                |below, above, upper| Interval { feature, below, above, mass, gain: 0, upper, run: 1.0 };
            [interval(f64::NEG_INFINITY, 0.0, false), interval(0.0, f64::INFINITY, true)]
        };
        Self { most_values, seen: vec![vec![0.0]; inputs], intervals: (0..inputs).flat_map(halves).collect() }
    }

    fn split(&mut self, x: &[f64]) {
        for (j, v) in x.iter().enumerate() {
            if self.seen[j].contains(v) || self.seen[j].len() >= self.most_values {
                continue;
            }
            self.seen[j].push(*v);
            let holds = |i: &Interval| i.feature == j && i.below < *v && *v < i.above;
            let place = self.intervals.iter().position(holds).unwrap();
            let whole = self.intervals[place].clone();
            let half = |upper| match whole.run {
                r if upper == whole.upper => {
                    Interval { mass: whole.mass * r / (r + 1.0), run: r + 1.0, ..whole.clone() }
                }
                r => Interval { mass: whole.mass / (r + 1.0), run: 1.0, upper, ..whole.clone() },
            };
            self.intervals[place] = Interval { above: *v, ..half(false) };
            self.intervals.push(Interval { below: *v, ..half(true) });
        }
    }

    /// The answer of polarity +, once split at x.
    fn answer(interval: &Interval, x: &[f64]) -> i64 {
        let v = x[interval.feature];
        let threshold = if interval.below.is_infinite() || interval.above.is_infinite() {
            if interval.below.is_infinite() { f64::NEG_INFINITY } else { f64::INFINITY }
        } else {
            0.5 * (interval.below + interval.above)
        };
        let above = v >= interval.above || (v > interval.below && v >= threshold);
        if above { 1 } else { -1 }
    }

    fn sorted(&self) -> Vec<Interval> {
        let mut all = self.intervals.clone();
        all.sort_by(|a, b| a.feature.cmp(&b.feature).then(a.below.total_cmp(&b.below)));
        all
    }
}

proptest! {
    /// Priors, gains, weights and the mean vote are those of the definition, whose intervals split before the
    /// vote; the gain of an expert is that of its stump on all rows so far, the best gain that of the best
    /// stump of all; a sparse row is its dense twin.
    #[test]
    fn it_is_hedge_over_all_stumps(
        (m, stream) in (1_usize..4).prop_flat_map(|m| {
            let value = prop_oneof![Just(0.0), Just(1.0), (-3..4_i32).prop_map(f64::from), -2.0..2.0_f64];
            (Just(m), prop::collection::vec((prop::collection::vec(value, m), any::<bool>()), 1..40))
        }),
        most_values in prop_oneof![2_usize..6, Just(1000)],
        eta in 0.01..2.0_f64,
        anytime in any::<bool>(),
    ) {
        let mut learner = match anytime {
            true => GrownStumps::anytime(m, most_values, rng(2)).unwrap(),
            false => GrownStumps::new(m, most_values, eta, rng(2)).unwrap(),
        };
        let mut sparsely = learner.clone();
        let mut definition = Definition::new(m, most_values);
        let (mut total, mut past) = (0, Vec::new());
        for (values, y) in &stream {
            let (indices, stored) = non_zero(Row::dense(values).unwrap());
            let (x, sparse) = (Row::dense(values).unwrap(), Row::sparse(m, &indices, &stored).unwrap());
            let y = if *y { Label::Plus } else { Label::Minus };
            // The mean vote, over the intervals as this row splits them.
            definition.split(values);
            let eta = learner.eta();
            let weight = |gain: i64, mass: f64| mass * (eta * gain as f64).exp();
            let root = 1.0 / (2.0 * m as f64 + 2.0);
            let (mut mean, mut norm) = (weight(total, root) - weight(-total, root), weight(total, root) + weight(-total, root));
            for interval in &definition.intervals {
                let (plus, minus) = (weight(interval.gain, interval.mass), weight(-interval.gain, interval.mass));
                mean += Definition::answer(interval, values) as f64 * (plus - minus);
                norm += plus + minus;
            }
            prop_assert!((learner.mean_vote(x).unwrap() - mean / norm).abs() < 1e-12);
            prop_assert_eq!(sparsely.mean_vote(sparse), learner.mean_vote(x));
            prop_assert_eq!(sparsely.round(sparse, y), learner.round(x, y));
            prop_assert_eq!(json(&learner), json(&sparsely));
            let label = if y == Label::Plus { 1 } else { -1 };
            total += label;
            definition.intervals.iter_mut().for_each(|i| i.gain += label * Definition::answer(i, values));
            past.push((values.clone(), y));
            // Every expert, in order.
            let experts = definition.sorted();
            let eta = learner.eta();
            let weight = |gain: i64, mass: f64| mass * (eta * gain as f64).exp();
            let pairs = [(total, root)].into_iter().chain(experts.iter().map(|i| (i.gain, i.mass)));
            let expected: Vec<(i64, f64)> = pairs.flat_map(|(gain, mass)| [(gain, mass), (-gain, mass)]).collect();
            prop_assert_eq!(learner.experts(), expected.len());
            let norm: f64 = expected.iter().map(|(gain, mass)| weight(*gain, *mass)).sum();
            let weights = learner.weights().to_vec();
            let of_stump = |stump: &Stump| past.iter().map(|(x, y)| if stump.vote(Row::dense(x).unwrap()).unwrap() == *y { 1 } else { -1 }).sum::<i64>();
            for (i, (gain, mass)) in expected.iter().enumerate() {
                prop_assert_eq!(learner.gain(i), Some(*gain));
                prop_assert!((learner.prior(i).unwrap() / mass - 1.0).abs() < 1e-12);
                prop_assert!((weights[i] - weight(*gain, *mass) / norm).abs() < 1e-12);
                prop_assert_eq!(of_stump(&learner.expert(i).unwrap()), *gain);
            }
            let (best, gain) = learner.best_expert();
            prop_assert_eq!(of_stump(&best), gain);
            prop_assert_eq!(expected.iter().map(|(gain, _)| *gain).max(), Some(gain));
            if most_values == 1000 {
                for (x, _) in &past {
                    for (j, v) in x.iter().enumerate() {
                        let stump = Stump::new(m, j, *v, Label::Plus).unwrap();
                        prop_assert!(of_stump(&stump).abs() <= gain);
                    }
                }
            }
            let prior: f64 = (0..learner.experts()).filter_map(|i| learner.prior(i)).sum();
            prop_assert!((prior - 1.0).abs() < 1e-12);
        }
        prop_assert_eq!((learner.expert(learner.experts()), learner.prior(learner.experts())), (None, None));
    }
}

/// ln(1/π(h))/η_t + ½Σ η against *every* expert h after every 50th round, surely: the expectation over
/// its own draws is computed.
#[test]
fn its_expected_regret_against_every_stump_is_bounded() {
    for (stream, most_values) in
        [(drifting(3, 1600, 1), 100), (real(Name::Adult, 1600), 24), (real(Name::Letter, 1600), 24)]
    {
        let m = stream.rows.dimension();
        let learners = [
            GrownStumps::new(m, most_values, 0.05, rng(1)).unwrap(),
            GrownStumps::anytime(m, most_values, rng(1)).unwrap(),
        ];
        for (mut learner, adversary) in learners.into_iter().flat_map(|l| [(l.clone(), false), (l, true)]) {
            let (mut gain, mut etas, mut largest) = (0.0, 0.0, 0.0_f64);
            for (t, (x, y)) in (1..).zip(stream.examples()) {
                let mean = learner.mean_vote(x).unwrap();
                let y = if adversary { Label::of_score(-mean) } else { y };
                let eta = learner.eta();
                gain += mean * y.sign();
                etas += eta;
                learner.update(x, &y).unwrap();
                if t % 50 != 0 {
                    continue;
                }
                for i in 0..learner.experts() {
                    let (of_expert, prior) = (learner.gain(i).unwrap() as f64, learner.prior(i).unwrap());
                    let bound = (1.0 / prior).ln() / eta + 0.5 * etas;
                    assert!(of_expert - gain <= bound + 1e-6, "round {t}, expert {i}: {of_expert}, {gain}");
                    largest = largest.max((of_expert - gain) / bound);
                }
            }
            // The adversary makes it pay; a bound that nothing comes near would prove little.
            assert!(!adversary || largest > 0.3, "{largest}");
        }
    }
}

/// In every round the expert has the Hedge distribution and its vote the mean vote, through splits of its
/// gap, of gaps below and above it and of other features: over S = 20,000 seeds a frequency misses its
/// probability by more than √(ln(2/δ)/(2S)) in fewer than δ = 1e−9 of cases (Hoeffding). Outer gaps and
/// constants are alike as stumps, and counted together.
#[test]
fn the_expert_has_the_hedge_distribution_through_every_split() {
    const SEEDS: u32 = 20_000;
    let margin = ((2.0_f64 / 1e-9).ln() / (2.0 * f64::from(SEEDS))).sqrt();
    let stream = drifting(2, 14, 8);
    // Once with room for all values and once not.
    for (anytime, most_values) in [(false, 100), (true, 100), (false, 3)] {
        let new = |seed| match anytime {
            true => GrownStumps::anytime(2, most_values, rng(seed)).unwrap(),
            false => GrownStumps::new(2, most_values, 0.4, rng(seed)).unwrap(),
        };
        let mut learners: Vec<GrownStumps> = (0..SEEDS).map(|seed| new(u64::from(seed))).collect();
        let mut reference = new(1_000_000);
        for (t, (x, y)) in (1..).zip(stream.examples()) {
            let mut pluses = 0;
            for learner in &mut learners {
                pluses += u32::from(learner.round(x, y).unwrap() == Label::Plus);
            }
            let plus = 0.5 + 0.5 * reference.mean_vote(x).unwrap();
            let frequency = f64::from(pluses) / f64::from(SEEDS);
            assert!((frequency - plus).abs() <= margin, "vote of round {t}: {frequency}, {plus}");
            reference.update(x, &y).unwrap();
            let weights = reference.weights().to_vec();
            let stumps: Vec<Stump> = (0..weights.len()).map(|i| reference.expert(i).unwrap()).collect();
            for stump in &stumps {
                let alike = stumps.iter().zip(&weights).filter(|(other, _)| *other == stump);
                let weight: f64 = alike.map(|(_, weight)| weight).sum();
                let count = learners.iter().filter(|learner| learner.current() == *stump).count();
                let frequency = count as f64 / f64::from(SEEDS);
                assert!((frequency - weight).abs() <= margin, "after round {t}: {frequency}, {weight}");
            }
        }
    }
}

/// The gain of the votes themselves has the mean of the expected votes, over 60 seeds within five standard
/// errors.
#[test]
fn its_realised_gain_has_the_expected_mean() {
    let Stream { rows, labels } = drifting(3, 1000, 2);
    let excess = |seed| {
        let mut learner = GrownStumps::new(3, 100, 0.08, rng(seed)).unwrap();
        let examples = rows.iter().zip(&labels);
        let excess = examples.map(|(x, y)| {
            let mean = learner.mean_vote(x).unwrap();
            (learner.round(x, *y).unwrap().sign() - mean) * y.sign()
        });
        excess.sum()
    };
    let (mean, margin) = mean_and_margin(&(0..60).map(excess).collect::<Vec<f64>>());
    assert!(mean.abs() <= margin, "{mean} ± {margin}");
}
