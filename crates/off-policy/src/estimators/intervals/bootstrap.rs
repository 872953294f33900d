//! The bootstrap.

use crate::estimators::definitions::{Estimator, EstimatorSettings};
use crate::estimators::error::EstimateError;
use crate::estimators::intervals::{Interval, probability};
use crate::estimators::observations::Observations;
use crate::estimators::pass::block::Block;
use crate::estimators::pass::moments::ROWS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::numeric::Wide;

/// Percentile intervals of all estimators from one pass \[ET93, Section 13.3\]: every replicate sees row i as
/// often as a Poisson(1) draw says \[CMNN12\], the same for all estimators, and estimates from what it saw.
///
/// A Poisson bootstrap, because the number of rows need not be known and no row has to be kept; the usual
/// one, which draws n of n rows, gives every row a Binomial(n, 1/n) number of times instead. IPS, DM, DR and
/// the like are Σ N_i t_i/Σ N_i, SNIPS is Σ N_i w_i r_i/Σ N_i w_i.
///
/// *Randomness:* replicate b draws from ChaCha8 of the given seed on a stream of its own, one number a row:
/// the same rows give the same bits. *Memory:* O(B). *Cost:* B draws a row, a few nanoseconds each.
///
/// ```
/// use off_policy::estimators::{Bootstrap, Resampling, Estimator, EstimatorSettings, Tables};
/// let rewards: [f64; 100] = std::array::from_fn(|i| if i < 50 { 0.0 } else { 1.0 });
/// let actions = [0; 100];
/// let tables = Tables::new(1, &actions, &[1.0; 100], &rewards, &[1.0; 100], None)?;
/// let resampling = Resampling { replicates: 999, seed: 7 };
/// let bootstrap = Bootstrap::of(&tables, EstimatorSettings::default(), resampling)?;
/// let interval = bootstrap.interval(Estimator::Ips, 0.05)?.ok_or(off_policy::LogError::Empty)?;
/// assert!(interval.lower > 0.36 && interval.lower < 0.44 && interval.contains(0.5)); // ½ ± 1.96·0.05
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    replicates: u32,
    /// Of every estimator the values that were defined, rising.
    values: [Vec<f64>; ESTIMATORS],
}

/// How often a [`Bootstrap`] draws the rows again, and the seed of the draws. The default: 999 replicates of
/// seed 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// B, 1 to 2²⁰.
    pub replicates: u32,
    /// Of all streams.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { replicates: 999, seed: 0 }
    }
}

const ESTIMATORS: usize = Estimator::ALL.len();
/// Five terms, the weight and the number 1.
const SUMS: usize = 8;
const WEIGHT: usize = 5;
const COUNT: usize = 6;
/// Of which each holds half a kilobyte: with more, a slip of the caller would be memory that is asked for.
const MOST_REPLICATES: u32 = 1 << 20;
/// Streams start here, far from those of generators that are numbered from 0.
const FIRST_STREAM: u64 = 1 << 40;

impl Bootstrap {
    /// B replicates, 1 ≤ B ≤ 2²⁰.
    ///
    /// # Errors
    /// [`EstimateError::BadParameter`] for another B; what the observations refuse, and rows that
    /// [`Accumulator::observe`](crate::estimators::Accumulator::observe) does;
    /// [`LogError::Empty`](crate::LogError::Empty).
    pub fn of(
        observations: &impl Observations,
        settings: EstimatorSettings,
        Resampling { replicates, seed }: Resampling,
    ) -> Result<Self, EstimateError> {
        if !(1..=MOST_REPLICATES).contains(&replicates) {
            let (name, value, domain) = ("replicates", f64::from(replicates), "1, 2, …, 2^20");
            return Err(EstimateError::BadParameter { name, value, domain });
        }
        let mut samples = Samples::new(replicates, seed);
        let mut block = Block::EMPTY;
        let mut seen = 0;
        observations.visit(|row| {
            row.check(seen)?;
            let w = row.weight(seen)?;
            if let Some(ranges) = settings.ranges() {
                ranges.check(seen, row, w, observations.has_model())?;
            }
            seen += 1;
            if block.push(row, w) {
                samples.add(&block, settings);
                block.len = 0;
            }
            Ok(())
        })?;
        if seen == 0 {
            return Err(crate::LogError::Empty.into());
        }
        samples.add(&block, settings);
        Ok(samples.finish(observations.has_model()))
    }

