//! Trees on binned columns.

mod grains;
mod histogram;
mod votes;

use super::contract::check_evaluation;
use super::tree::TreeNode;
use super::{BinnedColumns, Hypothesis, LeafAnswer, Sample, Tree, WeakLearner};
use crate::{LearnerError, RankError};
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
/// *Ranks:* the columns may be those of a rank ([`BinnedColumns::of_rank`]). Every rank has all targets and
/// weights, counts its own rows, and finds the tree of one process, to the bit. *Messages:* the histograms of
/// the root and of the smaller child of each split above the last depth, 16 bytes a bin; before the latter,
/// 8 bytes of the number of its examples, and 32 bytes of the lowest and highest targets where some are not
/// ±1 (16 for the root). So a tree of depth d on labels takes at most 2^d − 1 messages, and its evaluation
/// one: every rank tells the others its votes by number among the distinct answers, 1, 2, 4, 8, 16 or 32
/// bits a row.
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
    /// The histograms of a node as numbers that ranks add.
    message: Vec<u64>,
}

#[derive(Debug, Clone)]
struct Open {
    part: Part,
    split: Split,
    histograms: Vec<Histogram>,
}

/// A node: the range of its examples on this rank, the number of those of all, and their sums.
#[derive(Debug, Clone)]
struct Part {
    node: usize,
    depth: u16,
    range: Range<usize>,
    examples: usize,
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
        let (examples, sums) = work.examples.take((sample.size(), sample.place()), targets, weights)?;
        let labels = sample.ranks().are_several() && targets.iter().all(|a| a.abs() >= 1.0);
        let rules = Rules { sample, targets, labels, depth: *depth, least: sums.share(*least_leaf).max(1) };
        let leaf = |sums: Sums| TreeNode::Leaf { answer: answer.of(sums.mean()) };
        let mut nodes = vec![leaf(sums)];
        // A training that other ranks ended has left some.
        work.open.clear();
        work.plant(rules, Part { node: 0, depth: 0, range: 0..work.examples.len(), examples, sums })?;
        while let Some(open) = work.open.pop() {
            let Split { feature, bin, below, .. } = open.split;
            // x ≤ θ is x < cut.
            let threshold = sample.cuts(feature)[usize::from(bin)].next_down();
            let (at_most, above) = (nodes.len(), nodes.len() + 1);
            nodes[open.part.node] = TreeNode::Split { feature, threshold, at_most, above };
            nodes.extend([leaf(below), leaf(open.part.sums - below)]);
            work.branch(rules, at_most, open)?;
        }
        Ok(Tree::trusted(sample.inputs(), nodes))
    }

    /// By bins if the thresholds of the tree are cuts of the sample, as after training on it; otherwise row
    /// by row. On ranks, each evaluates its rows and tells the others.
    fn evaluate(
        &self,
        hypothesis: &Tree,
        sample: &BinnedColumns,
        votes: &mut [f64],
    ) -> Result<(), LearnerError> {
        check_evaluation(hypothesis, sample, votes)?;
        let own = &mut votes[sample.place()];
        match steps(hypothesis, sample) {
            Some(steps) => own.iter_mut().enumerate().for_each(|(i, vote)| *vote = walk(&steps, i)),
            None => own.iter_mut().zip(sample.matrix().iter()).try_for_each(|(vote, x)| {
                *vote = hypothesis.predict(x)?;
                Ok::<(), LearnerError>(())
            })?,
        }
        if sample.ranks().are_several() {
            votes::gather(hypothesis, sample, votes)?;
        }
        Ok(())
    }
}

/// The rules that make a node a leaf.
#[derive(Clone, Copy)]
struct Rules<'a> {
    sample: &'a BinnedColumns,
    targets: &'a [f64],
    /// Whether there are several ranks and all targets are ±1.
    labels: bool,
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
    fn plant(&mut self, rules: Rules<'_>, root: Part) -> Result<(), RankError> {
        if self.may_be_split(rules, [&root])? == [true] {
            self.make_room(rules);
            let (split, histograms) = self.count(rules, &root)?;
            self.open(root, split, histograms);
        }
        Ok(())
    }

    /// Partitions the examples of a node between its two children, from node `at_most` on, and opens them.
    fn branch(&mut self, rules: Rules<'_>, at_most: usize, open: Open) -> Result<(), RankError> {
        let Open { part: Part { depth, range, examples, sums, .. }, split, mut histograms } = open;
        let depth = depth + 1;
        if depth == rules.depth {
            self.spare.push(histograms);
            return Ok(());
        }
        let bins = rules.sample.bins(split.feature);
        let middle = self.examples.partition(range.clone(), bins, split.bin);
        let mut count = [(middle - range.start) as u64];
        rules.sample.ranks().sum(&mut count)?;
        // A count of rows is that of a slice on some machine.
        #[allow(clippy::cast_possible_truncation, reason = "rows are counted by 64 bits")]
        let (below, above) = (count[0] as usize, examples - count[0] as usize);
        let (node, range_below, range_above) = (at_most, range.start..middle, middle..range.end);
        let below = Part { node, depth, range: range_below, examples: below, sums: split.below };
        let (node, sums) = (at_most + 1, sums - split.below);
        let above = Part { node, depth, range: range_above, examples: above, sums };
        let is_smaller = below.examples <= above.examples;
        let (smaller, larger) = if is_smaller { (below, above) } else { (above, below) };
        let [split_smaller, split_larger] = self.may_be_split(rules, [&smaller, &larger])?;
        if !split_smaller && !split_larger {
            self.spare.push(histograms);
            return Ok(());
        }
        let (split, counted) = self.count(rules, &smaller)?;
        if split_larger {
            let rest = rules.search(larger.sums).take_away(&counted, &mut histograms, &mut self.found);
            self.open(larger, rest, histograms);
        } else {
            self.spare.push(histograms);
        }
        // The smaller child is split first: each waiting larger child at least halves the examples, so that
        // few nodes are open.
        self.open(smaller, split.filter(|_| split_smaller), counted);
        Ok(())
    }

    /// The histograms of a node, and its best split.
    fn count(&mut self, rules: Rules<'_>, part: &Part) -> Result<(Option<Split>, Vec<Histogram>), RankError> {
        let mut histograms = self.histograms(rules.sample);
        let Self { examples, found, message, .. } = self;
        let examples = examples.of(part.range.clone());
        let split = rules.search(part.sums).count(examples, &mut histograms, found, message)?;
        Ok((split, histograms))
    }

    fn open(&mut self, part: Part, split: Option<Split>, histograms: Vec<Histogram>) {
        match split {
            Some(split) => self.open.push(Open { part, split, histograms }),
            None => self.spare.push(histograms),
        }
    }

    /// Whether each of these nodes of one depth may be split. Ranks know it of labels by the sums; of other
    /// targets they compare the lowest and the highest, in one message.
    fn may_be_split<const N: usize>(
        &self,
        rules: Rules<'_>,
        parts: [&Part; N],
    ) -> Result<[bool; N], RankError> {
        let ranks = rules.sample.ranks();
        if parts.iter().any(|part| part.depth >= rules.depth) {
            return Ok([false; N]);
        }
        if !ranks.are_several() {
            return Ok(parts.map(|part| !self.examples.are_alike(part.range.clone(), rules.targets)));
        }
        if rules.labels {
            return Ok(parts.map(|part| !part.sums.are_of_one_label()));
        }
        let mut extremes = parts.map(|part| self.examples.extremes(part.range.clone(), rules.targets));
        ranks.max(extremes.as_flattened_mut())?;
        Ok(extremes.map(|[lowest, highest]| !lowest != highest))
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
