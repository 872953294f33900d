//! Sums per bin.

use super::partition::Record;
use super::quantise::Sums;
use crate::pairs::binned_contexts::{BLOCK, Layout, SparseRows};

/// The cells of all columns of a node, as [`Layout`] places them.
pub(super) type Histogram = Vec<Sums>;

/// Where the bins of the records of a node are: in the contexts, or in a copy of a part of them.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) layout: &'a Layout,
    /// How many rows there are.
    pub(super) rows: usize,
    /// The bytes row by row, a block of groups after the other.
    pub(super) by_row: &'a [u8],
    /// The bytes group by group, where there are such.
    pub(super) by_group: Option<&'a [u8]>,
    pub(super) sparse: Option<&'a SparseRows>,
    /// The row of the sample that each row is, if it is another.
    pub(super) names: Option<&'a [u32]>,
}

impl<'a> View<'a> {
    pub(super) fn whole(layout: &'a Layout) -> Self {
        Self {
            layout,
            rows: layout.rows,
            by_row: &layout.by_row,
            by_group: Some(&layout.by_group),
            sparse: layout.sparse.as_ref(),
            names: None,
        }
    }

    /// The row of the sample.
    pub(super) fn name(&self, row: u32) -> usize {
        self.names.map_or(row, |names| names[row as usize]) as usize
    }

    /// The bytes of a group: that of row i stands at i times the second number.
    pub(super) fn group(&self, group: u32) -> (&'a [u8], usize) {
        let group = group as usize;
        if let Some(bytes) = self.by_group {
            return (&bytes[group * self.rows..][..self.rows], 1);
        }
        let (block, k) = (group / BLOCK, group % BLOCK);
        let width = (self.layout.groups - block * BLOCK).min(BLOCK);
        (&self.by_row[block * BLOCK * self.rows + k..], width)
    }

    /// Whether the rows of so many records are few enough bytes to be worth a copy.
    pub(super) fn is_worth_copying(&self, records: usize, bytes: usize) -> bool {
        self.sparse.is_none() && self.layout.groups <= BLOCK && records * self.layout.groups <= bytes
    }

    /// Adds records to a histogram.
    pub(super) fn count(&self, records: impl Iterator<Item = Record> + Clone, histogram: &mut Histogram) {
        let (groups, listed) = histogram.split_at_mut(self.layout.groups * self.layout.stride);
        match self.layout.stride {
            16 => self.count_groups::<16>(records.clone(), groups),
            32 => self.count_groups::<32>(records.clone(), groups),
            64 => self.count_groups::<64>(records.clone(), groups),
            128 => self.count_groups::<128>(records.clone(), groups),
            _ => self.count_groups::<256>(records.clone(), groups),
        }
        if let Some(sparse) = self.sparse {
            for record in records {
                for cell in sparse.row(record.row as usize) {
                    listed[*cell as usize] += record.sums();
                }
            }
        }
    }

    fn count_groups<const STRIDE: usize>(
        &self,
        records: impl Iterator<Item = Record> + Clone,
        cells: &mut [Sums],
    ) {
        let (cells, _) = cells.as_chunks_mut::<STRIDE>();
        let blocks = cells.chunks_mut(BLOCK).zip(self.by_row.chunks(self.rows * BLOCK));
        for (cells, bytes) in blocks {
            let width = cells.len();
            for record in records.clone() {
                let sums = record.sums();
                let row = &bytes[record.row as usize * width..][..width];
                for (cells, code) in cells.iter_mut().zip(row) {
                    // The codes are below the stride, a power of two; and the mask says so.
                    cells[usize::from(*code) & (STRIDE - 1)] += sums;
                }
            }
        }
    }
}
