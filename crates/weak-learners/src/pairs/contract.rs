//! The contracts of learning on pairs of a context and an action.

use crate::LearnerError;
use crate::batch::Sample;
use crate::batch::contract::in_pool;
use crate::error::check_magnitudes;
use rayon::prelude::*;
use rows::numeric::LARGEST;
use rows::{Row, RowMatrix};

/// A trained function f(x, a) of a context and an action.
///
/// Contract: a pure function of the row and the action, which several threads may ask at once. The first
/// three methods are required; [`add_scores`](Self::add_scores) has a default that allocates. The others are
/// faster ways to the same numbers.
pub trait PairHypothesis: Sync {
    /// m, the dimension of a row.
    fn inputs(&self) -> usize;

    /// |A|, at least 1.
    fn actions(&self) -> usize;

    /// Writes f(x, 0), …, f(x, |A|−1) to `scores`.
    ///
    /// # Errors
    /// A row of another dimension, or `scores` of another length.
    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), LearnerError>;

    /// Adds α·f(x, 0), …, α·f(x, |A|−1) to `scores`.
    ///
    /// # Errors
    /// As [`scores`](Self::scores); nothing is added on an error.
    fn add_scores(&self, x: Row<'_>, alpha: f64, scores: &mut [f64]) -> Result<(), LearnerError> {
        let mut own = vec![0.0; scores.len()];
        self.scores(x, &mut own)?;
        scores.iter_mut().zip(own).for_each(|(score, f)| *score += alpha * f);
        Ok(())
    }

    /// f(x, a).
    ///
    /// # Errors
    /// A row of another dimension, or an action that is not below |A|.
    fn score(&self, x: Row<'_>, action: usize) -> Result<f64, LearnerError> {
        let mut all = vec![0.0; self.actions()];
        self.scores(x, &mut all)?;
        all.get(action).copied().ok_or_else(|| beyond(action))
    }

    /// Adds α·f(x_i, a) for every row from `from` on, as far as `scores` reaches with |A| numbers a row.
    ///
    /// # Errors
    /// As [`scores`](Self::scores); the rows before the refused one are then booked.
    fn add_scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        alpha: f64,
        scores: &mut [f64],
    ) -> Result<(), LearnerError> {
        let rows = (from..).map_while(|i| contexts.row(i));
        for (x, scores) in rows.zip(scores.chunks_exact_mut(self.actions())) {
            self.add_scores(x, alpha, scores)?;
        }
        Ok(())
    }
}

/// The refusal of an action that is not there.
pub(super) fn beyond(action: usize) -> LearnerError {
    #[allow(clippy::cast_precision_loss, reason = "for the message")]
    let value = action as f64;
    LearnerError::BadParameter { name: "action", value, domain: "0 ≤ a < |A|" }
}

/// A learner of the pairs (x_i, a): given g and h ≥ 0 of every pair, it returns an f of small Σ h (g/h − f)²,
/// that is, of large Σ g f − ½ Σ h f². This is weighted least squares with targets g/h and weights h. A
/// learner of classifiers answers ±1, and looks for a large Σ g f.
///
/// Contract: `train` refuses a round of another number of examples than the contexts and `values` of another
/// length, and the learner is then unchanged. It writes f(x_i, a) of every pair to `values`, pair (i, a) at
/// a·n + i, with the pairs of weight 0. The result does not depend on the number of threads. On the rows of a
/// rank it finds the f of the rows of all ranks, or refuses them: [`Sample::shard`].
pub trait PairLearner {
    /// The layout of the contexts that it searches, made once.
    type Contexts: Sample;
    /// The trained function.
    type Hypothesis: PairHypothesis;

