//! Working memory that a training leaves to the next.

use super::histogram::Histogram;
use super::node::Copied;
use super::sums::{Cell, Sums, Word};
use crate::pairs::PairNode;
use crate::pairs::best_first::Said;
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
    /// Of each node, if they are to be pruned.
    pub(super) said: Vec<Said>,
    packed: Vec<Vec<Word>>,
    wide: Vec<Vec<Sums>>,
}

/// Rows, and room to part them.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    rows: Vec<u32>,
    spare: Vec<u32>,
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
    pub(super) fn histogram(&mut self, cells: usize, is_packed: bool) -> Histogram {
        fn empty<C: Cell>(spare: &mut Vec<Vec<C>>, len: usize) -> Vec<C> {
            let mut cells = spare.pop().unwrap_or_default();
            cells.clear();
            cells.resize(len, C::default());
            cells
        }
        if is_packed {
            Histogram::Packed(empty(&mut self.packed, cells))
        } else {
            Histogram::Wide(empty(&mut self.wide, cells))
        }
    }

    /// The same in words.
    pub(super) fn packed(&mut self, histogram: Histogram) -> Histogram {
        let Histogram::Wide(wide) = histogram else { return histogram };
        let mut cells = self.packed.pop().unwrap_or_default();
        cells.clear();
        cells.extend(wide.iter().map(|sums| Word::from(*sums)));
        self.wide.push(wide);
        Histogram::Packed(cells)
    }

    pub(super) fn put(&mut self, histogram: Option<Histogram>) {
        match histogram {
            Some(Histogram::Packed(cells)) => self.packed.push(cells),
            Some(Histogram::Wide(cells)) => self.wide.push(cells),
            None => {}
        }
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
        self.said.append(&mut other.said);
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
    pub(super) fn fill(&mut self, rows: impl Iterator<Item = u32>) -> (&mut [u32], &mut [u32]) {
        self.rows.clear();
        self.rows.extend(rows);
        let len = self.rows.len();
        self.spare.resize(self.spare.len().max(len), 0);
        (&mut self.rows, &mut self.spare[..len])
    }

    pub(super) fn both(&mut self) -> (&mut [u32], &mut [u32]) {
        let len = self.rows.len();
        (&mut self.rows, &mut self.spare[..len])
    }
}
