//! Which actions may be taken in a context.

use crate::LogError;
use serde::{Deserialize, Serialize};

const WORD: usize = 64;

/// 2²⁴ actions are 2 MiB a row.
const MOST_ACTIONS: usize = 1 << 24;

/// The actions that were on offer in every row of a log, where not all of them were.
///
/// *Shapes:* a bit an action and row; at most 2²⁴ actions.
///
/// ```
/// use off_policy::ActionSets;
/// let sets = ActionSets::new(3, [vec![0, 2], vec![1]])?;
/// assert_eq!(sets.row(0).map(|set| set.iter().collect()), Some(vec![0, 2]));
/// assert!(ActionSets::new(3, [vec![]]).is_err()); // nothing to choose from
/// # Ok::<(), off_policy::LogError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct ActionSets {
    actions: usize,
    words: Vec<u64>,
}

/// The actions on offer in one context, borrowed; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionSet<'a> {
    actions: usize,
    /// `None` stands for all of them.
    words: Option<&'a [u64]>,
}

impl ActionSets {
    /// The sets of the rows, each a list of actions in any order.
    ///
    /// # Errors
    /// [`LogError::NoActions`], [`LogError::EmptyActionSet`], [`LogError::ActionOutOfRange`],
    /// [`LogError::TooManyActions`].
    pub fn new(actions: usize, rows: impl IntoIterator<Item = impl AsRef<[u32]>>) -> Result<Self, LogError> {
        if actions == 0 {
            return Err(LogError::NoActions);
        }
        let (per_row, mut words) = (actions.div_ceil(WORD), Vec::new());
        for (row, set) in rows.into_iter().enumerate() {
            if set.as_ref().is_empty() {
                return Err(LogError::EmptyActionSet { row });
            }
            // The number of actions may be that of a damaged file, and no more than a number.
            let too_many = LogError::TooManyActions { actions, rows: row + 1 };
            if actions > MOST_ACTIONS || words.try_reserve(per_row).is_err() {
                return Err(too_many);
            }
            let start = words.len();
            words.resize(start + per_row, 0_u64);
            for &action in set.as_ref() {
                if action as usize >= actions {
                    return Err(LogError::ActionOutOfRange { row, action: u64::from(action), actions });
                }
                words[start + action as usize / WORD] |= 1 << (action as usize % WORD);
            }
        }
        Ok(Self { actions, words })
    }

    /// |A|.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() / self.words_a_row()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The set of row i, or `None` behind the last one.
    #[must_use]
    pub fn row(&self, i: usize) -> Option<ActionSet<'_>> {
        let per_row = self.words_a_row();
        let words = self.words.get(i.checked_mul(per_row)?..(i + 1).checked_mul(per_row)?)?;
        Some(ActionSet { actions: self.actions, words: Some(words) })
    }

    fn words_a_row(&self) -> usize {
        self.actions.div_ceil(WORD)
    }
}

impl<'a> ActionSet<'a> {
    /// Every action of 0, …, `actions` − 1.
    ///
    /// # Errors
    /// [`LogError::NoActions`] where there is none.
    pub fn all(actions: usize) -> Result<Self, LogError> {
        if actions == 0 { Err(LogError::NoActions) } else { Ok(Self::every(actions)) }
    }

    /// Every action, of which the caller knows that there is one.
    pub(crate) fn every(actions: usize) -> Self {
        Self { actions, words: None }
    }

    /// |A|, the actions that are not on offer included.
    #[must_use]
    pub fn actions(self) -> usize {
        self.actions
    }

    /// Whether every action is on offer by construction.
    #[must_use]
    pub fn is_all(self) -> bool {
        self.words.is_none()
    }

    /// How many are on offer, at least 1.
    #[must_use]
    pub fn len(self) -> usize {
        self.words.map_or(self.actions, |words| words.iter().map(|w| w.count_ones() as usize).sum())
    }

    /// Never.
    #[must_use]
    pub fn is_empty(self) -> bool {
        false
    }

    /// Whether an action is on offer.
    #[must_use]
    pub fn contains(self, action: usize) -> bool {
        action < self.actions
            && self.words.is_none_or(|words| words[action / WORD] >> (action % WORD) & 1 == 1)
    }

    /// Those on offer, rising.
    pub fn iter(self) -> impl Iterator<Item = usize> + 'a {
        (0..self.actions).filter(move |a| self.contains(*a))
    }
}

#[derive(Serialize, Deserialize)]
struct Unchecked {
    actions: usize,
    rows: Vec<Vec<u32>>,
}

impl From<ActionSets> for Unchecked {
    fn from(sets: ActionSets) -> Self {
        let list =
            |set: ActionSet<'_>| (0u32..).take(set.actions).filter(|a| set.contains(*a as usize)).collect();
        let rows = (0..sets.len()).filter_map(|i| sets.row(i)).map(list).collect();
        Self { actions: sets.actions, rows }
    }
}

impl TryFrom<Unchecked> for ActionSets {
    type Error = LogError;

    fn try_from(Unchecked { actions, rows }: Unchecked) -> Result<Self, LogError> {
        Self::new(actions, rows)
    }
}
