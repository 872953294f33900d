//! The streams: a source of examples, its label noise, and the stream of a trial.

use crate::runner::ExperimentError;
use datasets::letter::FIRST_HALF_OF_ALPHABET;
use datasets::synthetic::{
    DriftingClassification, LabelNoise, StumpMajority, flip_at_random, flip_blocks, flip_surest, generated,
};
use datasets::{Dataset, Name, SearchPath, StandIn, Standardiser, load, permutation, signs, with_constant};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use weak_learners::batch::Stump;
use weak_learners::online::{HedgeStumps, Thresholds};
use weak_learners::{Label, OnlinePredictor};

/// A source of examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Source {
    /// A real set, in a random order.
    Real(Name),
    /// Ten numbers in [−1, 1); one stump is right.
    OneStump,
    /// Ten numbers in [−1, 1); the majority of five stumps is right.
    FiveStumps,
    /// A direction in R^10; a half-space is right.
    HalfSpace,
    /// Ten numbers in [−1, 1); the majority of three stumps is right, and they are redrawn every quarter of
    /// the stream.
    Jumps,
    /// As the half-space, whose direction turns by π over the stream.
    Turns,
}

/// The label noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum LabelFlips {
    /// Each label flipped with this probability.
    Noise(f64),
    /// The last labels of every 200 flipped; this many.
    Blocks(usize),
    /// This share of the labels flipped: those that the best stump of the clean stream classifies correctly
    /// with the largest margin.
    Surest(f64),
}

/// One trial's examples, in order.
#[derive(Debug, Clone)]
pub struct Stream {
    /// Rows of all learners: number columns standardised, a constant appended, both fitted on rows that are
    /// not scored.
    pub rows: RowMatrix,
    /// The noisy labels, for learning and for scoring.
    pub labels: Vec<Label>,
    /// The class of stumps for the learners and for the comparator, from rows that are not scored.
    pub class: Thresholds,
}

/// The most rows that are not scored; a tenth of a smaller set.
const SET_ASIDE: usize = 1_000;
/// The most thresholds per feature.
const PER_FEATURE: usize = 7;
/// The period of blocks of wrong labels.
const PERIOD: usize = 200;

impl Source {
    /// All sources.
    pub const ALL: [Self; 10] = [
        Self::Real(Name::Adult),
        Self::Real(Name::Letter),
        Self::Real(Name::Census),
        Self::Real(Name::Spambase),
        Self::Real(Name::BreastCancer),
        Self::OneStump,
        Self::FiveStumps,
        Self::HalfSpace,
        Self::Jumps,
        Self::Turns,
    ];

    /// The name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Real(name) => name.as_str(),
            Self::OneStump => "one-stump",
            Self::FiveStumps => "five-stumps",
            Self::HalfSpace => "half-space",
            Self::Jumps => "jumps",
            Self::Turns => "turns",
        }
    }

    /// The real set; `None` if a trial draws its own examples. A stand-in has `rows` rows, or all if `rows`
    /// is `None`.
    ///
    /// # Errors
    /// The errors of the reader.
    pub fn load(
        self,
        search: &SearchPath,
        seed: u64,
        rows: Option<usize>,
    ) -> Result<Option<Dataset>, ExperimentError> {
        match self {
            Self::Real(name) => Ok(Some(load(name, search, StandIn { seed, rows })?)),
            _ => Ok(None),
        }
    }

    /// The stream of a trial: at most `longest` examples after the rows set aside, with label noise.
    ///
    /// A trial has the same clean examples for every kind of noise, and the flips of less noise are among
    /// those of more.
    ///
    /// # Errors
    /// The errors of the generators, the encoders and the stumps.
    pub fn stream(
        self,
        real: Option<&Dataset>,
        label_flips: LabelFlips,
        longest: usize,
        seed: u64,
        trial: u64,
    ) -> Result<Stream, ExperimentError> {
        let drawn;
        let (dataset, order) = match real {
            Some(dataset) => (dataset, permutation(dataset.len(), seed, trial)?),
            None => {
                drawn = self.drawn(longest, seed, trial)?;
                (&drawn, (0..drawn.len()).collect())
            }
        };
        let aside = SET_ASIDE.min(order.len() / 10);
        let order: Vec<usize> = order.into_iter().take(aside + longest).collect();
        let positive: &[u32] = if self == Self::Real(Name::Letter) { &FIRST_HALF_OF_ALPHABET } else { &[1] };
        let all = signs(&dataset.targets, positive)?;
        let clean: Vec<f64> = order.iter().skip(aside).map(|&i| all[i]).collect();
        let rows = dataset.features.select(order.iter().copied())?;
        let fitted: Vec<usize> = (0..aside).collect();
        let rows = Standardiser::fit(&rows, &fitted, &dataset.numeric_columns)?.apply(&rows)?;
        let rows = with_constant(&rows)?;
        let class = Thresholds::quantiles(rows.iter().take(aside), PER_FEATURE)?;
        let rows = rows.select(aside..order.len())?;
        let mut coins = ChaCha8Rng::seed_from_u64(seed);
        coins.set_stream((1 << 40) + trial);
        let told = match label_flips {
            LabelFlips::Noise(p) => flip_at_random(&clean, p, &mut coins)?,
            LabelFlips::Blocks(length) => flip_blocks(&clean, PERIOD, length)?,
            LabelFlips::Surest(share) => flip_surest(&clean, &distances(&rows, &clean, &class)?, share)?,
        };
        let labels = told.into_iter().map(Label::new).collect::<Result<_, _>>()?;
        Ok(Stream { rows, labels, class })
    }

    fn drawn(self, longest: usize, seed: u64, trial: u64) -> Result<Dataset, ExperimentError> {
        const M: usize = 10;
        let mut seeds = ChaCha8Rng::seed_from_u64(seed);
        seeds.set_stream((2 << 40) + trial);
        let (seed, n) = (seeds.random(), longest + SET_ASIDE.min(longest / 9));
        let lasts = Some((n as u64).div_ceil(4).max(1));
        let name = self.name();
        let data = match self {
            Self::OneStump => generated(name, &mut StumpMajority::new(M, 1, None, seed)?, n),
            Self::FiveStumps => generated(name, &mut StumpMajority::new(M, 5, None, seed)?, n),
            Self::Jumps => generated(name, &mut StumpMajority::new(M, 3, lasts, seed)?, n),
            Self::Turns => {
                let angle = std::f64::consts::PI / n as f64;
                generated(name, &mut DriftingClassification::new(M, angle, seed)?, n)
            }
            Self::HalfSpace | Self::Real(_) => generated(name, &mut LabelNoise::new(M, 0.0, seed)?, n),
        };
        Ok(data?)
    }
}

