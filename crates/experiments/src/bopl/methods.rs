//! The methods: the rows of the table.

use super::task_name::TaskName;
use crate::peer::Program;
use datasets::ClassificationName;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A method. The paper's methods use the paper's steps, with constants ½ and 1; names of our methods begin
/// with "ours".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Method {
    /// The stochastic policy that drew the log.
    Logging,
    /// Gradient boosting of the squared error of rewards, then argmax.
    BrrGb,
    /// The same by XGBoost itself, in a Python process.
    BrrXgb,
    /// Deep reward regression: a net of squared error, then argmax.
    Drr,
    /// A net of the inverse-propensity estimate on translated rewards.
    BanditNet,
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
    /// BOPL-regr with the smallest valid constants.
    SharpRegr,
    /// BOPL-class with the smallest valid constants.
    SharpClass,
    /// BOPL-S-regr with the smallest valid constants.
    SharpSteps,
    /// BOPL-S-class with the smallest valid constants.
    SharpSClass,
    /// BOPL-S-regr with a line search for every weight.
    LineSearch,
    /// BRR-gb with trees of depth 6, stopped early on a fifth of the log.
    BrrSquared,
    /// The same with the logistic loss.
    BrrLogistic,
    /// BOPL-S-regr with second-order trees and steps.
    SecondOrder,
    /// BOPL-S-regr over trees on x alone, with one value per action in each leaf.
    VectorLeaves,
    /// The recipe that chooses objective and settings on the log alone, [`boosters::auto_policy`].
    AutoPolicy,
}

impl Method {
    /// All methods, in the order of the table.
    pub const ALL: [Self; 20] = [
        Self::Logging,
        Self::BrrGb,
        Self::BrrXgb,
        Self::Drr,
        Self::BanditNet,
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
        Self::SecondOrder,
        Self::VectorLeaves,
        Self::BrrSquared,
        Self::BrrLogistic,
        Self::AutoPolicy,
    ];

    /// The name in tables; for the paper's methods, the paper's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Logging => "Logging",
            Self::BrrGb => "BRR-gb",
            Self::BrrXgb => "BRR-xgb",
            Self::Drr => "DRR",
            Self::BanditNet => "BanditNet",
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
            Self::SecondOrder => "ours: second order",
            Self::BrrSquared => "ours: BRR, squared",
            Self::BrrLogistic => "ours: BRR, logistic",
            Self::VectorLeaves => "ours: vector leaves",
            Self::AutoPolicy => "ours: AutoPolicy",
        }
    }

    /// Whether the method is run on a task: BOPL-CS-regr on Covertype only, as in \[L23, Figure 1\]; sharp
    /// steps of BOPL-S-regr on every task, other sharp steps on the two small ones; methods with several
    /// times the cost per round on Scene only.
    #[must_use]
    pub fn is_run_on(self, task: TaskName) -> bool {
        match self {
            Self::BoplCsRegr => task == TaskName::Covertype,
            Self::SharpRegr | Self::SharpClass | Self::SharpSClass => !is_large(task),
            Self::LineSearch | Self::VectorLeaves => task == TaskName::Scene,
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
                | Self::BrrXgb
                | Self::Drr
                | Self::BanditNet
                | Self::BoplRegr
                | Self::BoplClass
                | Self::BoplSRegr
                | Self::BoplSClass
        )
    }

    /// Whether the method is boosted off-policy learning, with its theorems counted every round.
    #[must_use]
    pub fn is_boosted(self) -> bool {
        !matches!(
            self,
            Self::Logging
                | Self::BrrGb
                | Self::BrrXgb
                | Self::Drr
                | Self::BanditNet
                | Self::BrrSquared
                | Self::BrrLogistic
                | Self::AutoPolicy
        )
    }

    /// The name in arguments: `bopl-s-regr` of "BOPL-S-regr", `s-regr-sharp` of "ours: S-regr, sharp".
    #[must_use]
    pub fn argument(self) -> String {
        let name = self.name().trim_start_matches("ours: ").to_lowercase();
        name.replace(", ", "-").replace(' ', "-")
    }

    /// The program of its own that it runs in, which `--peers` installs.
    #[must_use]
    pub fn peer(self) -> Option<Program> {
        match self {
            Self::BrrXgb => Some(Program::XgBoost),
            Self::Drr | Self::BanditNet => Some(Program::NeuralPolicies),
            _ => None,
        }
    }

    /// The version of what is not among the hyper-parameters: the recipe's search, the first score and the
    /// rule of splits of BRR-xgb, the first weights and the steps of nets. It is part of the keys of kept
    /// trials, and rises with every change that moves a figure.
    #[must_use]
    pub(super) fn version(self) -> Option<u32> {
        match self {
            Self::AutoPolicy => Some(4),
            Self::BrrXgb | Self::Drr | Self::BanditNet => Some(2),
            _ => None,
        }
    }

    /// Whether the direct method is computed for the method: the rows of \[L23, Table 2\] on the two tasks of
    /// that table, BRR-gb and BOPL-S-regr.
    #[must_use]
    pub fn is_in_table_2(self, task: TaskName) -> bool {
        matches!(self, Self::BrrGb | Self::BrrXgb | Self::BoplRegr | Self::BoplSRegr)
            && matches!(task.classification(), Some(ClassificationName::Scene | ClassificationName::Tmc))
    }
}

/// Whether a trial of a task takes many minutes: Covertype and Fashion-MNIST, pooled or not.
#[must_use]
pub fn is_large(task: TaskName) -> bool {
    matches!(task.classification(), Some(ClassificationName::Covertype | ClassificationName::Fashion))
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
