//! The classifiers and the labelled rows of the benchmarks.
//!
//! As elsewhere the rows come from a generator that is a few lines in any language, and
//! `peers/boosting_vw.py` makes the same rows for itself.

use crate::uniform;
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use oco_core::{OnlineLearner, StepSchedule};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use std::error::Error;
use weak_learners::online::{HedgeStumps, LogisticRegression, Thresholds};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

/// γ of the boosters with such a parameter.
pub const ADVANTAGE: f64 = 0.2;
/// The number of different examples of a stream.
pub const EXAMPLES: usize = 20_000;
/// The fraction of flipped labels.
const FLIPS: f64 = 0.1;

/// The kinds of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 20 numbers.
    Dense,
    /// As in the data set adult: 14 attributes, 6 numbers and 8 with 12 one-hot categories each; 14 of 102
    /// coordinates are stored.
    Sparse,
}

/// Both kinds.
pub const KINDS: [Kind; 2] = [Kind::Dense, Kind::Sparse];

impl Kind {
    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense-20",
            Self::Sparse => "sparse-102",
        }
    }

    /// The numbers of numeric attributes, of categorical attributes, and of categories of each.
    fn attributes(self) -> [usize; 3] {
        match self {
            Self::Dense => [20, 0, 0],
            Self::Sparse => [6, 8, 12],
        }
    }

    fn dimension(self) -> usize {
        let [numbers, attributes, categories] = self.attributes();
        numbers + attributes * categories
    }
}

/// Rows with labels ±1.
#[derive(Debug)]
pub struct Labelled {
    /// The rows; numbers lie in [−1, 1].
    pub rows: RowMatrix,
    /// The label of each.
    pub labels: Vec<Label>,
}

impl Labelled {
    /// The stream of a kind; always the same. A label is the sign of ⟨c, x⟩ + 2x₁x₂, flipped with probability
    /// 0.1: no linear model represents it.
    ///
    /// # Errors
    /// None.
    pub fn new(kind: Kind) -> Result<Self, Box<dyn Error>> {
        let [numbers, attributes, categories] = kind.attributes();
        let stored = numbers + attributes;
        let mut draws = uniform(11);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for _ in 0..EXAMPLES {
            for k in 0..stored {
                let u = draws.next().unwrap_or(0.0);
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    clippy::cast_precision_loss
                )]
                let category = (u * categories as f64) as usize;
                indices.push(u32::try_from(if k < numbers {
                    k
                } else {
                    k + (k - numbers) * (categories - 1) + category
                })?);
                values.push(if k < numbers { 2.0 * u - 1.0 } else { 1.0 });
            }
        }
        let c: Vec<f64> = uniform(12).map(|u| 2.0 * u - 1.0).take(kind.dimension()).collect();
        let examples = indices.chunks_exact(stored).zip(values.chunks_exact(stored)).zip(uniform(13));
        let label = |((indices, x), u): ((&[u32], &[f64]), f64)| {
            let inner: f64 = indices.iter().zip(x).map(|(&j, x)| c[j as usize] * x).sum();
            let y = Label::of_score(inner + 2.0 * x[0] * x[1]);
            if u < FLIPS { -y } else { y }
        };
        let labels = examples.map(label).collect();
        let rows = if attributes == 0 {
            RowMatrix::dense(numbers, values)?
        } else {
            RowMatrix::sparse(
                kind.dimension(),
                (0..=EXAMPLES).map(|t| t * stored).collect(),
                indices,
                values,
            )?
        };
        Ok(Self { rows, labels })
    }

    /// The examples, over and over.
    pub fn examples(&self) -> impl Iterator<Item = (Row<'_>, Label)> {
        (0..EXAMPLES).cycle().filter_map(|i| Some((self.rows.row(i)?, *self.labels.get(i)?)))
    }

    /// `length` examples from the one at `start` on.
    pub fn stretch(&self, start: usize, length: usize) -> impl Iterator<Item = (Row<'_>, Label)> {
        (start..start + length).filter_map(|i| Some((self.rows.row(i)?, *self.labels.get(i)?)))
    }
}

/// A classifier, one round at a time.
pub trait Player {
    /// Votes at x, then learns y.
    ///
    /// # Errors
    /// As its `round`.
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError>;
}

