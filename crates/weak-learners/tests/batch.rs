//! Batch learners: the stump against all stumps, the tree against its definition, the draws against their
//! distribution, and the refusals of all of them.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

use proptest::prelude::*;
use proptest::sample::select;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::batch::{
    BinnedColumns, BinnedStump, BinnedTree, ExactStump, Hypothesis, LeafAnswer, Sample, Sampled,
    SortedColumns, Stump, Tree, WeakLearner, WeightedTree,
};
use weak_learners::{Label, LearnerError};

/// Rows, targets and weights.
#[derive(Debug, Clone)]
struct Examples {
    inputs: usize,
    rows: Vec<Vec<f64>>,
    targets: Vec<f64>,
    weights: Vec<f64>,
}

impl Examples {
    fn dense(&self) -> SortedColumns {
        SortedColumns::new(RowMatrix::dense(self.inputs, self.rows.concat()).unwrap()).unwrap()
    }

    fn sparse(&self) -> SortedColumns {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            for (j, value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                indices.push(j);
                values.push(*value);
            }
            offsets.push(values.len());
        }
        SortedColumns::new(RowMatrix::sparse(self.inputs, offsets, indices, values).unwrap()).unwrap()
    }

    /// The examples of positive weight.
    fn present(&self) -> Self {
        let keep = |i: &usize| self.weights[*i] > 0.0;
        let kept: Vec<usize> = (0..self.weights.len()).filter(keep).collect();
        Self {
            inputs: self.inputs,
            rows: kept.iter().map(|&i| self.rows[i].clone()).collect(),
            targets: kept.iter().map(|&i| self.targets[i]).collect(),
            weights: kept.iter().map(|&i| self.weights[i]).collect(),
        }
    }

    /// Σ w_i a_i h(x_i), term by term.
    fn edge(&self, h: &impl Hypothesis) -> f64 {
        let sample = self.dense();
        let mut edge = 0.0;
        let mut visit = |i: usize, x: rows::Row<'_>| {
            edge += self.weights[i] * self.targets[i] * h.predict(x)?;
            Ok(())
        };
        sample.try_for_each(&mut visit).unwrap();
        edge
    }

    /// Both constants, then every stump, in the order of the ties.
    fn all_stumps(&self) -> Vec<Stump> {
        let mut stumps: Vec<Stump> =
            [Label::Plus, Label::Minus].map(|s| Stump::constant(self.inputs, s).unwrap()).into();
        for j in 0..self.inputs {
            let weighs = |i: &usize| self.weights[*i] * self.targets[*i] != 0.0;
            let mut values: Vec<f64> = (0..self.rows.len()).filter(weighs).map(|i| self.rows[i][j]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for pair in values.windows(2) {
                let threshold = f64::midpoint(pair[0], pair[1]);
                let threshold = if threshold > pair[0] { threshold } else { pair[1] };
                for s in [Label::Plus, Label::Minus] {
                    stumps.push(Stump::new(self.inputs, j, threshold, s).unwrap());
                }
            }
        }
        stumps
    }

    fn train<W: WeakLearner<Sample = SortedColumns>>(&self, mut learner: W) -> W::Hypothesis {
        learner.train(&self.dense(), &self.targets, &self.weights).unwrap()
    }
}

/// Sums of these products are exact, so that ties are ties.
fn examples(values: &'static [f64], weights: &'static [f64]) -> impl Strategy<Value = Examples> {
    (1_usize..4, 1_usize..10).prop_flat_map(move |(inputs, m)| {
        let row = prop::collection::vec(select(values), inputs);
        let target = select(&[-1.0, -0.5, 0.0, 0.25, 1.0, 1.0, -1.0][..]);
        let columns = (
            prop::collection::vec(row, m),
            prop::collection::vec(target, m),
            prop::collection::vec(select(weights), m),
        );
        let made =
            columns.prop_map(move |(rows, targets, weights)| Examples { inputs, rows, targets, weights });
        made.prop_filter("some weight", |examples| examples.weights.iter().any(|w| *w > 0.0))
    })
}

const ADJACENT: f64 = 1.0 + f64::EPSILON;
const VALUES: &[f64] = &[0.0, -0.0, 0.0, 1.0, ADJACENT, 2.0, -1.0, -1e139, 1e139, 1e140, -1e140, 5e-324];
const WEIGHTS: &[f64] = &[0.0, 0.25, 1.0, 1.0, 3.0];

