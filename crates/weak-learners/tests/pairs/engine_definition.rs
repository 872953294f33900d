//! The tree by its definition, on pairs whose sums are whole numbers: fractions are compared exactly.

use proptest::prelude::*;
use proptest::sample::select;
use rand::seq::IndexedRandom;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::pairs::{
    BinnedContexts, HistogramPairTree, PairGrowth, PairHypothesis, PairLearner, PairNode, PairRound,
    PairTree, PairWeights,
};

/// A tree to be compared, whatever the order of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Nested {
    Leaf(f64),
    /// Feature, threshold, the side of missing values if it is not that of 0, x_j < θ, the rest.
    Context(u32, f64, Option<bool>, Box<Nested>, Box<Nested>),
    /// Action, the others, this one.
    Action(u32, Box<Nested>, Box<Nested>),
}

impl Nested {
    pub(crate) fn of(tree: &PairTree) -> Self {
        Self::node(tree.nodes(), 0)
    }

    fn node(nodes: &[PairNode], i: u32) -> Self {
        let child = |i| Box::new(Self::node(nodes, i));
        match nodes[i as usize] {
            PairNode::Leaf { value } => Self::Leaf(value),
            PairNode::Context { feature, threshold, below, rest } => {
                Self::Context(feature, threshold, None, child(below), child(rest))
            }
            PairNode::ContextOrMissing { feature, threshold, missing_below, below, rest, .. } => {
                Self::Context(feature, threshold, Some(missing_below), child(below), child(rest))
            }
            PairNode::Action { action, others, this } => Self::Action(action, child(others), child(this)),
        }
    }
}

/// Contexts and pairs with small whole g and h.
#[derive(Debug, Clone)]
pub(crate) struct Pairs {
    pub(crate) rows: Vec<Vec<f64>>,
    /// The columns of values that may be missing, each with its indicator.
    pub(crate) indicators: Vec<(usize, usize)>,
    pub(crate) actions: usize,
    /// Pair (i, a) at a·n + i; 0 where h is 0.
    pub(crate) g: Vec<i32>,
    pub(crate) h: Vec<i32>,
}

type Pair = (usize, usize);

impl Pairs {
    pub(crate) fn inputs(&self) -> usize {
        self.rows[0].len()
    }

    pub(crate) fn dense(&self) -> RowMatrix {
        RowMatrix::dense(self.inputs(), self.rows.concat()).unwrap()
    }

    pub(crate) fn sparse(&self) -> RowMatrix {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            for (j, value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                indices.push(j);
                values.push(*value);
            }
            offsets.push(values.len());
        }
        RowMatrix::sparse(self.inputs(), offsets, indices, values).unwrap()
    }

    fn sums(&self, part: &[Pair]) -> (i128, i128) {
        let at = |i, a| a * self.rows.len() + i;
        part.iter().fold((0, 0), |(g, h), &(i, a)| {
            (g + i128::from(self.g[at(i, a)]), h + i128::from(self.h[at(i, a)]))
        })
    }

    /// The tree by its definition: the split of largest G_L²/(H_L+λ) + G_R²/(H_R+λ), if that is above
    /// G²/(H+λ).
    fn tree(
        &self,
        contexts: &BinnedContexts,
        part: &[Pair],
        depth: u32,
        least: i128,
        lambda: i128,
    ) -> Nested {
        let (g, h) = self.sums(part);
        let leaf = Nested::Leaf(if g == 0 { 0.0 } else { g as f64 / (h + lambda) as f64 });
        if depth == 0 {
            return leaf;
        }
        let mut best: Option<((i128, i128), Question)> = None;
        let mut consider = |question: Question| {
            let (left, right): (Vec<Pair>, Vec<Pair>) =
                part.iter().partition(|&&(i, a)| question.is_left(&self.rows[i], a));
            let ((g_l, h_l), (g_r, h_r)) = (self.sums(&left), self.sums(&right));
            if h_l.min(h_r) < least.max(1) {
                return;
            }
            let (a, b) = (h_l + lambda, h_r + lambda);
            // What the sides have above G²/(H+λ), as a fraction.
            let (above, below) = ((g_l * g_l * b + g_r * g_r * a) * (h + lambda) - g * g * a * b, a * b);
            if above > 0 && best.is_none_or(|((x, y), _)| above * y > x * below) {
                best = Some(((above, below), question));
            }
        };
        for j in 0..self.inputs() {
            contexts.cuts(j).iter().for_each(|&cut| consider(Question::Context(j, cut)));
        }
        let mut indicators = self.indicators.clone();
        indicators.sort_unstable();
        for (j, k) in indicators {
            contexts.cuts(j).iter().for_each(|&cut| consider(Question::Moved(j, cut, k)));
        }
        (0..self.actions).for_each(|a| consider(Question::Action(a)));
        let Some((_, question)) = best else { return leaf };
        let (left, right): (Vec<Pair>, Vec<Pair>) =
            part.iter().partition(|&&(i, a)| question.is_left(&self.rows[i], a));
        let [left, right] =
            [left, right].map(|p| Box::new(self.tree(contexts, &p, depth - 1, least, lambda)));
        match question {
            Question::Context(j, cut) => Nested::Context(u32::try_from(j).unwrap(), cut, None, left, right),
            Question::Moved(j, cut, _) => {
                let side = Some(0.0 >= cut);
                Nested::Context(u32::try_from(j).unwrap(), cut, side, left, right)
            }
            Question::Action(a) => Nested::Action(u32::try_from(a).unwrap(), left, right),
        }
    }
}