/// A classifier with its name in the tables.
pub type Contender = (&'static str, Box<dyn Player>);

struct Alone<W>(W);

impl<W: OnlinePredictor<Label>> Player for Alone<W> {
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        OnlineClassifier::round(&mut self.0, x, y)
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> Player for OnlineAgnosticBooster<W, A> {
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        self.round(x, y)
    }
}

impl<W: OnlinePredictor<Label>, A: OnlineLearner> Player for OnlineRealizableBooster<W, A> {
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        self.round(x, y)
    }
}

impl<W: OnlinePredictor<Label>> Player for OsBoost<W> {
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        self.round(x, y)
    }
}

impl<W: OnlinePredictor<Label>> Player for OnlineBbm<W> {
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        self.round(x, y)
    }
}

impl<W: OnlinePredictor<Label>> Player for AdaBoostOl<W> {
    fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        self.round(x, y)
    }
}

/// The kinds of weak learners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weak {
    /// Hedge over stumps with at most 8 thresholds per feature.
    Stumps,
    /// Online logistic regression with steps 0.5/√t.
    Logistic,
    /// Always votes +1 and never learns: the time is the booster's own work.
    Idle,
}

/// The weak learners.
pub const WEAK: [Weak; 3] = [Weak::Stumps, Weak::Logistic, Weak::Idle];

impl Weak {
    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stumps => "stumps",
            Self::Logistic => "logistic",
            Self::Idle => "idle",
        }
    }

    /// The weak learner alone, and each booster of N of them, by name.
    ///
    /// # Errors
    /// None.
    pub fn players(self, stream: &Labelled, learners: usize) -> Result<Vec<Contender>, Box<dyn Error>> {
        match self {
            Self::Stumps => {
                let sample = (0..1000).filter_map(|i| stream.rows.row(i));
                let thresholds = Thresholds::quantiles(sample, 8)?;
                let weak = |seed| HedgeStumps::anytime(thresholds.clone(), rng(seed));
                players((0..=learners as u64).map(weak).collect())
            }
            Self::Logistic => {
                let steps = StepSchedule::power(0.5, 0.5)?;
                let weak = LogisticRegression::new(stream.rows.dimension(), steps, 100.0)?;
                players(vec![weak; learners + 1])
            }
            Self::Idle => players(vec![Idle(stream.rows.dimension()); learners + 1]),
        }
    }
}

#[derive(Clone)]
struct Idle(usize);

impl OnlinePredictor<Label> for Idle {
    fn shape(&self) -> Shape {
        Shape { inputs: self.0, outputs: 1 }
    }

    fn predict(&mut self, _: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        y.fill(1.0);
        Ok(())
    }

    fn accepts(&self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        Ok(())
    }

    fn update(&mut self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        Ok(())
    }
}

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The first learner alone, and boosters of the others.
fn players<W: OnlinePredictor<Label> + Clone + 'static>(
    mut weak: Vec<W>,
) -> Result<Vec<Contender>, Box<dyn Error>> {
    let (mut others, key) = (weak.split_off(1), rng(1000));
    let mut all: Vec<Contender> = Vec::new();
    all.extend(weak.pop().map(|weak| ("alone", Box::new(Alone(weak)) as Box<dyn Player>)));
    let weak = || others.clone();
    all.push((
        "Algorithm 1",
        Box::new(OnlineAgnosticBooster::with_ogd(weak(), ADVANTAGE, &mut key.clone())?),
    ));
    all.push((
        "Algorithm 1 on [0, 1]",
        Box::new(OnlineAgnosticBooster::with_trusting_ogd(weak(), ADVANTAGE, &mut key.clone())?),
    ));
    all.push((
        "Algorithm 4",
        Box::new(OnlineRealizableBooster::with_ogd(weak(), ADVANTAGE, &mut key.clone())?),
    ));
    all.push(("OSBoost", Box::new(OsBoost::new(weak(), ADVANTAGE, &mut key.clone())?)));
    all.push(("Online BBM", Box::new(OnlineBbm::new(weak(), ADVANTAGE, &mut key.clone())?)));
    all.push(("AdaBoost.OL", Box::new(AdaBoostOl::new(std::mem::take(&mut others), &mut key.clone())?)));
    Ok(all)
}
