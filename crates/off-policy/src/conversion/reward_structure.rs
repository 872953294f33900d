//! What an action brings, given the true labels.

use crate::LabelError;
use crate::action_set::MOST_ACTIONS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// r(x, a) of a supervised data set \[L23, Appendix F.4\]: 1 if a is one of the labels of x, the partial
/// credit if a is a
/// *near miss*, that is in a group with one of them, and 0 otherwise.
///
/// *Ranges:* groups are disjoint sets of actions; the credit lies in \[0, 1\]; at most 2²⁴ actions.
///
/// ```
/// use off_policy::{COVERTYPE_NEAR_MISSES, RewardStructure};
/// let structure = RewardStructure::near_misses(7, &COVERTYPE_NEAR_MISSES, 0.25)?;
/// let (truth, cottonwood, aspen, krummholz) = ([3], 3, 4, 6);
/// assert_eq!(structure.reward(&truth, cottonwood), 1.0);
/// assert_eq!(structure.reward(&truth, aspen), 0.25);
/// assert_eq!(structure.reward(&truth, krummholz), 0.0);
/// assert_eq!(RewardStructure::one_of_the_labels(7)?.reward(&[1, 4], 4), 1.0);
/// # Ok::<(), off_policy::LabelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct RewardStructure {
    credit: f64,
    groups: Vec<Vec<u32>>,
    actions: usize,
    /// The group of each action that is in one.
    group_of: BTreeMap<u32, usize>,
}

/// The groups of Covertype, its classes counted from 0 in the order of the file: firs, pines and *Populus*;
/// Krummholz stands alone. \[L23, Appendix F.4\]
pub const COVERTYPE_NEAR_MISSES: [&[u32]; 3] = [&[0, 5], &[1, 2], &[3, 4]];

/// The groups of Fashion-MNIST, its classes counted from 0 in the order of the file: outerwear, shirts and
/// footwear; trouser, dress and bag stand alone. \[L23, Appendix F.4\]
pub const FASHION_MNIST_NEAR_MISSES: [&[u32]; 3] = [&[2, 4], &[0, 6], &[5, 7, 9]];

impl RewardStructure {
    /// Full reward for a label, nothing else: the rewards of the multi-label sets.
    ///
    /// # Errors
    /// [`LabelError::NoClasses`], [`LabelError::TooManyClasses`].
    pub fn one_of_the_labels(actions: usize) -> Result<Self, LabelError> {
        Self::near_misses::<&[u32]>(actions, &[], 0.0)
    }

    /// Partial credit within groups; an action in no group is near to no other.
    ///
    /// # Errors
    /// [`LabelError::NoClasses`], [`LabelError::TooManyClasses`], [`LabelError::BadCredit`],
    /// [`LabelError::GroupOutOfRange`], [`LabelError::GroupsOverlap`].
    pub fn near_misses<G: AsRef<[u32]>>(
        actions: usize,
        groups: &[G],
        credit: f64,
    ) -> Result<Self, LabelError> {
        let groups = groups.iter().map(|group| group.as_ref().to_vec()).collect();
        Unchecked { actions, credit, groups }.try_into()
    }

    /// |A|, which is the number of classes.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// The partial credit.
    #[must_use]
    pub fn credit(&self) -> f64 {
        self.credit
    }

    /// r(x, a) for the labels of x; 0 for an action behind the last one.
    #[must_use]
    pub fn reward(&self, labels: &[u32], action: usize) -> f64 {
        let group = |a: u32| self.group_of.get(&a);
        if labels.iter().any(|label| *label as usize == action && action < self.actions()) {
            1.0
        } else if u32::try_from(action)
            .ok()
            .and_then(group)
            .is_some_and(|g| labels.iter().any(|label| group(*label) == Some(g)))
        {
            self.credit
        } else {
            0.0
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Unchecked {
    actions: usize,
    credit: f64,
    groups: Vec<Vec<u32>>,
}

impl From<RewardStructure> for Unchecked {
    fn from(structure: RewardStructure) -> Self {
        Self { actions: structure.actions(), credit: structure.credit, groups: structure.groups }
    }
}

impl TryFrom<Unchecked> for RewardStructure {
    type Error = LabelError;

    fn try_from(Unchecked { actions, credit, groups }: Unchecked) -> Result<Self, LabelError> {
        if actions == 0 {
            return Err(LabelError::NoClasses);
        }
        if !(0.0..=1.0).contains(&credit) {
            return Err(LabelError::BadCredit { value: credit });
        }
        if actions > MOST_ACTIONS {
            return Err(LabelError::TooManyClasses { classes: actions, limit: MOST_ACTIONS });
        }
        let mut group_of = BTreeMap::new();
        for (group, members) in groups.iter().enumerate() {
            for &action in members {
                if action as usize >= actions {
                    return Err(LabelError::GroupOutOfRange { group, action, actions });
                }
                if let Some(earlier) = group_of.insert(action, group) {
                    return Err(LabelError::GroupsOverlap { group, earlier, action });
                }
            }
        }
        Ok(Self { credit, groups, actions, group_of })
    }
}
