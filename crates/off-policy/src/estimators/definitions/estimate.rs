//! The estimators, and what one of them says.

use serde::{Deserialize, Serialize};

/// Six estimators of V(π) = E[Σ_a π(a|x) r(x, a)] from a log, with w_i = π(a_i|x_i)/p_i.
///
/// Each but SNIPS is the mean of one term a row; its standard error is √(variance of the terms/n) with
/// divisor n − 1.
///
/// | | term | what is known |
/// |---|---|---|
/// | `Ips` | w_i r_i | unbiased where the log can play what π plays \[HT52\], \[L23, Section 3.2\] |
/// | `ClippedIps` | min(w_i, M) r_i | weights ≤ M; biased towards 0 if rewards have one sign \[I08\] |
/// | `Snips` | – | Σ w_i r_i/Σ w_i: consistent, moves with a translation of the rewards \[SJ15b\] |
/// | `Dm` | d_i = Σ_a π(a\|x_i) q(x_i, a) | as good as the model q |
/// | `Dr` | d_i + w_i (r_i − q(x_i, a_i)) | unbiased like IPS with a model of other rows \[DLL11\] |
/// | `SwitchDr` | d_i + w_i 1{w_i ≤ τ} (r_i − q(x_i, a_i)) | the model alone for large weights \[WAD17\] |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Estimator {
    /// Inverse propensity scoring.
    Ips,
    /// Clipped, or truncated, IPS.
    ClippedIps,
    /// Self-normalised IPS; its standard error is √(Σ w_i²(r_i − V)²)/Σ w_i.
    Snips,
    /// The direct method.
    Dm,
    /// Doubly robust.
    Dr,
    /// Doubly robust, switched.
    SwitchDr,
}

impl Estimator {
    /// All six, in the order of the table.
    pub const ALL: [Self; 6] = [Self::Ips, Self::ClippedIps, Self::Snips, Self::Dm, Self::Dr, Self::SwitchDr];

    /// What papers call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ips => "IPS",
            Self::ClippedIps => "clipped IPS",
            Self::Snips => "SNIPS",
            Self::Dm => "DM",
            Self::Dr => "DR",
            Self::SwitchDr => "SWITCH-DR",
        }
    }
}

/// An estimate of value, and how far it may be off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error; `None` for a mean of one row.
    pub standard_error: Option<f64>,
}
