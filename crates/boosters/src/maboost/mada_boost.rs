//! The variant of MadaBoost \[NP14, Algorithm 3\].

use super::reweighting::{LEAST_STEP, check_distribution, check_length, check_start, check_sum};
use super::{Answer, BoostError, BoostStop, Examples, Promise, Reweighting};
use rows::numeric::{exp, vectorised};
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;

/// The variant of MadaBoost \[NP14, Algorithm 3\]: η_t = ε_{t−1}γ_t, z_{t+1} = z_t∘exp(η_t d_t), y = min(1,
/// z_{t+1}), w_{t+1} = D∘y/Σy_iD_i, from z_1 = 1. Always w_{t+1} ≤ D/ε_t, because y is 1 on the errors.
///
/// *Guarantee.* After every round ε_t ≤ 1 − ½Σε_{s−1}²γ_s², the sum over s ≤ t. For edges of γ, then, some
/// error of the first 2/(ε²γ²) rounds is below ε \[NP14, Theorem 5\]; the errors need not fall monotonically.
/// *Proof.* Let φ(u) be e^u up to 0 and 1 + u beyond, so that φ' = min(1, e^u) and φ'' ≤ 1, and Φ = ΣD_iφ(log
/// z_i). A round lowers Φ, which begins at 1, by at least η_tγ_tΣy_iD_i − ½η_t², and Σy_iD_i ≥ ε_{t−1}; and Φ
/// ≥ ε_t, for φ ≥ 1 on the errors.
///
/// *Erratum.* The paper computes ε_t from an ensemble that already contains η_t = ε_tγ_t. Here ε_t is the
/// error of the ensemble before h_t. A margin of 0 counts as an error, so that ε_0 = 1. *Cost:* O(N) a round;
/// no allocation.
///
/// ```
/// use boosters::maboost::{Answer, Examples, MadaBoost, Reweighting};
/// use weak_learners::Label::{Minus, Plus};
/// let mut mada = MadaBoost::new(&Examples::uniform(vec![Plus, Minus, Plus, Plus])?)?;
/// // h = (1, 1, 1, 1) errs on the second example, whose z is above 1 and whose y is 1.
/// let eta = mada.reweight(Answer { losses: &[-1.0, 1.0, -1.0, -1.0], edge: 0.5, error_before: 1.0 })?;
/// assert_eq!(eta, 0.5);
/// assert!((mada.weights()[1] - 1.0 / (1.0 + 3.0 * (-0.5_f64).exp())).abs() < 1e-15);
/// assert_eq!(mada.promise().error, 1.0 - 0.5 * 0.25);
/// # Ok::<(), boosters::maboost::BoostError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct MadaBoost {
    start: Vec<f64>,
    /// log z_t.
    log_z: Vec<f64>,
    w: Vec<f64>,
    rounds: usize,
    /// ½Σε_{t−1}²γ_t².
    progress: f64,
}

#[derive(Deserialize)]
struct Unchecked {
    start: Vec<f64>,
    log_z: Vec<f64>,
    w: Vec<f64>,
    rounds: usize,
    progress: f64,
}

impl Reweighting for MadaBoost {
    fn reweight(&mut self, answer: Answer<'_>) -> Result<f64, BoostError> {
        answer.check(self.w.len())?;
        let eta = (answer.error_before * answer.edge).max(LEAST_STEP);
        // ∇R(z_{t+1}) = ∇R(z_t) + η_t d_t.
        self.log_z.iter_mut().zip(answer.losses).for_each(|(log_z, d)| *log_z += eta * d);
        // y_{t+1} = min(1, z_{t+1}), the projection onto the cube; w_{t+1} = D∘y_{t+1}/Σ_i D_i y_{t+1,i}.
        reweigh(&self.start, &self.log_z, &mut self.w);
        self.rounds = self.rounds.saturating_add(1);
        self.progress += 0.5 * eta * eta;
        Ok(eta)
    }

    fn weights(&self) -> &[f64] {
        &self.w
    }

    fn start(&self) -> &[f64] {
        &self.start
    }

    fn rounds(&self) -> usize {
        self.rounds
    }

    fn promise(&self) -> Promise {
        Promise { error: 1.0 - self.progress, tight: None, margin: None }
    }

    /// At error 0 every further step would be 0.
    fn finished(&self, error: f64) -> Option<BoostStop> {
        (error == 0.0).then_some(BoostStop::NoError)
    }
}

impl MadaBoost {
    /// Starts from z_1 = 1.
    ///
    /// # Errors
    /// Never; the signature is that of the other algorithms.
    pub fn new(examples: &Examples) -> Result<Self, BoostError> {
        let start = examples.start().to_vec();
        Unchecked { log_z: vec![0.0; start.len()], w: start.clone(), start, rounds: 0, progress: 0.0 }
            .try_into()
    }
}

/// w = D∘y/Σy_iD_i for y = min(1, z), in units of the largest y, so that not all of it can underflow.
fn reweigh(start: &[f64], log_z: &[f64], w: &mut [f64]) {
    let largest = log_z.iter().fold(f64::NEG_INFINITY, |a: f64, b| a.max(*b)).min(0.0);
    vectorised(
        #[inline(always)]
        || {
            for ((w, log_z), start) in w.iter_mut().zip(log_z).zip(start) {
                let log_y = if *log_z < 0.0 { *log_z } else { 0.0 };
                *w = start * exp(log_y - largest);
            }
        },
    );
    let mass: f64 = w.iter().sum();
    w.iter_mut().for_each(|w| *w /= mass);
}

impl TryFrom<Unchecked> for MadaBoost {
    type Error = BoostError;

    fn try_from(unchecked: Unchecked) -> Result<Self, BoostError> {
        let Unchecked { start, log_z, w, rounds, progress } = unchecked;
        check_distribution("start", &start)?;
        check_start(&start)?;
        check_length("log z", start.len(), log_z.len())?;
        check_length("weights", start.len(), w.len())?;
        if let Some(index) = log_z.iter().position(|v| !v.is_finite()) {
            let value = log_z[index];
            return Err(LearnerError::NotFinite { argument: "log z", index, value }.into());
        }
        check_sum("progress", progress)?;
        let mut by_z = vec![0.0; start.len()];
        reweigh(&start, &log_z, &mut by_z);
        for (index, (&expected, &got)) in by_z.iter().zip(&w).enumerate() {
            if !((got - expected).abs() <= 1e-12) {
                return Err(BoostError::Inconsistent { argument: "weights", index, expected, got });
            }
        }
        Ok(Self { start, log_z, w, rounds, progress })
    }
}
