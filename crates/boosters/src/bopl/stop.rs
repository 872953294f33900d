//! Why a run of boosted off-policy learning ended.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason of an end; [`Gradient`](Self::Gradient), [`Predictions`](Self::Predictions) and [`Alpha`](Self::Alpha) are
/// those of \[L23, Appendix G\], below 10^−10 in magnitude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[must_use = "a run may have ended without having learnt anything"]
pub enum Stop {
    /// No row has two actions on offer: every policy plays the same.
    NoChoice,
    /// The gradient u: the objective is at a stationary point.
    Gradient,
    /// Every prediction of the new predictor.
    Predictions,
    /// The weight α_t of the new predictor: it is orthogonal to the gradient.
    Alpha,
    /// The held-out estimate has not risen for as many rounds as there was patience for.
    Patience,
    /// The rounds are played.
    Rounds,
    /// Whoever watched the run broke it off.
    Watcher,
}

impl fmt::Display for Stop {
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
