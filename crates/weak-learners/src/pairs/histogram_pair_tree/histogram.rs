//! Sums per bin.

use super::sums::{Cell, Sums, Word};
use crate::pairs::binned_contexts::{BLOCK, Layout, SparseRows};
use rows::numeric::vectorised;
use std::sync::atomic::AtomicU64;

/// Rows whose first bytes and quanta are loaded before any of them is counted, so that the loads overlap.
const AHEAD: usize = 32;

/// The ratio of a view's rows to a node's from which the node is copied: a cache line then seldom holds two
/// of its rows.
const FEWER: usize = 4;

/// The cells of all columns of a node, as [`Layout`] places them: words where they can hold all its pairs.
#[derive(Debug)]
pub(in crate::pairs) enum Histogram {
    Packed(Vec<Word>),
    Wide(Vec<Sums>),
}

impl Histogram {
    /// Subtracts a counted part.
    pub(in crate::pairs) fn subtract(&mut self, part: &Self) {
        fn subtract<C: Cell, P: Copy + Into<C>>(all: &mut [C], part: &[P]) {
            vectorised(
                #[inline(always)]
                || {
                    for (all, part) in all.iter_mut().zip(part) {
                        *all = *all - (*part).into();
                    }
                },
            );
        }
        match (self, part) {
            (Self::Packed(all), Self::Packed(part)) => subtract(all, part),
            (Self::Packed(all), Self::Wide(part)) => subtract(all, part),
            (Self::Wide(all), Self::Packed(part)) => subtract(all, part),
            (Self::Wide(all), Self::Wide(part)) => subtract(all, part),
        }
    }
}

/// The bins and the quanta of the rows of a node: in the contexts, or in a copy of a part of them.
#[derive(Clone, Copy)]
pub(in crate::pairs) struct View<'a> {
    pub(in crate::pairs) layout: &'a Layout,
    /// The number of rows.
    pub(in crate::pairs) rows: usize,
    /// The bytes row by row, a block of groups after the other.
    pub(in crate::pairs) by_row: &'a [u8],
    /// The bytes group by group; `None` in a copy.
    pub(in crate::pairs) by_group: Option<&'a [u8]>,
    pub(in crate::pairs) sparse: Option<&'a SparseRows>,
    /// The quanta of every row, summed over the actions of the node.
    pub(in crate::pairs) words: &'a [AtomicU64],
    /// The row of the sample for each row of a copy.
    pub(in crate::pairs) sample_rows: Option<&'a [u32]>,
}

impl<'a> View<'a> {
    pub(in crate::pairs) fn whole(layout: &'a Layout, words: &'a [AtomicU64]) -> Self {
        Self {
            layout,
            rows: layout.rows,
            by_row: &layout.by_row,
            by_group: Some(&layout.by_group),
            sparse: layout.sparse.as_ref(),
            words,
            sample_rows: None,
        }
    }

    /// Rows whose bins stand elsewhere.
    pub(in crate::pairs) fn of_words(layout: &'a Layout, words: &'a [AtomicU64]) -> Self {
        let rows = words.len();
        Self { layout, rows, by_row: &[], by_group: None, sparse: None, words, sample_rows: None }
    }

    /// The row of the sample.
    pub(in crate::pairs) fn sample_row(&self, row: u32) -> usize {
        self.sample_rows.map_or(row, |rows| rows[row as usize]) as usize
    }

    /// The bytes of a group, and their step: row i has byte i·step.
    pub(in crate::pairs) fn group(&self, group: u32) -> (&'a [u8], usize) {
        let group = group as usize;
        if let Some(bytes) = self.by_group {
            return (&bytes[group * self.rows..][..self.rows], 1);
        }
        let (block, k) = (group / BLOCK, group % BLOCK);
        let width = (self.layout.groups - block * BLOCK).min(BLOCK);
        (&self.by_row[block * BLOCK * self.rows + k..], width)
    }

    /// Whether so many rows are worth a copy: few of many, in a view of more than so many bytes.
    pub(in crate::pairs) fn is_worth_copying(&self, rows: usize, bytes: usize) -> bool {
        let is_narrow = self.sparse.is_none() && self.layout.groups <= BLOCK;
        is_narrow && rows > 0 && rows * FEWER <= self.rows && self.rows * self.layout.groups > bytes
    }

    /// Adds `of` the words of some rows to their cells.
    pub(in crate::pairs) fn count<C: Cell>(
        &self,
        rows: &[u32],
        histogram: &mut [C],
        of: impl Fn(Word) -> C + Copy,
    ) {
        // A node of all ranks may have no rows on one.
        if rows.is_empty() {
            return;
        }
        let (groups, listed) = histogram.split_at_mut(self.layout.groups * self.layout.stride);
        match self.layout.stride {
            16 => self.count_groups::<16, C>(rows, groups, of),
            32 => self.count_groups::<32, C>(rows, groups, of),
            64 => self.count_groups::<64, C>(rows, groups, of),
            128 => self.count_groups::<128, C>(rows, groups, of),
            _ => self.count_groups::<256, C>(rows, groups, of),
        }
        if let Some(sparse) = self.sparse {
            for row in rows {
                let sums = of(Word::load(&self.words[*row as usize]));
                for cell in sparse.row(*row as usize) {
                    let cell = &mut listed[*cell as usize];
                    *cell = *cell + sums;
                }
            }
        }
    }

    fn count_groups<const STRIDE: usize, C: Cell>(
        &self,
        rows: &[u32],
        cells: &mut [C],
        of: impl Fn(Word) -> C,
    ) {
        let (cells, _) = cells.as_chunks_mut::<STRIDE>();
        let blocks = cells.chunks_mut(BLOCK).zip(self.by_row.chunks(self.rows * BLOCK));
        for (cells, bytes) in blocks {
            let width = cells.len();
            let (by_four, last) = cells.as_chunks_mut::<4>();
            let mut sums = [C::default(); AHEAD];
            for rows in rows.chunks(AHEAD) {
                let mut touched = 0;
                for (row, sums) in rows.iter().zip(&mut sums) {
                    *sums = of(Word::load(&self.words[*row as usize]));
                    touched ^= bytes[*row as usize * width];
                }
                std::hint::black_box(touched);
                for (row, sums) in rows.iter().zip(&sums) {
                    // The codes are below the stride, a power of two; the mask tells the compiler.
                    let add = |cells: &mut [C; STRIDE], code: u8| {
                        let cell = &mut cells[usize::from(code) & (STRIDE - 1)];
                        *cell = *cell + *sums;
                    };
                    let codes = &bytes[*row as usize * width..][..width];
                    let (codes_by_four, last_codes) = codes.as_chunks::<4>();
                    for ([a, b, c, d], codes) in by_four.iter_mut().zip(codes_by_four) {
                        add(a, codes[0]);
                        add(b, codes[1]);
                        add(c, codes[2]);
                        add(d, codes[3]);
                    }
                    last.iter_mut().zip(last_codes).for_each(|(cells, code)| add(cells, *code));
                }
            }
        }
    }
}
