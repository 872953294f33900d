//! g and h of every pair as whole numbers of quanta.

use super::sums::{Sums, Word, add_up};
use crate::batch::contract::{in_pool, in_units};
use crate::pairs::{PairRound, PairWeights};
use crate::{LearnerError, Shard};
use rayon::prelude::*;
use rows::numeric::{exponent_above, scale, scale_down, vectorised};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Examples processed together: their running sums stay in the first-level cache.
const CHUNK: usize = 512;
/// Σ_a |g| and Σ_a h of an example are below 2^BITS, so that words hold the sums of many examples.
const BITS: i32 = 22;
/// The same for a round of at most [`FEW`] examples, where time does not matter.
const BITS_OF_FEW: i32 = 29;
const FEW: usize = 512;
/// Chunks of a unit of parallel work, which has sums of its own.
const CHUNKS: usize = 32;

/// The pairs of a round, eight bytes each, at a·n + i as in the round.
///
/// After its leaf is found, a pair holds the leaf's value.
#[derive(Debug, Default)]
pub(in crate::pairs) struct Quanta {
    words: Vec<AtomicU64>,
    /// For every example the sum over the actions of its node of several actions; there is at most one such
    /// node. Empty with one action.
    rest: Vec<AtomicU64>,
    /// Σ over the examples, action by action.
    pub(in crate::pairs) sums: Vec<Sums>,
    partial: Vec<Sums>,
    /// An upper bound on |g|/h of every pair, in quanta.
    pub(in crate::pairs) ratio: f64,
    /// The number of pairs, of different examples, of which a word holds the sum whatever they are.
    pub(in crate::pairs) held: usize,
    pub(in crate::pairs) units: Units,
}

impl Quanta {
    /// Quantises the examples of a rank among all; returns whether every Σ_a g is 0, on all ranks.
    ///
    /// The quanta of an example are differences of its rounded running sums Σ_(b≤a) g_b. Each is off by at
    /// most one, and if the g of an example sum to 0, so do its quanta. The quanta, the sums and the ratio
    /// are those of all ranks: sums are whole numbers, and the others are maxima.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] with more than 2^24 actions, [`LearnerError::ZeroWeights`],
    /// [`LearnerError::Ranks`].
    pub(in crate::pairs) fn take(
        &mut self,
        round: &PairRound<'_>,
        shard: &Shard,
    ) -> Result<bool, LearnerError> {
        let (n, actions) = (round.examples(), round.actions());
        if actions > 1 << 24 {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = actions as f64;
            return Err(LearnerError::BadParameter { name: "actions", value, domain: "|A| ≤ 2^24" });
        }
        // Σ_a of an example is below 2^bits, and so all sums below 2^52.
        let (total, ranks) = (shard.total(), shard.ranks());
        let most = if total <= FEW { BITS_OF_FEW } else { BITS };
        let bits = (52 - total.next_power_of_two().ilog2().cast_signed()).min(most);
        let [g, h] = exponents(round, shard)?.map(|exponent| exponent - bits);
        self.units = Units { g, h };
        self.held = 1 << (31 - bits);
        self.words.resize_with(n * actions, AtomicU64::default);
        let parts = n.div_ceil(CHUNK * CHUNKS);
        self.partial.clear();
        self.partial.resize(parts * actions, Sums::default());
        let units = self.units;
        let words = &self.words;
        self.rest.resize_with(if actions > 1 { n } else { 0 }, AtomicU64::default);
        let rest = &self.rest;
        let part = |(part, sums): (usize, &mut [Sums])| {
            let chunks = (part * CHUNKS..(part + 1) * CHUNKS).map(|chunk| chunk * CHUNK);
            let of_chunk = |first| quantise(round, units, first, (words, rest), sums);
            chunks.take_while(|first| *first < n).map(of_chunk).fold(EMPTY, combine)
        };
        let (is_flat, ratio) = if in_pool(words.len(), 1 << 16) {
            self.partial.par_chunks_mut(actions).enumerate().map(part).reduce(|| EMPTY, combine)
        } else {
            self.partial.chunks_mut(actions).enumerate().map(part).fold(EMPTY, combine)
        };
        let [ratio, uneven] = ranks.largest([f64::from(ratio), f64::from(u8::from(!is_flat))])?;
        // Three roundings to 24 bits.
        self.ratio = ratio * (1.0 + 1e-6);
        self.sums.clear();
        self.sums.resize(actions, Sums::default());
        for sums in self.partial.chunks(actions) {
            self.sums.iter_mut().zip(sums).for_each(|(all, sums)| *all += *sums);
        }
        add_up(&mut self.sums, ranks, &mut Vec::new())?;
        Ok(uneven == 0.0)
    }

