//! The labels of supervised examples: one each, or several.

use crate::LabelError;
use crate::action_set::MOST_ACTIONS;

/// The classes that every row of a supervised data set belongs to: one in multi-class data, any number in
/// multi-label data.
///
/// *Shapes:* labels of row i in 0, …, K−1, rising and each once, whatever the order they came in.
///
/// ```
/// use off_policy::{LabelError, LabelSets};
/// let sets = LabelSets::new(3, [vec![2, 0, 2], vec![], vec![1]])?;
/// assert_eq!((sets.len(), sets.row(0), sets.row(1)), (3, Some(&[0, 2][..]), Some(&[][..])));
/// assert_eq!(LabelSets::single(3, &[2, 1])?.row(1), Some(&[1][..]));
/// let refused = LabelError::ClassOutOfRange { row: 1, class: 2, classes: 2 };
/// assert_eq!(LabelSets::single(2, &[0, 2]), Err(refused));
/// # Ok::<(), LabelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSets {
    classes: usize,
    offsets: Vec<usize>,
    labels: Vec<u32>,
}

impl LabelSets {
    /// The labels of the rows; a row may have none.
    ///
    /// # Errors
    /// [`LabelError::NoClasses`], [`LabelError::TooManyClasses`] beyond 2²⁴, [`LabelError::ClassOutOfRange`].
    pub fn new(
        classes: usize,
        rows: impl IntoIterator<Item = impl AsRef<[u32]>>,
    ) -> Result<Self, LabelError> {
        if classes == 0 {
            return Err(LabelError::NoClasses);
        }
        if classes > MOST_ACTIONS {
            return Err(LabelError::TooManyClasses { classes, limit: MOST_ACTIONS });
        }
        let (mut offsets, mut labels, mut set) = (vec![0], Vec::new(), Vec::new());
        for (row, of_row) in rows.into_iter().enumerate() {
            set.clear();
            set.extend_from_slice(of_row.as_ref());
            if let Some(&class) = set.iter().find(|class| **class as usize >= classes) {
                return Err(LabelError::ClassOutOfRange { row, class, classes });
            }
            set.sort_unstable();
            set.dedup();
            labels.extend_from_slice(&set);
            offsets.push(labels.len());
        }
        Ok(Self { classes, offsets, labels })
    }

    /// One label a row.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn single(classes: usize, labels: &[u32]) -> Result<Self, LabelError> {
        Self::new(classes, labels.chunks(1))
    }

    /// K.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The labels of row i, or `None` behind the last one.
    #[must_use]
    pub fn row(&self, i: usize) -> Option<&[u32]> {
        self.labels.get(*self.offsets.get(i)?..*self.offsets.get(i.checked_add(1)?)?)
    }

    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.offsets.windows(2).map(|pair| &self.labels[pair[0]..pair[1]])
    }
}
