//! The bins of one level of candidates.

use crate::LearnerError;
use crate::Shard;
use crate::batch::binned_columns::cuts_of;
use crate::batch::indicators::checked_indicators;
use crate::pairs::PairNode;
use crate::pairs::binned_contexts::{BLOCK, HasCell, Layout};
use crate::pairs::histogram_pair_tree::{Cell, Cut, part};
use rows::RowMatrix;

/// The columns of contexts, of pairs or of items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    /// The coordinate of its first column in the row of a pair.
    pub(super) first: usize,
    pub(super) cuts: Vec<Vec<f64>>,
    pub(super) layout: Layout,
}

impl Level {
    /// With the indicators of missing values, counted from the first column.
    ///
    /// # Errors
    /// As [`cuts_of`], and [`LearnerError::BadIndicator`].
    pub(super) fn of(
        first: usize,
        matrix: Option<&RowMatrix>,
        bins: usize,
        indicators: &[(usize, usize)],
    ) -> Result<Self, LearnerError> {
        let Some(matrix) = matrix else {
            return Ok(Self { first, cuts: Vec::new(), layout: Layout::default() });
        };
        let indicators = checked_indicators(matrix, indicators).map_err(|error| match error {
            LearnerError::BadIndicator { column, indicator, reason } => {
                LearnerError::BadIndicator { column: first + column, indicator: first + indicator, reason }
            }
            error => error,
        })?;
        let whole = Shard::whole(matrix.len());
        let cuts = cuts_of(matrix, bins, &whole)?;
        let layout = Layout::of(matrix, &cuts, &indicators, &whole)?;
        Ok(Self { first, cuts, layout })
    }

    /// Which of its columns are allowed, by all columns.
    pub(super) fn among<'a>(&self, allowed: &'a [bool]) -> &'a [bool] {
        &allowed[self.first..][..self.cuts.len()]
    }

    /// The node that asks whether a row is below a cut, without its children.
    pub(super) fn test(&self, cut: Cut) -> PairNode {
        let column = &self.layout.columns[cut.column];
        let threshold = self.cuts[column.feature as usize][usize::from(cut.bin)];
        #[allow(clippy::cast_possible_truncation, reason = "at most 2^23 columns")]
        let first = self.first as u32;
        cut.test(column, first, threshold)
    }

    /// The row of an item. The last one stands for every item beyond it.
    #[inline]
    pub(super) fn row_of(&self, item: u32) -> usize {
        (item as usize).min(self.layout.rows.saturating_sub(1))
    }

    /// Adds sums to the cells of a row.
    #[inline]
    pub(super) fn add<C: Cell>(&self, cells: &mut [C], row: usize, sums: C) {
        let layout = &self.layout;
        let mut first = 0;
        for block in (0..layout.groups).step_by(BLOCK) {
            let width = (layout.groups - block).min(BLOCK);
            let codes = &layout.by_row[block * layout.rows + row * width..][..width];
            for code in codes {
                let cell = &mut cells[first + usize::from(*code)];
                *cell = *cell + sums;
                first += layout.stride;
            }
        }
        if let Some(sparse) = &layout.sparse {
            for cell in sparse.row(row) {
                let cell = &mut cells[first + *cell as usize];
                *cell = *cell + sums;
            }
        }
    }

    /// Whether a row is below a cut.
    pub(super) fn side(&self, cut: Cut) -> impl Fn(usize) -> bool + '_ {
        let (own, is_below, missing) = self.sides(cut);
        // The value of a row without one is 0: it leaves the side of 0.
        move |row| (own.of(row) == is_below) != missing.is_some_and(|missing| missing.of(row))
    }

    /// Writes the pairs whose rows are below a cut to the front of `to`, and the others to its end in
    /// reverse. Returns the number below.
    pub(super) fn partition(
        &self,
        cut: Cut,
        from: &[u32],
        to: &mut [u32],
        row: impl Fn(u32) -> usize,
    ) -> usize {
        match self.sides(cut) {
            // The usual case by itself: its loop asks a pair nothing else.
            (HasCell::Group { bytes, start, count, .. }, is_below, None) => {
                let has_cell = |pair: u32| u32::from(bytes[row(pair)]).wrapping_sub(start) < count;
                part(from, to, |pair| has_cell(pair) == is_below)
            }
            _ => {
                let side = self.side(cut);
                part(from, to, |pair| side(row(pair)))
            }
        }
    }

    /// The cells of one side of a cut, whether they are below, and the cell of the rows that change sides.
    fn sides(&self, cut: Cut) -> (HasCell<'_>, bool, Option<HasCell<'_>>) {
        let layout = &self.layout;
        let column = &layout.columns[cut.column];
        let bytes = |group: u32| (&layout.by_group[group as usize * layout.rows..][..layout.rows], 1);
        let has_cell = |place, cells| layout.has_cell(place, cells, bytes, layout.sparse.as_ref());
        let (cells, is_below) = column.side(cut.bin);
        let missing = column.missing.filter(|_| cut.moves_missing);
        let missing = missing.map(|missing| has_cell(missing.place, missing.cell..missing.cell + 1));
        (has_cell(column.place, cells), is_below, missing)
    }
}
