//! Logged bandit data.

mod exchange;
mod outcome;

pub use outcome::{Costs, Rewards};

use crate::action_set::{ActionSet, ActionSets, check_count};
use crate::error::LogError;
use crate::schema::Schema;
use rand::{Rng, RngExt};
use rows::numeric::LARGEST;
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize, Serializer};

/// The log of a policy π_L: for every row a context x_i, the action a_i that was drawn from π_L(·|x_i),
/// its *propensity* p_i = π_L(a_i|x_i) and what it brought, r_i. \[L23, Section 3.2\]
///
/// *Shapes and ranges:* n ≥ 1 rows; actions in 0, …, |A|−1, |A| ≤ 2²⁴; propensities in (0, 1]; rewards
/// finite. Where not every action was on offer in every row, the log carries an [`ActionSets`], and every
/// logged action was on offer. A log that was read carries the [`Schema`] that its numbers were made by.
/// *Cost:* checked in one pass when it is made, here and when it is loaded.
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
    /// Not in what was saved before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Schema>,
}

impl Log {
    /// A log in which every action was on offer in every row.
    ///
    /// # Errors
    /// [`LogError::Empty`], [`LogError::NoActions`], [`LogError::TooManyActions`],
    /// [`LogError::LengthMismatch`], and with the row [`LogError::ActionOutOfRange`],
    /// [`LogError::NotFinite`], [`LogError::BadPropensity`].
    pub fn new(
        contexts: RowMatrix,
        action_count: usize,
        actions: Vec<u32>,
        propensities: Vec<f64>,
        outcome: impl Into<Rewards>,
    ) -> Result<Self, LogError> {
        let rewards = outcome.into();
        Parts { contexts, action_count, actions, propensities, rewards, on_offer: None, schema: None }
            .try_into()
    }

    /// The same log where not every action was on offer.
    ///
    /// # Errors
    /// [`LogError::ActionCount`] and [`LogError::LengthMismatch`] for sets of something else,
    /// [`LogError::NotOnOffer`] for a logged action outside its set.
    pub fn with_action_sets(self, sets: ActionSets) -> Result<Self, LogError> {
        Parts { on_offer: Some(sets), ..self.parts }.try_into()
    }

    /// The same log with what its numbers stand for, in place of what was said before. A policy of another
    /// coding is then refused where it meets this log.
    ///
    /// # Errors
    /// [`LogError::SchemaInputs`] and [`LogError::SchemaActions`] for a schema of another shape.
    pub fn with_schema(self, schema: Schema) -> Result<Self, LogError> {
        check_schema(&self.parts.contexts, self.parts.action_count, &schema)?;
        Ok(Self { parts: Parts { schema: Some(schema), ..self.parts } })
    }

    /// Some rows, in the order asked for.
    ///
    /// ```
    /// use off_policy::{Log, LogError, Rewards};
    /// let contexts = rows::RowMatrix::dense(1, vec![0.0, 1.0, 2.0])?;
    /// let log = Log::new(contexts, 2, vec![0, 1, 0], vec![0.5; 3], Rewards(vec![1.0, 2.0, 3.0]))?;
    /// assert_eq!(log.select([2, 0])?.rewards(), [3.0, 1.0]);
    /// assert_eq!(log.select([3]), Err(LogError::NoSuchRow { row: 3, rows: 3 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LogError::NoSuchRow`]; [`LogError::Empty`] where no row is asked for.
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Result<Self, LogError> {
        let (chosen, n): (Vec<usize>, usize) = (rows.into_iter().collect(), self.len());
        if chosen.is_empty() {
            return Err(LogError::Empty);
        }
        if let Some(&row) = chosen.iter().find(|row| **row >= n) {
            return Err(LogError::NoSuchRow { row, rows: n });
        }
        let missing = |_| LogError::NoSuchRow { row: n, rows: n };
        let of = |values: &[f64]| chosen.iter().map(|row| values[*row]).collect::<Vec<f64>>();
        Ok(Self {
            parts: Parts {
                contexts: self.parts.contexts.select(chosen.iter().copied()).map_err(missing)?,
                action_count: self.parts.action_count,
                actions: chosen.iter().map(|row| self.parts.actions[*row]).collect(),
                propensities: of(self.propensities()),
                rewards: Rewards(of(self.rewards())),
                on_offer: self.parts.on_offer.as_ref().map(|sets| sets.select(&chosen)),
                schema: self.parts.schema.clone(),
            },
        })
    }

