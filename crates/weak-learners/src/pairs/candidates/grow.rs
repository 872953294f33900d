//! The growth of a tree over candidates, node by node.

use super::BinnedCandidates;
use super::level::Level;
use crate::batch::contract::in_pool;
use crate::pairs::best_first::{SplitRecord, TreeGain};
use crate::pairs::histogram_pair_tree::{
    Buffers, Cell, Cut, Histogram, Quanta, Question, Roundings, ScaledGain, Scratch, Search, Split, Sums,
    Unrounded, Word,
};
use crate::pairs::{PairGrowth, PairNode, PairRound};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The number of pairs of a node from which its children are worth two threads.
const WORTHWHILE: usize = 1 << 12;
/// The pairs of a node for each item from which they are added up by item first.
const PAIRS_AN_ITEM: usize = 2;

/// Pairs.
pub(super) struct Node<'n> {
    /// In rising or falling order, so that the pairs of a choice stand together.
    pub(super) pairs: &'n mut [u32],
    /// A buffer of the same length.
    pub(super) spare: &'n mut [u32],
    pub(super) sums: Sums,
    pub(super) depth: u32,
    /// Whether it may be split; an open node has histograms unless every g is 0.
    pub(super) is_open: bool,
    pub(super) histograms: Option<[Histogram; 3]>,
}

/// The sums of items: free buffers, shared by the threads of a training.
#[derive(Debug, Default)]
pub(super) struct Spare {
    packed: Mutex<Vec<Vec<Word>>>,
    wide: Mutex<Vec<Vec<Sums>>>,
}

/// The sample, and the columns that may be split; `None` for all of them.
pub(super) struct Levels<'a> {
    pub(super) sample: &'a BinnedCandidates,
    pub(super) columns: Option<&'a [bool]>,
}

/// The inputs shared by all nodes of a tree.
pub(super) struct Grower<'a> {
    pub(super) levels: Levels<'a>,
    pub(super) round: &'a PairRound<'a>,
    pub(super) quanta: &'a Quanta,
    pub(super) growth: PairGrowth,
    /// λ and the least H of a child in quanta.
    pub(super) lambda: f64,
    pub(super) least: f64,
    /// H up to which a histogram is packed.
    pub(super) limit: f64,
    pub(super) scratch: &'a Scratch,
    pub(super) spare: &'a Spare,
}

impl Levels<'_> {
    /// The level of a column of the search, and the cut in it.
    fn place(&self, cut: Cut) -> (usize, Cut) {
        let mut column = cut.column;
        for (k, level) in self.sample.levels().iter().enumerate() {
            let columns = level.layout.columns.len();
            if column < columns {
                return (k, Cut { column, ..cut });
            }
            column -= columns;
        }
        unreachable!("column {} of a search in these levels", cut.column)
    }

    /// Adds `of` the words of some pairs to the cells of a level.
    fn count<C: Cell>(
        &self,
        level: usize,
        cells: &mut [C],
        (pairs, words): (&[u32], &[AtomicU64]),
        of_items: &mut Vec<C>,
        of: impl Fn(Word) -> C,
    ) {
        let (candidates, own) = (self.sample.candidates(), &self.sample.levels()[level]);
        let sums = |pair: &u32| of(Word::load(&words[*pair as usize]));
        match level {
            CONTEXTS => add_runs(own, cells, pairs, candidates.choices(), sums),
            ITEMS => {
                let (items, count) = (candidates.items(), own.layout.rows);
                if pairs.len() < PAIRS_AN_ITEM * count {
                    return add_runs(own, cells, pairs, items, sums);
                }
                of_items.clear();
                of_items.resize(count, C::default());
                for pair in pairs {
                    let item = &mut of_items[items[*pair as usize] as usize];
                    *item = *item + sums(pair);
                }
                for (item, sums) in of_items.iter().enumerate() {
                    own.add(cells, item, *sums);
                }
            }
            _ => pairs.iter().for_each(|pair| own.add(cells, *pair as usize, sums(pair))),
        }
    }

    /// Writes the pairs below a cut to the front of `to`, and the others to its end in reverse; returns the
    /// number below.
    fn partition(&self, cut: Cut, from: &[u32], to: &mut [u32]) -> usize {
        let (level, cut) = self.place(cut);
        let (candidates, side) = (self.sample.candidates(), self.sample.levels()[level].side(cut));
        match level {
            CONTEXTS => part(from, to, |pair| side(candidates.choices()[pair] as usize)),
            ITEMS => part(from, to, |pair| side(candidates.items()[pair] as usize)),
            _ => part(from, to, side),
        }
    }
}

