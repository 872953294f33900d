//! Actions that have features.

use super::level::Level;
use crate::RankError;
use crate::batch::contract::in_pool;
use crate::pairs::histogram_pair_tree::{
    ActionSplits, Actions, Buffers, Cut, Histogram, MissingSide, Parted, Quanta, Question, Search, Sums,
    View, Word,
};
use rayon::prelude::*;
use std::sync::atomic::AtomicU64;

/// The same items for every choice: action k is item `items[k]`, and a question is about its features or its
/// identity. A round has the pairs for examples and one action, and pair (i, k) at i·|A| + k.
pub(super) struct ItemActions<'a> {
    pub(super) quanta: &'a Quanta,
    /// |A|.
    pub(super) actions: usize,
    /// The item of every action; empty without items.
    pub(super) items: &'a [u32],
    /// The level of items.
    pub(super) level: &'a Level,
    /// Whether a column of the level may be split; `None` for all of them.
    pub(super) allowed: Option<&'a [bool]>,
    /// The number of columns of contexts, which come first in the search.
    pub(super) first: usize,
}

impl ItemActions<'_> {
    /// All actions with their sums, and Σ_a of every choice in `sums`; `None` if a word does not hold each of
    /// those, with any part of it.
    pub(super) fn root(&self, sums: &[AtomicU64]) -> Option<Actions> {
        const PART: usize = 1 << 12;
        let add = |mut of_actions: Vec<Sums>, (sums, words): (&[AtomicU64], &[AtomicU64])| {
            let mut of_run = vec![Word::default(); self.actions];
            let held = self.quanta.held;
            for (sums, words) in sums.chunks(held).zip(words.chunks(held * self.actions)) {
                for (sum, words) in sums.iter().zip(words.chunks_exact(self.actions)) {
                    let (mut all, mut g_size, mut h_sum) = (Word::default(), 0, 0);
                    for (of_run, word) in of_run.iter_mut().zip(words) {
                        let word = Word::load(word);
                        *of_run = *of_run + word;
                        all = all + word;
                        let (g, h) = word.unpack();
                        g_size += u64::from(g.unsigned_abs());
                        h_sum += u64::from(h);
                    }
                    all.store(sum);
                    if g_size >= 1 << 31 || h_sum >= 1 << 32 {
                        return None;
                    }
                }
                take_run(&mut of_run, of_actions.iter_mut());
            }
            Some(of_actions)
        };
        let none = || vec![Sums::default(); self.actions];
        let words = self.quanta.of(0);
        let sums = if in_pool(words.len(), 1 << 16) {
            let parts = sums.par_chunks(PART).zip(words.par_chunks(PART * self.actions));
            parts.map(|part| add(none(), part)).try_reduce(none, |mut all, part| {
                all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
                Some(all)
            })
        } else {
            add(none(), (sums, words))
        };
        sums.map(|sums| Actions::of((0..).zip(sums).collect()))
    }

    fn place(&self, view: View<'_>, row: u32, action: u32) -> usize {
        view.sample_row(row) * self.actions + action as usize
    }
}

impl<'a> ActionSplits<'a> for ItemActions<'a> {
    const COPIES_SEVERAL: bool = true;

    fn search(
        &self,
        search: &mut Search,
        buffers: &mut Buffers,
        actions: &[(u32, Sums)],
        moving: impl FnOnce(&mut Search),
    ) {
        if self.level.layout.columns.is_empty() {
            return moving(search);
        }
        let mut cells: Vec<Sums> = buffers.cells.take(self.level.layout.cells);
        for (action, sums) in actions {
            self.level.add(&mut cells, self.level.row_of(self.items[*action as usize]), *sums);
        }
        let histogram = Histogram::Wide(cells);
        let cuts = |search: &mut Search, side: MissingSide| {
            search.cuts(side, (self.first, 0), &self.level.layout, self.allowed, &histogram);
        };
        cuts(search, MissingSide::OfZero);
        moving(search);
        cuts(search, MissingSide::Other);
        buffers.put(Some(histogram));
    }

    /// The side of fewer actions is first.
    fn part(&self, actions: Actions, question: Question) -> Parted {
        let Question::Context(cut) = question else { unreachable!("no action is asked for by its number") };
        let cut = Cut { column: cut.column - self.first, ..cut };
        let side = self.level.side(cut);
        let is_below = |(action, _): &(u32, Sums)| side(self.level.row_of(self.items[*action as usize]));
        let actions = match actions {
            Actions::One(action) => vec![(action, Sums::default())],
            Actions::Several(actions) => actions,
        };
        let (below, rest): (Vec<_>, Vec<_>) = actions.into_iter().partition(is_below);
        let is_first_below = below.len() <= rest.len();
        let [first, second] = if is_first_below { [below, rest] } else { [rest, below] };
        let sums_of_first = first.iter().fold(Sums::default(), |all, (_, sums)| all + *sums);
        Parted {
            first: Actions::of(first),
            second: Actions::of(second),
            sums_of_first,
            is_first_below,
            test: self.level.test(cut),
        }
    }

    /// Row by row, because the pairs of a choice lie together.
    fn each_pair(&self, view: View<'_>, rows: &[u32], actions: &Actions, mut with: impl FnMut(usize, u32)) {
        match actions {
            Actions::One(action) => rows.iter().for_each(|row| with(self.place(view, *row, *action), 0)),
            Actions::Several(actions) => {
                for row in rows {
                    actions.iter().for_each(|(action, _)| with(self.place(view, *row, *action), 0));
                }
            }
        }
    }

    fn among(&self, view: View<'_>, rows: &[u32], actions: &Actions, _: Sums) -> Result<Actions, RankError> {
        let Actions::Several(actions) = actions else { return Ok(actions.minus(actions)) };
        let words = self.quanta.of(0);
        let mut sums: Vec<(u32, Sums)> =
            actions.iter().map(|(action, _)| (*action, Sums::default())).collect();
        let mut of_run = vec![Word::default(); actions.len()];
        for run in rows.chunks(self.quanta.held) {
            for row in run {
                let words = &words[self.place(view, *row, 0)..][..self.actions];
                for (sum, (action, _)) in of_run.iter_mut().zip(actions) {
                    *sum = *sum + Word::load(&words[*action as usize]);
                }
            }
            take_run(&mut of_run, sums.iter_mut().map(|(_, sums)| sums));
        }
        Ok(Actions::Several(sums))
    }

    /// None: they are made for each node.
    fn words_of(&self, _: &Actions) -> Option<&'a [AtomicU64]> {
        None
    }
}

/// Moves the sums of a run to those of all rows.
fn take_run<'s>(of_run: &mut [Word], sums: impl Iterator<Item = &'s mut Sums>) {
    of_run.iter_mut().zip(sums).for_each(|(of_run, sums)| *sums += std::mem::take(of_run).into());
}
