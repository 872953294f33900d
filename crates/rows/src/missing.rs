//! Missing values, on request.

use serde::{Deserialize, Serialize};

/// Which way missing values go: a NaN becomes the lowest or the highest finite number.
///
/// Rows refuse NaN. Who has missing values and learns with thresholds says here on which side of every threshold they
/// stand; a threshold between them and the other values splits them off alone. Binned columns keep a bin for them. The same choice fills the matrix to train
/// on and every row to predict; it is saved beside the model. An infinity is left alone, and [`Row`](crate::Row) refuses
/// it still. A coordinate that a sparse row does not store is 0, not missing.
///
/// It is meant for stumps and trees alone: in a linear learner one filled value is larger than everything it knows, and
/// [`norm_squared`](crate::Row::norm_squared) of such a row is +∞. Filling comes last, after what rescales the columns.
///
/// ```
/// use rows::{Missing, Row, RowMatrix};
/// let mut values = [f64::NAN, 7.0, 0.5, f64::NAN];
/// assert!(RowMatrix::dense(2, values.to_vec()).is_err());
/// assert_eq!(Missing::Lowest.fill(&mut values), 2);
/// let matrix = RowMatrix::dense(2, values.to_vec())?;
/// assert_eq!(matrix.row(0).and_then(|x| x.get(0)), Some(f64::MIN));
///
/// let mut infinite = [f64::INFINITY, f64::NAN];
/// assert_eq!(Missing::Highest.fill(&mut infinite), 1);
/// assert!(Row::dense(&infinite).is_err());
/// # Ok::<(), rows::RowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Missing {
    /// Below every threshold that a learner here puts: NaN becomes [`f64::MIN`].
    Lowest,
    /// On the right-hand side of every threshold that a learner here puts: NaN becomes [`f64::MAX`].
    Highest,
}

impl Missing {
    /// Fills every NaN of a row, of a matrix or of the stored values of sparse rows; returns how many there were.
    pub fn fill(self, values: &mut [f64]) -> usize {
        let missing = values.iter_mut().filter(|v| v.is_nan());
        missing.map(|v| *v = self.value()).count()
    }

    /// The number that stands for a missing one.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Lowest => f64::MIN,
            Self::Highest => f64::MAX,
        }
    }
}
