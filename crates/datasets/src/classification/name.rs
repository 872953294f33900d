//! The classification tasks of \[L23\], by name.

use crate::SplitPlan;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A task of [L23, Table 3], written in lower case: `covertype`, `fashion`, `scene`, `tmc`.
///
/// ```
/// use datasets::ClassificationName;
/// assert_eq!(ClassificationName::ALL.map(ClassificationName::as_str), ["covertype", "fashion", "scene", "tmc"]);
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

    /// How [L23, Appendix F.2] splits the task; `n` is the number of examples, of which Fashion-MNIST takes the last
    /// seventh for the test, as its publishers do.
    pub fn split_plan(self, n: usize) -> SplitPlan {
        match self {
            Self::Covertype => SplitPlan::Shares { test: 10, validation: 10 },
            Self::Fashion => SplitPlan::Official { training: n - n / 7, validation: 10 },
            Self::Scene => SplitPlan::Nested { test: 20, validation: 20 },
            Self::Tmc => SplitPlan::Nested { test: 10, validation: 10 },
        }
    }
}

impl fmt::Display for ClassificationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
