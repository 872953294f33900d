//! The layout of the bins in memory.

use crate::batch::bundles::{Bundle, Candidate, bundles};
use crate::{RankError, Shard};
use rows::RowMatrix;
use std::ops::Range;

/// Groups whose bytes are contiguous, row by row: a cache line.
pub(in crate::pairs) const BLOCK: usize = 64;

/// The cost of a listed value, in bytes of an unlisted column.
const DEAR: f64 = 1.5;
/// The least cost of a row's list, in bytes.
const START: f64 = 8.0;
/// The number of bins of a byte.
const OF_A_BYTE: usize = 256;

/// The bins of all columns. A *group* is a column that is a byte a row, or a bundle of columns that share
/// one; its *codes* are the values of the byte. A histogram has `stride` cells a group, followed by one for
/// every listed bin.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::pairs) struct Layout {
    pub(in crate::pairs) rows: usize,
    /// The columns with a cut, in their order.
    pub(in crate::pairs) columns: Vec<Column>,
    /// The places of those that lack values.
    pub(in crate::pairs) optional: Vec<u32>,
    pub(in crate::pairs) groups: usize,
    /// A power of two, 16 to 256, above every code.
    pub(in crate::pairs) stride: usize,
    /// The bytes of the first [`BLOCK`] groups row by row, then those of the next ones.
    pub(in crate::pairs) by_row: Vec<u8>,
    /// The bytes group by group.
    pub(in crate::pairs) by_group: Vec<u8>,
    pub(in crate::pairs) sparse: Option<SparseRows>,
    /// The number of cells of a histogram.
    pub(in crate::pairs) cells: usize,
}

/// A column with a cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::pairs) struct Column {
    /// j.
    pub(in crate::pairs) feature: u32,
    pub(in crate::pairs) place: Place,
    /// The cell of its first bin with a cell; the other cells follow.
    pub(in crate::pairs) first: u32,
    pub(in crate::pairs) bins: u16,
    /// The bin without a cell, whose sums are the rest of the node's; `bins` or more if every bin has a cell.
    pub(in crate::pairs) hole: u16,
    /// The bin of 0.
    pub(in crate::pairs) zero: u16,
    /// The rows without a value, if there are some.
    pub(in crate::pairs) missing: Option<Missing>,
}

/// The rows that have no value in a column, by its indicator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::pairs) struct Missing {
    /// The column of the indicator.
    pub(in crate::pairs) indicator: u32,
    pub(in crate::pairs) place: Place,
    /// The cell of the rows.
    pub(in crate::pairs) cell: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::pairs) enum Place {
    Group(u32),
    Listed,
}

impl Column {
    /// The cells of the bins up to this one, or of the bins above it, whichever all have cells; true for the
    /// first.
    pub(in crate::pairs) fn side(&self, bin: u16) -> (Range<u32>, bool) {
        let coded = u32::from(self.bins) - u32::from(self.hole < self.bins);
        // The number of bins up to this one with a cell.
        let below = u32::from(bin) + u32::from(self.hole > bin);
        if self.hole > bin {
            (self.first..self.first + below, true)
        } else {
            (self.first + below..self.first + coded, false)
        }
    }

    /// Its cells among those of all columns.
    pub(in crate::pairs) fn cells<'a, C>(&self, cells: &'a [C]) -> &'a [C] {
        let coded = usize::from(self.bins) - usize::from(self.hole < self.bins);
        &cells[self.first as usize..][..coded]
    }

    /// The rows where this column, an indicator, is 1.
    fn as_indicator(&self) -> Option<Missing> {
        let cell = self.cell(1)?;
        Some(Missing { indicator: self.feature, place: self.place, cell })
    }

    /// The cell of a bin with a cell.
    fn cell(&self, bin: u16) -> Option<u32> {
        (bin != self.hole).then(|| self.first + u32::from(bin - u16::from(bin > self.hole)))
    }
}

/// Whether rows have one of some cells that stand at one place.
#[derive(Clone, Copy)]
pub(in crate::pairs) enum HasCell<'a> {
    /// Row i has the byte i·step.
    Group {
        bytes: &'a [u8],
        step: usize,
        start: u32,
        count: u32,
    },
    Listed {
        rows: Option<&'a SparseRows>,
        start: u32,
        count: u32,
    },
}

impl HasCell<'_> {
    #[inline]
    pub(in crate::pairs) fn of(&self, row: usize) -> bool {
        match *self {
            Self::Group { bytes, step, start, count } => {
                u32::from(bytes[row * step]).wrapping_sub(start) < count
            }
            Self::Listed { rows, start, count } => {
                let cells = rows.map_or(&[][..], |rows| rows.row(row));
                let next = cells.get(cells.partition_point(|cell| *cell < start));
                next.is_some_and(|cell| cell - start < count)
            }
        }
    }
}

