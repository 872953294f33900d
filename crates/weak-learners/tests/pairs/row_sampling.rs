//! Training on a part of the examples.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::LearnerError;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{ExactPairTree, PairGrowth, PairLearner, PairRound, PairWeights, RowSampling};

fn constant() -> ExactPairTree {
    ExactPairTree::new(
        PairGrowth::builder().max_depth(0).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
    )
}

fn sampling(share: f64, seed: u64) -> RowSampling<ExactPairTree> {
    RowSampling::new(constant(), share, ChaCha8Rng::seed_from_u64(seed)).unwrap()
}

fn contexts(n: usize) -> SortedColumns {
    SortedColumns::new(RowMatrix::dense(1, vec![0.0; n]).unwrap()).unwrap()
}

/// A constant fitted to 0 and 1 is the share of ones among those drawn: its mean over the seeds is that of
/// all, and its variance that of a sample of half of them.
#[test]
fn each_example_is_drawn_with_the_share() {
    const N: usize = 400;
    let (contexts, seeds) = (contexts(N), 400);
    // One action; h is 1, and g is 1 for every example: Σ g over those drawn is their number, which λ = N
    // makes visible.
    let learner = ExactPairTree::new(
        PairGrowth::builder().max_depth(0).min_child_weight(0.0).reg_lambda(N as f64).build().unwrap(),
    );
    let round = PairRound::new(N, 1, &[1.0; N], PairWeights::OfExamples(&[1.0; N])).unwrap();
    let mut values = [0.0; N];
    let mut drawn = 0.0;
    for seed in 0..seeds {
        let mut sampling = RowSampling::new(learner.clone(), 0.3, ChaCha8Rng::seed_from_u64(seed)).unwrap();
        sampling.train(&contexts, &round, &mut values).unwrap();
        // v = k/(k + N)
        drawn += values[0] / (1.0 - values[0]);
    }
    // 160,000 draws with probability 0.3: a standard deviation of 0.00115 of the share, and four of them.
    let share = drawn / seeds as f64;
    assert!((share - 0.3).abs() < 0.0046, "{share}");
}

#[test]
fn all_is_all_and_nothing_is_all_too() {
    let contexts = contexts(3);
    let (g, h) = ([1.0, 2.0, 0.0], [1.0, 1.0, 0.0]);
    let round = PairRound::new(3, 1, &g, PairWeights::OfPairs(&h)).unwrap();
    let (mut plain, mut sampled) = ([0.0; 3], [0.0; 3]);
    constant().train(&contexts, &round, &mut plain).unwrap();
    sampling(1.0, 1).train(&contexts, &round, &mut sampled).unwrap();
    assert_eq!(plain, sampled);
    // So small a share draws none of three.
    sampling(1e-12, 1).train(&contexts, &round, &mut sampled).unwrap();
    assert_eq!(plain, sampled);
}

/// The examples that are drawn have no gradient: the round is that of all, for of those nothing can be
/// learnt.
#[test]
fn a_part_without_a_gradient_is_all() {
    let contexts = contexts(2);
    let round = PairRound::new(2, 1, &[1.0, 0.0], PairWeights::OfExamples(&[1.0; 2])).unwrap();
    let mut values = [0.0; 2];
    let mut found = Vec::new();
    for seed in 0..40 {
        sampling(0.5, seed).train(&contexts, &round, &mut values).unwrap();
        found.push(values[0]);
    }
    // Both or neither, the second one alone: ½; the first one alone: 1.
    assert!(found.iter().all(|v| [0.5, 1.0].contains(v)) && found.contains(&1.0) && found.contains(&0.5));
}

#[test]
fn a_refused_round_draws_nothing_and_a_saved_learner_goes_on() {
    let contexts = contexts(50);
    let g: Vec<f64> = (0..50).map(f64::from).collect();
    let round = PairRound::new(50, 1, &g, PairWeights::OfExamples(&[1.0; 50])).unwrap();
    let (mut refused, mut untouched) = (sampling(0.5, 4), sampling(0.5, 4));
    let mut values = [0.0; 50];
    assert!(matches!(
        refused.train(&contexts, &round, &mut [0.0; 49]),
        Err(LearnerError::LengthMismatch { argument: "values", .. })
    ));
    let mut course = |learner: &mut RowSampling<ExactPairTree>| {
        learner.train(&contexts, &round, &mut values).unwrap();
        values[0]
    };
    assert_eq!(course(&mut refused), course(&mut untouched));
    let text = serde_json::to_string(&refused).unwrap();
    let mut loaded: RowSampling<ExactPairTree> = serde_json::from_str(&text).unwrap();
    assert_eq!(course(&mut loaded), course(&mut refused));
    assert!(serde_json::from_str::<RowSampling<ExactPairTree>>(&text.replace("0.5", "1.5")).is_err());
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(RowSampling::new(constant(), share, ChaCha8Rng::seed_from_u64(1)).is_err());
    }
}
