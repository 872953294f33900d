//! The nodes that ranks keep for one of them.

use super::actions::Actions;
use super::sums::Sums;
use std::ops::Range;

/// The nodes that are kept, in the order of their places, and their rows on this rank.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) subtrees: Vec<Subtree>,
    pub(super) rows: Vec<u32>,
}

/// A node that is kept for one of the ranks.
#[derive(Debug)]
pub(super) struct Subtree {
    /// Its place among the nodes of the top.
    pub(super) place: u32,
    /// The places of its rows on this rank in the list of all such rows.
    pub(super) rows: Range<usize>,
    /// The number of its rows on all ranks.
    pub(super) count: u64,
    pub(super) actions: Actions,
    pub(super) sums: Sums,
    pub(super) depth: u32,
}
