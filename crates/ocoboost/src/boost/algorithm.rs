//! The algorithms and codes to choose among.

use crate::error::JobError;
use boosters::maboost::{
    Active, AdaBoost, BoostError, BoostingRun, ClassExamples, CombinedBoost, Examples, LazySparseBoost,
    MadaBoost, Multiclass, OutputCode, Reweighting, SmoothBoost,
};
use serde::{Deserialize, Serialize};
use weak_learners::batch::{BinnedTree, LeafAnswer};

/// An algorithm of the MABoost family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BoostAlgorithm {
    /// [`AdaBoost`].
    AdaBoost,
    /// [`SmoothBoost`]: no row weighs more than k times its share.
    Smooth,
    /// [`LazySparseBoost`]: most weights are 0.
    Sparse,
    /// [`MadaBoost`].
    MadaBoost,
    /// [`CombinedBoost`]: no row of a second, noisy table weighs more than k times its share.
    Combined,
}

impl BoostAlgorithm {
    /// What it is called in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AdaBoost => "AdaBoost",
            Self::Smooth => "smooth boosting",
            Self::Sparse => "sparse boosting",
            Self::MadaBoost => "MadaBoost",
            Self::Combined => "boosting of combined tables",
        }
    }

    /// Whether it has a smoothness k.
    pub(super) fn is_smooth(self) -> bool {
        matches!(self, Self::Smooth | Self::Combined)
    }
}

/// The code of K classes: every class against the others; two classes are one column.
///
/// On letter, with AdaBoost over trees of depth 6, 50 random columns erred as often (3.2%), and a column for
/// every two classes more often (4.6%) at five times the cost.
pub(super) fn code(classes: usize) -> Result<OutputCode, JobError> {
    let code = match classes {
        2 => OutputCode::new(vec![vec![-1], vec![1]]),
        _ => OutputCode::one_vs_rest(classes),
    };
    Ok(code.map_err(BoostError::from)?)
}

/// The weak learner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trees {
    pub(super) max_depth: u16,
    pub(super) min_weight_fraction_leaf: f64,
}

/// A run of an algorithm over trees.
pub(super) type Run = BoostingRun<BinnedTree, Box<dyn Reweighting>>;

impl BoostAlgorithm {
    /// The runs of all columns before their first round. `secondary` is true for the rows of a second table.
    pub(super) fn runs(
        self,
        smoothness: Option<f64>,
        trees: Trees,
        code: OutputCode,
        classes: &[u32],
        secondary: &[bool],
    ) -> Result<Multiclass<Run>, JobError> {
        let examples = ClassExamples::uniform(classes.to_vec())?;
        let learner = BinnedTree::new(trees.max_depth, LeafAnswer::Sign, trees.min_weight_fraction_leaf)?;
        // Where the algorithm has a k, there is one: it was set, or is a candidate.
        let k = smoothness.unwrap_or(f64::INFINITY);
        let algorithm = |examples: &Examples| -> Result<Box<dyn Reweighting>, BoostError> {
            Ok(match self {
                Self::AdaBoost => Box::new(AdaBoost::new(examples)?),
                Self::Smooth => Box::new(SmoothBoost::<Active>::smooth(examples, k)?),
                Self::Sparse => Box::new(LazySparseBoost::sparse(examples)?),
                Self::MadaBoost => Box::new(MadaBoost::new(examples)?),
                Self::Combined => Box::new(CombinedBoost::new(examples, secondary, k)?),
            })
        };
        let run = |_, column: Examples| {
            let algorithm = algorithm(&column)?;
            BoostingRun::new(column, learner.clone(), algorithm)
        };
        Ok(Multiclass::new(code, &examples, run)?)
    }
}
