//! Training on a part of the columns.

use super::contract::check_share;
use super::{ColumnRestricted, PairLearner, PairRound};
use crate::LearnerError;
use crate::batch::Sample;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A learner that looks in each round at ⌈share·m⌉ of the m columns of x, all sets of so many equally likely: XGBoost's
/// `colsample_bytree`.
///
/// The action may always be asked for, while XGBoost draws among its one-hot columns as well: where Σ_a g_{i,a} = 0, as in
/// boosting, no split on x gains anything before one on the action, and a round without such a split would be lost.
/// *Randomness:* ⌈share·m⌉ numbers a round, from its own generator, which is saved with it; a refused round draws nothing.
/// *Cost:* that of the learner, and O(m); histograms are counted for all columns nevertheless. With
/// [`RowSampling`](super::RowSampling) around it or inside, a round has a part of the examples, too.
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
/// let stump = ExactPairTree::new(PairGrowth::builder().max_depth(1).min_child_weight(0.0).reg_lambda(0.0).build()?);
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

    /// Draws among m columns; answers the generator behind.
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
        // Floyd's: after column j, any set of its size among the columns up to j is as likely as another.
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

#[derive(Deserialize)]
struct Unchecked<L> {
    learner: L,
    share: f64,
    rng: ChaCha8Rng,
}

impl<L> TryFrom<Unchecked<L>> for ColumnSampling<L> {
    type Error = LearnerError;

    fn try_from(Unchecked { learner, share, rng }: Unchecked<L>) -> Result<Self, LearnerError> {
        check_share(share)?;
        Ok(Self { learner, share, rng, drawn: Vec::new() })
    }
}
