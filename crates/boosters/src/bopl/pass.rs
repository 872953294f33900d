//! The passes of a round over all pairs of a log.
//!
//! Pair (i, a) stands at a·n + i. A pass goes block by block, each of [`BLOCK`] rows and all actions. The
//! sums of blocks are added in their order, whichever rank has them, so that neither threads nor ranks change
//! anything.

use super::objective::LEAST_SHARE;
use super::weighted_log::{Predicted, WeightedLog};
use super::{Along, PolicyObjective, Smoothness};
use rayon::prelude::*;
use rows::numeric::{LANES, exp, ln, vectorised};
use std::ops::{AddAssign, Deref, DerefMut};
use weak_learners::{RankError, Shard};

/// The rows of a block: a few columns of that length stay in a core's own cache.
pub(super) const BLOCK: usize = Shard::BLOCK;

/// The number of pairs from which threads are worth their start.
const WORTHWHILE: usize = 1 << 15;

/// Whether this much work is shared among threads: those of the rayon pool that the caller is in; none
/// outside a pool.
pub(super) fn in_pool(pairs: usize) -> bool {
    pairs >= WORTHWHILE && rayon::current_thread_index().is_some()
}

/// The gradient of −n times the objective at some scores.
#[derive(Debug, Clone)]
pub(super) struct Gradient {
    /// u.
    pub(super) u: Vec<f64>,
    /// π(a_i|x_i).
    pub(super) logged: Vec<f64>,
    /// π(a|x_i) of every pair, or empty where no local curvature with predicted rewards needs it.
    pub(super) pi: Vec<f64>,
}

/// The least factor by which the weight of a pair is below |u|, so that its target u/w is at most a million.
pub(super) const LEAST_REST: f64 = 1e-6;

/// The sum of a pass that has none.
#[derive(Default)]
pub(super) struct Done;

impl AddAssign for Done {
    fn add_assign(&mut self, _: Self) {}
}

/// Sums of doubles that ranks tell each other.
pub(super) trait BlockSums: AddAssign + Default + Send {
    /// The bytes of the sums.
    const BYTES: usize;

    /// Appends the sums.
    fn write(&self, bytes: &mut Vec<u8>);

    /// The sums that were written.
    fn read(bytes: &[u8]) -> Self;
}

/// Writes and reads the fields in this order.
macro_rules! block_sums {
    ($sums:ident: $($field:ident),+) => {
        impl BlockSums for $sums {
            const BYTES: usize = 8 * [$(stringify!($field)),+].len();

            fn write(&self, bytes: &mut Vec<u8>) {
                $(bytes.extend(self.$field.to_le_bytes());)+
            }

            fn read(bytes: &[u8]) -> Self {
                let (numbers, _) = bytes.as_chunks::<8>();
                let mut numbers = numbers.iter().map(|number| f64::from_le_bytes(*number));
                Self { $($field: numbers.next().unwrap_or_default()),+ }
            }
        }
    };
}

block_sums!(PolicySums: objective, gradient_squared, reward, importance);
block_sums!(DirectionalDerivative: gain, curvature);
block_sums!(Probe: objective, gain);

/// Sums over the log, at the softmax of the scores.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PolicySums {
    /// n times the objective.
    pub(super) objective: f64,
    /// ‖u‖_F².
    pub(super) gradient_squared: f64,
    /// Σ π(a_i|x_i) r_i/p_i, on the rewards without translation.
    pub(super) reward: f64,
    /// Σ π(a_i|x_i)/p_i.
    pub(super) importance: f64,
}

impl AddAssign for PolicySums {
    fn add_assign(&mut self, other: Self) {
        self.objective += other.objective;
        self.gradient_squared += other.gradient_squared;
        self.reward += other.reward;
        self.importance += other.importance;
    }
}

impl PolicySums {
    /// The evaluation that these sums over n rows give.
    pub(super) fn evaluation(self, n: usize) -> Evaluation {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = n as f64;
        Evaluation {
            objective: self.objective / n,
            gradient_norm: self.gradient_squared.sqrt(),
            ips: self.reward / n,
            snips: self.snips(),
        }
    }

    /// SNIPS; 0 where no logged action has a probability.
    fn snips(&self) -> f64 {
        if self.importance > 0.0 { self.reward / self.importance } else { 0.0 }
    }
}

