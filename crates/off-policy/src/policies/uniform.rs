//! The uniform policy.

use super::Policy;
use crate::action_set::check_count;
use crate::{ActionSet, PolicyError};
use rows::Row;
use serde::{Deserialize, Serialize};

/// Every action on offer with the same probability, in every context.
///
/// *Ranges:* 1 ≤ |A| ≤ 2²⁴. *Cost:* O(|A|).
///
/// ```
/// use off_policy::{ActionSet, ActionSets, policies::{Policy, Uniform}};
/// use rows::Row;
/// let (policy, mut pi) = (Uniform::new(4)?, [0.0; 4]);
/// policy.probabilities(Row::dense(&[7.0])?, ActionSet::all(4)?, &mut pi)?;
/// assert_eq!(pi, [0.25; 4]);
/// let sets = ActionSets::new(4, [[1, 3]])?;
/// policy.probabilities(Row::dense(&[7.0])?, sets.row(0).ok_or("no row")?, &mut pi)?;
/// assert_eq!(pi, [0.0, 0.5, 0.0, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Uniform {
    actions: usize,
}

impl Uniform {
    /// The uniform policy over 0, …, `actions` − 1.
    ///
    /// # Errors
    /// [`LogError::NoActions`](crate::LogError::NoActions), and
    /// [`LogError::TooManyActions`](crate::LogError::TooManyActions) beyond 2²⁴.
    pub fn new(actions: usize) -> Result<Self, PolicyError> {
        Unchecked { actions }.try_into()
    }
}

impl Policy for Uniform {
    fn inputs(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.check(x, on_offer, probabilities)?;
        let each = 1.0 / on_offer.len() as f64;
        probabilities.fill(0.0);
        on_offer.iter().for_each(|a| probabilities[a] = each);
        Ok(())
    }
}

#[derive(Deserialize)]
struct Unchecked {
    actions: usize,
}

impl TryFrom<Unchecked> for Uniform {
    type Error = PolicyError;

    fn try_from(Unchecked { actions }: Unchecked) -> Result<Self, PolicyError> {
        check_count(actions)?;
        Ok(Self { actions })
    }
}
