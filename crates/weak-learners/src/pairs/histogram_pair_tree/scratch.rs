//! Working memory that a training leaves to the next.

use super::histogram::Histogram;
use super::node::Copied;
use super::partition::Record;
use super::quantise::Sums;
use crate::pairs::PairNode;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What threads share while a tree grows.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    shelves: Mutex<Shelves>,
}

#[derive(Debug, Default)]
struct Shelves {
    desks: Vec<Desk>,
    copies: Vec<Copied>,
    buffers: Vec<Buffers>,
}

/// What a thread works with: the nodes that it grew, and histograms that nobody needs.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) nodes: Vec<PairNode>,
    spare: Vec<Histogram>,
}

/// The records of an action, and room to part them.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    records: Vec<Record>,
    spare: Vec<Record>,
}

impl Scratch {
    /// Whoever panicked left nothing half done: things are taken out and put in whole.
    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn desk(&self) -> Desk {
        self.shelves().desks.pop().unwrap_or_default()
    }

    pub(super) fn put_desk(&self, desk: Desk) {
        self.shelves().desks.push(desk);
    }

    pub(super) fn copy(&self) -> Copied {
        self.shelves().copies.pop().unwrap_or_default()
    }

    pub(super) fn put_copy(&self, copy: Copied) {
        self.shelves().copies.push(copy);
    }

    pub(super) fn buffers(&self) -> Buffers {
        self.shelves().buffers.pop().unwrap_or_default()
    }

    pub(super) fn put_buffers(&self, buffers: Buffers) {
        self.shelves().buffers.push(buffers);
    }
}

impl Desk {
    /// An empty one.
    pub(super) fn histogram(&mut self, cells: usize) -> Histogram {
        let mut histogram = self.spare.pop().unwrap_or_default();
        histogram.clear();
        histogram.resize(cells, Sums::default());
        histogram
    }

    pub(super) fn put(&mut self, histogram: Option<Histogram>) {
        self.spare.extend(histogram);
    }

    /// Where the next node will stand.
    pub(super) fn next(&self) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "a leaf has a pair of its own")]
        let next = self.nodes.len() as u32;
        next
    }

    /// Makes place for a split.
    pub(super) fn open(&mut self) -> u32 {
        let place = self.next();
        self.nodes.push(PairNode::Leaf { value: 0.0 });
        place
    }

    /// Takes over the nodes of another desk; answers where they begin.
    pub(super) fn append(&mut self, other: &mut Self) -> u32 {
        let first = self.next();
        self.nodes.extend(other.nodes.drain(..).map(|node| match node {
            PairNode::Leaf { value } => PairNode::Leaf { value },
            PairNode::Context { feature, threshold, below, rest } => {
                PairNode::Context { feature, threshold, below: below + first, rest: rest + first }
            }
            PairNode::Action { action, others, this } => {
                PairNode::Action { action, others: others + first, this: this + first }
            }
        }));
        first
    }
}

impl Buffers {
    pub(super) fn resize(&mut self, len: usize) {
        self.records.resize(len, Record::default());
        self.spare.resize(len, Record::default());
    }

    pub(super) fn fill(&mut self, records: impl Iterator<Item = Record>) {
        self.records.clear();
        self.records.extend(records);
        self.spare.resize(self.records.len(), Record::default());
    }

    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    pub(super) fn both(&mut self) -> (&mut [Record], &mut [Record]) {
        let len = self.records.len();
        (&mut self.records, &mut self.spare[..len])
    }
}
