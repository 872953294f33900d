//! Classification whose truth is a stump, or a majority of stumps.

use super::unit_sphere::Component;
use super::{Generator, GeneratorError, check_features};
use crate::dataset::Targets;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// y = majority of k stumps on k different columns, x uniform on [−1, 1)^m; with k = 1 a single stump is the
/// truth. Each stump votes s where `x_j` > θ and −s elsewhere, with θ uniform on [−½, ½) and s = ±1 by a
/// coin. As a data set, the classes are `-1` and `+1`.
///
/// Where `lasts` is set, the truth jumps: all stumps are drawn anew after every `lasts` examples.
///
/// A majority of k stumps is what boosting looks for and no single stump has: with k = 3 and θ = 0 each stump
/// of the truth agrees with the majority in three quarters of the cube, and so has advantage ½ over a coin.
///
/// ```
/// use datasets::synthetic::{Generator, StumpMajority};
/// let mut majority = StumpMajority::new(10, 3, None, 7)?;
/// let mut x = Vec::new();
/// let y = majority.draw(&mut x);
/// let votes: f64 = majority.truth().iter().map(|stump| stump.vote(&x)).sum();
/// assert_eq!(y, votes.signum());
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct StumpMajority {
    state: State,
}

/// One stump of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrueStump {
    /// j, the column.
    pub column: usize,
    /// θ, the threshold.
    pub threshold: f64,
    /// s, the vote above the threshold.
    pub sign: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    seed: u64,
    dimension: usize,
    stumps: Vec<TrueStump>,
    lasts: Option<u64>,
    round: u64,
    contexts: ChaCha8Rng,
    truths: ChaCha8Rng,
}

impl Generator for StumpMajority {
    fn dimension(&self) -> usize {
        self.state.dimension
    }

    fn seed(&self) -> u64 {
        self.state.seed
    }

    fn draw(&mut self, x: &mut Vec<f64>) -> f64 {
        let State { dimension, stumps, lasts, round, contexts, truths, .. } = &mut self.state;
        if *round > 0 && lasts.is_some_and(|lasts| *round % lasts == 0) {
            draw_stumps(*dimension, stumps, truths);
        }
        *round = round.saturating_add(1);
        x.clear();
        x.extend((0..*dimension).map(|_| 2.0 * contexts.random::<f64>() - 1.0));
        stumps.iter().map(|stump| stump.vote(x)).sum::<f64>().signum()
    }

    fn targets(&self, drawn: Vec<f64>) -> Targets {
        super::sign_classes(&drawn)
    }
}

impl StumpMajority {
    /// A generator with m features and a majority of k stumps, drawn anew after every `lasts` examples where
    /// that is set.
    ///
    /// # Errors
    /// [`GeneratorError::TooFewFeatures`] for m < k; [`GeneratorError::BadParameter`] for an even k, whose
    /// majority can be tied, and for a truth that lasts 0 rounds.
    pub fn new(m: usize, k: usize, lasts: Option<u64>, seed: u64) -> Result<Self, GeneratorError> {
        if m < k {
            return Err(GeneratorError::TooFewFeatures { least: k, got: m });
        }
        check_features(m)?;
        let mut stumps = vec![TrueStump { column: 0, threshold: 0.0, sign: 1.0 }; k];
        let mut truths = Component::Truth.rng(seed);
        draw_stumps(m, &mut stumps, &mut truths);
        let contexts = Component::Contexts.rng(seed);
        State { seed, dimension: m, stumps, lasts, round: 0, contexts, truths }.try_into()
    }

    /// The stumps behind the example drawn last, and behind the next one unless the truth then jumps.
    pub fn truth(&self) -> &[TrueStump] {
        &self.state.stumps
    }
}

impl TrueStump {
    /// s where `x_j` > θ, −s elsewhere.
    pub fn vote(&self, x: &[f64]) -> f64 {
        if x.get(self.column).is_some_and(|&x_j| x_j > self.threshold) { self.sign } else { -self.sign }
    }
}

fn draw_stumps(m: usize, stumps: &mut [TrueStump], rng: &mut ChaCha8Rng) {
    let mut all: Vec<usize> = (0..m).collect();
    let (columns, _) = all.partial_shuffle(rng, stumps.len());
    for (stump, &mut column) in stumps.iter_mut().zip(columns) {
        let (threshold, heads) = (rng.random::<f64>() - 0.5, rng.random::<bool>());
        *stump = TrueStump { column, threshold, sign: if heads { 1.0 } else { -1.0 } };
    }
}

impl From<StumpMajority> for State {
    fn from(generator: StumpMajority) -> Self {
        generator.state
    }
}

impl TryFrom<State> for StumpMajority {
    type Error = GeneratorError;

    fn try_from(state: State) -> Result<Self, GeneratorError> {
        let bad = |name, value, requirement| Err(GeneratorError::BadParameter { name, value, requirement });
        if state.stumps.len().is_multiple_of(2) {
            return bad("number of stumps", state.stumps.len() as f64, "odd");
        }
        check_features(state.dimension)?;
        if state.lasts == Some(0) {
            return bad("rounds that a truth lasts", 0.0, "at least 1");
        }
        if let Some(stump) = state.stumps.iter().find(|stump| stump.column >= state.dimension) {
            return bad("column of a stump", stump.column as f64, "below the number of features");
        }
        if let Some(stump) = state.stumps.iter().find(|stump| !(stump.threshold.abs() <= LARGEST)) {
            return bad("threshold of a stump", stump.threshold, "between −1e140 and 1e140");
        }
        if let Some(stump) = state.stumps.iter().find(|stump| stump.sign.abs() != 1.0) {
            return bad("vote of a stump", stump.sign, "−1 or +1");
        }
        Ok(Self { state })
    }
}
