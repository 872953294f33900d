//! The right classes of each example.

use crate::error::{DataError, LabelsError};

/// As many as a policy has actions at most; tables of them are made.
const MOST_CLASSES: usize = 1 << 24;

/// A set of classes for each of n examples: exactly one in a multi-class task, any number in a multi-label
/// task.
///
/// *Shapes:* compressed as sparse rows are: the labels of example i are `indices[offsets[i]..offsets[i+1]]`,
/// strictly rising, below K, the number of classes.
///
/// ```
/// use datasets::Labels;
/// let labels = Labels::new(3, vec![0, 2, 2, 3], vec![0, 2, 1])?;
/// assert_eq!((labels.of(0), labels.of(1), labels.of(3)), (Some(&[0, 2][..]), Some(&[][..]), None));
/// assert!(labels.contains(2, 1) && !labels.contains(1, 1));
/// assert_eq!((labels.counts(), labels.cardinality()), (vec![1, 1, 1], 1.0));
/// assert!(!labels.is_multiclass());
/// assert!(Labels::multiclass(3, vec![0, 3]).is_err());
/// # Ok::<(), datasets::LabelsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    classes: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
}

impl Labels {
    /// Sets of labels among K classes, compressed.
    ///
    /// # Errors
    /// [`LabelsError::TooManyClasses`], [`LabelsError::BadOffset`], [`LabelsError::UnknownClass`],
    /// [`LabelsError::NotRising`].
    pub fn new(classes: usize, offsets: Vec<usize>, indices: Vec<u32>) -> Result<Self, LabelsError> {
        if classes > MOST_CLASSES {
            return Err(LabelsError::TooManyClasses { classes, limit: MOST_CLASSES });
        }
        let Some(last) = offsets.len().checked_sub(1) else {
            return Err(LabelsError::BadOffset { position: 0, value: 0 });
        };
        for (position, &value) in offsets.iter().enumerate() {
            let falls = position > 0 && value < offsets[position - 1];
            if falls || (position == 0 && value != 0) || (position == last && value != indices.len()) {
                return Err(LabelsError::BadOffset { position, value });
            }
        }
        if let Some(position) = indices.iter().position(|&label| label as usize >= classes) {
            return Err(LabelsError::UnknownClass { position, label: indices[position], classes });
        }
        for set in offsets.windows(2) {
            if let Some(position) = (set[0] + 1..set[1]).find(|&at| indices[at] <= indices[at - 1]) {
                return Err(LabelsError::NotRising { position, label: indices[position] });
            }
        }
        Ok(Self { classes, offsets, indices })
    }

    /// One label an example.
    ///
    /// # Errors
    /// [`LabelsError::TooManyClasses`], [`LabelsError::UnknownClass`].
    pub fn multiclass(classes: usize, indices: Vec<u32>) -> Result<Self, LabelsError> {
        Self::new(classes, (0..=indices.len()).collect(), indices)
    }

    /// n, the number of examples.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// K, the number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The labels of example i, rising, or `None` behind the last one.
    pub fn of(&self, i: usize) -> Option<&[u32]> {
        self.indices.get(*self.offsets.get(i)?..*self.offsets.get(i + 1)?)
    }

    /// All sets in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.offsets.windows(2).map(|set| &self.indices[set[0]..set[1]])
    }

    /// Whether example i has the label.
    pub fn contains(&self, i: usize, class: u32) -> bool {
        self.of(i).is_some_and(|labels| labels.binary_search(&class).is_ok())
    }

    /// How many examples have each label.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes];
        self.indices.iter().for_each(|&label| counts[label as usize] += 1);
        counts
    }

    /// The mean number of labels of an example; 0 for none.
    pub fn cardinality(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.indices.len() as f64 / self.len() as f64 }
    }

    /// Whether every example has exactly one label.
    pub fn is_multiclass(&self) -> bool {
        self.iter().all(|labels| labels.len() == 1)
    }

    /// The labels of some examples, in the order asked for.
    ///
    /// # Errors
    /// [`DataError::NoSuchExample`].
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Result<Self, DataError> {
        let (mut offsets, mut indices) = (vec![0], Vec::new());
        for row in rows {
            let missing = || DataError::NoSuchExample { row, rows: self.len() };
            indices.extend_from_slice(self.of(row).ok_or_else(missing)?);
            offsets.push(indices.len());
        }
        Ok(Self { classes: self.classes, offsets, indices })
    }
}
