//! After the first round, a round of an online classifier allocates nothing, on dense and on sparse rows; a
//! tree does where it grows. A stump on bins likewise.

#![allow(clippy::unwrap_used, reason = "a refusal that is not expected fails the test")]

#[path = "../../rows/tests/counting/mod.rs"]
mod counting;

use oco_core::StepSchedule;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::batch::{BinnedColumns, BinnedStump, BinnedTree, LeafAnswer, Stump, WeakLearner};
use weak_learners::online::{
    BalancedWinnow, GrownStumps, Growth, HedgeStumps, HoeffdingTree, LogisticRegression, NaiveBayes,
    Perceptron, SyntheticWeakLearner, Thresholds, Winnow,
};
use weak_learners::pairs::{
    BinnedContexts, ColumnRestricted, ColumnSampling, HistogramPairTree, PairGrowth, PairHypothesis,
    PairLearner, PairRound, PairWeights,
};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor};

const ROUNDS: usize = 400;
const INPUTS: usize = 12;

fn wave(count: usize) -> Vec<f64> {
    (0..count).map(|k| (1.7 * k as f64).sin()).collect()
}

/// Dense rows, and sparse ones with 1, 2 or 3 stored values, the first with 1.
fn rows() -> [RowMatrix; 2] {
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for (t, stored) in (0_u32..).zip([1, 2, 3].into_iter().cycle().take(ROUNDS)) {
        indices.extend_from_slice(&[t % 4, 4 + t % 3, 7 + t % 5][..stored]);
        offsets.push(indices.len());
    }
    let values = wave(indices.len());
    let sparse = RowMatrix::sparse(INPUTS, offsets, indices, values).unwrap();
    [RowMatrix::dense(INPUTS, wave(ROUNDS * INPUTS)).unwrap(), sparse]
}

/// The allocations of all rounds but the first.
fn allocations<P: OnlinePredictor<Label> + Clone>(learner: &P, rows: &RowMatrix) -> usize {
    let mut learner = learner.clone();
    let mut before = 0;
    for (t, x) in rows.iter().enumerate() {
        let y = if t % 3 == 0 { Label::Minus } else { Label::Plus };
        learner.round(x, y).unwrap();
        if t == 0 {
            before = counting::allocations();
        }
    }
    counting::allocations() - before
}

#[test]
fn a_round_allocates_nothing() {
    let steps = StepSchedule::power(0.5, 0.5).unwrap();
    // It looks for splits and never finds a certain one.
    let thresholds = Thresholds::at(vec![vec![-0.5, 0.0, 0.5]; INPUTS]).unwrap();
    let unsure = Growth { tie: 0.0, grace: 1, ..Growth::default() };
    for rows in &rows() {
        assert_eq!(allocations(&Perceptron::new(INPUTS).unwrap(), rows), 0);
        assert_eq!(allocations(&Winnow::new(INPUTS, 0.3).unwrap(), rows), 0);
        assert_eq!(allocations(&BalancedWinnow::new(INPUTS, 0.3).unwrap(), rows), 0);
        assert_eq!(allocations(&LogisticRegression::new(INPUTS, steps, 0.5).unwrap(), rows), 0);
        assert_eq!(allocations(&NaiveBayes::new(INPUTS).unwrap(), rows), 0);
        assert_eq!(allocations(&HoeffdingTree::new(thresholds.clone(), unsure).unwrap(), rows), 0);
        // Each of three splits makes two leaves and may move the nodes.
        let eager = Growth { delta: 0.9, tie: 1.0, grace: 5, max_leaves: 4, ..unsure };
        let grown = allocations(&HoeffdingTree::new(thresholds.clone(), eager).unwrap(), rows);
        assert!((3..=9).contains(&grown), "{grown}");
    }
}

#[test]
fn a_round_over_stumps_allocates_nothing_unless_they_grow() {
    let rng = ChaCha8Rng::seed_from_u64(1);
    let thresholds = Thresholds::at(vec![vec![-0.5, 0.0, 0.5]; INPUTS]).unwrap();
    let expert = Stump::new(INPUTS, 1, 0.5, Label::Plus).unwrap();
    for rows in &rows() {
        assert_eq!(allocations(&SyntheticWeakLearner::new(expert, 0.3, rng.clone()).unwrap(), rows), 0);
        assert_eq!(allocations(&HedgeStumps::new(thresholds.clone(), 2.0, rng.clone()).unwrap(), rows), 0);
        assert_eq!(allocations(&HedgeStumps::anytime(thresholds.clone(), rng.clone()), rows), 0);
        let mut grown = GrownStumps::new(INPUTS, 6, 2.0, rng.clone()).unwrap();
        assert!(allocations(&grown, rows) > 0);
        // Now every feature is full.
        rows.iter().for_each(|x| grown.update(x, &Label::Plus).unwrap());
        assert_eq!(allocations(&grown, rows), 0);
    }
}

