//! Logged bandit data.

use crate::action_set::check_count;
use crate::{ActionSet, ActionSets, LogError, Rewards};
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize, Serializer};

/// The log of a policy π_L: for every row a context x_i, the action a_i that was drawn from π_L(·|x_i), its *propensity* p_i
/// = π_L(a_i|x_i) and what it brought, r_i. \[L23, Section 3.2\]
///
/// *Shapes and ranges:* n ≥ 1 rows; actions in 0, …, |A|−1, |A| ≤ 2²⁴; propensities in (0, 1]; rewards finite. Where not every action
/// was on offer in every row, the log carries an [`ActionSets`], and every logged action was on offer. *Cost:* checked in
/// one pass when it is made, here and when it is loaded.
///
/// ```
/// use off_policy::{Costs, Log, LogError, Rewards};
/// use rows::RowMatrix;
/// let contexts = RowMatrix::dense(1, vec![0.0, 1.0])?;
/// let log = Log::new(contexts.clone(), 3, vec![0, 2], vec![0.5, 0.25], Rewards(vec![1.0, 0.0]))?;
/// assert_eq!((log.len(), log.actions(), log.row(1).map(|row| row.propensity)), (2, 3, Some(0.25)));
///
/// let refused = Log::new(contexts, 3, vec![0, 2], vec![0.5, 0.0], Costs(vec![1.0, 0.0]));
/// assert_eq!(refused, Err(LogError::BadPropensity { row: 1, value: 0.0 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Log {
    parts: Parts,
}

/// One row of a [`Log`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggedRow<'a> {
    /// x_i.
    pub context: Row<'a>,
    /// The actions that were on offer.
    pub on_offer: ActionSet<'a>,
    /// a_i.
    pub action: usize,
    /// p_i.
    pub propensity: f64,
    /// r_i.
    pub reward: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    contexts: RowMatrix,
    action_count: usize,
    actions: Vec<u32>,
    propensities: Vec<f64>,
    rewards: Rewards,
    on_offer: Option<ActionSets>,
}

impl Log {
    /// A log in which every action was on offer in every row.
    ///
    /// # Errors
    /// [`LogError::Empty`], [`LogError::NoActions`], [`LogError::TooManyActions`], [`LogError::LengthMismatch`], and with
    /// the row [`LogError::ActionOutOfRange`], [`LogError::NotFinite`], [`LogError::BadPropensity`].
    pub fn new(
        contexts: RowMatrix,
        action_count: usize,
        actions: Vec<u32>,
        propensities: Vec<f64>,
        outcome: impl Into<Rewards>,
    ) -> Result<Self, LogError> {
        let rewards = outcome.into();
        Parts { contexts, action_count, actions, propensities, rewards, on_offer: None }.try_into()
    }

    /// The same log where not every action was on offer.
    ///
    /// # Errors
    /// [`LogError::ActionCount`] and [`LogError::LengthMismatch`] for sets of something else,
    /// [`LogError::NotOnOffer`] for a logged action outside its set.
    pub fn with_action_sets(self, sets: ActionSets) -> Result<Self, LogError> {
        Parts { on_offer: Some(sets), ..self.parts }.try_into()
    }

    /// The same rows with r_i + b for rewards: *reward translation*, for training; b < 0 is usual. An estimate of value
    /// needs the rewards as they were.
    ///
    /// # Errors
    /// [`LogError::NotFinite`] with the sum.
    pub fn translated(&self, b: f64) -> Result<Self, LogError> {
        let rewards = Rewards(self.rewards().iter().map(|r| r + b).collect());
        check_rows(self.logged_actions(), self.propensities(), &rewards.0, self.actions())?;
        Ok(Self { parts: Parts { rewards, ..self.parts.clone() } })
    }