/// The objective and the value of the softmax of the scores.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Evaluation {
    /// The objective, on the translated rewards.
    pub(super) objective: f64,
    /// ‖u‖_F.
    pub(super) gradient_norm: f64,
    /// The IPS estimate of the policy's value, on the rewards without translation.
    pub(super) ips: f64,
    /// Its SNIPS estimate; 0 where no logged action has a probability.
    pub(super) snips: f64,
}

/// The derivative and the curvature of the objective along f, as sums over the log.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct DirectionalDerivative {
    /// U = Σ⟨u_i, f(x_i)⟩: −n times the derivative.
    pub(super) gain: f64,
    /// S = Σ s_i‖f(x_i)‖²: at least n times the second derivative.
    pub(super) curvature: f64,
}

impl AddAssign for DirectionalDerivative {
    fn add_assign(&mut self, other: Self) {
        self.gain += other.gain;
        self.curvature += other.curvature;
    }
}

/// The objective at a point of a line and its derivative there, as sums over the log.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Probe {
    pub(super) objective: f64,
    pub(super) gain: f64,
}

impl AddAssign for Probe {
    fn add_assign(&mut self, other: Self) {
        self.objective += other.objective;
        self.gain += other.gain;
    }
}

/// max|v|; NaN or ∞ if any v is not finite.
pub(super) fn largest(values: &[f64]) -> f64 {
    let of_part = |part: &[f64]| {
        // 0·v is 0 unless v is NaN or ±∞.
        let (mut most, mut not_finite) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        let (eights, last) = part.as_chunks::<LANES>();
        let mut include = |k: usize, v: f64| {
            most[k] = if v.abs() > most[k] { v.abs() } else { most[k] };
            not_finite[k] += v.abs() * 0.0;
        };
        eights.iter().for_each(|eight| eight.iter().enumerate().for_each(|(k, v)| include(k, *v)));
        last.iter().for_each(|v| include(0, *v));
        most.iter().zip(&not_finite).fold(0.0, |all, (most, not_finite)| larger(all, most + not_finite))
    };
    const PART: usize = 1 << 14;
    if in_pool(values.len()) {
        values.par_chunks(PART).map(of_part).reduce(|| 0.0, larger)
    } else {
        values.chunks(PART).map(of_part).fold(0.0, larger)
    }
}

/// The larger of two numbers of at least 0; NaN if either is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Columns cut into blocks of rows: |A| parts a block, block after block.
pub(super) fn cut_mut(n: usize, pairs: &mut [f64]) -> Vec<&mut [f64]> {
    let blocks_of_columns = pairs.chunks_exact_mut(n).map(|column| column.chunks_mut(BLOCK)).collect();
    block_after_block(n, blocks_of_columns)
}

fn cut(n: usize, pairs: &[f64]) -> Vec<&[f64]> {
    block_after_block(n, pairs.chunks_exact(n).map(|column| column.chunks(BLOCK)).collect())
}

fn block_after_block<P>(n: usize, mut columns: Vec<impl Iterator<Item = P>>) -> Vec<P> {
    let blocks = n.div_ceil(BLOCK);
    let mut parts = Vec::with_capacity(blocks * columns.len());
    for _ in 0..blocks {
        parts.extend(columns.iter_mut().filter_map(Iterator::next));
    }
    parts
}

/// Sums over blocks in their order.
pub(super) fn total<S: AddAssign + Default + Send, B: Send>(
    is_shared: bool,
    blocks: Vec<B>,
    of: impl Fn((usize, B)) -> S + Sync + Send,
) -> S {
    total_in(is_shared, blocks, || (), |(), block| of(block))
}

/// The same with room for a block, which is made once for the blocks that a thread has in a row.
pub(super) fn total_in<R, S: AddAssign + Default + Send, B: Send>(
    is_shared: bool,
    blocks: Vec<B>,
    room: impl Fn() -> R + Sync + Send,
    of: impl Fn(&mut R, (usize, B)) -> S + Sync + Send,
) -> S {
    let mut total = S::default();
    if is_shared {
        of_blocks(is_shared, blocks, room, of).into_iter().for_each(|sum| total += sum);
    } else {
        let mut room = room();
        blocks.into_iter().enumerate().for_each(|block| total += of(&mut room, block));
    }
    total
}

