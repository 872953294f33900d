//! The settings of a run of boosted off-policy learning.

use crate::bopl::{BoplError, Smoothness, Step};
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// The settings of every round of a run. The default: no translation, no ridge, and the closed form with
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
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    switch: Option<f64>,
    ridge: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    smoothing: Option<f64>,
    step: Step,
}

impl Settings {
    /// A builder that starts from the defaults.
    pub fn builder() -> SettingsBuilder {
        let Self { translation, clip, switch, ridge, smoothing, step } = Self::default();
        SettingsBuilder { unchecked: Unchecked { translation, clip, switch, ridge, smoothing, step } }
    }

    /// b: a run trains on r_i + b.
    #[must_use]
    pub fn translation(&self) -> f64 {
        self.translation
    }

    /// M, the largest weight 1/p of a row; `None` for no bound.
    #[must_use]
    pub fn clip(&self) -> Option<f64> {
        self.clip
    }

    /// τ, the weight 1/p above which a row has none; `None` for no such bound.
    #[must_use]
    pub fn switch(&self) -> Option<f64> {
        self.switch
    }

    /// λ.
    #[must_use]
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// λ of [`BoplLs`](crate::bopl::BoplLs); `None` for 1/√n.
    #[must_use]
    pub fn smoothing(&self) -> Option<f64> {
        self.smoothing
    }

    /// How long a step is.
    #[must_use]
    pub fn step(&self) -> Step {
        self.step
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            translation: 0.0,
            clip: None,
            switch: None,
            ridge: 0.0,
            smoothing: None,
            step: Step::Closed(Smoothness::Sharp),
        }
    }
}

/// [`Settings`] before they are checked.
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct SettingsBuilder {
    unchecked: Unchecked,
}

impl SettingsBuilder {
    /// Reward translation b: training is on r_i + b \[L23, Appendix E\]. b < 0 keeps unseen actions of a
    /// context from looking better than actions of small reward.
    pub fn translation(mut self, b: f64) -> Self {
        self.unchecked.translation = b;
        self
    }

    /// Clipped importance weights: min(1/p_i, M) in place of 1/p_i. The objective is then that of clipped
    /// IPS, biased where an action was rare and less at the mercy of few rows; the guarantee is about it.
    pub fn clip(mut self, largest_weight: f64) -> Self {
        self.unchecked.clip = Some(largest_weight);
        self
    }

    /// SWITCH \[WAD17\]: a row with 1/p_i > τ weighs nothing. With predicted rewards r̃(x_i, ·) is q̂(x_i, ·)
    /// there, and the objective has the bias of q̂ on those pairs alone; without them such a pair is as if
    /// its translated reward were 0. The guarantee is about that objective.
    pub fn switch(mut self, largest_weight: f64) -> Self {
        self.unchecked.switch = Some(largest_weight);
        self
    }

    /// Ridge λ on the weights of the ensemble \[L23, Appendix E\].
    pub fn ridge(mut self, lambda: f64) -> Self {
        self.unchecked.ridge = lambda;
        self
    }

    /// λ of [`BoplLs`](crate::bopl::BoplLs), in units of 1/reward: the larger, the more pessimistic. Other
    /// objectives have no use for it. 1/√n unless it is set.
    pub fn smoothing(mut self, lambda: f64) -> Self {
        self.unchecked.smoothing = Some(lambda);
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
    /// [`BoplError::BadParameter`] for a |b| beyond 1e140, an M or τ outside (0, 1e140], a λ of the ridge
    /// outside [0, 1e140], a λ of smoothing outside [1e-140, 1e140], or a learning rate outside (0, 1].
    pub fn build(self) -> Result<Settings, BoplError> {
        self.unchecked.try_into()
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Unchecked {
    translation: f64,
    #[serde(default)]
    clip: Option<f64>,
    #[serde(default)]
    switch: Option<f64>,
    ridge: f64,
    #[serde(default)]
    smoothing: Option<f64>,
    step: Step,
}

impl TryFrom<Unchecked> for Settings {
    type Error = BoplError;

    fn try_from(unchecked: Unchecked) -> Result<Self, BoplError> {
        let Unchecked { translation, clip, switch, ridge, smoothing, step } = unchecked;
        if !(translation.abs() <= LARGEST) {
            let domain = "[-1e140, 1e140]";
            return Err(BoplError::BadParameter { name: "translation", value: translation, domain });
        }
        step.check()?;
        for (name, bound) in [("clip", clip), ("switch", switch)] {
            if let Some(value) = bound.filter(|most| !(*most > 0.0 && *most <= LARGEST)) {
                return Err(BoplError::BadParameter { name, value, domain: "(0, 1e140]" });
            }
        }
        if !(0.0..=LARGEST).contains(&ridge) {
            return Err(BoplError::BadParameter { name: "ridge", value: ridge, domain: "[0, 1e140]" });
        }
        if let Some(value) = smoothing.filter(|lambda| !(1.0 / LARGEST..=LARGEST).contains(lambda)) {
            return Err(BoplError::BadParameter { name: "smoothing", value, domain: "[1e-140, 1e140]" });
        }
        Ok(Self { translation, clip, switch, ridge, smoothing, step })
    }
}
