//! The settings of training.

use crate::{NetError, Scaling};
use serde::{Deserialize, Serialize};

/// What a net is trained to do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetObjective {
    /// Predict rewards: the mean of (F(x_i, a_i) − r_i)². The policy plays the best prediction.
    RewardRegression,
    /// Maximise the inverse-propensity estimate of the softmax policy π of F, on rewards translated by b:
    /// minimise −mean π(a_i|x_i)·(r_i + b)/p_i \[JSR18\], whose λ is −b.
    BanditNet {
        /// b.
        translation: f64,
    },
}

/// The settings of training, those of \[L23, Appendix G\] unless it is told otherwise.
///
/// *The net.* Hidden layers of `first_layer_width` units, then half as many in each, but not below 32 (or the
/// first width, if that is less); batch normalisation \[IS15\], max(0, ·) and dropout follow each
/// of them.
///
/// *The first weights* are drawn evenly from ±0.07. *A step* takes the next `batch_size` rows of a shuffled
/// log: θ ← θ − η·(g/√(Σg² + 10⁻⁷) + `weight_decay`·θ), AdaGrad \[DHS11\], where g is the gradient of the
/// mean loss. Both are as in MXNet 1; the paper's nets were trained in MXNet. Steps are shorter while Σg² is
/// not far above 10⁻⁷: rewards of 10⁻⁴ and less should be given in a larger unit. *After an epoch* the policy
/// is valued on the training log itself by SNIPS: the argmax policy for reward regression, the softmax policy
/// for BanditNet. The net of the epoch with the largest value is returned; training ends after `patience`
/// epochs without a larger one, or after `epochs`.
///
/// *Randomness:* ChaCha streams of the first weights, of the order of the rows, and of dropout. The same seed
/// gives the same net on the same machine. *Cost of an epoch:* three products with each weight for every row
/// of the log, or for every pair of a row and an action for BanditNet, and one for every pair to value it.
/// Pairs share the products of the first layer's weights.
///
/// ```
/// use neural_policies::{NetObjective, NetTraining};
/// use off_policy::policies::{Argmax, Policy};
/// use off_policy::{ActionSet, Log, Rewards};
/// use rows::{Row, RowMatrix};
/// use std::ops::ControlFlow;
/// // Action 1 pays where x ≥ ½; the log played both evenly.
/// let contexts = RowMatrix::dense(1, (0..400).map(|i| f64::from(i % 20) / 20.0).collect())?;
/// let actions: Vec<u32> = (0..400).map(|i| (i / 20) % 2).collect();
/// let paid = |i: u32, a: u32| f64::from(u8::from((i % 20 >= 10) == (a == 1)));
/// let rewards = (0..400).map(|i| paid(i, actions[i as usize])).collect();
/// let log = Log::new(contexts, 2, actions.clone(), vec![0.5; 400], Rewards(rewards))?;
/// let objective = NetObjective::BanditNet { translation: -0.5 };
/// let training = NetTraining::builder().objective(objective).first_layer_width(32).seed(1).build()?;
/// let fit = training.fit(&log, |epoch| ControlFlow::Continue(()))?;
/// let policy = Argmax::new(fit.net);
/// let mut pi = [0.0; 2];
/// policy.probabilities(Row::dense(&[0.9])?, ActionSet::all(2)?, &mut pi)?;
/// assert_eq!(pi, [0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Settings")]
pub struct NetTraining {
    pub(super) objective: NetObjective,
    pub(super) hidden_layers: usize,
    pub(super) first_layer_width: usize,
    pub(super) dropout: f64,
    pub(super) weight_decay: f64,
    pub(super) learning_rate: f64,
    pub(super) epochs: usize,
    pub(super) patience: usize,
    pub(super) batch_size: usize,
    pub(super) scaling: Scaling,
    pub(super) seed: u64,
}

/// The same settings, unchecked; those that are left out are the defaults.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    objective: NetObjective,
    hidden_layers: usize,
    first_layer_width: usize,
    dropout: f64,
    weight_decay: f64,
    learning_rate: f64,
    epochs: usize,
    patience: usize,
    batch_size: usize,
    scaling: Scaling,
    seed: u64,
}

/// Builds a [`NetTraining`]: reward regression; 2 hidden layers, the first of 256 units; dropout 0.1, weight
/// decay 10⁻⁵, learning rate 0.01; at most 1,000 epochs, patience 10, batches of 100 rows; inputs scaled by
/// mean and deviation; seed 0.
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct NetTrainingBuilder {
    training: NetTraining,
}

impl NetTraining {
    /// A builder that starts from the defaults.
    pub fn builder() -> NetTrainingBuilder {
        NetTrainingBuilder {
            training: Self {
                objective: NetObjective::RewardRegression,
                hidden_layers: 2,
                first_layer_width: 256,
                dropout: 0.1,
                weight_decay: 1e-5,
                learning_rate: 0.01,
                epochs: 1_000,
                patience: 10,
                batch_size: 100,
                scaling: Scaling::Standard,
                seed: 0,
            },
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let NetTraining {
            objective,
            hidden_layers,
            first_layer_width,
            dropout,
            weight_decay,
            learning_rate,
            epochs,
            patience,
            batch_size,
            scaling,
            seed,
        } = NetTraining::builder().training;
        Self {
            objective,
            hidden_layers,
            first_layer_width,
            dropout,
            weight_decay,
            learning_rate,
            epochs,
            patience,
            batch_size,
            scaling,
            seed,
        }
    }
}

impl TryFrom<Settings> for NetTraining {
    type Error = NetError;

