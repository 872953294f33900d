//! The rows of a node: a copy of them, and their partition.

use super::histogram::View;
use super::partition::{CodeRange, part, part_by_code};
use super::split::Cut;
use crate::pairs::binned_contexts::Place;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The rows of a node, copied.
#[derive(Debug, Default)]
pub(in crate::pairs) struct RowCopy {
    bytes: Vec<u8>,
    words: Vec<AtomicU64>,
    sample_rows: Vec<u32>,
}

impl RowCopy {
    /// Copies these rows, and renumbers them from 0.
    pub(in crate::pairs) fn of<'v>(&'v mut self, view: View<'v>, rows: &mut [u32]) -> View<'v> {
        let width = view.layout.groups;
        self.bytes.resize(rows.len() * width, 0);
        self.words.clear();
        self.sample_rows.clear();
        let (from, to) = (view.by_row, self.bytes.chunks_exact_mut(width.max(1)));
        for (row, to) in rows.iter().zip(to) {
            // Four at a time: a call to copy so few bytes costs more.
            let (from, from_last) = from[*row as usize * width..][..width].as_chunks::<4>();
            let (to, to_last) = to.as_chunks_mut::<4>();
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            to_last.iter_mut().zip(from_last).for_each(|(to, from)| *to = *from);
        }
        let word = |row: &u32| AtomicU64::new(view.words[*row as usize].load(Relaxed));
        self.words.extend(rows.iter().map(word));
        match view.sample_rows {
            Some(of) => self.sample_rows.extend(rows.iter().map(|row| of[*row as usize])),
            None => self.sample_rows.extend_from_slice(rows),
        }
        rows.iter_mut().zip(0..).for_each(|(row, k)| *row = k);
        let sample_rows = Some(&self.sample_rows[..]);
        View {
            rows: rows.len(),
            by_row: &self.bytes,
            by_group: None,
            words: &self.words,
            sample_rows,
            ..view
        }
    }
}

impl View<'_> {
    /// Writes the rows below a cut to the front of `to`, and the others to its end in reverse; returns the
    /// number below.
    #[allow(clippy::cast_possible_truncation, reason = "a cell is a u32")]
    pub(in crate::pairs) fn partition(&self, cut: Cut, from: &[u32], to: &mut [u32]) -> usize {
        let column = &self.layout.columns[cut.column];
        match column.place {
            Place::Group(group) => {
                let (cells, is_below) = column.side(cut.bin);
                let first = group as usize * self.layout.stride;
                let start = cells.start as usize - first;
                let codes = CodeRange { start: start as u8, count: cells.len(), is_below };
                let (bytes, step) = self.group(group);
                part_by_code(from, to, (bytes, step), codes)
            }
            Place::Listed => {
                let first = column.first - (self.layout.groups * self.layout.stride) as u32;
                let coded = u32::from(column.bins) - 1;
                let hole_is_below = column.hole <= cut.bin;
                let is_below = |row: u32| {
                    let cells = self.sparse.map_or(&[][..], |sparse| sparse.row(row as usize));
                    let k = cells.partition_point(|cell| *cell < first);
                    match cells.get(k) {
                        Some(cell) if cell - first < coded => {
                            column.bin(cell - first + column.first) <= cut.bin
                        }
                        _ => hole_is_below,
                    }
                };
                part(from, to, is_below)
            }
        }
    }
}
