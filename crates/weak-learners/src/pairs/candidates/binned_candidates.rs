//! Candidates binned once.

use super::level::Level;
use crate::LearnerError;
use crate::batch::Sample;
use rows::{Candidates, Row, RowError, RowMatrix};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most columns of all levels, so that a `u32` counts them with their bins.
const MOST_COLUMNS: usize = 1 << 23;

/// The pairs of [`Candidates`], and beside them the *bin* of every value of every level, made once, as
/// [`HistogramCandidateTree`](super::HistogramCandidateTree) searches them.
///
/// An example is a pair. A value is binned once for a context or an item, however many pairs have it. Cuts
/// are those of [`BinnedColumns`](crate::batch::BinnedColumns) on the rows of the level: those of an item's
/// column are quantiles over the items. *Cost:* that of the levels' matrices; the pairs are not expanded.
///
/// ```
/// use rows::{Candidates, RowMatrix};
/// use weak_learners::batch::Sample;
/// use weak_learners::pairs::BinnedCandidates;
/// let readers = RowMatrix::dense(1, vec![30.0, 50.0])?;
/// let articles = RowMatrix::dense(1, vec![0.0, 1.0, 0.5])?;
/// let candidates = Candidates::builder(vec![0, 2, 5])
///     .contexts(readers)
///     .items(vec![0, 1, 2, 0, 1], articles)
///     .build()?;
/// let binned = BinnedCandidates::new(candidates)?;
/// assert_eq!((binned.size(), binned.inputs()), (5, 2));
/// assert_eq!((binned.cuts(0), binned.cuts(1)), (&[40.0][..], &[0.25, 0.75][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct BinnedCandidates {
    parts: Parts,
    levels: [Level; 3],
    /// |A| if the actions are fixed.
    actions: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    candidates: Candidates,
    bins: u16,
    /// Absent without any, and in files of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    indicators: Vec<(usize, usize)>,
}

impl BinnedCandidates {
    /// Up to 256 bins a column.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] with more than 2^23 columns.
    pub fn new(candidates: Candidates) -> Result<Self, LearnerError> {
        Self::with_bins(candidates, 256)
    }

    /// Up to `bins` bins a column.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`LearnerError::BadParameter`] where `bins` is not within 2, …, 65,535.
    pub fn with_bins(candidates: Candidates, bins: u16) -> Result<Self, LearnerError> {
        Parts { candidates, bins, indicators: Vec::new() }.try_into()
    }

    /// The same with the indicators of missing values, as pairs of coordinates of the row of a pair: see
    /// [`BinnedContexts::with_indicators`](crate::pairs::BinnedContexts::with_indicators). A column and its
    /// indicator are of one level.
    ///
    /// # Errors
    /// [`LearnerError::BadIndicator`] for a column out of range, of another level or in two pairs, and for
    /// values that are not coded so.
    pub fn with_indicators(self, indicators: &[(usize, usize)]) -> Result<Self, LearnerError> {
        Parts { indicators: indicators.to_vec(), ..self.parts }.try_into()
    }

    /// The columns whose values may be missing with their indicators, by column.
    #[must_use]
    pub fn indicators(&self) -> &[(usize, usize)] {
        &self.parts.indicators
    }

    /// The candidates.
    #[must_use]
    pub fn candidates(&self) -> &Candidates {
        &self.parts.candidates
    }

    /// The cuts of coordinate j of the row of a pair, ascending; empty for one that is not there.
    #[must_use]
    pub fn cuts(&self, j: usize) -> &[f64] {
        let level = self.levels.iter().rev().find(|level| level.first <= j);
        level.and_then(|level| level.cuts.get(j - level.first)).map_or(&[], Vec::as_slice)
    }

    /// |A| if the actions are fixed: every choice has the same items in the same order, and pairs have no
    /// features of their own. `None` for other candidates.
    #[must_use]
    pub fn actions(&self) -> Option<usize> {
        self.actions
    }

    /// The levels of contexts, pairs and items.
    pub(super) fn levels(&self) -> &[Level; 3] {
        &self.levels
    }
}

impl Sample for BinnedCandidates {
    fn size(&self) -> usize {
        self.parts.candidates.pairs()
    }

    fn inputs(&self) -> usize {
        self.parts.candidates.dimension()
    }

