//! Trees on binned columns.

mod grains;
mod histogram;

use super::contract::check_evaluation;
use super::tree::TreeNode;
use super::{BinnedColumns, Hypothesis, LeafAnswer, Sample, Tree, WeakLearner};
use crate::LearnerError;
use grains::{Examples, Sums};
use histogram::{EMPTY, Histogram, Search, Split};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The weak learner of trees of depth d: greedy splits of least weighted squared error, among *all* cuts of a
/// binned sample, and in each leaf the weighted mean of the targets or its sign.
///
/// *Splits:* a node with Σ w = W and Σ w a = S has squared error Σ w (a − S/W)² = Σ w a² − S²/W about its
/// mean. The best split has sides of the largest sum of S²/W. For labels a = ±1 it is the split of least Gini
/// impurity: with p = (1 + S/W)/2, the share of the label +1, W·2p(1 − p) = (W − S²/W)/2. Ties between
/// computed gains go to the lowest feature, then the lowest cut. A split without gain is taken too, because
/// the next may gain (exclusive or). A node is a leaf when it is d deep, when its targets are all equal, or
/// when no cut leaves `least_leaf` of all weight, and an example, on both sides.
///
/// *Precision:* weights and products w_i a_i are rounded once, to multiples of about 2^−60 Σ w_i, and every
/// sum is exact from there on (docs/numerics.md, Trees).
///
/// *Cost:* O(m) to find the n examples of positive weight. The root takes at most n·inputs additions, fewer
/// where columns share a byte ([`BinnedColumns`]). Every further level takes half of that, because only the
/// smaller of two children is counted. Each split node takes a pass over all cuts. *Threads:* inside a rayon
/// pool (`pool.install(|| …)`) the threads of the pool count the columns of large nodes. *Memory:* O(m) and
/// the histograms of O(log m) nodes, 4 KiB for each byte a row that is counted, kept from one training to the
/// next. After the first training only the nodes of the tree are allocated, and a copy of them in
/// [`evaluate`](WeakLearner::evaluate).
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::{BinnedColumns, BinnedTree, LeafAnswer, WeakLearner};
/// let xor = BinnedColumns::new(RowMatrix::dense(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])?)?;
/// let targets = [-1.0, 1.0, 1.0, -1.0];
/// let mut learner = BinnedTree::new(2, LeafAnswer::Sign, 0.0)?;
/// let tree = learner.train(&xor, &targets, &[1.0; 4])?;
/// let mut votes = [0.0; 4];
/// learner.evaluate(&tree, &xor, &mut votes)?;
/// assert_eq!((votes, tree.leaves()), (targets, 4));
///
/// // A stump with real answers: how sure it is of each side.
/// let mut stump = BinnedTree::new(1, LeafAnswer::Mean, 0.0)?;
/// let tree = stump.train(&xor, &[-1.0, 1.0, 1.0, 1.0], &[1.0; 4])?;
/// stump.evaluate(&tree, &xor, &mut votes)?;
/// assert_eq!(votes, [0.0, 0.0, 1.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct BinnedTree {
    depth: u16,
    answer: LeafAnswer,
    least_leaf: f64,
    /// Working memory of a training.
    #[serde(skip)]
    work: Work,
}

#[derive(Debug, Clone, Default)]
struct Work {
    examples: Examples,
    /// The nodes to be split, the next one last.
    open: Vec<Open>,
    found: Vec<Option<Split>>,
    spare: Vec<Vec<Histogram>>,
}

#[derive(Debug, Clone)]
struct Open {
    part: Part,
    split: Split,
    histograms: Vec<Histogram>,
}

/// A node: the range of its examples, and their sums.
#[derive(Debug, Clone)]
struct Part {
    node: usize,
    depth: u16,
    range: Range<usize>,
    sums: Sums,
}

impl WeakLearner for BinnedTree {
    type Sample = BinnedColumns;
    type Hypothesis = Tree;

