//! A sample whose columns are binned once.

use super::Sample;
use super::column_groups::ColumnGroups;
use super::contract::{check_counts, check_size, midway, too_many_columns};
use crate::{LearnerError, RankError, Ranks, Shard};
use projections::ProjectionError;
use rows::{Entries, Missing, Row, RowMatrix};
use serde::{Deserialize, Serialize, Serializer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

/// m ≥ 1 examples, and beside each column one byte an example: the *bin* of its value, made once, so that a
/// search over all cuts is one histogram.
///
/// *The bins of a column:* its cuts c_1 < … < c_k are thresholds, k ≤ 255, and x is in bin b if c_b ≤ x <
/// c_(b+1). The rows with x ≥ c_b are those of the bins b and above. If a column has no more distinct values
/// than bins, each value has its own bin, and the cuts are the midpoints of
/// [`ExactStump`](super::ExactStump). Otherwise the bins are as even as possible. A value stays in one bin,
/// and s is the least number such that bins of at most s rows, and bins of one value, suffice. From the
/// lowest value on, each bin is filled up to s rows. ±1e140, which stand for missing
/// values ([`Missing`](rows::Missing)), have bins of their own. With only two bins, the second holds all
/// values but the lowest. A constant column has one bin and no cut. −0 is 0.
///
/// *Shapes:* the matrix is kept; bins are column-major, m bytes a column, for sparse rows too. Columns of
/// which no row has two outside their bins of 0, such as a one-hot code, share a further byte a row, so
/// that a search counts it in place of them all. *Cost:* O(stored values · log m + m·d) once, m·d bytes and
/// m for each such byte; during construction another 80 bytes a dense row, or a copy of the values of
/// sparse rows. A binned sample is saved as its rows and its cuts.
///
/// *Ranks:* [`of_rank`](Self::of_rank) has the rows of one rank, with the cuts and the shared bytes of all.
/// The examples are those of all ranks: [`Sample::size`] counts them, and a learner is given all targets and
/// all weights on every rank, some 50 bytes an example in a booster. Only the rows are spread. [`BinnedTree`]
/// trains on them, also behind [`Sampled`]; other learners refuse them. They are not saved: the rows of all
/// ranks are.
///
/// [`BinnedTree`]: super::BinnedTree
/// [`Sampled`]: super::Sampled
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::BinnedColumns;
/// let sample = BinnedColumns::new(RowMatrix::dense(2, vec![3.0, 0.0, -1.0, 0.0, 4.0, 0.0, 3.0, 0.0])?)?;
/// assert_eq!((sample.cuts(0), sample.bins(0)), (&[1.0, 3.5][..], &[1, 0, 2, 1][..]));
/// assert_eq!((sample.cuts(1), sample.bins(1)), (&[][..], &[0; 4][..]));
///
/// let later = sample.binned_like(RowMatrix::dense(2, vec![3.5, 9.0])?)?;
/// assert_eq!((later.cuts(0), later.bins(0)), (sample.cuts(0), &[2][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Parts")]
pub struct BinnedColumns {
    parts: Parts,
    shard: Shard,
    bins: Vec<u8>,
    groups: ColumnGroups,
}

/// The rows, and the cuts of every column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    matrix: RowMatrix,
    cuts: Vec<Vec<f64>>,
}

impl BinnedColumns {
    /// Up to 256 bins a column.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without a row, [`LearnerError::BadParameter`] with more than 2^32 of them or
    /// 2^26 columns.
    pub fn new(matrix: RowMatrix) -> Result<Self, LearnerError> {
        Self::with_bins(matrix, 256)
    }

    /// Up to `bins` bins a column.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`LearnerError::BadParameter`] where `bins` is not within 2, …, 256.
    pub fn with_bins(matrix: RowMatrix, bins: u16) -> Result<Self, LearnerError> {
        Self::of_rank(matrix, bins, Ranks::alone())
    }

