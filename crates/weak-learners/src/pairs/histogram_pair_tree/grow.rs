//! The growth of a tree, node by node, whatever the layout of its pairs.

use super::actions::{ActionSplits, Actions, Parted};
use super::buffers::{Buffers, RowBuffers, Scratch};
use super::columns::Columns;
use super::grains::{GrainSums, Grains, InOrder};
use super::histogram::{Histogram, View};
use super::kept::{Kept, Subtree};
use super::quantise::Quanta;
use super::shares::{Shares, of_all_ranks};
use super::split::{Cut, MissingSide, Question, Roundings, ScaledGain, Search, Split};
use super::sums::{Sums, Word};
use crate::batch::contract::in_pool;
use crate::pairs::best_first::{SplitRecord, TreeGain, pruned};
use crate::pairs::{PairGrowth, PairNode, PairRound, PairTree};
use crate::{LearnerError, RankError, Ranks};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The number of rows of a node from which its children are worth two threads.
const WORTHWHILE: usize = 1 << 12;
/// The largest number of forks above a node; the stack is finite.
const FORKS: u32 = 40;

/// Rows × actions.
pub(super) struct Node<'n> {
    pub(super) view: View<'n>,
    /// Its rows, as the view numbers them.
    pub(super) rows: &'n mut [u32],
    /// A buffer of the same length.
    pub(super) spare: &'n mut [u32],
    /// The number of its rows on all ranks.
    pub(super) count: u64,
    pub(super) actions: Actions,
    pub(super) sums: Sums,
    pub(super) depth: u32,
    /// Whether it may be split; an open node has a histogram unless no cut can gain, or one rank will grow
    /// it.
    pub(super) is_open: bool,
    pub(super) histogram: Option<Histogram>,
}

/// The number of pairs of so many rows and these actions.
#[allow(clippy::cast_precision_loss, reason = "for a bound on rounding, and a choice of the work of a rank")]
pub(super) fn pairs(count: u64, actions: &Actions) -> f64 {
    count as f64 * actions.len() as f64
}

/// The node from which a tree grows.
pub(in crate::pairs) struct Root<'a> {
    pub(in crate::pairs) view: View<'a>,
    /// The number of its rows on all ranks.
    pub(in crate::pairs) count: usize,
    pub(in crate::pairs) actions: Actions,
    /// Whether Σ_a g of every row of all ranks is 0.
    pub(in crate::pairs) is_flat: bool,
}

/// The inputs shared by all nodes of a tree.
///
/// The ranks of a training grow the same nodes in the same order: whatever a choice depends on is a sum over
/// all of them. Between their messages each works on its own rows.
pub(in crate::pairs) struct Grower<'a, C, A> {
    pub(super) columns: C,
    actions: A,
    pub(super) examples: usize,
    /// g and h before rounding, where they are there.
    pub(super) round: Option<&'a PairRound<'a>>,
    /// Whether a choice needed them where they are not.
    is_unsure: AtomicBool,
    pub(super) quanta: &'a Quanta,
    pub(super) growth: PairGrowth,
    /// λ and the least H of a child in quanta.
    lambda: f64,
    least: f64,
    /// H up to which a histogram is packed.
    limit: f64,
    /// The pairs of a node, at most, that one of several ranks grows.
    small: f64,
    /// The nodes that are kept for one of them.
    kept: Mutex<Kept>,
    /// The cells that each of them adds up and searches.
    shares: Shares,
    pub(super) scratch: &'a Scratch,
    pub(super) ranks: &'a Ranks,
}

