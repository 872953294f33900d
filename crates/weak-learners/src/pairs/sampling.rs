//! Training on a part of the examples, or on a part of the columns.

use super::contract::{WORDS, check_share};
use super::{ColumnRestricted, PairLearner, PairRound, PairWeights};
use crate::LearnerError;
use crate::batch::Sample;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use ranks::{Ranks, Shard};
use serde::{Deserialize, Serialize};

/// The ranks of a sample that has all rows.
static ALONE: Ranks = Ranks::alone();

/// A learner trained on each example of a round, with all its pairs, with a given probability: XGBoost's
/// `subsample`.
///
/// An example that is not drawn has weight 0: it is predicted, but not fitted. If no drawn example has a
/// gradient, the round is trained on all examples. *Randomness:* one number an example and round, from its
/// own saved generator; a refused round draws nothing. Example i has the i-th number of the round, so that
/// ranks draw as one process does. *Cost:* that of the learner, and a copy of the round.
///
/// ```
/// use rand::SeedableRng;
/// use rows::RowMatrix;
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{ExactPairTree, PairGrowth, PairLearner, PairRound, PairWeights, RowSampling};
/// let contexts = SortedColumns::new(RowMatrix::dense(1, vec![0.0; 1000])?)?;
/// let g: Vec<f64> = (0..1000).map(f64::from).collect();
/// let round = PairRound::new(1000, 1, &g, PairWeights::OfExamples(&[1.0; 1000]))?;
/// let growth = PairGrowth::builder().max_depth(0).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let constant = ExactPairTree::new(growth);
/// let mut learner = RowSampling::new(constant, 0.5, rand_chacha::ChaCha8Rng::seed_from_u64(1))?;
/// let mut values = [0.0; 1000];
/// learner.train(&contexts, &round, &mut values)?;
/// // The mean of about half of the numbers, on all of them: near 499.5, and not equal to it.
/// assert!((values[0] - 499.5).abs() < 50.0 && values[0] != 499.5 && values == [values[0]; 1000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<L>", bound(deserialize = "L: Deserialize<'de>"))]
pub struct RowSampling<L> {
    learner: L,
    share: f64,
    rng: ChaCha8Rng,
    #[serde(skip)]
    drawn: Vec<bool>,
    #[serde(skip)]
    gradients: Vec<f64>,
    #[serde(skip)]
    weights: Vec<f64>,
}

impl<L> RowSampling<L> {
    /// Each example with probability `share`.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a share outside (0, 1].
    pub fn new(learner: L, share: f64, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        Unchecked { learner, share, rng }.try_into()
    }
}

impl<L: PairLearner> PairLearner for RowSampling<L> {
    type Contexts = L::Contexts;
    type Hypothesis = L::Hypothesis;

    fn train(
        &mut self,
        contexts: &Self::Contexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError> {
        round.check_against(contexts, values)?;
        self.on_a_part(contexts.shard(), round, |learner, part| learner.train(contexts, part, values))
    }
}

impl<L: ColumnRestricted> ColumnRestricted for RowSampling<L> {
    fn train_among(
        &mut self,
        contexts: &Self::Contexts,
        round: &PairRound<'_>,
        columns: &[bool],
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError> {
        round.check_against(contexts, values)?;
        let train =
            |learner: &mut L, part: &PairRound<'_>| learner.train_among(contexts, part, columns, values);
        self.on_a_part(contexts.shard(), round, train)
    }
}

impl<L: PairLearner> RowSampling<L> {
    /// Draws a part of a round, and trains the learner on it.
    fn on_a_part(
        &mut self,
        shard: Option<&Shard>,
        round: &PairRound<'_>,
        train: impl FnOnce(&mut L, &PairRound<'_>) -> Result<L::Hypothesis, LearnerError>,
    ) -> Result<L::Hypothesis, LearnerError> {
        let (n, actions) = (round.examples(), round.actions());
        let (first, total) = shard.map_or((0, n), |shard| (shard.first(), shard.total()));
        let mut rng = self.rng.clone();
        let number = |i: usize| self.rng.get_word_pos().wrapping_add(WORDS * i as u128);
        rng.set_word_pos(number(first));
        self.drawn.clear();
        self.drawn.extend((0..n).map(|_| rng.random::<f64>() < self.share));
        rng.set_word_pos(number(total));
        let drawn = &self.drawn;
        let (given, of_pairs) = match round.weights() {
            PairWeights::OfExamples(h) => (h, false),
            PairWeights::OfPairs(h) => (h, true),
        };
        let keep = |numbers: &[f64], kept: &mut Vec<f64>| {
            kept.clear();
            for column in numbers.chunks_exact(n) {
                kept.extend(column.iter().zip(drawn).map(|(v, drawn)| if *drawn { *v } else { 0.0 }));
            }
        };
        keep(given, &mut self.weights);
        keep(round.gradients(), &mut self.gradients);
        let ranks = shard.map_or(&ALONE, Shard::ranks);
        let trained = if !ranks.any(self.gradients.iter().any(|g| *g != 0.0))? {
            train(&mut self.learner, round)
        } else {
            let weights = if of_pairs {
                PairWeights::OfPairs(&self.weights)
            } else {
                PairWeights::OfExamples(&self.weights)
            };
            let part = match shard {
                None => PairRound::new(n, actions, &self.gradients, weights)?,
                Some(_) => PairRound::of_rank(n, actions, &self.gradients, weights)?,
            };
            train(&mut self.learner, &part)
        }?;
        self.rng = rng;
        Ok(trained)
    }
}

#[derive(Deserialize)]
struct Unchecked<L> {
    learner: L,
    share: f64,
    rng: ChaCha8Rng,
}

impl<L> TryFrom<Unchecked<L>> for RowSampling<L> {
    type Error = LearnerError;

