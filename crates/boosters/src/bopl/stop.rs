//! Why a run of boosted off-policy learning ended.

use serde::{Deserialize, Serialize};

/// The reason of an end; the first three are those of \[L23, Appendix G\], below 10^−10 in magnitude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
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
