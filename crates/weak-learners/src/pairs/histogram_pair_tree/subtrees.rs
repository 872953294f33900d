//! The nodes near the leaves, which one rank each grows on the rows of all.
//!
//! A node that all ranks grow costs three messages, whatever its size. So they grow the top of a tree
//! together, and send the rows of each small node to one of them, as hybrid parallel growth does (Srivastava,
//! Han, Kumar and Singh 1999; the small subtrees of PLANET, Panda et al. 2009). Each rank grows its share of
//! the subtrees alone, with its threads, and sends the values of their pairs back. The sums of a node are
//! whole numbers, so that its subtree is the same wherever it is grown.

use super::actions::{Actions, OneHot};
use super::buffers::{Buffers, Parcels, RowBuffers};
use super::columns::ContextColumns;
use super::grow::{Grower, Node, Root, pairs};
use super::histogram::View;
use super::kept::{Kept, Subtree};
use super::quantise::Quanta;
use super::shares::Shares;
use super::sums::Sums;
use crate::pairs::best_first::SplitRecord;
use crate::pairs::binned_contexts::{BLOCK, Layout, SparseRows};
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

/// The nodes of a subtree, numbered from 0, and their records. There are none where the subtree needs g and
/// h, and had their quanta alone.
#[derive(Debug, Default)]
struct Grown {
    nodes: Vec<PairNode>,
    records: Vec<SplitRecord>,
}

/// Whether the ranks send g and h beside their quanta. Quanta decide all but the closest choices, and are a
/// third of the bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Quanta,
    Unrounded,
}

/// The rows of a subtree on one rank: on this one, or as another has sent them.
enum Rows<'m> {
    Here(&'m [u32]),
    Sent(usize),
}