/// The sums of blocks, in their order.
fn of_blocks<R, S: Send, B: Send>(
    is_shared: bool,
    blocks: Vec<B>,
    room: impl Fn() -> R + Sync + Send,
    of: impl Fn(&mut R, (usize, B)) -> S + Sync + Send,
) -> Vec<S> {
    if is_shared {
        blocks.into_par_iter().enumerate().map_init(room, of).collect()
    } else {
        let mut room = room();
        blocks.into_iter().enumerate().map(|block| of(&mut room, block)).collect()
    }
}

impl WeightedLog {
    /// Sums over the blocks of all ranks in their order: those of one process.
    fn total<S: BlockSums, B: Send>(
        &self,
        blocks: Vec<B>,
        of: impl Fn((usize, B)) -> S + Sync + Send,
    ) -> Result<S, RankError> {
        self.total_in(blocks, || (), |(), block| of(block))
    }

    /// The same with room for a block.
    fn total_in<R, S: BlockSums, B: Send>(
        &self,
        blocks: Vec<B>,
        room: impl Fn() -> R + Sync + Send,
        of: impl Fn(&mut R, (usize, B)) -> S + Sync + Send,
    ) -> Result<S, RankError> {
        let (is_shared, ranks) = (in_pool(self.len() * self.actions), self.shard.ranks());
        if !ranks.are_several() {
            return Ok(total_in(is_shared, blocks, room, of));
        }
        let mut bytes = Vec::with_capacity(blocks.len() * S::BYTES);
        of_blocks(is_shared, blocks, room, of).iter().for_each(|sums| sums.write(&mut bytes));
        let mut total = S::default();
        ranks.gather(bytes)?.chunks_exact(S::BYTES).for_each(|sums| total += S::read(sums));
        Ok(total)
    }

