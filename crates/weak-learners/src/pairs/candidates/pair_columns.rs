//! The columns of pairs that are rows of their own.

use super::BinnedCandidates;
use super::level::Level;
use crate::pairs::PairNode;
use crate::pairs::histogram_pair_tree::{
    Cell, Columns, Cut, FreeCells, Histogram, MissingSide, Search, View, Word,
};

/// The pairs of a node for each item from which they are added up by item first.
const PAIRS_AN_ITEM: usize = 2;

/// A row is a pair, whose columns are those of its context, its own and those of its item. The rows of a node
/// stand in rising or falling order, so that the pairs of a choice stand together.
pub(super) struct PairColumns<'a> {
    pub(super) sample: &'a BinnedCandidates,
    /// Whether a column may be split; `None` for all of them.
    pub(super) allowed: Option<&'a [bool]>,
}

impl PairColumns<'_> {
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
}

impl Columns for PairColumns<'_> {
    fn len(&self) -> usize {
        self.sample.levels().iter().map(|level| level.layout.columns.len()).sum()
    }

    /// Those of the levels, one after the other.
    fn cells(&self) -> usize {
        self.sample.levels().iter().map(|level| level.layout.cells).sum()
    }

    fn count<C: Cell>(
        &self,
        free: &mut FreeCells,
        view: View<'_>,
        pairs: &[u32],
        mut cells: &mut [C],
        of: impl Fn(Word) -> C + Copy,
    ) {
        let candidates = self.sample.candidates();
        let sums = |pair: &u32| of(Word::load(&view.words[*pair as usize]));
        for (k, level) in self.sample.levels().iter().enumerate() {
            let (own, rest) = std::mem::take(&mut cells).split_at_mut(level.layout.cells);
            cells = rest;
            if level.layout.columns.is_empty() {
                continue;
            }
            match k {
                CONTEXTS => add_runs(level, own, pairs, |pair| candidates.choices()[pair] as usize, sums),
                ITEMS => {
                    let count = level.layout.rows;
                    let row = |pair: usize| level.row_of(candidates.items()[pair]);
                    if pairs.len() < PAIRS_AN_ITEM * count {
                        add_runs(level, own, pairs, row, sums);
                        continue;
                    }
                    let mut of_items: Vec<C> = free.take(count);
                    for pair in pairs {
                        let item = &mut of_items[row(*pair as usize)];
                        *item = *item + sums(pair);
                    }
                    for (item, sums) in of_items.iter().enumerate() {
                        level.add(own, item, *sums);
                    }
                    free.put(of_items);
                }
                _ => pairs.iter().for_each(|pair| level.add(own, *pair as usize, sums(pair))),
            }
        }
    }

    fn search(&self, search: &mut Search, side: MissingSide, histogram: &Histogram) {
        let mut first = (0, 0);
        for level in self.sample.levels() {
            let allowed = self.allowed.map(|allowed| level.among(allowed));
            search.cuts(side, first, &level.layout, allowed, histogram);
            first = (first.0 + level.layout.columns.len(), first.1 + level.layout.cells);
        }
    }

    fn partition(&self, _: View<'_>, cut: Cut, from: &[u32], to: &mut [u32]) -> usize {
        let (level, cut) = self.place(cut);
        let (candidates, columns) = (self.sample.candidates(), &self.sample.levels()[level]);
        match level {
            CONTEXTS => columns.partition(cut, from, to, |pair| candidates.choices()[pair as usize] as usize),
            ITEMS => {
                columns.partition(cut, from, to, |pair| columns.row_of(candidates.items()[pair as usize]))
            }
            _ => columns.partition(cut, from, to, |pair| pair as usize),
        }
    }

    fn test(&self, cut: Cut) -> PairNode {
        let (level, cut) = self.place(cut);
        self.sample.levels()[level].test(cut)
    }

    /// A view has no bins to copy.
    fn is_worth_copying(&self, _: View<'_>, _: usize) -> bool {
        false
    }
}

const CONTEXTS: usize = 0;
const ITEMS: usize = 2;

/// Adds the sums of pairs to the cells of their rows, a run of pairs of one row at once.
fn add_runs<C: Cell>(
    level: &Level,
    cells: &mut [C],
    pairs: &[u32],
    row: impl Fn(usize) -> usize,
    sums: impl Fn(&u32) -> C,
) {
    for run in pairs.chunk_by(|a, b| row(*a as usize) == row(*b as usize)) {
        let all = run.iter().map(&sums).reduce(|all, sums| all + sums);
        if let (Some(all), Some(pair)) = (all, run.first()) {
            level.add(cells, row(*pair as usize), all);
        }
    }
}
