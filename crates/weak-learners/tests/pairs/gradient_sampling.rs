//! Training on examples drawn by the size of their gradients, and on some examples alone.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use std::num::NonZero;
use weak_learners::LearnerError;
use weak_learners::batch::Sample;
use weak_learners::pairs::{
    BinnedContexts, GradientSampling, HistogramPairTree, PairGrowth, PairHypothesis, PairLearner, PairNode,
    PairRound, PairTree, PairWeights, RowRestricted,
};

/// The columns of rare values, and all.
const RARE: usize = 40;
const COLUMNS: usize = 8 + RARE;
const MISSING: [usize; 2] = [0, 5 + RARE];

/// Columns of every layout: numbers, a one-hot code, many of rare values, a constant; of the first and the
/// last rare one the indicators of missing values.
fn contexts(n: usize, seed: u64) -> BinnedContexts {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Vec::new();
    for _ in 0..n {
        let code = rng.random_range(0..3);
        let one_hot = (0..3).map(|k| f64::from(u8::from(k == code)));
        let numbers = [rng.random_range(-1.0..1.0), rng.random_range(0.0..5.0_f64).floor()];
        values.extend(numbers.into_iter().chain(one_hot).chain([7.0]));
        let rare = |_| if rng.random_bool(0.1) { rng.random_range(-9.0..9.0) } else { 0.0 };
        values.extend((0..RARE).map(rare));
        for j in MISSING {
            let is_missing = rng.random_bool(0.3);
            let first = values.len() - values.len() % COLUMNS;
            values[first + j] *= f64::from(u8::from(!is_missing));
            values.push(f64::from(u8::from(is_missing)));
        }
    }
    let contexts = BinnedContexts::new(RowMatrix::dense(COLUMNS, values).unwrap()).unwrap();
    contexts.with_indicators(&[(MISSING[0], COLUMNS - 2), (MISSING[1], COLUMNS - 1)]).unwrap()
}

/// g that sums to 0 over the actions of an example, and h of every pair.
fn round(n: usize, actions: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut g: Vec<f64> = (0..n * actions).map(|_| rng.random_range(-1.0..1.0)).collect();
    for i in 0..n {
        let mean = (0..actions).map(|a| g[a * n + i]).sum::<f64>() / actions as f64;
        (0..actions).for_each(|a| g[a * n + i] -= mean);
    }
    let h = (0..n * actions).map(|_| rng.random_range(0.1..1.0)).collect();
    (g, h)
}

fn growth(depth: u32) -> PairGrowth {
    PairGrowth::builder().max_depth(depth).min_child_weight(0.5).reg_lambda(0.3).build().unwrap()
}

/// The numbers of some examples, action by action.
fn of_rows(numbers: &[f64], n: usize, rows: &[u32]) -> Vec<f64> {
    numbers.chunks_exact(n).flat_map(|column| rows.iter().map(|i| column[*i as usize])).collect()
}

/// Training on some rows finds the tree of training on all with weight 0 elsewhere; all rows are predicted.
#[test]
fn some_rows_alone_are_as_all_rows_with_weights_of_0() {
    let (n, actions) = (3000, 4);
    let contexts = contexts(n, 1);
    let (listed, bytes) = (contexts.listed_values(), contexts.bytes_a_row());
    assert!(listed > 0 && bytes > 1, "{listed} listed values, {bytes} bytes a row");
    let (g, h) = round(n, actions, 2);
    let mut sides = 0;
    for (depth, most) in [(3, None), (30, None), (30, NonZero::new(40))] {
        let growth = most.map_or(growth(depth), |most| growth(depth).with_max_leaves(most));
        let (mut part, mut whole) = (HistogramPairTree::new(growth), HistogramPairTree::new(growth));
        // The second part is larger than the first, the third smaller: memory is used again.
        for step in [3, 2, 4, 1] {
            let rows: Vec<u32> = (0_u32..3000).filter(|i| (i * 7 / 3) % step == 0).collect();
            let mut is_drawn = vec![false; n];
            rows.iter().for_each(|i| is_drawn[*i as usize] = true);
            let is_in = |k: usize| is_drawn[k % n];
            let zeroed = |v: &[f64]| -> Vec<f64> {
                v.iter().enumerate().map(|(k, v)| if is_in(k) { *v } else { 0.0 }).collect()
            };
            let (g_0, h_0) = (zeroed(&g), zeroed(&h));
            let all = PairRound::new(n, actions, &g_0, PairWeights::OfPairs(&h_0)).unwrap();
            let (g_of_rows, h_of_rows) = (of_rows(&g, n, &rows), of_rows(&h, n, &rows));
            let some = PairRound::new(rows.len(), actions, &g_of_rows, PairWeights::OfPairs(&h_of_rows));
            let (mut expected, mut found) = (vec![0.0; n * actions], vec![1.0; n * actions]);
            let tree = whole.train(&contexts, &all, &mut expected).unwrap();
            let same = part.train_on(&contexts, &rows, &some.unwrap(), &mut found).unwrap();
            assert!(tree.leaves() > 4, "{} leaves", tree.leaves());
            let is_of_missing = |node: &&PairNode| matches!(node, PairNode::ContextOrMissing { .. });
            sides += tree.nodes().iter().filter(is_of_missing).count();
            // The nodes stand in another order, which is that of the numbers of rows.
            assert_eq!(same.leaves(), tree.leaves(), "{depth} {most:?} {step}");
            let differ = found.iter().zip(&expected).filter(|(one, other)| one != other).count();
            assert_eq!(differ, 0, "{depth} {most:?} {step}");
            let mut scores = vec![0.0; actions];
            for (i, x) in contexts.matrix().iter().enumerate() {
                tree.scores(x, &mut scores).unwrap();
                assert!((0..actions).all(|a| scores[a] == found[a * n + i]), "{i}");
            }
        }
    }
    assert!(sides > 100, "{sides} splits with a side for missing values");
}

