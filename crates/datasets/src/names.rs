//! The data sets, by name.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A data set, written in lower case: `abalone`, `adult`, `census`, `letter`, `slice` ([BH20, Appendix E]),
/// `breast-cancer`, `ionosphere`, `spambase`.
///
/// ```
/// use datasets::Name;
/// assert_eq!("census".parse::<Name>()?, Name::Census);
/// assert_eq!(Name::Census.to_string(), "census");
/// assert!("Census".parse::<Name>().is_err());
/// # Ok::<(), datasets::UnknownName>(())
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
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName { text: text.to_owned(), known: Self::ALL.map(Self::as_str).to_vec() };
        Self::ALL.into_iter().find(|name| name.as_str() == text).ok_or_else(unknown)
    }
}

/// A task of [L23, Table 3], written in lower case: `covertype`, `fashion`, `scene`, `tmc`.
///
/// ```
/// use datasets::ClassificationName;
/// let names = ClassificationName::ALL.map(ClassificationName::as_str);
/// assert_eq!(names, ["covertype", "fashion", "scene", "tmc"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassificationName {
    /// Covertype: seven kinds of forest from a map.
    Covertype,
    /// Fashion-MNIST: ten kinds of clothes from a picture.
    Fashion,
    /// Scene: which of six things a picture shows.
    Scene,
    /// TMC2007-500: which of 22 problems a report of an aeroplane's failure describes.
    Tmc,
}

impl ClassificationName {
    /// All tasks, in the order of the paper's tables.
    pub const ALL: [Self; 4] = [Self::Covertype, Self::Fashion, Self::Scene, Self::Tmc];

    /// The lower-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Covertype => "covertype",
            Self::Fashion => "fashion",
            Self::Scene => "scene",
            Self::Tmc => "tmc",
        }
    }
}

impl fmt::Display for ClassificationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A set of official files: what [`load`](crate::load) reads, what
/// [`load_classification`](crate::load_classification) reads, or the logs of the Open Bandit Dataset (`obd`,
/// see [`open_bandit`](crate::open_bandit)).
///
/// ```
/// use datasets::{ClassificationName, Name, Set};
/// assert_eq!("scene".parse::<Set>()?, ClassificationName::Scene.into());
/// assert_eq!(Set::from(Name::Adult).to_string(), "adult");
/// assert!("Scene".parse::<Set>().is_err());
/// # Ok::<(), datasets::UnknownName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Set {
    /// A table with one target an example.
    Table(Name),
    /// A classification task of \[L23\].
    Classification(ClassificationName),
    /// The small version of the Open Bandit Dataset.
    OpenBandit,
}

impl Set {
    /// All sets: those of [`Name::ALL`], those of [`ClassificationName::ALL`], and `obd`.
    pub fn all() -> impl Iterator<Item = Self> {
        let tables = Name::ALL.into_iter().map(Self::Table);
        tables.chain(ClassificationName::ALL.into_iter().map(Self::Classification)).chain([Self::OpenBandit])
    }

    /// The lower-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Table(name) => name.as_str(),
            Self::Classification(name) => name.as_str(),
            Self::OpenBandit => "obd",
        }
    }
}

impl From<Name> for Set {
    fn from(name: Name) -> Self {
        Self::Table(name)
    }
}

impl From<ClassificationName> for Set {
    fn from(name: ClassificationName) -> Self {
        Self::Classification(name)
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Set {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let unknown =
            || UnknownName { text: text.to_owned(), known: Self::all().map(Self::as_str).collect() };
        Self::all().find(|set| set.as_str() == text).ok_or_else(unknown)
    }
}

/// A name that no data set has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no data set is called {text:?}; there are {}", known.join(", "))]
pub struct UnknownName {
    /// The name asked for.
    pub text: String,
    /// The names there are.
    pub known: Vec<&'static str>,
}