    /// F ← F + αf, and u and π(a_i|x_i) of the softmax of the new F, in one pass.
    pub(super) fn advance<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        f: &[f64],
        scores: &mut [f64],
        Gradient { u, logged, pi }: &mut Gradient,
    ) -> Result<PolicySums, RankError> {
        let (n, actions) = (self.len(), self.actions);
        let (mut scores, mut u, mut pi) = (cut_mut(n, scores), cut_mut(n, u), cut_mut(n, pi));
        let mut pi = pi.chunks_mut(actions);
        let columns = scores.chunks_mut(actions).zip(u.chunks_mut(actions));
        let blocks = columns.zip(logged.chunks_mut(BLOCK));
        let blocks: Vec<_> = blocks.map(|block| (block, pi.next().unwrap_or_default())).collect();
        self.total(blocks, |(b, (((scores, u), logged), pi))| {
            let from = b * BLOCK;
            for (a, column) in scores.iter_mut().enumerate() {
                let f = &f[a * n + from..][..column.len()];
                column.iter_mut().zip(f).for_each(|(score, f)| *score += alpha * f);
            }
            self.gradient_of_block(objective, from, scores, u, (logged, pi))
        })
    }

    /// u and π(a_i|x_i) of the softmax of F.
    pub(super) fn gradient<O: PolicyObjective>(
        &self,
        objective: O,
        scores: &[f64],
        Gradient { u, logged, pi }: &mut Gradient,
    ) -> Result<PolicySums, RankError> {
        let (n, actions) = (self.len(), self.actions);
        let (scores, mut u, mut pi) = (cut(n, scores), cut_mut(n, u), cut_mut(n, pi));
        let mut pi = pi.chunks_mut(actions);
        let columns = scores.chunks(actions).zip(u.chunks_mut(actions));
        let blocks = columns.zip(logged.chunks_mut(BLOCK));
        let blocks: Vec<_> = blocks.map(|block| (block, pi.next().unwrap_or_default())).collect();
        self.total(blocks, |(b, (((scores, u), logged), pi))| {
            self.gradient_of_block(objective, b * BLOCK, scores, u, (logged, pi))
        })
    }

    /// w_{i,a} = |c_i|π_a(1 − π_a), the diagonal of the curvature of −c_i ln π(a_i|x_i) at the present
    /// policy. The factor that |u| lacks is at least [`LEAST_REST`]: π of the logged action, and 1 − π of
    /// others. With predicted rewards |c_i| is r̄_i − min_a r̃, and 1 − π is that factor of all actions.
    pub(super) fn local_weights<O: PolicyObjective>(
        &self,
        objective: O,
        gradient: &Gradient,
        weights: &mut [f64],
    ) {
        if let Some(predicted) = &self.predicted {
            return self.doubly_robust_weights(predicted, gradient, weights);
        }
        let (n, actions) = (self.len(), self.actions);
        let (u, mut weights) = (cut(n, &gradient.u), cut_mut(n, weights));
        let blocks: Vec<_> = u.chunks(actions).zip(weights.chunks_mut(actions)).collect();
        total(in_pool(n * actions), blocks, |(b, (u, weights))| {
            let from = b * BLOCK;
            for (a, (u, weights)) in u.iter().zip(weights).enumerate() {
                for (k, (u, w)) in u.iter().zip(weights.iter_mut()).enumerate() {
                    let i = from + k;
                    // |u| is |c|(1 − π) of the logged action, and |c|π of the others.
                    let (v, pi) = (self.ratios[i], gradient.logged[i]);
                    *w = u.abs()
                        * if self.logged[i] as usize == a {
                            pi.max(LEAST_REST)
                        } else {
                            (1.0 - u.abs() / objective.factor(v, pi).abs()).max(LEAST_REST)
                        };
                    // A pair with a gradient has a weight, also where the product underflows.
                    *w = if *u == 0.0 { 0.0 } else { w.max(f64::from_bits(1)) };
                }
            }
            Done
        });
    }

    /// U, and S = Σ q_i: n times the objective at F + αf is at most its value at F − αU + α²S/2 for |α| ≤ η.
    pub(super) fn local_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        gradient: &Gradient,
        f: &[f64],
        eta: f64,
    ) -> Result<DirectionalDerivative, RankError> {
        if let Some(predicted) = &self.predicted {
            return self.doubly_robust_derivative(predicted, gradient, f, eta);
        }
        let n = self.len();
        let blocks: Vec<usize> = (0..n.div_ceil(BLOCK)).collect();
        self.total(blocks, |(_, b)| {
            let (from, to) = (b * BLOCK, n.min((b + 1) * BLOCK));
            let rows = to - from;
            let mut sums = DirectionalDerivative::default();
            let line = &mut LineOfBlock::default();
            // f is measured from its value g at the logged action, so that an f without a preference gains 0.
            for k in 0..rows {
                line.logged[k] = f[self.logged[from + k] as usize * n + from + k];
            }
            for a in 0..self.actions {
                for k in 0..rows {
                    let pair = a * n + from + k;
                    if self.is_on_offer(pair) {
                        line.include(k, f[pair] - line.logged[k], gradient.u[pair]);
                    }
                }
            }
            // Of m = ⟨π, f⟩: U_i = c(g − m).
            for k in 0..rows {
                let c = objective.factor(self.ratios[from + k], gradient.logged[from + k]);
                line.means[k] = if c == 0.0 { 0.0 } else { -line.gains[k] / c };
                line.factors[k] = c.abs();
            }
            // |c|Var_π(f) by deviations from the mean: a difference of squares is 0 where some other action
            // is nearly certain. |u| is |c|π of the actions that were not logged, and |c|(1 − π) of that one.
            for a in 0..self.actions {
                for k in 0..rows {
                    let pair = a * n + from + k;
                    if self.is_on_offer(pair) && self.logged[from + k] as usize != a {
                        let deviation = (f[pair] - line.logged[k]) - line.means[k];
                        line.squares[k] += gradient.u[pair].abs() * (deviation * deviation);
                    }
                }
            }
            for k in 0..rows {
                let i = from + k;
                let (v, pi, c) = (self.ratios[i], gradient.logged[i], line.factors[k]);
                let u = gradient.u[self.logged[i] as usize * n + i];
                let square = line.squares[k] + c * pi * (line.means[k] * line.means[k]);
                let along = along_factor((c, u), (pi, square), line.range(k), eta);
                sums.gain += line.gains[k];
                sums.curvature += objective.local_curvature(v, along);
            }
            sums
        })
    }

    /// w_{i,a} = (r̄_i − min_a r̃)π_a(1 − π_a): what [`local_weights`](Self::local_weights) is for rewards
    /// that are 0 but for a positive one.
    fn doubly_robust_weights(&self, predicted: &Predicted, gradient: &Gradient, weights: &mut [f64]) {
        let (n, actions) = (self.len(), self.actions);
        let (u, pi, mut weights) = (cut(n, &gradient.u), cut(n, &gradient.pi), cut_mut(n, weights));
        let columns = u.chunks(actions).zip(pi.chunks(actions));
        let blocks: Vec<_> = columns.zip(weights.chunks_mut(actions)).collect();
        total(in_pool(n * actions), blocks, |(b, ((u, pi), weights))| {
            let from = b * BLOCK;
            // r̄ − min r̃.
            let mut above = [0.0; BLOCK];
            for (a, pi) in pi.iter().enumerate() {
                for (k, pi) in pi.iter().enumerate() {
                    above[k] += pi * (self.reward(predicted, a, from + k) - predicted.least[from + k]);
                }
            }
            for (a, weights) in weights.iter_mut().enumerate() {
                for (k, w) in weights.iter_mut().enumerate() {
                    let pi = pi[a][k];
                    let scale = above[k].max(LEAST_REST * predicted.spans[from + k]);
                    *w = scale * pi * (1.0 - pi).max(LEAST_REST);
                    // A pair with a gradient has a weight, also where the product underflows.
                    *w = if u[a][k] == 0.0 { 0.0 } else { w.max(f64::from_bits(1)) };
                }
            }
            Done
        });
    }

    /// [`local_derivative`](Self::local_derivative) with predicted rewards: the curvatures of Σ_a q̂_aπ_a and
    /// of δ_iπ(a_i|x_i) add.
    fn doubly_robust_derivative(
        &self,
        predicted: &Predicted,
        gradient: &Gradient,
        f: &[f64],
        eta: f64,
    ) -> Result<DirectionalDerivative, RankError> {
        let n = self.len();
        let blocks: Vec<usize> = (0..n.div_ceil(BLOCK)).collect();
        self.total(blocks, |(_, b)| {
            let (from, to) = (b * BLOCK, n.min((b + 1) * BLOCK));
            let rows = to - from;
            let mut sums = DirectionalDerivative::default();
            let line = &mut LineOfBlock::default();
            for k in 0..rows {
                line.logged[k] = f[self.logged[from + k] as usize * n + from + k];
            }
            for a in 0..self.actions {
                for k in 0..rows {
                    let pair = a * n + from + k;
                    if self.is_on_offer(pair) {
                        let (deviation, pi) = (f[pair] - line.logged[k], gradient.pi[pair]);
                        line.include(k, deviation, gradient.u[pair]);
                        line.means[k] += pi * deviation;
                        line.rests[k] += if self.logged[from + k] as usize == a { 0.0 } else { pi };
                    }
                }
            }
            for a in 0..self.actions {
                for k in 0..rows {
                    let pair = a * n + from + k;
                    if self.is_on_offer(pair) {
                        let deviation = (f[pair] - line.logged[k]) - line.means[k];
                        line.squares[k] += gradient.pi[pair] * (deviation * deviation);
                    }
                }
            }
            for k in 0..rows {
                let i = from + k;
                let (pi, rest, variance, range) =
                    (gradient.logged[i], line.rests[k], line.squares[k], line.range(k));
                let along = Along { pi, rest, variance, range, eta };
                sums.gain += line.gains[k];
                sums.curvature += predicted.spans_of_model[i] * along.of_expectation()
                    + self.ratios[i].abs() * along.of_probability();
            }
            sums
        })
    }

    fn is_on_offer(&self, pair: usize) -> bool {
        self.absent.is_empty() || !self.absent[pair]
    }

    /// r̃(x_i, a).
    fn reward(&self, predicted: &Predicted, a: usize, i: usize) -> f64 {
        let delta = if self.logged[i] as usize == a { self.ratios[i] } else { 0.0 };
        predicted.rewards[a * self.len() + i] + delta
    }

    /// The objective, u_{i,a} = π_a(r̃_a − r̄_i), and unless it is empty π, from the numerators of the
    /// softmax in `u`.
    fn doubly_robust_gradient<S: Deref<Target = [f64]>, U: DerefMut<Target = [f64]>>(
        &self,
        predicted: &Predicted,
        (from, scores): (usize, &[S]),
        (tops, totals): (&[f64; BLOCK], &[f64; BLOCK]),
        (u, pi): (&mut [U], &mut [&mut [f64]]),
        sums: &mut PolicySums,
    ) {
        // Rewards are measured from that of a most probable action: where π is nearly 1, r̄ differs from it
        // by less than a rounding.
        let (mut origins, mut means) = ([0.0; BLOCK], [0.0; BLOCK]);
        for (a, column) in scores.iter().enumerate() {
            for (k, score) in column.iter().enumerate() {
                if *score == tops[k] {
                    origins[k] = self.reward(predicted, a, from + k);
                }
            }
        }
        for (a, e) in u.iter().enumerate() {
            for (k, e) in e.iter().enumerate() {
                means[k] += e / totals[k] * (self.reward(predicted, a, from + k) - origins[k]);
            }
        }
        for (a, e) in u.iter_mut().enumerate() {
            for (k, u) in e.iter_mut().enumerate() {
                let probability = *u / totals[k];
                if let Some(pi) = pi.get_mut(a) {
                    pi[k] = probability;
                }
                *u = probability * ((self.reward(predicted, a, from + k) - origins[k]) - means[k]);
                sums.gradient_squared += *u * *u;
            }
        }
        let rows = scores.first().map_or(0, |column| column.len());
        sums.objective -= origins.iter().zip(&means).take(rows).map(|(o, m)| o + m).sum::<f64>();
    }

    /// The objective at F + αf and its derivative in α.
    pub(super) fn probe<O: PolicyObjective>(
        &self,
        objective: O,
        alpha: f64,
        scores: &[f64],
        f: &[f64],
    ) -> Result<(f64, f64), RankError> {
        let (n, actions) = (self.len(), self.actions);
        let blocks: Vec<usize> = (0..n.div_ceil(BLOCK)).collect();
        // F + αf and u of a block.
        let room = || [(); 2].map(|()| vec![Vec::new(); actions]);
        let sums = self.total_in(blocks, room, |[moved, u], (_, b)| {
            let (from, rows) = (b * BLOCK, BLOCK.min(n - b * BLOCK));
            let part = |a: usize| a * n + from..a * n + from + rows;
            for (a, (moved, u)) in moved.iter_mut().zip(u.iter_mut()).enumerate() {
                let pairs = scores[part(a)].iter().zip(&f[part(a)]);
                moved.clear();
                moved.extend(pairs.map(|(score, f)| score + alpha * f));
                u.resize(rows, 0.0);
            }
            let probabilities = (&mut [0.0; BLOCK][..rows], &mut [][..]);
            let PolicySums { objective, .. } =
                self.gradient_of_block(objective, from, moved, u, probabilities);
            let gain = u.iter().enumerate().map(|(a, u)| rows::dot(u, &f[part(a)])).sum();
            Probe { objective, gain }
        })?;
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = self.n() as f64;
        Ok((sums.objective / n, -sums.gain / n))
    }

    /// U and S along f.
    pub(super) fn directional_derivative<O: PolicyObjective>(
        &self,
        objective: O,
        u: &[f64],
        f: &[f64],
        smoothness: Smoothness,
    ) -> Result<DirectionalDerivative, RankError> {
        let n = self.len();
        let blocks: Vec<usize> = (0..n.div_ceil(BLOCK)).collect();
        self.total(blocks, |(_, b)| {
            let (from, to) = (b * BLOCK, n.min((b + 1) * BLOCK));
            let mut sums = DirectionalDerivative::default();
            let mut squares = [0.0; BLOCK];
            for a in 0..self.actions {
                let pairs = a * n + from..a * n + to;
                let f = &f[pairs.clone()];
                sums.gain += rows::dot(&u[pairs.clone()], f);
                if self.absent.is_empty() {
                    squares.iter_mut().zip(f).for_each(|(square, f)| *square += f * f);
                } else {
                    let present = f.iter().zip(&self.absent[pairs]);
                    let squared = present.map(|(f, absent)| if *absent { 0.0 } else { f * f });
                    squares.iter_mut().zip(squared).for_each(|(square, f)| *square += f);
                }
            }
            let curvatures = self.spans()[from..to].iter().map(|v| objective.curvature(*v, smoothness));
            sums.curvature = curvatures.zip(&squares).map(|(s, square)| s * square).sum();
            sums
        })
    }

    /// u, π(a_i|x_i), and unless it is empty π(a|x_i), of the rows from `from` on, at these scores.
    fn gradient_of_block<O: PolicyObjective, S: Deref<Target = [f64]>, U: DerefMut<Target = [f64]>>(
        &self,
        objective: O,
        from: usize,
        scores: &[S],
        u: &mut [U],
        (probabilities, all): (&mut [f64], &mut [&mut [f64]]),
    ) -> PolicySums {
        let (n, rows) = (self.len(), scores.first().map_or(0, |column| column.len()));
        let mut softmax = SoftmaxOfBlock::default();
        let logged = &self.logged[from..from + rows];
        let absent = |a: usize| match &self.absent[..] {
            [] => &[][..],
            absent => &absent[a * n + from..][..rows],
        };
        for (a, column) in scores.iter().enumerate() {
            softmax.include(column, absent(a));
        }
        for (action, (column, e)) in (0..).zip(scores.iter().zip(u.iter_mut())) {
            softmax.exponentiate(action, column, absent(action as usize), logged, e);
        }
        let SoftmaxOfBlock { tops, totals, rests, of_logged, ln_of_logged } = &mut softmax;
        let mut sums = PolicySums::default();
        for k in 0..rows {
            let pi = of_logged[k] / totals[k];
            sums.reward += self.untranslated[from + k] * pi;
            sums.importance += pi / self.propensities[from + k];
            probabilities[k] = pi;
        }
        if let Some(predicted) = &self.predicted {
            let (scores, softmax) = ((from, scores), (&*tops, &*totals));
            self.doubly_robust_gradient(predicted, scores, softmax, (u, all), &mut sums);
            return sums;
        }
        if O::USES_LOGARITHM {
            vectorised(
                #[inline(always)]
                || {
                    let (ln_pi, totals) = (&mut ln_of_logged[..rows], &totals[..rows]);
                    for k in 0..rows {
                        ln_pi[k] -= ln(totals[k]);
                    }
                },
            );
        }
        let mut factors = [0.0; BLOCK];
        for k in 0..rows {
            let (v, pi) = (self.ratios[from + k], probabilities[k]);
            sums.objective += objective.loss(v, pi, ln_of_logged[k]);
            factors[k] = objective.factor(v, pi) / totals[k];
        }
        for (action, u) in (0..).zip(u.iter_mut()) {
            sums.gradient_squared += descend(action, logged, (&factors, rests), u);
        }
        sums
    }
}