    /// B.
    #[must_use]
    pub fn replicates(&self) -> u32 {
        self.replicates
    }

    /// Of how many replicates an estimator was defined: a replicate that saw no row, or for SNIPS no weight,
    /// has no value, and is left out. 0 without a model for the estimators that need one.
    #[must_use]
    pub fn defined(&self, estimator: Estimator) -> usize {
        self.values[estimator as usize].len()
    }

    /// The k-th value from below and the k-th from above, k = ⌊(B + 1)δ/2⌋ with the B that were defined.
    /// `None` without replicates, and if too few of them are defined.
    ///
    /// # Errors
    /// [`EstimateError::BadParameter`], [`EstimateError::NotFinite`] for δ, which has to be at least 2/(B +
    /// 1).
    pub fn interval(&self, estimator: Estimator, delta: f64) -> Result<Option<Interval>, EstimateError> {
        let delta = probability("delta", delta)?;
        if rank(f64::from(self.replicates), delta) < 1 {
            let (name, domain) = ("delta", "[2/(replicates + 1), 1)");
            return Err(EstimateError::BadParameter { name, value: delta, domain });
        }
        let values = &self.values[estimator as usize];
        let below = rank(values.len() as f64, delta).checked_sub(1);
        let ends = below.and_then(|below| Some((values.get(below)?, values.iter().rev().nth(below)?)));
        Ok(ends.map(|(lower, upper)| Interval { lower: *lower, upper: *upper }))
    }
}

/// ⌊(B + 1)δ/2⌋, not moved by rounding.
fn rank(replicates: f64, delta: f64) -> usize {
    let rank = (replicates + 1.0) * delta / 2.0 * (1.0 + 1e-12);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ rank < 2^32")]
    let rank = rank as usize;
    rank
}

/// The sums of every replicate.
struct Samples {
    generators: Vec<ChaCha8Rng>,
    sums: Vec<[Wide; SUMS]>,
    poisson: Poisson,
}

impl Samples {
    fn new(replicates: u32, seed: u64) -> Self {
        let on_stream = |b| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(FIRST_STREAM + u64::from(b));
            rng
        };
        let generators: Vec<_> = (0..replicates).map(on_stream).collect();
        let sums = vec![[Wide::ZERO; SUMS]; generators.len()];
        Self { generators, sums, poisson: Poisson::one() }
    }

    /// Draws every row of a block for every replicate.
    fn add(&mut self, block: &Block, settings: EstimatorSettings) {
        let (terms, scales) = scaled_terms(block, settings);
        for (rng, sums) in self.generators.iter_mut().zip(&mut self.sums) {
            let mut of_block = [0.0; SUMS];
            for row in &terms[..block.len] {
                let times = self.poisson.times(rng.next_u32());
                for (sum, term) in of_block.iter_mut().zip(row) {
                    *sum += times * term;
                }
            }
            for ((sum, of_block), scale) in sums.iter_mut().zip(of_block).zip(scales) {
                *sum = *sum + Wide::scaled(of_block, scale);
            }
        }
    }

    fn finish(self, has_model: bool) -> Bootstrap {
        let of = |estimator: Estimator| {
            let (numerator, denominator) = match estimator {
                Estimator::Ips => (0, COUNT),
                Estimator::ClippedIps => (1, COUNT),
                Estimator::Snips => (0, WEIGHT),
                Estimator::Dm => (2, COUNT),
                Estimator::Dr => (3, COUNT),
                Estimator::SwitchDr => (4, COUNT),
            };
            if !has_model && (2..WEIGHT).contains(&numerator) {
                return Vec::new();
            }
            let defined = self.sums.iter().filter(|sums| !sums[denominator].is_zero());
            let mut values: Vec<f64> =
                defined.map(|sums| (sums[numerator] / sums[denominator]).saturated()).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let replicates = u32::try_from(self.sums.len()).unwrap_or(u32::MAX);
        Bootstrap { replicates, values: Estimator::ALL.map(of) }
    }
}

