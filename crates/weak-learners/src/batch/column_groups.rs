//! The bytes that a count reads, fewer than the columns where some share one.

use super::bundles::{Candidate, bundles};
use ranks::{RankError, Shard};

/// The columns with a cut in *groups*: a column that is a byte a row, or a bundle of columns that share
/// one. A group has its *codes*, the values of the byte.
///
/// A count by codes has all sums of all bins: a bin with a code has the sum of that code, and the one bin
/// without, the hole of a bundled column, has what the others leave of the sum of all rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnGroups {
    groups: Vec<Group>,
    /// The codes of the bundles, m bytes each.
    codes: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
struct Group {
    source: Source,
    /// One more than the highest code.
    width: usize,
    /// In ascending order of features.
    members: Vec<Member>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    /// The codes are the bins of this column.
    Column(usize),
    /// The codes of this bundle.
    Bundle(usize),
}

/// A column of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Member {
    pub(super) feature: usize,
    /// The code of its first bin with a code; those of its further bins follow.
    first: usize,
    /// The number of its bins.
    bins: usize,
    /// The bin without a code; `bins` if every bin has one.
    hole: usize,
}

impl Member {
    /// The sums of the bins but the last, in their order, by those of the codes and of all rows.
    pub(super) fn sums<'a, S>(&self, codes: &'a [S], all: S) -> impl Iterator<Item = S> + use<'a, S>
    where
        S: Copy + std::ops::Sub<Output = S>,
    {
        let coded = self.bins - usize::from(self.hole < self.bins);
        let codes = &codes[self.first..self.first + coded];
        let (before, after) = codes.split_at(self.hole.min(coded));
        let hole = (self.hole < self.bins).then(|| codes.iter().fold(all, |rest, sum| rest - *sum));
        before.iter().copied().chain(hole).chain(after.iter().copied()).take(self.bins - 1)
    }

    fn code(&self, bin: usize) -> Option<u8> {
        // At most 256 codes a group.
        (bin != self.hole).then(|| u8::try_from(self.first + bin - usize::from(bin > self.hole)).unwrap_or(0))
    }
}

impl ColumnGroups {
    /// The groups of m rows: the bins of column j at j·m + i, up to 256 of them, and the bin of 0. The groups
    /// are those of the rows of all ranks, the codes those of these rows.
    ///
    /// # Errors
    /// Those of the ranks.
    pub(super) fn of(
        m: usize,
        bins: &[u8],
        counts: &[usize],
        bins_of_zero: &[u8],
        shard: &Shard,
    ) -> Result<Self, RankError> {
        let ranks = shard.ranks();
        let column = |j: usize| &bins[j * m..][..m];
        let outside = |j: usize| column(j).iter().filter(move |bin| **bin != bins_of_zero[j]).count();
        // A column of many values that are seldom 0 fits in no bundle.
        let of_many = |j: usize| if counts[j] > 2 { outside(j) as u64 } else { 0 };
        let mut elsewhere: Vec<u64> = (0..counts.len()).map(of_many).collect();
        ranks.sum(&mut elsewhere)?;
        let half = shard.total() as u64 / 2;
        let may_share = |j: &usize| counts[*j] >= 2 && elsewhere[*j] <= half;
        let candidate = |j: usize| {
            let mut rows = Vec::with_capacity(outside(j));
            let is_outside = |(row, bin): (u32, &u8)| (*bin != bins_of_zero[j]).then_some(row);
            rows.extend((0..=u32::MAX).zip(column(j)).filter_map(is_outside));
            Candidate { column: j, codes: counts[j] - 1, rows }
        };
        let candidates = (0..counts.len()).filter(may_share).map(candidate);
        let bundled = bundles(m, candidates, 256, |here| ranks.any(here))?;
        let mut is_bundled = vec![false; counts.len()];
        let (mut groups, mut codes) = (Vec::new(), vec![0; bundled.len() * m]);
        for (k, bundle) in bundled.iter().enumerate() {
            let codes = &mut codes[k * m..][..m];
            let mut members = Vec::with_capacity(bundle.members.len());
            for &(feature, first) in &bundle.members {
                is_bundled[feature] = true;
                let hole = usize::from(bins_of_zero[feature]);
                let member = Member { feature, first, bins: counts[feature], hole };
                for (code, bin) in codes.iter_mut().zip(column(feature)) {
                    *code = member.code(usize::from(*bin)).unwrap_or(*code);
                }
                members.push(member);
            }
            groups.push(Group { source: Source::Bundle(k), width: bundle.codes, members });
        }
        let alone = (0..counts.len()).filter(|j| counts[*j] > 1 && !is_bundled[*j]);
        groups.extend(alone.map(|feature| {
            let bins = counts[feature];
            let members = vec![Member { feature, first: 0, bins, hole: bins }];
            Group { source: Source::Column(feature), width: bins, members }
        }));
        Ok(Self { groups, codes })
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The codes of a group, from the bins of the m rows.
    pub(super) fn codes<'a>(&'a self, m: usize, bins: &'a [u8], group: usize) -> &'a [u8] {
        match self.groups[group].source {
            Source::Column(j) => &bins[j * m..][..m],
            Source::Bundle(k) => &self.codes[k * m..][..m],
        }
    }

    /// The number of codes of a group.
    pub(super) fn width(&self, group: usize) -> usize {
        self.groups[group].width
    }

    /// The columns of a group.
    pub(super) fn members(&self, group: usize) -> &[Member] {
        &self.groups[group].members
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::unwrap_used, reason = "small numbers; a test may")]
mod tests {
    use super::*;