/// What the rows of a block tell of a predictor f; f is measured from its value at the logged action.
struct LineOfBlock {
    /// f(x_i, a_i).
    logged: [f64; BLOCK],
    /// The ends of f.
    lows: [f64; BLOCK],
    highs: [f64; BLOCK],
    /// Σ_a u_a f_a.
    gains: [f64; BLOCK],
    /// ⟨π, f⟩.
    means: [f64; BLOCK],
    /// Sums of weighted squares of deviations from the mean.
    squares: [f64; BLOCK],
    /// |c_i|; of predicted rewards unused.
    factors: [f64; BLOCK],
    /// 1 − π(a_i|x_i), of predicted rewards alone.
    rests: [f64; BLOCK],
}

impl Default for LineOfBlock {
    fn default() -> Self {
        let zeros = [0.0; BLOCK];
        Self {
            logged: zeros,
            lows: zeros,
            highs: zeros,
            gains: zeros,
            means: zeros,
            squares: zeros,
            factors: zeros,
            rests: zeros,
        }
    }
}

impl LineOfBlock {
    fn include(&mut self, k: usize, deviation: f64, u: f64) {
        self.lows[k] = self.lows[k].min(deviation);
        self.highs[k] = self.highs[k].max(deviation);
        self.gains[k] += u * deviation;
    }