impl<'a, C: Columns, A: ActionSplits<'a>> Grower<'a, C, A> {
    /// A grower of trees on a round of these quanta.
    pub(in crate::pairs) fn new(
        growth: PairGrowth,
        (round, quanta): (&'a PairRound<'a>, &'a Quanta),
        scratch: &'a Scratch,
        ranks: &'a Ranks,
        columns: C,
        actions: A,
    ) -> Self {
        Self::of_some(growth, (Some(round), round.examples(), quanta), scratch, ranks, columns, actions)
    }

    /// The same on so many examples, of which g and h may be absent.
    pub(super) fn of_some(
        growth: PairGrowth,
        (round, examples, quanta): (Option<&'a PairRound<'a>>, usize, &'a Quanta),
        scratch: &'a Scratch,
        ranks: &'a Ranks,
        columns: C,
        actions: A,
    ) -> Self {
        Self {
            columns,
            actions,
            examples,
            round,
            is_unsure: AtomicBool::new(false),
            quanta,
            growth,
            // Capped where H no longer matters, so that powers of λ stay in range.
            lambda: quanta.units.weight(growth.reg_lambda()).min(2_f64.powi(150)),
            least: quanta.units.weight(growth.min_child_weight()).max(1.0),
            limit: Word::limit(quanta.ratio),
            small: 0.0,
            kept: Mutex::default(),
            shares: Shares::default(),
            scratch,
            ranks,
        }
    }

    /// The same for one of several ranks: nodes of at most so many pairs are kept for one of them, and the
    /// columns are those that it searches.
    pub(super) fn of_rank(self, small: f64, shares: Shares, columns: C) -> Self {
        Self { small, shares, columns, ..self }
    }

    /// The tree, over rows of so many inputs, and whether nothing of it was pruned: the quanta then have its
    /// values.
    pub(in crate::pairs) fn tree(
        &self,
        inputs: usize,
        root: Root<'_>,
        row_buffers: &mut RowBuffers,
    ) -> Result<(PairTree, bool), LearnerError> {
        let buffers = self.nodes(root, row_buffers)?;
        self.finished(inputs, buffers)
    }

    /// The nodes, with those that are kept for one of the ranks.
    pub(super) fn nodes(
        &self,
        Root { view, count, actions, is_flat }: Root<'_>,
        row_buffers: &mut RowBuffers,
    ) -> Result<Buffers, LearnerError> {
        let mut buffers = self.scratch.take_buffers();
        buffers.clear();
        let mut sums = Sums::default();
        self.quanta.sums.iter().for_each(|of_action| sums += *of_action);
        // At most 2^32 rows.
        let (rows, spare) = row_buffers.fill((0..=u32::MAX).take(view.rows));
        let is_open = self.is_open(0, sums);
        let histogram = match is_open && !is_flat {
            true => Some(self.counted(&mut buffers, view, rows, sums)?),
            false => None,
        };
        let count = count as u64;
        let root = Node { view, rows, spare, count, actions, sums, depth: 0, is_open, histogram };
        // Threads would send the messages of two nodes in any order.
        let forks = if self.ranks.are_several() { 0 } else { FORKS };
        self.grow(&mut buffers, root, forks)?;
        Ok(buffers)
    }

    /// The tree of these nodes, and whether nothing of it was pruned.
    pub(super) fn finished(&self, inputs: usize, buffers: Buffers) -> Result<(PairTree, bool), LearnerError> {
        let grown = buffers.nodes.len();
        let nodes = match self.growth.max_leaves() {
            None => buffers.nodes.clone(),
            Some(most) => pruned(&buffers.nodes, &buffers.records, most),
        };
        self.scratch.put_buffers(buffers);
        let is_whole = nodes.len() == grown;
        let actions = self.round.map_or(self.quanta.sums.len(), PairRound::actions);
        Ok((PairTree::new(inputs, actions, nodes)?, is_whole))
    }

    /// Grows a node of which the histogram is counted first.
    pub(super) fn grow_counted<'n>(&self, buffers: &mut Buffers, mut node: Node<'n>) -> Result<(), RankError>
    where
        'a: 'n,
    {
        node.histogram = Some(self.counted(buffers, node.view, node.rows, node.sums)?);
        self.grow(buffers, node, FORKS)
    }

    /// Whether an open node of so many rows below the root is kept for one of the ranks.
    fn is_kept(&self, depth: u32, count: u64, actions: &Actions) -> bool {
        depth > 0 && pairs(count, actions) <= self.small
    }

    /// Whether a node needs a histogram.
    fn is_counted(&self, node: &Node<'_>) -> bool {
        node.is_open && !self.is_kept(node.depth, node.count, &node.actions)
    }

    /// Whether the nodes are of no use, because a choice needed g and h.
    pub(super) fn is_unsure(&self) -> bool {
        self.is_unsure.load(Relaxed)
    }

    /// The nodes that were kept.
    pub(super) fn kept(&self) -> Kept {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps a node for one of the ranks.
    fn keep(&self, buffers: &mut Buffers, node: Node<'_>) {
        let Node { view, rows, count, actions, sums, depth, histogram, .. } = node;
        if self.growth.max_leaves().is_some() {
            buffers.records.push(SplitRecord { value: 0.0, gain: TreeGain::NONE });
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (place, first) = (buffers.open(), kept.rows.len());
        let sample_row = |row: &u32| view.sample_rows.map_or(*row, |rows| rows[*row as usize]);
        kept.rows.extend(rows.iter().map(sample_row));
        let rows = first..kept.rows.len();
        kept.subtrees.push(Subtree { place, rows, count, actions, sums, depth });
        buffers.put(histogram);
    }

    /// Grows the subtree of a node, and writes its answers.
    fn grow<'n>(&self, buffers: &mut Buffers, mut node: Node<'n>, forks: u32) -> Result<(), RankError>
    where
        'a: 'n,
    {
        loop {
            if node.is_open && self.is_kept(node.depth, node.count, &node.actions) {
                self.keep(buffers, node);
                return Ok(());
            }
            let may_copy = A::COPIES_SEVERAL || matches!(node.actions, Actions::One(_));
            if node.is_open && may_copy && self.columns.is_worth_copying(node.view, node.rows.len()) {
                let mut copy = self.scratch.take_copy();
                let view = copy.of(node.view, node.rows);
                self.grow(buffers, Node { view, ..node }, forks)?;
                self.scratch.put_copy(copy);
                return Ok(());
            }
            let best = self.best(buffers, &mut node)?;
            if self.growth.max_leaves().is_some() {
                let split = best.as_ref().map(|(split, _)| split);
                buffers.records.push(self.split_record(node.sums, split));
            }
            let rest = match best {
                None => {
                    self.leaf(buffers, node);
                    return Ok(());
                }
                Some((Split { question: Question::Context(cut), left }, middle))
                    if cut.column < self.columns.len() =>
                {
                    self.cut(buffers, node, left, (cut, middle), forks)?
                }
                Some((Split { question, .. }, _)) => self.part(buffers, node, question, forks)?,
            };
            match rest {
                Some(rest) => node = rest,
                None => return Ok(()),
            }
        }
    }

    /// The best split that gains, and the number of rows below it if the spare buffer is already partitioned
    /// by it.
    fn best(
        &self,
        buffers: &mut Buffers,
        node: &mut Node<'_>,
    ) -> Result<Option<(Split, Option<usize>)>, RankError> {
        if !node.is_open || self.is_unsure() {
            return Ok(None);
        }
        let Some((split, is_certain)) = self.search(buffers, node, Roundings::Independent)? else {
            return Ok(None);
        };
        if is_certain {
            return Ok(Some((split, None)));
        }
        let (gains, middle) = self.gains_before_rounding(node, &split)?;
        if gains {
            return Ok(Some((split, middle)));
        }
        let Some((other, is_certain)) = self.search(buffers, node, Roundings::Any)? else {
            return Ok(None);
        };
        if is_certain {
            return Ok(Some((other, None)));
        }
        if other.question == split.question {
            return Ok(None);
        }
        let (gains, middle) = self.gains_before_rounding(node, &other)?;
        Ok(gains.then_some((other, middle)))
    }

    /// The best split beyond these roundings, and whether it is beyond any.
    fn search(
        &self,
        buffers: &mut Buffers,
        node: &Node<'_>,
        roundings: Roundings,
    ) -> Result<Option<(Split, bool)>, RankError> {
        let pairs = pairs(node.count, &node.actions);
        let new = || Search::new(node.sums, pairs, self.lambda, self.least, roundings);
        let cuts = |search: &mut Search, side: MissingSide| {
            if let Some(histogram) = &node.histogram {
                self.columns.search(search, side, histogram);
            }
        };
        let mut search = new();
        if self.ranks.are_several() && node.histogram.is_some() {
            let own = [MissingSide::OfZero, MissingSide::Other].map(|side| {
                let mut own = new();
                cuts(&mut own, side);
                own.best().map(|(split, _)| split)
            });
            let [of_zero, other] = of_all_ranks(own, self.ranks)?;
            of_zero.iter().for_each(|split| search.offer(*split));
            let moving = |search: &mut Search| other.iter().for_each(|split| search.offer(*split));
            return Ok(self.search_actions(search, buffers, &node.actions, moving));
        }
        cuts(&mut search, MissingSide::OfZero);
        let moving = |search: &mut Search| cuts(search, MissingSide::Other);
        Ok(self.search_actions(search, buffers, &node.actions, moving))
    }

    /// The best split of a search, with the splits of the actions.
    fn search_actions(
        &self,
        mut search: Search,
        buffers: &mut Buffers,
        actions: &Actions,
        moving: impl FnOnce(&mut Search),
    ) -> Option<(Split, bool)> {
        match actions {
            Actions::One(_) => moving(&mut search),
            Actions::Several(actions) => self.actions.search(&mut search, buffers, actions, moving),
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
    fn is_open(&self, depth: u32, sums: Sums) -> bool {
        depth < self.growth.max_depth() && sums.h >= 2.0 * self.least
    }

    fn leaf(&self, buffers: &mut Buffers, node: Node<'_>) {
        let value = self.value(node.sums);
        let (words, n) = (self.quanta.all(), self.examples);
        self.actions.each_pair(node.view, node.rows, &node.actions, |i, action| {
            words[action as usize * n + i].store(value.to_bits(), Relaxed);
        });
        buffers.nodes.push(PairNode::Leaf { value });
        buffers.put(node.histogram);
    }

    /// Splits a node on its rows, and grows its smaller child; the larger one is returned, or grown by
    /// another thread. `middle` is the number of rows below, if the spare buffer is already partitioned.
    fn cut<'n>(
        &self,
        buffers: &mut Buffers,
        node: Node<'n>,
        left: Sums,
        (cut, middle): (Cut, Option<usize>),
        forks: u32,
    ) -> Result<Option<Node<'n>>, RankError>
    where
        'a: 'n,
    {
        let Node { view, rows, spare, count, actions, sums, depth, histogram, .. } = node;
        let middle = middle.unwrap_or_else(|| self.columns.partition(view, cut, rows, spare));
        let halves = [spare.split_at_mut(middle), rows.split_at_mut(middle)];
        let [(below, rest), (below_spare, rest_spare)] = halves;
        let mut counts = [below.len() as u64];
        self.ranks.sum(&mut counts)?;
        let counts = [counts[0], count.saturating_sub(counts[0])];
        let is_smaller = counts[0] <= counts[1];
        let few = if is_smaller { &*below } else { &*rest };
        let of_all = if is_smaller { left } else { sums - left };
        let of_few = self.actions.among(view, few, &actions, of_all)?;
        let (of_below, of_rest) = match (is_smaller, actions.minus(&of_few)) {
            (true, of_many) => (of_few, of_many),
            (false, of_many) => (of_many, of_few),
        };
        let child = |rows, spare, count, (actions, sums)| {
            let is_open = self.is_open(depth + 1, sums);
            Node { view, rows, spare, count, actions, sums, depth: depth + 1, is_open, histogram: None }
        };
        let below = child(below, below_spare, counts[0], (of_below, left));
        let rest = child(rest, rest_spare, counts[1], (of_rest, sums - left));
        let (mut smaller, mut larger) = if is_smaller { (below, rest) } else { (rest, below) };
        self.count_children(buffers, histogram, &mut smaller, &mut larger)?;

        let parent = buffers.open();
        let is_big = smaller.rows.len() >= WORTHWHILE;
        let grow_smaller = |buffers: &mut Buffers| self.grow(buffers, smaller, forks.saturating_sub(1));
        let (second, remaining) = self.branch(buffers, is_big, grow_smaller, larger, forks)?;
        let children = [parent + 1, second];
        buffers.nodes[parent as usize] = asked(self.columns.test(cut), children, is_smaller);
        Ok(remaining)
    }

    /// Computes the histograms of the open children of a node that was cut.
    fn count_children(
        &self,
        buffers: &mut Buffers,
        histogram: Option<Histogram>,
        smaller: &mut Node<'_>,
        larger: &mut Node<'_>,
    ) -> Result<(), RankError> {
        let Some(mut histogram) = histogram else { return Ok(()) };
        let (view, few) = (smaller.view, &*smaller.rows);
        let is_larger_counted = self.is_counted(larger);
        if self.is_counted(smaller) {
            let counted = self.counted(buffers, view, few, smaller.sums)?;
            if is_larger_counted {
                histogram.subtract(&counted);
            }
            smaller.histogram = Some(counted);
        } else if is_larger_counted {
            self.remove(buffers, &mut histogram, (view, few), smaller.sums)?;
        }
        if is_larger_counted {
            larger.histogram = Some(self.narrowed(buffers, histogram, larger.sums));
        } else {
            buffers.put(Some(histogram));
        }
        Ok(())
    }

    /// The histogram of some rows with these sums, on all ranks.
    fn counted(
        &self,
        buffers: &mut Buffers,
        view: View<'_>,
        rows: &[u32],
        sums: Sums,
    ) -> Result<Histogram, RankError> {
        let mut histogram = buffers.histogram(self.columns.cells(), sums.h <= self.limit);
        let free = &mut buffers.cells;
        match &mut histogram {
            Histogram::Packed(cells) => self.columns.count(free, view, rows, cells, |word| word),
            Histogram::Wide(cells) => self.columns.count(free, view, rows, cells, Sums::from),
        }
        if self.ranks.are_several() {
            self.shares.add_up(&mut histogram, self.ranks, &mut buffers.numbers)?;
        }
        Ok(histogram)
    }

    /// Subtracts rows with these sums from a histogram.
    fn remove(
        &self,
        buffers: &mut Buffers,
        histogram: &mut Histogram,
        (view, rows): (View<'_>, &[u32]),
        sums: Sums,
    ) -> Result<(), RankError> {
        // The histogram is that of all ranks, and so has to be what is subtracted.
        if self.ranks.are_several() {
            let counted = self.counted(buffers, view, rows, sums)?;
            histogram.subtract(&counted);
            buffers.put(Some(counted));
            return Ok(());
        }
        let free = &mut buffers.cells;
        match histogram {
            Histogram::Packed(cells) => {
                self.columns.count(free, view, rows, cells, |word| Word::default() - word);
            }
            Histogram::Wide(cells) => {
                self.columns.count(free, view, rows, cells, |word| Sums::default() - Sums::from(word));
            }
        }
        Ok(())
    }

    /// The same histogram in words, if they can hold these sums.
    fn narrowed(&self, buffers: &mut Buffers, histogram: Histogram, sums: Sums) -> Histogram {
        if sums.h <= self.limit { buffers.packed(histogram) } else { histogram }
    }

    /// Splits a node on its actions, and grows one child; the other child is returned, or grown by another
    /// thread.
    fn part<'n>(
        &self,
        buffers: &mut Buffers,
        node: Node<'n>,
        question: Question,
        forks: u32,
    ) -> Result<Option<Node<'n>>, RankError>
    where
        'a: 'n,
    {
        let Node { view, rows, spare, count, actions, sums, depth, mut histogram, .. } = node;
        let Parted { first, second, sums_of_first, is_first_below, test } =
            self.actions.part(actions, question);
        let sums_of_second = sums - sums_of_first;
        let depth = depth + 1;
        let [first_open, second_open] = [sums_of_first, sums_of_second].map(|sums| self.is_open(depth, sums));
        let first_counted = first_open && !self.is_kept(depth, count, &first);
        let second_counted = second_open && !self.is_kept(depth, count, &second);
        let made = self.words_made(view, rows, &first);
        let first_words = made.as_deref().or_else(|| self.actions.words_of(&first)).unwrap_or_default();
        let first_view = View { words: first_words, ..view };
        let second_view = match self.actions.words_of(&second) {
            Some(words) => View { words, ..view },
            None => {
                for row in rows.iter() {
                    let [all, this] = [view, first_view].map(|view| &view.words[*row as usize]);
                    (Word::load(all) - Word::load(this)).store(all);
                }
                view
            }
        };
        let counted = match first_counted {
            true => Some(self.counted(buffers, first_view, rows, sums_of_first)?),
            false => None,
        };
        if second_counted {
            let of_second = match (histogram.take(), &counted) {
                (Some(mut all), Some(first)) => {
                    all.subtract(first);
                    self.narrowed(buffers, all, sums_of_second)
                }
                (Some(mut all), None) => {
                    self.remove(buffers, &mut all, (first_view, rows), sums_of_first)?;
                    self.narrowed(buffers, all, sums_of_second)
                }
                (None, _) => self.counted(buffers, second_view, rows, sums_of_second)?,
            };
            histogram = Some(of_second);
        } else {
            buffers.put(histogram.take());
        }
        // A node of all rows has them in order; other rows are copied before they move.
        let is_whole = rows.len() == view.rows;
        let copied = (!is_whole).then(|| {
            let mut copied = self.scratch.take_rows();
            copied.fill(rows.iter().copied());
            copied
        });
        let is_big = rows.len() >= WORTHWHILE;
        let second = Node {
            view: second_view,
            rows,
            spare,
            count,
            actions: second,
            sums: sums_of_second,
            depth,
            is_open: second_open,
            histogram,
        };
        let parent = buffers.open();
        let grow_first = |buffers: &mut Buffers| {
            let mut row_buffers = copied.unwrap_or_else(|| {
                let mut copied = self.scratch.take_rows();
                copied.fill((0..=u32::MAX).take(first_view.rows));
                copied
            });
            let (rows, spare) = row_buffers.both();
            let node = Node {
                view: first_view,
                rows,
                spare,
                count,
                actions: first,
                sums: sums_of_first,
                depth,
                is_open: first_open,
                histogram: counted,
            };
            self.grow(buffers, node, forks.saturating_sub(1))?;
            self.scratch.put_rows(row_buffers);
            Ok(())
        };
        let (place, remaining) = self.branch(buffers, is_big, grow_first, second, forks)?;
        if let Some(made) = made {
            self.scratch.put_words(made);
        }
        buffers.nodes[parent as usize] = asked(test, [parent + 1, place], is_first_below);
        Ok(remaining)
    }

    /// The words of some rows for a node of these actions, where they are not there yet.
    fn words_made(&self, view: View<'_>, rows: &[u32], actions: &Actions) -> Option<Vec<AtomicU64>> {
        if self.actions.words_of(actions).is_some() {
            return None;
        }
        let words = self.scratch.take_words(view.rows);
        let (of_pairs, n) = (self.quanta.all(), self.examples);
        for row in rows {
            let mut sum = Word::default();
            self.actions.each_pair(view, std::slice::from_ref(row), actions, |i, action| {
                sum = sum + Word::load(&of_pairs[action as usize * n + i]);
            });
            sum.store(&words[*row as usize]);
        }
        Some(words)
    }

    /// Grows the first child, and the second one on another thread if that is worthwhile; otherwise returns
    /// the second one. Also returns the place of the second one among the nodes.
    fn branch<'n>(
        &self,
        buffers: &mut Buffers,
        is_big: bool,
        first: impl FnOnce(&mut Buffers) -> Result<(), RankError> + Send,
        second: Node<'n>,
        forks: u32,
    ) -> Result<(u32, Option<Node<'n>>), RankError>
    where
        'a: 'n,
    {
        if !(forks > 0 && is_big && in_pool(1, 1)) {
            first(buffers)?;
            return Ok((buffers.next(), Some(second)));
        }
        let mut other = self.scratch.take_buffers();
        let grown = rayon::join(|| self.grow(&mut other, second, forks - 1), || first(buffers));
        grown.0.and(grown.1)?;
        let place = buffers.append(&mut other);
        self.scratch.put_buffers(other);
        Ok((place, None))
    }

    /// Whether a split's gain, from the unrounded g and h, exceeds the rounding of its sums. After a cut of
    /// rows, the spare buffer has them partitioned, and the number below is returned as well.
    fn gains_before_rounding(
        &self,
        node: &mut Node<'_>,
        split: &Split,
    ) -> Result<(bool, Option<usize>), RankError> {
        let Some(round) = self.round else {
            self.is_unsure.store(true, Relaxed);
            return Ok((false, None));
        };
        let (pairs, view, units) = (pairs(node.count, &node.actions), node.view, self.quanta.units);
        let (parted, middle);
        let sides = match split.question {
            Question::Context(cut) if cut.column < self.columns.len() => {
                let below = self.columns.partition(view, cut, node.rows, node.spare);
                middle = Some(below);
                let (below, rest) = node.spare.split_at(below);
                [(below, &node.actions), (rest, &node.actions)]
            }
            question => {
                middle = None;
                parted = self.actions.part(node.actions.clone(), question);
                let Parted { first, second, is_first_below, .. } = &parted;
                let [below, rest] = if *is_first_below { [first, second] } else { [second, first] };
                [below, rest].map(|actions| (&*node.rows, actions))
            }
        };
        let in_order = sides.map(|(rows, actions)| {
            let mut sums = InOrder::default();
            self.actions.each_pair(view, rows, actions, |i, action| {
                sums.add(Grains::pair(round, units, (i, action)));
            });
            sums
        });
        // Ranks have to agree on their next message, which sums of their own rows do not.
        let is_alone = !self.ranks.are_several();
        if is_alone && ScaledGain::of_sums(in_order.map(|side| side.sums), self.lambda, pairs) {
            return Ok((true, middle));
        }
        let [[g, h], [g_2, h_2]] = in_order.map(|side| side.largest);
        let [g, h, g_2, h_2] = self.ranks.largest([g, h, g_2, h_2])?;
        let grains = [[g, h], [g_2, h_2]].map(|largest| Grains::of(round, units, pairs, largest));
        let in_grains = [0, 1].map(|k| {
            let ((rows, actions), grains) = (sides[k], grains[k]);
            let mut sums = GrainSums::default();
            self.actions.each_pair(view, rows, actions, |i, action| grains.add(&mut sums, (i, action)));
            (grains, sums)
        });
        let sums = Grains::of_all_ranks(in_grains, self.ranks)?;
        Ok((ScaledGain::of_unrounded(sums, self.lambda, pairs), middle))
    }
}

/// A node with these two children, the first of which is below, or for "no", or is not.
fn asked(test: PairNode, [first, second]: [u32; 2], is_first_below: bool) -> PairNode {
    test.with_children(if is_first_below { [first, second] } else { [second, first] })
}
