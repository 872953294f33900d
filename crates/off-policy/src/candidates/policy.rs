//! Policies over candidates.

use crate::policies::{Argmax, EpsilonGreedy, Softmax, argmax, softmax};
use crate::{ActionSet, PolicyError};
use rand::{Rng, RngExt};
use rows::Candidates;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A policy over candidates: for every choice a distribution over its candidates.
///
/// Contract: a pure function of the candidates of a choice; probabilities are ≥ 0 and sum to 1 up to
/// rounding. `probabilities` is required.
pub trait CandidatePolicy {
    /// Writes π of every pair of these choices.
    ///
    /// # Errors
    /// [`PolicyError::InputDimension`] for candidates of other columns, [`PolicyError::ActionCount`] for
    /// another number of probabilities than pairs, and what the model behind the policy refuses.
    fn probabilities(
        &self,
        candidates: &Candidates,
        choices: Range<usize>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError>;

    /// Draws a candidate of choice i and says how probable it was: the place in the choice's own list, and
    /// the propensity of the next log. `buffer` is overwritten.
    ///
    /// # Errors
    /// As [`probabilities`](Self::probabilities); nothing is drawn then. [`PolicyError::ActionCount`] for a
    /// choice that is not there.
    fn sample(
        &self,
        candidates: &Candidates,
        i: usize,
        buffer: &mut Vec<f64>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<(usize, f64), PolicyError>
    where
        Self: Sized,
    {
        let count = candidates.pairs_of(i).len();
        if count == 0 {
            let (expected, got) = (candidates.len(), i);
            return Err(PolicyError::ActionCount { argument: "a choice that is not there", expected, got });
        }
        buffer.clear();
        buffer.resize(count, 0.0);
        self.probabilities(candidates, i..i + 1, buffer)?;
        let mut left = rng.random::<f64>() * buffer.iter().sum::<f64>();
        let mut drawn = 0;
        for (k, p) in buffer.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            drawn = k;
            if left < *p {
                break;
            }
            left -= p;
        }
        Ok((drawn, buffer[drawn]))
    }
}

/// Scores of candidates, from which [`Softmax`] and [`Argmax`] make policies.
///
/// Contract: a pure function of a pair's features; scores are finite.
pub trait CandidateScores {
    /// Writes the scores of these pairs.
    ///
    /// # Errors
    /// [`PolicyError::InputDimension`] for candidates of other columns, [`PolicyError::ActionCount`] for
    /// another number of scores than pairs.
    fn candidate_scores(
        &self,
        candidates: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError>;
}

impl<S: CandidateScores + ?Sized> CandidateScores for &S {
    fn candidate_scores(
        &self,
        candidates: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        (**self).candidate_scores(candidates, pairs, scores)
    }
}

/// Every candidate of a choice with the same probability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmongCandidates;

impl CandidatePolicy for AmongCandidates {
    fn probabilities(
        &self,
        candidates: &Candidates,
        choices: Range<usize>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        each_choice(candidates, choices, probabilities, |own| {
            #[allow(clippy::cast_precision_loss, reason = "a count of candidates")]
            own.fill(1.0 / own.len() as f64);
            Ok(())
        })
    }
}

impl<S: CandidateScores> CandidatePolicy for Softmax<S> {
    fn probabilities(
        &self,
        candidates: &Candidates,
        choices: Range<usize>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        score(self.scores(), candidates, choices.clone(), probabilities)?;
        each_choice(candidates, choices, probabilities, |own| {
            softmax(own, self.beta(), ActionSet::every(own.len()));
            Ok(())
        })
    }
}

impl<S: CandidateScores> CandidatePolicy for Argmax<S> {
    fn probabilities(
        &self,
        candidates: &Candidates,
        choices: Range<usize>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        score(self.scores(), candidates, choices.clone(), probabilities)?;
        each_choice(candidates, choices, probabilities, |own| {
            let best = argmax(own, ActionSet::every(own.len()));
            own.fill(0.0);
            own[best] = 1.0;
            Ok(())
        })
    }
}

impl<P: CandidatePolicy> CandidatePolicy for EpsilonGreedy<P> {
    fn probabilities(
        &self,
        candidates: &Candidates,
        choices: Range<usize>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.policy().probabilities(candidates, choices.clone(), probabilities)?;
        each_choice(candidates, choices, probabilities, |own| {
            #[allow(clippy::cast_precision_loss, reason = "a count of candidates")]
            let each = self.epsilon() / own.len() as f64;
            own.iter_mut().for_each(|p| *p = (1.0 - self.epsilon()) * *p + each);
            Ok(())
        })
    }
}

/// The pairs of some choices.
fn pairs_of(candidates: &Candidates, choices: &Range<usize>) -> Range<usize> {
    let last = candidates.len();
    let [from, to] = [choices.start, choices.end].map(|i| candidates.offsets()[i.min(last)]);
    from..to.max(from)
}

/// Finite scores of the pairs of these choices.
fn score(
    scores: &impl CandidateScores,
    candidates: &Candidates,
    choices: Range<usize>,
    out: &mut [f64],
) -> Result<(), PolicyError> {
    let pairs = pairs_of(candidates, &choices);
    check_length(pairs.len(), out.len())?;
    scores.candidate_scores(candidates, pairs, out)?;
    match out.iter().position(|score| !score.is_finite()) {
        Some(action) => Err(PolicyError::NotFiniteScore { action, value: out[action] }),
        None => Ok(()),
    }
}

/// Shows the pairs of one choice after the other.
fn each_choice(
    candidates: &Candidates,
    choices: Range<usize>,
    pairs: &mut [f64],
    mut show: impl FnMut(&mut [f64]) -> Result<(), PolicyError>,
) -> Result<(), PolicyError> {
    check_length(pairs_of(candidates, &choices).len(), pairs.len())?;
    let mut rest = pairs;
    for i in choices {
        let count = candidates.pairs_of(i).len();
        let (own, behind) = std::mem::take(&mut rest).split_at_mut(count);
        if count > 0 {
            show(own)?;
        }
        rest = behind;
    }
    Ok(())
}

fn check_length(expected: usize, got: usize) -> Result<(), PolicyError> {
    if got == expected {
        Ok(())
    } else {
        Err(PolicyError::ActionCount { argument: "the list of pairs", expected, got })
    }
}
