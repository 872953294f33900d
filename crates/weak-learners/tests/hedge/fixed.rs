//! Thresholds fixed ahead.

use crate::streams::{Stream, drifting, mean_and_margin, non_zero, real};
use datasets::Name;
use oco_core::OnlineLearner;
use oco_core::learners::Hedge;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::online::{HedgeStumps, Thresholds};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn json(learner: &HedgeStumps) -> String {
    serde_json::to_string(learner).unwrap()
}

/// Rows with their labels.
type Examples = Vec<(Vec<f64>, bool)>;

/// Thresholds of each feature and a stream that hits some of them.
fn stream() -> impl Strategy<Value = (Vec<Vec<f64>>, Examples)> {
    (1_usize..4).prop_flat_map(|m| {
        let value = prop_oneof![Just(0.0), Just(1.0), -2.0..2.0_f64];
        let cuts = prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), -2.0..2.0_f64], 0..5);
        let cuts = cuts.prop_map(|mut cuts| {
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
            cuts
        });
        let classes =
            prop::collection::vec(cuts, m).prop_filter("a stump", |c| c.iter().any(|c| !c.is_empty()));
        (classes, prop::collection::vec((prop::collection::vec(value, m), any::<bool>()), 1..50))
    })
}

proptest! {
    /// Gains are those of the stumps one by one, weights those of `oco_core::learners::Hedge` on their votes,
    /// the mean vote theirs, and a sparse row is its dense twin, in every round.
    #[test]
    fn it_is_hedge_over_its_experts((cuts, stream) in stream(), eta in 0.01..3.0_f64, anytime in any::<bool>()) {
        let thresholds = Thresholds::at(cuts).unwrap();
        let mut learner = if anytime {
            HedgeStumps::anytime(thresholds, rng(1))
        } else {
            HedgeStumps::new(thresholds, eta, rng(1)).unwrap()
        };
        let experts: Vec<_> = (0..learner.experts()).map(|i| learner.expert(i).unwrap()).collect();
        prop_assert_eq!(learner.expert(experts.len()), None);
        prop_assert_eq!(learner.gain(experts.len()), None);
        let mut sparsely = learner.clone();
        let mut gains = vec![0_i64; experts.len()];
        for (x, y) in &stream {
            // Hedge told of the gains all at once, with the η of the round.
            let mut hedge = Hedge::new(experts.len(), learner.eta()).unwrap();
            hedge.observe(&gains.iter().map(|gain| -*gain as f64).collect::<Vec<_>>()).unwrap();
            let (indices, values) = non_zero(Row::dense(x).unwrap());
            let (x, sparse) = (Row::dense(x).unwrap(), Row::sparse(x.len(), &indices, &values).unwrap());
            let mut mean = 0.0;
            for (expert, (weight, expected)) in experts.iter().zip(learner.weights().iter().zip(hedge.play())) {
                prop_assert!((weight - expected).abs() < 1e-12);
                mean += expected * expert.vote(x).unwrap().sign();
            }
            prop_assert!((learner.mean_vote(x).unwrap() - mean).abs() < 1e-12);
            prop_assert_eq!(sparsely.mean_vote(sparse), learner.mean_vote(x));
            let y = if *y { Label::Plus } else { Label::Minus };
            prop_assert_eq!(learner.vote(x), learner.current().vote(x));
            prop_assert_eq!(learner.round(x, y), sparsely.round(sparse, y));
            for (i, (gain, expert)) in gains.iter_mut().zip(&experts).enumerate() {
                *gain += if expert.vote(x).unwrap() == y { 1 } else { -1 };
                prop_assert_eq!(learner.gain(i), Some(*gain));
            }
            let (best, of_best) = learner.best_expert();
            prop_assert_eq!(Some(&of_best), gains.iter().max());
            let first = gains.iter().position(|gain| *gain == of_best).unwrap();
            prop_assert_eq!(best, experts[first]);
            prop_assert_eq!(json(&learner), json(&sparsely));
        }
    }
}

