//! The columns that a rank searches for all.

use super::histogram::Histogram;
use super::split::{Cut, Question, Split};
use super::sums::{Cell, Sums};
use crate::pairs::binned_contexts::{Layout, Place};
use crate::{RankError, Ranks};
use std::ops::Range;

/// The cells of a histogram, a run for each rank: it gets the sums of its run alone, and searches the columns
/// of it. A message has half the bytes of one by which every rank gets all sums.
#[derive(Debug, Clone, Default)]
pub(super) struct Shares {
    /// The cells of each rank: whole columns, and about as many for each.
    runs: Vec<Range<usize>>,
    /// The cells of rows without a value. The column that lacks it may be another rank's, so all get them.
    missing: Vec<usize>,
}

impl Shares {
    /// Runs for so many ranks.
    pub(super) fn of(layout: &Layout, size: usize) -> Self {
        let groups = (0..layout.groups).map(|group| group * layout.stride);
        let listed = layout.columns.iter().filter(|column| column.place == Place::Listed);
        let starts: Vec<usize> = groups.chain(listed.map(|column| column.first as usize)).collect();
        let begin = |rank: usize| {
            let even = layout.cells / size * rank + layout.cells % size * rank / size;
            starts.get(starts.partition_point(|start| *start < even)).copied().unwrap_or(layout.cells)
        };
        let end = |rank: usize| if rank + 1 == size { layout.cells } else { begin(rank + 1) };
        let runs = (0..size).map(|rank| begin(rank)..end(rank)).collect();
        let missing = layout.optional.iter().filter_map(|place| layout.columns[*place as usize].missing);
        let mut missing: Vec<usize> = missing.map(|missing| missing.cell as usize).collect();
        missing.sort_unstable();
        missing.dedup();
        Self { runs, missing }
    }

    /// Which features a rank searches, among those that are allowed.
    pub(super) fn features(&self, layout: &Layout, allowed: Option<&[bool]>, rank: usize) -> Vec<bool> {
        let features = layout.columns.iter().map(|column| column.feature as usize + 1).max();
        let mut own = vec![false; features.unwrap_or_default()];
        for column in &layout.columns {
            let feature = column.feature as usize;
            let is_own = self.runs.get(rank).is_some_and(|run| run.contains(&(column.first as usize)));
            own[feature] = is_own && allowed.is_none_or(|allowed| allowed[feature]);
        }
        own
    }

    /// Adds up the histograms of a node on all ranks, in the run of each. The other cells are of no use
    /// after.
    pub(super) fn add_up(
        &self,
        histogram: &mut Histogram,
        ranks: &Ranks,
        numbers: &mut Vec<u64>,
    ) -> Result<(), RankError> {
        match histogram {
            Histogram::Packed(cells) => self.add_up_cells(cells, ranks, numbers),
            Histogram::Wide(cells) => self.add_up_cells(cells, ranks, numbers),
        }
    }

    fn add_up_cells<C: Cell>(
        &self,
        cells: &mut [C],
        ranks: &Ranks,
        numbers: &mut Vec<u64>,
    ) -> Result<(), RankError> {
        numbers.clear();
        let mut lengths = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            let before = numbers.len();
            cells[run.clone()].iter().for_each(|cell| cell.write(numbers));
            self.missing.iter().for_each(|cell| cells[*cell].write(numbers));
            lengths.push(numbers.len() - before);
        }
        let mut sums = ranks.sum_scatter(numbers, &lengths)?.iter().copied();
        let own = self.runs.get(ranks.rank()).cloned().unwrap_or_default();
        cells[own].iter_mut().for_each(|cell| *cell = C::read(&mut sums));
        self.missing.iter().for_each(|cell| cells[*cell] = C::read(&mut sums));
        Ok(())
    }
}

/// Of the best cuts that each rank has found, one of each kind: those of all ranks, kind by kind, in the
/// order of their columns.
pub(super) fn of_all_ranks<const KINDS: usize>(
    own: [Option<Split>; KINDS],
    ranks: &Ranks,
) -> Result<[Vec<Split>; KINDS], RankError> {
    const WORDS: usize = 5;
    let numbers = own.iter().flat_map(|split| match *split {
        Some(Split { question: Question::Context(cut), left }) => {
            let [column, bin] = [cut.column as u64, u64::from(cut.bin)];
            [column + 1, bin, u64::from(cut.moves_missing), left.g.to_bits(), left.h.to_bits()]
        }
        _ => [0; WORDS],
    });
    let all = ranks.gather(numbers.flat_map(u64::to_le_bytes).collect())?;
    let (numbers, _) = all.as_chunks::<8>();
    let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let (splits, _) = numbers.as_chunks::<WORDS>();
    let mut found = std::array::from_fn(|_| Vec::new());
    for of_rank in splits.chunks(KINDS) {
        for (found, [column, bin, moves_missing, g, h]) in found.iter_mut().zip(of_rank) {
            #[allow(clippy::cast_possible_truncation, reason = "a column and a bin of another rank")]
            let (column, bin) = (*column as usize, *bin as u16);
            if column > 0 {
                let cut = Cut { column: column - 1, bin, moves_missing: *moves_missing != 0 };
                let left = Sums { g: f64::from_bits(*g), h: f64::from_bits(*h) };
                found.push(Split { question: Question::Context(cut), left });
            }
        }
    }
    let column = |split: &Split| match split.question {
        Question::Context(cut) => cut.column,
        Question::Action(_) => usize::MAX,
    };
    found.iter_mut().for_each(|splits| splits.sort_by_key(column));
    Ok(found)
}
