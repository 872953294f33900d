//! Sparse rows while they are read, and the distinct ones among them.

use crate::columns::of_rows;
use rows::{RowError, RowMatrix};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Compressed rows; columns rise within a row, and a value may be 0.
#[derive(Debug)]
pub(super) struct Sparse {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Default for Sparse {
    fn default() -> Self {
        Self { offsets: vec![0], indices: Vec::new(), values: Vec::new() }
    }
}

impl Sparse {
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where the values of the row that is being written begin, before there is one.
    pub(super) fn open_len(&self) -> usize {
        self.values.len()
    }

    /// The last column and value of the open row.
    pub(super) fn last_since(&mut self, start: usize) -> Option<(u32, &mut f64)> {
        let column = self.indices.get(start..)?.last().copied()?;
        self.values.last_mut().map(|value| (column, value))
    }

    pub(super) fn put(&mut self, column: u32, value: f64) {
        self.indices.push(column);
        self.values.push(value);
    }

    pub(super) fn end_row(&mut self) {
        self.offsets.push(self.values.len());
    }

    pub(super) fn row(&self, k: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let ends = self.offsets.get(k).zip(self.offsets.get(k + 1));
        let own = ends.map_or(0..0, |(start, end)| *start..*end);
        let indices = self.indices.get(own.clone()).unwrap_or_default();
        indices.iter().copied().zip(self.values.get(own).unwrap_or_default().iter().copied())
    }

    /// Takes the last row away.
    fn pop(&mut self) {
        self.offsets.pop();
        let end = self.offsets.last().copied().unwrap_or_default();
        self.indices.truncate(end);
        self.values.truncate(end);
    }

    /// A row of these entries, in any order; those of one column add up.
    pub(super) fn push(&mut self, entries: &mut Vec<(u32, f64)>) {
        entries.sort_by_key(|(column, _)| *column);
        let start = self.open_len();
        for (column, value) in entries.drain(..) {
            match self.last_since(start) {
                Some((last, sum)) if last == column => *sum += value,
                _ => self.put(column, value),
            }
        }
        self.end_row();
    }

    /// Rows of other columns: `places` has the place of each, or that there is none.
    pub(super) fn moved(self, places: &[Option<u32>]) -> Self {
        let is_same = (0..).zip(places).all(|(column, place)| *place == Some(column));
        if is_same {
            return self;
        }
        let (mut rows, mut entries) = (Self::default(), Vec::new());
        for k in 0..self.len() {
            entries.extend(moved(self.row(k), places));
            rows.push(&mut entries);
        }
        rows
    }

    /// The matrix without its zeros; `None` without columns.
    pub(super) fn matrix(mut self, names: &[String]) -> Result<Option<RowMatrix>, RowError> {
        if names.is_empty() {
            return Ok(None);
        }
        let mut kept = 0;
        let mut start = 0;
        for end in self.offsets.iter_mut().skip(1) {
            for k in start..*end {
                if self.values[k] != 0.0 {
                    (self.indices[kept], self.values[kept]) = (self.indices[k], self.values[k]);
                    kept += 1;
                }
            }
            start = std::mem::replace(end, kept);
        }
        self.indices.truncate(kept);
        self.values.truncate(kept);
        let has_texts = names.iter().any(|name| name.contains('='));
        of_rows(has_texts, names.len(), self.offsets, self.indices, self.values).matrix().map(Some)
    }
}

/// Entries under the places of their columns.
pub(super) fn moved(
    row: impl Iterator<Item = (u32, f64)>,
    places: &[Option<u32>],
) -> impl Iterator<Item = (u32, f64)> {
    row.filter_map(|(column, value)| {
        places.get(column as usize).copied().flatten().map(|place| (place, value))
    })
}

/// Rows of which none is there twice, each with a code beside it.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    rows: Sparse,
    codes: Vec<u32>,
    /// The last row of a hash, and for every row the one of its hash before it.
    last: HashMap<u64, u32>,
    before: Vec<u32>,
    state: RandomState,
}

/// There is no such row.
const NONE: u32 = u32::MAX;

impl Distinct {
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(super) fn row(&self, k: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.rows.row(k as usize)
    }

    pub(super) fn code(&self, k: u32) -> u32 {
        self.codes.get(k as usize).copied().unwrap_or(NONE)
    }

    /// Where the next row is to be written, before its number is asked for.
    pub(super) fn open(&mut self) -> &mut Sparse {
        &mut self.rows
    }

    /// The number of the row that was written: that of the same row with the same code, if there is one.
    /// `None` where there are more rows than numbers.
    pub(super) fn close(&mut self, code: u32) -> Option<u32> {
        let own = self.rows.len() - 1;
        let same = |(column, value): (u32, f64)| (column, (value + 0.0).to_bits());
        let key: Vec<(u32, u64)> = self.rows.row(own).filter(|(_, value)| *value != 0.0).map(same).collect();
        let hash = self.state.hash_one((code, &key));
        let mut other = self.last.get(&hash).copied().unwrap_or(NONE);
        while other != NONE {
            let row = self.rows.row(other as usize).filter(|(_, value)| *value != 0.0).map(same);
            if self.code(other) == code && row.eq(key.iter().copied()) {
                self.rows.pop();
                return Some(other);
            }
            other = self.before.get(other as usize).copied().unwrap_or(NONE);
        }
        let number = u32::try_from(own).ok().filter(|number| *number < NONE)?;
        self.before.push(self.last.insert(hash, number).unwrap_or(NONE));
        self.codes.push(code);
        Some(number)
    }
}