proptest! {
    #[test]
    fn the_stump_is_the_best_of_all_stumps_with_ties_in_the_stated_order(
        examples in examples(VALUES, WEIGHTS),
        // Sums of the largest overflow, the smallest are subnormal.
        half_shift in select(&[0, 220, -530][..]),
    ) {
        let (mut best, mut edge) = (None, f64::NEG_INFINITY);
        for stump in examples.all_stumps() {
            if examples.edge(&stump) > edge {
                (best, edge) = (Some(stump), examples.edge(&stump));
            }
        }
        let best = best.unwrap();
        prop_assert_eq!(examples.train(ExactStump::default()), best);
        let mut learner = ExactStump::default();
        let sparse = learner.train(&examples.sparse(), &examples.targets, &examples.weights).unwrap();
        prop_assert_eq!(sparse, best, "sparse");
        prop_assert_eq!(examples.present().train(ExactStump::default()), best, "weight 0 is absent");
        let scaled: Vec<f64> = examples.weights.iter().map(|w| w * 2_f64.powi(half_shift) * 2_f64.powi(half_shift)).collect();
        prop_assert_eq!(learner.train(&examples.dense(), &examples.targets, &scaled).unwrap(), best, "scaled");
    }

    #[test]
    fn its_votes_on_a_sorted_sample_are_those_row_by_row(examples in examples(VALUES, WEIGHTS)) {
        let (dense, sparse) = (examples.dense(), examples.sparse());
        for stump in examples.all_stumps() {
            let expected: Vec<f64> = dense.matrix().iter().map(|x| stump.predict(x).unwrap()).collect();
            let mut votes = vec![0.0; dense.size()];
            for sample in [&dense, &sparse] {
                ExactStump::default().evaluate(&stump, sample, &mut votes).unwrap();
                prop_assert_eq!(&votes, &expected);
            }
        }
    }

    /// The squared error of the tree of depth 1 is the least over all splits, and its leaves are weighted
    /// means.
    #[test]
    fn a_tree_of_depth_1_has_the_least_squared_error(examples in examples(&[0.0, 1.0, 2.0, -3.0], WEIGHTS)) {
        let examples = examples.present();
        let total = |values: &mut dyn Iterator<Item = (f64, f64)>| {
            values.fold((0.0, 0.0), |(sum, mass), (a, w)| (sum + w * a, mass + w))
        };
        let mean = |part: &[usize]| {
            let (sum, mass) = total(&mut part.iter().map(|&i| (examples.targets[i], examples.weights[i])));
            sum / mass
        };
        let error_of = |part: &[usize]| {
            let mean = if part.is_empty() { 0.0 } else { mean(part) };
            part.iter().map(|&i| examples.weights[i] * (examples.targets[i] - mean).powi(2)).sum::<f64>()
        };
        let everything: Vec<usize> = (0..examples.rows.len()).collect();
        let mut least = error_of(&everything);
        for j in 0..examples.inputs {
            for threshold in [-1.0, 0.5, 1.5] {
                let (low, high): (Vec<_>, Vec<_>) =
                    everything.iter().partition(|&&i| examples.rows[i][j] <= threshold);
                least = least.min(error_of(&low) + error_of(&high));
            }
        }
        let learner = WeightedTree::new(1, LeafAnswer::Mean, 3).unwrap();
        let tree = examples.train(learner);
        let mut error = 0.0;
        for (i, x) in examples.dense().matrix().iter().enumerate() {
            error += examples.weights[i] * (examples.targets[i] - tree.predict(x).unwrap()).powi(2);
        }
        prop_assert!((error - least).abs() < 1e-9, "{error}, least {least}");
    }

    #[test]
    fn a_tree_leaves_out_weight_0_and_knows_neither_scale_nor_layout(
        examples in examples(VALUES, WEIGHTS),
        depth in 0_u16..4,
    ) {
        let learner = WeightedTree::new(depth, LeafAnswer::Sign, 11).unwrap();
        let tree = examples.train(learner.clone());
        prop_assert!(tree.leaves() <= 1 << depth);
        prop_assert_eq!(&examples.present().train(learner.clone()), &tree);
        for factor in [2_f64.powi(440), 2_f64.powi(-1000)] {
            let scaled: Vec<f64> = examples.weights.iter().map(|w| w * factor).collect();
            let again = learner.clone().train(&examples.sparse(), &examples.targets, &scaled).unwrap();
            prop_assert_eq!(&again, &tree);
        }
        let text = serde_json::to_string(&tree).unwrap();
        prop_assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
    }
}

/// Weights that are no dyadic numbers: the edge is the best to the last bits.
#[test]
fn the_edge_of_the_stump_is_the_best_edge_with_any_weights() {
    let m = 200;
    let wave = |i: usize, k: f64| ((i * i) as f64 * k).sin();
    let examples = Examples {
        inputs: 3,
        rows: (0..m).map(|i| [0.1, 0.77, 1.3].map(|k| (4.0 * wave(i, k)).round()).to_vec()).collect(),
        targets: (0..m).map(|i| wave(i, 0.31)).collect(),
        weights: (0..m).map(|i| wave(i, 0.53).abs()).collect(),
    };
    let best = examples.all_stumps().iter().map(|stump| examples.edge(stump)).fold(0.0, f64::max);
    let found = examples.edge(&examples.train(ExactStump::default()));
    assert!((found - best).abs() < 1e-12 && best > 1.0, "{found}, best {best}");
}

