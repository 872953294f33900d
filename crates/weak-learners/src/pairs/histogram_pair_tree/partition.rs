//! The rows of a node, parted between its children.

use super::histogram::View;
use super::split::Cut;
use crate::pairs::binned_contexts::Place;

impl View<'_> {
    /// Writes those below a cut to the front of `to`, the others to its end, in the opposite order; answers how many
    /// are below.
    #[allow(clippy::cast_possible_truncation, reason = "a cell is a u32")]
    pub(super) fn partition(&self, cut: Cut, from: &[u32], to: &mut [u32]) -> usize {
        let column = &self.layout.columns[cut.column];
        match column.place {
            Place::Group(group) => {
                let (cells, is_below) = column.side(cut.bin);
                let first = group as usize * self.layout.stride;
                let mut below = [!is_below; 256];
                below[cells.start as usize - first..cells.end as usize - first].fill(is_below);
                let (bytes, step) = self.group(group);
                part_by_code(from, to, bytes, step, &below)
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

/// In a function of its own the loop has all registers.
#[inline(never)]
fn part_by_code(from: &[u32], to: &mut [u32], bytes: &[u8], step: usize, is_below: &[bool; 256]) -> usize {
    part(from, to, |row| is_below[usize::from(bytes[row as usize * step])])
}

/// Every row is written to both ends of what is left, and only one of them moves on: no branch that could be
/// mispredicted.
fn part(from: &[u32], to: &mut [u32], is_below: impl Fn(u32) -> bool) -> usize {
    let (mut below, mut rest) = (0, from.len());
    for row in from {
        let is_below = usize::from(is_below(*row));
        to[below] = *row;
        to[rest - 1] = *row;
        below += is_below;
        rest -= 1 - is_below;
    }
    below
}
