//! Contexts binned once.

mod layout;

use crate::batch::Sample;
use crate::batch::binned_columns::cuts_of;
use crate::batch::contract::check_size;
use crate::batch::indicators::checked_indicators;
use crate::{LearnerError, Ranks, Shard};
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize, Serializer};

pub(super) use layout::{BLOCK, Column, HasCell, Layout, PartialLayout, Place, SparseRows};

/// The largest number of bins of all columns, so that a `u32` counts them.
const MOST_COLUMNS: usize = 1 << 23;
const MOST_CUTS: usize = 1 << 31;

/// n ≥ 1 contexts, and beside them the *bin* of every value, made once, as
/// [`HistogramPairTree`](super::HistogramPairTree) searches them. Cuts and bins are those of
/// [`BinnedColumns`](crate::batch::BinnedColumns).
///
/// *Layout:* a column is stored in the cheapest of three ways. Columns that are never outside their bins of 0
/// in the same row, such as a one-hot code, share a byte a row. If nearly all values are in the bin of 0, or
/// there are more than 256 bins, the other values are listed row by row. Any other column is a byte a row.
/// The layout does not change the result of training.
///
/// *Cost:* O(d + stored values · log n) once; the matrix is kept, and two bytes a row for every column or
/// bundle of columns, or four for a listed value. It is saved as its rows, its number of bins and
/// the indicators of missing values.
///
/// *Ranks:* the contexts of [`of_rank`](Self::of_rank) are the rows of one rank, with the cuts and the layout
/// of all. They are not saved: the rows of all ranks are.
///
/// ```
/// use rows::RowMatrix;
/// use weak_learners::batch::Sample;
/// use weak_learners::pairs::BinnedContexts;
/// // A number, and a category of three, one-hot.
/// let rows = vec![0.5, 1.0, 0.0, 0.0, 0.7, 0.0, 1.0, 0.0, 0.1, 0.0, 0.0, 1.0];
/// let contexts = BinnedContexts::new(RowMatrix::dense(4, rows)?)?;
/// assert_eq!((contexts.size(), contexts.inputs(), contexts.bytes_a_row()), (3, 4, 2));
/// assert_eq!(contexts.cuts(1), [0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Parts")]
pub struct BinnedContexts {
    parts: Parts,
    shard: Shard,
    cuts: Vec<Vec<f64>>,
    layout: Layout,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    matrix: RowMatrix,
    bins: u16,
    /// Absent without any, and in files of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    indicators: Vec<(usize, usize)>,
}

impl BinnedContexts {
    /// Up to 256 bins a column.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without a row, [`LearnerError::BadParameter`] with more than 2^32 of them,
    /// 2^26 columns, or 2^23 columns that vary.
    pub fn new(matrix: RowMatrix) -> Result<Self, LearnerError> {
        Self::with_bins(matrix, 256)
    }

    /// Up to `bins` bins a column: with many columns and small nodes they dominate the time of a training.
    /// With as many bins as rows every cut is possible, and trees are those of
    /// [`ExactPairTree`](super::ExactPairTree) up to rounding. More than 256 bins cost four bytes a value,
    /// and suit small samples.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`LearnerError::BadParameter`] where `bins` is not within 2, …, 65,535 or
    /// all columns together have more than 2^31 cuts.
    pub fn with_bins(matrix: RowMatrix, bins: u16) -> Result<Self, LearnerError> {
        Parts { matrix, bins, indicators: Vec::new() }.try_into()
    }

    /// The rows of this rank among those of all ranks, each of which makes its own at the same time. The cuts
    /// are those that one process finds in all rows, and a learner trains on all rows.
    ///
    /// *Cost:* the ranks tell each other the distinct values of every column, 16 bytes each. The memory of a
    /// rank holds those of all ranks for one column at a time, or for several of few values, and 16 bytes
    /// more a value.
    ///
    /// ```
    /// use rows::RowMatrix;
    /// use weak_learners::pairs::BinnedContexts;
    /// use weak_learners::{Ranks, batch::Sample};
    /// let matrix = RowMatrix::dense(1, vec![0.0, 1.0, 3.0])?;
    /// let contexts = BinnedContexts::of_rank(matrix.clone(), 256, Ranks::alone())?;
    /// assert_eq!(contexts, BinnedContexts::new(matrix)?);
    /// assert!(contexts.shard().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_bins`](Self::with_bins), and [`LearnerError::Ranks`], with which the others end too.
    pub fn of_rank(matrix: RowMatrix, bins: u16, ranks: Ranks) -> Result<Self, LearnerError> {
        ranks.agree(check_size(&matrix))?;
        let shard = Shard::of(ranks, matrix.len())?;
        Self::of(Parts { matrix, bins, indicators: Vec::new() }, shard)
    }