    /// Parts of these shares: every row is in one of them, drawn without replacement; within a part rows keep
    /// their order. A log whose later rows depend on earlier ones, as of users who come back, is better split
    /// by [`select`](Self::select).
    ///
    /// ```
    /// use off_policy::{Log, Rewards};
    /// use rand::SeedableRng;
    /// let contexts = rows::RowMatrix::dense(1, (0..10).map(f64::from).collect())?;
    /// let log = Log::new(contexts, 2, vec![0; 10], vec![0.5; 10], Rewards(vec![1.0; 10]))?;
    /// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    /// let [train, validate, test] = log.split([0.5, 0.25, 0.25], &mut rng)?;
    /// assert_eq!((train.len(), validate.len(), test.len()), (5, 3, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LogError::BadShare`] for a share that is not positive or shares that do not sum to 1 within 1e−9,
    /// [`LogError::EmptyPart`] where there are too few rows.
    pub fn split<const N: usize>(
        &self,
        shares: [f64; N],
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<[Self; N], LogError> {
        let parts = parts_of(self.len(), shares, rng)?;
        let parts: Vec<Self> =
            parts.into_iter().map(|rows| self.select(rows)).collect::<Result<_, LogError>>()?;
        <[Self; N]>::try_from(parts).map_err(|_| LogError::Empty)
    }

    /// The same rows with r_i + b for rewards: *reward translation*, for training; b < 0 is usual. An
    /// estimate of value needs the rewards as they were.
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

    /// What the numbers stand for; `None` for a log of bare numbers.
    #[must_use]
    pub fn schema(&self) -> Option<&Schema> {
        self.parts.schema.as_ref()
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
        if let Some(schema) = &parts.schema {
            check_schema(&parts.contexts, parts.action_count, schema)?;
        }
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

/// A schema of the shape of a log.
fn check_schema(contexts: &RowMatrix, actions: usize, schema: &Schema) -> Result<(), LogError> {
    let (expected, got) = (contexts.dimension(), schema.inputs());
    if got != expected {
        return Err(LogError::SchemaInputs { expected, got });
    }
    let (expected, got) = (actions, schema.actions());
    if got != expected {
        return Err(LogError::SchemaActions { expected, got });
    }
    Ok(())
}

/// The rows of parts of these shares, drawn without replacement; within a part they keep their order.
///
/// # Errors
/// [`LogError::BadShare`], [`LogError::EmptyPart`].
pub(crate) fn parts_of<const N: usize>(
    rows: usize,
    shares: [f64; N],
    rng: &mut (impl Rng + ?Sized),
) -> Result<[Vec<usize>; N], LogError> {
    let sum = shares.iter().sum::<f64>();
    let bad = shares.iter().position(|share| !(*share > 0.0));
    if bad.is_some() || !((sum - 1.0).abs() <= 1e-9) {
        let part = bad.unwrap_or_default();
        return Err(LogError::BadShare { part, share: shares.get(part).copied().unwrap_or_default(), sum });
    }
    // Part k ends at the share of parts 0, …, k, rounded.
    let (mut ends, mut up_to) = ([rows; N], 0.0);
    for (end, share) in ends.iter_mut().zip(shares).take(N.saturating_sub(1)) {
        up_to += share;
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count of rows is between 0 and that count"
        )]
        let at = (up_to * rows as f64).round() as usize;
        *end = at.min(rows);
    }
    let starts = |part: usize| part.checked_sub(1).map_or(0, |before| ends[before]);
    if let Some(part) = (0..N).find(|part| ends[*part] <= starts(*part)) {
        return Err(LogError::EmptyPart { part, rows });
    }
    let mut order: Vec<usize> = (0..rows).collect();
    for i in (1..rows).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    Ok(std::array::from_fn(|part| {
        let mut own = order[starts(part)..ends[part]].to_vec();
        own.sort_unstable();
        own
    }))
}

/// Actions, propensities and rewards of equal length, each in its range.
///
/// # Errors
/// [`LogError::NoActions`], [`LogError::TooManyActions`], [`LogError::ActionOutOfRange`],
/// [`LogError::NotFinite`], [`LogError::BadPropensity`].
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
            if value.abs() > LARGEST {
                return Err(LogError::TooLarge { row, column, value });
            }
        }
        if !(*p > 0.0 && *p <= 1.0) {
            return Err(LogError::BadPropensity { row, value: *p });
        }
    }
    Ok(())
}