/// The terms of a block, every column times a power of two that brings its largest magnitude into [1, 2), and
/// the exponents of these powers.
fn scaled_terms(block: &Block, settings: EstimatorSettings) -> ([[f64; SUMS]; ROWS], [i64; SUMS]) {
    let mut wide = [[Wide::ZERO; SUMS]; ROWS];
    let mut scales = [i64::MIN; SUMS];
    for (i, row) in wide.iter_mut().enumerate().take(block.len) {
        row[..WEIGHT].copy_from_slice(&block.terms(i, settings));
        row[WEIGHT] = block.weights[i].into();
        row[COUNT] = 1.0.into();
        for (scale, term) in scales.iter_mut().zip(row.iter()) {
            *scale = term.exponent().map_or(*scale, |e| e.max(*scale));
        }
    }
    let scales = scales.map(|e| if e == i64::MIN { 0 } else { e });
    let narrow = |row: [Wide; SUMS]| std::array::from_fn(|j| row[j].over_power_of_two(scales[j]));
    (wide.map(narrow), scales)
}

/// Draws of a Poisson number of mean 1 from 32 uniform bits.
struct Poisson {
    /// ⌊2³²·P(N ≤ k)⌋ for k = 0, 1, …
    below: [u32; 12],
    /// What the first eight bits decide, or 255 where they do not.
    first: [u8; 256],
}

impl Poisson {
    fn one() -> Self {
        const INVERSE_OF_E: f64 = 0.367_879_441_171_442_33;
        let (mut below, mut p, mut sum, mut k) = ([0; 12], INVERSE_OF_E, 0.0, 0.0);
        for entry in &mut below {
            sum += p;
            k += 1.0;
            p /= k;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^32")]
            let threshold = (sum * 4_294_967_296.0) as u32;
            *entry = threshold;
        }
        let count = |bits: u32| below.iter().take_while(|end| bits >= **end).count();
        let first = std::array::from_fn(|top| {
            let low = (0..).step_by(1 << 24).nth(top).unwrap_or(0);
            let (from, to) = (count(low), count(low | 0x00ff_ffff));
            if from == to { u8::try_from(from).unwrap_or(u8::MAX) } else { u8::MAX }
        });
        Self { below, first }
    }

    #[inline]
    fn times(&self, bits: u32) -> f64 {
        match self.first[(bits >> 24) as usize] {
            u8::MAX => f64::from(self.below.iter().map(|end| u8::from(bits >= *end)).sum::<u8>()),
            times => f64::from(times),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Poisson;

    #[test]
    fn draws_have_the_probabilities_of_a_poisson_number_of_mean_1() {
        let poisson = Poisson::one();
        let mut factorial = 1.0;
        let mut below = 0.0;
        for k in 0..12_u32 {
            factorial *= f64::from(k.max(1));
            let end = poisson.below[k as usize];
            let probability = f64::from(end) / 2f64.powi(32) - below;
            assert!((probability - (-1f64).exp() / factorial).abs() < 1e-9, "P(N = {k})");
            assert_eq!(poisson.times(end - 1), f64::from(k));
            assert_eq!(poisson.times(end), f64::from(k + 1));
            below = f64::from(end) / 2f64.powi(32);
        }
        assert_eq!((poisson.times(0), poisson.times(u32::MAX)), (0.0, 12.0));
        for bits in (0..=u32::MAX).step_by(65_537) {
            let slow = poisson.below.iter().filter(|end| bits >= **end).count();
            assert_eq!(poisson.times(bits), slow as f64);
        }
    }
}