/// Runs a learner and asserts ln n/η_t + ½Σ η on its expected regret after every round; the labels are the
/// stream's, or an adversary's, who answers the mean vote with the opposite. Returns T and the expected
/// regret.
fn bounded_every_round(mut learner: HedgeStumps, stream: &Stream, adversary: bool) -> (f64, f64) {
    let entropy = (learner.experts() as f64).ln();
    let (mut gain, mut etas, mut regret, mut rounds) = (0.0, 0.0, 0.0, 0.0);
    for (x, y) in stream.examples() {
        let mean = learner.mean_vote(x).unwrap();
        let y = if adversary { Label::of_score(-mean) } else { y };
        let eta = learner.eta();
        (gain, etas, rounds) = (gain + mean * y.sign(), etas + eta, rounds + 1.0);
        learner.update(x, &y).unwrap();
        regret = learner.best_expert().1 as f64 - gain;
        let bound = entropy / eta + 0.5 * etas;
        assert!(regret <= bound + 1e-9 * rounds, "round {rounds}: {regret} > {bound}");
    }
    (rounds, regret)
}

/// Surely, because the expectation over its own draws is computed: on noise with drift, on labels that answer
/// its mean vote, on adult and on letter.
#[test]
fn its_expected_regret_is_bounded_in_every_round() {
    for (name, stream, per_feature) in [
        ("drifting", drifting(3, 2000, 1), 4),
        ("adult", real(Name::Adult, 2000), 8),
        ("letter", real(Name::Letter, 2000), 8),
    ] {
        let thresholds = Thresholds::quantiles(stream.rows.iter(), per_feature).unwrap();
        let entropy = (thresholds.experts() as f64).ln();
        for adversary in [false, true] {
            let tuned = HedgeStumps::tuned(thresholds.clone(), 2000, rng(1)).unwrap();
            assert!((tuned.eta() - (2.0 * entropy / 2000.0).sqrt()).abs() < 1e-15);
            let (rounds, regret) = bounded_every_round(tuned, &stream, adversary);
            assert!(regret <= (2.0 * entropy * rounds).sqrt(), "{name}: {regret}");
            let anytime = HedgeStumps::anytime(thresholds.clone(), rng(1));
            let first = (2.0 * (2.0_f64.sqrt() - 1.0) * entropy).sqrt();
            assert!((anytime.eta() - first).abs() < 1e-12);
            let (rounds, regret) = bounded_every_round(anytime, &stream, adversary);
            assert!(regret <= 2.2 * (entropy * rounds).sqrt(), "{name}: {regret}");
            // The adversary makes it pay; a bound that nothing comes near would prove little.
            assert!(!adversary || regret > 0.3 * (entropy * rounds).sqrt(), "{name}: {regret}");
        }
    }
}

/// The gain of the votes themselves has the mean of the expected votes, over 60 seeds within five standard
/// errors, and so keeps the bound within them.
#[test]
fn its_realised_gain_has_the_expected_mean() {
    let stream = drifting(3, 1500, 2);
    let thresholds = Thresholds::quantiles(stream.rows.iter(), 4).unwrap();
    let bound = (2.0 * 1500.0 * (thresholds.experts() as f64).ln()).sqrt();
    for anytime in [false, true] {
        let run = |seed| {
            let mut learner = match anytime {
                true => HedgeStumps::anytime(thresholds.clone(), rng(seed)),
                false => HedgeStumps::tuned(thresholds.clone(), 1500, rng(seed)).unwrap(),
            };
            let (mut excess, mut gain) = (0.0, 0.0);
            for (x, y) in stream.examples() {
                let mean = learner.mean_vote(x).unwrap();
                let vote = learner.round(x, y).unwrap().sign();
                excess += (vote - mean) * y.sign();
                gain += vote * y.sign();
            }
            (excess, learner.best_expert().1 as f64 - gain)
        };
        let (excesses, regrets): (Vec<f64>, Vec<f64>) = (0..60).map(run).unzip();
        let (mean, margin) = mean_and_margin(&excesses);
        assert!(mean.abs() <= margin, "{mean} ± {margin}");
        let (mean, margin) = mean_and_margin(&regrets);
        assert!(mean <= if anytime { 2.2 / 2.0_f64.sqrt() } else { 1.0 } * bound + margin, "{mean}");
    }
}

