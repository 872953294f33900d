//! The records of a node, parted between its children.

use super::histogram::View;
use super::quantise::{Sums, unpack};
use super::split::Cut;
use crate::pairs::binned_contexts::Place;
use std::sync::atomic::AtomicU64;

/// A row of a node, with its Σ_a over the actions of the node in quanta.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Record {
    pub(super) g: i32,
    pub(super) h: i32,
    pub(super) row: u32,
}

impl Record {
    pub(super) fn new(row: u32, word: &AtomicU64) -> Self {
        let (g, h) = unpack(word);
        Self { g, h, row }
    }

    /// Without the g and h of one action.
    pub(super) fn minus(self, word: &AtomicU64) -> Self {
        let (g, h) = unpack(word);
        Self { g: self.g - g, h: self.h - h, row: self.row }
    }

    pub(super) fn negative(self) -> Self {
        Self { g: -self.g, h: -self.h, row: self.row }
    }

    pub(super) fn sums(self) -> Sums {
        Sums { g: f64::from(self.g), h: f64::from(self.h) }
    }
}

impl View<'_> {
    /// Writes those below a cut to the front of `to`, the others to its end, in the opposite order; answers how many
    /// are below.
    pub(super) fn partition(&self, cut: Cut, from: &[Record], to: &mut [Record]) -> usize {
        let column = &self.layout.columns[cut.column];
        match column.place {
            Place::Group(group) => {
                let first = group * self.layout.stride as u32;
                let mut is_below = [false; 256];
                for (code, is_below) in (first..).zip(&mut is_below) {
                    *is_below = column.bin(code) <= cut.bin;
                }
                let (bytes, step) = self.group(group);
                let is_below = |row: u32| is_below[usize::from(bytes[row as usize * step])];
                part(from, to, is_below)
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

/// Every record is written to both ends of what is left, and only one of them moves on: no branch that could be
/// mispredicted.
fn part(from: &[Record], to: &mut [Record], is_below: impl Fn(u32) -> bool) -> usize {
    let (mut below, mut rest) = (0, from.len());
    for record in from {
        let is_below = usize::from(is_below(record.row));
        to[below] = *record;
        to[rest - 1] = *record;
        below += is_below;
        rest -= 1 - is_below;
    }
    below
}
