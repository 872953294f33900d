//! The pessimistic bound of logarithmic smoothing \[SAAC24\].

use crate::estimators::error::{EstimateError, check_magnitudes};
use crate::estimators::intervals::probability;
use crate::log::Log;
use crate::policies::Policy;
use rows::numeric::LARGEST;
use serde::Serialize;

/// A lower bound on the value of a policy, for rewards ≥ 0 and weights without a bound \[SAAC24\]: with
/// X_i = π(a_i|x_i)r_i/p_i and V̂ = (1/nλ) Σ ln(1 + λX_i), the value is at least (exp(λV̂ − ln(1/δ)/n) − 1)/λ
/// with probability 1 − δ.
///
/// *Why:* for independent X_i ≥ 0, E Π(1 + λX_i) = Π(1 + λE X_i) ≤ (1 + λE X̄)^n, and Markov's inequality. No
/// range of the rewards, no least propensity and no number of rows is asked for, unlike by
/// [`EmpiricalBernstein`](super::EmpiricalBernstein). The policy and λ are to be chosen without these rows.
/// A λ near √(2 ln(1/δ)/(nE X²)) is best; 1/√n is a usual one. V̂ is below the IPS estimate, which is its
/// limit as λ vanishes.
///
/// ```
/// use off_policy::estimators::LogarithmicSmoothing;
/// // Twenty rows of value ½, and one of 1,000 that takes over the mean.
/// let mut terms = vec![0.5; 20];
/// terms.push(1000.0);
/// let found = LogarithmicSmoothing::new(&terms, 0.5, 0.05)?;
/// assert!(found.value < 1.1 && found.lower < found.value && found.lower > 0.0);
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LogarithmicSmoothing {
    /// V̂.
    pub value: f64,
    /// The lower bound.
    pub lower: f64,
}

impl LogarithmicSmoothing {
    /// From the X_i of n ≥ 1 rows, λ in [1e-140, 1e140] and 0 < δ < 1. *Cost:* a logarithm a row.
    ///
    /// # Errors
    /// [`EstimateError::BadParameter`] for n = 0, λ, δ or a negative X_i, [`EstimateError::TooLarge`] for an
    /// X_i beyond 1e140; [`EstimateError::NotFinite`].
    pub fn new(terms: &[f64], lambda: f64, delta: f64) -> Result<Self, EstimateError> {
        let delta = probability("delta", delta)?;
        if !(1.0 / LARGEST..=LARGEST).contains(&lambda) {
            let domain = "[1e-140, 1e140]";
            return Err(EstimateError::BadParameter { name: "lambda", value: lambda, domain });
        }
        let n = terms.len() as f64;
        if terms.is_empty() {
            return Err(EstimateError::BadParameter { name: "n", value: n, domain: "1, 2, …" });
        }
        check_magnitudes("terms", 0, terms)?;
        if let Some(value) = terms.iter().copied().find(|term| *term < 0.0) {
            return Err(EstimateError::BadParameter { name: "a term", value, domain: "[0, 1e140]" });
        }
        let mean = terms.iter().map(|term| (lambda * term).ln_1p()).sum::<f64>() / n;
        let lower = (mean + delta.ln() / n).exp_m1().max(0.0);
        Ok(Self { value: mean / lambda, lower: lower / lambda })
    }

    /// Of a policy on a log of rewards ≥ 0.
    ///
    /// # Errors
    /// Those of [`new`](Self::new); [`EstimateError::Coding`] for a policy of another coding,
    /// [`EstimateError::Policy`] for a context that it refuses.
    pub fn of(log: &Log, policy: &impl Policy, lambda: f64, delta: f64) -> Result<Self, EstimateError> {
        if let (Some(own), Some(of_log)) = (policy.schema(), log.schema()) {
            let refused = |source| EstimateError::Coding { argument: "the policy", source };
            own.check_same(of_log).map_err(refused)?;
        }
        let mut pi = vec![0.0; log.actions()];
        let mut terms = Vec::with_capacity(log.len());
        for (row, x) in log.iter().enumerate() {
            let asked = policy.probabilities(x.context, x.on_offer, &mut pi);
            asked.map_err(|source| EstimateError::Policy { row, source })?;
            terms.push(pi[x.action] * x.reward / x.propensity);
        }
        Self::new(&terms, lambda, delta)
    }
}
