//! The growth of a tree, node by node.

use super::buffers::{Buffers, Scratch};
use super::histogram::{Histogram, View};
use super::node::{Actions, Node};
use super::quantise::Quanta;
use super::split::{Cut, Question, Roundings, ScaledGain, Search, Split, Unrounded};
use super::sums::{Sums, Word};
use crate::batch::contract::in_pool;
use crate::pairs::best_first::{SplitRecord, TreeGain};
use crate::pairs::binned_contexts::Layout;
use crate::pairs::{BinnedContexts, PairGrowth, PairNode, PairRound};
use std::sync::atomic::Ordering::Relaxed;

/// The number of rows of a node from which its children are worth two threads.
const WORTHWHILE: usize = 1 << 12;
/// The bytes of a view up to which no node of it is copied: they stay in the second-level cache.
const COPIED: usize = 1 << 18;
/// The largest number of forks above a node; the stack is finite.
pub(in crate::pairs) const FORKS: u32 = 40;

/// The inputs shared by all nodes of a tree.
pub(super) struct Grower<'a> {
    pub(super) contexts: &'a BinnedContexts,
    /// The layout of the contexts, or of the columns that may be split.
    pub(super) layout: &'a Layout,
    pub(super) round: &'a PairRound<'a>,
    pub(super) quanta: &'a Quanta,
    pub(super) growth: PairGrowth,
    /// Whether a feature of the layout may be split; `None` for all of them.
    pub(super) columns: Option<&'a [bool]>,
    /// λ and the least H of a child in quanta.
    pub(super) lambda: f64,
    pub(super) least: f64,
    /// H up to which a histogram is packed.
    pub(super) limit: f64,
    pub(super) scratch: &'a Scratch,
}

