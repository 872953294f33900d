//! Streams of labels ±1 with a known truth, and the lies that are told about them.

use datasets::synthetic::{
    DriftingClassification, Generator, GeneratorError, StumpMajority, flip_at_random, flip_blocks,
    flip_surest, generated,
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const ROUNDS: usize = 20_000;

/// P[a mean of n numbers in {0, 1} is further than this from its expectation] < 1e−6, by Hoeffding.
fn margin(n: usize) -> f64 {
    (2e6f64.ln() / (2.0 * n as f64)).sqrt()
}

#[test]
fn a_majority_of_stumps_is_what_its_truth_says_and_continues_when_loaded() {
    for k in [1, 3, 5] {
        let mut generator = StumpMajority::new(6, k, None, 11).unwrap();
        let truth = generator.truth().to_vec();
        let columns: std::collections::HashSet<usize> = truth.iter().map(|stump| stump.column).collect();
        assert_eq!((truth.len(), columns.len()), (k, k));
        let (mut x, mut same) = (Vec::new(), Vec::new());
        for _ in 0..100 {
            generator.draw(&mut x);
        }
        let mut loaded: StumpMajority =
            serde_json::from_str(&serde_json::to_string(&generator).unwrap()).unwrap();
        let mut agreements = vec![0; k];
        for _ in 0..ROUNDS {
            let y = generator.draw(&mut x);
            assert_eq!((loaded.draw(&mut same).to_bits(), &same), (y.to_bits(), &x));
            assert!(x.iter().all(|x_j| (-1.0..1.0).contains(x_j)));
            for (count, stump) in agreements.iter_mut().zip(&truth) {
                *count += usize::from(stump.vote(&x) * y > 0.0);
            }
        }
        // With p_j = P[stump j votes +1], stump j differs from the majority where the majority of all k
        // overrules it.
        for (j, &count) in agreements.iter().enumerate() {
            let expected = agreement(&truth, j);
            assert!((count as f64 / ROUNDS as f64 - expected).abs() < margin(ROUNDS), "{k} {j} {count}");
        }
    }
}

/// P[stump j agrees with the majority], over the 2^k vote patterns.
fn agreement(truth: &[datasets::synthetic::TrueStump], j: usize) -> f64 {
    let up = |stump: &datasets::synthetic::TrueStump| {
        let above = (1.0 - stump.threshold) / 2.0;
        if stump.sign > 0.0 { above } else { 1.0 - above }
    };
    (0..1u32 << truth.len())
        .map(|votes| {
            let positive = |i: usize| votes >> i & 1 == 1;
            let probability: f64 = truth
                .iter()
                .enumerate()
                .map(|(i, s)| if positive(i) { up(s) } else { 1.0 - up(s) })
                .product();
            let majority = 2 * votes.count_ones() as usize > truth.len();
            if majority == positive(j) { probability } else { 0.0 }
        })
        .sum()
}

#[test]
fn a_truth_that_jumps_lasts_as_long_as_stated() {
    let mut generator = StumpMajority::new(20, 3, Some(50), 5).unwrap();
    let mut x = Vec::new();
    let mut truths = Vec::new();
    for _ in 0..200 {
        generator.draw(&mut x);
        truths.push(generator.truth().to_vec());
    }
    for t in 1..200 {
        assert_eq!(truths[t] != truths[t - 1], t % 50 == 0, "{t}");
    }
}

#[test]
fn a_drifting_truth_labels_by_its_sign() {
    let mut generator = DriftingClassification::new(4, 0.01, 3).unwrap();
    let mut x = Vec::new();
    let mut positive = 0;
    for _ in 0..1_000 {
        let truth = generator.truth();
        let y = generator.draw(&mut x);
        assert!(y * rows::dot(&truth, &x) >= 0.0 && y.abs() == 1.0);
        positive += usize::from(y > 0.0);
    }
    assert!((400..600).contains(&positive));
    let data = generated("drift", &mut generator, 50).unwrap();
    assert_eq!(data.targets.class_counts().unwrap().iter().sum::<usize>(), 50);
}

#[test]
fn parameters_are_checked_when_made_and_when_loaded() {
    assert!(matches!(
        StumpMajority::new(2, 3, None, 1),
        Err(GeneratorError::TooFewFeatures { least: 3, got: 2 })
    ));
    for (k, lasts) in [(0, None), (2, None), (1, Some(0))] {
        assert!(matches!(StumpMajority::new(4, k, lasts, 1), Err(GeneratorError::BadParameter { .. })));
    }
    let text = serde_json::to_string(&StumpMajority::new(4, 1, None, 1).unwrap()).unwrap();
    assert!(
        serde_json::from_str::<StumpMajority>(&text.replace("\"dimension\":4", "\"dimension\":0")).is_err()
    );
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    for bad in [-0.1, 0.51, f64::NAN] {
        assert!(flip_at_random(&[1.0], bad, rng).is_err());
        assert!(flip_surest(&[1.0], &[1.0], bad).is_err());
    }
    assert!(flip_surest(&[1.0], &[], 0.1).is_err());
    assert!(flip_surest(&[1.0], &[f64::INFINITY], 0.1).is_err());
    assert!(flip_surest(&[1.0], &[1.1e140], 0.1).is_err() && flip_surest(&[1.0], &[1e140], 0.1).is_ok());
    assert!(flip_blocks(&[1.0], 0, 0).is_err() && flip_blocks(&[1.0], 3, 2).is_err());
}

#[test]
fn the_flips_of_less_noise_are_among_those_of_more() {
    let labels: Vec<f64> = (0..ROUNDS).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let flipped = |p| -> Vec<bool> {
        let noisy = flip_at_random(&labels, p, &mut ChaCha8Rng::seed_from_u64(4)).unwrap();
        noisy.iter().zip(&labels).map(|(a, b)| a * b < 0.0).collect()
    };
    let mut before = flipped(0.0);
    assert!(before.iter().all(|&flip| !flip));
    for p in [0.1, 0.2, 0.3, 0.4] {
        let now = flipped(p);
        assert!(before.iter().zip(&now).all(|(&less, &more)| more || !less));
        let rate = now.iter().filter(|&&flip| flip).count() as f64 / ROUNDS as f64;
        assert!((rate - p).abs() < margin(ROUNDS), "{p}: {rate}");
        before = now;
    }
}

proptest! {
    #[test]
    fn the_surest_right_answers_are_turned_and_no_others(
        cells in prop::collection::vec((any::<bool>(), -3i8..=3), 0..40),
        share in 0.0..=0.5f64,
    ) {
        let labels: Vec<f64> = cells.iter().map(|c| if c.0 { 1.0 } else { -1.0 }).collect();
        let scores: Vec<f64> = cells.iter().map(|c| f64::from(c.1)).collect();
        let after = flip_surest(&labels, &scores, share).unwrap();
        let turned: Vec<usize> = (0..labels.len()).filter(|&i| after[i] != labels[i]).collect();
        let right = (0..labels.len()).filter(|&i| labels[i] * scores[i] > 0.0).count();
        let budget = (share * labels.len() as f64).floor();
        prop_assert!((turned.len() as f64 - budget.min(right as f64)).abs() < 0.5);
        for &i in &turned {
            prop_assert!(labels[i] * scores[i] > 0.0);
            for k in (0..labels.len()).filter(|k| after[*k] == labels[*k]) {
                let (sure, kept) = (labels[i] * scores[i], labels[k] * scores[k]);
                prop_assert!(sure > kept || (sure == kept && i < k));
            }
        }
    }

    #[test]
    fn blocks_turn_the_end_of_every_period(n in 0usize..100, period in 1usize..20, part in 0usize..=10) {
        let length = part.min(period / 2);
        let labels: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let after = flip_blocks(&labels, period, length).unwrap();
        for t in 0..n {
            prop_assert_eq!(after[t] != labels[t], t % period >= period - length);
        }
    }
}
