//! The nodes near the leaves, which one rank each grows on the rows of all.
//!
//! A node that all ranks grow costs three messages, whatever its size. So they grow the top of a tree
//! together, and send the rows of each small node to one of them, as hybrid parallel growth does (Srivastava,
//! Han, Kumar and Singh 1999; the small subtrees of PLANET, Panda et al. 2009). Each rank grows its share of
//! the subtrees alone, with its threads, and sends the values of their pairs back. The sums of a node are
//! whole numbers, so that its subtree is the same wherever it is grown.

use super::actions::{Actions, OneHot};
use super::buffers::{Buffers, RowBuffers};
use super::columns::ContextColumns;
use super::grow::{Grower, Node, Root, pairs};
use super::histogram::View;
use super::kept::{Kept, Subtree};
use super::quantise::Quanta;
use super::shares::Shares;
use super::sums::Sums;
use crate::pairs::best_first::SplitRecord;
use crate::pairs::binned_contexts::{BLOCK, SparseRows};
use crate::pairs::{PairNode, PairRound, PairTree, PairWeights};
use crate::{LearnerError, RankError, Ranks};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A node is small with at most one part in so many of the pairs of a rank. Many parts are shared out more
/// evenly; but they are the fewer, the more ranks there are, because the messages of the top are those of all
/// their parts.
fn parts(ranks: f64) -> f64 {
    (64.0 / ranks).clamp(4.0, 16.0)
}

/// A node of so few pairs is always small.
const FEW: f64 = 512.0;
/// The bytes of the rows that all ranks send each other at a time, for each of them: so few that they stay in
/// the cache, and that the allocator keeps their memory.
const WAVE: f64 = 16_777_216.0;

/// The nodes of a subtree, numbered from 0, and their records.
#[derive(Debug, Default)]
struct Grown {
    nodes: Vec<PairNode>,
    records: Vec<SplitRecord>,
}