    /// Finds an f for one round, and writes its values on the pairs it was trained on.
    ///
    /// # Errors
    /// As the contract says.
    fn train(
        &mut self,
        contexts: &Self::Contexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError>;
}

/// A learner that can be restricted to some columns of x.
///
/// Contract: that of [`PairLearner`], and `train_among` refuses `columns` of another length than m. Its
/// result depends on the columns j of x with `columns[j]` only, on the action, and on the indicators of
/// missing values of these columns if the contexts have some: they may be split, too. With all columns it is
/// the result of `train`.
pub trait ColumnRestricted: PairLearner {
    /// As [`train`](PairLearner::train), among some columns.
    ///
    /// # Errors
    /// As the contract says.
    fn train_among(
        &mut self,
        contexts: &Self::Contexts,
        round: &PairRound<'_>,
        columns: &[bool],
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError>;
}

/// A learner that can be trained on some of the examples alone, in less time than on all.
///
/// Contract: that of [`PairLearner`]. `train_on` refuses a `part` of another number of examples than `rows`,
/// rows that are not ascending rows of the contexts, and `values` of another length than n·|A|. Its result
/// depends on those rows only: example k of `part` is row `rows[k]`. It writes f(x_i, a) of the pairs of all
/// n examples. With all rows it is the result of `train`.
pub trait RowRestricted: PairLearner {
    /// As [`train`](PairLearner::train), on some of the examples.
    ///
    /// # Errors
    /// As the contract says.
    fn train_on(
        &mut self,
        contexts: &Self::Contexts,
        rows: &[u32],
        part: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Self::Hypothesis, LearnerError>;
}

/// g and h of every pair of n examples and |A| actions, checked.
///
/// *Shapes:* pair (i, a) stands at a·n + i: the examples of one action lie together, because most nodes of a
/// tree have one action. *Cost:* one pass over the numbers.
///
/// ```
/// use weak_learners::LearnerError;
/// use weak_learners::pairs::{PairRound, PairWeights};
/// // Two examples, two actions; the second example has weight 0 and so no gradient.
/// let round = PairRound::new(2, 2, &[0.5, 0.0, -0.5, 0.0], PairWeights::OfExamples(&[1.0, 0.0]))?;
/// assert_eq!((round.gradient(0, 1), round.weight(0, 1), round.weight(1, 1)), (-0.5, 1.0, 0.0));
/// assert_eq!((round.gradient(2, 0), round.weight(0, 2)), (0.0, 0.0));
///
/// let refused = PairRound::new(2, 2, &[0.5, 0.1, -0.5, 0.0], PairWeights::OfExamples(&[1.0, 0.0]));
/// assert!(matches!(refused, Err(LearnerError::GradientWithoutWeight { index: 1, .. })));
/// # Ok::<(), LearnerError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PairRound<'a> {
    examples: usize,
    actions: usize,
    gradients: &'a [f64],
    weights: PairWeights<'a>,
}

/// h of every pair.
#[derive(Debug, Clone, Copy)]
pub enum PairWeights<'a> {
    /// One number an example, for each of its actions.
    OfExamples(&'a [f64]),
    /// One number a pair, at a·n + i.
    OfPairs(&'a [f64]),
}

impl<'a> PairRound<'a> {
    /// Checks a round.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without examples or actions, [`LearnerError::LengthMismatch`],
    /// [`LearnerError::NotFinite`], [`LearnerError::NegativeWeight`], [`LearnerError::GradientWithoutWeight`]
    /// (g ≠ 0 where h = 0), [`LearnerError::ZeroWeights`]; [`LearnerError::BadParameter`] with more than 2^32
    /// examples or 2^31 actions.
    pub fn new(
        examples: usize,
        actions: usize,
        gradients: &'a [f64],
        weights: PairWeights<'a>,
    ) -> Result<Self, LearnerError> {
        Self::checked((examples, actions), gradients, weights, true)
    }

    /// The same of the examples of one rank, of which none needs a weight: the learner refuses a round in
    /// which no rank has one. A rank may have no example, where others have the drawn ones.
    ///
    /// # Errors
    /// As [`new`](Self::new), but for [`LearnerError::ZeroWeights`], and for [`LearnerError::Empty`] without
    /// examples.
    pub fn of_rank(
        examples: usize,
        actions: usize,
        gradients: &'a [f64],
        weights: PairWeights<'a>,
    ) -> Result<Self, LearnerError> {
        Self::checked((examples, actions), gradients, weights, false)
    }

    fn checked(
        (examples, actions): (usize, usize),
        gradients: &'a [f64],
        weights: PairWeights<'a>,
        needs_weight: bool,
    ) -> Result<Self, LearnerError> {
        let of_pairs = check_sizes(examples, actions, needs_weight)?;
        let (given, expected) = match weights {
            PairWeights::OfExamples(h) => (h, examples),
            PairWeights::OfPairs(h) => (h, of_pairs),
        };
        let lists = [("gradients", gradients, of_pairs), ("weights", given, expected)];
        let is_long = |(_, values, expected): &(_, &[f64], usize)| values.len() == *expected;
        let has_weight = !needs_weight || given.iter().any(|h| *h > 0.0);
        if lists.iter().all(is_long) && has_weight && is_sound(examples, gradients, given) {
            return Ok(Self { examples, actions, gradients, weights });
        }
        // Find the first error.
        for (argument, values, expected) in lists {
            if values.len() != expected {
                return Err(LearnerError::LengthMismatch { argument, expected, got: values.len() });
            }
            check_magnitudes(argument, values)?;
        }
        if let Some(index) = first(given, |h| h < 0.0) {
            return Err(LearnerError::NegativeWeight { index, value: given[index] });
        }
        if needs_weight && given.iter().all(|h| *h == 0.0) {
            return Err(LearnerError::ZeroWeights);
        }
        for (action, g) in gradients.chunks_exact(examples.max(1)).enumerate() {
            let h = &given[if expected == of_pairs { action * examples } else { 0 }..][..examples];
            let bad = |(g, h): (&f64, &f64)| (*g != 0.0) & (*h == 0.0);
            if let Some(i) = g.iter().zip(h).position(bad) {
                return Err(LearnerError::GradientWithoutWeight {
                    index: action * examples + i,
                    value: g[i],
                });
            }
        }
        Ok(Self { examples, actions, gradients, weights })
    }

    /// n.
    #[must_use]
    pub fn examples(&self) -> usize {
        self.examples
    }

    /// |A|.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// g, pair (i, a) at a·n + i.
    #[must_use]
    pub fn gradients(&self) -> &'a [f64] {
        self.gradients
    }

    /// h.
    #[must_use]
    pub fn weights(&self) -> PairWeights<'a> {
        self.weights
    }

