//! The actions of a node.

use super::buffers::Buffers;
use super::histogram::View;
use super::quantise::Quanta;
use super::split::{Question, Search};
use super::sums::{Sums, Word, add_up};
use crate::pairs::PairNode;
use crate::{RankError, Ranks};
use std::sync::atomic::AtomicU64;

/// The actions of a node.
#[derive(Debug, Clone)]
pub(in crate::pairs) enum Actions {
    /// One action, whose sums are the node's.
    One(u32),
    /// Several actions in order, with the sums of each.
    Several(Vec<(u32, Sums)>),
}

impl Actions {
    /// These actions, at least one.
    pub(in crate::pairs) fn of(actions: Vec<(u32, Sums)>) -> Self {
        match actions[..] {
            [(action, _)] => Self::One(action),
            _ => Self::Several(actions),
        }
    }

    /// |S|.
    pub(in crate::pairs) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Several(actions) => actions.len(),
        }
    }

    /// Calls `with` with every action.
    pub(in crate::pairs) fn each(&self, mut with: impl FnMut(u32)) {
        match self {
            Self::One(action) => with(*action),
            Self::Several(actions) => actions.iter().for_each(|(action, _)| with(*action)),
        }
    }

    /// The same actions without the sums of a part of the rows.
    pub(in crate::pairs) fn minus(&self, part: &Self) -> Self {
        match (self, part) {
            (Self::Several(all), Self::Several(part)) => {
                let rest = |((action, all), (_, part)): (&(u32, Sums), &(u32, Sums))| (*action, *all - *part);
                Self::Several(all.iter().zip(part).map(rest).collect())
            }
            (Self::One(action), _) | (Self::Several(_), Self::One(action)) => Self::One(*action),
        }
    }
}

/// The two sides of a question about the actions.
pub(in crate::pairs) struct Parted {
    /// The side that is grown first; its examples get words of their own.
    pub(in crate::pairs) first: Actions,
    pub(in crate::pairs) second: Actions,
    pub(in crate::pairs) sums_of_first: Sums,
    /// Whether `first` is the side for "no", or below a cut.
    pub(in crate::pairs) is_first_below: bool,
    /// The node that asks, without its children.
    pub(in crate::pairs) test: PairNode,
}

/// What is known of the actions, and where their pairs stand in a round.
pub(in crate::pairs) trait ActionSplits<'a>: Sync {
    /// Whether the words of any node may be copied.
    const COPIES_SEVERAL: bool;

    /// Considers every split of some actions. `moving` considers the cuts of rows that move missing values.
    /// It is called behind the cuts of actions that do not, and before all other splits of actions.
    fn search(
        &self,
        search: &mut Search,
        buffers: &mut Buffers,
        actions: &[(u32, Sums)],
        moving: impl FnOnce(&mut Search),
    );

    /// The sides of a question that `search` considered.
    fn part(&self, actions: Actions, question: Question) -> Parted;

    /// Calls `with` with the example and the action in the round of every pair of some rows and actions.
    fn each_pair(&self, view: View<'_>, rows: &[u32], actions: &Actions, with: impl FnMut(usize, u32));

    /// The same actions with their sums over some rows, whose sums over all these actions are `all`; the rows
    /// are those of all ranks.
    fn among(&self, view: View<'_>, rows: &[u32], actions: &Actions, all: Sums)
    -> Result<Actions, RankError>;

    /// The words of all examples for a node of these actions, if they are there.
    fn words_of(&self, actions: &Actions) -> Option<&'a [AtomicU64]>;
}

/// Actions of which the number is known: a question is "is it action a?". The pairs of an action lie
/// together.
pub(in crate::pairs) struct OneHot<'a> {
    pub(in crate::pairs) quanta: &'a Quanta,
    pub(in crate::pairs) ranks: &'a Ranks,
}

impl<'a> ActionSplits<'a> for OneHot<'a> {
    const COPIES_SEVERAL: bool = false;

    fn search(
        &self,
        search: &mut Search,
        _: &mut Buffers,
        actions: &[(u32, Sums)],
        moving: impl FnOnce(&mut Search),
    ) {
        moving(search);
        search.actions(actions);
    }

    fn part(&self, actions: Actions, question: Question) -> Parted {
        let this = match question {
            Question::Action(k) => k,
            Question::Context(_) => 0,
        };
        let (action, sums_of_first, second) = match actions {
            Actions::One(action) => (action, Sums::default(), Actions::One(action)),
            Actions::Several(mut actions) => {
                let (action, sums) = actions.remove(this);
                (action, sums, Actions::of(actions))
            }
        };
        Parted {
            first: Actions::One(action),
            second,
            sums_of_first,
            is_first_below: false,
            test: PairNode::Action { action, others: 0, this: 0 },
        }
    }

    fn each_pair(&self, view: View<'_>, rows: &[u32], actions: &Actions, mut with: impl FnMut(usize, u32)) {
        actions.each(|action| rows.iter().for_each(|row| with(view.sample_row(*row), action)));
    }

    /// The sums of the last action are what the others leave.
    fn among(
        &self,
        view: View<'_>,
        rows: &[u32],
        actions: &Actions,
        all: Sums,
    ) -> Result<Actions, RankError> {
        let Actions::Several(actions) = actions else { return Ok(actions.minus(actions)) };
        let of_rows = |action: u32| {
            let words = self.quanta.of(action);
            let (g, h) = rows.iter().fold((0_i64, 0_i64), |(g, h), row| {
                let (g_row, h_row) = Word::load(&words[view.sample_row(*row)]).unpack();
                (g + i64::from(g_row), h + i64::from(h_row))
            });
            Sums { g: g as f64, h: h as f64 }
        };
        let mut found: Vec<(u32, Sums)> = actions.iter().map(|(action, _)| (*action, all)).collect();
        if let Some(((_, last), others)) = found.split_last_mut() {
            others.iter_mut().for_each(|(action, sums)| *sums = of_rows(*action));
            if self.ranks.are_several() {
                let mut sums: Vec<Sums> = others.iter().map(|(_, sums)| *sums).collect();
                add_up(&mut sums, self.ranks, &mut Vec::new())?;
                others.iter_mut().zip(sums).for_each(|((_, here), sums)| *here = sums);
            }
            others.iter().for_each(|(_, sums)| *last -= *sums);
        }
        Ok(Actions::Several(found))
    }

    /// Those of one action.
    fn words_of(&self, actions: &Actions) -> Option<&'a [AtomicU64]> {
        match actions {
            Actions::One(action) => Some(self.quanta.of(*action)),
            Actions::Several(_) => None,
        }
    }
}
