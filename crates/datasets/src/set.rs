//! Every set of official files, whatever is read from it.

use crate::{ClassificationName, DataError, Name};
use std::fmt;
use std::str::FromStr;

/// A set of official files: what [`load`](crate::load) reads, what [`load_classification`](crate::load_classification)
/// reads, or the logs of the Open Bandit Dataset (`obd`, see [`open_bandit`](crate::open_bandit)).
///
/// ```
/// use datasets::{ClassificationName, Name, Set};
/// assert_eq!("scene".parse::<Set>()?, ClassificationName::Scene.into());
/// assert_eq!(Set::from(Name::Adult).to_string(), "adult");
/// assert!("Scene".parse::<Set>().is_err());
/// # Ok::<(), datasets::DataError>(())
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
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let known = || Self::all().map(Self::as_str).collect();
        let unknown = || DataError::UnknownSet { text: text.to_owned(), known: known() };
        Self::all().find(|set| set.as_str() == text).ok_or_else(unknown)
    }
}