impl LabelFlips {
    /// The kinds of label noise for a source. Drifting sources have fewer: their true labels change already.
    pub fn about(source: Source) -> &'static [Self] {
        const ALL: [LabelFlips; 7] = [
            LabelFlips::Noise(0.0),
            LabelFlips::Noise(0.1),
            LabelFlips::Noise(0.2),
            LabelFlips::Noise(0.3),
            LabelFlips::Noise(0.4),
            LabelFlips::Blocks(PERIOD / 5),
            LabelFlips::Surest(0.2),
        ];
        match source {
            Source::Jumps | Source::Turns => &ALL[..5],
            _ => &ALL,
        }
    }
}

impl fmt::Display for LabelFlips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noise(p) => write!(f, "{:.0}% noise", 100.0 * p),
            Self::Blocks(length) => write!(f, "{}% in blocks", 100 * length / PERIOD),
            Self::Surest(p) => write!(f, "{:.0}% where surest", 100.0 * p),
        }
    }
}

/// s·(x_j − θ) for the stump with the fewest mistakes.
fn distances(rows: &RowMatrix, labels: &[f64], class: &Thresholds) -> Result<Vec<f64>, ExperimentError> {
    let labels = labels.iter().copied().map(Label::new).collect::<Result<Vec<_>, _>>()?;
    let (stump, _) = best_stump(rows, &labels, class)?;
    let distance = |x: Row<'_>| stump.split().map_or(1.0, |(j, theta)| x.get(j).unwrap_or(0.0) - theta);
    Ok(rows.iter().map(|x| stump.polarity().sign() * distance(x)).collect())
}

/// The stump with the largest gain on these examples, and its gain.
pub(super) fn best_stump(
    rows: &RowMatrix,
    labels: &[Label],
    class: &Thresholds,
) -> Result<(Stump, i64), ExperimentError> {
    // Hedge keeps the gains of all stumps in its sums; its votes are not used.
    let mut account = HedgeStumps::anytime(class.clone(), ChaCha8Rng::seed_from_u64(0));
    for (x, y) in rows.iter().zip(labels) {
        account.update(x, y)?;
    }
    Ok(account.best_expert())
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Source {
    type Err = ExperimentError;

    fn from_str(text: &str) -> Result<Self, ExperimentError> {
        let found = Self::ALL.into_iter().find(|source| source.name() == text);
        found.ok_or_else(|| ExperimentError::UnknownSource {
            text: text.to_owned(),
            known: Self::ALL.map(Self::name).to_vec(),
        })
    }
}

impl From<Source> for String {
    fn from(source: Source) -> Self {
        source.name().to_owned()
    }
}

impl TryFrom<String> for Source {
    type Error = ExperimentError;

    fn try_from(text: String) -> Result<Self, ExperimentError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests;
