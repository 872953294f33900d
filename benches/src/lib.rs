//! The boosters and the rows of the benchmarks.
//!
//! The rows come from a generator that is a few lines in any language, so that a peer
//! (`peers/rounds_numpy.py`) makes the same rows for itself, and `examples/average_loss.rs` can show that it
//! does the same work on them.

pub mod boosting;
pub mod classification;
mod floor;
pub mod machines;
pub mod off_policy;
pub mod sort_based;
pub mod trial;
mod vectors;

pub use floor::Floor;
pub use vectors::{STYLES, Style};

use boosters::gradient::{BanditGradientBoosting, OnlineGradientBoosting, Queries};
use oco_core::StepSchedule;
use projections::BoxSet;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use std::error::Error;
use weak_learners::{LearnerError, OgdLinear, Shape};

/// N, the number of weak learners.
pub const LEARNERS: usize = 20;
/// The number of different rows of a stream; a benchmark starts over after the last one.
pub const ROWS: usize = 1000;
/// The half-width of the uniform noise on the bandit booster's loss values.
pub const NOISE: f64 = 0.1;

/// One size of the input.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The name in the tables.
    pub name: &'static str,
    /// m.
    pub dimension: usize,
    /// The number of stored coordinates of a row; fewer than m make it sparse.
    pub stored: usize,
}

/// The timed sizes.
pub const CASES: [Case; 3] = [
    Case { name: "dense-10", dimension: 10, stored: 10 },
    Case { name: "dense-100", dimension: 100, stored: 100 },
    Case { name: "sparse-400", dimension: 400, stored: 40 },
];

/// Rows with their labels, and the prescribed directions and noise of the peer comparison.
#[derive(Debug)]
pub struct Stream {
    /// The rows, of mean squared norm 1.
    pub rows: RowMatrix,
    /// One label in [−1, 1] per row: half the sum of the row, with noise.
    pub labels: Vec<f64>,
    /// The directions ±1, [`LEARNERS`] per row.
    pub directions: Vec<f64>,
    /// The noise in ±[`NOISE`], [`LEARNERS`] per row.
    pub noise: Vec<f64>,
}

impl Stream {
    /// The stream of a case; always the same.
    ///
    /// # Errors
    /// None for the cases of [`CASES`].
    #[allow(clippy::cast_precision_loss, reason = "a row has at most a few hundred values")]
    pub fn new(case: Case) -> Result<Self, Box<dyn Error>> {
        let Case { dimension, stored, .. } = case;
        let size = (3.0 / stored as f64).sqrt();
        let values: Vec<f64> = uniform(1).map(|u| size * (2.0 * u - 1.0)).take(ROWS * stored).collect();
        let sums = values.chunks_exact(stored).map(|row| row.iter().sum::<f64>());
        let noisy = sums.zip(uniform(2)).map(|(sum, u)| 0.5 * sum + 0.2 * (2.0 * u - 1.0));
        let labels = noisy.map(|label| label.clamp(-1.0, 1.0)).collect();
        let rows = if stored == dimension {
            RowMatrix::dense(dimension, values)?
        } else {
            let offsets = (0..=ROWS).map(|row| row * stored).collect();
            RowMatrix::sparse(dimension, offsets, indices(case)?, values)?
        };
        let a_learner_a_row = ROWS * LEARNERS;
        let directions = uniform(4).map(|u| if u < 0.5 { -1.0 } else { 1.0 }).take(a_learner_a_row).collect();
        let noise = uniform(5).map(|u| NOISE * (2.0 * u - 1.0)).take(a_learner_a_row).collect();
        Ok(Self { rows, labels, directions, noise })
    }

    /// The rows with their labels, over and over.
    pub fn examples(&self) -> impl Iterator<Item = (Row<'_>, &f64)> {
        (0..ROWS).cycle().filter_map(|i| Some((self.rows.row(i)?, self.labels.get(i)?)))
    }
}

/// One index from each of `stored` blocks of equal length, so that they rise strictly.
fn indices(case: Case) -> Result<Vec<u32>, Box<dyn Error>> {
    let block = u32::try_from(case.dimension / case.stored)?;
    let starts = (0..u32::try_from(case.stored)?).map(|k| k * block).cycle();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in 0..block")]
    let within = uniform(3).map(|u| (u * f64::from(block)) as u32);
    Ok(starts.zip(within).map(|(start, offset)| start + offset).take(ROWS * case.stored).collect())
}

/// Numbers in [0, 1) from the SplitMix64 generator, whose k-th draw is a function of k.
pub fn uniform(seed: u64) -> impl Iterator<Item = f64> {
    (1u64..).map(move |k| {
        let mut z = seed.wrapping_add(k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        #[allow(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let mantissa = (z >> 11) as f64;
        mantissa / (1u64 << 53) as f64
    })
}

/// [`LEARNERS`] linear weak learners with steps 0.05·t^(−1/4) in the ball of radius 2.
fn weak_learners(case: Case) -> Result<Vec<OgdLinear>, LearnerError> {
    let shape = Shape { inputs: case.dimension, outputs: 1 };
    Ok(vec![OgdLinear::new(shape, StepSchedule::power(0.05, 0.25)?, 2.0)?; LEARNERS])
}

/// The booster with full information; Y = [−1, 1], γ = 1.
///
/// # Errors
/// None for the cases of [`CASES`].
pub fn full_information(case: Case) -> Result<OnlineGradientBoosting<OgdLinear, BoxSet>, Box<dyn Error>> {
    Ok(OnlineGradientBoosting::new(weak_learners(case)?, BoxSet::interval(-1.0, 1.0)?, 1.0)?)
}

/// The booster with bandit feedback at distance δ = 1/2; Y = [−1, 1], γ = 1.
///
/// # Errors
/// None for the cases of [`CASES`].
pub fn bandit(case: Case) -> Result<BanditGradientBoosting<OgdLinear, BoxSet>, Box<dyn Error>> {
    let queries = Queries { delta: 0.5, rng: ChaCha8Rng::seed_from_u64(1) };
    Ok(BanditGradientBoosting::new(weak_learners(case)?, BoxSet::interval(-1.0, 1.0)?, 1.0, queries)?)
}