    /// Each pair as a sparse row, which is made for the call.
    fn try_for_each(
        &self,
        visit: &mut dyn FnMut(usize, Row<'_>) -> Result<(), LearnerError>,
    ) -> Result<(), LearnerError> {
        let candidates = &self.parts.candidates;
        let shape = candidates.shape();
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for p in 0..candidates.pairs() {
            let Some(pair) = candidates.pair(p) else { break };
            indices.clear();
            values.clear();
            pair.for_each(shape, |j, value| {
                #[allow(clippy::cast_possible_truncation, reason = "at most 2^23 columns")]
                indices.push(j as u32);
                values.push(value);
            });
            visit(p, Row::sparse(shape.dimension(), &indices, &values).map_err(LearnerError::from)?)?;
        }
        Ok(())
    }

    fn fingerprint(&self) -> u64 {
        self.parts.candidates.fingerprint()
    }
}

impl From<BinnedCandidates> for Parts {
    fn from(binned: BinnedCandidates) -> Self {
        binned.parts
    }
}

impl TryFrom<Parts> for BinnedCandidates {
    type Error = LearnerError;

    fn try_from(parts: Parts) -> Result<Self, LearnerError> {
        let Parts { candidates, bins, mut indicators } = parts;
        if bins < 2 {
            let value = f64::from(bins);
            return Err(LearnerError::BadParameter { name: "bins", value, domain: "2 ≤ bins ≤ 65535" });
        }
        let shape = candidates.shape();
        if shape.dimension() > MOST_COLUMNS {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = shape.dimension() as f64;
            return Err(LearnerError::BadParameter { name: "columns", value, domain: "at most 2^23" });
        }
        let (of_pairs, of_items) = (shape.contexts, shape.contexts + shape.features);
        let items = items(&candidates)?;
        let matrices =
            [(0, candidates.contexts()), (of_pairs, candidates.features()), (of_items, items.as_ref())];
        let columns = matrices.map(|(first, matrix)| first..first + matrix.map_or(0, RowMatrix::dimension));
        let is_of =
            |columns: &Range<usize>, (j, k): &(usize, usize)| columns.contains(j) && columns.contains(k);
        let is_apart = |pair: &&(usize, usize)| !columns.iter().any(|columns| is_of(columns, pair));
        if let Some(&(column, indicator)) = indicators.iter().find(is_apart) {
            let reason = "it is out of range, or of another level";
            return Err(LearnerError::BadIndicator { column, indicator, reason });
        }
        let level = |k: usize| {
            let ((first, matrix), columns) = (matrices[k], &columns[k]);
            let own = indicators.iter().filter(|pair| is_of(columns, pair));
            let own: Vec<_> = own.map(|(j, k)| (j - first, k - first)).collect();
            Level::of(first, matrix, usize::from(bins), &own)
        };
        let levels = [level(0)?, level(1)?, level(2)?];
        indicators.sort_unstable();
        let actions = fixed_actions(&candidates);
        Ok(Self { parts: Parts { candidates, bins, indicators }, levels, actions })
    }
}

/// |A| if every choice has the same items in the same order, and no pair has features of its own.
fn fixed_actions(candidates: &Candidates) -> Option<usize> {
    let count = candidates.pairs_of(0).len();
    let mut ends = candidates.offsets().iter().zip((0..).step_by(count));
    let is_fixed = candidates.features().is_none() && ends.all(|(end, expected)| *end == expected);
    let first = candidates.items().get(..count).unwrap_or_default();
    let is_same = is_fixed && candidates.items().chunks(count).all(|items| items == first);
    is_same.then_some(count)
}

/// The features of the items and their identities, side by side; `None` without either.
fn items(candidates: &Candidates) -> Result<Option<RowMatrix>, RowError> {
    let shape = candidates.shape();
    let columns = shape.items + shape.identities;
    if columns == 0 || shape.identities == 0 {
        return Ok(candidates.item_features().cloned());
    }
    let met = candidates.items().iter().max().map_or(0, |item| *item as usize + 1);
    // Items without features and identity are alike: one row stands for all of them, whatever their numbers.
    let count = match candidates.item_features() {
        Some(features) => features.len(),
        None => met.min(shape.identities + 1),
    };
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for item in 0..count {
        let mut push = |j: usize, value: f64| {
            #[allow(clippy::cast_possible_truncation, reason = "at most 2^23 columns")]
            indices.push(j as u32);
            values.push(value);
        };
        if let Some(row) = candidates.item_features().and_then(|features| features.row(item)) {
            row.for_each(&mut push);
        }
        if item < shape.identities {
            push(shape.items + item, 1.0);
        }
        offsets.push(values.len());
    }
    RowMatrix::sparse(columns, offsets, indices, values).map(Some)
}