#[test]
fn rows_that_are_none_are_refused() {
    let contexts = contexts(6, 1);
    let (g, h) = round(2, 2, 2);
    let part = PairRound::new(2, 2, &g, PairWeights::OfPairs(&h)).unwrap();
    let mut learner = HistogramPairTree::new(growth(3));
    let mut on = |rows: &[u32], values: usize| {
        learner.train_on(&contexts, rows, &part, &mut vec![0.0; values]).map(|tree| tree.leaves())
    };
    for rows in [[1, 1], [3, 2], [0, 6], [5, u32::MAX]] {
        let refused = on(&rows, 12);
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "rows", .. })), "{rows:?}");
    }
    for (rows, values) in [(&[1][..], 12), (&[1, 2, 3], 12), (&[1, 2], 11), (&[1, 2], 4)] {
        assert!(matches!(on(rows, values), Err(LearnerError::LengthMismatch { .. })), "{rows:?}");
    }
    assert!(on(&[0, 5], 12).is_ok());
}

/// A learner that keeps what it was trained on.
#[derive(Debug, Clone, Default)]
struct Witness {
    rows: Vec<u32>,
    gradients: Vec<f64>,
    weights: Vec<f64>,
    on_all: usize,
}

fn constant() -> PairTree {
    PairTree::new(COLUMNS, 2, vec![PairNode::Leaf { value: 1.0 }]).unwrap()
}

impl PairLearner for Witness {
    type Contexts = BinnedContexts;
    type Hypothesis = PairTree;

    fn train(
        &mut self,
        _: &BinnedContexts,
        _: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        self.on_all += 1;
        values.fill(1.0);
        Ok(constant())
    }
}

impl RowRestricted for Witness {
    fn train_on(
        &mut self,
        _: &BinnedContexts,
        rows: &[u32],
        part: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        self.rows = rows.to_vec();
        self.gradients = part.gradients().to_vec();
        self.weights = match part.weights() {
            PairWeights::OfExamples(h) | PairWeights::OfPairs(h) => h.to_vec(),
        };
        values.fill(1.0);
        Ok(constant())
    }
}

