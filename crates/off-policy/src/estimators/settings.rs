//! What the estimators are asked with.

use super::{EstimateError, StatedRanges};
use serde::{Deserialize, Serialize};

/// Where weights are cut, M of clipped IPS and τ of SWITCH-DR; and the ranges that the rows are known to be in, if any.
///
/// *Ranges:* M > 0 and τ > 0, finite. Without M clipped IPS is IPS, without τ SWITCH-DR is DR: the default. No range changes an
/// estimate: rows outside are refused.
///
/// ```
/// use off_policy::estimators::EstimatorSettings;
/// let settings = EstimatorSettings::default().clipped_at(10.0)?.switched_at(5.0)?;
/// assert_eq!((settings.clip(), settings.switch()), (Some(10.0), Some(5.0)));
/// assert!(settings.clipped_at(0.0).is_err());
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct EstimatorSettings {
    clip: Option<f64>,
    switch: Option<f64>,
    ranges: Option<StatedRanges>,
}

impl EstimatorSettings {
    /// With the weights of clipped IPS cut at M.
    ///
    /// # Errors
    /// [`EstimateError::NotFinite`], [`EstimateError::BadParameter`].
    pub fn clipped_at(self, clip: f64) -> Result<Self, EstimateError> {
        Ok(Self { clip: Some(positive("clip", clip)?), ..self })
    }

    /// With the model alone where the weight is above τ.
    ///
    /// # Errors
    /// [`EstimateError::NotFinite`], [`EstimateError::BadParameter`].
    pub fn switched_at(self, tau: f64) -> Result<Self, EstimateError> {
        Ok(Self { switch: Some(positive("tau", tau)?), ..self })
    }

    /// Of rows that are known to be in these ranges.
    #[must_use]
    pub fn within(self, ranges: StatedRanges) -> Self {
        Self { ranges: Some(ranges), ..self }
    }

    /// M.
    #[must_use]
    pub fn clip(self) -> Option<f64> {
        self.clip
    }

    /// τ.
    #[must_use]
    pub fn switch(self) -> Option<f64> {
        self.switch
    }

    /// What was stated of the rows.
    #[must_use]
    pub fn ranges(self) -> Option<StatedRanges> {
        self.ranges
    }
}

/// A finite number > 0.
///
/// # Errors
/// [`EstimateError::NotFinite`], [`EstimateError::BadParameter`].
pub(super) fn positive(name: &'static str, value: f64) -> Result<f64, EstimateError> {
    if !value.is_finite() {
        return Err(EstimateError::NotFinite { argument: name, index: 0, value });
    }
    if value > 0.0 { Ok(value) } else { Err(EstimateError::BadParameter { name, value, domain: "(0, ∞)" }) }
}

#[derive(Serialize, Deserialize)]
struct Unchecked {
    clip: Option<f64>,
    switch: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ranges: Option<StatedRanges>,
}

impl From<EstimatorSettings> for Unchecked {
    fn from(EstimatorSettings { clip, switch, ranges }: EstimatorSettings) -> Self {
        Self { clip, switch, ranges }
    }
}

impl TryFrom<Unchecked> for EstimatorSettings {
    type Error = EstimateError;

    fn try_from(Unchecked { clip, switch, ranges }: Unchecked) -> Result<Self, EstimateError> {
        let mut settings = Self { ranges, ..Self::default() };
        if let Some(clip) = clip {
            settings = settings.clipped_at(clip)?;
        }
        if let Some(tau) = switch {
            settings = settings.switched_at(tau)?;
        }
        Ok(settings)
    }
}