    /// n, at least 1.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.actions.len()
    }

    /// Never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// |A|.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.parts.action_count
    }

    /// The dimension of a context.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.parts.contexts.dimension()
    }

    /// x_1, …
    #[must_use]
    pub fn contexts(&self) -> &RowMatrix {
        &self.parts.contexts
    }

    /// a_1, …
    #[must_use]
    pub fn logged_actions(&self) -> &[u32] {
        &self.parts.actions
    }

    /// p_1, …
    #[must_use]
    pub fn propensities(&self) -> &[f64] {
        &self.parts.propensities
    }

    /// r_1, …
    #[must_use]
    pub fn rewards(&self) -> &[f64] {
        &self.parts.rewards.0
    }

    /// The sets on offer, where not every action was.
    #[must_use]
    pub fn action_sets(&self) -> Option<&ActionSets> {
        self.parts.on_offer.as_ref()
    }

    /// The actions on offer in row i; all of them behind the last row.
    #[must_use]
    pub fn on_offer(&self, i: usize) -> ActionSet<'_> {
        let everything = ActionSet::every(self.parts.action_count);
        self.parts.on_offer.as_ref().and_then(|sets| sets.row(i)).unwrap_or(everything)
    }

    /// Row i, or `None` behind the last one.
    #[must_use]
    pub fn row(&self, i: usize) -> Option<LoggedRow<'_>> {
        Some(LoggedRow {
            context: self.parts.contexts.row(i)?,
            on_offer: self.on_offer(i),
            action: *self.parts.actions.get(i)? as usize,
            propensity: *self.parts.propensities.get(i)?,
            reward: *self.parts.rewards.0.get(i)?,
        })
    }

    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = LoggedRow<'_>> {
        (0..self.len()).filter_map(|i| self.row(i))
    }
}

impl Serialize for Log {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.parts.serialize(serializer)
    }
}

impl TryFrom<Parts> for Log {
    type Error = LogError;

    fn try_from(parts: Parts) -> Result<Self, LogError> {
        let n = parts.contexts.len();
        let columns = [
            ("action", parts.actions.len()),
            ("propensity", parts.propensities.len()),
            ("reward", parts.rewards.0.len()),
        ];
        let sets = parts.on_offer.as_ref().map(|sets| ("action set", sets.len()));
        for (column, got) in columns.into_iter().chain(sets) {
            if got != n {
                return Err(LogError::LengthMismatch { column, expected: n, got });
            }
        }
        if n == 0 {
            return Err(LogError::Empty);
        }
        check_rows(&parts.actions, &parts.propensities, &parts.rewards.0, parts.action_count)?;
        if let Some(sets) = &parts.on_offer {
            if sets.actions() != parts.action_count {
                return Err(LogError::ActionCount { expected: parts.action_count, got: sets.actions() });
            }
            for (row, action) in parts.actions.iter().enumerate() {
                if !sets.row(row).is_some_and(|set| set.contains(*action as usize)) {
                    return Err(LogError::NotOnOffer { row, action: u64::from(*action) });
                }
            }
        }
        Ok(Self { parts })
    }
}

/// Actions, propensities and rewards of equal length, each in its range.
///
/// # Errors
/// [`LogError::NoActions`], [`LogError::TooManyActions`], [`LogError::ActionOutOfRange`], [`LogError::NotFinite`],
/// [`LogError::BadPropensity`].
pub(crate) fn check_rows(
    actions: &[u32],
    propensities: &[f64],
    rewards: &[f64],
    action_count: usize,
) -> Result<(), LogError> {
    check_count(action_count)?;
    for (row, ((action, p), r)) in actions.iter().zip(propensities).zip(rewards).enumerate() {
        if *action as usize >= action_count {
            let action = u64::from(*action);
            return Err(LogError::ActionOutOfRange { row, action, actions: action_count });
        }
        for (column, value) in [("propensity", *p), ("reward", *r)] {
            if !value.is_finite() {
                return Err(LogError::NotFinite { row, column, value });
            }
        }
        if !(*p > 0.0 && *p <= 1.0) {
            return Err(LogError::BadPropensity { row, value: *p });
        }
    }
    Ok(())
}
