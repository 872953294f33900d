//! When a Hoeffding tree grows.

use crate::LearnerError;
use serde::{Deserialize, Serialize};

/// When a leaf splits, and when no leaf does any more. The default is the paper's δ, τ and n_min \[DH00\], and a tree of
/// at most 32 leaves and depth 8. Checked where a tree is made of it.
///
/// ```
/// use weak_learners::online::{Growth, HoeffdingTree, Thresholds};
/// let growth = Growth { max_leaves: 4, ..Growth::default() };
/// assert!((growth.epsilon(200) - 0.2007).abs() < 1e-4);
/// let thresholds = Thresholds::at(vec![vec![0.0]])?;
/// assert!(HoeffdingTree::new(thresholds, Growth { delta: 0.0, ..growth }).is_err());
/// # Ok::<(), weak_learners::LearnerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// δ ∈ (0, 1), the probability that a split is not on the best feature.
    pub delta: f64,
    /// τ ≥ 0: once ε < τ, the largest gain wins however close the others are; the first feature wins where gains are equal.
    pub tie: f64,
    /// n_min ≥ 1: a leaf looks for a split at every n_min-th example.
    pub grace: u64,
    /// The most questions that a row is asked; 0 keeps the tree one leaf.
    pub max_depth: u32,
    /// The most leaves, at least 1.
    pub max_leaves: usize,
}

impl Default for Growth {
    fn default() -> Self {
        Self { delta: 1e-7, tie: 0.05, grace: 200, max_depth: 8, max_leaves: 32 }
    }
}

impl Growth {
    /// ε = √(ln(1/δ)/2n) \[DH00\], for gains between 0 and 1 bit.
    pub fn epsilon(&self, n: u64) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a count of examples")]
        let n = n as f64;
        (-self.delta.ln() / (2.0 * n)).sqrt()
    }

    /// Whether a leaf of this depth may split while the tree has so many leaves.
    pub(super) fn may_split(&self, leaves: usize, depth: u32) -> bool {
        leaves < self.max_leaves && depth < self.max_depth
    }

    pub(super) fn check(&self) -> Result<(), LearnerError> {
        let Self { delta, tie, grace, max_leaves, .. } = *self;
        let refuse = |name, value, domain| Err(LearnerError::BadParameter { name, value, domain });
        if !(delta > 0.0 && delta < 1.0) {
            return refuse("delta", delta, "(0, 1)");
        }
        if !(tie >= 0.0 && tie.is_finite()) {
            return refuse("tie", tie, "[0, ∞)");
        }
        if grace == 0 {
            return refuse("grace", 0.0, "n_min ≥ 1");
        }
        if max_leaves == 0 {
            return refuse("max_leaves", 0.0, "at least 1");
        }
        Ok(())
    }
}