impl Rows<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Here(rows) => rows.len(),
            Self::Sent(count) => *count,
        }
    }
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
        let mut parcels = top.scratch.take_parcels();
        let grown = top.grow_subtrees(all_columns, &kept, &mut parcels)?;
        top.scratch.put_parcels(parcels);
        buffers.put_in(&kept.subtrees, &grown);
        top.finished(inputs, buffers)
    }

    /// Grows all subtrees, and writes the values of their pairs on this rank.
    fn grow_subtrees(
        &self,
        columns: ContextColumns<'_>,
        kept: &Kept,
        parcels: &mut Parcels,
    ) -> Result<Vec<Grown>, LearnerError> {
        let mut grown: Vec<Grown> = kept.subtrees.iter().map(|_| Grown::default()).collect();
        let mut sent = Sent::Quanta;
        loop {
            let open: Vec<usize> = (0..grown.len()).filter(|k| grown[*k].nodes.is_empty()).collect();
            if open.is_empty() {
                return Ok(grown);
            }
            let mut rest = &open[..];
            while !rest.is_empty() {
                let (wave, later) = rest.split_at(self.wave(kept, rest));
                self.grow_wave(columns, (kept, wave), sent, parcels, &mut grown)?;
                let unsure = wave.iter().filter(|k| grown[**k].nodes.is_empty()).count();
                if 2 * unsure > wave.len() {
                    sent = Sent::Unrounded;
                }
                rest = later;
            }
            sent = Sent::Unrounded;
        }
    }

    /// Grows some subtrees, each on one rank.
    fn grow_wave(
        &self,
        columns: ContextColumns<'_>,
        (kept, wave): (&Kept, &[usize]),
        sent: Sent,
        parcels: &mut Parcels,
        grown: &mut [Grown],
    ) -> Result<(), LearnerError> {
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        // Ranks wait for each other behind every wave.
        let owners = owners(wave.iter().map(|k| &kept.subtrees[*k]), size);
        let wave = || wave.iter().zip(&owners).map(|(k, owner)| (*k, &kept.subtrees[*k], *owner));
        let rows_of = |subtree: &Subtree| &kept.rows[subtree.rows.clone()];
        let mut runs = cleared(&mut parcels.rows, size);
        for (_, subtree, owner) in wave().filter(|(.., owner)| *owner != me) {
            self.pack(subtree, rows_of(subtree), sent, &mut runs[owner]);
        }
        parcels.rows = self.ranks.exchange(runs)?;
        runs = cleared(&mut parcels.values, size);
        let rows = std::mem::take(&mut parcels.rows);
        let mut received: Vec<Message<'_>> = rows.iter().map(|bytes| Message(bytes)).collect();
        for (k, subtree, _) in wave().filter(|(.., owner)| *owner == me) {
            let of_rank = |(rank, message): (usize, &mut Message<'_>)| match rank == me {
                true => Ok(Rows::Here(rows_of(subtree))),
                false => message.count().map(Rows::Sent),
            };
            let counts = received.iter_mut().enumerate().map(of_rank).collect::<Result<Vec<_>, _>>()?;
            grown[k] =
                self.grow_here((columns, subtree), (&counts, &mut received), sent, parcels, &mut runs)?;
        }
        parcels.rows = rows;
        parcels.values = self.ranks.exchange(runs)?;
        let mut received: Vec<Message<'_>> = parcels.values.iter().map(|bytes| Message(bytes)).collect();
        for (k, subtree, owner) in wave().filter(|(.., owner)| *owner != me) {
            let message = &mut received[owner];
            grown[k] = Grown::read(message)?;
            if !grown[k].nodes.is_empty() {
                self.answer(subtree, rows_of(subtree), message)?;
            }
        }
        Ok(())
    }

    /// How many of these subtrees, at least one, have their rows sent together.
    #[allow(clippy::cast_precision_loss, reason = "a bound on memory")]
    fn wave(&self, kept: &Kept, subtrees: &[usize]) -> usize {
        let of_row = (self.columns.layout.groups + 8) as f64;
        let bytes =
            |subtree: &Subtree| subtree.count as f64 * of_row + 16.0 * pairs(subtree.count, &subtree.actions);
        let mut sum = 0.0;
        let fits = |k: &&usize| {
            sum += bytes(&kept.subtrees[**k]);
            sum <= WAVE * self.ranks.size() as f64
        };
        subtrees.iter().take_while(fits).count().max(1)
    }

    /// Appends what the growth of a subtree needs of these rows: their number, their bins, and the quanta of
    /// their pairs, with g and h or without.
    fn pack(&self, subtree: &Subtree, rows: &[u32], sent: Sent, to: &mut Vec<u8>) {
        let (layout, n) = (self.columns.layout, self.examples);
        to.extend((rows.len() as u64).to_le_bytes());
        for block in 0..layout.groups.div_ceil(BLOCK) {
            append_bins(layout, block, rows, to);
        }
        if let Some(sparse) = &layout.sparse {
            for row in rows {
                let cells = sparse.row(*row as usize);
                to.extend((cells.len() as u64).to_le_bytes());
                cells.iter().for_each(|cell| to.extend(cell.to_le_bytes()));
            }
        }
        subtree.actions.each(|action| {
            let words = &self.quanta.all()[action as usize * n..][..n];
            put(to, rows.iter().map(|row| words[*row as usize].load(Relaxed).to_le_bytes()));
        });
        let (Sent::Unrounded, Some(round)) = (sent, self.round) else { return };
        let numbers = |of: &[f64], to: &mut Vec<u8>| {
            put(to, rows.iter().map(|row| of[*row as usize].to_le_bytes()));
        };
        subtree.actions.each(|action| {
            let pairs = action as usize * n..(action as usize + 1) * n;
            numbers(&round.gradients()[pairs.clone()], to);
            if let PairWeights::OfPairs(h) = round.weights() {
                numbers(&h[pairs], to);
            }
        });
        if let PairWeights::OfExamples(h) = round.weights() {
            numbers(h, to);
        }
    }

    /// Grows a subtree on the rows of all ranks. Writes the values of its pairs here, and appends for every
    /// other rank the nodes and its values.
    fn grow_here(
        &self,
        (columns, subtree): (ContextColumns<'_>, &Subtree),
        (rows, from): (&[Rows<'_>], &mut [Message<'_>]),
        sent: Sent,
        parcels: &mut Parcels,
        values: &mut [Vec<u8>],
    ) -> Result<Grown, LearnerError> {
        let n = rows.iter().map(Rows::count).sum::<usize>();
        if n as u64 != subtree.count {
            return Err(RankError::System { reason: "other rows than were announced".to_owned() }.into());
        }
        let Parcels { by_row, words, rest, g, h, .. } = parcels;
        let sparse = self.assemble(rows, from, by_row)?;
        let (k, mut own) = (subtree.actions.len(), Vec::new());
        subtree.actions.each(|action| own.push(action));
        words.resize_with(n.saturating_mul(k), AtomicU64::default);
        let all = self.quanta.all();
        let mut first = 0;
        for (rows, message) in rows.iter().zip(&mut *from) {
            for (a, action) in own.iter().enumerate() {
                let place = &words[a * n + first..][..rows.count()];
                match rows {
                    Rows::Here(rows) => {
                        let all = &all[*action as usize * self.examples..][..self.examples];
                        let own = rows.iter().map(|row| all[*row as usize].load(Relaxed));
                        place.iter().zip(own).for_each(|(word, own)| word.store(own, Relaxed));
                    }
                    Rows::Sent(count) => {
                        let sent = message.list(*count, u64::from_le_bytes)?;
                        place.iter().zip(sent).for_each(|(word, sent)| word.store(sent, Relaxed));
                    }
                }
            }
            first += rows.count();
        }
        let weights = match (sent, self.round) {
            (Sent::Unrounded, Some(round)) => Some(unrounded(round, &own, (rows, from), [g, h])?),
            _ => None,
        };
        let weights = weights.map(|is_of_pairs| match is_of_pairs {
            true => PairWeights::OfPairs(h),
            false => PairWeights::OfExamples(h),
        });
        let round = weights.map(|weights| PairRound::of_rank(n, k, g, weights)).transpose()?;
        let (actions, sums) = match &subtree.actions {
            Actions::One(_) => (Actions::One(0), vec![subtree.sums]),
            Actions::Several(actions) => {
                let sums: Vec<Sums> = actions.iter().map(|(_, sums)| *sums).collect();
                (Actions::Several((0..).zip(sums.iter().copied()).collect()), sums)
            }
        };
        let quanta = self.quanta.of_some([std::mem::take(words), std::mem::take(rest)], sums);
        let mut grown = self.grow_alone(
            (round.as_ref(), n, &quanta),
            (columns, by_row, sparse.as_ref()),
            actions,
            subtree,
        )?;
        for node in &mut grown.nodes {
            if let PairNode::Action { action, .. } = node {
                *action = own[*action as usize];
            }
        }
        let mut first = 0;
        for (rows, values) in rows.iter().zip(values) {
            let of_rank = |a: usize| &quanta.all()[a * n + first..][..rows.count()];
            match rows {
                Rows::Here(_) if grown.nodes.is_empty() => {}
                Rows::Here(rows) => {
                    for (a, action) in own.iter().enumerate() {
                        let all = &all[*action as usize * self.examples..][..self.examples];
                        let of_rank = of_rank(a).iter().zip(*rows);
                        of_rank.for_each(|(word, row)| all[*row as usize].store(word.load(Relaxed), Relaxed));
                    }
                }
                Rows::Sent(_) => {
                    grown.write(values);
                    for a in (0..k).filter(|_| !grown.nodes.is_empty()) {
                        put(values, of_rank(a).iter().map(|word| word.load(Relaxed).to_le_bytes()));
                    }
                }
            }
            first += rows.count();
        }
        [*words, *rest] = quanta.into_words();
        Ok(grown)
    }

    /// The bins of the rows of all ranks: the blocks of a rank lie together in its message, and those of all
    /// ranks here.
    fn assemble(
        &self,
        rows: &[Rows<'_>],
        from: &mut [Message<'_>],
        by_row: &mut Vec<u8>,
    ) -> Result<Option<SparseRows>, RankError> {
        let layout = self.columns.layout;
        let blocks = layout.groups.div_ceil(BLOCK);
        let mut sent = Vec::with_capacity(rows.len() * blocks);
        for (rows, message) in rows.iter().zip(&mut *from) {
            for block in 0..blocks {
                sent.push(match rows {
                    Rows::Here(_) => &[],
                    Rows::Sent(count) => message.bytes(count.saturating_mul(width(layout.groups, block)))?,
                });
            }
        }
        by_row.clear();
        for block in 0..blocks {
            for (rank, rows) in rows.iter().enumerate() {
                match rows {
                    Rows::Here(rows) => append_bins(layout, block, rows, by_row),
                    Rows::Sent(_) => by_row.extend_from_slice(sent[rank * blocks + block]),
                }
            }
        }
        let Some(sparse) = &layout.sparse else { return Ok(None) };
        let mut lists: Vec<Vec<u32>> = Vec::new();
        for (rows, message) in rows.iter().zip(from) {
            match rows {
                Rows::Here(rows) => {
                    lists.extend(rows.iter().map(|row| sparse.row(*row as usize).to_vec()));
                }
                Rows::Sent(count) => {
                    for _ in 0..*count {
                        let cells = message.count()?;
                        lists.push(message.list(cells, u32::from_le_bytes)?.collect());
                    }
                }
            }
        }
        Ok(Some(SparseRows::of(lists.into_iter().map(Vec::into_iter))))
    }

    /// Grows a subtree on so many rows with these bins. Without a round, the choices that need g and h are
    /// not made, and there are no nodes then.
    fn grow_alone(
        &self,
        (round, rows, quanta): (Option<&PairRound<'_>>, usize, &Quanta),
        (columns, by_row, sparse): (ContextColumns<'_>, &[u8], Option<&SparseRows>),
        actions: Actions,
        &Subtree { count, sums, depth, .. }: &Subtree,
    ) -> Result<Grown, RankError> {
        let (ranks, scratch) = (&Ranks::alone(), self.scratch);
        let of_actions = OneHot { quanta, ranks };
        let grower = Grower::of_some(self.growth, (round, rows, quanta), scratch, ranks, columns, of_actions);
        let words = if actions.len() == 1 { quanta.of(0) } else { quanta.rest() };
        let whole = View::whole(columns.layout, words);
        let view = View { rows, by_row, by_group: None, sparse, ..whole };
        let (mut buffers, mut row_buffers) = (scratch.take_buffers(), scratch.take_rows());
        buffers.clear();
        let (rows, spare) = row_buffers.fill((0..=u32::MAX).take(rows));
        let node = Node { view, rows, spare, count, actions, sums, depth, is_open: true, histogram: None };
        grower.grow_counted(&mut buffers, node)?;
        let grown = match grower.is_unsure() {
            true => Grown::default(),
            false => Grown { nodes: buffers.nodes.clone(), records: buffers.records.clone() },
        };
        scratch.put_buffers(buffers);
        scratch.put_rows(row_buffers);
        Ok(grown)
    }

    /// Writes the values of the pairs of a subtree on this rank.
    fn answer(&self, subtree: &Subtree, rows: &[u32], from: &mut Message<'_>) -> Result<(), RankError> {
        let n = self.examples;
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

/// Reads g and h of the pairs of these actions, and whether h is of pairs.
fn unrounded(
    round: &PairRound<'_>,
    actions: &[u32],
    (rows, from): (&[Rows<'_>], &mut [Message<'_>]),
    [g, h]: [&mut Vec<f64>; 2],
) -> Result<bool, RankError> {
    let (n, examples) = (rows.iter().map(Rows::count).sum::<usize>(), round.examples());
    let (is_of_pairs, all_h) = match round.weights() {
        PairWeights::OfPairs(h) => (true, h),
        PairWeights::OfExamples(h) => (false, h),
    };
    g.resize(n * actions.len(), 0.0);
    h.resize(if is_of_pairs { n * actions.len() } else { n }, 0.0);
    let mut first = 0;
    for (rows, message) in rows.iter().zip(from) {
        let count = rows.count();
        let mut fill = |to: &mut [f64], all: &[f64]| match rows {
            Rows::Here(rows) => {
                to.iter_mut().zip(*rows).for_each(|(to, row)| *to = all[*row as usize]);
                Ok(())
            }
            Rows::Sent(_) => message.fill(to),
        };
        for (a, action) in actions.iter().enumerate() {
            let (place, pairs) = (a * n + first, *action as usize * examples);
            fill(&mut g[place..][..count], &round.gradients()[pairs..][..examples])?;
            if is_of_pairs {
                fill(&mut h[place..][..count], &all_h[pairs..][..examples])?;
            }
        }
        if !is_of_pairs {
            fill(&mut h[first..][..count], all_h)?;
        }
        first += count;
    }
    Ok(is_of_pairs)
}

/// Appends the bins of these rows in a block.
fn append_bins(layout: &Layout, block: usize, rows: &[u32], to: &mut Vec<u8>) {
    let width = width(layout.groups, block);
    let bytes = &layout.by_row[layout.rows * BLOCK * block..];
    for (to, row) in room(to, rows.len() * width).chunks_exact_mut(width).zip(rows) {
        // Eight at a time: a call to copy so few bytes costs more.
        let (to, to_last) = to.as_chunks_mut::<8>();
        let (row, row_last) = bytes[*row as usize * width..][..width].as_chunks::<8>();
        to.iter_mut().zip(row).for_each(|(to, row)| *to = *row);
        to_last.iter_mut().zip(row_last).for_each(|(to, row)| *to = *row);
    }
}

/// A run for each rank, empty, in the memory of those before.
fn cleared(runs: &mut Vec<Vec<u8>>, size: usize) -> Vec<Vec<u8>> {
    let mut runs = std::mem::take(runs);
    runs.resize_with(size, Vec::new);
    runs.iter_mut().for_each(Vec::clear);
    runs
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
fn owners<'s>(subtrees: impl Iterator<Item = &'s Subtree>, size: usize) -> Vec<usize> {
    let work: Vec<f64> = subtrees.map(|subtree| pairs(subtree.count, &subtree.actions)).collect();
    let mut order: Vec<usize> = (0..work.len()).collect();
    order.sort_by(|a, b| work[*b].total_cmp(&work[*a]));
    let (mut owners, mut loads) = (vec![0; work.len()], vec![0.0_f64; size]);
    for k in order {
        let least = (0..size).min_by(|a, b| loads[*a].total_cmp(&loads[*b])).unwrap_or_default();
        owners[k] = least;
        loads[least] += work[k];
    }
    owners
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
