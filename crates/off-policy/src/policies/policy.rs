//! The contracts of a policy and of the scores behind one.

use crate::log::Log;
use crate::{ActionSet, PolicyError, Schema};
use rand::{Rng, RngExt};
use rows::{Row, RowMatrix};

/// A policy: for every context a distribution over the actions on offer.
///
/// Contract: a pure function of the context and the set. Probabilities are ≥ 0, sum to 1 up to rounding, and
/// are 0 for actions that are not on offer. `inputs`, `actions` and `probabilities` are required.
pub trait Policy {
    /// m, the dimension of a context; `None` for a policy that ignores contexts.
    fn inputs(&self) -> Option<usize>;

    /// |A|.
    fn actions(&self) -> usize;

    /// What the numbers stand for in the log that the policy was learnt from, where it is known: a log of
    /// another coding is refused. `None` unless overridden.
    fn schema(&self) -> Option<&Schema> {
        None
    }

    /// Writes π(0|x), …, π(|A|−1|x) to `probabilities`.
    ///
    /// # Errors
    /// [`PolicyError::InputDimension`], [`PolicyError::ActionCount`] for a set or a slice of another |A|, and
    /// what the model behind the policy refuses.
    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError>;

    /// Writes π(·|x_i) of the rows of a log from `from` on, as far as `probabilities` reaches with |A|
    /// numbers a row: the same numbers as row by row, which it does unless overridden.
    ///
    /// # Errors
    /// As [`probabilities`](Self::probabilities), of any row.
    fn probabilities_of_rows(
        &self,
        log: &Log,
        from: usize,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        let rows = (from..).map_while(|row| log.row(row));
        for (row, own) in rows.zip(probabilities.chunks_exact_mut(log.actions())) {
            self.probabilities(row.context, row.on_offer, own)?;
        }
        Ok(())
    }

    /// Draws an action and says how probable it was: the action and the propensity of the next log. The
    /// probabilities stay in `probabilities`.
    ///
    /// # Errors
    /// As [`probabilities`](Self::probabilities); nothing is drawn then.
    fn sample(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<(usize, f64), PolicyError>
    where
        Self: Sized,
    {
        self.probabilities(x, on_offer, probabilities)?;
        Ok(draw(probabilities, rng))
    }

    /// What [`probabilities`](Self::probabilities) refuses of its arguments, refused.
    ///
    /// # Errors
    /// [`PolicyError::InputDimension`], [`PolicyError::ActionCount`].
    fn check(&self, x: Row<'_>, on_offer: ActionSet<'_>, probabilities: &[f64]) -> Result<(), PolicyError> {
        if let Some(expected) = self.inputs().filter(|m| *m != x.dimension()) {
            return Err(PolicyError::InputDimension { expected, got: x.dimension() });
        }
        let expected = self.actions();
        for (argument, got) in
            [("the action set", on_offer.actions()), ("probabilities", probabilities.len())]
        {
            if got != expected {
                return Err(PolicyError::ActionCount { argument, expected, got });
            }
        }
        Ok(())
    }
}

/// Scores F(x, a), from which a softmax or an argmax makes a policy.
///
/// Contract: a pure function of the context; scores are finite. `inputs`, `actions` and `scores` are
/// required.
pub trait Scores {
    /// m, the dimension of a context.
    fn inputs(&self) -> usize;

    /// |A|.
    fn actions(&self) -> usize;

    /// What the numbers stand for in the log that the scores were learnt from, where it is known. `None`
    /// unless overridden.
    fn schema(&self) -> Option<&Schema> {
        None
    }

    /// Writes F(x, 0), …, F(x, |A|−1) to `scores`.
    ///
    /// # Errors
    /// A context of another dimension, or `scores` of another length.
    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError>;

    /// Writes the scores of the rows from `from` on, as far as `scores` reaches with |A| numbers a row: the
    /// same numbers as row by row, which it does unless overridden.
    ///
    /// # Errors
    /// As [`scores`](Self::scores), of any row.
    fn scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        let rows = (from..).map_while(|row| contexts.row(row));
        rows.zip(scores.chunks_exact_mut(self.actions())).try_for_each(|(x, own)| self.scores(x, own))
    }
}

/// Draws from a distribution; an action of probability 0 is never drawn.
fn draw(probabilities: &[f64], rng: &mut (impl Rng + ?Sized)) -> (usize, f64) {
    let mut left = rng.random::<f64>() * probabilities.iter().sum::<f64>();
    let mut drawn = 0;
    for (a, p) in probabilities.iter().enumerate().filter(|(_, p)| **p > 0.0) {
        drawn = a;
        if left < *p {
            break;
        }
        left -= p;
    }
    (drawn, probabilities[drawn])
}
