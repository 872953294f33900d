//! A node of a growing tree.

use super::histogram::{Histogram, View};
use super::partition::{CodeRange, part, part_by_code};
use super::split::Cut;
use super::sums::{Sums, Word};
use crate::pairs::binned_contexts::HasCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Examples × actions.
pub(super) struct Node<'n> {
    pub(super) view: View<'n>,
    /// Its examples, as the view numbers them.
    pub(super) rows: &'n mut [u32],
    /// A buffer of the same length.
    pub(super) spare: &'n mut [u32],
    pub(super) actions: Actions,
    pub(super) sums: Sums,
    pub(super) depth: u32,
    /// Whether it may be split; an open node has a histogram unless no split on x can gain.
    pub(super) is_open: bool,
    pub(super) histogram: Option<Histogram>,
}

impl Node<'_> {
    /// The number of its pairs.
    #[allow(clippy::cast_precision_loss, reason = "for a bound on rounding")]
    pub(super) fn pairs(&self) -> f64 {
        let actions = match &self.actions {
            Actions::One(_) => 1,
            Actions::Several(actions) => actions.len(),
        };
        self.rows.len() as f64 * actions as f64
    }
}

/// The actions of a node.
pub(super) enum Actions {
    /// One action, whose sums are the node's.
    One(u32),
    /// Several actions in order, with the sums of each.
    Several(Vec<(u32, Sums)>),
}

impl Actions {
    /// Calls `with` with the place and the number of each action.
    pub(super) fn each(&self, mut with: impl FnMut(usize, u32)) {
        match self {
            Self::One(action) => with(0, *action),
            Self::Several(actions) => {
                actions.iter().enumerate().for_each(|(k, (action, _))| with(k, *action));
            }
        }
    }

    /// The actions without the k-th one, and the k-th one.
    pub(super) fn without(self, k: usize) -> (Self, (u32, Sums)) {
        match self {
            Self::One(action) => (Self::One(action), (action, Sums::default())),
            Self::Several(mut actions) => {
                let this = actions.remove(k);
                let others = match actions[..] {
                    [(action, _)] => Self::One(action),
                    _ => Self::Several(actions),
                };
                (others, this)
            }
        }
    }

    /// The same actions with their sums over some rows, whose sums over all actions are `all`, by the words
    /// of an action and a row. Those of the last action are what the others leave.
    pub(super) fn among(&self, rows: &[u32], all: Sums, quanta: impl Fn(u32, u32) -> Word) -> Self {
        let Self::Several(actions) = self else { return self.minus(self) };
        let mut rest = all;
        let last = actions.len() - 1;
        let sums = |(k, (action, _)): (usize, &(u32, Sums))| {
            let mut sums = rest;
            if k < last {
                let (g, h) = rows.iter().fold((0_i64, 0_i64), |(g, h), row| {
                    let (g_row, h_row) = quanta(*action, *row).unpack();
                    (g + i64::from(g_row), h + i64::from(h_row))
                });
                sums = Sums { g: g as f64, h: h as f64 };
                rest -= sums;
            }
            (*action, sums)
        };
        Self::Several(actions.iter().enumerate().map(sums).collect())
    }

    /// The same actions without the sums of a part of the rows.
    pub(super) fn minus(&self, part: &Self) -> Self {
        match (self, part) {
            (Self::Several(all), Self::Several(part)) => {
                let rest = |((action, all), (_, part)): (&(u32, Sums), &(u32, Sums))| (*action, *all - *part);
                Self::Several(all.iter().zip(part).map(rest).collect())
            }
            (Self::One(action), _) | (Self::Several(_), Self::One(action)) => Self::One(*action),
        }
    }
}

/// The rows of a node of one action, copied.
#[derive(Debug, Default)]
pub(super) struct RowCopy {
    bytes: Vec<u8>,
    words: Vec<AtomicU64>,
    sample_rows: Vec<u32>,
}

impl RowCopy {
    /// Copies these rows, and renumbers them from 0.
    pub(super) fn of<'v>(&'v mut self, view: View<'v>, rows: &mut [u32]) -> View<'v> {
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
    pub(super) fn partition(&self, cut: Cut, from: &[u32], to: &mut [u32]) -> usize {
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