/// In every round the expert has the Hedge distribution: over S = 20,000 seeds a frequency misses its
/// probability by more than √(ln(2/δ)/(2S)) in fewer than δ = 1e−9 of cases (Hoeffding). It never leaves
/// after a right vote unless η changes.
#[test]
fn the_expert_has_the_hedge_distribution_and_stays_after_a_right_vote() {
    const SEEDS: u32 = 20_000;
    let margin = ((2.0_f64 / 1e-9).ln() / (2.0 * f64::from(SEEDS))).sqrt();
    let stream = drifting(2, 20, 5);
    let thresholds = Thresholds::at(vec![vec![0.25], vec![-0.25, 0.75]]).unwrap();
    for anytime in [false, true] {
        let new = |seed| match anytime {
            true => HedgeStumps::anytime(thresholds.clone(), rng(seed)),
            false => HedgeStumps::new(thresholds.clone(), 0.3, rng(seed)).unwrap(),
        };
        let experts: Vec<_> = (0..8).map(|i| new(0).expert(i).unwrap()).collect();
        let mut counts = vec![[0_u32; 8]; 21];
        for seed in 0..SEEDS {
            let mut learner = new(u64::from(seed));
            let place = |learner: &HedgeStumps| experts.iter().position(|e| *e == learner.current()).unwrap();
            counts[0][place(&learner)] += 1;
            for (t, (x, y)) in (1_usize..).zip(stream.examples()) {
                let before = learner.current();
                let right = learner.round(x, y).unwrap() == y;
                let eta_changed = anytime && (t + 1).is_power_of_two();
                assert!(!right || eta_changed || learner.current() == before);
                counts[t][place(&learner)] += 1;
            }
        }
        let mut learner = new(0);
        let mut all = stream.examples();
        for (t, counts) in counts.iter().enumerate() {
            for (count, weight) in counts.iter().zip(learner.weights()) {
                let frequency = f64::from(*count) / f64::from(SEEDS);
                assert!((frequency - weight).abs() <= margin, "after round {t}: {frequency}, {weight}");
            }
            if let Some((x, y)) = all.next() {
                learner.update(x, &y).unwrap();
            }
        }
    }
}

#[test]
fn what_it_refuses_it_forgets_and_what_it_saves_it_resumes() {
    let stream = drifting(2, 300, 3);
    let thresholds = Thresholds::quantiles(stream.rows.iter(), 3).unwrap();
    for mut learner in [
        HedgeStumps::anytime(thresholds.clone(), rng(1)),
        HedgeStumps::new(thresholds.clone(), 0.2, rng(1)).unwrap(),
        HedgeStumps::new(thresholds.clone(), 0.2, rng(1)).unwrap().drawing_afresh(),
    ] {
        assert_eq!(learner.shape(), Shape { inputs: 2, outputs: 1 });
        assert_eq!(learner.thresholds(), &thresholds);
        for (x, y) in stream.examples() {
            let before = json(&learner);
            let short = Row::dense(&[1.0]).unwrap();
            let refused = Err(LearnerError::InputDimension { expected: 2, got: 1 });
            assert_eq!(learner.accepts(short, &y), refused);
            assert_eq!(learner.update(short, &y), refused);
            assert_eq!(learner.predict(short, &mut [0.0]), refused);
            assert!(learner.mean_vote(short).is_err());
            assert!(learner.predict(x, &mut [0.0; 2]).is_err());
            assert_eq!(learner.vote(x), learner.vote(x));
            assert_eq!(json(&learner), before);
            let mut loaded: HedgeStumps = serde_json::from_str(&before).unwrap();
            assert_eq!(loaded.round(x, y), learner.round(x, y));
            assert_eq!(json(&loaded), json(&learner));
            learner = loaded;
        }
    }
}