/// Weights that vanish in a sum with the largest one: the stump that is right on all three examples is the
/// best.
#[test]
fn a_light_example_counts_beside_a_heavy_one() {
    let light = [1e-6, 1e-17, 1e-25];
    for (epsilon, unit) in
        light.into_iter().flat_map(|epsilon| [1.0, 1e130, 1e-280].map(|unit| (epsilon, unit)))
    {
        let examples = Examples {
            inputs: 1,
            rows: vec![vec![3.0], vec![1.0], vec![2.0]],
            targets: vec![1.0, -1.0, -1.0],
            weights: vec![unit, epsilon * unit, epsilon * unit],
        };
        let right = Stump::new(1, 0, 2.5, Label::Plus).unwrap();
        assert_eq!(examples.train(ExactStump::default()), right, "{epsilon} of {unit}");
    }
}

/// Weights that no double sums without an error: the order of the rows and the sign of a column do not decide
/// a tie.
#[test]
fn ties_are_ties_with_any_weights() {
    for seed in 0..200 {
        let wave = |i: usize, k: f64| ((i * i + 31 * seed + 1) as f64 * k).sin();
        let x = |i: usize| (4.0 * wave(i, 0.77)).round();
        let examples = Examples {
            inputs: 3,
            // The second column is the first one's mirror image, the third one the first.
            rows: (0..40).map(|i| vec![x(i), -x(i), x(i)]).collect(),
            targets: (0..40).map(|i| wave(i, 0.31)).collect(),
            weights: (0..40).map(|i| wave(i, 0.53).abs()).collect(),
        };
        let stump = examples.train(ExactStump::default());
        assert!(stump.split().is_none_or(|(feature, _)| feature == 0), "seed {seed}: {stump:?}");
        let turned = |values: &[f64]| values.iter().rev().copied().collect::<Vec<f64>>();
        let backwards = Examples {
            inputs: 3,
            rows: examples.rows.iter().rev().cloned().collect(),
            targets: turned(&examples.targets),
            weights: turned(&examples.weights),
        };
        assert_eq!(backwards.train(ExactStump::default()), stump, "seed {seed}");
    }
}

/// A learner that records its input.
#[derive(Debug, Clone, PartialEq)]
struct Shown(Vec<f64>, Vec<f64>);

impl WeakLearner for Shown {
    type Sample = SortedColumns;
    type Hypothesis = Stump;

    fn train(&mut self, _: &SortedColumns, targets: &[f64], weights: &[f64]) -> Result<Stump, LearnerError> {
        if targets[0] == 1.0 {
            return Err(LearnerError::ZeroWeights);
        }
        *self = Self(targets.to_vec(), weights.to_vec());
        Stump::constant(1, Label::Plus)
    }
}

fn four() -> SortedColumns {
    SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0, 4.0]).unwrap()).unwrap()
}

/// Frequencies of 100,000 draws; Hoeffding: an error above 0.01 has probability below 2e^(−20) for each.
#[test]
fn draws_have_the_probabilities_and_the_mean_labels() {
    let (draws, targets, weights) = (100_000, [-1.0, 0.5, 0.0, 1.0], [1e139, 0.0, 1.5e139, 0.5e139]);
    let rng = ChaCha8Rng::seed_from_u64(3);
    let mut sampled = Sampled::new(Shown(vec![], vec![]), draws, rng).unwrap();
    sampled.train(&four(), &targets, &weights).unwrap();
    let Shown(means, counts) = sampled.learner();
    assert_eq!(counts.iter().sum::<f64>(), draws as f64);
    for (count, probability) in counts.iter().zip([1.0 / 3.0, 0.0, 0.5, 1.0 / 6.0]) {
        assert!((count / draws as f64 - probability).abs() < 0.01, "{counts:?}");
    }
    assert_eq!((counts[1], means[0], means[3]), (0.0, -1.0, 1.0));
    assert!(means[2].abs() < 0.02, "a label of mean 0, over {} draws: {}", counts[2], means[2]);
    sampled.train(&four(), &targets, &[0.0, 1.0, 0.0, 0.0]).unwrap();
    let Shown(means, _) = sampled.learner();
    assert!((means[1] - 0.5).abs() < 0.02, "a label of mean ½: {means:?}");
}

