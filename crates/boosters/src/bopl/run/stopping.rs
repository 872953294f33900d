//! Why a run of boosted off-policy learning ended.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a run ended. [`Gradient`](Self::Gradient), [`Predictions`](Self::Predictions) and
/// [`Alpha`](Self::Alpha) are the reasons of \[L23, Appendix G\]: a magnitude below 10^−10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[must_use = "a run may have ended without having learnt anything"]
pub enum BoplStop {
    /// No row has two actions on offer: every policy plays the same.
    NoChoice,
    /// The gradient u: the objective is at a stationary point.
    Gradient,
    /// Every prediction of the new predictor.
    Predictions,
    /// The weight α_t of the new predictor: it is orthogonal to the gradient.
    Alpha,
    /// The held-out estimate has not risen for as many rounds as the patience allows.
    Patience,
    /// All rounds were played.
    Rounds,
    /// The caller's `watch` ended the run.
    Watcher,
}

impl fmt::Display for BoplStop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoChoice => "no row has two actions on offer, so there is nothing to choose",
            Self::Gradient => "the gradient is 0: no predictor can lower the objective",
            Self::Predictions => "the base learner found nothing: every prediction is 0",
            Self::Alpha => "the new predictor is orthogonal to the gradient: its weight is 0",
            Self::Patience => "the held-out estimate has not risen for as many rounds as the patience allows",
            Self::Rounds => "all rounds were played",
            Self::Watcher => "the caller ended the run",
        })
    }
}