    fn train(
        &mut self,
        sample: &BinnedColumns,
        targets: &[f64],
        weights: &[f64],
    ) -> Result<Tree, LearnerError> {
        let Self { depth, answer, least_leaf, work } = self;
        let sums = work.examples.take(sample.size(), targets, weights)?;
        let rules = Rules { sample, targets, depth: *depth, least: sums.share(*least_leaf).max(1) };
        let leaf = |sums: Sums| TreeNode::Leaf { answer: answer.of(sums.mean()) };
        let mut nodes = vec![leaf(sums)];
        work.plant(rules, Part { node: 0, depth: 0, range: 0..work.examples.len(), sums });
        while let Some(open) = work.open.pop() {
            let Split { feature, bin, below, .. } = open.split;
            // x ≤ θ is x < cut.
            let threshold = sample.cuts(feature)[usize::from(bin)].next_down();
            let (at_most, above) = (nodes.len(), nodes.len() + 1);
            nodes[open.part.node] = TreeNode::Split { feature, threshold, at_most, above };
            nodes.extend([leaf(below), leaf(open.part.sums - below)]);
            work.branch(rules, at_most, open);
        }
        Ok(Tree::trusted(sample.inputs(), nodes))
    }

    /// By bins if the thresholds of the tree are cuts of the sample, as after training on it; otherwise row
    /// by row.
    fn evaluate(
        &self,
        hypothesis: &Tree,
        sample: &BinnedColumns,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
        check_evaluation(hypothesis, sample, votes)?;
        match steps(hypothesis, sample) {
            Some(steps) => votes.iter_mut().enumerate().for_each(|(i, vote)| *vote = walk(&steps, i)),
            None => sample.try_for_each(&mut |i, x| {
                votes[i] = hypothesis.predict(x)?;
                Ok(())
            })?,
        }
        Ok(())
    }
}

/// The rules that make a node a leaf.
#[derive(Clone, Copy)]
struct Rules<'a> {
    sample: &'a BinnedColumns,
    targets: &'a [f64],
    depth: u16,
    /// The least weight of a leaf, at least a grain.
    least: i64,
}

impl Rules<'_> {
    fn search(&self, all: Sums) -> Search<'_> {
        Search { sample: self.sample, all, least: self.least }
    }
}

impl Work {
    /// Opens the root.
    fn plant(&mut self, rules: Rules<'_>, root: Part) {
        if self.may_be_split(rules, &root) {
            self.make_room(rules);
            let mut histograms = self.histograms(rules.sample);
            let examples = self.examples.of(root.range.clone());
            let split = rules.search(root.sums).count(examples, &mut histograms, &mut self.found);
            self.open(root, split, histograms);
        }
    }

    /// Partitions the examples of a node between its two children, from node `at_most` on, and opens them.
    fn branch(&mut self, rules: Rules<'_>, at_most: usize, open: Open) {
        let Open { part: Part { depth, range, sums, .. }, split, mut histograms } = open;
        let depth = depth + 1;
        if depth == rules.depth {
            return self.spare.push(histograms);
        }
        let bins = rules.sample.bins(split.feature);
        let middle = self.examples.partition(range.clone(), bins, split.bin);
        let below = Part { node: at_most, depth, range: range.start..middle, sums: split.below };
        let above = Part { node: at_most + 1, depth, range: middle..range.end, sums: sums - split.below };
        let is_smaller = below.range.len() <= above.range.len();
        let (smaller, larger) = if is_smaller { (below, above) } else { (above, below) };
        let [split_smaller, split_larger] = [&smaller, &larger].map(|part| self.may_be_split(rules, part));
        if !split_smaller && !split_larger {
            return self.spare.push(histograms);
        }
        let mut counted = self.histograms(rules.sample);
        let examples = self.examples.of(smaller.range.clone());
        let split = rules.search(smaller.sums).count(examples, &mut counted, &mut self.found);
        if split_larger {
            let rest = rules.search(larger.sums).take_away(&counted, &mut histograms, &mut self.found);
            self.open(larger, rest, histograms);
        } else {
            self.spare.push(histograms);
        }
        // The smaller child is split first: each waiting larger child at least halves the examples, so that
        // few nodes are open.
        self.open(smaller, split.filter(|_| split_smaller), counted);
    }