    /// The rows of this rank among those of all ranks, each of which makes its own at the same time, and
    /// which may be none. The cuts are those that one process finds in all rows.
    ///
    /// *Cost:* the ranks tell each other the distinct values of every column, 16 bytes each. The memory of a
    /// rank holds those of all ranks for one column at a time, or for several of few values, and 16 bytes
    /// more a value. Then they ask, for each column that may share a byte, up to 8 times whether it fits.
    ///
    /// ```
    /// use rows::RowMatrix;
    /// use weak_learners::Ranks;
    /// use weak_learners::batch::{BinnedColumns, Sample};
    /// let matrix = RowMatrix::dense(1, vec![0.0, 1.0, 3.0])?;
    /// let sample = BinnedColumns::of_rank(matrix.clone(), 256, Ranks::alone())?;
    /// assert_eq!(sample, BinnedColumns::new(matrix)?);
    /// assert!(sample.shard().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_bins`](Self::with_bins), for the rows of all ranks; [`LearnerError::Ranks`] where rows do
    /// not begin at a block ([`Shard::BLOCK`]), where ranks have other columns or bins, and where another
    /// rank has an error.
    pub fn of_rank(matrix: RowMatrix, bins: u16, ranks: Ranks) -> Result<Self, LearnerError> {
        let is_legal = if (2..=256).contains(&bins) {
            Ok(())
        } else {
            let value = f64::from(bins);
            Err(LearnerError::BadParameter { name: "bins", value, domain: "2 ≤ bins ≤ 256" })
        };
        let shard = agreed(&matrix, is_legal, usize::from(bins), ranks)?;
        let cuts = cuts_of(&matrix, usize::from(bins), &shard)?;
        Self::of(Parts { matrix, cuts }, shard)
    }

    /// Other rows with the cuts of this sample, for validation or test. Those of a rank are for a sample of a
    /// rank: every rank calls it.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`LearnerError::InputDimension`] for rows of another dimension; as
    /// [`of_rank`](Self::of_rank) on ranks.
    pub fn binned_like(&self, matrix: RowMatrix) -> Result<Self, LearnerError> {
        let (expected, got) = (self.inputs(), matrix.dimension());
        let is_legal =
            if got == expected { Ok(()) } else { Err(LearnerError::InputDimension { expected, got }) };
        let shard = agreed(&matrix, is_legal, 0, self.shard.ranks().clone())?;
        Self::of(Parts { matrix, cuts: self.parts.cuts.clone() }, shard)
    }

    /// The bin of every row in column j; empty for a column outside the sample.
    #[must_use]
    pub fn bins(&self, j: usize) -> &[u8] {
        let m = self.matrix().len();
        if j < self.inputs() { &self.bins[j * m..(j + 1) * m] } else { &[] }
    }

    /// The cuts of column j, ascending; one fewer than its bins. Empty for a column outside the sample.
    #[must_use]
    pub fn cuts(&self, j: usize) -> &[f64] {
        self.parts.cuts.get(j).map_or(&[], Vec::as_slice)
    }

    /// The columns as they are counted.
    pub(super) fn groups(&self) -> &ColumnGroups {
        &self.groups
    }

    /// The codes of a group of columns, a byte a row.
    pub(super) fn codes(&self, group: usize) -> &[u8] {
        self.groups.codes(self.matrix().len(), &self.bins, group)
    }

    /// The rows.
    #[must_use]
    pub fn matrix(&self) -> &RowMatrix {
        &self.parts.matrix
    }

    /// The place of the rows among the examples.
    pub(super) fn place(&self) -> Range<usize> {
        self.shard.first()..self.shard.first() + self.matrix().len()
    }

    pub(super) fn ranks(&self) -> &Ranks {
        self.shard.ranks()
    }
}

