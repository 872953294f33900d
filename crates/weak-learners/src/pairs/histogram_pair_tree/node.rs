//! The rows of a node: a copy of them, and their partition.

use super::histogram::View;
use super::partition::{CodeRange, part, part_by_code};
use super::split::Cut;
use crate::pairs::binned_contexts::HasCell;
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
    #[allow(clippy::cast_possible_truncation, reason = "a code is a byte")]
    pub(in crate::pairs) fn partition(&self, cut: Cut, from: &[u32], to: &mut [u32]) -> usize {
        let column = &self.layout.columns[cut.column];
        let (cells, is_below) = column.side(cut.bin);
        let has_cell =
            |place, cells| self.layout.has_cell(place, cells, |group| self.group(group), self.sparse);
        let own = has_cell(column.place, cells);
        if let Some(missing) = column.missing.filter(|_| cut.moves_missing) {
            let missing = has_cell(missing.place, missing.cell..missing.cell + 1);
            // The value of a row without one is 0: it leaves the side of 0.
            return part(from, to, |row| (own.of(row as usize) == is_below) != missing.of(row as usize));
        }
        match own {
            HasCell::Group { bytes, step, start, count } => {
                let codes = CodeRange { start: start as u8, count: count as usize, is_below };
                part_by_code(from, to, (bytes, step), codes)
            }
            HasCell::Listed { .. } => part(from, to, |row| own.of(row as usize) == is_below),
        }
    }
}