    /// The same with the *indicators* of missing values, as pairs (j, k) of a column and its indicator: x_k =
    /// 1 where x_j is missing, and x_j is then 0; x_k = 0 elsewhere. That is how the readers of logs code an
    /// optional number, and `Schema::indicators` of the crate `off-policy` lists the pairs.
    ///
    /// A question x_j < θ then has two forms: missing values are on the side of 0, or on the other one, and
    /// the gain decides. The sums of the indicator's bin are all that this takes, so a node counts nothing
    /// more. *Ties:* as [`PairGrowth`](super::PairGrowth) says. *Cost:* the layout is made anew. Every rank
    /// calls it.
    ///
    /// ```
    /// use rows::RowMatrix;
    /// use weak_learners::pairs::{
    ///     BinnedContexts, HistogramPairTree, PairGrowth, PairLearner, PairNode, PairRound, PairWeights,
    /// };
    /// // x, and whether it is missing: 1, 3, missing, 3. What is missing is as 3 is.
    /// let rows = RowMatrix::dense(2, vec![1.0, 0.0, 3.0, 0.0, 0.0, 1.0, 3.0, 0.0])?;
    /// let contexts = BinnedContexts::new(rows)?.with_indicators(&[(0, 1)])?;
    /// let round = PairRound::new(4, 1, &[-1.0, 1.0, 1.0, 1.0], PairWeights::OfExamples(&[1.0; 4]))?;
    /// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?;
    /// let tree = HistogramPairTree::new(growth).train(&contexts, &round, &mut [0.0; 4])?;
    /// let expected = PairNode::ContextOrMissing {
    ///     feature: 0, threshold: 2.0, indicator: 1, missing_below: false, below: 1, rest: 2,
    /// };
    /// assert_eq!(tree.nodes()[0], expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LearnerError::BadIndicator`] for a column out of range or in two pairs, and for values that are not
    /// coded so; [`LearnerError::Ranks`].
    pub fn with_indicators(mut self, indicators: &[(usize, usize)]) -> Result<Self, LearnerError> {
        let checked = checked_indicators(&self.parts.matrix, indicators);
        self.parts.indicators = self.shard.ranks().agree(checked)?;
        self.layout = Layout::of(&self.parts.matrix, &self.cuts, &self.parts.indicators, &self.shard)?;
        Ok(self)
    }

    /// The columns whose values may be missing with their indicators, by column.
    #[must_use]
    pub fn indicators(&self) -> &[(usize, usize)] {
        &self.parts.indicators
    }

    /// The cuts of column j, ascending; one fewer than its bins. Empty for a column outside the contexts.
    #[must_use]
    pub fn cuts(&self, j: usize) -> &[f64] {
        self.cuts.get(j).map_or(&[], Vec::as_slice)
    }

    /// The rows.
    #[must_use]
    pub fn matrix(&self) -> &RowMatrix {
        &self.parts.matrix
    }

    /// The bytes of every row that a count reads, without its listed values.
    #[must_use]
    pub fn bytes_a_row(&self) -> usize {
        self.layout.groups
    }

    /// The number of listed values, over all rows.
    #[must_use]
    pub fn listed_values(&self) -> usize {
        self.layout.sparse.as_ref().map_or(0, SparseRows::len)
    }

    /// The cuts of every column.
    pub(super) fn all_cuts(&self) -> &[Vec<f64>] {
        &self.cuts
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The rows of this rank among all.
    pub(super) fn rows(&self) -> &Shard {
        &self.shard
    }
}

impl Sample for BinnedContexts {
    fn size(&self) -> usize {
        self.matrix().len()
    }

    fn inputs(&self) -> usize {
        self.matrix().dimension()
    }

    fn try_for_each(
        &self,
        visit: &mut dyn FnMut(usize, Row<'_>) -> Result<(), LearnerError>,
    ) -> Result<(), LearnerError> {
        self.matrix().iter().enumerate().try_for_each(|(i, x)| visit(i, x))
    }

    fn fingerprint(&self) -> u64 {
        self.matrix().fingerprint()
    }

    fn shard(&self) -> Option<&Shard> {
        self.shard.ranks().are_several().then_some(&self.shard)
    }
}

/// # Errors
/// For the rows of a rank.
impl Serialize for BinnedContexts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.shard.ranks().are_several() {
            return Err(serde::ser::Error::custom("the contexts of one rank among several are not saved"));
        }
        self.parts.serialize(serializer)
    }
}

impl TryFrom<Parts> for BinnedContexts {
    type Error = LearnerError;

    fn try_from(parts: Parts) -> Result<Self, LearnerError> {
        check_size(&parts.matrix)?;
        let shard = Shard::whole(parts.matrix.len());
        Self::of(parts, shard)
    }
}

impl BinnedContexts {
    /// The contexts of rows whose number was checked.
    fn of(parts: Parts, shard: Shard) -> Result<Self, LearnerError> {
        let Parts { matrix, bins, indicators } = parts;
        if bins < 2 {
            let value = f64::from(bins);
            return Err(LearnerError::BadParameter { name: "bins", value, domain: "2 ≤ bins ≤ 65535" });
        }
        let indicators = checked_indicators(&matrix, &indicators)?;
        let cuts = cuts_of(&matrix, usize::from(bins), &shard)?;
        let columns = cuts.iter().filter(|cuts| !cuts.is_empty()).count();
        if columns > MOST_COLUMNS {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = columns as f64;
            return Err(LearnerError::BadParameter { name: "columns", value, domain: "2^23 that vary" });
        }
        let all: usize = cuts.iter().map(Vec::len).sum();
        if all > MOST_CUTS {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = all as f64;
            return Err(LearnerError::BadParameter { name: "cuts", value, domain: "2^31 of all columns" });
        }
        let layout = Layout::of(&matrix, &cuts, &indicators, &shard)?;
        Ok(Self { parts: Parts { matrix, bins, indicators }, shard, cuts, layout })
    }
}
