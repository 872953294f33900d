//! The rows of the table.

use datasets::ClassificationName;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A method. The paper's take the paper's steps, with ½ and 1 for constants; what is ours says so in its
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Method {
    /// The stochastic policy that the log comes from.
    Logging,
    /// Gradient boosting of the squared error of rewards, then argmax.
    BrrGb,
    /// \[L23, Algorithms 1 and 3\].
    BoplRegr,
    /// \[L23, Algorithms 1 and 4\].
    BoplClass,
    /// \[L23, Algorithms 2 and 3\].
    BoplSRegr,
    /// \[L23, Algorithms 2 and 4\].
    BoplSClass,
    /// The convex case: BOPL-S-regr without translation, of \[L23, Figure 1\].
    BoplCsRegr,
    /// BOPL-regr with the least constants that hold.
    SharpRegr,
    /// BOPL-class with them.
    SharpClass,
    /// BOPL-S-regr with them.
    SharpSteps,
    /// BOPL-S-class with them.
    SharpSClass,
    /// BOPL-S-regr with a line search for every weight.
    LineSearch,
    /// BOPL-S-regr over trees on x alone with a value an action in each leaf.
    VectorLeaves,
}

impl Method {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 13] = [
        Self::Logging,
        Self::BrrGb,
        Self::BoplRegr,
        Self::BoplClass,
        Self::BoplSRegr,
        Self::BoplSClass,
        Self::BoplCsRegr,
        Self::SharpRegr,
        Self::SharpClass,
        Self::SharpSteps,
        Self::SharpSClass,
        Self::LineSearch,
        Self::VectorLeaves,
    ];

    /// Its name in tables, that of the paper where it is the paper's.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Logging => "Logging",
            Self::BrrGb => "BRR-gb",
            Self::BoplRegr => "BOPL-regr",
            Self::BoplClass => "BOPL-class",
            Self::BoplSRegr => "BOPL-S-regr",
            Self::BoplSClass => "BOPL-S-class",
            Self::BoplCsRegr => "BOPL-CS-regr",
            Self::SharpRegr => "ours: regr, sharp",
            Self::SharpClass => "ours: class, sharp",
            Self::SharpSteps => "ours: S-regr, sharp",
            Self::SharpSClass => "ours: S-class, sharp",
            Self::LineSearch => "ours: line search",
            Self::VectorLeaves => "ours: vector leaves",
        }
    }

    /// Whether it is run on a task: BOPL-CS-regr on Covertype alone, as in \[L23, Figure 1\]; sharp steps of
    /// BOPL-S-regr on every task, those of the others on the two small ones; what takes several times as long
    /// a round, on Scene alone.
    #[must_use]
    pub fn is_run_on(self, task: ClassificationName) -> bool {
        match self {
            Self::BoplCsRegr => task == ClassificationName::Covertype,
            Self::SharpRegr | Self::SharpClass | Self::SharpSClass => !is_large(task),
            Self::LineSearch | Self::VectorLeaves => task == ClassificationName::Scene,
            _ => true,
        }
    }

    /// Whether \[L23, Table 1\] has it.
    #[must_use]
    pub fn is_in_table_1(self) -> bool {
        matches!(
            self,
            Self::Logging
                | Self::BrrGb
                | Self::BoplRegr
                | Self::BoplClass
                | Self::BoplSRegr
                | Self::BoplSClass
        )
    }

    /// Whether it is boosted off-policy learning, which has theorems to keep.
    #[must_use]
    pub fn is_boosted(self) -> bool {
        !matches!(self, Self::Logging | Self::BrrGb)
    }

    /// Whether the direct method is asked about it: two rows of \[L23, Table 2\] on the two tasks of that
    /// table, and BOPL-S-regr beside them.
    #[must_use]
    pub fn is_in_table_2(self, task: ClassificationName) -> bool {
        matches!(self, Self::BrrGb | Self::BoplRegr | Self::BoplSRegr)
            && matches!(task, ClassificationName::Scene | ClassificationName::Tmc)
    }
}

/// Whether a trial of a task takes many minutes: Covertype and Fashion-MNIST.
#[must_use]
pub fn is_large(task: ClassificationName) -> bool {
    matches!(task, ClassificationName::Covertype | ClassificationName::Fashion)
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
