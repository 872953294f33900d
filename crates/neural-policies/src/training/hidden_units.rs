//! The units of a hidden layer as one operation: batch normalisation, max(0, ·) and dropout, with their
//! gradient.
//!
//! Composed of burn's own operations, these are some twenty passes over the units of a batch, four of them
//! transposed copies, and take more time than the products of the layers. As one operation they are two
//! passes forward and two back.

use burn_autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_core::backend::tensor::FloatTensor;
use burn_core::backend::{
    Autodiff, AutodiffBackend, Backend, Dispatch, Flex, TensorMetadata, backend_extension,
};
use burn_core::tensor::{DType, Element, Shape, Tensor, TensorData};
use burn_flex::FlexTensor;
use bytemuck::Pod;
use num_traits::Float;
use pulp::{Arch, Simd, WithSimd};
use std::sync::Arc;

/// The rows whose sums are added up before they join those of the batch.
const ROWS_OF_A_SUM: usize = 32;

/// The units that a step keeps; all of them by default.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    /// 1 for a unit that is kept and 0 for another, row by row. `None` keeps all.
    pub(super) mask: Option<Arc<Vec<u8>>>,
    /// The factor of a kept unit, less 1.
    pub(super) more: f64,
}

/// γ(z − μ)/√(v + ε) + β, then max(0, ·), then dropout; μ and v are those of the batch.
pub(super) struct HiddenUnits {
    /// rows × width.
    pub(super) units: Tensor<2>,
    /// μ, then v: 2 × width. No gradient flows through them; that of the units counts what they depend on.
    pub(super) moments: Tensor<2>,
}

impl HiddenUnits {
    /// z is rows × width; γ and β have `width` numbers.
    pub(super) fn of(z: Tensor<2>, gamma: Tensor<1>, beta: Tensor<1>, epsilon: f64, kept: Kept) -> Self {
        let [z, gamma, beta] = [z.into_dispatch(), gamma.into_dispatch(), beta.into_dispatch()];
        let (units, moments) = Dispatch::hidden_units(z, gamma, beta, epsilon, kept);
        Self { units: Tensor::from_dispatch(units), moments: Tensor::from_dispatch(moments) }
    }
}

/// The operation on a back end.
#[backend_extension(Flex, Autodiff)]
trait HiddenUnitsOp: Backend {
    /// The units, and the moments of z.
    fn hidden_units(
        z: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
        kept: Kept,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The gradients of z (rows × width), and of γ and β (2 × width), given that of the units.
    fn hidden_units_backward(
        z: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        units: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
        more: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);
}

impl HiddenUnitsOp for Flex {
    fn hidden_units(
        z: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
        kept: Kept,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let of = if z.dtype() == DType::F64 { forward::<f64> } else { forward::<f32> };
        of(z, gamma, beta, epsilon, &kept)
    }

    fn hidden_units_backward(
        z: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        units: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
        more: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let of = if z.dtype() == DType::F64 { backward::<f64> } else { backward::<f32> };
        of([z, gamma, moments, units, gradient], epsilon, more)
    }
}

impl<B: Backend + HiddenUnitsOp, C: CheckpointStrategy> HiddenUnitsOp for Autodiff<B, C> {
    fn hidden_units(
        z: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
        kept: Kept,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        #[derive(Debug)]
        struct OfUnits;

        /// z, γ, the moments and the units; ε; what the factor of a kept unit is above 1.
        type State<T> = ([T; 4], f64, f64);

        impl<B: Backend + HiddenUnitsOp> Backward<B, 3> for OfUnits {
            type State = State<FloatTensor<B>>;

            fn backward(self, ops: Ops<Self::State, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
                let [of_z, of_gamma, of_beta] = ops.parents;
                let gradient = grads.consume::<B>(&ops.node);
                let ([z, gamma, moments, units], epsilon, more) = ops.state;
                let width = gamma.shape();
                let (z, scales) = B::hidden_units_backward(z, gamma, moments, units, gradient, epsilon, more);
                let scale = |k: usize| {
                    let part = [(k..k + 1).into(), (0..width.num_elements()).into()];
                    B::float_reshape(B::float_slice(scales.clone(), &part), width.clone())
                };
                if let Some(node) = of_z {
                    grads.register::<B>(node.id, z);
                }
                if let Some(node) = of_gamma {
                    grads.register::<B>(node.id, scale(0));
                }
                if let Some(node) = of_beta {
                    grads.register::<B>(node.id, scale(1));
                }
            }
        }

        let nodes = [z.node(), gamma.node(), beta.node()];
        let [z, gamma, beta] = [z, gamma, beta].map(|tensor| tensor.into_primitive());
        let more = kept.more;
        let (units, moments) = B::hidden_units(z.clone(), gamma.clone(), beta, epsilon, kept);
        let units = match OfUnits.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let state = ([z, gamma, moments.clone(), units.clone()], epsilon, more);
                prep.finish(state, units)
            }
            OpsKind::UnTracked(prep) => prep.finish(units),
        };
        (units, Self::from_inner(moments))
    }

    fn hidden_units_backward(
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: f64,
        _: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        unreachable!("no gradient of a gradient is asked for")
    }
}