    /// The quanta of some pairs, with the units of others: pair (i, a) at a·n + i.
    ///
    /// The sums of its rows go into the second list.
    pub(super) fn of_some(&self, [words, mut rest]: [Vec<AtomicU64>; 2], sums: Vec<Sums>) -> Self {
        let n = words.len() / sums.len().max(1);
        rest.resize_with(if sums.len() > 1 { n } else { 0 }, AtomicU64::default);
        let of_row = |i: usize| words[i..].iter().step_by(n).map(Word::load);
        let sum = |i: usize| of_row(i).fold(Word::default(), |sum, word| sum + word);
        rest.iter().enumerate().for_each(|(i, word)| sum(i).store(word));
        let Self { ratio, held, units, .. } = *self;
        Self { words, rest, sums, partial: Vec::new(), ratio, held, units }
    }

    /// The lists that [`of_some`](Self::of_some) has got.
    pub(super) fn into_words(self) -> [Vec<AtomicU64>; 2] {
        [self.words, self.rest]
    }

    /// All pairs, at a·n + i.
    pub(in crate::pairs) fn all(&self) -> &[AtomicU64] {
        &self.words
    }

    /// The pairs of one action.
    pub(in crate::pairs) fn of(&self, action: u32) -> &[AtomicU64] {
        let n = self.words.len() / self.sums.len();
        &self.words[action as usize * n..][..n]
    }

    /// The sums over the actions of the node of several actions.
    pub(in crate::pairs) fn rest(&self) -> &[AtomicU64] {
        &self.rest
    }

    /// Copies the values of the leaves.
    pub(in crate::pairs) fn answers(&self, values: &mut [f64]) {
        let copy = |(values, words): (&mut [f64], &[AtomicU64])| {
            values.iter_mut().zip(words).for_each(|(v, word)| *v = f64::from_bits(word.load(Relaxed)));
        };
        const PART: usize = 1 << 15;
        if in_pool(values.len(), 2 * PART) {
            values.par_chunks_mut(PART).zip(self.words.par_chunks(PART)).for_each(copy);
        } else {
            copy((values, &self.words));
        }
    }
}

/// The nearest whole number, for |v| < 2^31: the sum with SHIFT has a last bit of 1, so it is rounded to a
/// whole number.
#[inline(always)]
fn nearest(v: f64) -> i32 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    #[allow(clippy::cast_possible_truncation, reason = "the upper half is that of the shift")]
    let whole = (v + SHIFT).to_bits() as i32;
    whole
}

/// Whether every Σ_a g is 0, and the largest |g|/h.
type ChunkSummary = (bool, f32);

const EMPTY: ChunkSummary = (true, 0.0);

fn combine(one: ChunkSummary, other: ChunkSummary) -> ChunkSummary {
    (one.0 & other.0, one.1.max(other.1))
}