    fn try_from(settings: Settings) -> Result<Self, NetError> {
        Self::builder()
            .objective(settings.objective)
            .hidden_layers(settings.hidden_layers)
            .first_layer_width(settings.first_layer_width)
            .dropout(settings.dropout)
            .weight_decay(settings.weight_decay)
            .learning_rate(settings.learning_rate)
            .epochs(settings.epochs)
            .patience(settings.patience)
            .batch_size(settings.batch_size)
            .scaling(settings.scaling)
            .seed(settings.seed)
            .build()
    }
}

impl NetTrainingBuilder {
    /// What is minimised.
    pub fn objective(mut self, objective: NetObjective) -> Self {
        self.training.objective = objective;
        self
    }

    /// The number of hidden layers, 1 to 64.
    pub fn hidden_layers(mut self, hidden_layers: usize) -> Self {
        self.training.hidden_layers = hidden_layers;
        self
    }

    /// The units of the first hidden layer, 1 to 65,536.
    pub fn first_layer_width(mut self, first_layer_width: usize) -> Self {
        self.training.first_layer_width = first_layer_width;
        self
    }

    /// The share of the units that a step leaves out, in [0, 1).
    pub fn dropout(mut self, dropout: f64) -> Self {
        self.training.dropout = dropout;
        self
    }

    /// The share of θ, times η, that a step takes away, in [0, 1]. The product of both must be below 1.
    pub fn weight_decay(mut self, weight_decay: f64) -> Self {
        self.training.weight_decay = weight_decay;
        self
    }

    /// η, in (0, 10]; its product with the weight decay must be below 1.
    pub fn learning_rate(mut self, learning_rate: f64) -> Self {
        self.training.learning_rate = learning_rate;
        self
    }

    /// The most epochs, 1 to 1,000,000.
    pub fn epochs(mut self, epochs: usize) -> Self {
        self.training.epochs = epochs;
        self
    }

    /// The epochs without a larger SNIPS after which training ends, 1 to 1,000,000.
    pub fn patience(mut self, patience: usize) -> Self {
        self.training.patience = patience;
        self
    }

    /// The rows of a step, 2 to 1,000,000.
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.training.batch_size = batch_size;
        self
    }

    /// The scaling of the coordinates of a context.
    pub fn scaling(mut self, scaling: Scaling) -> Self {
        self.training.scaling = scaling;
        self
    }

    /// The seed of all draws.
    pub fn seed(mut self, seed: u64) -> Self {
        self.training.seed = seed;
        self
    }

    /// The settings.
    ///
    /// # Errors
    /// [`NetError::BadParameter`] for one outside its range.
    pub fn build(self) -> Result<NetTraining, NetError> {
        let training = self.training;
        let NetTraining { hidden_layers, first_layer_width, epochs, patience, batch_size, .. } = training;
        for (name, number, range, domain) in [
            ("hidden layers", hidden_layers, 1..=64, "1, 2, …, 64"),
            ("width of the first layer", first_layer_width, 1..=65_536, "1, 2, …, 65536"),
            ("epochs", epochs, 1..=1_000_000, "1, 2, …, 1000000"),
            ("patience", patience, 1..=1_000_000, "1, 2, …, 1000000"),
            ("batch size", batch_size, 2..=1_000_000, "2, 3, …, 1000000"),
        ] {
            if !range.contains(&number) {
                #[allow(clippy::cast_precision_loss, reason = "for a message")]
                let value = number as f64;
                return Err(NetError::BadParameter { name, value, domain });
            }
        }
        let NetTraining { dropout, weight_decay, learning_rate, .. } = training;
        for (name, value, is_in, domain) in [
            ("dropout", dropout, (0.0..1.0).contains(&dropout), "[0, 1)"),
            ("weight decay", weight_decay, (0.0..=1.0).contains(&weight_decay), "[0, 1]"),
            ("learning rate", learning_rate, learning_rate > 0.0 && learning_rate <= 10.0, "(0, 10]"),
            // From 2 on, the decay alone makes weights grow without bound; at 1 it leaves none of them.
            (
                "learning rate × weight decay",
                learning_rate * weight_decay,
                learning_rate * weight_decay < 1.0,
                "[0, 1)",
            ),
        ] {
            if !is_in {
                return Err(NetError::BadParameter { name, value, domain });
            }
        }
        if let NetObjective::BanditNet { translation: value } = training.objective
            && !(value.abs() <= 1e6)
        {
            let (name, domain) = ("translation", "[−10⁶, 10⁶]");
            return Err(NetError::BadParameter { name, value, domain });
        }
        if let Scaling::Divided(value) = training.scaling
            && !(value.is_finite() && value > 0.0)
        {
            let (name, domain) = ("the divisor of inputs", "(0, ∞)");
            return Err(NetError::BadParameter { name, value, domain });
        }
        Ok(training)
    }
}