    fn open(&mut self, part: Part, split: Option<Split>, histograms: Vec<Histogram>) {
        match split {
            Some(split) => self.open.push(Open { part, split, histograms }),
            None => self.spare.push(histograms),
        }
    }

    fn may_be_split(&self, rules: Rules<'_>, part: &Part) -> bool {
        part.depth < rules.depth && !self.examples.are_alike(part.range.clone(), rules.targets)
    }

    /// Allocates for the nodes that are open at once: a waiting larger child at each of the depths 1, …, d −
    /// 1, and the smaller child at the last. Smaller children halve the examples, so there are at most log2 m
    /// such depths.
    fn make_room(&mut self, rules: Rules<'_>) {
        let (m, groups) = (rules.sample.size(), rules.sample.groups().len());
        let nodes = usize::from(rules.depth).min(m.ilog2() as usize + 1);
        self.open.reserve(nodes);
        self.spare.resize(nodes.max(self.spare.len()), Vec::new());
        self.spare.iter_mut().for_each(|histograms| histograms.resize(groups, EMPTY));
    }

    fn histograms(&mut self, sample: &BinnedColumns) -> Vec<Histogram> {
        let mut histograms = self.spare.pop().unwrap_or_default();
        histograms.resize(sample.groups().len(), EMPTY);
        histograms
    }
}

impl BinnedTree {
    /// A tree of at most this depth, 0 for a constant and 1 for a stump, each of whose leaves has at least
    /// the share `least_leaf` of all weight.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] where `least_leaf` is not within \[0, 1/2\].
    pub fn new(depth: u16, answer: LeafAnswer, least_leaf: f64) -> Result<Self, LearnerError> {
        Unchecked { depth, answer, least_leaf }.try_into()
    }
}

#[derive(Deserialize)]
struct Unchecked {
    depth: u16,
    answer: LeafAnswer,
    least_leaf: f64,
}

impl TryFrom<Unchecked> for BinnedTree {
    type Error = LearnerError;

    fn try_from(Unchecked { depth, answer, least_leaf }: Unchecked) -> Result<Self, LearnerError> {
        if !(0.0..=0.5).contains(&least_leaf) {
            let (name, domain) = ("least_leaf", "[0, 1/2]");
            return Err(LearnerError::BadParameter { name, value: least_leaf, domain });
        }
        Ok(Self { depth, answer, least_leaf, work: Work::default() })
    }
}

/// A node of a tree in terms of bins.
enum Step<'a> {
    Answer(f64),
    /// To the first node if the row's bin is at most this one, else to the second.
    Compare(&'a [u8], u8, [usize; 2]),
}

/// The nodes of a tree in terms of bins, if its thresholds are cuts.
fn steps<'a>(tree: &Tree, sample: &'a BinnedColumns) -> Option<Vec<Step<'a>>> {
    let step = |node: &TreeNode| match *node {
        TreeNode::Leaf { answer } => Some(Step::Answer(answer)),
        TreeNode::Split { feature, threshold, at_most, above } => {
            let cuts = sample.cuts(feature);
            let bin = cuts.partition_point(|cut| *cut <= threshold);
            let is_cut = cuts.get(bin)?.next_down() == threshold;
            is_cut.then_some(Step::Compare(sample.bins(feature), u8::try_from(bin).ok()?, [at_most, above]))
        }
    };
    let mut steps = Vec::with_capacity(tree.nodes().len());
    for node in tree.nodes() {
        steps.push(step(node)?);
    }
    Some(steps)
}

/// The tree's answer for row i.
fn walk(steps: &[Step<'_>], i: usize) -> f64 {
    let mut node = 0;
    loop {
        match steps[node] {
            Step::Answer(answer) => return answer,
            Step::Compare(bins, bin, children) => node = children[usize::from(bins[i] > bin)],
        }
    }
}
