//! The problems: sets with a cheap linear minimisation, and streams of smooth losses with known constants.

use super::geometry::Geometry;
use super::round_loss::RoundLoss;
use crate::runner::ExperimentError;
use datasets::{MinMax, Name, SearchPath, StandIn, load, permutation, with_constant};
use oco_core::losses::Loss;
use projections::{L1Ball, Simplex, TraceNormBall, start_point};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::record::Provenance;

/// The problems, real data first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// Rows of abalone as squared losses of a linear model, on the ℓ1 ball.
    Abalone,
    /// Coin flips on the simplex: in every round a coin decides which of two coordinates gains 1.
    SimplexCoins,
    /// Coin flips on the ℓ1 ball.
    L1Coins,
    /// Coin flips on the trace-norm ball.
    TraceCoins,
    /// Squared distances to random targets on the simplex: strongly convex and stochastic.
    SimplexTargets,
}

impl Problem {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 5] =
        [Self::Abalone, Self::SimplexCoins, Self::L1Coins, Self::TraceCoins, Self::SimplexTargets];

    /// The name in tables and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abalone => "abalone, ℓ1 ball",
            Self::SimplexCoins => "coins, simplex",
            Self::L1Coins => "coins, ℓ1 ball",
            Self::TraceCoins => "coins, trace-norm ball",
            Self::SimplexTargets => "targets, simplex",
        }
    }

    /// The longest horizon of a method, as a power of two.
    pub fn longest(self) -> u32 {
        match self {
            Self::Abalone => 12, // 4177 rows, none shown twice
            Self::TraceCoins => 13,
            Self::SimplexCoins | Self::L1Coins | Self::SimplexTargets => 16,
        }
    }

    /// The most optimiser rounds of a run, as a power of two: linear minimisation over matrices is a hundred
    /// times as costly.
    pub fn budget(self, quick: bool) -> u32 {
        let full = if self == Self::TraceCoins { 17 } else { 21 };
        if quick { full - 6 } else { full }
    }
}

/// One trial's stream, with the constants known to its learners.
#[derive(Debug)]
pub struct Task {
    /// K.
    pub set: Box<dyn Geometry>,
    /// The projection of 0 onto K.
    pub start: Vec<f64>,
    /// ℓ_1, ℓ_2, …
    pub losses: Vec<RoundLoss>,
    /// D.
    pub diameter: f64,
    /// β, the largest smoothness of a loss.
    pub smoothness: f64,
    /// G, the largest gradient on K.
    pub gradient_bound: f64,
    /// E sup ⟨p, x − x'⟩ over K for a standard normal p, or an upper bound: the perturbation cost of FPL.
    pub width: f64,
    /// The provenance of the data.
    pub provenance: Provenance,
}

impl Task {
    /// The stream of one trial, `rounds` long.
    ///
    /// # Errors
    /// The errors of the reader and of the set.
    pub fn draw(
        problem: Problem,
        rounds: usize,
        seed: u64,
        trial: u64,
        search: &SearchPath,
    ) -> Result<Self, ExperimentError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(trial);
        let (set, width, losses, provenance): (Box<dyn Geometry>, f64, Vec<RoundLoss>, Provenance) =
            match problem {
                Problem::Abalone => {
                    let (losses, provenance) = abalone(rounds, seed, trial, search)?;
                    (
                        Box::new(L1Ball::new(RADIUS)?),
                        2.0 * RADIUS * largest_normal(losses.first().map_or(1, Loss::dimension)),
                        losses,
                        provenance,
                    )
                }
                Problem::SimplexCoins => {
                    let losses = coins(DIMENSION, rounds, &mut rng);
                    (
                        Box::new(Simplex::new(1.0)?),
                        2.0 * largest_normal(DIMENSION),
                        losses,
                        Provenance::Synthetic,
                    )
                }
                Problem::L1Coins => {
                    let losses = coins(DIMENSION, rounds, &mut rng);
                    (
                        Box::new(L1Ball::new(1.0)?),
                        2.0 * largest_normal(DIMENSION),
                        losses,
                        Provenance::Synthetic,
                    )
                }
                Problem::TraceCoins => {
                    let losses = coins(SIDE * SIDE, rounds, &mut rng);
                    // The operator norm of a Gaussian matrix is at most √m + √n in the mean.
                    let width = 4.0 * (SIDE as f64).sqrt();
                    (Box::new(TraceNormBall::new(SIDE, SIDE, 1.0)?), width, losses, Provenance::Synthetic)
                }
                Problem::SimplexTargets => {
                    let losses = targets(rounds, &mut rng);
                    (
                        Box::new(Simplex::new(1.0)?),
                        2.0 * largest_normal(DIMENSION),
                        losses,
                        Provenance::Synthetic,
                    )
                }
            };
        let n = losses.first().map_or(0, Loss::dimension);
        let mut start = vec![0.0; n];
        start_point(&set, &mut start)?;
        let diameter = set.diameter(n)?;
        let smoothness = losses.iter().map(RoundLoss::smoothness).fold(0.0, f64::max);
        // For coins and targets the bounds hardly differ between rounds, so one round is enough; all rows are
        // examined.
        let looked_at = if problem == Problem::TraceCoins { 1 } else { losses.len() };
        let mut gradient_bound = 0.0_f64;
        for loss in &losses[..looked_at] {
            gradient_bound = gradient_bound.max(loss.gradient_bound(set.as_ref(), diameter)?);
        }
        Ok(Self { set, start, losses, diameter, smoothness, gradient_bound, width, provenance })
    }
}