    /// g of one pair; 0 for a pair outside the round.
    #[must_use]
    pub fn gradient(&self, i: usize, a: usize) -> f64 {
        self.place(i, a).map_or(0.0, |place| self.gradients[place])
    }

    /// h of one pair; 0 for a pair outside the round.
    #[must_use]
    pub fn weight(&self, i: usize, a: usize) -> f64 {
        self.place(i, a).map_or(0.0, |place| match self.weights {
            PairWeights::OfExamples(h) => h[i],
            PairWeights::OfPairs(h) => h[place],
        })
    }

    fn place(&self, i: usize, a: usize) -> Option<usize> {
        (i < self.examples && a < self.actions).then(|| a * self.examples + i)
    }

    /// Checks the arguments of [`PairLearner::train`] against this round.
    ///
    /// # Errors
    /// [`LearnerError::LengthMismatch`].
    pub fn check_against(&self, contexts: &impl Sample, values: &[f64]) -> Result<(), LearnerError> {
        for (argument, expected, got) in
            [("contexts", self.examples, contexts.size()), ("values", self.gradients.len(), values.len())]
        {
            if got != expected {
                return Err(LearnerError::LengthMismatch { argument, expected, got });
            }
        }
        Ok(())
    }
}

/// Checks the columns of [`ColumnRestricted::train_among`].
pub(super) fn check_columns(contexts: &impl Sample, columns: &[bool]) -> Result<(), LearnerError> {
    let (expected, got) = (contexts.inputs(), columns.len());
    if got == expected {
        Ok(())
    } else {
        Err(LearnerError::LengthMismatch { argument: "columns", expected, got })
    }
}

/// The words of a generator that a number takes, where each example has its own.
pub(super) const WORDS: u128 = 2;

/// Checks a share of examples or columns to draw.
pub(super) fn check_share(share: f64) -> Result<(), LearnerError> {
    if share > 0.0 && share <= 1.0 {
        Ok(())
    } else {
        Err(LearnerError::BadParameter { name: "share", value: share, domain: "(0, 1]" })
    }
}

/// Writes f(x_i, a) of every pair to `values`, which [`PairRound::check_against`] has checked.
pub(super) fn evaluate(
    hypothesis: &impl PairHypothesis,
    contexts: &impl Sample,
    values: &mut [f64],
) -> Result<(), LearnerError> {
    let n = contexts.size();
    let mut scores = vec![0.0; hypothesis.actions()];
    contexts.try_for_each(&mut |i, x| {
        hypothesis.scores(x, &mut scores)?;
        values.iter_mut().skip(i).step_by(n).zip(&scores).for_each(|(value, score)| *value = *score);
        Ok(())
    })
}

/// n·|A|, if the learners can count so many pairs.
fn check_sizes(examples: usize, actions: usize, needs_examples: bool) -> Result<usize, LearnerError> {
    for (argument, is_empty) in [("examples", needs_examples && examples == 0), ("actions", actions == 0)] {
        if is_empty {
            return Err(LearnerError::Empty { argument });
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "for the message")]
    let refused =
        |name, value: usize, domain| LearnerError::BadParameter { name, value: value as f64, domain };
    if u32::try_from(examples.saturating_sub(1)).is_err() {
        return Err(refused("examples", examples, "n ≤ 2^32"));
    }
    if i32::try_from(actions).is_err() {
        return Err(refused("actions", actions, "|A| < 2^31"));
    }
    examples.checked_mul(actions).ok_or_else(|| refused("actions", actions, "n·|A| addressable"))
}

/// Whether all numbers are in range, no weight is negative and no pair of weight 0 has a gradient; one pass
/// without branches.
fn is_sound(examples: usize, gradients: &[f64], weights: &[f64]) -> bool {
    let are_weights = |h: &[f64]| h.iter().fold(true, |all, h| all & (*h >= 0.0) & (*h <= LARGEST));
    let is_fine = |(g, h): (&f64, &f64)| (g.abs() <= LARGEST) & ((*h != 0.0) | (*g == 0.0));
    let of_action = |(action, g): (usize, &[f64])| {
        let h = if weights.len() == gradients.len() { &weights[action * examples..] } else { weights };
        g.iter().zip(h).fold(true, |all, pair| all & is_fine(pair))
    };
    let are_gradients = if in_pool(gradients.len(), 1 << 16) {
        gradients.par_chunks_exact(examples.max(1)).enumerate().all(of_action)
    } else {
        gradients.chunks_exact(examples.max(1)).enumerate().all(of_action)
    };
    are_gradients && are_weights(weights)
}

fn first(values: &[f64], is_bad: impl Fn(f64) -> bool) -> Option<usize> {
    // One pass without branches for the usual case.
    let any = values.iter().fold(false, |any, v| any | is_bad(*v));
    if any { values.iter().position(|v| is_bad(*v)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every fault of a round at every place of it, for whole rounds and for those of a rank: short ones, and
    /// one that several threads look through.
    #[test]
    fn faulty_rounds_are_refused_by_the_first_fault() {
        for (n, actions) in [(3, 2), (40_000, 2)] {
            for of_pairs in [false, true] {
                let weights = vec![0.5; if of_pairs { n * actions } else { n }];
                let gradients = vec![-1.0; n * actions];
                let made = |g: &[f64], h: &[f64]| {
                    let weights = if of_pairs { PairWeights::OfPairs(h) } else { PairWeights::OfExamples(h) };
                    let whole = PairRound::new(n, actions, g, weights).map(|_| ());
                    let of_rank = PairRound::of_rank(n, actions, g, weights).map(|_| ());
                    (whole, of_rank)
                };
                assert_eq!(made(&gradients, &weights), (Ok(()), Ok(())));
                for at in [0, 1, n - 1, weights.len() - 1] {
                    let with = |h: f64| {
                        let mut weights = weights.clone();
                        weights[at] = h;
                        made(&gradients, &weights)
                    };
                    let (argument, index) = ("weights", at);
                    for value in [-0.5, -1e300, f64::NEG_INFINITY, f64::INFINITY, 1e141] {
                        let error = if !value.is_finite() {
                            LearnerError::NotFinite { argument, index, value }
                        } else if value.abs() > LARGEST {
                            LearnerError::TooLarge { argument, index, value }
                        } else {
                            LearnerError::NegativeWeight { index, value }
                        };
                        assert_eq!(with(value), (Err(error.clone()), Err(error)), "{at}");
                    }
                    let (whole, of_rank) = with(0.0);
                    let error = LearnerError::GradientWithoutWeight { index: at, value: -1.0 };
                    assert_eq!((whole, of_rank), (Err(error.clone()), Err(error)), "{at}");
                    assert!(
                        matches!(with(f64::NAN).1, Err(LearnerError::NotFinite { index, .. }) if index == at)
                    );
                }
                for at in [0, n, gradients.len() - 1] {
                    let mut gradients = gradients.clone();
                    gradients[at] = f64::INFINITY;
                    let error =
                        LearnerError::NotFinite { argument: "gradients", index: at, value: f64::INFINITY };
                    assert_eq!(made(&gradients, &weights), (Err(error.clone()), Err(error)));
                }
                // All of them at once, too.
                let error = LearnerError::NegativeWeight { index: 0, value: -2.0 };
                let all = vec![-2.0; weights.len()];
                assert_eq!(made(&gradients, &all), (Err(error.clone()), Err(error)));
                // No weight at all: a rank may have none, a whole round may not.
                let (none, nothing) = (vec![0.0; weights.len()], vec![0.0; gradients.len()]);
                assert_eq!(made(&nothing, &none), (Err(LearnerError::ZeroWeights), Ok(())));
            }
        }
    }
}
