//! The layers of a net in training, their loss, and the steps of AdaGrad.

use super::batches::{Batch, Target};
use super::hidden_units::{HiddenUnits, Kept};
use crate::NetError;
use crate::net::{Layer, MOST_WEIGHTS, check_units};
use burn_core::tensor::activation::softmax;
use burn_core::tensor::{DType, Device, Gradients, Tensor, TensorData};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Added to a variance.
const EPSILON: f64 = 1e-5;
/// The share of a batch in the running mean and variance.
const MOMENTUM: f64 = 0.1;
/// Added to Σg².
const ADAGRAD_EPSILON: f64 = 1e-7;
/// The largest first weight: the default of MXNet, in which the nets of \[L23\] were trained. Batch
/// normalisation takes the size of weights out of the units, so their first size decides how far a step
/// turns them: with √(6/inputs) \[HZRS15\] the SNIPS on Covertype rises far more slowly (docs/results/bopl).
const FIRST_WEIGHT: f32 = 0.07;

/// Where tensors live, and their precision.
pub(super) struct Arithmetic {
    device: Device,
    precision: DType,
}

impl Arithmetic {
    pub(super) fn single(device: Device) -> Self {
        Self { device, precision: DType::F32 }
    }

    fn tensor<const D: usize>(&self, numbers: impl Into<Vec<f32>>, shape: [usize; D]) -> Tensor<D> {
        let data = TensorData::new(numbers.into(), shape);
        Tensor::from_data(data, (&self.device, self.precision))
    }
}

/// Hidden layers of W, γ and β, and the last layer.
#[derive(Clone)]
pub(super) struct Perceptron {
    /// W, inputs × outputs, of the hidden layers and of the last one. The inputs of the first are those of x,
    /// then the actions.
    weights: Vec<Tensor<2>>,
    /// γ and β of the hidden layers, in turn, and the offset of the last one.
    offsets: Vec<Tensor<1>>,
    /// Running mean and variance of the hidden layers, which take no steps.
    moments: Vec<[Tensor<1>; 2]>,
}

/// A loss that was computed, with the parameters that it is a function of.
pub(super) struct Loss {
    value: Tensor<1>,
    of: Perceptron,
}

/// Leaves out units.
pub(super) struct Dropout {
    share: f64,
    rng: ChaCha8Rng,
    drawn: Vec<u16>,
}

impl Perceptron {
    /// Weights drawn evenly from ±0.07, γ = 1, β = 0. The first layer has `inputs` inputs.
    pub(super) fn draw(
        inputs: usize,
        widths: &[usize],
        arithmetic: &Arithmetic,
        rng: &mut impl Rng,
    ) -> Result<Self, NetError> {
        let of_layers = || std::iter::once(inputs).chain(widths.iter().copied());
        let shapes = || of_layers().zip(widths.iter().copied().chain([1]));
        let total = shapes().try_fold(0_usize, |sum, (i, o)| sum.checked_add(i.checked_mul(o)?));
        if total.is_none_or(|total| total > MOST_WEIGHTS) {
            return Err(NetError::TooLarge);
        }
        check_units(1, widths.iter().copied())?;
        let weights = shapes().map(|(inputs, outputs)| {
            let drawn = (0..inputs * outputs).map(|_| rng.random_range(-FIRST_WEIGHT..=FIRST_WEIGHT));
            arithmetic.tensor(drawn.collect::<Vec<f32>>(), [inputs, outputs])
        });
        let weights = weights.collect();
        let all = |value: f32, width: usize| arithmetic.tensor(vec![value; width], [width]);
        let scales = widths.iter().flat_map(|width| [all(1.0, *width), all(0.0, *width)]);
        let offsets = scales.chain([all(0.0, 1)]).collect();
        let moments = widths.iter().map(|width| [all(0.0, *width), all(1.0, *width)]).collect();
        Ok(Self { weights, offsets, moments })
    }

