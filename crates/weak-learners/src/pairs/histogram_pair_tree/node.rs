//! A node while its tree grows.

use super::histogram::{Histogram, View};
use super::sums::{Sums, Word};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Examples × actions.
pub(super) struct Node<'n> {
    pub(super) view: View<'n>,
    /// Its examples, as the view numbers them.
    pub(super) rows: &'n mut [u32],
    /// Room for as many.
    pub(super) spare: &'n mut [u32],
    pub(super) actions: Actions,
    pub(super) sums: Sums,
    pub(super) depth: u32,
    /// Whether it may be split; it has a histogram then, unless no split on x can gain.
    pub(super) is_open: bool,
    pub(super) histogram: Option<Histogram>,
}

impl Node<'_> {
    /// How many pairs it has.
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
    /// Whose sums are the node's.
    One(u32),
    /// In their order, with the sums of each.
    Several(Vec<(u32, Sums)>),
}

impl Actions {
    /// Calls something with the place and the name of each.
    pub(super) fn each(&self, mut with: impl FnMut(usize, u32)) {
        match self {
            Self::One(action) => with(0, *action),
            Self::Several(actions) => {
                actions.iter().enumerate().for_each(|(k, (action, _))| with(k, *action));
            }
        }
    }

    /// Those but the k-th one, and that one.
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

    /// The same with the sums over some rows, where the word of an action and a row is this.
    pub(super) fn among(&self, rows: &[u32], quanta: impl Fn(u32, u32) -> Word) -> Self {
        match self {
            Self::One(action) => Self::One(*action),
            Self::Several(actions) => {
                let sums = |action: u32| {
                    let (g, h) = rows.iter().fold((0_i64, 0_i64), |(g, h), row| {
                        let (g_row, h_row) = quanta(action, *row).unpack();
                        (g + i64::from(g_row), h + i64::from(h_row))
                    });
                    Sums { g: g as f64, h: h as f64 }
                };
                Self::Several(actions.iter().map(|(action, _)| (*action, sums(*action))).collect())
            }
        }
    }

    /// The same with the sums of a part of the rows taken away.
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
pub(super) struct Copied {
    bytes: Vec<u8>,
    words: Vec<AtomicU64>,
    names: Vec<u32>,
}

impl Copied {
    /// Copies these rows, which then are numbered from 0.
    pub(super) fn of<'v>(&'v mut self, view: View<'v>, rows: &mut [u32]) -> View<'v> {
        let width = view.layout.groups;
        self.bytes.resize(rows.len() * width, 0);
        self.words.clear();
        self.names.clear();
        let (from, to) = (view.by_row, self.bytes.chunks_exact_mut(width.max(1)));
        for (row, to) in rows.iter().zip(to) {
            // Four by four: a call to copy so few costs more.
            let (from, from_last) = from[*row as usize * width..][..width].as_chunks::<4>();
            let (to, to_last) = to.as_chunks_mut::<4>();
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            to_last.iter_mut().zip(from_last).for_each(|(to, from)| *to = *from);
        }
        let word = |row: &u32| AtomicU64::new(view.words[*row as usize].load(Relaxed));
        self.words.extend(rows.iter().map(word));
        match view.names {
            Some(names) => self.names.extend(rows.iter().map(|row| names[*row as usize])),
            None => self.names.extend_from_slice(rows),
        }
        rows.iter_mut().zip(0..).for_each(|(row, k)| *row = k);
        let names = Some(&self.names[..]);
        View { rows: rows.len(), by_row: &self.bytes, by_group: None, words: &self.words, names, ..view }
    }
}