/// The place of these rows, if no rank has an error and all have the same columns and bins. A rank with an
/// error tells the others before they wait for it.
fn agreed(
    matrix: &RowMatrix,
    is_legal: Result<(), LearnerError>,
    bins: usize,
    ranks: Ranks,
) -> Result<Shard, LearnerError> {
    if !ranks.are_several() {
        check_size(matrix)?;
        is_legal?;
        return Ok(Shard::whole(matrix.len()));
    }
    let shard = Shard::of(ranks, matrix.len())?;
    let own = is_legal
        .and_then(|()| check_counts(shard.total(), matrix.dimension()))
        .and_then(|()| Ok(shard.check_alignment()?));
    let shape = [matrix.dimension() as u64, bins as u64];
    let told = shard.ranks().gather_agreed(own.map(|()| shape.map(u64::to_le_bytes).concat()))?;
    for of_rank in told {
        let (numbers, _) = of_rank.as_chunks::<8>();
        let other = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes));
        // Counts of columns and bins of this machine's memory.
        #[allow(clippy::cast_possible_truncation, reason = "for a message")]
        if let Some((expected, found)) = shape.into_iter().zip(other).find(|(own, other)| own != other) {
            let (expected, found) = (expected as usize, found as usize);
            return Err(RankError::Lengths { expected, found }.into());
        }
    }
    Ok(shard)
}

impl Sample for BinnedColumns {
    /// Of all ranks.
    fn size(&self) -> usize {
        self.shard.total()
    }

    fn inputs(&self) -> usize {
        self.matrix().dimension()
    }

    fn try_for_each(
        &self,
        visit: &mut dyn FnMut(usize, Row<'_>) -> Result<(), LearnerError>,
    ) -> Result<(), LearnerError> {
        if self.ranks().are_several() {
            return Err(RankError::OneRankOnly { what: "a learner that reads every row" }.into());
        }
        self.matrix().iter().enumerate().try_for_each(|(i, x)| visit(i, x))
    }

    /// Of this rank's rows.
    fn fingerprint(&self) -> u64 {
        self.matrix().fingerprint()
    }

    fn shard(&self) -> Option<&Shard> {
        self.ranks().are_several().then_some(&self.shard)
    }
}

/// # Errors
/// For the rows of a rank.
impl Serialize for BinnedColumns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.ranks().are_several() {
            return Err(serde::ser::Error::custom("the columns of one rank among several are not saved"));
        }
        self.parts.serialize(serializer)
    }
}

/// Columns of dense rows that are gathered at once: eight values are a line of the cache.
const TOGETHER: usize = 8;

/// The cuts of every column, of the rows of all ranks. Dense rows are gathered a few columns at a time, so
/// that no second copy of them is made; the columns of sparse rows all at once.
///
/// Ranks tell each other the distinct values of a column with their counts, so that the cuts are those of one
/// process: 16 bytes a distinct value of a rank, for every rank in the memory of each, and 16 more for the
/// cuts. A message has one column of many values, or several of few ([`MESSAGE`]).
///
/// # Errors
/// [`LearnerError::BadParameter`] for more columns than memory holds: the width of sparse rows is unbounded;
/// [`LearnerError::Ranks`].
pub(crate) fn cuts_of(matrix: &RowMatrix, bins: usize, shard: &Shard) -> Result<Vec<Vec<f64>>, LearnerError> {
    let (ranks, rows) = (shard.ranks(), shard.total());
    let (m, d) = (matrix.len(), matrix.dimension());
    let is_dense = matrix.row(0).is_some_and(|x| matches!(x.entries(), Entries::Dense(_)));
    let is_dense = !ranks.any(!is_dense)?;
    let (together, room) = if is_dense { (TOGETHER.min(d), m) } else { (d, 0) };
    let (mut columns, mut cuts): (Vec<Vec<i64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    if columns.try_reserve_exact(together).is_err() || cuts.try_reserve_exact(d).is_err() {
        return Err(too_many_columns(d));
    }
    columns.extend((0..together).map(|_| Vec::with_capacity(room)));
    while cuts.len() < d {
        let first = cuts.len();
        columns.truncate(d - first);
        columns.iter_mut().for_each(Vec::clear);
        let keep = |column: &mut Vec<i64>, x_j: f64| {
            if x_j != 0.0 {
                column.push(ordered(x_j.to_bits().cast_signed()));
            }
        };
        for x in matrix.iter() {
            match x.entries() {
                Entries::Dense(x) => columns.iter_mut().zip(&x[first..]).for_each(|(c, x_j)| keep(c, *x_j)),
                Entries::Sparse(indices, x) => {
                    indices.iter().zip(x).for_each(|(j, x_j)| keep(&mut columns[*j as usize], *x_j));
                }
            }
        }
        columns.iter_mut().for_each(|values| values.sort_unstable());
        if ranks.are_several() {
            let counts = columns.iter().map(|values| runs(values).count() as u64);
            let mut counts: Vec<u64> = counts.collect();
            ranks.sum(&mut counts)?;
            let mut rest = &columns[..];
            while !rest.is_empty() {
                let (together, behind) = rest.split_at(of_a_message(&counts[columns.len() - rest.len()..]));
                let all = gathered(together, ranks)?;
                let mut of_ranks: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
                for _ in together {
                    cuts.push(cut(Merged::of_next(&mut of_ranks)?, rows, bins));
                }
                rest = behind;
            }
        } else {
            cuts.extend(columns.iter().map(|values| cut(runs(values), rows, bins)));
        }
    }
    Ok(cuts)
}

/// The bits of a number other than 0 as an integer of the same order, and back. (−0 would come before 0.)
fn ordered(bits: i64) -> i64 {
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// A run of equal values: the value and its count.
fn runs(values: &[i64]) -> impl Iterator<Item = (i64, usize)> + Clone {
    values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len()))
}

