//! The rules of growth of trees over pairs.

use crate::LearnerError;
use crate::batch::LeafAnswer;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use std::num::NonZero;

/// The rules of growth of every tree over pairs. Names, meanings and defaults are XGBoost's, the first two as
/// in \[L23, Table 5\]: `max_depth` 6, `min_child_weight` 1, `reg_lambda` 1.
///
/// With G = Σg and H = Σh over the pairs of a node, a split gains ½(G_L²/(H_L+λ) + G_R²/(H_R+λ) − G²/(H+λ)).
/// A node above `max_depth` takes its best admissible split if the gain exceeds rounding. Ties go to the
/// lowest feature, then the lowest threshold; the actions count as features after those of x. Admissible: H_L
/// and H_R are positive and at least `min_child_weight`. The value of a leaf is G/(H+λ), or its sign; 0
/// counts as +1.
///
/// *Missing values:* where the sample has the indicators of missing values, every split on such a column is
/// tried with them on the side of 0 and on the other side, as XGBoost learns a default direction. Of splits
/// on x that gain the same, those with the side of 0 come first, whatever their features.
///
/// With `max_leaves` the tree grows best first, as with XGBoost's `lossguide`: the open node of largest gain
/// is split until there are so many leaves. Ties go to the node opened first; of two children that is the one
/// for x_j < θ, or for the other actions. *Cost:* the tree is grown whole and then pruned; the values on the
/// pairs take a walk each.
///
/// ```
/// use weak_learners::pairs::PairGrowth;
/// let growth = PairGrowth::builder().max_depth(25).min_child_weight(200.0).build()?;
/// assert_eq!((growth.max_depth(), growth.min_child_weight(), growth.reg_lambda()), (25, 200.0, 1.0));
/// assert!(PairGrowth::builder().min_child_weight(f64::NAN).build().is_err());
/// let leaves = std::num::NonZero::new(31);
/// assert_eq!(leaves.map(|most| growth.with_max_leaves(most).max_leaves()), Some(leaves));
/// # Ok::<(), weak_learners::LearnerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct PairGrowth {
    max_depth: u32,
    min_child_weight: f64,
    reg_lambda: f64,
    answer: LeafAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_leaves: Option<NonZero<u32>>,
}

impl PairGrowth {
    /// A builder that starts from the defaults.
    pub fn builder() -> PairGrowthBuilder {
        let Self { max_depth, min_child_weight, reg_lambda, answer, max_leaves } = Self::default();
        let unchecked = Unchecked { max_depth, min_child_weight, reg_lambda, answer, max_leaves };
        PairGrowthBuilder { unchecked }
    }

    /// The same trees with leaves of ±1.
    #[must_use]
    pub fn of_signs(self) -> Self {
        Self { answer: LeafAnswer::Sign, ..self }
    }

    /// The same trees, grown best first to at most so many leaves. One leaf is a constant.
    #[must_use]
    pub fn with_max_leaves(self, most: NonZero<u32>) -> Self {
        Self { max_leaves: Some(most), ..self }
    }

    /// The depth of the deepest leaf, at most.
    #[must_use]
    pub fn max_depth(&self) -> u32 {
        self.max_depth
    }

    /// The least H of a child.
    #[must_use]
    pub fn min_child_weight(&self) -> f64 {
        self.min_child_weight
    }

    /// λ.
    #[must_use]
    pub fn reg_lambda(&self) -> f64 {
        self.reg_lambda
    }

    /// The value of a leaf: the mean or its sign.
    #[must_use]
    pub fn answer(&self) -> LeafAnswer {
        self.answer
    }

    /// The largest number of leaves; `None` if only the depth limits it.
    #[must_use]
    pub fn max_leaves(&self) -> Option<NonZero<u32>> {
        self.max_leaves
    }
}

impl Default for PairGrowth {
    fn default() -> Self {
        Self {
            max_depth: 6,
            min_child_weight: 1.0,
            reg_lambda: 1.0,
            answer: LeafAnswer::Mean,
            max_leaves: None,
        }
    }
}

/// Builds a [`PairGrowth`].
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct PairGrowthBuilder {
    unchecked: Unchecked,
}

impl PairGrowthBuilder {
    /// The depth of the deepest leaf, at most, and at most 1000; 0 is a constant, 1 a stump.
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.unchecked.max_depth = depth;
        self
    }

    /// The least H of a child.
    pub fn min_child_weight(mut self, weight: f64) -> Self {
        self.unchecked.min_child_weight = weight;
        self
    }

    /// λ: the value of a leaf is G/(H+λ).
    pub fn reg_lambda(mut self, lambda: f64) -> Self {
        self.unchecked.reg_lambda = lambda;
        self
    }

    /// The rules, with leaves of value G/(H+λ).
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a `min_child_weight` or `reg_lambda` that is negative or not
    /// finite, or a depth above 1000.
    pub fn build(self) -> Result<PairGrowth, LearnerError> {
        self.unchecked.try_into()
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Unchecked {
    max_depth: u32,
    min_child_weight: f64,
    reg_lambda: f64,
    answer: LeafAnswer,
    /// Absent in files of older versions.
    #[serde(default)]
    max_leaves: Option<NonZero<u32>>,
}

impl TryFrom<Unchecked> for PairGrowth {
    type Error = LearnerError;

    fn try_from(growth: Unchecked) -> Result<Self, LearnerError> {
        let Unchecked { max_depth, min_child_weight, reg_lambda, answer, max_leaves } = growth;
        for (name, value) in [("min_child_weight", min_child_weight), ("reg_lambda", reg_lambda)] {
            if !(0.0..=LARGEST).contains(&value) {
                return Err(LearnerError::BadParameter { name, value, domain: "[0, 1e140]" });
            }
        }
        if max_depth > 1000 {
            let value = f64::from(max_depth);
            return Err(LearnerError::BadParameter { name: "max_depth", value, domain: "0, …, 1000" });
        }
        Ok(Self { max_depth, min_child_weight, reg_lambda, answer, max_leaves })
    }
}
