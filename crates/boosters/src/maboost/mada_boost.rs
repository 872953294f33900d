//! The variant of MadaBoost \[NP14, Algorithm 3\].

use super::mirror_ascent::check_losses;
use super::{Answer, BoostError, Examples, Promise, Reweighting, Stop};
use serde::{Deserialize, Serialize};

/// The variant of MadaBoost \[NP14, Algorithm 3\]: η_t = ε_{t−1}γ_t, z_{t+1} = z_t∘exp(η_t d_t), y = min(1, z_{t+1}),
/// w_{t+1} = y∘D/Σy_iD_i, from z_1 = 1. No weight exceeds D_i/ε_{t−1}.
///
/// *Guarantee.* The training error is at most 1 − ½Σε_{t−1}²γ_t² after some round up to t \[NP14, Theorem 5\].
/// *Erratum.* The paper computes ε_t from an ensemble that already contains η_t = ε_tγ_t. Here it is that of the ensemble
/// before h_t, with a margin of 0 counted as an error, so that ε_0 = 1. *Cost:* O(N) a round; no allocation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MadaBoost {
    start: Vec<f64>,
    /// log z_t.
    log_z: Vec<f64>,
    w: Vec<f64>,
    /// ½Σε_{t−1}²γ_t².
    progress: f64,
}

impl Reweighting for MadaBoost {
    fn reweight(&mut self, Answer { losses: d, edge, error_before }: Answer<'_>) -> Result<f64, BoostError> {
        check_losses(self.w.len(), d)?;
        let eta = error_before * edge;
        for (((w, log_z), d), start) in self.w.iter_mut().zip(&mut self.log_z).zip(d).zip(&self.start) {
            *log_z += eta * d;
            *w = start * log_z.min(0.0).exp();
        }
        let mass: f64 = self.w.iter().sum();
        self.w.iter_mut().for_each(|w| *w /= mass);
        self.progress += 0.5 * eta * eta;
        Ok(eta)
    }

    fn weights(&self) -> &[f64] {
        &self.w
    }

    fn promise(&self) -> Promise {
        Promise { error: 1.0 - self.progress, tight: None, margin: None }
    }

    /// At error 0 every further step would be 0.
    fn finished(&self, error: f64) -> Option<Stop> {
        (error == 0.0).then_some(Stop::NoError)
    }
}

impl MadaBoost {
    /// Starts from z_1 = 1.
    ///
    /// # Errors
    /// None for examples that exist; the signature is that of the other algorithms.
    pub fn new(examples: &Examples) -> Result<Self, BoostError> {
        let start = examples.start().to_vec();
        Ok(Self { log_z: vec![0.0; start.len()], w: start.clone(), start, progress: 0.0 })
    }
}
