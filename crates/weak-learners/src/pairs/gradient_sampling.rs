//! Training on examples drawn by the size of their gradients.

use super::contract::{WORDS, check_share};
use super::{PairLearner, PairRound, PairWeights, RowRestricted};
use crate::batch::Sample;
use crate::{LearnerError, RankError, Ranks, Shard};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A learner trained on a share of the examples, drawn by the size of their gradients.
///
/// Example i, with all its pairs, is drawn with probability p_i = min(1, c‖g_i‖), independently of the
/// others, where c makes Σ p_i = share·n; its g and h count 1/p_i times. So every sum of g or h over pairs is
/// unbiased. Where the gradients are much alike the draw is nearly uniform; where most are small, it keeps
/// the large ones. A round that draws nothing, or has no more gradients than the share, is trained on all
/// examples that have one.
///
/// The learner is trained on the drawn examples alone, and predicts all. So the α of a booster, which counts
/// on all pairs, and what is sure about its rounds are as with any learner. Made for second-order steps,
/// whose weights shrink with the gradients: where weights stay large, 1/p_i makes their sums noisy.
/// *Randomness:* one number an example and round, from its own saved generator; a refused round draws
/// nothing. *Ranks:* sizes are summed row by row from rank to rank, some three passes of 16 bytes a round;
/// example i of all has the i-th number, so that ranks draw as one process does. *Cost:* two passes over the round and a few over the examples, a copy of the drawn part, and
/// `train_on`; 12 bytes an example and 16 a drawn pair, kept from one training to the next.
///
/// ```
/// use rand::SeedableRng;
/// use rows::RowMatrix;
/// use weak_learners::pairs::{
///     BinnedContexts, GradientSampling, HistogramPairTree, PairGrowth, PairLearner, PairRound, PairWeights,
/// };
/// let contexts = BinnedContexts::new(RowMatrix::dense(1, vec![0.0; 1000])?)?;
/// // A tenth of the examples has nearly all of the gradient.
/// let g: Vec<f64> = (0..1000).map(|i| if i % 10 == 0 { 1.0 } else { 0.001 }).collect();
/// let round = PairRound::new(1000, 1, &g, PairWeights::OfPairs(&g))?;
/// let growth = PairGrowth::builder().max_depth(0).min_child_weight(0.0).reg_lambda(100.0).build()?;
/// let constant = HistogramPairTree::new(growth);
/// let rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let mut learner = GradientSampling::new(constant, 0.12, rng)?;
/// let mut values = [0.0; 1000];
/// learner.train(&contexts, &round, &mut values)?;
/// // G/(H + λ) of all is 100.9/200.9, about a half; all examples are predicted.
/// assert!((values[0] - 100.9 / 200.9).abs() < 0.01 && values == [values[0]; 1000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<L>", bound(deserialize = "L: Deserialize<'de>"))]
pub struct GradientSampling<L> {
    learner: L,
    share: f64,
    rng: ChaCha8Rng,
    #[serde(skip)]
    work: Work,
}

/// Working memory of a training.
#[derive(Debug, Default)]
struct Work {
    /// ‖g_i‖.
    sizes: Vec<f64>,
    /// The drawn examples, and 1/p of each.
    rows: Vec<u32>,
    factors: Vec<f64>,
    gradients: Vec<f64>,
    weights: Vec<f64>,
}

/// A clone starts with empty buffers.
impl Clone for Work {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<L> GradientSampling<L> {
    /// A share of the examples, on average.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a share outside (0, 1].
    pub fn new(learner: L, share: f64, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        Unchecked { learner, share, rng }.try_into()
    }

    /// The learner of the drawn examples.
    #[must_use]
    pub fn into_learner(self) -> L {
        self.learner
    }
}

impl<L: RowRestricted> PairLearner for GradientSampling<L> {
    type Contexts = L::Contexts;
    type Hypothesis = L::Hypothesis;

