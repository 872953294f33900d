//! A tree, node by node.

use super::histogram::{Histogram, View};
use super::node::{Actions, Node};
use super::partition::Record;
use super::quantise::{Quanta, Sums, unpack};
use super::scratch::{Desk, Scratch};
use super::split::{Cut, Question, Search, Split};
use crate::batch::contract::in_pool;
use crate::pairs::{BinnedContexts, PairGrowth, PairNode};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Records of a node from which on its children are worth two threads.
const WORTHWHILE: usize = 1 << 12;
/// Bytes of the rows of a node up to which they are copied, so that what follows stays in the second cache.
const COPIED: usize = 1 << 19;
/// How often threads may part on the way to a node; the stack is finite.
pub(super) const FORKS: u32 = 40;

/// What holds for all nodes of a tree.
pub(super) struct Grower<'a> {
    pub(super) contexts: &'a BinnedContexts,
    pub(super) quanta: &'a Quanta,
    pub(super) growth: PairGrowth,
    /// λ and the least H of a child in quanta.
    pub(super) lambda: f64,
    pub(super) least: f64,
    pub(super) scratch: &'a Scratch,
}

impl Grower<'_> {
    /// Grows what is below a node, and writes its answers.
    pub(super) fn grow(&self, desk: &mut Desk, view: View<'_>, mut node: Node<'_>, forks: u32) {
        loop {
            if node.is_open && view.names.is_none() && view.is_worth_copying(node.records.len(), COPIED) {
                let mut copy = self.scratch.copy();
                let view = copy.of(view, node.records);
                self.grow(desk, view, node, forks);
                return self.scratch.put_copy(copy);
            }
            let Some(split) = self.best(&node) else { return self.leaf(desk, view, node) };
            let rest = match split.question {
                Question::Context(cut) => self.cut(desk, view, node, split.left, cut, forks),
                Question::Action(k) => self.part(desk, view, node, k, forks),
            };
            match rest {
                Some(rest) => node = rest,
                None => return,
            }
        }
    }

    fn best(&self, node: &Node<'_>) -> Option<Split> {
        if !node.is_open {
            return None;
        }
        let mut search = Search::new(node.sums, node.pairs(), self.lambda, self.least);
        if let Some(histogram) = &node.histogram {
            search.cuts(self.contexts.layout(), histogram);
        }
        if let Actions::Several(actions) = &node.actions {
            search.actions(actions);
        }
        search.best()
    }

    /// Whether a node may be split.
    pub(super) fn is_open(&self, depth: u32, sums: Sums) -> bool {
        depth < self.growth.max_depth() && sums.h >= 2.0 * self.least
    }

    fn leaf(&self, desk: &mut Desk, view: View<'_>, node: Node<'_>) {
        let value = self.growth.answer().of(self.quanta.units.mean(node.sums, self.growth.reg_lambda()));
        let write = |action: u32| {
            let words = self.quanta.of(action);
            for record in node.records.iter() {
                words[view.name(record.row)].store(value.to_bits(), Relaxed);
            }
        };
        match &node.actions {
            Actions::One(action) => write(*action),
            Actions::Several(actions) => actions.iter().for_each(|(action, _)| write(*action)),
        }
        desk.nodes.push(PairNode::Leaf { value });
        desk.put(node.histogram);
    }

    /// Splits a node on x, and grows its smaller child; the larger one is handed back, or grown by another thread.
    fn cut<'n>(
        &self,
        desk: &mut Desk,
        view: View<'_>,
        node: Node<'n>,
        left: Sums,
        cut: Cut,
        forks: u32,
    ) -> Option<Node<'n>> {
        let Node { records, spare, actions, sums, depth, histogram, .. } = node;
        let middle = view.partition(cut, records, spare);
        let halves = [spare.split_at_mut(middle), records.split_at_mut(middle)];
        let [(below, rest), (below_spare, rest_spare)] = halves;
        let is_smaller = below.len() <= rest.len();
        let few = if is_smaller { &*below } else { &*rest };
        let of_few = actions.among(few, |action, row| unpack(&self.quanta.of(action)[view.name(row)]));
        let (of_below, of_rest) = match (is_smaller, actions.minus(&of_few)) {
            (true, of_many) => (of_few, of_many),
            (false, of_many) => (of_many, of_few),
        };
        let child = |records: &'n mut [Record], spare, actions, sums| {
            let is_open = self.is_open(depth + 1, sums);
            Node { records, spare, actions, sums, depth: depth + 1, is_open, histogram: None }
        };
        let below = child(below, below_spare, of_below, left);
        let rest = child(rest, rest_spare, of_rest, sums - left);
        let (mut smaller, mut larger) = if is_smaller { (below, rest) } else { (rest, below) };
        self.count(desk, view, histogram, &mut smaller, &mut larger);

        let parent = desk.open();
        let first = parent + 1;
        let is_big = smaller.records.len() >= WORTHWHILE;
        let grow_smaller = |desk: &mut Desk| self.grow(desk, view, smaller, forks.saturating_sub(1));
        let (second, remaining) = self.branch(desk, view, is_big, grow_smaller, larger, forks);
        let (below, rest) = if is_smaller { (first, second) } else { (second, first) };
        let feature = self.contexts.layout().columns[cut.column].feature;
        let threshold = self.contexts.cuts(feature as usize)[usize::from(cut.bin)];
        desk.nodes[parent as usize] = PairNode::Context { feature, threshold, below, rest };
        remaining
    }

    /// Gives the children of a node that are open their histograms.
    fn count(
        &self,
        desk: &mut Desk,
        view: View<'_>,
        histogram: Option<Histogram>,
        smaller: &mut Node<'_>,
        larger: &mut Node<'_>,
    ) {
        let Some(mut histogram) = histogram else { return };
        let few = || smaller.records.iter().copied();
        match (smaller.is_open, larger.is_open) {
            (false, false) => desk.put(Some(histogram)),
            (true, false) => {
                histogram.fill(Sums::default());
                view.count(few(), &mut histogram);
                smaller.histogram = Some(histogram);
            }
            (false, true) => {
                view.count(few().map(Record::negative), &mut histogram);
                larger.histogram = Some(histogram);
            }
            (true, true) => {
                let mut counted = desk.histogram(view.layout.cells);
                view.count(few(), &mut counted);
                histogram.iter_mut().zip(&counted).for_each(|(all, few)| *all -= *few);
                (smaller.histogram, larger.histogram) = (Some(counted), Some(histogram));
            }
        }
    }

    /// Splits the k-th of its actions from a node, and grows that; the others are handed back, or grown by another thread.
    fn part<'n>(
        &self,
        desk: &mut Desk,
        view: View<'_>,
        node: Node<'n>,
        k: usize,
        forks: u32,
    ) -> Option<Node<'n>> {
        let Node { records, spare, actions, sums, depth, histogram, .. } = node;
        let (of_others, (action, of_this)) = actions.without(k);
        let depth = depth + 1;
        let words = self.quanta.of(action);
        // A node of all rows has them in their order, so that the words say it all.
        let is_whole = view.names.is_none() && records.len() == words.len();
        let is_big = records.len() >= WORTHWHILE;
        let made = (!is_whole).then(|| {
            let mut buffers = self.scratch.buffers();
            buffers.fill(records.iter().map(|record| Record::new(record.row, &words[view.name(record.row)])));
            buffers
        });
        for record in records.iter_mut() {
            *record = record.minus(&words[view.name(record.row)]);
        }
        let others_open = self.is_open(depth, sums - of_this);
        let this_open = self.is_open(depth, of_this);
        let count_this = |histogram: &mut Histogram, sign: fn(Record) -> Record| match &made {
            Some(made) => view.count(made.records().iter().copied().map(sign), histogram),
            None => view.count(all(words).map(sign), histogram),
        };
        let counted = this_open.then(|| {
            let mut counted = desk.histogram(view.layout.cells);
            count_this(&mut counted, |record| record);
            counted
        });
        let of_rest = match (histogram, others_open) {
            (Some(mut histogram), true) => {
                match &counted {
                    Some(counted) => histogram.iter_mut().zip(counted).for_each(|(all, this)| *all -= *this),
                    None => count_this(&mut histogram, Record::negative),
                }
                Some(histogram)
            }
            (None, true) => {
                let mut counted = desk.histogram(view.layout.cells);
                view.count(records.iter().copied(), &mut counted);
                Some(counted)
            }
            (histogram, false) => {
                desk.put(histogram);
                None
            }
        };
        let others = Node {
            records,
            spare,
            actions: of_others,
            sums: sums - of_this,
            depth,
            is_open: others_open,
            histogram: of_rest,
        };
        let parent = desk.open();
        let this = parent + 1;
        let grow_this = |desk: &mut Desk| {
            let mut buffers = made.unwrap_or_else(|| {
                let mut buffers = self.scratch.buffers();
                buffers.fill(all(words));
                buffers
            });
            let (records, spare) = buffers.both();
            let (actions, histogram) = (Actions::One(action), counted);
            let node = Node { records, spare, actions, sums: of_this, depth, is_open: this_open, histogram };
            self.grow(desk, view, node, forks.saturating_sub(1));
            self.scratch.put_buffers(buffers);
        };
        let (place, remaining) = self.branch(desk, view, is_big, grow_this, others, forks);
        desk.nodes[parent as usize] = PairNode::Action { action, others: place, this };
        remaining
    }

    /// Grows one child by itself and another one by a second thread if there is one and it is worth it; else the other one is
    /// handed back. Answers where that one is among the nodes.
    fn branch<'n>(
        &self,
        desk: &mut Desk,
        view: View<'_>,
        is_big: bool,
        first: impl FnOnce(&mut Desk) + Send,
        second: Node<'n>,
        forks: u32,
    ) -> (u32, Option<Node<'n>>) {
        if !(forks > 0 && is_big && in_pool(1, 1)) {
            first(desk);
            return (desk.next(), Some(second));
        }
        let mut other = self.scratch.desk();
        rayon::join(|| self.grow(&mut other, view, second, forks - 1), || first(desk));
        let place = desk.append(&mut other);
        self.scratch.put_desk(other);
        (place, None)
    }
}

/// The records of all rows, for one action.
fn all(words: &[AtomicU64]) -> impl Iterator<Item = Record> + Clone {
    (0..).zip(words).map(|(row, word)| Record::new(row, word))
}
