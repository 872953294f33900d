//! The tree by its definition, on examples whose sums are exact.

use proptest::prelude::*;
use proptest::sample::select;
use rows::RowMatrix;
use serde_json::Value;
use weak_learners::batch::{BinnedColumns, BinnedTree, Hypothesis, LeafAnswer, Tree, WeakLearner};

/// A tree to be compared, whatever the order of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Nested {
    Leaf(f64),
    /// Feature, threshold, x_j ≤ θ, x_j > θ.
    Split(usize, f64, Box<Nested>, Box<Nested>),
}

impl Nested {
    pub(crate) fn of(tree: &Tree) -> Self {
        Self::node(&serde_json::to_value(tree).unwrap()["nodes"], 0)
    }

    fn node(nodes: &Value, i: usize) -> Self {
        let index = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let split = &nodes[i]["split"];
        if split.is_null() {
            return Self::Leaf(nodes[i]["leaf"]["answer"].as_f64().unwrap());
        }
        let child = |side: &str| Box::new(Self::node(nodes, index(&split[side])));
        let threshold = split["threshold"].as_f64().unwrap();
        Self::Split(index(&split["feature"]), threshold, child("at_most"), child("above"))
    }

    /// Visits every leaf with the rows that end in it.
    pub(crate) fn for_each_leaf(
        &self,
        rows: &[Vec<f64>],
        part: Vec<usize>,
        visit: &mut impl FnMut(f64, &[usize]),
    ) {
        match self {
            Self::Leaf(answer) => visit(*answer, &part),
            Self::Split(feature, threshold, at_most, above) => {
                let (low, high) = part.into_iter().partition(|&i| rows[i][*feature] <= *threshold);
                at_most.for_each_leaf(rows, low, visit);
                above.for_each_leaf(rows, high, visit);
            }
        }
    }
}

/// Examples whose weights and quarter targets are whole numbers, so that fractions of their sums are exact.
#[derive(Debug, Clone)]
struct Examples {
    inputs: usize,
    rows: Vec<Vec<f64>>,
    quarters: Vec<i8>,
    weights: Vec<u8>,
}

impl Examples {
    fn dense(&self) -> RowMatrix {
        RowMatrix::dense(self.inputs, self.rows.concat()).unwrap()
    }

    fn sparse(&self) -> RowMatrix {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            for (j, value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                indices.push(j);
                values.push(*value);
            }
            offsets.push(values.len());
        }
        RowMatrix::sparse(self.inputs, offsets, indices, values).unwrap()
    }

    fn targets(&self) -> Vec<f64> {
        self.quarters.iter().map(|a| f64::from(*a) / 4.0).collect()
    }

    fn weights(&self, factor: f64) -> Vec<f64> {
        self.weights.iter().map(|w| f64::from(*w) * factor).collect()
    }

    /// The examples of positive weight.
    fn present(&self) -> Self {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|&i| self.weights[i] > 0).collect();
        Self {
            inputs: self.inputs,
            rows: kept.iter().map(|&i| self.rows[i].clone()).collect(),
            quarters: kept.iter().map(|&i| self.quarters[i]).collect(),
            weights: kept.iter().map(|&i| self.weights[i]).collect(),
        }
    }

    /// Σ w and Σ 4wa.
    fn sums(&self, part: &[usize]) -> (i128, i128) {
        let weight = |i: usize| i128::from(self.weights[i]);
        part.iter().fold((0, 0), |(w, s), &i| (w + weight(i), s + weight(i) * i128::from(self.quarters[i])))
    }

    /// The tree by its definition, on rows of positive weight: the split of largest Σ S²/W among all cuts, as
    /// a fraction.
    fn tree(
        &self,
        cuts: &BinnedColumns,
        part: &[usize],
        depth: u16,
        answer: LeafAnswer,
        least: i128,
    ) -> Nested {
        let (weight, sum) = self.sums(part);
        let leaf = Nested::Leaf(match answer {
            LeafAnswer::Sign => {
                if sum < 0 {
                    -1.0
                } else {
                    1.0
                }
            }
            LeafAnswer::Mean => sum as f64 / 4.0 / weight as f64,
        });
        if depth == 0 || part.iter().all(|&i| self.quarters[i] == self.quarters[part[0]]) {
            return leaf;
        }
        let mut best: Option<((i128, i128), usize, f64)> = None;
        for j in 0..self.inputs {
            for &cut in cuts.cuts(j) {
                let (low, high): (Vec<_>, Vec<_>) = part.iter().partition(|&&i| self.rows[i][j] < cut);
                let ((w, s), (v, r)) = (self.sums(&low), self.sums(&high));
                if low.is_empty() || high.is_empty() || w < least || v < least {
                    continue;
                }
                let (above, below) = (s * s * v + r * r * w, w * v);
                if best.is_none_or(|((a, b), ..)| above * b > a * below) {
                    best = Some(((above, below), j, cut));
                }
            }
        }
        let Some((_, j, cut)) = best else { return leaf };
        let (low, high): (Vec<_>, Vec<_>) = part.iter().partition(|&&i| self.rows[i][j] < cut);
        let child = |part: Vec<usize>| Box::new(self.tree(cuts, &part, depth - 1, answer, least));
        Nested::Split(j, cut.next_down(), child(low), child(high))
    }
}