    /// The mean loss of a batch, and the perceptron with its running moments moved on.
    pub(super) fn loss(
        &self,
        batch: &Batch,
        arithmetic: &Arithmetic,
        mut dropout: Option<&mut Dropout>,
    ) -> Loss {
        let mut of = self.leaves();
        let Batch { rows, inputs, actions, x, target } = batch;
        let x = arithmetic.tensor(x.as_slice(), [*rows, *inputs]);
        let of_x = x.matmul(of.weights[0].clone().narrow(0, 0, *inputs));
        let of_actions = of.weights[0].clone().narrow(0, *inputs, *actions);
        // z of the pair (x_i, a) is the part of x_i plus that of a. Rewards need one pair a row; costs need
        // all, whose sums are left to `of_pairs`.
        let (mut units, mut of_actions, pairs) = match target {
            Target::Rewards { played, .. } => {
                let of_action = arithmetic.tensor(played.as_slice(), [*rows, *actions]).matmul(of_actions);
                (of_x + of_action, None, *rows)
            }
            Target::Costs { .. } => (of_x, Some(of_actions), rows * actions),
        };
        for l in 0..of.moments.len() {
            if l > 0 {
                units = units.matmul(of.weights[l].clone());
            }
            let (gamma, beta) = (of.offsets[2 * l].clone(), of.offsets[2 * l + 1].clone());
            let shape = [pairs, units.dims()[1]];
            let kept = dropout.as_mut().map_or_else(Kept::default, |dropout| dropout.draw(shape));
            let hidden = match of_actions.take() {
                Some(of_actions) => HiddenUnits::of_pairs(units, of_actions, gamma, beta, EPSILON, kept),
                None => HiddenUnits::of(units, gamma, beta, EPSILON, kept),
            };
            let of_batch = hidden.moments.inner().mul_scalar(MOMENTUM);
            for (k, running) in of.moments[l].iter_mut().enumerate() {
                let of_batch = of_batch.clone().narrow(0, k, 1).squeeze_dim(0);
                *running = running.clone().mul_scalar(1.0 - MOMENTUM) + of_batch;
            }
            units = hidden.units;
        }
        let last = of.moments.len();
        let scores =
            units.matmul(of.weights[last].clone()) + of.offsets[2 * last].clone().unsqueeze_dim::<2>(0);
        let value = match target {
            Target::Rewards { rewards, .. } => {
                let rewards = arithmetic.tensor(rewards.as_slice(), [*rows, 1]);
                (scores - rewards).powi_scalar(2).mean()
            }
            Target::Costs { costs, offer } => {
                let mut scores = scores.reshape([*rows, *actions]);
                if let Some(offer) = offer {
                    scores = scores + arithmetic.tensor(offer.as_slice(), [*rows, *actions]);
                }
                let costs = arithmetic.tensor(costs.as_slice(), [*rows, *actions]);
                #[allow(clippy::cast_precision_loss, reason = "the rows of a batch")]
                let rows = *rows as f64;
                (softmax(scores, 1) * costs).sum().div_scalar(rows)
            }
        };
        Loss { value, of }
    }

    /// The same parameters as leaves of a new graph.
    fn leaves(&self) -> Self {
        let Self { weights, offsets, moments } = self;
        let weights = weights.iter().map(|tensor| tensor.clone().inner().autodiff().require_grad());
        let offsets = offsets.iter().map(|tensor| tensor.clone().inner().autodiff().require_grad());
        let moments = moments.iter().map(|moments| moments.clone().map(Tensor::inner));
        Self { weights: weights.collect(), offsets: offsets.collect(), moments: moments.collect() }
    }