/// For every row the cells of its listed values, ascending, counted from the first cell after the groups.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::pairs) struct SparseRows {
    offsets: Vec<usize>,
    cells: Vec<u32>,
}

impl SparseRows {
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(in crate::pairs) fn row(&self, i: usize) -> &[u32] {
        &self.cells[self.offsets[i]..self.offsets[i + 1]]
    }
}

/// The statistics of a column that decide its place.
struct Census {
    /// The number of rows outside the bin of 0.
    elsewhere: usize,
    bin_of_zero: u16,
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "a u16 of bins a column, 2^23 columns with a cut, 2^31 cuts and 2^32 rows at most: all this was checked"
)]
impl Layout {
    /// With the columns whose values may be missing, and their indicators. The places are those of all ranks,
    /// the rows are this one's.
    ///
    /// # Errors
    /// [`RankError`].
    pub(in crate::pairs) fn of(
        matrix: &RowMatrix,
        cuts: &[Vec<f64>],
        indicators: &[(usize, usize)],
        shard: &Shard,
    ) -> Result<Self, RankError> {
        let (m, ranks) = (matrix.len(), shard.ranks());
        let bin = |j: usize, x: f64| cuts[j].partition_point(|c| *c <= x) as u16;
        let mut census: Vec<Census> =
            (0..cuts.len()).map(|j| Census { elsewhere: 0, bin_of_zero: bin(j, 0.0) }).collect();
        for x in matrix.iter() {
            x.for_each(|j, x_j| {
                if x_j != 0.0 && bin(j, x_j) != census[j].bin_of_zero {
                    census[j].elsewhere += 1;
                }
            });
        }
        let mut elsewhere: Vec<u64> = census.iter().map(|of_column| of_column.elsewhere as u64).collect();
        ranks.sum(&mut elsewhere)?;
        // Half of the rows, and a share of them.
        let (half, all) = (shard.total() as u64 / 2, shard.total() as f64);
        let with_cut = (0..cuts.len()).filter(|j| !cuts[*j].is_empty());
        let (mut wide, narrow): (Vec<usize>, Vec<usize>) =
            with_cut.partition(|j| cuts[*j].len() >= OF_A_BYTE);
        let (rare, mut whole): (Vec<usize>, Vec<usize>) = narrow.iter().partition(|j| elsewhere[**j] <= half);
        let stride = |codes: usize| codes.next_power_of_two().clamp(16, OF_A_BYTE);
        let widest = whole.iter().map(|j| cuts[*j].len() + 1).max();
        let (rare_columns, codes) =
            (candidates(matrix, &rare, cuts, &census), widest.map_or(OF_A_BYTE, stride));
        let bundled = bundles(m, rare_columns, codes, |here| ranks.any(here))?;
        let mut is_bundled = vec![false; cuts.len()];
        bundled.iter().flat_map(|bundle| &bundle.members).for_each(|(j, _)| is_bundled[*j] = true);
        let mut listed: Vec<usize> = rare.iter().copied().filter(|j| !is_bundled[*j]).collect();
        #[allow(clippy::cast_precision_loss, reason = "a choice between two layouts of the same bins")]
        let values = listed.iter().map(|j| elsewhere[*j] as f64).sum::<f64>() / all;
        if listed.len() as f64 <= START + DEAR * values {
            whole.append(&mut listed);
            whole.sort_unstable();
        }
        listed.append(&mut wide);
        listed.sort_unstable();
        let codes = whole.iter().map(|j| cuts[*j].len() + 1).chain(bundled.iter().map(|b| b.codes));
        let stride = stride(codes.max().unwrap_or_default());
        let groups = whole.len() + bundled.len();
        let mut columns = vec![None; cuts.len()];
        let column = |j: usize, place, first: usize, hole| Column {
            feature: j as u32,
            place,
            first: first as u32,
            bins: cuts[j].len() as u16 + 1,
            hole,
            zero: census[j].bin_of_zero,
            missing: None,
        };
        for (group, &j) in whole.iter().enumerate() {
            columns[j] = Some(column(j, Place::Group(group as u32), group * stride, u16::MAX));
        }
        for (group, Bundle { members, .. }) in (whole.len()..).zip(&bundled) {
            for &(j, code) in members {
                let place = Place::Group(group as u32);
                columns[j] = Some(column(j, place, group * stride + code, census[j].bin_of_zero));
            }
        }
        let mut cells = groups * stride;
        for &j in &listed {
            columns[j] = Some(column(j, Place::Listed, cells, census[j].bin_of_zero));
            cells += cuts[j].len();
        }
        for &(j, k) in indicators {
            // An indicator that does not vary has no column: all values are missing, or none.
            if let (Some(indicator), Some(column)) = (columns[k], &mut columns[j]) {
                column.missing = indicator.as_indicator();
            }
        }
        let mut layout = Self {
            rows: m,
            columns: Vec::new(),
            optional: Vec::new(),
            groups,
            stride,
            by_row: Vec::new(),
            by_group: vec![0; m * groups],
            sparse: (!listed.is_empty()).then(|| SparseRows { offsets: vec![0], cells: Vec::new() }),
            cells,
        };
        layout.fill(matrix, &columns, bin);
        layout.columns = columns.into_iter().flatten().collect();
        let lacks = |(place, column): (u32, &Column)| column.missing.map(|_| place);
        layout.optional = (0..).zip(&layout.columns).filter_map(lacks).collect();
        Ok(layout)
    }

