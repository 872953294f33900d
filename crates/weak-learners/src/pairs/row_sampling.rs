//! Training on a part of the examples.

use super::contract::check_share;
use super::{ColumnRestricted, PairLearner, PairRound, PairWeights};
use crate::LearnerError;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A learner that sees each example of a round with a given probability, all of its pairs or none: XGBoost's `subsample`.
///
/// An example that is not drawn has weight 0, so that it is predicted, but not fitted. Where nothing that is drawn has a
/// gradient, the round is trained on all examples. *Randomness:* one number an example and round, from its own generator,
/// which is saved with it; a refused round draws nothing. *Cost:* that of the learner, and a copy of the round.
///
/// ```
/// use rand::SeedableRng;
/// use rows::RowMatrix;
/// use weak_learners::batch::SortedColumns;
/// use weak_learners::pairs::{ExactPairTree, PairGrowth, PairLearner, PairRound, PairWeights, RowSampling};
/// let contexts = SortedColumns::new(RowMatrix::dense(1, vec![0.0; 1000])?)?;
/// let g: Vec<f64> = (0..1000).map(f64::from).collect();
/// let round = PairRound::new(1000, 1, &g, PairWeights::OfExamples(&[1.0; 1000]))?;
/// let constant = ExactPairTree::new(PairGrowth::builder().max_depth(0).min_child_weight(0.0).reg_lambda(0.0).build()?);
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
        self.on_a_part(round, |learner, part| learner.train(contexts, part, values))
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
        self.on_a_part(round, |learner, part| learner.train_among(contexts, part, columns, values))
    }
}

impl<L: PairLearner> RowSampling<L> {
    /// Draws a part of a round, and has the learner train on it.
    fn on_a_part(
        &mut self,
        round: &PairRound<'_>,
        train: impl FnOnce(&mut L, &PairRound<'_>) -> Result<L::Hypothesis, LearnerError>,
    ) -> Result<L::Hypothesis, LearnerError> {
        let (n, actions) = (round.examples(), round.actions());
        let mut rng = self.rng.clone();
        self.drawn.clear();
        self.drawn.extend((0..n).map(|_| rng.random::<f64>() < self.share));
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
        let trained = if self.gradients.iter().all(|g| *g == 0.0) {
            train(&mut self.learner, round)
        } else {
            let weights = if of_pairs {
                PairWeights::OfPairs(&self.weights)
            } else {
                PairWeights::OfExamples(&self.weights)
            };
            let part = PairRound::new(n, actions, &self.gradients, weights)?;
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