    fn range(&self, k: usize) -> f64 {
        self.highs[k] - self.lows[k]
    }
}

/// The line of a row by |c|, the u of its logged action, π(a_i|x_i), and |c|Var_π(f).
///
/// Products with |c| lose what underflows. [`LEAST_SHARE`] of them stands for it.
pub(super) fn along_factor((c, u): (f64, f64), (pi, square): (f64, f64), range: f64, eta: f64) -> Along {
    if c == 0.0 {
        return Along { pi, rest: 1.0, variance: f64::INFINITY, range, eta };
    }
    let rest = ((u.abs() + LEAST_SHARE) / c).min(1.0);
    let variance = square / c + LEAST_SHARE / c * (range * range);
    Along { pi, rest, variance, range, eta }
}

/// The softmax of the rows of a block.
struct SoftmaxOfBlock {
    /// The largest score of an action on offer.
    tops: [f64; BLOCK],
    /// Σ_a exp(F_a − top), over all actions and over those that were not logged.
    totals: [f64; BLOCK],
    rests: [f64; BLOCK],
    /// exp(F_a − top) of the logged action, and its logarithm.
    of_logged: [f64; BLOCK],
    ln_of_logged: [f64; BLOCK],
}

impl Default for SoftmaxOfBlock {
    fn default() -> Self {
        let zeros = [0.0; BLOCK];
        Self { tops: [f64::MIN; BLOCK], totals: zeros, rests: zeros, of_logged: zeros, ln_of_logged: zeros }
    }
}

