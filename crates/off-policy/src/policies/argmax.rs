//! The policy that takes the best score.

use super::{Policy, Scores};
use crate::log::Log;
use crate::{ActionSet, PolicyError, Schema};
use rows::Row;
use serde::{Deserialize, Serialize};

/// The action on offer with the largest F(x, a), the first of them where several are: the limit of
/// [`Softmax`](super::Softmax) as β → ∞, and what \[L23\] runs on test data.
///
/// ```
/// use off_policy::{ActionSet, ActionSets, policies::{Argmax, Policy, Tabular}};
/// use rows::Row;
/// let policy = Argmax::new(Tabular::new(1, vec![1.0, 2.0, 2.0])?);
/// let (x, mut pi) = ([0.0], [0.5; 3]);
/// policy.probabilities(Row::dense(&x)?, ActionSet::all(3)?, &mut pi)?;
/// assert_eq!(pi, [0.0, 1.0, 0.0]);
/// let sets = ActionSets::new(3, [[0, 2]])?;
/// policy.probabilities(Row::dense(&x)?, sets.row(0).ok_or("no row")?, &mut pi)?;
/// assert_eq!(pi, [0.0, 0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Argmax<S> {
    scores: S,
}

impl<S> Argmax<S> {
    /// The argmax of these scores.
    pub fn new(scores: S) -> Self {
        Self { scores }
    }

    /// F.
    #[must_use]
    pub fn scores(&self) -> &S {
        &self.scores
    }
}

impl<S: Scores> Policy for Argmax<S> {
    fn inputs(&self) -> Option<usize> {
        Some(self.scores.inputs())
    }

    fn actions(&self) -> usize {
        self.scores.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.scores.schema()
    }

    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.check(x, on_offer, probabilities)?;
        self.scores.scores(x, probabilities)?;
        take_best(probabilities, on_offer)
    }

    fn probabilities_of_rows(
        &self,
        log: &Log,
        from: usize,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        let first = log.row(from).zip(probabilities.get(..self.actions()));
        if let Some((row, probabilities)) = first {
            self.check(row.context, row.on_offer, probabilities)?;
        }
        self.scores.scores_of_rows(log.contexts(), from, probabilities)?;
        let rows = probabilities.chunks_exact_mut(self.actions()).take(log.len().saturating_sub(from));
        rows.enumerate().try_for_each(|(k, own)| take_best(own, log.on_offer(from + k)))
    }
}

/// Scores become 1 for the best action and 0 for the others.
fn take_best(scores: &mut [f64], on_offer: ActionSet<'_>) -> Result<(), PolicyError> {
    if let Some(action) = scores.iter().position(|score| !score.is_finite()) {
        return Err(PolicyError::NotFiniteScore { action, value: scores[action] });
    }
    let best = argmax(scores, on_offer);
    scores.fill(0.0);
    scores[best] = 1.0;
    Ok(())
}

/// The first action on offer with the largest score.
#[must_use]
pub fn argmax(scores: &[f64], on_offer: ActionSet<'_>) -> usize {
    let better = |best: Option<usize>, a: usize| match best {
        Some(b) if scores[a] <= scores[b] => Some(b),
        _ => Some(a),
    };
    on_offer.iter().take_while(|a| *a < scores.len()).fold(None, better).unwrap_or_default()
}