    fn train(
        &mut self,
        contexts: &Self::Contexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError> {
        round.check_against(contexts, values)?;
        let mut rng = self.rng.clone();
        self.work.draw(round, contexts.shard(), self.share, &mut rng)?;
        let Work { rows, factors, gradients, weights, .. } = &mut self.work;
        let ranks = contexts.shard().map_or(&Ranks::alone(), Shard::ranks).clone();
        let trained = if !ranks.any(!rows.is_empty())? {
            self.learner.train(contexts, round, values)
        } else {
            let n = round.examples();
            gather(round.gradients(), n, (rows, factors), gradients);
            let weights = match round.weights() {
                PairWeights::OfExamples(h) => PairWeights::OfExamples(gather(h, n, (rows, factors), weights)),
                PairWeights::OfPairs(h) => PairWeights::OfPairs(gather(h, n, (rows, factors), weights)),
            };
            let part = match ranks.are_several() {
                false => PairRound::new(rows.len(), round.actions(), gradients, weights),
                // A rank may have drawn none.
                true => PairRound::of_rank(rows.len(), round.actions(), gradients, weights),
            };
            let part = ranks.agree(part)?;
            self.learner.train_on(contexts, rows, &part, values)
        }?;
        self.rng = rng;
        Ok(trained)
    }
}

impl Work {
    /// Draws among the examples of a rank, or of all.
    fn draw(
        &mut self,
        round: &PairRound<'_>,
        shard: Option<&Shard>,
        share: f64,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), RankError> {
        let Self { sizes, rows, factors, .. } = self;
        let n = round.examples();
        sizes.clear();
        sizes.resize(n, 0.0);
        for column in round.gradients().chunks_exact(n) {
            sizes.iter_mut().zip(column).for_each(|(size, g)| *size += g * g);
        }
        sizes.iter_mut().for_each(|size| *size = size.sqrt());
        let whole = Shard::whole(n);
        let shard = shard.unwrap_or(&whole);
        #[allow(clippy::cast_precision_loss, reason = "a count of examples")]
        let c = scale(sizes, share * shard.total() as f64, shard.ranks())?;
        rows.clear();
        factors.clear();
        let start = rng.get_word_pos();
        let number = |i: usize| start.wrapping_add(WORDS * i as u128);
        rng.set_word_pos(number(shard.first()));
        for (i, size) in (0..=u32::MAX).zip(sizes) {
            let p = c * *size;
            // An example without a gradient is never drawn: p is then 0, or no number.
            if rng.random::<f64>() < p {
                rows.push(i);
                factors.push(1.0 / p.min(1.0));
            }
        }
        rng.set_word_pos(number(shard.total()));
        Ok(())
    }
}

/// c with Σ min(1, c·size) = target over all ranks, or as near as it gets. It rises to there: with the
/// certain ones of the c before it is too small, unless there are no more of them.
fn scale(sizes: &[f64], target: f64, ranks: &Ranks) -> Result<f64, RankError> {
    let [all] = ranks.sum_of_rows([-0.0], sizes.iter().map(|size| [*size]))?;
    let mut c = target / all;
    loop {
        let terms = sizes.iter().map(|size| if c * size >= 1.0 { [1.0, 0.0] } else { [0.0, *size] });
        let [certain, rest] = ranks.sum_of_rows([0.0; 2], terms)?;
        let next = (target - certain) / rest;
        if !(rest > 0.0 && next > c * (1.0 + 1e-9)) {
            return Ok(c);
        }
        c = next;
    }
}

/// The numbers of the drawn examples, 1/p times, action by action.
fn gather<'a>(from: &[f64], n: usize, (rows, factors): (&[u32], &[f64]), to: &'a mut Vec<f64>) -> &'a [f64] {
    to.clear();
    for column in from.chunks_exact(n) {
        to.extend(rows.iter().zip(factors).map(|(i, factor)| column[*i as usize] * factor));
    }
    to
}

#[derive(Deserialize)]
struct Unchecked<L> {
    learner: L,
    share: f64,
    rng: ChaCha8Rng,
}

impl<L> TryFrom<Unchecked<L>> for GradientSampling<L> {
    type Error = LearnerError;

    fn try_from(Unchecked { learner, share, rng }: Unchecked<L>) -> Result<Self, LearnerError> {
        check_share(share)?;
        Ok(Self { learner, share, rng, work: Work::default() })
    }
}
