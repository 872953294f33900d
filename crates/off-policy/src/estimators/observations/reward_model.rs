//! Models of the reward, for DM and DR.

use crate::error::{LogError, PolicyError, check_scores};
use crate::schema::Schema;
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};

/// q(x, a): what an action is predicted to bring.
///
/// Contract: a pure function of the context. For DR to be unbiased it was fitted on other rows than those of
/// the log that it helps to evaluate. All methods but `schema` are required.
pub trait RewardModel {
    /// m, the dimension of a context; `None` for a model that ignores contexts.
    fn inputs(&self) -> Option<usize>;

    /// |A|.
    fn actions(&self) -> usize;

    /// What the numbers stand for in the log that the model was fitted on, where it is known. `None` unless
    /// overridden.
    fn schema(&self) -> Option<&Schema> {
        None
    }

    /// Writes q(x, 0), …, q(x, |A|−1) to `rewards`.
    ///
    /// # Errors
    /// A context of another dimension, or `rewards` of another length.
    fn rewards(&self, x: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError>;

    /// Writes the rewards of the rows from `from` on, as far as `rewards` reaches with |A| numbers a row: the
    /// same numbers as row by row, which it does unless overridden.
    ///
    /// # Errors
    /// As [`rewards`](Self::rewards), of any row.
    fn rewards_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        rewards: &mut [f64],
    ) -> Result<(), PolicyError> {
        let rows = (from..).map_while(|row| contexts.row(row));
        rows.zip(rewards.chunks_exact_mut(self.actions())).try_for_each(|(x, own)| self.rewards(x, own))
    }
}

/// q = 0: DM is 0, and DR is IPS.
///
/// For checks. An estimate without a model takes `None` instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZeroModel {
    /// |A|.
    pub actions: usize,
}

impl RewardModel for ZeroModel {
    fn inputs(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn rewards(&self, _: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        check(self.actions, rewards)?;
        rewards.fill(0.0);
        Ok(())
    }
}

/// q(x, a) = q_a in every context.
///
/// ```
/// use off_policy::estimators::{RewardModel, TableModel};
/// let model = TableModel::new(vec![0.5, 2.0])?;
/// let mut q = [0.0; 2];
/// model.rewards(rows::Row::dense(&[1.0])?, &mut q)?;
/// assert_eq!(q, [0.5, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct TableModel {
    rewards: Vec<f64>,
}

impl TableModel {
    /// One prediction an action.
    ///
    /// # Errors
    /// [`LogError::NoActions`], [`PolicyError::NotFiniteScore`].
    pub fn new(rewards: Vec<f64>) -> Result<Self, PolicyError> {
        if rewards.is_empty() {
            return Err(LogError::NoActions.into());
        }
        check_scores(&rewards)?;
        Ok(Self { rewards })
    }
}

impl RewardModel for TableModel {
    fn inputs(&self) -> Option<usize> {
        None
    }

    fn actions(&self) -> usize {
        self.rewards.len()
    }

    fn rewards(&self, _: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        check(self.rewards.len(), rewards)?;
        rewards.copy_from_slice(&self.rewards);
        Ok(())
    }
}

impl TryFrom<Vec<f64>> for TableModel {
    type Error = PolicyError;

    fn try_from(rewards: Vec<f64>) -> Result<Self, PolicyError> {
        Self::new(rewards)
    }
}

impl From<TableModel> for Vec<f64> {
    fn from(model: TableModel) -> Self {
        model.rewards
    }
}

fn check(expected: usize, rewards: &[f64]) -> Result<(), PolicyError> {
    let (argument, got) = ("rewards", rewards.len());
    if got == expected { Ok(()) } else { Err(PolicyError::ActionCount { argument, expected, got }) }
}