/// The values of a message, over all ranks, where it has several columns.
const MESSAGE: u64 = 1 << 20;

/// How many of these columns go together, of which all ranks have so many values.
fn of_a_message(counts: &[u64]) -> usize {
    let mut values = 0_u64;
    let fit = counts.iter().take_while(|count| {
        values = values.saturating_add(**count);
        values <= MESSAGE
    });
    fit.count().clamp(1, counts.len().max(1))
}

/// A value and its count, as ranks tell each other of them.
type Told = [u8; 16];

/// The runs of columns of sorted values, from every rank.
fn gathered(columns: &[Vec<i64>], ranks: &Ranks) -> Result<Vec<Vec<u8>>, RankError> {
    let mut bytes = Vec::new();
    for values in columns {
        bytes.extend((runs(values).count() as u64).to_le_bytes());
        for (value, count) in runs(values) {
            bytes.extend(value.to_le_bytes());
            bytes.extend((count as u64).to_le_bytes());
        }
    }
    ranks.gather_each(bytes)
}

/// The runs of one column over all ranks, by value.
#[derive(Clone)]
struct Merged<'a> {
    /// Of every rank those that are still to come.
    rests: Vec<&'a [Told]>,
    /// The next value of every rank that has one, the least first.
    next: BinaryHeap<Reverse<(i64, usize)>>,
}

impl<'a> Merged<'a> {
    /// The next column of what every rank has told.
    ///
    /// # Errors
    /// [`RankError::System`] for bytes that end early.
    fn of_next(of_ranks: &mut [&'a [u8]]) -> Result<Self, RankError> {
        let of_rank = |rest: &mut &'a [u8]| -> Option<&'a [Told]> {
            let (count, behind) = rest.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_le_bytes(*count)).ok()?.checked_mul(size_of::<Told>())?;
            let (of_column, behind) = behind.split_at_checked(length)?;
            *rest = behind;
            Some(of_column.as_chunks().0)
        };
        let rests = of_ranks.iter_mut().map(of_rank).collect::<Option<Vec<_>>>();
        let reason = "the values of another rank end early".to_owned();
        let rests = rests.ok_or(RankError::System { reason })?;
        let heads = rests.iter().enumerate().filter_map(|(rank, rest)| Some((told(rest.first()?).0, rank)));
        let next = heads.map(Reverse).collect();
        Ok(Self { rests, next })
    }

