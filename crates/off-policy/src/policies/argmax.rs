//! The policy that takes the best score.

use super::{Policy, Scores};
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
        if let Some(action) = probabilities.iter().position(|score| !score.is_finite()) {
            return Err(PolicyError::NotFiniteScore { action, value: probabilities[action] });
        }
        let best = argmax(probabilities, on_offer);
        probabilities.fill(0.0);
        probabilities[best] = 1.0;
        Ok(())
    }
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