    fn try_from(Unchecked { learner, share, rng }: Unchecked<L>) -> Result<Self, LearnerError> {
        check_share(share)?;
        Ok(Self { learner, share, rng, drawn: Vec::new(), gradients: Vec::new(), weights: Vec::new() })
    }
}

/// A learner trained in each round on ⌈share·m⌉ of the m columns of x, uniformly drawn: XGBoost's
/// `colsample_bytree`.
///
/// Splits on the action are always allowed, while XGBoost draws among its one-hot columns as well. If Σ_a
/// g_{i,a} = 0, as in boosting, no split on x gains before a split on the action, and a round without the
/// latter would be lost. *Randomness:* ⌈share·m⌉ numbers a round, from its own saved generator; a refused
/// round draws nothing. *Cost:* that of the learner, and O(m);
/// [`HistogramPairTree`](super::HistogramPairTree) counts the drawn columns alone, in a copy of their bins.
/// It composes with [`RowSampling`](super::RowSampling) in either order.
///
/// ```
/// use rand::SeedableRng;
/// use rows::RowMatrix;
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{
///     ColumnSampling, ExactPairTree, PairGrowth, PairLearner, PairNode, PairRound, PairWeights,
/// };
/// // Two columns that tell the same: the first one would be taken where both are there.
/// let contexts = SortedColumns::new(RowMatrix::dense(2, vec![0.0, 0.0, 1.0, 1.0])?)?;
/// let round = PairRound::new(2, 1, &[-1.0, 1.0], PairWeights::OfExamples(&[1.0; 2]))?;
/// let growth = PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?;
/// let stump = ExactPairTree::new(growth);
/// let mut learner = ColumnSampling::new(stump, 0.5, rand_chacha::ChaCha8Rng::seed_from_u64(1))?;
/// let mut taken = [0, 0];
/// for _ in 0..100 {
///     let tree = learner.train(&contexts, &round, &mut [0.0; 2])?;
///     let PairNode::Context { feature, .. } = tree.nodes()[0] else { unreachable!() };
///     taken[feature as usize] += 1;
/// }
/// assert!(taken.iter().all(|count| (20..=80).contains(count)), "{taken:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<L>", bound(deserialize = "L: Deserialize<'de>"))]
pub struct ColumnSampling<L> {
    learner: L,
    share: f64,
    rng: ChaCha8Rng,
    #[serde(skip)]
    drawn: Vec<bool>,
}

impl<L> ColumnSampling<L> {
    /// ⌈share·m⌉ columns a round.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a share outside (0, 1].
    pub fn new(learner: L, share: f64, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        Unchecked { learner, share, rng }.try_into()
    }

    /// Draws among m columns; returns the generator after the draws.
    fn draw(&mut self, columns: usize) -> ChaCha8Rng {
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within 0 and m; a product that rounding has put above a whole number counts as that"
        )]
        let count = (self.share * columns as f64 * (1.0 - f64::EPSILON)).ceil() as usize;
        let mut rng = self.rng.clone();
        self.drawn.clear();
        self.drawn.resize(columns, false);
        // Floyd's algorithm: after column j, the set drawn so far is uniform among the sets of its size up to
        // j.
        for j in columns.saturating_sub(count)..columns {
            let column = rng.random_range(0..=j);
            let column = if self.drawn[column] { j } else { column };
            self.drawn[column] = true;
        }
        rng
    }
}

impl<L: ColumnRestricted> PairLearner for ColumnSampling<L> {
    type Contexts = L::Contexts;
    type Hypothesis = L::Hypothesis;

    fn train(
        &mut self,
        contexts: &Self::Contexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError> {
        round.check_against(contexts, values)?;
        let behind = self.draw(contexts.inputs());
        let trained = self.learner.train_among(contexts, round, &self.drawn, values)?;
        self.rng = behind;
        Ok(trained)
    }
}

impl<L> TryFrom<Unchecked<L>> for ColumnSampling<L> {
    type Error = LearnerError;

    fn try_from(Unchecked { learner, share, rng }: Unchecked<L>) -> Result<Self, LearnerError> {
        check_share(share)?;
        Ok(Self { learner, share, rng, drawn: Vec::new() })
    }
}