#[derive(Clone, Copy)]
enum Question {
    Context(usize, f64),
    /// Column, cut and indicator: missing values are on the other side than 0.
    Moved(usize, f64, usize),
    Action(usize),
}

impl Question {
    fn is_left(self, x: &[f64], a: usize) -> bool {
        match self {
            Self::Context(j, cut) => x[j] < cut,
            Self::Moved(j, cut, k) => {
                if x[k] == 1.0 {
                    0.0 >= cut
                } else {
                    x[j] < cut
                }
            }
            Self::Action(action) => a != action,
        }
    }
}

/// Rows that are dense, one-hot and sparse in parts, and constant in one column.
fn rows(m: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    let number = || select(&[0.0, -0.0, 1.0, 2.5, 3.0, -1.0, 1e140][..]);
    let rare = || select(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -2.0][..]);
    let widths = (0_usize..3, 0_usize..5, select(&[0_usize, 2, 30][..]));
    widths.prop_flat_map(move |(numbers, categories, rares)| {
        let row =
            (prop::collection::vec(number(), numbers), 0..=categories, prop::collection::vec(rare(), rares));
        let row = row.prop_map(move |(mut row, category, rares)| {
            row.push(7.0);
            row.extend((0..categories).map(|k| f64::from(u8::from(k == category))));
            row.extend(rares);
            row
        });
        prop::collection::vec(row, m)
    })
}

fn pairs() -> impl Strategy<Value = (Pairs, bool)> {
    (1_usize..40, 1_usize..5, any::<bool>(), any::<bool>()).prop_flat_map(
        |(m, actions, of_pairs, balanced)| {
            let g = prop::collection::vec(select(&[-3, -1, 0, 0, 1, 2][..]), m * actions);
            let h = prop::collection::vec(select(&[0, 1, 1, 2, 5][..]), m * actions);
            let made = (rows(m), g, h).prop_map(move |(rows, mut g, mut h)| {
                if !of_pairs {
                    (0..m * actions).for_each(|k| h[k] = h[k % m]);
                }
                if balanced && !of_pairs && actions > 1 {
                    // Σ_a g = 0, as in boosting.
                    (0..m).for_each(|i| g[i] = -(1..actions).map(|a| g[a * m + i]).sum::<i32>());
                }
                (0..m * actions).filter(|k| h[*k] == 0).for_each(|k| g[k] = 0);
                (Pairs { rows, indicators: Vec::new(), actions, g, h }, of_pairs)
            });
            made.prop_filter("some weight", |(pairs, _)| pairs.h.iter().any(|h| *h > 0))
        },
    )
}

