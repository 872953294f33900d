//! Training by AdaGrad, on the crate `burn`.
//!
//! Reading order: [`NetTraining::fit`], the epochs; [`NetObjective`] and the other `settings`; `batches`, the
//! rows of a step; `perceptron`, the layers with their gradients; `hidden_units`, the one operation that is
//! not burn's.

mod batches;
mod hidden_units;
mod perceptron;
mod settings;

pub use settings::{NetObjective, NetTraining, NetTrainingBuilder};

use crate::{Net, NetError};
use batches::Batches;
use burn_core::tensor::Device;
use off_policy::Log;
use off_policy::policies::{argmax, softmax};
use perceptron::{Adagrad, Arithmetic, Dropout, Perceptron};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// An epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number, from 1 on.
    pub epoch: usize,
    /// The mean loss of its steps, without weight decay.
    pub loss: f64,
    /// The SNIPS estimate of the policy after it, on the training log; `None` where the policy never plays
    /// an action of the log.
    pub snips: Option<f64>,
}

/// A trained net.
#[derive(Debug, Clone, PartialEq)]
pub struct NetFit {
    /// The net after the best epoch.
    pub net: Net,
    /// The number of that epoch.
    pub best_epoch: usize,
    /// All epochs.
    pub epochs: Vec<Epoch>,
}

impl NetTraining {
    /// Trains on a log. `watch` sees every epoch; `Break` ends the training with the best net so far.
    ///
    /// # Errors
    /// [`NetError::TooFewRows`], [`NetError::TooLarge`]; [`NetError::Diverged`] and [`NetError::NotFinite`]
    /// where the loss or a weight leaves the range of numbers, and [`NetError::Policy`] where a score does.
    pub fn fit(
        &self,
        log: &Log,
        mut watch: impl FnMut(&Epoch) -> ControlFlow<()>,
    ) -> Result<NetFit, NetError> {
        if log.len() < 2 {
            return Err(NetError::TooFewRows { rows: log.len() });
        }
        let scaling = self.scaling.of(log)?;
        let arithmetic = Arithmetic::single(Device::flex().autodiff());
        let widths = self.widths();
        let mut perceptron =
            Perceptron::draw(log.inputs() + log.actions(), &widths, &arithmetic, &mut self.stream(0))?;
        let mut adagrad = Adagrad::new(&perceptron, self.learning_rate, self.weight_decay);
        let mut dropout = Dropout::new(self.dropout, self.stream(2));
        let batches = Batches::new(log, &scaling, self.objective);
        let mut order: Vec<usize> = (0..log.len()).collect();
        let mut shuffling = self.stream(1);
        let mut best: Option<(usize, Option<f64>, Net)> = None;
        let mut epochs = Vec::new();
        let rows_of_steps = log.len() - usize::from(log.len() % self.batch_size == 1);
        for epoch in 1..=self.epochs {
            order.shuffle(&mut shuffling);
            let mut loss = 0.0;
            // Batch normalisation of one row would make all its units equal.
            for rows in order.chunks(self.batch_size).filter(|rows| rows.len() > 1) {
                let of_batch = perceptron.loss(&batches.of(rows), &arithmetic, Some(&mut dropout));
                #[allow(clippy::cast_precision_loss, reason = "counts of rows")]
                let share = rows.len() as f64 / rows_of_steps as f64;
                loss += of_batch.value() * share;
                perceptron = adagrad.step(of_batch);
            }
            if !loss.is_finite() {
                return Err(NetError::Diverged { epoch });
            }
            let net = Net::of(log, scaling.clone(), perceptron.layers())?;
            let snips = self.snips(&net, log)?;
            if best.as_ref().is_none_or(|(_, found, _)| snips > *found) {
                best = Some((epoch, snips, net));
            }
            let seen = Epoch { epoch, loss, snips };
            epochs.push(seen);
            let waited = epoch - best.as_ref().map_or(0, |(epoch, ..)| *epoch);
            if watch(&seen).is_break() || waited >= self.patience {
                break;
            }
        }
        let Some((best_epoch, _, net)) = best else {
            return Err(NetError::BadParameter { name: "epochs", value: 0.0, domain: "1, 2, …" });
        };
        Ok(NetFit { net, best_epoch, epochs })
    }

    /// Σ_i π(a_i|x_i)r_i/p_i over Σ_i π(a_i|x_i)/p_i, for the policy that this objective trains.
    fn snips(&self, net: &Net, log: &Log) -> Result<Option<f64>, NetError> {
        let actions = log.actions();
        let mut scores = net.scores_of_rows(log.contexts())?;
        let mut sums = [0.0; 2];
        for (row, scores) in log.iter().zip(scores.chunks_exact_mut(actions)) {
            let pi = match self.objective {
                NetObjective::RewardRegression => {
                    f64::from(u8::from(argmax(scores, row.on_offer) == row.action))
                }
                NetObjective::BanditNet { .. } => {
                    softmax(scores, 1.0, row.on_offer);
                    scores[row.action]
                }
            };
            let weight = pi / row.propensity;
            sums[0] += weight;
            sums[1] += weight * row.reward;
        }
        Ok((sums[0] > 0.0).then(|| sums[1] / sums[0]))
    }

    /// The units of the hidden layers.
    fn widths(&self) -> Vec<usize> {
        let least = self.first_layer_width.min(32);
        let halved =
            std::iter::successors(Some(self.first_layer_width), |width| Some((width / 2).max(least)));
        halved.take(self.hidden_layers).collect()
    }

    fn stream(&self, of: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream((1 << 44) + of);
        rng
    }
}
