//! The data sets of the experiments, by name.

use crate::DataError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A data set, written in lower case: `abalone`, `adult`, `census`, `letter`, `slice` ([BH20, Appendix E]),
/// `breast-cancer`, `ionosphere`, `spambase`.
///
/// ```
/// use datasets::Name;
/// assert_eq!("census".parse::<Name>()?, Name::Census);
/// assert_eq!(Name::Census.to_string(), "census");
/// assert!("Census".parse::<Name>().is_err());
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Name {
    /// Abalone: the number of rings from size and weight.
    Abalone,
    /// Adult: income above 50,000 dollars, from the 1994 census.
    Adult,
    /// Census-Income (KDD): the same question on the 1994 and 1995 population surveys.
    Census,
    /// Letter recognition: 26 capital letters from 16 image moments.
    Letter,
    /// Relative location of CT slices on the axial axis.
    Slice,
    /// Breast Cancer Wisconsin (Original): benign or malignant.
    BreastCancer,
    /// Ionosphere: good or bad radar returns.
    Ionosphere,
    /// Spambase: spam or not.
    Spambase,
}

impl Name {
    /// The five of [BH20, Table 2], in the order of the table.
    pub const BH20: [Self; 5] = [Self::Abalone, Self::Adult, Self::Census, Self::Letter, Self::Slice];

    /// All names: those of [`BH20`](Self::BH20), then the other two-class sets.
    pub const ALL: [Self; 8] = [
        Self::Abalone,
        Self::Adult,
        Self::Census,
        Self::Letter,
        Self::Slice,
        Self::BreastCancer,
        Self::Ionosphere,
        Self::Spambase,
    ];

    /// The lower-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Abalone => "abalone",
            Self::Adult => "adult",
            Self::Census => "census",
            Self::Letter => "letter",
            Self::Slice => "slice",
            Self::BreastCancer => "breast-cancer",
            Self::Ionosphere => "ionosphere",
            Self::Spambase => "spambase",
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Name {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let found = Self::ALL.into_iter().find(|name| name.as_str() == text);
        found.ok_or_else(|| DataError::UnknownName { text: text.to_owned() })
    }
}
