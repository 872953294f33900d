//! Working memory, kept from one training to the next.

use super::histogram::Histogram;
use super::node::RowCopy;
use super::sums::{FreeCells, Word};
use crate::pairs::PairNode;
use crate::pairs::best_first::SplitRecord;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The free buffers, shared by the threads of a training.
#[derive(Debug, Default)]
pub(in crate::pairs) struct Scratch {
    free: Mutex<Free>,
}

#[derive(Debug, Default)]
struct Free {
    buffers: Vec<Buffers>,
    copies: Vec<RowCopy>,
    rows: Vec<RowBuffers>,
    words: Vec<Vec<AtomicU64>>,
    parcels: Parcels,
}

/// The buffers of a thread: the nodes that it grew, and free histograms.
#[derive(Debug, Default)]
pub(in crate::pairs) struct Buffers {
    pub(in crate::pairs) nodes: Vec<PairNode>,
    /// The record of each node, if the tree is to be pruned.
    pub(in crate::pairs) records: Vec<SplitRecord>,
    pub(in crate::pairs) cells: FreeCells,
    /// The message of a histogram.
    pub(in crate::pairs) numbers: Vec<u64>,
}

/// Rows, and a buffer to partition them.
#[derive(Debug, Default)]
pub(in crate::pairs) struct RowBuffers {
    rows: Vec<u32>,
    spare: Vec<u32>,
}

/// The messages and the arrays of the subtrees that ranks grow for each other.
#[derive(Debug, Default)]
pub(super) struct Parcels {
    /// The rows that go to each rank, and then those that have come from each.
    pub(super) rows: Vec<Vec<u8>>,
    /// The nodes and the values of the pairs, alike.
    pub(super) values: Vec<Vec<u8>>,
    pub(super) by_row: Vec<u8>,
    pub(super) words: Vec<AtomicU64>,
    pub(super) rest: Vec<AtomicU64>,
    pub(super) g: Vec<f64>,
    pub(super) h: Vec<f64>,
}

impl Scratch {
    /// A panic leaves no half-done state: buffers are taken and returned whole.
    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::pairs) fn take_buffers(&self) -> Buffers {
        self.free().buffers.pop().unwrap_or_default()
    }

    pub(in crate::pairs) fn put_buffers(&self, buffers: Buffers) {
        self.free().buffers.push(buffers);
    }

    pub(in crate::pairs) fn take_copy(&self) -> RowCopy {
        self.free().copies.pop().unwrap_or_default()
    }

    pub(in crate::pairs) fn put_copy(&self, copy: RowCopy) {
        self.free().copies.push(copy);
    }

    pub(in crate::pairs) fn take_rows(&self) -> RowBuffers {
        self.free().rows.pop().unwrap_or_default()
    }

    pub(in crate::pairs) fn put_rows(&self, rows: RowBuffers) {
        self.free().rows.push(rows);
    }

    /// Words for so many rows, of any content.
    pub(in crate::pairs) fn take_words(&self, rows: usize) -> Vec<AtomicU64> {
        let mut words = self.free().words.pop().unwrap_or_default();
        words.resize_with(rows, AtomicU64::default);
        words
    }

    pub(in crate::pairs) fn put_words(&self, words: Vec<AtomicU64>) {
        self.free().words.push(words);
    }

    pub(super) fn take_parcels(&self) -> Parcels {
        std::mem::take(&mut self.free().parcels)
    }

    pub(super) fn put_parcels(&self, parcels: Parcels) {
        self.free().parcels = parcels;
    }
}

impl Buffers {
    /// Drops what was grown.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.records.clear();
    }

    /// An empty histogram.
    pub(in crate::pairs) fn histogram(&mut self, cells: usize, is_packed: bool) -> Histogram {
        if is_packed {
            Histogram::Packed(self.cells.take(cells))
        } else {
            Histogram::Wide(self.cells.take(cells))
        }
    }

    /// The same histogram in words.
    pub(in crate::pairs) fn packed(&mut self, histogram: Histogram) -> Histogram {
        let Histogram::Wide(wide) = histogram else { return histogram };
        let mut cells: Vec<Word> = self.cells.take(0);
        cells.extend(wide.iter().map(|sums| Word::from(*sums)));
        self.cells.put(wide);
        Histogram::Packed(cells)
    }

    pub(in crate::pairs) fn put(&mut self, histogram: Option<Histogram>) {
        match histogram {
            Some(Histogram::Packed(cells)) => self.cells.put(cells),
            Some(Histogram::Wide(cells)) => self.cells.put(cells),
            None => {}
        }
    }

    /// The place of the next node.
    pub(in crate::pairs) fn next(&self) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "a leaf has a pair of its own")]
        let next = self.nodes.len() as u32;
        next
    }

    /// Reserves the place of a split.
    pub(in crate::pairs) fn open(&mut self) -> u32 {
        let place = self.next();
        self.nodes.push(PairNode::Leaf { value: 0.0 });
        place
    }

    /// Appends the nodes of other buffers; returns where they begin.
    pub(in crate::pairs) fn append(&mut self, other: &mut Self) -> u32 {
        let first = self.next();
        self.records.append(&mut other.records);
        self.nodes.extend(other.nodes.drain(..).map(|node| match node.children() {
            Some(children) => node.with_children(children.map(|child| child + first)),
            None => node,
        }));
        first
    }
}

impl RowBuffers {
    pub(in crate::pairs) fn fill(&mut self, rows: impl Iterator<Item = u32>) -> (&mut [u32], &mut [u32]) {
        self.rows.clear();
        self.rows.extend(rows);
        let len = self.rows.len();
        self.spare.resize(self.spare.len().max(len), 0);
        (&mut self.rows, &mut self.spare[..len])
    }

    pub(in crate::pairs) fn both(&mut self) -> (&mut [u32], &mut [u32]) {
        let len = self.rows.len();
        (&mut self.rows, &mut self.spare[..len])
    }
}
