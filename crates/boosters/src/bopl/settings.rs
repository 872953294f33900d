//! What a run of boosted off-policy learning is asked for.

use super::{BoplError, Smoothness};
use serde::{Deserialize, Serialize};

/// How long a step along a predictor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// α = U/(S + 2nλ), which minimises the bound that the smoothness gives: line 6 of Algorithm 1, line 7 of Algorithm 2
    /// of \[L23\] with `Paper`.
    Closed(Smoothness),
    /// The least objective that a search along f finds, at least as low as the closed form with `Sharp` gets. Where the
    /// search goes beyond that form it moves no score by more than 4.
    LineSearch,
}

impl Step {
    /// The constants of the closed form that the step is or starts from.
    #[must_use]
    pub fn smoothness(self) -> Smoothness {
        match self {
            Self::Closed(smoothness) => smoothness,
            Self::LineSearch => Smoothness::Sharp,
        }
    }
}

/// What holds for every round of a run.
///
/// ```
/// use boosters::bopl::{Settings, Smoothness, Step};
/// let settings = Settings::new(-0.4, 0.0, Step::Closed(Smoothness::Paper))?;
/// assert_eq!(settings.translation(), -0.4);
/// assert!(Settings::new(-0.4, -1.0, Step::LineSearch).is_err());
/// # Ok::<(), boosters::bopl::BoplError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Settings {
    translation: f64,
    ridge: f64,
    step: Step,
}

impl Settings {
    /// Reward translation b, ridge λ on the weights of the ensemble \[L23, Appendix E\], and step.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a b that is not finite or a λ that is not a finite number of at least 0.
    pub fn new(translation: f64, ridge: f64, step: Step) -> Result<Self, BoplError> {
        Unchecked { translation, ridge, step }.try_into()
    }

    /// b: a run trains on r_i + b.
    #[must_use]
    pub fn translation(&self) -> f64 {
        self.translation
    }

    /// λ.
    #[must_use]
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// How long a step is.
    #[must_use]
    pub fn step(&self) -> Step {
        self.step
    }
}

#[derive(Deserialize)]
struct Unchecked {
    translation: f64,
    ridge: f64,
    step: Step,
}

impl TryFrom<Unchecked> for Settings {
    type Error = BoplError;

    fn try_from(Unchecked { translation, ridge, step }: Unchecked) -> Result<Self, BoplError> {
        if !translation.is_finite() {
            let domain = "the finite numbers";
            return Err(BoplError::BadParameter { name: "translation", value: translation, domain });
        }
        if !(ridge >= 0.0 && ridge.is_finite()) {
            return Err(BoplError::BadParameter { name: "ridge", value: ridge, domain: "[0, ∞)" });
        }
        Ok(Self { translation, ridge, step })
    }
}