/// Writes the quanta of some examples and adds them up, action by action.
fn quantise(
    round: &PairRound<'_>,
    units: Units,
    first: usize,
    (words, rest): (&[AtomicU64], &[AtomicU64]),
    sums: &mut [Sums],
) -> ChunkSummary {
    let n = round.examples();
    let len = CHUNK.min(n - first);
    let [g_factors, h_factors] = [units.g, units.h].map(Units::factors);
    let mut running = [0.0; CHUNK];
    let mut before = [0_i32; CHUNK];
    let mut g_quanta = [0_i32; CHUNK];
    let mut h_quanta = [0_i32; CHUNK];
    let mut h_sums = [0_i32; CHUNK];
    let mut ratios = [0.0_f32; CHUNK];
    let weigh = |h: &[f64], quanta: &mut [i32; CHUNK]| {
        vectorised(
            #[inline(always)]
            || {
                for (h, quanta) in h.iter().zip(quanta) {
                    // A positive weight counts at least one quantum.
                    *quanta = nearest(h * h_factors[0] * h_factors[1]).max(i32::from(*h > 0.0));
                }
            },
        );
    };
    if let PairWeights::OfExamples(h) = round.weights() {
        weigh(&h[first..][..len], &mut h_quanta);
    }
    for (a, sums) in sums.iter_mut().enumerate() {
        let place = a * n + first;
        if let PairWeights::OfPairs(h) = round.weights() {
            weigh(&h[place..][..len], &mut h_quanta);
        }
        let g = &round.gradients()[place..][..len];
        let (g_sum, h_sum) = vectorised(
            #[inline(always)]
            || {
                // Lengths that the compiler sees: a check of bounds would be a branch.
                let len = g.len();
                let (running, before) = (&mut running[..len], &mut before[..len]);
                let (g_quanta, h_quanta) = (&mut g_quanta[..len], &h_quanta[..len]);
                for k in 0..len {
                    running[k] += g[k] * g_factors[0] * g_factors[1];
                    let now = nearest(running[k]);
                    g_quanta[k] = now - before[k];
                    before[k] = now;
                }
                let (h_sums, ratios) = (&mut h_sums[..len], &mut ratios[..len]);
                let (mut g_sum, mut h_sum) = (0, 0);
                for k in 0..len {
                    h_sums[k] += h_quanta[k];
                    g_sum += i64::from(g_quanta[k]);
                    h_sum += i64::from(h_quanta[k]);
                }
                for k in 0..len {
                    // A pair of weight 0 has g = 0.
                    let this = g_quanta[k].abs() as f32 / h_quanta[k].max(1) as f32;
                    ratios[k] = if this > ratios[k] { this } else { ratios[k] };
                }
                (g_sum, h_sum)
            },
        );
        let quanta = g_quanta.iter().zip(&h_quanta);
        words[place..][..len].iter().zip(quanta).for_each(|(word, (g, h))| Word::pack(*g, *h).store(word));
        *sums += Sums { g: g_sum as f64, h: h_sum as f64 };
    }
    // The last of the running sums is that of all.
    for ((rest, g), h) in rest.iter().skip(first).take(len).zip(&before).zip(&h_sums) {
        Word::pack(*g, *h).store(rest);
    }
    (before[..len].iter().all(|g| *g == 0), ratios.iter().fold(0.0, |most: f32, ratio| most.max(*ratio)))
}