    /// The layers with batch normalisation folded in: γ(z − μ)/√(v + ε) + β of z = Wh.
    pub(super) fn layers(&self) -> Vec<Layer> {
        let last = self.moments.len();
        (0..=last)
            .map(|l| {
                let weights = numbers(self.weights[l].clone());
                let Some([mean, variance]) = self.moments.get(l) else {
                    return Layer { weights, offsets: numbers(self.offsets[2 * l].clone()) };
                };
                let [mean, variance] = [mean, variance].map(|tensor| numbers(tensor.clone()));
                let [gamma, beta] = [0, 1].map(|k| numbers(self.offsets[2 * l + k].clone()));
                #[allow(clippy::cast_possible_truncation, reason = "the precision of a net")]
                let epsilon = EPSILON as f32;
                let factors: Vec<f32> =
                    gamma.iter().zip(&variance).map(|(gamma, v)| gamma / (v + epsilon).sqrt()).collect();
                let of_inputs = weights.chunks_exact(factors.len());
                let weights =
                    of_inputs.flat_map(|line| line.iter().zip(&factors).map(|(w, factor)| w * factor));
                let parts = beta.iter().zip(factors.iter().zip(&mean));
                let offsets = parts.map(|(beta, (factor, mean))| beta - factor * mean);
                Layer { weights: weights.collect(), offsets: offsets.collect() }
            })
            .collect()
    }
}

/// The numbers of a tensor, in single precision.
fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}

impl Loss {
    pub(super) fn value(&self) -> f64 {
        self.value.clone().into_data().iter::<f64>().sum()
    }

    fn gradients(&self) -> Gradients {
        self.value.backward()
    }
}

impl Dropout {
    pub(super) fn new(share: f64, rng: ChaCha8Rng) -> Self {
        Self { share, rng, drawn: Vec::new() }
    }

    /// The units that are kept. A unit is left out with the probability of dropout, to 1/65,536, and larger
    /// by as much otherwise.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 2^16")]
    fn draw(&mut self, [rows, width]: [usize; 2]) -> Kept {
        if self.share == 0.0 {
            return Kept::default();
        }
        let least = (self.share * 65_536.0) as u16;
        self.drawn.resize(rows * width, 0);
        // The numbers of as many single draws, in blocks.
        self.rng.fill(&mut self.drawn[..]);
        let mask = self.drawn.iter().map(|drawn| u8::from(*drawn >= least)).collect();
        Kept { mask: Some(Arc::new(mask)), more: 1.0 / (1.0 - self.share) - 1.0 }
    }
}

/// AdaGrad \[DHS11\] of all parameters, with the weight decay and the small number of MXNet 1:
/// θ ← θ − η(g/√(Σg² + 10⁻⁷) + d·θ).
pub(super) struct Adagrad {
    learning_rate: f64,
    weight_decay: f64,
    /// Σg².
    weights: Vec<Option<Tensor<2>>>,
    offsets: Vec<Option<Tensor<1>>>,
}

impl Adagrad {
    pub(super) fn new(perceptron: &Perceptron, learning_rate: f64, weight_decay: f64) -> Self {
        let weights = perceptron.weights.iter().map(|_| None).collect();
        let offsets = perceptron.offsets.iter().map(|_| None).collect();
        Self { learning_rate, weight_decay, weights, offsets }
    }

    /// θ after a step against the gradient of a loss.
    pub(super) fn step(&mut self, loss: Loss) -> Perceptron {
        let mut gradients = loss.gradients();
        let Perceptron { weights, offsets, moments } = loss.of;
        let rates = [self.learning_rate, self.weight_decay];
        let weights = steps(rates, weights, &mut self.weights, &mut gradients);
        let offsets = steps(rates, offsets, &mut self.offsets, &mut gradients);
        Perceptron { weights, offsets, moments }
    }
}

fn steps<const D: usize>(
    [eta, decay]: [f64; 2],
    parameters: Vec<Tensor<D>>,
    sums: &mut [Option<Tensor<D>>],
    gradients: &mut Gradients,
) -> Vec<Tensor<D>> {
    let moved = parameters.into_iter().zip(sums).map(|(parameter, sum)| {
        let Some(g) = parameter.grad_remove(gradients) else { return parameter };
        let theta = parameter.inner();
        let squares = g.clone().square();
        let squares = match sum.take() {
            Some(sum) => sum + squares,
            None => squares,
        };
        let mut step = g / squares.clone().add_scalar(ADAGRAD_EPSILON).sqrt();
        if decay > 0.0 {
            step = step + theta.clone().mul_scalar(decay);
        }
        *sum = Some(squares);
        theta - step.mul_scalar(eta)
    });
    moved.collect()
}

#[cfg(test)]
mod tests;
