//! Which parts of the files of a log each rank reads.
//!
//! A unit is a row group of a Parquet file, or any other file as a whole. Each rank reads a run of units.

use crate::FormatError;
use crate::agreement::{Agreement, gathered};
use crate::facts::FileName;
use crate::options::{Format, LogOptions};
use crate::readers::{Extent, MAGIC_OF_PARQUET, rows_of_groups};
use crate::source::Source;
use ranks::Ranks;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A file, or row groups of it.
pub(crate) struct Part {
    pub(crate) source: Source,
    pub(crate) extent: Extent,
    /// The place of the file among those of the log.
    pub(crate) place: usize,
}

/// What a rank reads.
pub(crate) struct PartsOfRank {
    /// The first file of the log, whose columns every rank looks at.
    pub(crate) first: Source,
    pub(crate) own: Vec<Part>,
    /// The files of the log.
    pub(crate) files: usize,
}

/// A file as a rank sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Units {
    bytes: u64,
    /// The rows of its row groups, in Parquet: the first rank looks at them.
    rows: Option<Vec<u64>>,
}

/// A file, and row groups of it; `None` for the whole file.
type Run = (usize, Option<Range<usize>>);

/// Deals the files out to the ranks. The first rank looks at them, and the others follow. Whether all have
/// files of the same lengths is checked; what is in a file is known to the rank alone that reads it.
pub(crate) fn of_rank(
    sources: impl IntoIterator<Item = Result<Source, FormatError>>,
    options: &LogOptions,
    ranks: &Ranks,
) -> Result<PartsOfRank, FormatError> {
    let looks = ranks.rank() == 0;
    let look = || {
        let (mut own, mut units) = (Vec::new(), Vec::new());
        for source in sources {
            let mut source = source?;
            source.close();
            let file: FileName = source.name().into();
            let bytes = source.length().ok_or(FormatError::StreamOfRanks { file })?;
            let rows = if looks { rows(&source, options)? } else { None };
            units.push(Units { bytes, rows });
            own.push(source);
        }
        if own.is_empty() { Err(FormatError::NoFile) } else { Ok((own, units)) }
    };
    let (sources, units) = Agreement::new(ranks).end(look())?;
    let all = gathered(ranks, units)?;
    let units = checked(&sources, &all)?;
    let runs = dealt(units, ranks.size()).into_iter().nth(ranks.rank()).unwrap_or_default();
    let first = sources.first().ok_or(FormatError::NoFile)?.again()?;
    let mut own = Vec::new();
    for (place, source) in sources.into_iter().enumerate() {
        own.extend(runs.iter().find(|(own, _)| *own == place).map(|(_, groups)| {
            let extent = match groups.clone() {
                None => Extent::Whole,
                Some(groups) => Extent::Groups { is_hashed: groups.start == 0, groups },
            };
            Part { source, extent, place }
        }));
    }
    Ok(PartsOfRank { first, own, files: units.len() })
}

/// What the first rank has found, if the others have files of the same lengths. All ranks come to the same.
fn checked<'a>(sources: &[Source], all: &'a [Vec<Units>]) -> Result<&'a [Units], FormatError> {
    let units = all.first().map_or(&[][..], Vec::as_slice);
    for (rank, own) in all.iter().enumerate() {
        let (expected, found) = (units.len(), own.len());
        if expected != found {
            return Err(FormatError::OtherFiles { rank, expected, found });
        }
        let mut pairs = sources.iter().zip(units.iter().zip(own));
        if let Some((source, (first, other))) = pairs.find(|(_, (first, other))| first.bytes != other.bytes) {
            let (file, expected, found) = (source.name().into(), first.bytes, other.bytes);
            return Err(FormatError::OtherCopy { file, rank, expected, found });
        }
    }
    Ok(units)
}

/// The rows of the row groups of a Parquet file.
fn rows(source: &Source, options: &LogOptions) -> Result<Option<Vec<u64>>, FormatError> {
    if !matches!(options.format, None | Some(Format::Parquet)) {
        return Ok(None);
    }
    let file = source.file_with(MAGIC_OF_PARQUET)?;
    file.map(|file| rows_of_groups(file, &source.name().into(), options.limits.ratio)).transpose()
}

/// The runs of each rank. A unit goes to the rank in whose equal share of all rows its middle is; of all
/// bytes, where not all files are of Parquet.
fn dealt(files: &[Units], size: usize) -> Vec<Vec<Run>> {
    let have_rows = files.iter().all(|file| file.rows.is_some());
    let mut units: Vec<(usize, Option<usize>, u64)> = Vec::new();
    for (place, Units { bytes, rows }) in files.iter().enumerate() {
        let rows = rows.as_deref().unwrap_or_default();
        let all = rows.iter().fold(0, |sum: u64, rows| sum.saturating_add(*rows)).max(1);
        let weight = |rows: u64| {
            let share = u128::from(*bytes) * u128::from(rows) / u128::from(all);
            if have_rows { rows } else { u64::try_from(share).unwrap_or(*bytes) }
        };
        match rows {
            [] => units.push((place, None, if have_rows { 0 } else { *bytes })),
            rows => units.extend(rows.iter().enumerate().map(|(k, rows)| (place, Some(k), weight(*rows)))),
        }
    }
    let total = units.iter().map(|(.., weight)| u128::from(*weight)).sum::<u128>();
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); size];
    let (mut before, count) = (0_u128, units.len());
    for (unit, (place, group, weight)) in units.into_iter().enumerate() {
        let middle = 2 * before + u128::from(weight);
        before += u128::from(weight);
        let rank = match total {
            0 => Some(unit * size / count),
            _ => usize::try_from(middle * size as u128 / (2 * total)).ok(),
        };
        let last = size.saturating_sub(1);
        let Some(of_rank) = runs.get_mut(rank.map_or(last, |rank| rank.min(last))) else { continue };
        match (of_rank.last_mut(), group) {
            (Some((last, Some(groups))), Some(group)) if *last == place => groups.end = group + 1,
            (_, group) => of_rank.push((place, group.map(|group| group..group + 1))),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_dealt_in_runs_of_about_as_many_rows() {
        let parquet = |rows: &[u64]| Units { bytes: 1000, rows: Some(rows.to_vec()) };
        let text = |bytes: u64| Units { bytes, rows: None };
        let whole = |places: &[usize]| places.iter().map(|place| (*place, None)).collect::<Vec<Run>>();
        // One file is in the middle.
        assert_eq!(dealt(&[text(10)], 3), [whole(&[]), whole(&[0]), whole(&[])]);
        assert_eq!(dealt(&[text(1), text(1), text(1), text(9)], 2), [whole(&[0, 1, 2]), whole(&[3])]);
        assert_eq!(dealt(&[text(0), text(0)], 2), [whole(&[0]), whole(&[1])]);
        // Rows and not bytes, and row groups of two files.
        let found = dealt(&[parquet(&[10, 10, 10]), parquet(&[5, 5, 20])], 3);
        let groups = |place: usize, groups: Range<usize>| (place, Some(groups));
        assert_eq!(
            found,
            [vec![groups(0, 0..2)], vec![groups(0, 2..3), groups(1, 0..2)], vec![groups(1, 2..3)]]
        );
        // Bytes, where one has no rows: the groups have 500 each.
        let found = dealt(&[parquet(&[7, 7]), text(2000)], 3);
        assert_eq!(found, [vec![groups(0, 0..2)], vec![], vec![(1, None)]]);
        let none = dealt(&[parquet(&[]), parquet(&[0])], 2);
        assert_eq!(none, [vec![(0, None)], vec![groups(1, 0..1)]]);
    }
}