/// The same where values of some columns are missing: some of them, none, or all. Indicators stand in front
/// of the columns, or at the end.
fn pairs_with_missing() -> impl Strategy<Value = (Pairs, bool)> {
    (pairs(), any::<u64>(), any::<bool>()).prop_map(|((mut pairs, of_pairs), seed, are_in_front)| {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (width, count) = (pairs.inputs(), rng.random_range(0..=pairs.inputs().min(4)));
        let place = |(k, column)| match are_in_front {
            true => (column + count, count - 1 - k),
            false => (column, width + k),
        };
        pairs.indicators = sample(rng, width, count).into_iter().enumerate().map(place).collect();
        for row in &mut pairs.rows {
            let front = if are_in_front { 0 } else { width };
            row.splice(front..front, std::iter::repeat_n(0.0, count));
        }
        for (column, indicator) in &pairs.indicators {
            let share = *[0.0, 0.1, 0.3, 0.5, 0.8, 1.0].choose(rng).unwrap();
            for row in pairs.rows.iter_mut().filter(|_| rng.random_bool(share)) {
                (row[*column], row[*indicator]) = (0.0, 1.0);
            }
        }
        (pairs, of_pairs)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]
    #[test]
    fn it_is_the_tree_of_the_definition_with_ties_in_the_stated_order(
        (pairs, of_pairs) in prop_oneof![pairs(), pairs_with_missing()],
        depth in select(&[0_u32, 1, 2, 3, 20][..]),
        least in 0_i32..4,
        lambda in select(&[0_i32, 0, 1, 4][..]),
        bins in select(&[2_u16, 3, 256][..]),
        (shift_g, shift_h) in select(&[(0, 0), (440, 0), (0, -1000), (430, 440), (-900, -900)][..]),
    ) {
        let n = pairs.rows.len();
        let contexts = BinnedContexts::with_bins(pairs.dense(), bins).unwrap();
        let contexts = contexts.with_indicators(&pairs.indicators).unwrap();
        let all: Vec<Pair> = (0..n).flat_map(|i| (0..pairs.actions).map(move |a| (i, a))).collect();
        let expected = pairs.tree(&contexts, &all, depth, least.into(), lambda.into());
        let (unit_g, unit_h) = (2_f64.powi(shift_g), 2_f64.powi(shift_h));
        let g: Vec<f64> = pairs.g.iter().map(|g| f64::from(*g) * unit_g).collect();
        let h: Vec<f64> = pairs.h.iter().map(|h| f64::from(*h) * unit_h).collect();
        let weights = if of_pairs { PairWeights::OfPairs(&h) } else { PairWeights::OfExamples(&h[..n]) };
        let round = PairRound::new(n, pairs.actions, &g, weights).unwrap();
        let growth = PairGrowth::builder().max_depth(depth).min_child_weight(f64::from(least) * unit_h).reg_lambda(f64::from(lambda) * unit_h).build().unwrap();
        let mut learner = HistogramPairTree::new(growth);
        let mut values = vec![f64::NAN; g.len()];
        let tree = learner.train(&contexts, &round, &mut values).unwrap();
        prop_assert_eq!(Nested::of(&tree), expected.scaled(unit_g, unit_h));
        let sparse = BinnedContexts::with_bins(pairs.sparse(), bins).unwrap();
        let sparse = sparse.with_indicators(&pairs.indicators).unwrap();
        prop_assert_eq!(&learner.train(&sparse, &round, &mut values).unwrap(), &tree, "sparse, with used memory");
        let mut scores = vec![0.0; pairs.actions];
        for (i, x) in contexts.matrix().iter().enumerate() {
            tree.scores(x, &mut scores).unwrap();
            for (a, score) in scores.iter().enumerate() {
                prop_assert_eq!(values[a * n + i].to_bits(), score.to_bits());
            }
        }
        let mut signs = HistogramPairTree::new(growth.of_signs());
        let tree = Nested::of(&signs.train(&contexts, &round, &mut values).unwrap());
        prop_assert_eq!(tree, expected.of_signs());
    }
}

impl Nested {
    fn map(&self, f: &impl Fn(f64) -> f64) -> Self {
        let child = |node: &Self| Box::new(node.map(f));
        match self {
            Self::Leaf(value) => Self::Leaf(f(*value)),
            Self::Context(j, cut, side, below, rest) => {
                Self::Context(*j, *cut, *side, child(below), child(rest))
            }
            Self::Action(a, others, this) => Self::Action(*a, child(others), child(this)),
        }
    }

    fn scaled(&self, unit_g: f64, unit_h: f64) -> Self {
        self.map(&|value| (value * (unit_g / unit_h)).clamp(f64::MIN, f64::MAX))
    }

    fn of_signs(&self) -> Self {
        self.map(&|value| if value < 0.0 { -1.0 } else { 1.0 })
    }
}