impl SoftmaxOfBlock {
    /// Looks at the scores of an action; `absent` is empty where it is on offer in all rows.
    fn include(&mut self, scores: &[f64], absent: &[bool]) {
        let tops = &mut self.tops;
        vectorised(
            #[inline(always)]
            || {
                // Lengths that the compiler sees: a check of bounds would be a branch.
                let rows = scores.len();
                let tops = &mut tops[..rows];
                if absent.is_empty() {
                    for k in 0..rows {
                        tops[k] = if scores[k] > tops[k] { scores[k] } else { tops[k] };
                    }
                } else {
                    let absent = &absent[..rows];
                    for k in 0..rows {
                        tops[k] = if (scores[k] > tops[k]) & !absent[k] { scores[k] } else { tops[k] };
                    }
                }
            },
        );
    }

    /// e ← exp(F_a − top) of an action, 0 where it is absent; adds it to the sums.
    fn exponentiate(&mut self, action: u32, scores: &[f64], absent: &[bool], logged: &[u32], e: &mut [f64]) {
        let Self { tops, totals, rests, of_logged, ln_of_logged } = self;
        vectorised(
            #[inline(always)]
            || {
                let rows = e.len();
                let (scores, logged, tops) = (&scores[..rows], &logged[..rows], &tops[..rows]);
                for k in 0..rows {
                    e[k] = exp(scores[k] - tops[k]);
                }
                if !absent.is_empty() {
                    let absent = &absent[..rows];
                    for k in 0..rows {
                        e[k] = if absent[k] { 0.0 } else { e[k] };
                    }
                }
                let (totals, rests) = (&mut totals[..rows], &mut rests[..rows]);
                for k in 0..rows {
                    totals[k] += e[k];
                    rests[k] += if logged[k] == action { 0.0 } else { e[k] };
                }
                let (of_logged, ln_of_logged) = (&mut of_logged[..rows], &mut ln_of_logged[..rows]);
                for k in 0..rows {
                    let is_logged = logged[k] == action;
                    of_logged[k] = if is_logged { e[k] } else { of_logged[k] };
                    ln_of_logged[k] = if is_logged { scores[k] - tops[k] } else { ln_of_logged[k] };
                }
            },
        );
    }
}