/// Single or double precision.
trait Precision: Element + Pod + Float + Into<f64> {}
impl Precision for f32 {}
impl Precision for f64 {}

fn forward<T: Precision>(
    z: FlexTensor,
    gamma: FlexTensor,
    beta: FlexTensor,
    epsilon: f64,
    kept: &Kept,
) -> (FlexTensor, FlexTensor) {
    let [z, gamma, beta] = [z, gamma, beta].map(|tensor| tensor.to_contiguous());
    let (shape, width) = (z.shape(), gamma.shape().num_elements());
    let (z, gamma, beta) = (numbers::<T>(&z), numbers::<T>(&gamma), numbers::<T>(&beta));
    let moments = moments(z, width);
    let (mean, variance) = moments.split_at(width);
    let factors = factors(gamma, variance, epsilon);
    let mut units = vec![T::zero(); z.len()];
    let more = of::<T>(1.0 + kept.more);
    vectorised(
        #[inline(always)]
        || {
            for (units, z) in units.chunks_exact_mut(width).zip(z.chunks_exact(width)) {
                let (z, mean, factors, beta) =
                    (&z[..width], &mean[..width], &factors[..width], &beta[..width]);
                for j in 0..width {
                    let unit = (z[j] - mean[j]) * factors[j] + beta[j];
                    // A NaN stays one.
                    units[j] = if unit < T::zero() { T::zero() } else { unit };
                }
            }
            let Some(mask) = &kept.mask else { return };
            for (unit, is_kept) in units.iter_mut().zip(mask.iter()) {
                // Of a unit that is left out, too: a product that depends on the mask is a branch.
                let larger = *unit * more;
                *unit = if *is_kept == 0 { T::zero() } else { larger };
            }
        },
    );
    (tensor(units, shape), tensor(moments, [2, width].into()))
}

fn backward<T: Precision>(tensors: [FlexTensor; 5], epsilon: f64, more: f64) -> (FlexTensor, FlexTensor) {
    let [z, gamma, moments, units, gradient] = tensors.map(|tensor| tensor.to_contiguous());
    let (shape, width) = (z.shape(), gamma.shape().num_elements());
    let [z, gamma, moments] = [&z, &gamma, &moments].map(numbers::<T>);
    let [units, gradient] = [&units, &gradient].map(numbers::<T>);
    let (mean, variance) = moments.split_at(width);
    let factors = factors(gamma, variance, epsilon);
    let more = of::<T>(1.0 + more);
    // Σg and Σg(z − μ) of every column. The gradient g of a unit before max(0, ·) is 0 where the unit is 0,
    // whether it was dropped or negative.
    let mut sums = vec![0.0; 2 * width];
    let mut of_block = vec![T::zero(); 2 * width];
    vectorised(
        #[inline(always)]
        || {
            for rows in 0..z.len().div_ceil(width * ROWS_OF_A_SUM) {
                let block = rows * ROWS_OF_A_SUM * width..((rows + 1) * ROWS_OF_A_SUM * width).min(z.len());
                let (all, weighted) = of_block.split_at_mut(width);
                let of_rows =
                    units[block.clone()].chunks_exact(width).zip(gradient[block.clone()].chunks_exact(width));
                for (z, (units, gradient)) in z[block].chunks_exact(width).zip(of_rows) {
                    let (z, mean, units, gradient) =
                        (&z[..width], &mean[..width], &units[..width], &gradient[..width]);
                    let (all, weighted) = (&mut all[..width], &mut weighted[..width]);
                    for j in 0..width {
                        let g = where_positive(units[j], gradient[j] * more);
                        all[j] = all[j] + g;
                        weighted[j] = weighted[j] + g * (z[j] - mean[j]);
                    }
                }
                drain(&mut of_block, &mut sums);
            }
        },
    );
    let (all, weighted) = sums.split_at(width);
    #[allow(clippy::cast_precision_loss, reason = "the rows of a batch")]
    let rows = (z.len() / width) as f64;
    let mean_gradient: Vec<T> = all.iter().map(|sum| of(sum / rows)).collect();
    let of_variance = |v: &T| (*v).into() + epsilon;
    // mean(gẑ)/√(v + ε), the factor of z − μ.
    let slopes: Vec<T> =
        weighted.iter().zip(variance).map(|(sum, v)| of(sum / rows / of_variance(v))).collect();
    let mut of_z = vec![T::zero(); z.len()];
    vectorised(
        #[inline(always)]
        || {
            let of_rows = units.chunks_exact(width).zip(gradient.chunks_exact(width));
            let of_rows = z.chunks_exact(width).zip(of_rows);
            for (of_z, (z, (units, gradient))) in of_z.chunks_exact_mut(width).zip(of_rows) {
                let (z, mean, units, gradient) =
                    (&z[..width], &mean[..width], &units[..width], &gradient[..width]);
                let (factors, of_all, slopes) =
                    (&factors[..width], &mean_gradient[..width], &slopes[..width]);
                for j in 0..width {
                    let g = where_positive(units[j], gradient[j] * more);
                    of_z[j] = factors[j] * (g - of_all[j] - (z[j] - mean[j]) * slopes[j]);
                }
            }
        },
    );
    // Σgẑ, then Σg.
    let of_gamma = weighted.iter().zip(variance).map(|(sum, v)| of(sum / of_variance(v).sqrt()));
    let scales = of_gamma.chain(all.iter().map(|sum| of(*sum))).collect();
    (tensor::<T>(of_z, shape), tensor::<T>(scales, [2, width].into()))
}