    /// Writes the bin of every value.
    fn fill(&mut self, matrix: &RowMatrix, columns: &[Option<Column>], bin: impl Fn(usize, f64) -> u16) {
        let m = self.rows;
        // The code of a row without a stored value; 0 in a bundle.
        for (j, column) in columns.iter().enumerate() {
            if let Some(Column { place: Place::Group(group), hole: u16::MAX, .. }) = column {
                self.by_group[*group as usize * m..][..m].fill(bin(j, 0.0) as u8);
            }
        }
        let first_listed = (self.groups * self.stride) as u32;
        for (i, x) in matrix.iter().enumerate() {
            x.for_each(|j, x_j| {
                let Some(column) = &columns[j] else { return };
                let Some(cell) = column.cell(bin(j, x_j)) else { return };
                match (column.place, &mut self.sparse) {
                    (Place::Group(group), _) => {
                        let group = group as usize;
                        self.by_group[group * m + i] = (cell as usize - group * self.stride) as u8;
                    }
                    (Place::Listed, Some(sparse)) => sparse.cells.push(cell - first_listed),
                    (Place::Listed, None) => {}
                }
            });
            if let Some(sparse) = &mut self.sparse {
                sparse.offsets.push(sparse.cells.len());
            }
        }
        self.lay_by_row();
    }

    /// The same for some rows, in the memory of an earlier part.
    pub(in crate::pairs) fn select(&mut self, whole: &Self, rows: &[u32]) {
        self.rows = rows.len();
        self.columns.clone_from(&whole.columns);
        self.optional.clone_from(&whole.optional);
        (self.groups, self.stride, self.cells) = (whole.groups, whole.stride, whole.cells);
        self.by_group.clear();
        for codes in whole.by_group.chunks_exact(whole.rows) {
            self.by_group.extend(rows.iter().map(|i| codes[*i as usize]));
        }
        self.lay_by_row();
        match &whole.sparse {
            Some(sparse) => {
                let part = self.sparse.get_or_insert_default();
                part.offsets.clear();
                part.offsets.push(0);
                part.cells.clear();
                for i in rows {
                    part.cells.extend_from_slice(sparse.row(*i as usize));
                    part.offsets.push(part.cells.len());
                }
            }
            None => self.sparse = None,
        }
    }

    /// Whether rows have one of these cells, which stand at one place. The bytes of a group and their step
    /// are those of `bytes`.
    pub(in crate::pairs) fn has_cell<'a>(
        &self,
        place: Place,
        cells: Range<u32>,
        bytes: impl FnOnce(u32) -> (&'a [u8], usize),
        rows: Option<&'a SparseRows>,
    ) -> HasCell<'a> {
        let count = cells.end - cells.start;
        match place {
            Place::Group(group) => {
                let (bytes, step) = bytes(group);
                HasCell::Group { bytes, step, start: cells.start - group * self.stride as u32, count }
            }
            Place::Listed => {
                let start = cells.start - (self.groups * self.stride) as u32;
                HasCell::Listed { rows, start, count }
            }
        }
    }

    /// Copies the bytes that stand group by group to those that stand row by row.
    fn lay_by_row(&mut self) {
        let m = self.rows;
        self.by_row.resize(m * self.groups, 0);
        // A rank may have none of the rows that were drawn.
        if m == 0 {
            return;
        }
        for (block, bytes) in self.by_row.chunks_mut(m * BLOCK).enumerate() {
            let width = bytes.len() / m;
            // A tile of rows stays in the first-level cache while its columns are written.
            for (tile, bytes) in bytes.chunks_mut(TILE * width).enumerate() {
                for k in 0..width {
                    let codes = &self.by_group[(block * BLOCK + k) * m + tile * TILE..];
                    bytes[k..].iter_mut().step_by(width).zip(codes).for_each(|(byte, code)| *byte = *code);
                }
            }
        }
    }
}