    /// The least run of any rank.
    fn take(&mut self) -> Option<(i64, usize)> {
        let mut least = self.next.peek_mut()?;
        let Reverse((_, rank)) = *least;
        let (run, rest) = self.rests.get(rank)?.split_first()?;
        self.rests[rank] = rest;
        match rest.first() {
            Some(next) => *least = Reverse((told(next).0, rank)),
            None => drop(PeekMut::pop(least)),
        }
        Some(told(run))
    }
}

impl Iterator for Merged<'_> {
    type Item = (i64, usize);

    fn next(&mut self) -> Option<(i64, usize)> {
        let (value, mut all) = self.take()?;
        while self.next.peek().is_some_and(|Reverse((next, _))| *next == value) {
            all = all.saturating_add(self.take().map_or(0, |(_, count)| count));
        }
        Some((value, all))
    }
}

#[allow(clippy::cast_possible_truncation, reason = "rows are counted by 64 bits")]
fn told(run: &Told) -> (i64, usize) {
    let word = |at: usize| run[at..].first_chunk::<8>().copied().unwrap_or_default();
    // A count of rows is that of a slice on some machine.
    (i64::from_le_bytes(word(0)), u64::from_le_bytes(word(8)) as usize)
}

/// The cuts of a column with these runs of values beside its zeros, m in all.
fn cut(values: impl Iterator<Item = (i64, usize)> + Clone, m: usize, bins: usize) -> Vec<f64> {
    let (mut runs_of_values, mut others) = (0, 0);
    values.clone().for_each(|(_, count)| (runs_of_values, others) = (runs_of_values + 1, others + count));
    let zeros = (others < m).then_some((0, m - others));
    let (mut distinct, mut upto) =
        (Vec::with_capacity(runs_of_values + 1), Vec::with_capacity(runs_of_values + 2));
    let mut rows = 0;
    upto.push(rows);
    let negative = values.clone().take_while(|(value, _)| *value < 0);
    let positive = values.skip_while(|(value, _)| *value < 0);
    for (value, count) in negative.chain(zeros).chain(positive) {
        rows += count;
        distinct.push(f64::from_bits(ordered(value).cast_unsigned()));
        upto.push(rows);
    }
    // The first value of every bin but the first, where a bin has s rows or one value.
    let (upto, values) = (&upto, distinct.len());
    // A value that stands for missing starts a bin, and so does its successor.
    let after_lowest = usize::from(distinct.first() == Some(&Missing::Lowest.value()));
    let apart = distinct.last() == Some(&Missing::Highest.value()) && bins - after_lowest > 1;
    let highest = if apart { values - 1 } else { values };
    let starts = |s: usize| {
        let full = move |k: usize| upto.partition_point(|rows| *rows <= upto[k] + s) - 1;
        let end = move |k: usize| [after_lowest, highest, values].into_iter().find(|end| *end > k);
        let next = move |k: &usize| end(*k).map(|end| full(*k).clamp(k + 1, end));
        std::iter::successors(Some(0), next).skip(1).take_while(move |k| *k < values)
    };
    // Bisection for the least s that needs no more bins than allowed: larger bins are fewer.
    let (mut too_few, mut enough) = (0, m);
    while enough - too_few > 1 {
        let s = too_few.midpoint(enough);
        if starts(s).nth(bins - 1).is_none() { enough = s } else { too_few = s }
    }
    let s = if values <= bins { 0 } else { enough };
    starts(s).map(|k| midway(distinct[k - 1], distinct[k])).collect()
}

impl TryFrom<Parts> for BinnedColumns {
    type Error = LearnerError;

    fn try_from(parts: Parts) -> Result<Self, LearnerError> {
        check_size(&parts.matrix)?;
        let shard = Shard::whole(parts.matrix.len());
        Self::of(parts, shard)
    }
}