impl Grower<'_, ContextColumns<'_>, OneHot<'_>> {
    /// The tree on the rows of several ranks, as [`tree`](Grower::tree) grows it on those of one.
    pub(super) fn tree_of_ranks(
        self,
        inputs: usize,
        root: Root<'_>,
        row_buffers: &mut RowBuffers,
    ) -> Result<(PairTree, bool), LearnerError> {
        #[allow(clippy::cast_precision_loss, reason = "a number of ranks")]
        let ranks = self.ranks.size() as f64;
        let all = pairs(root.count as u64, &root.actions);
        let all_columns = self.columns;
        let ContextColumns { layout, allowed, .. } = all_columns;
        let shares = Shares::of(layout, self.ranks.size());
        let own = shares.features(layout, allowed, self.ranks.rank());
        let columns = ContextColumns { allowed: Some(&own), ..self.columns };
        let top = self.of_rank((all / (parts(ranks) * ranks)).max(FEW), shares, columns);
        let mut buffers = top.nodes(root, row_buffers)?;
        let kept = top.kept();
        let grown = top.grow_subtrees(all_columns, &kept)?;
        buffers.put_in(&kept.subtrees, &grown);
        top.finished(inputs, buffers)
    }

    /// Grows all subtrees, and writes the values of their pairs on this rank.
    fn grow_subtrees(
        &self,
        columns: ContextColumns<'_>,
        Kept { subtrees, rows: rows_of_subtrees }: &Kept,
    ) -> Result<Vec<Grown>, LearnerError> {
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        let mut all = Vec::with_capacity(subtrees.len());
        let mut rest = &subtrees[..];
        while !rest.is_empty() {
            let (wave, later) = rest.split_at(self.wave(rest, size));
            // Ranks wait for each other behind every wave.
            let owners = owners(wave, size);
            rest = later;
            let mut sent = vec![Vec::new(); size];
            for (subtree, owner) in wave.iter().zip(&owners) {
                self.pack(subtree, &rows_of_subtrees[subtree.rows.clone()], &mut sent[*owner]);
            }
            let sent = exchanged(self.ranks, sent)?;
            let mut received: Vec<Message<'_>> = sent.iter().map(|bytes| Message(bytes)).collect();
            let (mut values, mut nodes) = (vec![Vec::new(); size], Vec::new());
            for (subtree, _) in wave.iter().zip(&owners).filter(|(_, owner)| **owner == me) {
                self.grow_here((columns, subtree), &mut received, &mut values)?.write(&mut nodes);
            }
            let (values, nodes) = (exchanged(self.ranks, values)?, gathered(self.ranks, nodes)?);
            let mut values: Vec<Message<'_>> = values.iter().map(|bytes| Message(bytes)).collect();
            let mut nodes: Vec<Message<'_>> = nodes.iter().map(|bytes| Message(bytes)).collect();
            for (subtree, owner) in wave.iter().zip(&owners) {
                self.answer(subtree, &rows_of_subtrees[subtree.rows.clone()], &mut values[*owner])?;
                all.push(Grown::read(&mut nodes[*owner])?);
            }
        }
        Ok(all)
    }

    /// The number of subtrees, at least one, whose rows are sent together.
    #[allow(clippy::cast_precision_loss, reason = "a bound on memory")]
    fn wave(&self, subtrees: &[Subtree], size: usize) -> usize {
        let of_row = (self.columns.layout.groups + 8) as f64;
        let bytes =
            |subtree: &Subtree| subtree.count as f64 * of_row + 16.0 * pairs(subtree.count, &subtree.actions);
        let mut sum = 0.0;
        let fits = |subtree: &&Subtree| {
            sum += bytes(subtree);
            sum <= WAVE * size as f64
        };
        subtrees.iter().take_while(fits).count().max(1)
    }

    /// Appends what the growth of a subtree needs of these rows: their number, their bins, and the quanta, g
    /// and h of their pairs.
    fn pack(&self, subtree: &Subtree, rows: &[u32], to: &mut Vec<u8>) {
        let (layout, n) = (self.columns.layout, self.round.examples());
        to.extend((rows.len() as u64).to_le_bytes());
        for (block, bytes) in layout.by_row.chunks((layout.rows * BLOCK).max(1)).enumerate() {
            let width = width(layout.groups, block);
            let of_row = |row: u32| &bytes[row as usize * width..][..width];
            for (to, row) in room(to, rows.len() * width).chunks_exact_mut(width).zip(rows) {
                // Eight at a time: a call to copy so few bytes costs more.
                let ((to, to_last), (row, row_last)) =
                    (to.as_chunks_mut::<8>(), of_row(*row).as_chunks::<8>());
                to.iter_mut().zip(row).for_each(|(to, row)| *to = *row);
                to_last.iter_mut().zip(row_last).for_each(|(to, row)| *to = *row);
            }
        }
        if let Some(sparse) = &layout.sparse {
            for row in rows {
                let cells = sparse.row(*row as usize);
                to.extend((cells.len() as u64).to_le_bytes());
                cells.iter().for_each(|cell| to.extend(cell.to_le_bytes()));
            }
        }
        let numbers = |of: &[f64], to: &mut Vec<u8>| {
            put(to, rows.iter().map(|row| of[*row as usize].to_le_bytes()));
        };
        subtree.actions.each(|action| {
            let pairs = action as usize * n..(action as usize + 1) * n;
            let words = &self.quanta.all()[pairs.clone()];
            put(to, rows.iter().map(|row| words[*row as usize].load(Relaxed).to_le_bytes()));
            numbers(&self.round.gradients()[pairs.clone()], to);
            if let PairWeights::OfPairs(h) = self.round.weights() {
                numbers(&h[pairs], to);
            }
        });
        if let PairWeights::OfExamples(h) = self.round.weights() {
            numbers(h, to);
        }
    }

    /// Grows a subtree on the rows of all ranks, and appends for each rank the values of its pairs.
    fn grow_here(
        &self,
        (columns, subtree): (ContextColumns<'_>, &Subtree),
        from: &mut [Message<'_>],
        values: &mut [Vec<u8>],
    ) -> Result<Grown, LearnerError> {
        let layout = self.columns.layout;
        let counts = from.iter_mut().map(Message::count).collect::<Result<Vec<usize>, _>>()?;
        let n = counts.iter().sum::<usize>();
        let mut by_row = Vec::with_capacity(n * layout.groups);
        // The blocks of a rank lie together, and here those of all ranks.
        let mut blocks: Vec<Vec<&[u8]>> = vec![Vec::new(); layout.groups.div_ceil(BLOCK)];
        for (message, count) in from.iter_mut().zip(&counts) {
            for (block, parts) in blocks.iter_mut().enumerate() {
                parts.push(message.bytes(count * width(layout.groups, block))?);
            }
        }
        blocks.iter().flatten().for_each(|part| by_row.extend_from_slice(part));
        let sparse = match &layout.sparse {
            None => None,
            Some(_) => {
                let mut rows = Vec::with_capacity(n);
                for (message, count) in from.iter_mut().zip(&counts) {
                    for _ in 0..*count {
                        let cells = message.count()?;
                        rows.push(message.list(cells, u32::from_le_bytes)?);
                    }
                }
                Some(SparseRows::of(rows.into_iter()))
            }
        };
        let (k, mut own) = (subtree.actions.len(), Vec::new());
        subtree.actions.each(|action| own.push(action));
        let is_of_pairs = matches!(self.round.weights(), PairWeights::OfPairs(_));
        let mut words = Vec::new();
        words.resize_with(n * k, AtomicU64::default);
        let (mut g, mut h) = (vec![0.0; n * k], vec![0.0; if is_of_pairs { n * k } else { n }]);
        let mut first = 0;
        for (message, count) in from.iter_mut().zip(&counts) {
            for a in 0..k {
                let place = a * n + first;
                let read = message.list(*count, u64::from_le_bytes)?;
                words[place..].iter().zip(read).for_each(|(word, read)| word.store(read, Relaxed));
                message.fill(&mut g[place..place + count])?;
                if is_of_pairs {
                    message.fill(&mut h[place..place + count])?;
                }
            }
            if !is_of_pairs {
                message.fill(&mut h[first..first + count])?;
            }
            first += count;
        }
        let weights = if is_of_pairs { PairWeights::OfPairs(&h) } else { PairWeights::OfExamples(&h) };
        let round = PairRound::of_rank(n, k, &g, weights)?;
        let (actions, sums) = match &subtree.actions {
            Actions::One(_) => (Actions::One(0), vec![subtree.sums]),
            Actions::Several(actions) => {
                let sums: Vec<Sums> = actions.iter().map(|(_, sums)| *sums).collect();
                (Actions::Several((0..).zip(sums.iter().copied()).collect()), sums)
            }
        };
        let quanta = self.quanta.of_some(words, sums);
        let mut grown =
            self.grow_alone((&round, &quanta), (columns, &by_row, sparse.as_ref()), actions, subtree)?;
        for node in &mut grown.nodes {
            if let PairNode::Action { action, .. } = node {
                *action = own[*action as usize];
            }
        }
        let mut first = 0;
        for (values, count) in values.iter_mut().zip(&counts) {
            for a in 0..k {
                let words = &quanta.all()[a * n + first..][..*count];
                put(values, words.iter().map(|word| word.load(Relaxed).to_le_bytes()));
            }
            first += count;
        }
        Ok(grown)
    }

    /// Grows a subtree on rows with these bins.
    fn grow_alone(
        &self,
        (round, quanta): (&PairRound<'_>, &Quanta),
        (columns, by_row, sparse): (ContextColumns<'_>, &[u8], Option<&SparseRows>),
        actions: Actions,
        &Subtree { count, sums, depth, .. }: &Subtree,
    ) -> Result<Grown, RankError> {
        let (ranks, scratch) = (&Ranks::alone(), self.scratch);
        let of_actions = OneHot { quanta, ranks };
        let grower = Grower::new(self.growth, (round, quanta), scratch, ranks, columns, of_actions);
        let words = if actions.len() == 1 { quanta.of(0) } else { quanta.rest() };
        let rows = round.examples();
        let whole = View::whole(columns.layout, words);
        let view = View { rows, by_row, by_group: None, sparse, ..whole };
        let (mut buffers, mut row_buffers) = (scratch.take_buffers(), scratch.take_rows());
        buffers.clear();
        let (rows, spare) = row_buffers.fill((0..=u32::MAX).take(rows));
        let node = Node { view, rows, spare, count, actions, sums, depth, is_open: true, histogram: None };
        grower.grow_counted(&mut buffers, node)?;
        let grown = Grown { nodes: buffers.nodes.clone(), records: buffers.records.clone() };
        scratch.put_buffers(buffers);
        scratch.put_rows(row_buffers);
        Ok(grown)
    }

    /// Writes the values of the pairs of a subtree on this rank.
    fn answer(&self, subtree: &Subtree, rows: &[u32], from: &mut Message<'_>) -> Result<(), RankError> {
        let n = self.round.examples();
        let mut result = Ok(());
        subtree.actions.each(|action| match from.list(rows.len(), u64::from_le_bytes) {
            Err(error) => result = Err(error),
            Ok(values) => {
                let words = &self.quanta.all()[action as usize * n..];
                rows.iter().zip(values).for_each(|(row, value)| words[*row as usize].store(value, Relaxed));
            }
        });
        result
    }
}

/// So many further bytes.
fn room(to: &mut Vec<u8>, bytes: usize) -> &mut [u8] {
    let before = to.len();
    to.resize(before + bytes, 0);
    &mut to[before..]
}

/// Appends numbers. A push of each would ask for room each time.
fn put(to: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = [u8; 8]>) {
    let (room, _) = room(to, 8 * numbers.len()).as_chunks_mut::<8>();
    room.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
}

/// The bytes of a row in a block.
fn width(groups: usize, block: usize) -> usize {
    (groups - block * BLOCK).min(BLOCK)
}

/// The rank that grows each subtree: the largest first, each by the rank that has least.
fn owners(subtrees: &[Subtree], size: usize) -> Vec<usize> {
    let work = |k: usize| pairs(subtrees[k].count, &subtrees[k].actions);
    let mut order: Vec<usize> = (0..subtrees.len()).collect();
    order.sort_by(|a, b| work(*b).total_cmp(&work(*a)));
    let (mut owners, mut loads) = (vec![0; subtrees.len()], vec![0.0_f64; size]);
    for k in order {
        let least = (0..size).min_by(|a, b| loads[*a].total_cmp(&loads[*b])).unwrap_or_default();
        owners[k] = least;
        loads[least] += work(k);
    }
    owners
}

/// What each rank has sent to this one. Its own part, the largest, stays where it is.
fn exchanged(ranks: &Ranks, mut to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, RankError> {
    let own = to.get_mut(ranks.rank()).map(std::mem::take);
    let mut from = ranks.exchange(to)?;
    from.get_mut(ranks.rank()).into_iter().zip(own).for_each(|(from, own)| *from = own);
    Ok(from)
}

/// The bytes of every rank, each apart.
fn gathered(ranks: &Ranks, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, RankError> {
    let lengths = ranks.gather((bytes.len() as u64).to_le_bytes().to_vec())?;
    let all = ranks.gather(bytes)?;
    let (mut lengths, mut all) = (Message(&lengths), Message(&all));
    (0..ranks.size())
        .map(|_| lengths.count().and_then(|length| all.bytes(length)).map(<[u8]>::to_vec))
        .collect()
}

impl Buffers {
    /// Puts the subtrees in their places among the nodes of the top, which come in the order of a walk that
    /// sees a node before its children.
    fn put_in(&mut self, subtrees: &[Subtree], grown: &[Grown]) {
        if grown.is_empty() {
            return;
        }
        let (top, records) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.records));
        let mut places = Vec::with_capacity(top.len());
        let (mut next, mut coming) = (0_u32, subtrees.iter().zip(grown).peekable());
        for place in 0..top.len() {
            places.push(next);
            let here = coming.next_if(|(subtree, _)| subtree.place as usize == place);
            #[allow(clippy::cast_possible_truncation, reason = "a leaf has a pair of its own")]
            let size = here.map_or(1, |(_, grown)| grown.nodes.len() as u32);
            next += size;
        }
        let mut coming = subtrees.iter().zip(grown).peekable();
        for (place, node) in top.into_iter().enumerate() {
            if let Some((_, grown)) = coming.next_if(|(subtree, _)| subtree.place as usize == place) {
                let first = places[place];
                self.nodes.extend(grown.nodes.iter().map(|node| moved(*node, |child| child + first)));
                self.records.extend_from_slice(&grown.records);
            } else {
                self.nodes.push(moved(node, |child| places[child as usize]));
                self.records.extend(records.get(place));
            }
        }
    }
}

/// The same node with its children elsewhere.
fn moved(node: PairNode, to: impl Fn(u32) -> u32) -> PairNode {
    node.children().map_or(node, |children| node.with_children(children.map(to)))
}

impl Grown {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend((self.nodes.len() as u64).to_le_bytes());
        for node in &self.nodes {
            let (kind, number, [a, b, c, d]) = match *node {
                PairNode::Leaf { value } => (0, value, [0; 4]),
                PairNode::Context { feature, threshold, below, rest } => {
                    (1, threshold, [feature, below, rest, 0])
                }
                PairNode::ContextOrMissing { feature, threshold, indicator, missing_below, below, rest } => {
                    (2 + u8::from(missing_below), threshold, [feature, below, rest, indicator])
                }
                PairNode::Action { action, others, this } => (4, 0.0, [action, others, this, 0]),
            };
            to.push(kind);
            to.extend(number.to_le_bytes());
            [a, b, c, d].iter().for_each(|number| to.extend(number.to_le_bytes()));
        }
        to.extend((self.records.len() as u64).to_le_bytes());
        self.records.iter().for_each(|record| to.extend(record.to_bytes()));
    }

    fn read(from: &mut Message<'_>) -> Result<Self, RankError> {
        let (nodes, mut grown) = (from.count()?, Self::default());
        for _ in 0..nodes {
            let kind = from.array::<1>()?[0];
            let number = f64::from_le_bytes(from.array()?);
            let mut numbers = [0; 4];
            for number in &mut numbers {
                *number = u32::from_le_bytes(from.array()?);
            }
            let [feature, below, rest, indicator] = numbers;
            let threshold = number;
            grown.nodes.push(match kind {
                0 => PairNode::Leaf { value: number },
                1 => PairNode::Context { feature, threshold, below, rest },
                4 => PairNode::Action { action: feature, others: below, this: rest },
                _ => {
                    let missing_below = kind == 3;
                    PairNode::ContextOrMissing { feature, threshold, indicator, missing_below, below, rest }
                }
            });
        }
        for _ in 0..from.count()? {
            grown.records.push(SplitRecord::of_bytes(from.array()?));
        }
        Ok(grown)
    }
}

/// What is left of the bytes that a rank has sent.
struct Message<'m>(&'m [u8]);

impl<'m> Message<'m> {
    fn bytes(&mut self, length: usize) -> Result<&'m [u8], RankError> {
        let cut = || RankError::System { reason: "a message ends too early".to_owned() };
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(cut)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RankError> {
        let bytes = self.bytes(N)?;
        Ok(std::array::from_fn(|k| bytes[k]))
    }

    fn count(&mut self) -> Result<usize, RankError> {
        // It was the length of a list on another rank.
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a length that is too large is found where it ends"
        )]
        self.array().map(|bytes| u64::from_le_bytes(bytes) as usize)
    }

    /// So many numbers of N bytes.
    fn list<const N: usize, T>(
        &mut self,
        count: usize,
        of: fn([u8; N]) -> T,
    ) -> Result<impl Iterator<Item = T> + use<'m, N, T>, RankError> {
        let (bytes, _) = self.bytes(count.saturating_mul(N))?.as_chunks::<N>();
        Ok(bytes.iter().map(move |bytes| of(*bytes)))
    }

    fn fill(&mut self, numbers: &mut [f64]) -> Result<(), RankError> {
        let read = self.list(numbers.len(), f64::from_le_bytes)?;
        numbers.iter_mut().zip(read).for_each(|(number, read)| *number = read);
        Ok(())
    }
}
