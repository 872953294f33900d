//! The units of a hidden layer as one operation: batch normalisation, max(0, ·) and dropout, with their
//! gradient.
//!
//! Composed of burn's own operations, these are some twenty passes over the units of a batch, four of them
//! transposed copies, and take more time than the products of the layers. As one operation they are two
//! passes forward and two back. For all pairs of a context and an action, one pass each way is over pairs,
//! and the other over contexts.

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

/// The rows, of p in `backward`, whose sums are added up before they join those of the batch.
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
    /// Rows of z × width.
    pub(super) units: Tensor<2>,
    /// μ, v, p̄ and q̄: 4 × width. No gradient flows through them; that of the units counts what they depend
    /// on.
    pub(super) moments: Tensor<2>,
}

impl HiddenUnits {
    /// z is rows × width; γ and β have `width` numbers.
    pub(super) fn of(z: Tensor<2>, gamma: Tensor<1>, beta: Tensor<1>, epsilon: f64, kept: Kept) -> Self {
        let zero = gamma.zeros_like().unsqueeze_dim(0);
        Self::of_pairs(z, zero, gamma, beta, epsilon, kept)
    }

    /// p is rows × width, q is actions × width. Row i·actions + a of z is p_i + q_a; z is never written down.
    pub(super) fn of_pairs(
        p: Tensor<2>,
        q: Tensor<2>,
        gamma: Tensor<1>,
        beta: Tensor<1>,
        epsilon: f64,
        kept: Kept,
    ) -> Self {
        let [p, q, gamma, beta] =
            [p.into_dispatch(), q.into_dispatch(), gamma.into_dispatch(), beta.into_dispatch()];
        let (units, moments) = Dispatch::hidden_units(p, q, gamma, beta, epsilon, kept);
        Self { units: Tensor::from_dispatch(units), moments: Tensor::from_dispatch(moments) }
    }
}