#[test]
fn a_refused_training_draws_nothing_and_a_saved_learner_draws_on() {
    let rng = ChaCha8Rng::seed_from_u64(3);
    let mut sampled = Sampled::new(Shown(vec![], vec![]), 20, rng).unwrap();
    let draw = |sampled: &mut Sampled<Shown>| {
        sampled.train(&four(), &[0.0; 4], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        sampled.learner().clone()
    };
    draw(&mut sampled);
    let mut twin = sampled.clone();
    assert_eq!(sampled.train(&four(), &[2.0; 4], &[1.0; 4]), bad_label(2.0));
    let of_the_inner_learner = sampled.train(&four(), &[1.0; 4], &[1.0, 0.0, 0.0, 0.0]);
    assert_eq!(of_the_inner_learner, Err(LearnerError::ZeroWeights));
    assert_eq!(draw(&mut sampled), draw(&mut twin));

    let mut learner = Sampled::new(ExactStump::default(), 20, ChaCha8Rng::seed_from_u64(5)).unwrap();
    let text = serde_json::to_string(&learner).unwrap();
    let mut loaded: Sampled<ExactStump> = serde_json::from_str(&text).unwrap();
    for _ in 0..20 {
        let train = |learner: &mut Sampled<ExactStump>| learner.train(&four(), &[0.0; 4], &[1.0; 4]).unwrap();
        assert_eq!(train(&mut learner), train(&mut loaded));
    }
    assert!(serde_json::from_str::<Sampled<ExactStump>>(&text.replace(":20,", ":0,")).is_err());
}

fn bad_label<T>(value: f64) -> Result<T, LearnerError> {
    Err(LearnerError::BadLabel { argument: "target", value })
}

fn refuses<W: WeakLearner>(mut learner: W, sample: impl Fn(RowMatrix) -> Result<W::Sample, LearnerError>) {
    let four = sample(four().matrix().clone()).unwrap();
    let mut train = |targets: &[f64], weights: &[f64]| learner.train(&four, targets, weights).err().unwrap();
    let (targets, weights) = ([1.0, -1.0, 0.5, 0.0], [1.0; 4]);
    let length = |argument| LearnerError::LengthMismatch { argument, expected: 4, got: 3 };
    assert_eq!(train(&targets[..3], &weights), length("targets"));
    assert_eq!(train(&targets, &weights[..3]), length("weights"));
    for value in [1.5, -1.0 - f64::EPSILON] {
        assert_eq!(train(&[0.0, value, 0.0, 0.0], &weights), bad_label::<()>(value).unwrap_err());
    }
    assert_eq!(
        train(&targets, &[1.0, 1.0, -0.5, 1.0]),
        LearnerError::NegativeWeight { index: 2, value: -0.5 }
    );
    assert_eq!(train(&targets, &[0.0; 4]), LearnerError::ZeroWeights);
    for bad in [f64::NAN, f64::INFINITY] {
        let values = [0.0, bad, 0.0, 0.0];
        assert!(matches!(
            train(&values, &weights),
            LearnerError::NotFinite { argument: "targets", index: 1, .. }
        ));
        assert!(matches!(
            train(&targets, &values),
            LearnerError::NotFinite { argument: "weights", index: 1, .. }
        ));
    }
    let h = learner.train(&four, &targets, &weights).unwrap();
    let short = learner.evaluate(&h, &four, &mut [0.0; 3]);
    assert_eq!(short, Err(LearnerError::LengthMismatch { argument: "votes", expected: 4, got: 3 }));
    let wide = sample(RowMatrix::dense(2, vec![1.0, 2.0]).unwrap()).unwrap();
    let other = learner.evaluate(&h, &wide, &mut [0.0]);
    assert_eq!(other, Err(LearnerError::InputDimension { expected: 1, got: 2 }));
}

#[test]
fn every_learner_refuses_what_the_contract_names() {
    let rng = || ChaCha8Rng::seed_from_u64(1);
    refuses(ExactStump::default(), SortedColumns::new);
    refuses(BinnedStump::default(), BinnedColumns::new);
    refuses(BinnedTree::new(2, LeafAnswer::Sign, 0.0).unwrap(), BinnedColumns::new);
    refuses(WeightedTree::new(2, LeafAnswer::Sign, 1).unwrap(), SortedColumns::new);
    refuses(Sampled::new(ExactStump::default(), 5, rng()).unwrap(), SortedColumns::new);
    let parameter = |error: LearnerError| matches!(error, LearnerError::BadParameter { .. });
    assert!(parameter(Sampled::new(ExactStump::default(), 0, rng()).unwrap_err()));
    assert!(parameter(WeightedTree::new(u16::MAX, LeafAnswer::Sign, 1).unwrap_err()));
}
