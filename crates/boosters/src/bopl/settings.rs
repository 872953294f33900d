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

/// What holds for every round of a run. The default: no translation, no ridge, and the closed form with
/// [`Sharp`](Smoothness::Sharp) constants.
///
/// ```
/// use boosters::bopl::{Settings, Smoothness, Step};
/// let settings = Settings::builder().translation(-0.4).step(Step::Closed(Smoothness::Paper)).build()?;
/// assert_eq!((settings.translation(), settings.ridge()), (-0.4, 0.0));
/// assert!(Settings::builder().ridge(-1.0).build().is_err());
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
    /// The defaults, to be changed by name.
    pub fn builder() -> SettingsBuilder {
        let Self { translation, ridge, step } = Self::default();
        SettingsBuilder { unchecked: Unchecked { translation, ridge, step } }
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

impl Default for Settings {
    fn default() -> Self {
        Self { translation: 0.0, ridge: 0.0, step: Step::Closed(Smoothness::Sharp) }
    }
}

/// [`Settings`] that are not checked yet.
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct SettingsBuilder {
    unchecked: Unchecked,
}

impl SettingsBuilder {
    /// Reward translation b: training is on r_i + b \[L23, Appendix E\]. b < 0 keeps actions that were never shown in a
    /// context from looking better than those that earned little.
    pub fn translation(mut self, b: f64) -> Self {
        self.unchecked.translation = b;
        self
    }

    /// Ridge λ on the weights of the ensemble \[L23, Appendix E\].
    pub fn ridge(mut self, lambda: f64) -> Self {
        self.unchecked.ridge = lambda;
        self
    }

    /// How long a step is.
    pub fn step(mut self, step: Step) -> Self {
        self.unchecked.step = step;
        self
    }

    /// The settings.
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for a b that is not finite or a λ that is not a finite number of at least 0.
    pub fn build(self) -> Result<Settings, BoplError> {
        self.unchecked.try_into()
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
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