/// Over many seeds: examples are drawn as often as their gradients say, as many as the share in all, and the
/// weighted sums are those of all examples. Large gradients are always there, with their own weight.
#[test]
fn draws_follow_the_gradients_and_sums_are_unbiased() {
    const N: usize = 500;
    const SEEDS: u64 = 600;
    let contexts = contexts(N, 1);
    // ‖g_i‖ = √2·size; a twentieth of the examples is large, one in ten has no gradient.
    let size = |i: usize| match i % 20 {
        0 => 30.0,
        1 | 11 => 0.0,
        k => 0.1 * k as f64,
    };
    let g: Vec<f64> = (0..2 * N).map(|k| if k < N { size(k) } else { -size(k - N) }).collect();
    let h: Vec<f64> = (0..2 * N).map(|k| 1.0 + (k % 3) as f64).collect();
    let round = PairRound::new(N, 2, &g, PairWeights::OfPairs(&h)).unwrap();
    let (mut times, mut drawn) = (vec![0.0_f64; N], 0.0);
    let (mut sum_g, mut sum_h) = (0.0, 0.0);
    for seed in 0..SEEDS {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let mut learner = GradientSampling::new(Witness::default(), 0.3, rng).unwrap();
        let mut values = vec![0.0; 2 * N];
        learner.train(&contexts, &round, &mut values).unwrap();
        let Witness { rows, gradients, weights, on_all } = learner.into_learner();
        assert_eq!((on_all, gradients.len(), weights.len()), (0, 2 * rows.len(), 2 * rows.len()));
        assert!(values.iter().all(|v| *v == 1.0));
        drawn += rows.len() as f64;
        for (k, i) in rows.iter().enumerate() {
            let i = *i as usize;
            times[i] += 1.0;
            // The same factor for all numbers of an example; 1 where it is certain.
            let factor = gradients[k] / g[i];
            assert!(factor >= 1.0 && (factor == 1.0 || !i.is_multiple_of(20)));
            for (found, given) in [
                (gradients[rows.len() + k], g[N + i]),
                (weights[k], h[i]),
                (weights[rows.len() + k], h[N + i]),
            ] {
                assert!((found - factor * given).abs() < 1e-12 * found.abs());
            }
        }
        sum_g += gradients[..rows.len()].iter().sum::<f64>();
        sum_h += (0..rows.len()).filter(|k| rows[*k] % 20 > 1).map(|k| weights[k]).sum::<f64>();
    }
    let seeds = SEEDS as f64;
    // Σp = 150 with variance below 150: a standard deviation of 0.5 of the mean.
    assert!((drawn / seeds - 150.0).abs() < 2.0, "{}", drawn / seeds);
    assert!((0..N).all(|i| match i % 20 {
        0 => times[i] == seeds,
        1 | 11 => times[i] == 0.0,
        _ => true,
    }));
    // In proportion to the size: 0.2 against 1.9, 25 examples each, 600 seeds.
    let of = |k: usize| (0..N).filter(|i| i % 20 == k).map(|i| times[i]).sum::<f64>();
    let ratio = of(19) / of(2);
    assert!((ratio / 9.5 - 1.0).abs() < 0.1, "{ratio}");
    let all_g: f64 = g[..N].iter().sum();
    assert!((sum_g / seeds / all_g - 1.0).abs() < 0.005, "{}", sum_g / seeds / all_g);
    // 1/p is up to 20 here: the sum of h has a standard deviation of 2% a seed.
    let all_h: f64 = (0..N).filter(|i| ![0, 1, 11].contains(&(i % 20))).map(|i| h[i]).sum();
    assert!((sum_h / seeds / all_h - 1.0).abs() < 0.02, "{}", sum_h / seeds / all_h);
}

#[test]
fn a_share_of_all_and_a_round_without_gradients() {
    let n = 600;
    let contexts = contexts(n, 3);
    let (g, h) = round(n, 2, 4);
    let sampling = |share: f64| {
        let rng = ChaCha8Rng::seed_from_u64(1);
        GradientSampling::new(HistogramPairTree::new(growth(6)), share, rng)
    };
    let given = PairRound::new(n, 2, &g, PairWeights::OfPairs(&h)).unwrap();
    let (mut plain, mut sampled) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
    let tree = HistogramPairTree::new(growth(6)).train(&contexts, &given, &mut plain).unwrap();
    assert_eq!(sampling(1.0).unwrap().train(&contexts, &given, &mut sampled).unwrap(), tree);
    assert_eq!(plain, sampled);
    // One number an example, as weights of examples.
    let given = PairRound::new(n, 2, &g, PairWeights::OfExamples(&h[..n])).unwrap();
    let tree = HistogramPairTree::new(growth(6)).train(&contexts, &given, &mut plain).unwrap();
    assert_eq!(sampling(1.0).unwrap().train(&contexts, &given, &mut sampled).unwrap(), tree);
    let zeros = vec![0.0; 2 * n];
    let nothing = PairRound::new(n, 2, &zeros, PairWeights::OfPairs(&h)).unwrap();
    sampling(0.5).unwrap().train(&contexts, &nothing, &mut sampled).unwrap();
    assert!(sampled.iter().all(|v| *v == 0.0));
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(sampling(share).is_err());
    }
}

#[test]
fn a_refused_round_draws_nothing_and_a_saved_learner_goes_on() {
    type Sampling = GradientSampling<HistogramPairTree>;
    let n = 600;
    let contexts = contexts(n, 3);
    let (g, h) = round(n, 3, 4);
    let round = PairRound::new(n, 3, &g, PairWeights::OfPairs(&h)).unwrap();
    let new =
        || Sampling::new(HistogramPairTree::new(growth(5)), 0.25, ChaCha8Rng::seed_from_u64(4)).unwrap();
    let (mut refused, mut untouched) = (new(), new());
    let too_few = refused.train(&contexts, &round, &mut vec![0.0; 3 * n - 1]);
    assert!(matches!(too_few, Err(LearnerError::LengthMismatch { argument: "values", .. })));
    let mut values = vec![0.0; 3 * n];
    let mut course = |learner: &mut Sampling| learner.train(&contexts, &round, &mut values).unwrap();
    let first = course(&mut refused);
    assert_eq!(first, course(&mut untouched));
    let text = serde_json::to_string(&refused).unwrap();
    let mut loaded: Sampling = serde_json::from_str(&text).unwrap();
    let second = course(&mut loaded);
    assert_eq!(second, course(&mut refused));
    assert_ne!(first, second);
    assert!(serde_json::from_str::<Sampling>(&text.replace("0.25", "1.25")).is_err());
    assert_eq!(contexts.size(), n);
}
