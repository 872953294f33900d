//! Examples of k classes, and the labels that a column of a code gives them.

use super::{BoostError, CodeError, Examples, OutputCode, check_weights};
use weak_learners::{Label, LearnerError};

/// N classes, counted from 0, and the start distribution D over them.
///
/// ```
/// use boosters::maboost::{ClassExamples, OutputCode};
/// use weak_learners::Label::{Minus, Plus};
/// let examples = ClassExamples::balanced(vec![0, 1, 2, 2])?;
/// let thirds = [1.0, 1.0, 0.5, 0.5].map(|w: f64| w / 3.0);
/// assert!(examples.shares().iter().zip(thirds).all(|(d, w)| (d - w).abs() < 1e-15));
/// // Classes 0 and 2 play against each other, class 1 looks on.
/// let column = examples.column(&OutputCode::one_vs_one(3)?, 1)?;
/// assert_eq!(column.labels(), [Plus, Minus, Minus, Minus]);
/// assert_eq!(column.counted().collect::<Vec<_>>(), [0, 2, 3]);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ClassExamples {
    classes: Vec<u32>,
    /// D, with the examples of weight 0.
    shares: Vec<f64>,
    is_uniform: bool,
}

impl ClassExamples {
    /// D = 1/N everywhere.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without an example.
    pub fn uniform(classes: Vec<u32>) -> Result<Self, BoostError> {
        let weights = vec![1.0; classes.len()];
        Ok(Self { is_uniform: true, ..Self::weighted(classes, &weights)? })
    }

    /// D in proportion to these weights.
    ///
    /// # Errors
    /// No example; another number of weights; a weight that is negative or not finite; weights that are all
    /// 0.
    pub fn weighted(classes: Vec<u32>, weights: &[f64]) -> Result<Self, BoostError> {
        if classes.is_empty() {
            return Err(LearnerError::Empty { argument: "classes" }.into());
        }
        let largest = check_weights(classes.len(), weights)?;
        let mut shares: Vec<f64> = weights.iter().map(|w| w / largest).collect();
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|w| *w /= total);
        Ok(Self { classes, shares, is_uniform: false })
    }

    /// D in proportion to the weight of the example's class.
    ///
    /// # Errors
    /// As [`weighted`](Self::weighted); [`CodeError::ClassOutOfRange`] for a class without a weight.
    pub fn class_weighted(classes: Vec<u32>, class_weights: &[f64]) -> Result<Self, BoostError> {
        check_classes(&classes, class_weights.len())?;
        let weights: Vec<f64> = classes.iter().map(|class| class_weights[*class as usize]).collect();
        Self::weighted(classes, &weights)
    }

    /// The same share of D for every class that has examples.
    ///
    /// # Errors
    /// As [`uniform`](Self::uniform).
    pub fn balanced(classes: Vec<u32>) -> Result<Self, BoostError> {
        let mut sorted = classes.clone();
        sorted.sort_unstable();
        let count =
            |class: &u32| sorted.partition_point(|c| c <= class) - sorted.partition_point(|c| c < class);
        #[allow(clippy::cast_precision_loss, reason = "counts of examples")]
        let weights: Vec<f64> = classes.iter().map(|class| 1.0 / count(class) as f64).collect();
        Self::weighted(classes, &weights)
    }

    /// The binary examples of column l: label M_yl for an example of class y, weight 0 where M_yl = 0.
    ///
    /// # Errors
    /// [`CodeError::ClassOutOfRange`]; [`LearnerError::BadParameter`] for a column outside the code;
    /// [`LearnerError::ZeroWeights`] where no example takes part.
    pub fn column(&self, code: &OutputCode, l: usize) -> Result<Examples, BoostError> {
        check_classes(&self.classes, code.classes())?;
        if l >= code.columns() {
            #[allow(clippy::cast_precision_loss, reason = "for a message")]
            let value = l as f64;
            return Err(LearnerError::BadParameter { name: "column", value, domain: "0 ≤ l < L" }.into());
        }
        let bits = || self.classes.iter().map(|class| code.row(*class as usize)[l]);
        let labels = bits().map(|bit| if bit > 0 { Label::Plus } else { Label::Minus }).collect();
        if self.is_uniform && bits().all(|bit| bit != 0) {
            return Examples::uniform(labels);
        }
        let weights: Vec<f64> =
            bits().zip(&self.shares).map(|(bit, d)| if bit == 0 { 0.0 } else { *d }).collect();
        Examples::weighted(labels, &weights)
    }

    /// The classes.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// D, 0 for the examples of weight 0; sums to 1.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }
}

/// Rejects a class that is not below k.
pub(super) fn check_classes(of_examples: &[u32], classes: usize) -> Result<(), CodeError> {
    match of_examples.iter().position(|class| *class as usize >= classes) {
        Some(index) => Err(CodeError::ClassOutOfRange { index, class: of_examples[index], classes }),
        None => Ok(()),
    }
}