/// The operation on a back end.
#[backend_extension(Flex, Autodiff)]
trait HiddenUnitsOp: Backend {
    /// The units of z = p_i + q_a, and μ, v, p̄ and q̄.
    fn hidden_units(
        p: FloatTensor<Self>,
        q: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
        kept: Kept,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The gradients of p, of q, and of γ and β (2 × width), given that of the units.
    #[allow(clippy::too_many_arguments, reason = "the tensors of one operation")]
    fn hidden_units_backward(
        p: FloatTensor<Self>,
        q: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        units: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
        more: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

impl HiddenUnitsOp for Flex {
    fn hidden_units(
        p: FloatTensor<Self>,
        q: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
        kept: Kept,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let of = if p.dtype() == DType::F64 { forward::<f64> } else { forward::<f32> };
        of([p, q, gamma, beta], epsilon, &kept)
    }

    fn hidden_units_backward(
        p: FloatTensor<Self>,
        q: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        units: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f64,
        more: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let of = if p.dtype() == DType::F64 { backward::<f64> } else { backward::<f32> };
        of([p, q, gamma, moments, units, gradient], epsilon, more)
    }
}

impl<B: Backend + HiddenUnitsOp, C: CheckpointStrategy> HiddenUnitsOp for Autodiff<B, C> {
    fn hidden_units(
        p: FloatTensor<Self>,
        q: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
        kept: Kept,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        #[derive(Debug)]
        struct OfUnits;

        /// p, q, γ, the moments and the units; ε; what the factor of a kept unit is above 1.
        type State<T> = ([T; 5], f64, f64);

        impl<B: Backend + HiddenUnitsOp> Backward<B, 4> for OfUnits {
            type State = State<FloatTensor<B>>;

            fn backward(self, ops: Ops<Self::State, 4>, grads: &mut Gradients, _: &mut Checkpointer) {
                let [of_p, of_q, of_gamma, of_beta] = ops.parents;
                let gradient = grads.consume::<B>(&ops.node);
                let ([p, q, gamma, moments, units], epsilon, more) = ops.state;
                let width = gamma.shape();
                let (p, q, scales) =
                    B::hidden_units_backward(p, q, gamma, moments, units, gradient, epsilon, more);
                let scale = |k: usize| {
                    let part = [(k..k + 1).into(), (0..width.num_elements()).into()];
                    B::float_reshape(B::float_slice(scales.clone(), &part), width.clone())
                };
                let [gamma, beta] = [0, 1].map(scale);
                for (node, gradient) in [(of_p, p), (of_q, q), (of_gamma, gamma), (of_beta, beta)] {
                    if let Some(node) = node {
                        grads.register::<B>(node.id, gradient);
                    }
                }
            }
        }

        let nodes = [p.node(), q.node(), gamma.node(), beta.node()];
        let [p, q, gamma, beta] = [p, q, gamma, beta].map(|tensor| tensor.into_primitive());
        let more = kept.more;
        let (units, moments) = B::hidden_units(p.clone(), q.clone(), gamma.clone(), beta, epsilon, kept);
        let units = match OfUnits.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let state = ([p, q, gamma, moments.clone(), units.clone()], epsilon, more);
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
        _: FloatTensor<Self>,
        _: f64,
        _: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        unreachable!("no gradient of a gradient is asked for")
    }
}

/// Single or double precision.
trait Precision: Element + Pod + Float + Into<f64> {}
impl Precision for f32 {}
impl Precision for f64 {}

fn forward<T: Precision>(tensors: [FlexTensor; 4], epsilon: f64, kept: &Kept) -> (FlexTensor, FlexTensor) {
    let [p, q, gamma, beta] = tensors.map(|tensor| tensor.to_contiguous());
    let [p, q, gamma, beta] = [&p, &q, &gamma, &beta].map(numbers::<T>);
    let width = gamma.len();
    let [of_p, of_q] = [p, q].map(|part| moments(part, width));
    let ((mean_of_p, _), (mean_of_q, _)) = (of_p.split_at(width), of_q.split_at(width));
    // Among all pairs, p_i and q_a are uncorrelated, so that variances add up as means do.
    let mut moments: Vec<T> = of_p.iter().zip(&of_q).map(|(of_p, of_q)| *of_p + *of_q).collect();
    let factors = factors(gamma, &moments[width..], epsilon);
    moments.extend([mean_of_p, mean_of_q].concat());
    // What p_i and q_a add to a unit.
    let mut part_of_p = vec![T::zero(); width];
    let mut part_of_q = Vec::with_capacity(q.len());
    for q in q.chunks_exact(width) {
        part_of_q.extend((0..width).map(|j| (q[j] - mean_of_q[j]) * factors[j] + beta[j]));
    }
    let pairs = p.len() / width * (q.len() / width);
    let mut units = Vec::with_capacity(pairs * width);
    let more = of::<T>(1.0 + kept.more);
    vectorised(
        #[inline(always)]
        || {
            for p in p.chunks_exact(width) {
                let (p, mean, factors) = (&p[..width], &mean_of_p[..width], &factors[..width]);
                let part_of_p = &mut part_of_p[..width];
                for j in 0..width {
                    part_of_p[j] = (p[j] - mean[j]) * factors[j];
                }
                for part_of_q in part_of_q.chunks_exact(width) {
                    let from = units.len();
                    units.extend(part_of_p.iter().zip(part_of_q).map(
                        #[inline(always)]
                        |(of_p, of_q)| {
                            let unit = *of_p + *of_q;
                            // A NaN stays one.
                            if unit < T::zero() { T::zero() } else { unit }
                        },
                    ));
                    let Some(mask) = &kept.mask else { continue };
                    for (unit, is_kept) in units[from..].iter_mut().zip(&mask[from..from + width]) {
                        // Of a unit that is left out, too: a product that depends on the mask is a branch.
                        let larger = *unit * more;
                        *unit = if *is_kept == 0 { T::zero() } else { larger };
                    }
                }
            }
        },
    );
    (tensor(units, [pairs, width].into()), tensor(moments, [4, width].into()))
}

fn backward<T: Precision>(
    tensors: [FlexTensor; 6],
    epsilon: f64,
    more: f64,
) -> (FlexTensor, FlexTensor, FlexTensor) {
    let [p, q, gamma, moments, units, gradient] = tensors.map(|tensor| tensor.to_contiguous());
    let shapes = [p.shape(), q.shape()];
    let [p, q, gamma, moments] = [&p, &q, &gamma, &moments].map(numbers::<T>);
    let [units, gradient] = [&units, &gradient].map(numbers::<T>);
    let width = gamma.len();
    let [_, variance, mean_of_p, mean_of_q] = [0, 1, 2, 3].map(|k| &moments[k * width..(k + 1) * width]);
    let factors = factors(gamma, variance, epsilon);
    let more = of::<T>(1.0 + more);
    // G_i = Σ_a g_ia, H_a = Σ_i g_ia, and Σ_i G_i(p_i − p̄) of every column. The gradient g of a unit before
    // max(0, ·) is 0 where the unit is 0, whether it was dropped or negative.
    let mut sums_of_p = vec![T::zero(); p.len()];
    let (mut sums_of_q, mut weighted) = (vec![0.0; q.len()], vec![0.0; width]);
    let (mut block_of_q, mut block_weighted) = (vec![T::zero(); q.len()], vec![T::zero(); width]);
    vectorised(
        #[inline(always)]
        || {
            let of_rows = units.chunks_exact(q.len()).zip(gradient.chunks_exact(q.len()));
            let of_rows = of_rows.zip(p.chunks_exact(width).zip(sums_of_p.chunks_exact_mut(width)));
            for (i, ((units, gradient), (p, sums))) in of_rows.enumerate() {
                if i.is_multiple_of(ROWS_OF_A_SUM) {
                    drain(&mut block_of_q, &mut sums_of_q);
                    drain(&mut block_weighted, &mut weighted);
                }
                let (sums, weighted) = (&mut sums[..width], &mut block_weighted[..width]);
                let of_pairs = units.chunks_exact(width).zip(gradient.chunks_exact(width));
                for (of_q, (units, gradient)) in block_of_q.chunks_exact_mut(width).zip(of_pairs) {
                    let (of_q, units, gradient) = (&mut of_q[..width], &units[..width], &gradient[..width]);
                    for j in 0..width {
                        let g = where_positive(units[j], gradient[j] * more);
                        sums[j] = sums[j] + g;
                        of_q[j] = of_q[j] + g;
                    }
                }
                let (p, mean) = (&p[..width], &mean_of_p[..width]);
                for j in 0..width {
                    weighted[j] = weighted[j] + sums[j] * (p[j] - mean[j]);
                }
            }
            drain(&mut block_of_q, &mut sums_of_q);
            drain(&mut block_weighted, &mut weighted);
        },
    );
    // Σg, and Σg(z − μ).
    let mut all = vec![0.0; width];
    for (q, sums) in q.chunks_exact(width).zip(sums_of_q.chunks_exact(width)) {
        for j in 0..width {
            all[j] += sums[j];
            weighted[j] += sums[j] * (q[j] - mean_of_q[j]).into();
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "the rows of a batch, and actions")]
    let [rows, actions] = [p, q].map(|part| (part.len() / width) as f64);
    let pairs = rows * actions;
    let of_variance = |v: &T| (*v).into() + epsilon;
    // mean(g), and mean(gẑ)/√(v + ε), the factor of z − μ.
    let mean_gradient: Vec<f64> = all.iter().map(|sum| sum / pairs).collect();
    let slopes: Vec<f64> =
        weighted.iter().zip(variance).map(|(sum, v)| sum / pairs / of_variance(v)).collect();
    // The gradient of z is γ/√(v + ε)·(g − mean(g) − (z − μ)·slope). That of p_i is its sum over a, in which
    // q_a − q̄ cancels; that of q_a is its sum over i.
    let of_part = |mut sums: Vec<T>, part: &[T], mean: &[T], others: f64| {
        let summed = |each: &[f64]| each.iter().map(|each| of(others * each)).collect::<Vec<T>>();
        let [mean_gradients, slopes] = [&mean_gradient[..], &slopes].map(summed);
        vectorised(
            #[inline(always)]
            || {
                for (sums, part) in sums.chunks_exact_mut(width).zip(part.chunks_exact(width)) {
                    let (sums, part, mean) = (&mut sums[..width], &part[..width], &mean[..width]);
                    let (factors, mean_gradients, slopes) =
                        (&factors[..width], &mean_gradients[..width], &slopes[..width]);
                    for j in 0..width {
                        sums[j] =
                            factors[j] * (sums[j] - mean_gradients[j] - (part[j] - mean[j]) * slopes[j]);
                    }
                }
            },
        );
        sums
    };
    let of_p = of_part(sums_of_p, p, mean_of_p, actions);
    let of_q = of_part(sums_of_q.iter().map(|sum| of(*sum)).collect(), q, mean_of_q, rows);
    // Σgẑ, then Σg.
    let of_gamma = weighted.iter().zip(variance).map(|(sum, v)| of(sum / of_variance(v).sqrt()));
    let scales = of_gamma.chain(all.iter().map(|sum| of(*sum))).collect::<Vec<T>>();
    let [shape_of_p, shape_of_q] = shapes;
    (tensor(of_p, shape_of_p), tensor(of_q, shape_of_q), tensor(scales, [2, width].into()))
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
