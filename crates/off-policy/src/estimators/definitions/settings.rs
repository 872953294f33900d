//! Settings of the estimators.

use crate::estimators::definitions::{Estimator, Observation, SLACK};
use crate::estimators::error::{EstimateError, check_magnitudes};
use rows::numeric::Wide;
use serde::{Deserialize, Serialize};

/// Where weights are cut, M of clipped IPS and τ of SWITCH-DR; and the ranges that the rows are known to be
/// in, if any.
///
/// *Ranges:* M > 0 and τ > 0, finite. Without M clipped IPS is IPS, without τ SWITCH-DR is DR: the default.
/// No range changes an estimate: rows outside are refused.
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
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64, EstimateError> {
    check_magnitudes(name, 0, &[value])?;
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

/// Where rewards, predictions and weights lie, known *before* the log is seen: what
/// [`empirical_bernstein_interval`](crate::estimators::empirical_bernstein_interval) rests on.
///
/// Rewards, not costs: of costs in [l, u], whose log holds their negatives, the rewards are those in [−u,
/// −l]. A row outside what was stated is refused with its number and value; nothing is clamped. A least
/// propensity that was read off the same log is no such knowledge: an interval made with it is a guess.
///
/// *Ranges:* ends finite; 0 < p_min ≤ 1, and then w_i ≤ 1/p_min. Predictions are where rewards are unless it
/// is said otherwise; what counts of them is q(x_i, a_i) and the direct term d_i. A weight may pass its
/// bound, and d_i its range, by the relative 2e−9 that sums of probabilities and their rounding are allowed;
/// widths do not grow by it.
///
/// ```
/// use off_policy::estimators::{EstimateError, EstimatorSettings, OffPolicyEvaluation, StatedRanges, Tables};
/// let clicks = StatedRanges::new([0.0, 1.0])?.with_least_propensity(0.25)?;
/// let settings = EstimatorSettings::default().within(clicks);
/// let of = |rewards| {
///     let tables = Tables::new(2, &[0, 1], &[0.25, 0.5], rewards, &[0.5, 0.5, 1.0, 0.0], None)?;
///     OffPolicyEvaluation::of_tables(&tables, settings)
/// };
/// assert_eq!(of(&[1.0, 1.0])?.ips.value, 1.0);
/// let (row, column, value, lower, upper) = (1, "reward", 2.0, 0.0, 1.0);
/// let refused = EstimateError::OutsideStated { row, column, value, lower, upper };
/// assert_eq!(of(&[1.0, 2.0]), Err(refused));
/// # Ok::<(), EstimateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedRanges", into = "UncheckedRanges")]
pub struct StatedRanges {
    parts: UncheckedRanges,
}

impl StatedRanges {
    /// Every reward lies in [lower, upper], and so does every prediction.
    ///
    /// # Errors
    /// [`EstimateError::NotFinite`]; [`EstimateError::BadParameter`] for lower > upper.
    pub fn new([lower, upper]: [f64; 2]) -> Result<Self, EstimateError> {
        let rewards = [lower, upper];
        UncheckedRanges { rewards, predictions: rewards, least_propensity: None, largest_weight: None }
            .try_into()
    }

    /// Every prediction lies in [lower, upper].
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub fn with_predictions(self, [lower, upper]: [f64; 2]) -> Result<Self, EstimateError> {
        UncheckedRanges { predictions: [lower, upper], ..self.parts }.try_into()
    }

    /// Every propensity is at least p_min.
    ///
    /// # Errors
    /// [`EstimateError::NotFinite`]; [`EstimateError::BadParameter`] for a p_min outside (0, 1].
    pub fn with_least_propensity(self, p_min: f64) -> Result<Self, EstimateError> {
        UncheckedRanges { least_propensity: Some(p_min), ..self.parts }.try_into()
    }

    /// Every weight is at most w_max: less than 1/p_min where the target plays no action surely.
    ///
    /// # Errors
    /// [`EstimateError::NotFinite`]; [`EstimateError::BadParameter`] for a w_max that is not positive.
    pub fn with_largest_weight(self, w_max: f64) -> Result<Self, EstimateError> {
        UncheckedRanges { largest_weight: Some(w_max), ..self.parts }.try_into()
    }

    /// The range of the rewards.
    #[must_use]
    pub fn rewards(&self) -> [f64; 2] {
        self.parts.rewards
    }

    /// The range of the predictions.
    #[must_use]
    pub fn predictions(&self) -> [f64; 2] {
        self.parts.predictions
    }

    /// The largest weight: the lesser of w_max and 1/p_min; `None` where neither was stated.
    #[must_use]
    pub fn largest_weight(&self) -> Option<f64> {
        let by_propensity = self.parts.least_propensity.map(|p_min| 1.0 / p_min);
        [by_propensity, self.parts.largest_weight].into_iter().flatten().reduce(f64::min)
    }

    /// Refuses a row of weight w that is outside.
    pub(crate) fn check(
        &self,
        row: usize,
        seen: &Observation,
        w: f64,
        has_model: bool,
    ) -> Result<(), EstimateError> {
        let least_propensity = self.parts.least_propensity.unwrap_or(0.0);
        let largest_weight = self.parts.largest_weight.map_or(f64::INFINITY, |w| w * (1.0 + 2.0 * SLACK));
        let of_rows = [
            ("reward", seen.reward, self.rewards()),
            ("propensity", seen.propensity, [least_propensity, 1.0]),
            ("weight", w, [0.0, largest_weight]),
        ];
        let [lower, upper] = self.predictions();
        let slack = 2.0 * SLACK * lower.abs().max(upper.abs());
        let of_model = [
            ("predicted", seen.predicted, [lower, upper]),
            ("direct", seen.direct, [lower - slack, upper + slack]),
        ];
        let of_model = of_model.into_iter().filter(|_| has_model);
        let outside = of_rows.into_iter().chain(of_model).find(|(_, value, [l, u])| value < l || value > u);
        match outside {
            Some((column, value, [lower, upper])) => {
                Err(EstimateError::OutsideStated { row, column, value, lower, upper })
            }
            None => Ok(()),
        }
    }

    /// The length b of an interval in which every term of an estimator lies, and for SNIPS every w_i(r_i − v)
    /// with v among the rewards.
    pub(crate) fn width(
        &self,
        estimator: Estimator,
        settings: EstimatorSettings,
    ) -> Result<Wide, EstimateError> {
        let zero = Wide::ZERO;
        let [[l, u], [a, b]] = [self.rewards(), self.predictions()].map(|range| range.map(Wide::from));
        let at_most = |cut: Option<f64>| {
            let bounds = [cut, self.largest_weight()].into_iter().flatten();
            let bound = bounds.reduce(f64::min).filter(|w| w.is_finite());
            bound.map(Wide::from).ok_or(EstimateError::NotStated { what: "a largest weight" })
        };
        // Weights lie in [0, W]: 0 is always among the terms' bounds.
        let spread = |lower: Wide, upper: Wide| {
            let positive = if upper.is_negative() { zero } else { upper };
            let negative = if lower.is_negative() { lower } else { zero };
            positive - negative
        };
        Ok(match estimator {
            Estimator::Ips => at_most(None)? * spread(l, u),
            Estimator::ClippedIps => at_most(settings.clip())? * spread(l, u),
            Estimator::Snips => at_most(None)? * (u - l),
            Estimator::Dm => b - a,
            Estimator::Dr => b - a + at_most(None)? * spread(l - b, u - a),
            Estimator::SwitchDr => b - a + at_most(settings.switch())? * spread(l - b, u - a),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct UncheckedRanges {
    rewards: [f64; 2],
    predictions: [f64; 2],
    least_propensity: Option<f64>,
    largest_weight: Option<f64>,
}

impl From<StatedRanges> for UncheckedRanges {
    fn from(ranges: StatedRanges) -> Self {
        ranges.parts
    }
}

impl TryFrom<UncheckedRanges> for StatedRanges {
    type Error = EstimateError;

    fn try_from(parts: UncheckedRanges) -> Result<Self, EstimateError> {
        for (argument, [lower, upper]) in [("rewards", parts.rewards), ("predictions", parts.predictions)] {
            check_magnitudes(argument, 0, &[lower, upper])?;
            if lower > upper {
                let (value, domain) = (lower, "(−∞, the upper end]");
                return Err(EstimateError::BadParameter { name: argument, value, domain });
            }
        }
        if let Some(p_min) = parts.least_propensity
            && positive("p_min", p_min)? > 1.0
        {
            return Err(EstimateError::BadParameter { name: "p_min", value: p_min, domain: "(0, 1]" });
        }
        if let Some(w_max) = parts.largest_weight {
            positive("w_max", w_max)?;
        }
        Ok(Self { parts })
    }
}