#[test]
fn parameters_and_states_that_are_none_are_refused() {
    let thresholds = Thresholds::at(vec![vec![0.5], vec![-1.0, 1.0]]).unwrap();
    for eta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = HedgeStumps::new(thresholds.clone(), eta, rng(1));
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "η", .. })), "{eta}");
    }
    let refused = HedgeStumps::tuned(thresholds.clone(), 0, rng(1));
    assert!(matches!(refused, Err(LearnerError::BadParameter { name: "rounds", .. })));
    let mut learner = HedgeStumps::new(thresholds, 0.25, rng(1)).unwrap();
    let x = Row::dense(&[1.0, -2.0]).unwrap();
    (0..3).for_each(|_| learner.update(x, &Label::Plus).unwrap());
    let text = json(&learner);
    assert!(text.contains("\"sums\":[0,3,3,0,0],") && text.contains("\"total\":3,"), "{text}");
    assert!(serde_json::from_str::<HedgeStumps>(&text).is_ok());
    // The default is not to draw afresh.
    assert!(text.contains(",\"afresh\":false"));
    let loaded: HedgeStumps = serde_json::from_str(&text.replace(",\"afresh\":false", "")).unwrap();
    assert_eq!(json(&loaded), text);
    let current = &text[text.find("\"current\"").unwrap()..text.find("\"dartboard\"").unwrap()];
    for (old, new) in [
        ("\"sums\":[0,3,3,0,0]", "\"sums\":[0,3,3,0]"),
        ("\"sums\":[0,3,3,0,0]", "\"sums\":[1,3,3,0,0]"),
        ("\"sums\":[0,3,3,0,0]", "\"sums\":[0,3,3,0,-1]"),
        ("\"sums\":[0,3,3,0,0]", "\"sums\":[1,2,3,0,0]"),
        ("\"sums\":[0,3,3,0,0]", "\"sums\":[0,-2,3,0,0]"),
        ("\"total\":3", "\"total\":-1"),
        ("\"total\":3", "\"total\":2"),
        ("\"total\":3", "\"total\":4"),
        ("\"total\":3", "\"total\":-9223372036854775808"),
        ("\"rounds\":3", "\"rounds\":2"),
        ("\"rounds\":3", "\"rounds\":4"),
        ("\"rounds\":3", "\"rounds\":9007199254740993"),
        ("\"rounds\":3", "\"rounds\":18446744073709551615"),
        ("{\"Constant\":0.25}", "{\"Constant\":-0.25}"),
        ("{\"Constant\":0.25}", "{\"Doubling\":{\"first\":0.0}}"),
        (current, "\"current\":8,"),
    ] {
        assert!(text.contains(old));
        assert!(serde_json::from_str::<HedgeStumps>(&text.replace(old, new)).is_err(), "{new}");
    }
}

/// The round after the last one that is counted is refused and changes nothing; the state can be saved and
/// loaded.
#[test]
fn the_last_round_that_is_counted_can_be_saved() {
    let thresholds = Thresholds::at(vec![vec![0.5]]).unwrap();
    let fresh = json(&HedgeStumps::new(thresholds, 0.25, rng(1)).unwrap());
    let late = fresh.replace("\"rounds\":0", "\"rounds\":9007199254740990");
    assert_ne!(late, fresh);
    let mut learner: HedgeStumps = serde_json::from_str(&late).unwrap();
    let x = Row::dense(&[1.0]).unwrap();
    for _ in 0..2 {
        learner.update(x, &Label::Plus).unwrap();
        assert_eq!(json(&serde_json::from_str::<HedgeStumps>(&json(&learner)).unwrap()), json(&learner));
    }
    let before = json(&learner);
    let refused = learner.update(x, &Label::Plus);
    assert!(matches!(refused, Err(LearnerError::BadParameter { name: "rounds", .. })), "{refused:?}");
    assert_eq!((json(&learner), learner.accepts(x, &Label::Plus)), (before, refused));
}
