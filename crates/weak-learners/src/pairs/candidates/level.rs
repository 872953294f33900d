//! The bins of one level of candidates.

use crate::LearnerError;
use crate::batch::binned_columns::cuts_of;
use crate::pairs::PairNode;
use crate::pairs::binned_contexts::{BLOCK, Layout, Place};
use crate::pairs::histogram_pair_tree::{Cell, Cut};
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
    /// # Errors
    /// As [`cuts_of`].
    pub(super) fn of(first: usize, matrix: Option<&RowMatrix>, bins: usize) -> Result<Self, LearnerError> {
        let Some(matrix) = matrix else {
            return Ok(Self { first, cuts: Vec::new(), layout: Layout::default() });
        };
        let cuts = cuts_of(matrix, bins)?;
        let layout = Layout::of(matrix, &cuts);
        Ok(Self { first, cuts, layout })
    }

    /// Which of its columns are allowed, by all columns.
    pub(super) fn among<'a>(&self, allowed: &'a [bool]) -> &'a [bool] {
        &allowed[self.first..][..self.cuts.len()]
    }

    /// The node that asks whether a row is below a cut, without its children.
    pub(super) fn test(&self, cut: Cut) -> PairNode {
        let own = self.layout.columns[cut.column].feature;
        let threshold = self.cuts[own as usize][usize::from(cut.bin)];
        #[allow(clippy::cast_possible_truncation, reason = "at most 2^23 columns")]
        let feature = self.first as u32 + own;
        PairNode::Context { feature, threshold, below: 0, rest: 0 }
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
        let layout = &self.layout;
        let column = &layout.columns[cut.column];
        let mut is_below_by_code = [false; 256];
        let (mut bytes, mut listed) = (&[][..], None);
        match column.place {
            Place::Group(group) => {
                let (cells, is_below) = column.side(cut.bin);
                let first = group as usize * layout.stride;
                is_below_by_code.fill(!is_below);
                is_below_by_code[cells.start as usize - first..cells.end as usize - first].fill(is_below);
                bytes = &layout.by_group[group as usize * layout.rows..][..layout.rows];
            }
            Place::Listed => listed = layout.sparse.as_ref(),
        }
        #[allow(clippy::cast_possible_truncation, reason = "a cell is a u32")]
        let first = column.first.wrapping_sub((layout.groups * layout.stride) as u32);
        let coded = u32::from(column.bins) - 1;
        let hole_is_below = column.hole <= cut.bin;
        move |row| match listed {
            None => is_below_by_code[usize::from(bytes[row])],
            Some(sparse) => {
                let cells = sparse.row(row);
                match cells.get(cells.partition_point(|cell| *cell < first)) {
                    Some(cell) if cell - first < coded => column.bin(cell - first + column.first) <= cut.bin,
                    _ => hole_is_below,
                }
            }
        }
    }
}
