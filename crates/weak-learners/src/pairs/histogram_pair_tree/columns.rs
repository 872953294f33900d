//! The columns of the rows of a node.

use super::histogram::{Histogram, View};
use super::split::{Cut, MissingSide, Search};
use super::sums::{Cell, FreeCells, Word};
use crate::pairs::PairNode;
use crate::pairs::binned_contexts::Layout;

/// The columns of the rows of nodes: how a node is counted, searched and split on them.
pub(in crate::pairs) trait Columns: Sync {
    /// The number of columns, which a [`Cut`] counts.
    fn len(&self) -> usize;

    /// The number of cells of a histogram.
    fn cells(&self) -> usize;

    /// Adds `of` the words of some rows to their cells.
    fn count<C: Cell>(
        &self,
        free: &mut FreeCells,
        view: View<'_>,
        rows: &[u32],
        cells: &mut [C],
        of: impl Fn(Word) -> C + Copy,
    );

    /// Considers every cut, with missing values on one side.
    fn search(&self, search: &mut Search, side: MissingSide, histogram: &Histogram);

    /// Writes the rows below a cut to the front of `to`, and the others to its end in reverse; returns the
    /// number below.
    fn partition(&self, view: View<'_>, cut: Cut, from: &[u32], to: &mut [u32]) -> usize;

    /// The node that asks whether a row is below a cut, without its children.
    fn test(&self, cut: Cut) -> PairNode;

    /// Whether a node of so many rows is worth a copy.
    fn is_worth_copying(&self, view: View<'_>, rows: usize) -> bool;
}

/// The columns of contexts: a view has the bins of its rows.
#[derive(Clone, Copy)]
pub(in crate::pairs) struct ContextColumns<'a> {
    /// The layout of all columns, or of those that may be split.
    pub(in crate::pairs) layout: &'a Layout,
    /// The cuts of every feature.
    pub(in crate::pairs) cuts: &'a [Vec<f64>],
    /// Whether a feature of the layout may be split; `None` for all of them.
    pub(in crate::pairs) allowed: Option<&'a [bool]>,
}

/// The bytes of a view up to which no node of it is copied: they stay in the second-level cache.
const COPIED: usize = 1 << 18;

impl Columns for ContextColumns<'_> {
    fn len(&self) -> usize {
        self.layout.columns.len()
    }

    fn cells(&self) -> usize {
        self.layout.cells
    }

    fn count<C: Cell>(
        &self,
        _: &mut FreeCells,
        view: View<'_>,
        rows: &[u32],
        cells: &mut [C],
        of: impl Fn(Word) -> C + Copy,
    ) {
        view.count(rows, cells, of);
    }

    fn search(&self, search: &mut Search, side: MissingSide, histogram: &Histogram) {
        search.cuts(side, (0, 0), self.layout, self.allowed, histogram);
    }

    fn partition(&self, view: View<'_>, cut: Cut, from: &[u32], to: &mut [u32]) -> usize {
        view.partition(cut, from, to)
    }

    fn test(&self, cut: Cut) -> PairNode {
        let column = &self.layout.columns[cut.column];
        cut.test(column, 0, self.cuts[column.feature as usize][usize::from(cut.bin)])
    }

    fn is_worth_copying(&self, view: View<'_>, rows: usize) -> bool {
        view.is_worth_copying(rows, COPIED)
    }
}