const CONTEXTS: usize = 0;
const ITEMS: usize = 2;

/// Adds the sums of pairs to the cells of their rows, a run of pairs of one row at once.
fn add_runs<C: Cell>(level: &Level, cells: &mut [C], pairs: &[u32], rows: &[u32], sums: impl Fn(&u32) -> C) {
    for run in pairs.chunk_by(|a, b| rows[*a as usize] == rows[*b as usize]) {
        let all = run.iter().map(&sums).reduce(|all, sums| all + sums);
        if let (Some(all), Some(pair)) = (all, run.first()) {
            level.add(cells, rows[*pair as usize] as usize, all);
        }
    }
}

/// Every pair is written to both ends of the free part, and only one end advances: no branch to mispredict.
fn part(from: &[u32], to: &mut [u32], is_below: impl Fn(usize) -> bool) -> usize {
    let (mut below, mut rest) = (0, from.len());
    for pair in from {
        let is_below = usize::from(is_below(*pair as usize));
        to[below] = *pair;
        to[rest - 1] = *pair;
        below += is_below;
        rest -= 1 - is_below;
    }
    below
}

impl<'a> Grower<'a> {
    /// Grows the subtree of a node, and writes its answers.
    pub(super) fn grow<'n>(&self, buffers: &mut Buffers, mut node: Node<'n>, forks: u32)
    where
        'a: 'n,
    {
        loop {
            let split = self.best(&mut node);
            if self.growth.max_leaves().is_some() {
                buffers.records.push(self.split_record(node.sums, split.as_ref()));
            }
            match split {
                Some(Split { question: Question::Context(cut), left }) => {
                    match self.cut(buffers, node, left, cut, forks) {
                        Some(rest) => node = rest,
                        None => return,
                    }
                }
                _ => return self.leaf(buffers, node),
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
        let pairs = node.pairs.len() as f64;
        let mut search = Search::new(node.sums, pairs, self.lambda, self.least, roundings);
        for consider in [Search::cuts_from, Search::cuts_that_move_from] {
            let mut first = 0;
            for (level, histogram) in self.levels.sample.levels().iter().zip(node.histograms.iter().flatten())
            {
                let columns = level.cuts.len();
                let allowed = self.levels.columns.map(|allowed| &allowed[level.first..][..columns]);
                consider(&mut search, first, &level.layout, allowed, histogram);
                first += level.layout.columns.len();
            }
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
        let words = self.quanta.of(0);
        node.pairs.iter().for_each(|pair| words[*pair as usize].store(value.to_bits(), Relaxed));
        buffers.nodes.push(PairNode::Leaf { value });
        node.histograms.into_iter().flatten().for_each(|histogram| buffers.put(Some(histogram)));
    }

    /// Splits a node, and grows its smaller child; the larger one is returned, or grown by another thread.
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
        let Node { pairs, spare, sums, depth, histograms, .. } = node;
        let middle = self.levels.partition(cut, pairs, spare);
        let halves = [spare.split_at_mut(middle), pairs.split_at_mut(middle)];
        let [(below, rest), (below_spare, rest_spare)] = halves;
        let is_smaller = below.len() <= rest.len();
        let child = |pairs, spare, sums| {
            let is_open = self.is_open(depth + 1, sums);
            Node { pairs, spare, sums, depth: depth + 1, is_open, histograms: None }
        };
        let below = child(below, below_spare, left);
        let rest = child(rest, rest_spare, sums - left);
        let (mut smaller, mut larger) = if is_smaller { (below, rest) } else { (rest, below) };
        self.count_children(buffers, histograms, &mut smaller, &mut larger);

        let parent = buffers.open();
        let first = parent + 1;
        let is_big = smaller.pairs.len() >= WORTHWHILE;
        let grow_smaller = |buffers: &mut Buffers| self.grow(buffers, smaller, forks.saturating_sub(1));
        let (second, remaining) = self.branch(buffers, is_big, grow_smaller, larger, forks);
        let (below, rest) = if is_smaller { (first, second) } else { (second, first) };
        let (level, cut) = self.levels.place(cut);
        let level = &self.levels.sample.levels()[level];
        let column = &level.layout.columns[cut.column];
        let threshold = level.cuts[column.feature as usize][usize::from(cut.bin)];
        #[allow(clippy::cast_possible_truncation, reason = "at most 2^23 columns")]
        let first = level.first as u32;
        buffers.nodes[parent as usize] = cut.node(column, first, threshold, [below, rest]);
        remaining
    }

    /// Computes the histograms of the open children of a node.
    fn count_children(
        &self,
        buffers: &mut Buffers,
        histograms: Option<[Histogram; 3]>,
        smaller: &mut Node<'_>,
        larger: &mut Node<'_>,
    ) {
        let Some(mut histograms) = histograms else { return };
        if !larger.is_open {
            if smaller.is_open {
                smaller.histograms = Some(self.counted(buffers, smaller.pairs, smaller.sums));
            }
            histograms.into_iter().for_each(|histogram| buffers.put(Some(histogram)));
            return;
        }
        if smaller.is_open {
            let counted = self.counted(buffers, smaller.pairs, smaller.sums);
            histograms.iter_mut().zip(&counted).for_each(|(all, part)| all.subtract(part));
            smaller.histograms = Some(counted);
        } else {
            self.count(
                &mut histograms,
                smaller.pairs,
                |word| Word::default() - word,
                |word| Sums::default() - Sums::from(word),
            );
        }
        let is_packed = larger.sums.h <= self.limit;
        larger.histograms =
            Some(histograms.map(|histogram| if is_packed { buffers.packed(histogram) } else { histogram }));
    }

    /// The histograms of some pairs with these sums.
    pub(super) fn counted(&self, buffers: &mut Buffers, pairs: &[u32], sums: Sums) -> [Histogram; 3] {
        let is_packed = sums.h <= self.limit;
        let mut histograms = self
            .levels
            .sample
            .levels()
            .each_ref()
            .map(|level| buffers.histogram(level.layout.cells, is_packed));
        self.count(&mut histograms, pairs, |word| word, Sums::from);
        histograms
    }

    /// Adds the words of some pairs, changed so, to histograms.
    fn count(
        &self,
        histograms: &mut [Histogram; 3],
        pairs: &[u32],
        packed: impl Fn(Word) -> Word + Copy,
        wide: impl Fn(Word) -> Sums + Copy,
    ) {
        fn take<C>(free: &Mutex<Vec<Vec<C>>>) -> Vec<C> {
            free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
        }
        fn put<C>(free: &Mutex<Vec<Vec<C>>>, buffer: Vec<C>) {
            free.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        }
        let words = self.quanta.of(0);
        for (k, histogram) in histograms.iter_mut().enumerate() {
            if self.levels.sample.levels()[k].layout.columns.is_empty() {
                continue;
            }
            match histogram {
                Histogram::Packed(cells) => {
                    let mut of_items = take(&self.spare.packed);
                    self.levels.count(k, cells, (pairs, words), &mut of_items, packed);
                    put(&self.spare.packed, of_items);
                }
                Histogram::Wide(cells) => {
                    let mut of_items = take(&self.spare.wide);
                    self.levels.count(k, cells, (pairs, words), &mut of_items, wide);
                    put(&self.spare.wide, of_items);
                }
            }
        }
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

    /// Whether a split's gain, from the unrounded g and h, exceeds the rounding of its sums.
    fn gains_before_rounding(&self, node: &mut Node<'_>, split: &Split) -> bool {
        let Question::Context(cut) = split.question else { return false };
        let middle = self.levels.partition(cut, node.pairs, node.spare);
        let sides = [&node.spare[..middle], &node.spare[middle..]].map(|pairs| {
            let mut sums = Unrounded::default();
            pairs.iter().for_each(|pair| sums.add(self.round, self.quanta.units, *pair as usize, 0));
            sums
        });
        ScaledGain::of_unrounded(sides, self.lambda, node.pairs.len() as f64)
    }
}