/// u ← c(1{a = a_i} − π_a) of an action a, from the numerators of its softmax; returns Σu². `factors` has c
/// over the denominators, and `rests` the numerators of the actions that were not logged: 1 − π(a_i) is their
/// sum, which does not cancel.
fn descend(
    action: u32,
    logged: &[u32],
    (factors, rests): (&[f64; BLOCK], &[f64; BLOCK]),
    u: &mut [f64],
) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let rows = u.len();
            let (logged, factors, rests) = (&logged[..rows], &factors[..rows], &rests[..rows]);
            for k in 0..rows {
                let (of_logged, of_other) = (factors[k] * rests[k], factors[k] * -u[k]);
                u[k] = if logged[k] == action { of_logged } else { of_other };
            }
            let mut squares = [0.0; LANES];
            let (eights, last) = u.as_chunks::<LANES>();
            for eight in eights {
                squares.iter_mut().zip(eight).for_each(|(sum, u)| *sum += u * u);
            }
            squares.iter().sum::<f64>() + last.iter().map(|u| u * u).sum::<f64>()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_magnitude_is_found_and_not_finite_if_a_value_is_not() {
        for n in [0_usize, 1, 7, 8, 20, 70_000] {
            let mut values: Vec<f64> = (0..n).map(|i| ((i * 37 % 101) as f64 - 50.0) / 7.0).collect();
            let expected = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            assert_eq!(largest(&values), expected);
            for place in [0, n / 2, n.saturating_sub(1)] {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    if let Some(v) = values.get_mut(place) {
                        let good = std::mem::replace(v, bad);
                        assert!(!largest(&values).is_finite());
                        values[place] = good;
                    }
                }
            }
        }
        assert_eq!(largest(&[1.0, -f64::MAX, 3.0]), f64::MAX);
    }
}
