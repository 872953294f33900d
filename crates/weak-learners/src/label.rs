//! A binary label.

use crate::LearnerError;
use serde::{Deserialize, Serialize};
use std::ops::Neg;

/// A label or a vote, −1 or +1.
///
/// It is the feedback F of an [`OnlinePredictor`](crate::OnlinePredictor) that classifies. *Errors:* a number
/// other than ±1 is refused here, also on deserialisation (a label is saved as a number).
///
/// ```
/// use weak_learners::{Label, LearnerError};
/// assert_eq!(Label::new(-1.0)?, Label::Minus);
/// assert_eq!(-Label::Minus, Label::of_score(0.0));
/// assert_eq!(Label::new(0.5), Err(LearnerError::BadLabel { argument: "label", value: 0.5 }));
/// # Ok::<(), LearnerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub enum Label {
    /// −1.
    Minus,
    /// +1.
    Plus,
}

impl Label {
    /// The label y = ±1.
    ///
    /// # Errors
    /// [`LearnerError::NotFinite`], or [`LearnerError::BadLabel`] for any other number.
    pub fn new(y: f64) -> Result<Self, LearnerError> {
        Self::named("label", y)
    }

    /// As [`new`](Self::new), for an argument of this name.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn named(argument: &'static str, y: f64) -> Result<Self, LearnerError> {
        if !y.is_finite() {
            return Err(LearnerError::NotFinite { argument, index: 0, value: y });
        }
        if y.abs() != 1.0 {
            return Err(LearnerError::BadLabel { argument, value: y });
        }
        Ok(Self::of_score(y))
    }

    /// The side of a score; a score of 0 counts as +1, so that a classifier always answers.
    #[must_use]
    pub fn of_score(score: f64) -> Self {
        if score < 0.0 { Self::Minus } else { Self::Plus }
    }

    /// −1.0 or +1.0.
    #[must_use]
    pub fn sign(self) -> f64 {
        match self {
            Self::Minus => -1.0,
            Self::Plus => 1.0,
        }
    }
}

impl Neg for Label {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Minus => Self::Plus,
            Self::Plus => Self::Minus,
        }
    }
}

impl From<Label> for f64 {
    fn from(label: Label) -> Self {
        label.sign()
    }
}

impl TryFrom<f64> for Label {
    type Error = LearnerError;

    fn try_from(y: f64) -> Result<Self, LearnerError> {
        Self::new(y)
    }
}
