//! Tasks with one or many classes an example, as the supervised-to-bandit conversion of [L23, Appendix F.3]
//! wants them: a class becomes an action, and whether it is among an example's labels its reward.

mod contexts;
mod labels;

pub use contexts::{ByteMatrix, Contexts};
pub use labels::Labels;

use crate::dataset::{Dataset, Provenance, Targets};
use crate::error::{DataError, EncodeError, LabelsError};

/// n examples with the set of classes of each.
///
/// *Shapes:* `contexts` is n×m, unscaled; `labels` has n sets among K classes; `classes` has K names,
/// `feature_names` m; `numeric_columns` are the columns that hold numbers rather than indicators, rising.
/// Examples stand in the order of the files, and the files in the official order (training part, test part).
///
/// A [`Dataset`] of classes converts, so that every classification set of this crate can be used:
///
/// ```
/// use datasets::{Classification, Name, SearchPath, StandIn, load};
/// let letters = load(Name::Letter, &SearchPath::nowhere(), StandIn { seed: 7, rows: Some(100) })?;
/// let letters = Classification::try_from(letters)?;
/// assert_eq!((letters.len(), letters.classes.len()), (100, 26));
/// assert!(letters.labels.is_multiclass());
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Classification {
    /// What the task is called.
    pub name: String,
    /// What is known of each example.
    pub contexts: Contexts,
    /// Which classes are right for each example.
    pub labels: Labels,
    /// One name a class.
    pub classes: Vec<String>,
    /// The number of examples, the first ones, of the official training part; `None` where there is none.
    pub training: Option<usize>,
    /// Where the examples come from.
    pub provenance: Provenance,
    /// One name a column.
    pub feature_names: Vec<String>,
    /// Columns that hold numbers rather than indicators.
    pub numeric_columns: Vec<usize>,
}

impl Classification {
    /// n, the number of examples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The task, if there are as many sets of labels as contexts.
    pub(crate) fn checked(self) -> Result<Self, DataError> {
        let (labels, contexts) = (self.labels.len(), self.contexts.len());
        if labels == contexts { Ok(self) } else { Err(LabelsError::OtherLength { labels, contexts }.into()) }
    }
}

impl TryFrom<Dataset> for Classification {
    type Error = DataError;

    /// # Errors
    /// [`DataError::Encode`] with [`EncodeError::NotClasses`] for a set whose targets are numbers.
    fn try_from(dataset: Dataset) -> Result<Self, DataError> {
        let Targets::Classes { indices, names } = dataset.targets else {
            return Err(EncodeError::NotClasses.into());
        };
        let task = Self {
            name: dataset.name,
            contexts: Contexts::Rows(dataset.features),
            labels: Labels::multiclass(names.len(), indices)?,
            classes: names,
            training: None,
            provenance: dataset.provenance,
            feature_names: dataset.feature_names,
            numeric_columns: dataset.numeric_columns,
        };
        task.checked()
    }
}
