//! The passes over all pairs of a log that a round makes.
//!
//! Pair (i, a) stands at a·n + i. A pass goes block by block, each of so many rows and all actions; what blocks sum up is
//! added in their order, so that the number of threads changes nothing.

use super::weighted_log::WeightedLog;
use super::{PolicyObjective, Smoothness};
use rayon::prelude::*;
use std::ops::{AddAssign, Deref};

/// The rows of a block: a few columns of that length stay in a core's own cache.
pub(super) const BLOCK: usize = 1024;

/// From so many pairs on threads are worth their start.
const WORTHWHILE: usize = 1 << 15;

/// Whether threads may share this much work: those of the rayon pool that the caller is in, and none outside of one.
pub(super) fn in_pool(pairs: usize) -> bool {
    pairs >= WORTHWHILE && rayon::current_thread_index().is_some()
}

/// What a look at the softmax of the scores shows, as sums over the log.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Look {
    /// The objective.
    pub(super) objective: f64,
    /// ‖u‖_F², a sum.
    pub(super) gradient_squared: f64,
    /// Σ π(a_i|x_i) r_i/p_i, a sum, on the rewards as they were.
    pub(super) reward: f64,
    /// Σ π(a_i|x_i)/p_i, a sum.
    pub(super) importance: f64,
}

impl AddAssign for Look {
    fn add_assign(&mut self, other: Self) {
        self.objective += other.objective;
        self.gradient_squared += other.gradient_squared;
        self.reward += other.reward;
        self.importance += other.importance;
    }
}

/// What decides on the step along f: sums over the log.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Along {
    /// U = Σ⟨u_i, f(x_i)⟩.
    pub(super) gain: f64,
    /// S = Σ s_i‖f(x_i)‖².
    pub(super) curvature: f64,
}

impl AddAssign for Along {
    fn add_assign(&mut self, other: Self) {
        self.gain += other.gain;
        self.curvature += other.curvature;
    }
}

/// max|v|, which is no finite number where some v is none.
pub(super) fn largest(values: &[f64]) -> f64 {
    const LANES: usize = 8;
    let of_part = |part: &[f64]| {
        // What is 0·v is 0 but for those.
        let (mut most, mut nothing) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        let (eights, last) = part.as_chunks::<LANES>();
        let mut see = |k: usize, v: f64| {
            most[k] = if v.abs() > most[k] { v.abs() } else { most[k] };
            nothing[k] += v.abs() * 0.0;
        };
        eights.iter().for_each(|eight| eight.iter().enumerate().for_each(|(k, v)| see(k, *v)));
        last.iter().for_each(|v| see(0, *v));
        most.iter().zip(&nothing).fold(0.0, |all, (most, nothing)| larger(all, most + nothing))
    };
    const PART: usize = 1 << 14;
    if in_pool(values.len()) {
        values.par_chunks(PART).map(of_part).reduce(|| 0.0, larger)
    } else {
        values.chunks(PART).map(of_part).fold(0.0, larger)
    }
}

/// The larger of two numbers of at least 0, or the one that is none.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Columns cut into blocks of rows: |A| parts a block, block after block.
pub(super) fn cut(n: usize, pairs: &mut [f64]) -> Vec<&mut [f64]> {
    let (blocks, actions) = (n.div_ceil(BLOCK), pairs.len() / n);
    let mut columns: Vec<_> = pairs.chunks_exact_mut(n).map(|column| column.chunks_mut(BLOCK)).collect();
    let mut parts = Vec::with_capacity(blocks * actions);
    for _ in 0..blocks {
        parts.extend(columns.iter_mut().filter_map(Iterator::next));
    }
    parts
}

/// Sums over blocks in their order.
fn total<S: AddAssign + Default + Send, B: Send>(
    is_shared: bool,
    blocks: Vec<B>,
    of: impl Fn((usize, B)) -> S + Sync + Send,
) -> S {
    let mut total = S::default();
    if is_shared {
        let sums: Vec<S> = blocks.into_par_iter().enumerate().map(of).collect();
        sums.into_iter().for_each(|sum| total += sum);
    } else {
        blocks.into_iter().enumerate().for_each(|block| total += of(block));
    }
    total
}

impl WeightedLog {
    /// Moves the scores by α·f where there is an f, and writes u of the softmax of the scores to `gradients`.
    pub(super) fn look<O: PolicyObjective>(
        &self,
        step: Option<(f64, &[f64])>,
        scores: &mut [f64],
        gradients: &mut [f64],
    ) -> Look {
        let (n, actions) = (self.len(), self.actions);
        let (mut scores, mut gradients) = (cut(n, scores), cut(n, gradients));
        let blocks: Vec<_> = scores.chunks_mut(actions).zip(gradients.chunks_mut(actions)).collect();
        total(in_pool(n * actions), blocks, |(b, (scores, u))| {
            let from = b * BLOCK;
            if let Some((alpha, f)) = step {
                for (a, column) in scores.iter_mut().enumerate() {
                    let f = &f[a * n + from..][..column.len()];
                    column.iter_mut().zip(f).for_each(|(score, f)| *score += alpha * f);
                }
            }
            self.look_at_block::<O, _>(from, scores, u)
        })
    }

