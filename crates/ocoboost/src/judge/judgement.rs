//! A judgement.

use super::{Bound, BoundMethod, PropensitySource, Verdict};
use crate::numerals::{down, figure, thousands, trimmed, up};
use off_policy::estimators::{Estimator, Support, SupportWarning};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What a log says of a policy: estimates of its value, what the log itself earned, a bound on the
/// improvement, and a verdict.
///
/// Every number is of the judged rows alone, but for M and λ of the bounds and the model of rewards, which
/// may come from other rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// n.
    pub rows: u64,
    /// How these rows stand to the choice of the policy.
    pub judged: JudgedRows,
    /// δ of the intervals, of their two ends together, and of each bound.
    pub delta: f64,
    /// The mean reward of the rows, with its interval.
    pub logged: ValueEstimate,
    /// What the estimators say; those without a value are left out.
    pub estimates: Vec<ValueEstimate>,
    /// The estimator that [`sentence`](Self::sentence) quotes: DR with a model of rewards, else SNIPS, else
    /// IPS.
    pub headline: Estimator,
    /// The bounds on the improvement: logarithmic smoothing, on which the verdict rests, and empirical
    /// Bernstein. `None` where rewards are constant or there are fewer than two rows.
    pub bounds: Option<[Bound; 2]>,
    /// The range of the rewards on which they rest.
    pub range: RewardRange,
    /// Where the propensities come from.
    pub propensities: PropensitySource,
    /// How the weights are spread.
    pub support: Support,
    /// What speaks against the estimates.
    pub warnings: Vec<SupportWarning>,
    /// Why the bounds are approximate; none if they hold as stated.
    pub caveats: Vec<Caveat>,
    /// The outcome.
    pub verdict: Verdict,
}

/// A value with a 1 − δ interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ValueEstimate {
    /// By which estimator; IPS of the mean reward of the log.
    pub estimator: Estimator,
    /// The value.
    pub value: f64,
    /// Its standard error; with estimated propensities, their spread included. `None` for one row.
    pub standard_error: Option<f64>,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// How judged rows stand to the choice of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedRows {
    /// They were kept apart: they had no part in the choice.
    KeptApart,
    /// Whoever handed them in answers for that.
    Given,
}

/// A range of rewards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RewardRange {
    /// l.
    pub lower: f64,
    /// u.
    pub upper: f64,
    /// Where it comes from.
    pub source: RangeSource,
}

/// Where a range of rewards comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeSource {
    /// It was stated.
    Given,
    /// It is that of other rows of the log, and the judged ones are in it.
    OtherRows,
    /// It is that of the judged rows.
    JudgedRows,
}

/// Why a bound is approximate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Caveat {
    /// Propensities are estimated.
    EstimatedPropensities,
    /// The range of the rewards was read off the judged rows.
    RangeOfJudgedRows,
    /// Rows of a group may depend on each other, and the bound counts them as independent.
    GroupedRows,
}

impl Caveat {
    /// The caveat as part of a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::EstimatedPropensities => "propensities are estimated",
            Self::RangeOfJudgedRows => "the range of the rewards is that of the judged rows",
            Self::GroupedRows => "rows of a group count as independent",
        }
    }
}

impl Judgement {
    /// What one estimator says, where it has a value.
    #[must_use]
    pub fn estimate(&self, estimator: Estimator) -> Option<&ValueEstimate> {
        self.estimates.iter().find(|estimate| estimate.estimator == estimator)
    }

    /// A bound.
    #[must_use]
    pub fn bound(&self, method: BoundMethod) -> Option<&Bound> {
        self.bounds.iter().flatten().find(|bound| bound.method == method)
    }

    /// The outcome in a sentence or two.
    #[must_use]
    pub fn sentence(&self) -> String {
        let apart = match self.judged {
            JudgedRows::KeptApart => " that had no part in the choice",
            JudgedRows::Given => "",
        };
        let mut text = format!("On {} rows{apart} ", thousands(self.rows));
        let logged = figure(self.logged.value);
        if let Verdict::CannotAnswer(reasons) = &self.verdict {
            let _ = write!(text, "the log earned {logged} a decision; it cannot answer for the policy: ");
            for (k, reason) in reasons.iter().enumerate() {
                let _ = write!(text, "{}{reason}", if k == 0 { "" } else { "; " });
            }
            text.push('.');
            return text;
        }
        let estimated = match self.propensities {
            PropensitySource::Logged => "",
            PropensitySource::Estimated => " (propensities estimated)",
        };
        if let Some(ValueEstimate { value, lower, upper, .. }) = self.estimate(self.headline) {
            let [value, lower, upper] = [*value, *lower, *upper].map(figure);
            let _ = write!(text, "the policy earns {value} a decision ({lower} to {upper}){estimated}, ");
        }
        let _ = write!(text, "the log earned {logged}; ");
        let percent = format!("{}%", trimmed(100.0 * (1.0 - self.delta), 4));
        let caveats = || self.caveats.iter().map(|caveat| caveat.words()).collect::<Vec<_>>().join(", and ");
        match self.verdict {
            Verdict::Better { at_least, is_certain: true } => {
                let _ = write!(text, "with {percent} certainty it earns at least {} more.", down(at_least));
            }
            Verdict::Better { at_least, is_certain: false } => {
                let least = down(at_least);
                let caveats = caveats();
                let _ = write!(
                    text,
                    "it earns at least about {least} more, with about {percent} certainty: {caveats}."
                );
            }
            Verdict::NotShown { at_least } => {
                let _ = write!(text, "that it is better is not shown: ");
                let _ = if at_least < 0.0 {
                    write!(text, "with {percent} certainty it earns at most {} less.", up(-at_least))
                } else {
                    write!(text, "with {percent} certainty it earns no less, and perhaps no more.")
                };
                if !self.caveats.is_empty() {
                    let _ = write!(text, " This is approximate: {}.", caveats());
                }
            }
            Verdict::CannotAnswer(_) => {}
        }
        text
    }
}