const VALUES: &[f64] = &[0.0, -0.0, 0.0, 1.0, 1.0 + f64::EPSILON, 2.0, -1.0, 1e140, -1e140, 5e-324];

fn examples() -> impl Strategy<Value = Examples> {
    (1_usize..10, 1_usize..40).prop_flat_map(|(inputs, m)| {
        let columns = (
            prop::collection::vec(prop::collection::vec(select(VALUES), inputs), m),
            prop::collection::vec(select(&[-4_i8, -4, 4, 4, 2, 0, -1][..]), m),
            prop::collection::vec(select(&[0_u8, 1, 1, 2, 7][..]), m),
        );
        let made =
            columns.prop_map(move |(rows, quarters, weights)| Examples { inputs, rows, quarters, weights });
        made.prop_filter("some weight", |examples| examples.weights.iter().any(|w| *w > 0))
    })
}

proptest! {
    #[test]
    fn it_is_the_tree_of_the_definition_with_ties_in_the_stated_order(
        examples in examples(),
        other in examples(),
        depth in 0_u16..5,
        answer in select(&[LeafAnswer::Sign, LeafAnswer::Mean][..]),
        eighths in 0_u8..3,
        shift in select(&[0, 450, -1020][..]),
    ) {
        let sample = BinnedColumns::new(examples.dense()).unwrap();
        let present = examples.present();
        let everything: Vec<usize> = (0..present.rows.len()).collect();
        // A share of eighths, and no less than the share.
        let least = (present.sums(&everything).0 * i128::from(eighths) + 7) / 8;
        let expected = present.tree(&sample, &everything, depth, answer, least);
        let mut learner = BinnedTree::new(depth, answer, f64::from(eighths) / 8.0).unwrap();
        let mut train = |examples: &Examples, sample: &BinnedColumns, factor| {
            learner.train(sample, &examples.targets(), &examples.weights(factor)).unwrap()
        };
        let tree = train(&examples, &sample, 1.0);
        prop_assert_eq!(&Nested::of(&tree), &expected);
        prop_assert_eq!(&train(&examples, &sample, 2_f64.powi(shift)), &tree, "scaled");
        train(&other, &BinnedColumns::with_bins(other.dense(), 2).unwrap(), 1.0);
        let sparse = BinnedColumns::new(examples.sparse()).unwrap();
        prop_assert_eq!(&train(&examples, &sparse, 1.0), &tree, "sparse, with the memory of another sample");
        let without = sample.binned_like(present.dense()).unwrap();
        prop_assert_eq!(&train(&present, &without, 1.0), &tree, "weight 0 is absent");
        let text = serde_json::to_string(&tree).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Tree>(&text).unwrap(), &tree);
        // Answered from the bins, and, where the cuts are others, from the rows.
        let expected: Vec<f64> = examples.dense().iter().map(|x| tree.predict(x).unwrap()).collect();
        for bins in [256, 2] {
            let mut votes = vec![0.0; expected.len()];
            let sample = BinnedColumns::with_bins(examples.sparse(), bins).unwrap();
            learner.evaluate(&tree, &sample, &mut votes).unwrap();
            prop_assert_eq!(&votes, &expected);
        }
    }
}