/// Mean and biased variance of the columns. *Precision:* sums of a block of rows are in that of z, those of
/// blocks are double; rows are shifted by the first one, so that no large mean drowns the variance.
fn moments<T: Precision>(z: &[T], width: usize) -> Vec<T> {
    let mut sums = vec![0.0; 2 * width];
    let mut of_block = vec![T::zero(); 2 * width];
    let first = &z[..width];
    vectorised(
        #[inline(always)]
        || {
            for block in z.chunks(width * ROWS_OF_A_SUM) {
                let (sum, squares) = of_block.split_at_mut(width);
                let (sum, squares) = (&mut sum[..width], &mut squares[..width]);
                for z in block.chunks_exact(width) {
                    let (z, first) = (&z[..width], &first[..width]);
                    for j in 0..width {
                        let shifted = z[j] - first[j];
                        sum[j] = sum[j] + shifted;
                        squares[j] = squares[j] + shifted * shifted;
                    }
                }
                drain(&mut of_block, &mut sums);
            }
        },
    );
    #[allow(clippy::cast_precision_loss, reason = "the rows of a batch")]
    let rows = (z.len() / width) as f64;
    let (sum, squares) = sums.split_at(width);
    let mean = sum.iter().zip(first).map(|(sum, first)| *first + of(sum / rows));
    let variance = sum.iter().zip(squares).map(|(sum, square)| {
        let mean = sum / rows;
        of((square / rows - mean * mean).max(0.0))
    });
    mean.chain(variance).collect()
}

/// Loops with the widest vector instructions of the machine. The numbers do not depend on them: no sum is
/// taken in another order.
#[inline(always)]
fn vectorised(loops: impl FnOnce()) {
    struct Loops<F>(F);
    impl<F: FnOnce()> WithSimd for Loops<F> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            (self.0)();
        }
    }
    Arch::new().dispatch(Loops(loops));
}

/// The number where the unit is positive, and 0 elsewhere. The number is an argument, so that it is read in
/// both cases: a read that depends on the unit is a branch, and half of the units are 0.
#[inline(always)]
fn where_positive<T: Precision>(unit: T, number: T) -> T {
    if unit > T::zero() { number } else { T::zero() }
}

/// γ/√(v + ε).
fn factors<T: Precision>(gamma: &[T], variance: &[T], epsilon: f64) -> Vec<T> {
    gamma.iter().zip(variance).map(|(gamma, v)| *gamma / (*v + of(epsilon)).sqrt()).collect()
}

/// Adds the sums of a block to those of the batch, and starts the next block.
#[inline(always)]
fn drain<T: Precision>(of_block: &mut [T], sums: &mut [f64]) {
    for (sum, part) in sums.iter_mut().zip(of_block) {
        *sum += (*part).into();
        *part = T::zero();
    }
}

fn of<T: Precision>(number: f64) -> T {
    T::from(number).unwrap_or_else(T::nan)
}

/// The numbers of a contiguous tensor.
fn numbers<T: Precision>(tensor: &FlexTensor) -> &[T] {
    let (start, end) = tensor.layout().contiguous_offsets().unwrap_or_default();
    &tensor.storage::<T>()[start..end]
}

fn tensor<T: Precision>(numbers: Vec<T>, shape: Shape) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}