    /// m rows: a number of three bins, a category of four one-hot, its last value the most frequent, a
    /// constant, two numbers that are seldom 0 and never both, and a number of many bins.
    fn columns(m: usize) -> (Vec<Vec<u8>>, Vec<usize>, Vec<u8>) {
        let category = |i: usize| if i.is_multiple_of(3) { i / 3 % 3 } else { 3 };
        let is = |value: usize| (0..m).map(|i| u8::from(category(i) == value)).collect();
        let rare = |at: usize| (0..m).map(move |i| if i % 7 == at { 1 + (i % 3) as u8 } else { 0 });
        let bins: Vec<Vec<u8>> = vec![
            (0..m).map(|i| (i % 3) as u8).collect(),
            is(0),
            is(1),
            is(2),
            is(3),
            vec![0; m],
            rare(2).collect(),
            rare(5).collect(),
            (0..m).map(|i| (i * i % 251) as u8).collect(),
        ];
        (bins, vec![3, 2, 2, 2, 2, 1, 4, 4, 251], vec![1, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    #[test]
    fn columns_that_share_a_byte_have_the_sums_of_their_bins() {
        let m = 3000;
        let (columns, counts, bins_of_zero) = columns(m);
        let bins = columns.concat();
        let groups = ColumnGroups::of(m, &bins, &counts, &bins_of_zero, &Shard::whole(m)).unwrap();
        // The first number, the category, the rare numbers, the last number.
        assert_eq!(groups.len(), 4);
        let weight = |i: usize| (i * 37 % 101) as i64 - 40;
        let all = (0..m).map(weight).sum::<i64>();
        let mut seen = vec![0; counts.len()];
        for group in 0..groups.len() {
            let mut sums = vec![0; 256];
            let codes = groups.codes(m, &bins, group);
            codes.iter().enumerate().for_each(|(i, code)| sums[usize::from(*code)] += weight(i));
            assert!(codes.iter().all(|code| usize::from(*code) < groups.width(group)));
            assert!(groups.members(group).is_sorted_by_key(|member| member.feature));
            for member in groups.members(group) {
                seen[member.feature] += 1;
                let direct = |bin: usize| {
                    let rows = (0..m).filter(|i| usize::from(columns[member.feature][*i]) == bin);
                    rows.map(weight).sum::<i64>()
                };
                let expected: Vec<i64> = (0..counts[member.feature] - 1).map(direct).collect();
                assert_eq!(member.sums(&sums, all).collect::<Vec<_>>(), expected, "{}", member.feature);
            }
        }
        assert_eq!(seen, [1, 1, 1, 1, 1, 0, 1, 1, 1], "every column with a cut once");
    }
}
