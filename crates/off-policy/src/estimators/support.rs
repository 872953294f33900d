//! Whether a log can answer for a policy.

use crate::estimators::definitions::Estimator;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the weights w_i = π(a_i|x_i)/p_i are spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// n.
    pub rows: u64,
    /// Σw/n. Its mean is 1 where the log can play all that π plays.
    pub mean_weight: f64,
    /// Of the mean weight; `None` for one row.
    pub standard_error: Option<f64>,
    /// max w.
    pub max_weight: f64,
    /// *Effective sample size* (Σw)²/Σw², in [0, n]; 0 where every weight is 0.
    pub ess: f64,
    /// Rows with w_i > M; 0 without M.
    pub clipped: u64,
    /// Rows with w_i > τ; 0 without τ.
    pub switched: u64,
    /// Rows with w_i r_i ≠ 0, on which IPS rests.
    pub effective_rewards: u64,
    /// The least propensity.
    pub least_propensity: f64,
    /// Rows with a propensity of at most 2^−23.
    pub at_floor: u64,
}

/// Why an estimate from this log may be far off, whatever its standard error says.
///
/// A warning is not a proof, and silence is not one either: weights say nothing of actions that the log never
/// shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SupportWarning {
    /// Every weight is 0: the target never plays a logged action. SNIPS is then undefined.
    NoOverlap,
    /// The mean weight is more than 4 standard errors (and 1e−6) from 1. Below 1, the target plays what the
    /// log cannot, or rarely. On either side, propensities may not be those that were in force, or may be
    /// rounded to fewer than seven significant digits. Above 1, the target may be made of these rows.
    MeanWeight {
        /// Σw/n.
        mean: f64,
        /// Its standard error.
        standard_error: f64,
    },
    /// One row has more than a twentieth of all weight, and more than ten times the mean.
    LargestWeight {
        /// max w.
        weight: f64,
        /// max w/Σw.
        share: f64,
    },
    /// The effective sample size is below a tenth of n.
    EffectiveSampleSize {
        /// (Σw)²/Σw².
        ess: f64,
        /// n.
        rows: u64,
    },
    /// Propensities of at most 2^−23, the spacing of single-precision numbers just above 1 (below 1 it is
    /// half of that): so small a probability, computed in single precision as a difference of numbers near 1,
    /// is rounding.
    PropensityFloor {
        /// How many.
        rows: u64,
        /// The least of them.
        least: f64,
    },
    /// Fewer than 30 rows with w_i r_i ≠ 0: a normal interval around IPS is not to be trusted.
    FewRewards {
        /// How many.
        rows: u64,
    },
    /// The effective sample size is below a tenth of n or below 30, and there is a doubly robust estimate.
    /// Its interval looks narrow where the model of rewards takes the place of rows: it knows the errors of
    /// the model on these rows alone.
    DoublyRobust {
        /// (Σw)²/Σw².
        ess: f64,
    },
    /// An estimate outside the range of the rewards, which the value of no policy can be.
    OutOfRange {
        /// By which estimator.
        estimator: Estimator,
        /// The estimate.
        value: f64,
        /// The least reward.
        lower: f64,
        /// The largest.
        upper: f64,
    },
}

impl fmt::Display for SupportWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoOverlap => write!(f, "the policy never plays a logged action"),
            Self::MeanWeight { mean, standard_error } => {
                let digits = digits_beside_one(mean);
                write!(f, "the mean weight is {mean:.digits$} ± {standard_error:.digits$}, and not 1")
            }
            Self::LargestWeight { weight, share } => {
                write!(f, "one row of weight {weight:.1} has {:.0}% of all weight", 100.0 * share)
            }
            Self::EffectiveSampleSize { ess, rows } => write!(f, "{rows} rows count as {ess:.0}"),
            Self::PropensityFloor { rows, least } => {
                write!(f, "{rows} propensities are as small as rounding, down to {least:e}")
            }
            Self::FewRewards { rows } => {
                write!(f, "only {rows} rows have a weight and a reward other than 0")
            }
            Self::DoublyRobust { ess } => {
                write!(f, "the interval of DR knows the errors of the model of rewards by {ess:.0} rows")
            }
            Self::OutOfRange { estimator, value, lower, upper } => {
                let (name, value) = (estimator.name(), four_digits(value));
                if value < lower {
                    write!(f, "{name} says {value}, and no reward is below {}", four_digits(lower))
                } else {
                    write!(f, "{name} says {value}, and no reward is above {}", four_digits(upper))
                }
            }
        }
    }
}

/// Digits after the point, at least three, with two that differ from those of 1: a standard error of a fourth
/// of the difference is not shown as 0 then.
fn digits_beside_one(mean: f64) -> usize {
    (3..12).find(|digits| (mean - 1.0).abs() * 10f64.powi(*digits) >= 9.5).unwrap_or(12) as usize
}

/// The number, rounded to four digits.
fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// Effective rows, and rewarded ones, below which an interval is not to be trusted.
const FEW: u64 = 30;

/// What rounding propensities to seven significant digits can move a mean weight by, and more.
const ROUNDED: f64 = 1e-6;

/// The largest propensity that counts as being at the floor.
pub(crate) const FLOOR: f64 = f32::EPSILON as f64;

impl Support {
    /// What speaks against the log, in the order of [`SupportWarning`].
    #[must_use]
    pub fn warnings(&self) -> Vec<SupportWarning> {
        let (n, mean) = (self.rows as f64, self.mean_weight);
        let mut warnings = Vec::new();
        if self.max_weight == 0.0 {
            warnings.push(SupportWarning::NoOverlap);
        }
        if let Some(standard_error) = self.standard_error.filter(|se| (mean - 1.0).abs() > 4.0 * se + ROUNDED)
        {
            warnings.push(SupportWarning::MeanWeight { mean, standard_error });
        }
        let (weight, share) = (self.max_weight, self.max_weight / mean / n);
        if share > 0.05_f64.max(10.0 / n) {
            warnings.push(SupportWarning::LargestWeight { weight, share });
        }
        if self.is_thin() {
            warnings.push(SupportWarning::EffectiveSampleSize { ess: self.ess, rows: self.rows });
        }
        if self.at_floor > 0 {
            let (rows, least) = (self.at_floor, self.least_propensity);
            warnings.push(SupportWarning::PropensityFloor { rows, least });
        }
        if self.effective_rewards < FEW {
            warnings.push(SupportWarning::FewRewards { rows: self.effective_rewards });
        }
        warnings
    }

    /// Whether the effective sample size is below a tenth of n.
    fn is_thin(&self) -> bool {
        self.ess < 0.1 * self.rows as f64
    }

    /// What speaks against a doubly robust estimate.
    pub(crate) fn warning_of_doubly_robust(&self) -> Option<SupportWarning> {
        let is_small = self.is_thin() || self.ess < FEW as f64;
        is_small.then_some(SupportWarning::DoublyRobust { ess: self.ess })
    }
}
