//! Missing values, on request.

use crate::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// Where missing values go: a NaN becomes the lowest or the highest number of the range.
///
/// Rows refuse NaN. A learner with thresholds may have missing values filled: this choice puts them on one
/// side of every threshold, and a threshold of their own can split them off. Binned columns keep a bin for
/// them. Use the same choice for training and prediction, and save it beside the model. Infinities stay and
/// are refused by [`Row`](crate::Row). A coordinate that a sparse row does not store is 0, not missing.
///
/// Only stumps and trees may use it. In a linear learner a filled value outweighs every other. Fill after
/// rescaling the columns.
///
/// ```
/// use rows::{Missing, Row, RowMatrix};
/// let mut values = [f64::NAN, 7.0, 0.5, f64::NAN];
/// assert!(RowMatrix::dense(2, values.to_vec()).is_err());
/// assert_eq!(Missing::Lowest.fill(&mut values), 2);
/// let matrix = RowMatrix::dense(2, values.to_vec())?;
/// assert_eq!(matrix.row(0).and_then(|x| x.get(0)), Some(-1e140));
///
/// let mut infinite = [f64::INFINITY, f64::NAN];
/// assert_eq!(Missing::Highest.fill(&mut infinite), 1);
/// assert!(Row::dense(&infinite).is_err());
/// # Ok::<(), rows::RowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Missing {
    /// Below every threshold of a learner of this workspace: NaN becomes −1e140.
    Lowest,
    /// Above every threshold of a learner of this workspace: NaN becomes 1e140.
    Highest,
}

impl Missing {
    /// Fills every NaN of a row, a matrix or the stored values of sparse rows; returns their number.
    pub fn fill(self, values: &mut [f64]) -> usize {
        let missing = values.iter_mut().filter(|v| v.is_nan());
        missing.map(|v| *v = self.value()).count()
    }

    /// The number that stands for a missing one.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Lowest => -LARGEST,
            Self::Highest => LARGEST,
        }
    }
}