/// Every weight is positive in the first training, and ever fewer are later.
#[test]
fn the_stump_on_bins_allocates_in_its_first_training_only() {
    let sample = BinnedColumns::new(rows()[0].clone()).unwrap();
    let mut learner = BinnedStump::default();
    let (targets, mut weights, mut votes) = (wave(ROUNDS), vec![1.0; ROUNDS], vec![0.0; ROUNDS]);
    let mut before = 0;
    for t in 0..6 {
        let stump = learner.train(&sample, &targets, &weights).unwrap();
        learner.evaluate(&stump, &sample, &mut votes).unwrap();
        weights[t * ROUNDS / 8..][..ROUNDS / 4].fill(0.0);
        if t == 0 {
            before = counting::allocations();
        }
    }
    assert_eq!(counting::allocations() - before, 0);
}

/// Up to fifteen nodes, room for which doubles from four on, and their copy in terms of bins.
#[test]
fn a_tree_on_bins_allocates_its_nodes_only() {
    let sample = BinnedColumns::new(rows()[0].clone()).unwrap();
    let mut learner = BinnedTree::new(3, LeafAnswer::Mean, 0.0).unwrap();
    let (targets, mut weights, mut votes) = (wave(ROUNDS), vec![1.0; ROUNDS], vec![0.0; ROUNDS]);
    for t in 0..6 {
        let before = counting::allocations();
        let tree = learner.train(&sample, &targets, &weights).unwrap();
        let grown = counting::allocations() - before;
        learner.evaluate(&tree, &sample, &mut votes).unwrap();
        assert!(t == 0 || grown <= 4, "{grown} allocations in training {t}");
        assert!(tree.leaves() > 4, "{} leaves", tree.leaves());
        assert_eq!(counting::allocations() - before - grown, 1);
        weights[t * ROUNDS / 8..][..ROUNDS / 4].fill(0.0);
    }
}

/// Its nodes, which may need more room than those before, their parents and entrances when they are checked,
/// and the actions of the root.
#[test]
fn a_tree_over_pairs_allocates_its_nodes_only() {
    const ACTIONS: usize = 2;
    let contexts = BinnedContexts::new(rows()[0].clone()).unwrap();
    let mut learner = HistogramPairTree::new(
        PairGrowth::builder().max_depth(6).min_child_weight(5.0).reg_lambda(0.0).build().unwrap(),
    );
    let (mut g, h, mut values) = (wave(ROUNDS * ACTIONS), vec![1.0; ROUNDS], vec![0.0; ROUNDS * ACTIONS]);
    for i in 0..ROUNDS {
        g[i] = -g[ROUNDS + i];
    }
    for t in 0..6 {
        let round = PairRound::new(ROUNDS, ACTIONS, &g, PairWeights::OfExamples(&h)).unwrap();
        let before = counting::allocations();
        let tree = learner.train(&contexts, &round, &mut values).unwrap();
        let grown = counting::allocations() - before;
        assert!(t == 0 || grown <= 6, "{grown} allocations in training {t}");
        assert!(tree.leaves() > 10, "{} leaves", tree.leaves());
        g.iter_mut().zip(&values).for_each(|(g, v)| *g -= 0.1 * v);
    }
}

/// Answers 0, whatever its columns.
struct Zeros;

struct Zero;

impl PairHypothesis for Zero {
    fn inputs(&self) -> usize {
        INPUTS
    }

    fn actions(&self) -> usize {
        1
    }

    fn scores(&self, _: rows::Row<'_>, scores: &mut [f64]) -> Result<(), LearnerError> {
        scores.fill(0.0);
        Ok(())
    }
}

impl PairLearner for Zeros {
    type Contexts = BinnedContexts;
    type Hypothesis = Zero;

    fn train(
        &mut self,
        contexts: &BinnedContexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Zero, LearnerError> {
        let columns: [bool; INPUTS] = std::array::from_fn(|j| j < 5);
        self.train_among(contexts, round, &columns, values)
    }
}

impl ColumnRestricted for Zeros {
    fn train_among(
        &mut self,
        _: &BinnedContexts,
        _: &PairRound<'_>,
        columns: &[bool],
        values: &mut [f64],
    ) -> Result<Zero, LearnerError> {
        // ⌈0.4·12⌉.
        assert_eq!(columns.iter().filter(|column| **column).count(), 5);
        values.fill(0.0);
        Ok(Zero)
    }
}

#[test]
fn drawing_columns_allocates_in_the_first_round_only() {
    let contexts = BinnedContexts::new(rows()[0].clone()).unwrap();
    let (g, h, mut values) = (wave(ROUNDS), vec![1.0; ROUNDS], vec![1.0; ROUNDS]);
    let round = PairRound::new(ROUNDS, 1, &g, PairWeights::OfExamples(&h)).unwrap();
    let mut learner = ColumnSampling::new(Zeros, 0.4, ChaCha8Rng::seed_from_u64(1)).unwrap();
    learner.train(&contexts, &round, &mut values).unwrap();
    let before = counting::allocations();
    for _ in 0..20 {
        assert_eq!(learner.train(&contexts, &round, &mut values).unwrap().inputs(), INPUTS);
    }
    assert_eq!(counting::allocations() - before, 0);
}