/// The layout of some of the columns, in memory that is kept from one training to the next.
#[derive(Debug, Default)]
pub(in crate::pairs) struct PartialLayout {
    layout: Layout,
    /// The place of every group of the whole, and that of every listed cell.
    groups: Vec<u32>,
    cells: Vec<u32>,
}

#[allow(clippy::cast_possible_truncation, reason = "the cells of a part are those of the whole, or fewer")]
impl PartialLayout {
    /// The layout of the allowed columns; `None` where so few columns are left out that a copy does not pay.
    ///
    /// A group stays whole if one of its columns is allowed. The cells of a column keep their order, so that
    /// histograms have the same sums. The indicator of an allowed column is allowed.
    pub(in crate::pairs) fn among(&mut self, whole: &Layout, allowed: &[bool]) -> Option<&Layout> {
        const DROPPED: u32 = u32::MAX;
        if whole.columns.is_empty() {
            return None;
        }
        let Self { layout: part, groups, cells } = self;
        let columns = || whole.columns.iter().filter(|column| allowed[column.feature as usize]);
        groups.clear();
        groups.resize(whole.groups, DROPPED);
        let mut listed = 0;
        for column in columns() {
            match column.place {
                Place::Group(group) => groups[group as usize] = 0,
                Place::Listed => listed += 1,
            }
        }
        let kept = groups.iter().filter(|group| **group != DROPPED).count();
        let all_listed = whole.columns.iter().filter(|column| column.place == Place::Listed).count();
        if 4 * (kept + listed) > 3 * (whole.groups + all_listed) {
            return None;
        }
        (part.rows, part.groups, part.stride) = (whole.rows, kept, whole.stride);
        part.by_group.clear();
        for (place, (group, codes)) in (0..)
            .zip(groups.iter_mut().zip(whole.by_group.chunks_exact(whole.rows)).filter(|(g, _)| **g == 0))
        {
            *group = place;
            part.by_group.extend_from_slice(codes);
        }
        part.lay_by_row();
        let first_listed = whole.groups * whole.stride;
        part.cells = kept * whole.stride;
        cells.clear();
        cells.resize(whole.cells - first_listed, DROPPED);
        part.columns.clear();
        for column in columns() {
            let mut column = *column;
            match &mut column.place {
                Place::Group(group) => {
                    let moved = groups[*group as usize];
                    column.first -= (*group - moved) * whole.stride as u32;
                    *group = moved;
                }
                Place::Listed => {
                    let count = usize::from(column.bins) - 1;
                    let from = column.first as usize - first_listed;
                    let first = (part.cells - kept * whole.stride) as u32;
                    (first..).zip(&mut cells[from..from + count]).for_each(|(k, cell)| *cell = k);
                    column.first = part.cells as u32;
                    part.cells += count;
                }
            }
            part.columns.push(column);
        }
        part.optional.clear();
        for k in 0..part.columns.len() {
            let Some(missing) = part.columns[k].missing else { continue };
            let place = part.columns.partition_point(|column| column.feature < missing.indicator);
            let indicator = part.columns.get(place).filter(|column| column.feature == missing.indicator);
            part.columns[k].missing = indicator.and_then(Column::as_indicator);
            part.optional.push(k as u32);
        }
        match &whole.sparse {
            Some(sparse) if listed > 0 => {
                let part = part.sparse.get_or_insert_default();
                part.offsets.clear();
                part.offsets.push(0);
                part.cells.clear();
                for row in 0..whole.rows {
                    let moved = sparse.row(row).iter().map(|cell| cells[*cell as usize]);
                    part.cells.extend(moved.filter(|cell| *cell != DROPPED));
                    part.offsets.push(part.cells.len());
                }
            }
            _ => part.sparse = None,
        }
        Some(part)
    }
}

/// The rows that are laid at a time.
const TILE: usize = 256;

/// The rare columns, with their rows outside the bin of 0.
fn candidates(matrix: &RowMatrix, rare: &[usize], cuts: &[Vec<f64>], census: &[Census]) -> Vec<Candidate> {
    let mut of_column = vec![usize::MAX; cuts.len()];
    let mut candidates = Vec::with_capacity(rare.len());
    for &j in rare {
        of_column[j] = candidates.len();
        let rows = Vec::with_capacity(census[j].elsewhere);
        candidates.push(Candidate { column: j, codes: cuts[j].len(), rows });
    }
    for (i, x) in (0_u32..).zip(matrix.iter()) {
        x.for_each(|j, x_j| {
            let bin = cuts[j].partition_point(|c| *c <= x_j);
            if let Some(candidate) = candidates.get_mut(of_column[j])
                && bin != usize::from(census[j].bin_of_zero)
            {
                candidate.rows.push(i);
            }
        });
    }
    candidates
}