impl BinnedColumns {
    /// The sample of rows whose number was checked.
    fn of(parts: Parts, shard: Shard) -> Result<Self, LearnerError> {
        let Parts { matrix, cuts } = &parts;
        if cuts.len() != matrix.dimension() {
            return Err(LearnerError::InputDimension { expected: cuts.len(), got: matrix.dimension() });
        }
        for column in cuts {
            if let Some(index) = column.iter().position(|c| !c.is_finite()) {
                return Err(LearnerError::NotFinite { argument: "cuts", index, value: column[index] });
            }
            if let Some(pair) = column.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(LearnerError::BadParameter {
                    name: "cut",
                    value: pair[1],
                    domain: "rising cuts",
                });
            }
            if column.len() > 255 {
                return Err(LearnerError::LengthMismatch {
                    argument: "cuts",
                    expected: 255,
                    got: column.len(),
                });
            }
        }
        // At most 255 cuts lie at or below a value.
        let bin = |j: usize, x: f64| u8::try_from(cuts[j].partition_point(|c| *c <= x)).unwrap_or(u8::MAX);
        let m = matrix.len();
        // A byte a row and column, also for sparse rows, whose width is unbounded.
        let (mut bins, size) = (Vec::new(), m.saturating_mul(cuts.len()));
        if bins.try_reserve_exact(size).is_err() {
            return Err(ProjectionError::TooLarge { argument: "bins", size }.into());
        }
        (0..cuts.len()).for_each(|j| bins.resize((j + 1) * m, bin(j, 0.0)));
        for (i, x) in matrix.iter().enumerate() {
            x.for_each(|j, x_j| bins[j * m + i] = bin(j, x_j));
        }
        let counts: Vec<usize> = cuts.iter().map(|cuts| cuts.len() + 1).collect();
        let bins_of_zero: Vec<u8> = (0..cuts.len()).map(|j| bin(j, 0.0)).collect();
        let groups = ColumnGroups::of(m, &bins, &counts, &bins_of_zero, &shard)?;
        Ok(Self { parts, shard, bins, groups })
    }
}

#[cfg(test)]
mod tests {
    use super::{MESSAGE, Merged, of_a_message};
    use ranks::RankError;

    /// What a rank tells of columns with these runs.
    fn of_columns(columns: &[&[(i64, u64)]]) -> Vec<u8> {
        let of_column = |runs: &&[(i64, u64)]| {
            let words = runs.iter().flat_map(|(value, count)| [value.cast_unsigned(), *count]);
            let words = std::iter::once(runs.len() as u64).chain(words);
            words.flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
        };
        columns.iter().flat_map(of_column).collect()
    }

    #[test]
    fn runs_of_ranks_are_merged_by_value() {
        let all = [
            of_columns(&[&[(-3, 1), (2, 5)], &[]]),
            of_columns(&[&[], &[(9, 1)]]),
            of_columns(&[&[(-3, 2), (2, 1), (7, 4)], &[(8, 3), (9, 1)]]),
        ];
        let mut of_ranks: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        let mut next = || Merged::of_next(&mut of_ranks).map(|merged| merged.collect::<Vec<_>>());
        assert_eq!(next(), Ok(vec![(-3, 3), (2, 6), (7, 4)]));
        assert_eq!(next(), Ok(vec![(8, 3), (9, 2)]));
        assert!(matches!(next(), Err(RankError::System { .. })));
        // A count beyond what was sent.
        for count in [2, u64::MAX] {
            let mut bytes = of_columns(&[&[(1, 1)]]);
            bytes[..8].copy_from_slice(&count.to_le_bytes());
            assert!(matches!(Merged::of_next(&mut [&bytes[..]]), Err(RankError::System { .. })));
        }
    }

    #[test]
    fn a_message_has_many_columns_of_few_values_or_one_of_many() {
        assert_eq!([of_a_message(&[0; 9]), of_a_message(&[3; 9]), of_a_message(&[])], [9, 9, 1]);
        assert_eq!(of_a_message(&[MESSAGE + 1, 1]), 1);
        assert_eq!(of_a_message(&[1, MESSAGE - 1, 1]), 2);
        assert_eq!(of_a_message(&[1, u64::MAX, 1]), 1);
    }
}
