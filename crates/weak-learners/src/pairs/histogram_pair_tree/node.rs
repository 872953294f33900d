//! A node while its tree grows.

use super::histogram::{Histogram, View};
use super::partition::Record;
use super::quantise::Sums;

/// Examples × actions.
pub(super) struct Node<'n> {
    pub(super) records: &'n mut [Record],
    /// Room for as many.
    pub(super) spare: &'n mut [Record],
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
        self.records.len() as f64 * actions as f64
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

    /// The same with the sums over some rows, where g and h of an action and a row are these.
    pub(super) fn among(&self, records: &[Record], quanta: impl Fn(u32, u32) -> (i32, i32)) -> Self {
        match self {
            Self::One(action) => Self::One(*action),
            Self::Several(actions) => {
                let sums = |action: u32| {
                    let (g, h) = records.iter().fold((0_i64, 0_i64), |(g, h), record| {
                        let (g_row, h_row) = quanta(action, record.row);
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

/// The rows of a node, copied.
#[derive(Debug, Default)]
pub(super) struct Copied {
    bytes: Vec<u8>,
    names: Vec<u32>,
}

impl Copied {
    /// Copies the rows of these records, which then are numbered from 0.
    pub(super) fn of<'v>(&'v mut self, view: View<'v>, records: &mut [Record]) -> View<'v> {
        let width = view.layout.groups;
        self.bytes.clear();
        self.names.clear();
        for (k, record) in (0..).zip(records.iter_mut()) {
            self.bytes.extend_from_slice(&view.by_row[record.row as usize * width..][..width]);
            self.names.push(record.row);
            record.row = k;
        }
        View { rows: records.len(), by_row: &self.bytes, by_group: None, names: Some(&self.names), ..view }
    }
}