    /// The objective at F + αf and its derivative in α, where F and f stay as they are.
    pub(super) fn probe<O: PolicyObjective>(&self, alpha: f64, scores: &[f64], f: &[f64]) -> (f64, f64) {
        let n = self.len();
        let blocks: Vec<usize> = (0..n.div_ceil(BLOCK)).collect();
        let sums = total(in_pool(n * self.actions), blocks, |(_, b)| {
            let (from, rows) = (b * BLOCK, BLOCK.min(n - b * BLOCK));
            let part = |pairs: &'_ [f64], a: usize| a * n + from..(a * n + from + rows).min(pairs.len());
            let mut moved = Vec::with_capacity(rows * self.actions);
            for a in 0..self.actions {
                let pairs = scores[part(scores, a)].iter().zip(&f[part(f, a)]);
                moved.extend(pairs.map(|(score, f)| score + alpha * f));
            }
            let columns: Vec<&[f64]> = moved.chunks_exact(rows).collect();
            let mut u = vec![0.0; moved.len()];
            let mut gradients: Vec<&mut [f64]> = u.chunks_exact_mut(rows).collect();
            let look = self.look_at_block::<O, _>(from, &columns, &mut gradients);
            let gain = (0..self.actions).map(|a| dot(gradients[a], &f[part(f, a)])).sum();
            Along { gain, curvature: look.objective }
        });
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = n as f64;
        (sums.curvature / n, -sums.gain / n)
    }

    /// U and S along f.
    pub(super) fn along<O: PolicyObjective>(&self, u: &[f64], f: &[f64], smoothness: Smoothness) -> Along {
        let n = self.len();
        let blocks: Vec<usize> = (0..n.div_ceil(BLOCK)).collect();
        total(in_pool(n * self.actions), blocks, |(_, b)| {
            let (from, to) = (b * BLOCK, n.min((b + 1) * BLOCK));
            let mut sums = Along::default();
            let mut squares = [0.0; BLOCK];
            for a in 0..self.actions {
                let pairs = a * n + from..a * n + to;
                let f = &f[pairs.clone()];
                sums.gain += dot(&u[pairs.clone()], f);
                if self.absent.is_empty() {
                    squares.iter_mut().zip(f).for_each(|(square, f)| *square += f * f);
                } else {
                    let present = f.iter().zip(&self.absent[pairs]);
                    let squared = present.map(|(f, absent)| if *absent { 0.0 } else { f * f });
                    squares.iter_mut().zip(squared).for_each(|(square, f)| *square += f);
                }
            }
            let curvatures = self.ratios[from..to].iter().map(|v| O::curvature(*v, smoothness));
            sums.curvature = curvatures.zip(&squares).map(|(s, square)| s * square).sum();
            sums
        })
    }

    /// u of the rows from `from` on; of these scores.
    fn look_at_block<O: PolicyObjective, S: Deref<Target = [f64]>>(
        &self,
        from: usize,
        scores: &[S],
        u: &mut [&mut [f64]],
    ) -> Look {
        let (n, rows) = (self.len(), scores.first().map_or(0, |column| column.len()));
        let (mut tops, mut sums, mut rests) = ([f64::MIN; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        let absent = |a: usize, k: usize| !self.absent.is_empty() && self.absent[a * n + from + k];
        for (a, column) in scores.iter().enumerate() {
            for (k, (top, score)) in tops.iter_mut().zip(&**column).enumerate() {
                *top = if absent(a, k) { *top } else { top.max(*score) };
            }
        }
        let logged = &self.logged[from..from + rows];
        for (a, (column, e)) in scores.iter().zip(u.iter_mut()).enumerate() {
            for (k, e) in e.iter_mut().enumerate() {
                *e = if absent(a, k) { 0.0 } else { (column[k] - tops[k]).exp() };
                sums[k] += *e;
                rests[k] += if logged[k] as usize == a { 0.0 } else { *e };
            }
        }
        let mut look = Look::default();
        let mut factors = [0.0; BLOCK];
        for k in 0..rows {
            let (a, v) = (logged[k] as usize, self.ratios[from + k]);
            let pi = u[a][k] / sums[k];
            let ln_pi = if O::USES_LOGARITHM { scores[a][k] - tops[k] - sums[k].ln() } else { 0.0 };
            look.objective += O::loss(v, pi, ln_pi);
            look.reward += self.untranslated[from + k] * pi;
            look.importance += pi / self.propensities[from + k];
            factors[k] = O::factor(v, pi) / sums[k];
        }
        for (a, e) in u.iter_mut().enumerate() {
            for (k, u) in e.iter_mut().enumerate() {
                // 1 − π(a_i) is the sum of the others, which does not cancel.
                *u = factors[k] * if logged[k] as usize == a { rests[k] } else { -*u };
                look.gradient_squared += *u * *u;
            }
        }
        look
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    rows::dot(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found_and_what_is_no_number_is_seen_wherever_it_stands() {
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
