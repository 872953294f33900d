//! Which actions may be taken in a context.

use crate::LogError;
use serde::{Deserialize, Serialize};

/// The largest |A|, of logs, labels and policies alike: the number of actions that a damaged file may state
/// is then not memory that is asked for.
pub(crate) const MOST_ACTIONS: usize = 1 << 24;

/// Whether there are actions, and not too many.
///
/// # Errors
/// [`LogError::NoActions`], [`LogError::TooManyActions`].
pub(crate) fn check_count(actions: usize) -> Result<(), LogError> {
    match actions {
        0 => Err(LogError::NoActions),
        1..=MOST_ACTIONS => Ok(()),
        _ => Err(LogError::TooManyActions { actions, limit: MOST_ACTIONS }),
    }
}

/// The actions that were on offer in every row of a log, where not all of them were.
///
/// *Shapes:* of every row those on offer, rising and each once, whatever the order they came in; at most 2²⁴
/// actions. *Memory:* 4 bytes an action on offer and 8 a row, whatever |A|.
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
    /// Row i is `listed[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<usize>,
    listed: Vec<u32>,
}

/// The actions on offer in one context, borrowed; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionSet<'a> {
    actions: usize,
    /// Rising; `None` stands for all of them.
    listed: Option<&'a [u32]>,
}

impl ActionSets {
    /// The sets of the rows, each a list of actions in any order.
    ///
    /// # Errors
    /// [`LogError::NoActions`], [`LogError::TooManyActions`], [`LogError::EmptyActionSet`],
    /// [`LogError::ActionOutOfRange`].
    pub fn new(actions: usize, rows: impl IntoIterator<Item = impl AsRef<[u32]>>) -> Result<Self, LogError> {
        check_count(actions)?;
        let (mut offsets, mut listed, mut set) = (vec![0], Vec::new(), Vec::new());
        for (row, of_row) in rows.into_iter().enumerate() {
            set.clear();
            set.extend_from_slice(of_row.as_ref());
            if set.is_empty() {
                return Err(LogError::EmptyActionSet { row });
            }
            if let Some(&action) = set.iter().find(|action| **action as usize >= actions) {
                return Err(LogError::ActionOutOfRange { row, action: u64::from(action), actions });
            }
            set.sort_unstable();
            set.dedup();
            listed.extend_from_slice(&set);
            offsets.push(listed.len());
        }
        Ok(Self { actions, offsets, listed })
    }

    /// |A|.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The set of row i, or `None` behind the last one.
    #[must_use]
    pub fn row(&self, i: usize) -> Option<ActionSet<'_>> {
        let listed = self.listed.get(*self.offsets.get(i)?..*self.offsets.get(i.checked_add(1)?)?)?;
        Some(ActionSet { actions: self.actions, listed: Some(listed) })
    }

    /// The sets of some rows, which the caller knows to be there.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let (mut offsets, mut listed) = (vec![0], Vec::new());
        for set in rows.iter().filter_map(|row| self.row(*row)) {
            listed.extend_from_slice(set.listed.unwrap_or_default());
            offsets.push(listed.len());
        }
        Self { actions: self.actions, offsets, listed }
    }
}

impl<'a> ActionSet<'a> {
    /// Every action of 0, …, `actions` − 1.
    ///
    /// # Errors
    /// [`LogError::NoActions`] where there is none, [`LogError::TooManyActions`] beyond 2²⁴.
    pub fn all(actions: usize) -> Result<Self, LogError> {
        check_count(actions).map(|()| Self::every(actions))
    }

    /// Every action; the caller has checked that there is at least one.
    pub(crate) fn every(actions: usize) -> Self {
        Self { actions, listed: None }
    }

    /// |A|, the actions that are not on offer included.
    #[must_use]
    pub fn actions(self) -> usize {
        self.actions
    }

    /// Whether every action is on offer by construction.
    #[must_use]
    pub fn is_all(self) -> bool {
        self.listed.is_none()
    }

    /// How many are on offer, at least 1.
    #[must_use]
    pub fn len(self) -> usize {
        self.listed.map_or(self.actions, <[u32]>::len)
    }

    /// Never.
    #[must_use]
    pub fn is_empty(self) -> bool {
        false
    }

    /// Whether an action is on offer, by binary search.
    #[must_use]
    pub fn contains(self, action: usize) -> bool {
        match self.listed {
            None => action < self.actions,
            Some(listed) => listed.binary_search_by(|on_offer| (*on_offer as usize).cmp(&action)).is_ok(),
        }
    }

    /// Those on offer, rising.
    pub fn iter(self) -> impl Iterator<Item = usize> + 'a {
        let all = 0..if self.is_all() { self.actions } else { 0 };
        all.chain(self.listed.unwrap_or_default().iter().map(|action| *action as usize))
    }
}

#[derive(Serialize, Deserialize)]
struct Unchecked {
    actions: usize,
    rows: Vec<Vec<u32>>,
}

impl From<ActionSets> for Unchecked {
    fn from(sets: ActionSets) -> Self {
        let rows = sets.offsets.windows(2).map(|pair| sets.listed[pair[0]..pair[1]].to_vec()).collect();
        Self { actions: sets.actions, rows }
    }
}

impl TryFrom<Unchecked> for ActionSets {
    type Error = LogError;

    fn try_from(Unchecked { actions, rows }: Unchecked) -> Result<Self, LogError> {
        Self::new(actions, rows)
    }
}