/// For g and for h, an e with Σ_a |g| < 2^e for every example of all ranks.
fn exponents(round: &PairRound<'_>, shard: &Shard) -> Result<[i32; 2], LearnerError> {
    let (n, actions) = (round.examples(), round.actions());
    let of_part = |part: usize| {
        let mut largest = [0.0_f64; 2];
        for chunk in part * CHUNKS..(part + 1) * CHUNKS {
            let first = chunk * CHUNK;
            if first < n {
                let [g, h] = largest_of_chunk(round, first);
                largest = [largest[0].max(g), largest[1].max(h)];
            }
        }
        largest
    };
    let parts = n.div_ceil(CHUNK * CHUNKS);
    let most = |[g, h]: [f64; 2], [g_2, h_2]: [f64; 2]| [g.max(g_2), h.max(h_2)];
    let largest = if in_pool(n * actions, 1 << 16) {
        (0..parts).into_par_iter().map(of_part).reduce(|| [0.0; 2], most)
    } else {
        (0..parts).map(of_part).fold([0.0; 2], most)
    };
    let several = actions.next_power_of_two().ilog2().cast_signed();
    let largest = shard.ranks().largest(largest)?;
    // A positive h is part of a positive sum.
    if largest[1] == 0.0 {
        return Err(LearnerError::ZeroWeights);
    }
    if largest.iter().all(|largest| *largest < f64::MAX / 2.0) {
        return Ok(largest.map(|largest| exponent_above(largest) + 1));
    }
    // A sum is beyond the range.
    let (PairWeights::OfExamples(h) | PairWeights::OfPairs(h)) = round.weights();
    let of_one = [round.gradients(), h].map(|of_pairs| of_pairs.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
    let of_one = shard.ranks().largest(of_one)?;
    Ok([0, 1].map(|k| match largest[k] < f64::MAX / 2.0 {
        true => exponent_above(largest[k]) + 1,
        false => exponent_above(of_one[k]) + several + 1,
    }))
}

/// The largest Σ_a |g| and Σ_a h of some examples.
fn largest_of_chunk(round: &PairRound<'_>, first: usize) -> [f64; 2] {
    let n = round.examples();
    let len = CHUNK.min(n - first);
    let most = |sums: &[f64; CHUNK]| sums.iter().fold(0.0, |most: f64, v| if *v > most { *v } else { most });
    let (mut g_sums, mut h_sums) = ([0.0; CHUNK], [0.0; CHUNK]);
    for a in 0..round.actions() {
        let place = a * n + first;
        let add = |sums: &mut [f64; CHUNK], v: &[f64]| {
            sums.iter_mut().zip(v).for_each(|(sum, v)| *sum += v.abs());
        };
        add(&mut g_sums, &round.gradients()[place..][..len]);
        if let PairWeights::OfPairs(h) = round.weights() {
            add(&mut h_sums, &h[place..][..len]);
        }
    }
    if let PairWeights::OfExamples(h) = round.weights() {
        for (sum, h) in h_sums.iter_mut().zip(&h[first..][..len]) {
            *sum = h * round.actions() as f64;
        }
    }
    [most(&g_sums), most(&h_sums)]
}

/// A quantum of g is 2^g, one of h 2^h.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::pairs) struct Units {
    pub(in crate::pairs) g: i32,
    pub(in crate::pairs) h: i32,
}

impl Units {
    /// 2^−unit as two factors, because the power itself may be beyond the range.
    pub(in crate::pairs) fn factors(unit: i32) -> [f64; 2] {
        [in_units(1.0, unit / 2), in_units(1.0, unit - unit / 2)]
    }

    /// A gradient in quanta of g, without rounding.
    pub(in crate::pairs) fn gradient(self, g: f64) -> f64 {
        in_units(g, self.g)
    }

    /// A weight in quanta of h.
    pub(in crate::pairs) fn weight(self, h: f64) -> f64 {
        in_units(h, self.h)
    }

    /// G/(H + λ) of sums in quanta, with H + λ > 0; ±[`f64::MAX`] beyond the range.
    pub(in crate::pairs) fn mean(self, sums: Sums, lambda: f64) -> f64 {
        // H + λ between 1/2 and 2^54 in units of the larger of a quantum and λ.
        let unit = if lambda > 0.0 { self.h.max(exponent_above(lambda)) } else { self.h };
        let mean = sums.g / (scale_down(sums.h, (unit - self.h).unsigned_abs()) + in_units(lambda, unit));
        scale(mean, self.g - unit).clamp(f64::MIN, f64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quanta_of_an_example_sum_to_0_where_its_gradients_do() {
        let (n, actions) = (700, 5);
        let part = |i: usize, a: usize| 1.0 + (1.7 * (i * actions + a) as f64).sin();
        let total = |i: usize| (0..actions).map(|a| part(i, a)).sum::<f64>();
        let one = |i: usize, a: usize| f64::from(u8::from(a == i % actions));
        let g = |k: usize| one(k % n, k / n) - part(k % n, k / n) / total(k % n);
        let g: Vec<f64> = (0..n * actions).map(g).collect();
        let weights = vec![1.0; n];
        let mut quanta = Quanta::default();
        let round = PairRound::new(n, actions, &g, PairWeights::OfExamples(&weights));
        assert_eq!(round.and_then(|round| quanta.take(&round, &Shard::whole(n))), Ok(true));
        let sum = |i: usize| {
            (0..actions).map(|a| i64::from(Word::load(&quanta.words[a * n + i]).unpack().0)).sum::<i64>()
        };
        assert!((0..n).all(|i| sum(i) == 0 && Word::load(&quanta.rest[i]).unpack().0 == 0));
    }
}
