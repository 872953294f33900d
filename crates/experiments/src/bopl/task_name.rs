//! The tasks, by name.

use datasets::{ClassificationName, Name, Set};
use std::fmt;

/// A task: those of \[L23, Table 3\], then others.
///
/// ```
/// use experiments::bopl::task_name::TaskName;
/// let names = TaskName::ALL.map(TaskName::as_str);
/// assert_eq!(names[..4], ["covertype", "fashion", "scene", "tmc"]);
/// assert_eq!(names[4..], ["fashion-pooled", "tmc-repeated", "letter", "adult", "obd"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskName {
    /// Covertype.
    Covertype,
    /// Fashion-MNIST.
    Fashion,
    /// Scene.
    Scene,
    /// TMC2007-500.
    Tmc,
    /// Fashion-MNIST in a random order: the training and the test rows are drawn from both official parts.
    /// The parts have the official sizes.
    FashionPooled,
    /// TMC2007-500 without its official test part, in whose place are as many rows of the training part a
    /// second time. 1,220 rows of the test part have the words of a training row, and 1,112 of these have
    /// other labels. A public copy of the set has 21,484 distinct rows, as many as the training part alone.
    TmcRepeated,
    /// Letter recognition: 26 actions.
    Letter,
    /// Adult: 2 actions.
    Adult,
    /// The campaign "men" of the Open Bandit Dataset \[SANS21\]: a real log.
    OpenBandit,
}

impl TaskName {
    /// The tasks of the paper, in the order of its tables.
    pub const PAPER: [Self; 4] = [Self::Covertype, Self::Fashion, Self::Scene, Self::Tmc];

    /// All tasks, those of the paper first.
    pub const ALL: [Self; 9] = [
        Self::Covertype,
        Self::Fashion,
        Self::Scene,
        Self::Tmc,
        Self::FashionPooled,
        Self::TmcRepeated,
        Self::Letter,
        Self::Adult,
        Self::OpenBandit,
    ];

    /// The name in arguments and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Covertype => "covertype",
            Self::Fashion => "fashion",
            Self::Scene => "scene",
            Self::Tmc => "tmc",
            Self::FashionPooled => "fashion-pooled",
            Self::TmcRepeated => "tmc-repeated",
            Self::Letter => "letter",
            Self::Adult => "adult",
            Self::OpenBandit => "obd",
        }
    }

    /// The data set of the paper.
    #[must_use]
    pub fn classification(self) -> Option<ClassificationName> {
        match self {
            Self::Covertype => Some(ClassificationName::Covertype),
            Self::Fashion | Self::FashionPooled => Some(ClassificationName::Fashion),
            Self::Scene => Some(ClassificationName::Scene),
            Self::Tmc | Self::TmcRepeated => Some(ClassificationName::Tmc),
            Self::Letter | Self::Adult | Self::OpenBandit => None,
        }
    }

    /// The rows of a task whose rows are not those of the official files, or not in their order.
    pub(in crate::bopl) fn altered_rows(self) -> Option<&'static str> {
        match self {
            Self::FashionPooled => Some("of fashion, in a random order before they are split"),
            Self::TmcRepeated => Some("of the training part of tmc, some of them twice"),
            _ => None,
        }
    }

    /// The column of the paper's tables.
    pub(in crate::bopl) fn column(self) -> Option<usize> {
        Self::PAPER.iter().position(|task| task.classification() == self.classification())
    }

    /// The column whose hyper-parameters the task has: its own, or that of the task of the paper with the
    /// nearest number of actions, 6 or 22.
    pub(in crate::bopl) fn column_of_parameters(self) -> usize {
        self.column().unwrap_or(if self == Self::Adult { 2 } else { 3 })
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<TaskName> for Set {
    fn from(task: TaskName) -> Self {
        match (task, task.classification()) {
            (_, Some(of_paper)) => of_paper.into(),
            (TaskName::Letter, None) => Name::Letter.into(),
            (TaskName::Adult, None) => Name::Adult.into(),
            _ => Self::OpenBandit,
        }
    }
}
