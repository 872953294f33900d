//! A log whose policy and model are tables.

use crate::action_set::check_count;
use crate::error::LogError;
use crate::estimators::definitions::Observation;
use crate::estimators::error::EstimateError;
use crate::estimators::observations::{Observations, direct};
use crate::log::check_rows;
use rows::numeric::LARGEST;

/// Columns of a log beside π(a|x_i) and q(x_i, a) as tables: for callers who have these numbers already. The
/// fast way, too: nothing is copied, and everything is checked in the pass that uses it.
///
/// *Shapes:* n actions, propensities and rewards; n·|A| probabilities and predictions, row by row.
///
/// ```
/// use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation, Tables};
/// let (target, q) = ([0.5, 0.5, 1.0, 0.0], [1.0, 3.0, 2.0, 2.0]);
/// let tables = Tables::new(2, &[0, 1], &[0.25, 0.5], &[1.0, 4.0], &target, Some(&q))?;
/// let found = OffPolicyEvaluation::of_tables(&tables, EstimatorSettings::default())?;
/// assert_eq!((found.ips.value, found.dm.map(|v| v.value)), (1.0, Some(2.0)));
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tables<'a> {
    action_count: usize,
    actions: &'a [u32],
    propensities: &'a [f64],
    rewards: &'a [f64],
    target: &'a [f64],
    predictions: Option<&'a [f64]>,
}

impl<'a> Tables<'a> {
    /// Tables of matching lengths; their numbers are checked when they are visited. Rewards, more being
    /// better: costs are negated first, as [`Costs`](crate::Costs) does for a log.
    ///
    /// # Errors
    /// [`LogError::Empty`], [`LogError::NoActions`], [`LogError::TooManyActions`],
    /// [`EstimateError::LengthMismatch`].
    pub fn new(
        action_count: usize,
        actions: &'a [u32],
        propensities: &'a [f64],
        rewards: &'a [f64],
        target: &'a [f64],
        predictions: Option<&'a [f64]>,
    ) -> Result<Self, EstimateError> {
        let n = actions.len();
        if n == 0 {
            return Err(LogError::Empty.into());
        }
        check_count(action_count)?;
        let entries = n.saturating_mul(action_count);
        let columns = [
            ("p", propensities.len(), n),
            ("r", rewards.len(), n),
            ("target", target.len(), entries),
            ("q", predictions.map_or(entries, <[f64]>::len), entries),
        ];
        match columns.into_iter().find(|(_, got, expected)| got != expected) {
            Some((argument, got, expected)) => Err(EstimateError::LengthMismatch { argument, expected, got }),
            None => Ok(Self { action_count, actions, propensities, rewards, target, predictions }),
        }
    }

    /// The first row that is out of range, by its own error.
    #[cold]
    fn refusal(&self, row: usize) -> EstimateError {
        let one = row..=row;
        let columns = (&self.actions[one.clone()], &self.propensities[one.clone()], &self.rewards[one]);
        let refused = check_rows(columns.0, columns.1, columns.2, self.action_count);
        refused.err().map_or(LogError::Empty, |error| at(error, row)).into()
    }
}

impl Observations for Tables<'_> {
    fn has_model(&self) -> bool {
        self.predictions.is_some()
    }

    #[inline]
    fn visit(
        &self,
        mut see: impl FnMut(&Observation) -> Result<(), EstimateError>,
    ) -> Result<(), EstimateError> {
        let k = self.action_count;
        let mut predictions = self.predictions.map(|q| q.chunks_exact(k));
        let columns = self.actions.iter().zip(self.propensities).zip(self.rewards);
        for (row, (((action, p), r), target)) in columns.zip(self.target.chunks_exact(k)).enumerate() {
            let action = *action as usize;
            if !(action < k && *p > 0.0 && *p <= 1.0 && r.abs() <= LARGEST) {
                return Err(self.refusal(row));
            }
            let q = predictions.as_mut().and_then(Iterator::next);
            let direct = direct((row, row * target.len()), target, q)?;
            let predicted = q.map_or(0.0, |q| q[action]);
            see(&Observation { target: target[action], propensity: *p, reward: *r, direct, predicted })?;
        }
        Ok(())
    }
}

/// The same refusal of row 0 as that of another row.
fn at(error: LogError, row: usize) -> LogError {
    match error {
        LogError::BadPropensity { value, .. } => LogError::BadPropensity { row, value },
        LogError::NotFinite { column, value, .. } => LogError::NotFinite { row, column, value },
        LogError::TooLarge { column, value, .. } => LogError::TooLarge { row, column, value },
        LogError::ActionOutOfRange { action, actions, .. } => {
            LogError::ActionOutOfRange { row, action, actions }
        }
        other => other,
    }
}