/// The dimension of the simplex and of the ℓ1 ball.
const DIMENSION: usize = 20;
/// The side of the matrices.
const SIDE: usize = 16;
/// The radius of abalone's ball of weights.
const RADIUS: f64 = 2.0;

/// The hard stream: in every round a coin decides which of the first two coordinates gains 1, on top of a
/// fixed smooth loss that curves the others only.
///
/// No learner foresees the coin, and the better coordinate in hindsight is ahead by the order of √T, so every
/// learner's regret grows as √T at least; and a learner that moves slowly from its start pays in each round
/// on the way.
fn coins(n: usize, rounds: usize, rng: &mut ChaCha8Rng) -> Vec<RoundLoss> {
    let size = 1.0 / ((n - 2) as f64).sqrt();
    let sign = |j: usize| if j.is_multiple_of(2) { size } else { -size };
    let row: Vec<f64> = (0..n).map(|j| if j < 2 { 0.0 } else { sign(j) }).collect();
    (0..rounds)
        .map(|_| RoundLoss::Row {
            row: row.clone(),
            label: 0.0,
            gain: Some(usize::from(rng.random::<bool>())),
        })
        .collect()
}

/// The benign stream: targets scattered uniformly around a point, the same in every trial, outside the
/// simplex.
fn targets(rounds: usize, rng: &mut ChaCha8Rng) -> Vec<RoundLoss> {
    let centre = |j: usize| 0.5 / (1.0 + j as f64);
    (0..rounds)
        .map(|_| {
            let target = (0..DIMENSION).map(|j| centre(j) + 0.2 * (rng.random::<f64>() - 0.5)).collect();
            RoundLoss::Distance { target }
        })
        .collect()
}

/// Rows in a random order, features moved to [0, 1] and a constant appended; rings, 1 to 29, moved to [−1,
/// 1].
fn abalone(
    rounds: usize,
    seed: u64,
    trial: u64,
    search: &SearchPath,
) -> Result<(Vec<RoundLoss>, Provenance), ExperimentError> {
    let dataset = load(Name::Abalone, search, StandIn { seed, rows: None })?;
    let order = permutation(dataset.len(), seed, trial)?;
    let all: Vec<usize> = (0..dataset.len()).collect();
    let scaler = MinMax::fit(&dataset.features, &all, &dataset.numeric_columns)?;
    let features = with_constant(&scaler.apply(&dataset.features)?)?;
    let rings = dataset.targets.values()?;
    let rows = order.iter().take(rounds).filter_map(|&i| features.row(i).zip(rings.get(i)));
    let losses = rows.map(|(row, rings)| RoundLoss::Row {
        row: row.to_dense(),
        label: (rings - 15.0) / 14.0,
        gain: None,
    });
    Ok((losses.collect(), Provenance::from(&dataset.provenance)))
}

/// A bound on E max |p_j| for n standard normal numbers.
fn largest_normal(n: usize) -> f64 {
    (2.0 * (2.0 * n as f64).ln()).sqrt()
}