impl<'a> Grower<'a> {
    /// Grows the subtree of a node, and writes its answers.
    pub(super) fn grow<'n>(&self, buffers: &mut Buffers, mut node: Node<'n>, forks: u32)
    where
        'a: 'n,
    {
        loop {
            let is_one = matches!(node.actions, Actions::One(_));
            if node.is_open && is_one && node.view.is_worth_copying(node.rows.len(), COPIED) {
                let mut copy = self.scratch.take_copy();
                let view = copy.of(node.view, node.rows);
                self.grow(buffers, Node { view, ..node }, forks);
                return self.scratch.put_copy(copy);
            }
            let split = self.best(&mut node);
            if self.growth.max_leaves().is_some() {
                buffers.records.push(self.split_record(node.sums, split.as_ref()));
            }
            let Some(split) = split else { return self.leaf(buffers, node) };
            let rest = match split.question {
                Question::Context(cut) => self.cut(buffers, node, split.left, cut, forks),
                Question::Action(k) => self.part(buffers, node, k, forks),
            };
            match rest {
                Some(rest) => node = rest,
                None => return,
            }
        }
    }

    fn best(&self, node: &mut Node<'_>) -> Option<Split> {
        if !node.is_open {
            return None;
        }
        let (split, is_certain) = self.search(node, Roundings::Independent)?;
        if is_certain || self.gains_before_rounding(node, &split) {
            return Some(split);
        }
        let (other, is_certain) = self.search(node, Roundings::Any)?;
        let is_another = other.question != split.question;
        (is_certain || (is_another && self.gains_before_rounding(node, &other))).then_some(other)
    }

    /// The best split beyond these roundings, and whether it is beyond any.
    fn search(&self, node: &Node<'_>, roundings: Roundings) -> Option<(Split, bool)> {
        let mut search = Search::new(node.sums, node.pairs(), self.lambda, self.least, roundings);
        if let Some(histogram) = &node.histogram {
            search.cuts(self.layout, self.columns, histogram);
        }
        if let Actions::Several(actions) = &node.actions {
            search.actions(actions);
        }
        search.best()
    }

    /// The record of a node with these sums and this split.
    fn split_record(&self, all: Sums, split: Option<&Split>) -> SplitRecord {
        let gain = split.map_or(TreeGain::NONE, |Split { left, .. }| {
            let (right, lambda) = (all - *left, self.lambda);
            TreeGain::of([left.g, right.g], [left.h + lambda, right.h + lambda], lambda, 0)
        });
        SplitRecord { value: self.value(all), gain }
    }

    /// The value of a leaf with these sums.
    fn value(&self, sums: Sums) -> f64 {
        self.growth.answer().of(self.quanta.units.mean(sums, self.growth.reg_lambda()))
    }

    /// Whether a node may be split.
    pub(super) fn is_open(&self, depth: u32, sums: Sums) -> bool {
        depth < self.growth.max_depth() && sums.h >= 2.0 * self.least
    }

    fn leaf(&self, buffers: &mut Buffers, node: Node<'_>) {
        let value = self.value(node.sums);
        let write = |action: u32| {
            let words = self.quanta.of(action);
            for row in node.rows.iter() {
                words[node.view.sample_row(*row)].store(value.to_bits(), Relaxed);
            }
        };
        match &node.actions {
            Actions::One(action) => write(*action),
            Actions::Several(actions) => actions.iter().for_each(|(action, _)| write(*action)),
        }
        buffers.nodes.push(PairNode::Leaf { value });
        buffers.put(node.histogram);
    }

    /// Splits a node on x, and grows its smaller child; the larger one is returned, or grown by another
    /// thread.
    fn cut<'n>(
        &self,
        buffers: &mut Buffers,
        node: Node<'n>,
        left: Sums,
        cut: Cut,
        forks: u32,
    ) -> Option<Node<'n>>
    where
        'a: 'n,
    {
        let Node { view, rows, spare, actions, sums, depth, histogram, .. } = node;
        let middle = view.partition(cut, rows, spare);
        let halves = [spare.split_at_mut(middle), rows.split_at_mut(middle)];
        let [(below, rest), (below_spare, rest_spare)] = halves;
        let is_smaller = below.len() <= rest.len();
        let few = if is_smaller { &*below } else { &*rest };
        let of_all = if is_smaller { left } else { sums - left };
        let word = |action, row| Word::load(&self.quanta.of(action)[view.sample_row(row)]);
        let of_few = actions.among(few, of_all, word);
        let (of_below, of_rest) = match (is_smaller, actions.minus(&of_few)) {
            (true, of_many) => (of_few, of_many),
            (false, of_many) => (of_many, of_few),
        };
        let child = |rows, spare, actions, sums| {
            let is_open = self.is_open(depth + 1, sums);
            Node { view, rows, spare, actions, sums, depth: depth + 1, is_open, histogram: None }
        };
        let below = child(below, below_spare, of_below, left);
        let rest = child(rest, rest_spare, of_rest, sums - left);
        let (mut smaller, mut larger) = if is_smaller { (below, rest) } else { (rest, below) };
        self.count(buffers, histogram, &mut smaller, &mut larger);

        let parent = buffers.open();
        let first = parent + 1;
        let is_big = smaller.rows.len() >= WORTHWHILE;
        let grow_smaller = |buffers: &mut Buffers| self.grow(buffers, smaller, forks.saturating_sub(1));
        let (second, remaining) = self.branch(buffers, is_big, grow_smaller, larger, forks);
        let (below, rest) = if is_smaller { (first, second) } else { (second, first) };
        let column = &self.layout.columns[cut.column];
        let threshold = self.contexts.cuts(column.feature as usize)[usize::from(cut.bin)];
        buffers.nodes[parent as usize] = cut.node(column, 0, threshold, [below, rest]);
        remaining
    }

    /// Computes the histograms of the open children of a node.
    fn count(
        &self,
        buffers: &mut Buffers,
        histogram: Option<Histogram>,
        smaller: &mut Node<'_>,
        larger: &mut Node<'_>,
    ) {
        let Some(mut histogram) = histogram else { return };
        let (view, few) = (smaller.view, &*smaller.rows);
        if smaller.is_open {
            let counted = self.counted(buffers, view, few, smaller.sums);
            if larger.is_open {
                histogram.subtract(&counted);
            }
            smaller.histogram = Some(counted);
        } else if larger.is_open {
            histogram.remove(view, few);
        }
        if larger.is_open {
            larger.histogram = Some(self.narrowed(buffers, histogram, larger.sums));
        } else {
            buffers.put(Some(histogram));
        }
    }

    /// The histogram of some rows with these sums.
    pub(super) fn counted(
        &self,
        buffers: &mut Buffers,
        view: View<'_>,
        rows: &[u32],
        sums: Sums,
    ) -> Histogram {
        let mut histogram = buffers.histogram(view.layout.cells, sums.h <= self.limit);
        histogram.add(view, rows);
        histogram
    }

    /// The same histogram in words, if they can hold these sums.
    fn narrowed(&self, buffers: &mut Buffers, histogram: Histogram, sums: Sums) -> Histogram {
        if sums.h <= self.limit { buffers.packed(histogram) } else { histogram }
    }

    /// Splits the k-th action from a node, and grows its child; the other child is returned, or grown by
    /// another thread.
    fn part<'n>(&self, buffers: &mut Buffers, node: Node<'n>, k: usize, forks: u32) -> Option<Node<'n>>
    where
        'a: 'n,
    {
        let Node { view, rows, spare, actions, sums, depth, mut histogram, .. } = node;
        let (of_others, (action, of_this)) = actions.without(k);
        let depth = depth + 1;
        let [this_open, others_open] = [of_this, sums - of_this].map(|sums| self.is_open(depth, sums));
        let this_view = View { words: self.quanta.of(action), ..view };
        let others_view = match of_others {
            Actions::One(other) => View { words: self.quanta.of(other), ..view },
            Actions::Several(_) => {
                for row in rows.iter() {
                    let [all, this] = [view, this_view].map(|view| &view.words[*row as usize]);
                    (Word::load(all) - Word::load(this)).store(all);
                }
                view
            }
        };
        let counted = this_open.then(|| self.counted(buffers, this_view, rows, of_this));
        if others_open {
            let sums = sums - of_this;
            let of_others = match (histogram.take(), &counted) {
                (Some(mut all), Some(this)) => {
                    all.subtract(this);
                    self.narrowed(buffers, all, sums)
                }
                (Some(mut all), None) => {
                    all.remove(this_view, rows);
                    self.narrowed(buffers, all, sums)
                }
                (None, _) => self.counted(buffers, others_view, rows, sums),
            };
            histogram = Some(of_others);
        } else {
            buffers.put(histogram.take());
        }
        // A node of all rows has them in order; other rows are copied before they move.
        let is_whole = rows.len() == view.rows;
        let made = (!is_whole).then(|| {
            let mut made = self.scratch.take_rows();
            made.fill(rows.iter().copied());
            made
        });
        let is_big = rows.len() >= WORTHWHILE;
        let others = Node {
            view: others_view,
            rows,
            spare,
            actions: of_others,
            sums: sums - of_this,
            depth,
            is_open: others_open,
            histogram,
        };
        let parent = buffers.open();
        let this = parent + 1;
        let grow_this = |buffers: &mut Buffers| {
            let mut row_buffers = made.unwrap_or_else(|| {
                let mut made = self.scratch.take_rows();
                made.fill((0..=u32::MAX).take(this_view.rows));
                made
            });
            let (rows, spare) = row_buffers.both();
            let (view, actions, histogram) = (this_view, Actions::One(action), counted);
            let is_open = this_open;
            let node = Node { view, rows, spare, actions, sums: of_this, depth, is_open, histogram };
            self.grow(buffers, node, forks.saturating_sub(1));
            self.scratch.put_rows(row_buffers);
        };
        let (place, remaining) = self.branch(buffers, is_big, grow_this, others, forks);
        buffers.nodes[parent as usize] = PairNode::Action { action, others: place, this };
        remaining
    }

    /// Grows the first child, and the second one on another thread if that is worthwhile; otherwise returns
    /// the second one. Also returns the place of the second one among the nodes.
    fn branch<'n>(
        &self,
        buffers: &mut Buffers,
        is_big: bool,
        first: impl FnOnce(&mut Buffers) + Send,
        second: Node<'n>,
        forks: u32,
    ) -> (u32, Option<Node<'n>>)
    where
        'a: 'n,
    {
        if !(forks > 0 && is_big && in_pool(1, 1)) {
            first(buffers);
            return (buffers.next(), Some(second));
        }
        let mut other = self.scratch.take_buffers();
        rayon::join(|| self.grow(&mut other, second, forks - 1), || first(buffers));
        let place = buffers.append(&mut other);
        self.scratch.put_buffers(other);
        (place, None)
    }
}

impl Grower<'_> {
    /// Whether a split's gain, from the unrounded g and h, exceeds the rounding of its sums.
    fn gains_before_rounding(&self, node: &mut Node<'_>, split: &Split) -> bool {
        let (pairs, view) = (node.pairs(), node.view);
        let mut sides = [Unrounded::default(); 2];
        let mut sum = |side: usize, rows: &[u32], action: u32| {
            for row in rows {
                sides[side].add(self.round, self.quanta.units, view.sample_row(*row), action);
            }
        };
        match split.question {
            Question::Context(cut) => {
                let middle = view.partition(cut, node.rows, node.spare);
                for (side, rows) in [&node.spare[..middle], &node.spare[middle..]].into_iter().enumerate() {
                    node.actions.each(|_, action| sum(side, rows, action));
                }
            }
            Question::Action(k) => {
                node.actions.each(|place, action| sum(usize::from(place == k), node.rows, action));
            }
        }
        ScaledGain::of_unrounded(sides, self.lambda, pairs)
    }
}
