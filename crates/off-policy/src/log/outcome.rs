//! Outcomes of actions: rewards (more is better) and costs (less is better).

use serde::{Deserialize, Serialize};

/// Rewards of logged actions; more is better.
///
/// Vowpal Wabbit logs costs, the Open Bandit Pipeline rewards; the two are types here, so that a sign cannot
/// be got wrong.
///
/// ```
/// use off_policy::{Costs, Rewards};
/// let rewards = Rewards::from(Costs(vec![1.0, -2.0, 0.0]));
/// assert_eq!(rewards, Rewards(vec![-1.0, 2.0, 0.0]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rewards(pub Vec<f64>);

/// Costs of logged actions; less is better. A cost c is the reward −c.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs(pub Vec<f64>);

impl From<Costs> for Rewards {
    fn from(Costs(costs): Costs) -> Self {
        // 0 − c and not −c, so that a cost of 0 is a reward of 0 and not of −0.
        Self(costs.into_iter().map(|c| 0.0 - c).collect())
    }
}
