//! Logs of bandit feedback from supervised data \[BL09\].

mod reward_structure;

pub use reward_structure::{COVERTYPE_NEAR_MISSES, FASHION_MNIST_NEAR_MISSES, RewardStructure};

use crate::action_set::ActionSet;
use crate::error::{LabelError, PolicyError};
use crate::label_sets::LabelSets;
use crate::log::{Log, Rewards};
use crate::policies::Policy;
use rand::Rng;
use rows::RowMatrix;

/// Supervised-to-bandit conversion \[BL09\], \[L23, Appendix F.3\]: for every row a_i ∼ π(·|x_i), p_i =
/// π(a_i|x_i) and r_i = r(x_i, a_i); the labels do not reach the log.
///
/// *Shapes:* n ≥ 1 rows; as many classes as actions, all of them on offer. *Cost:* π once a row; a row draws
/// one number, whatever its probabilities.
///
/// ```
/// use off_policy::policies::Uniform;
/// use off_policy::{LabelSets, RewardStructure, expected_reward, to_bandit};
/// use rand::SeedableRng;
/// let contexts = rows::RowMatrix::dense(1, vec![0.0; 900])?;
/// let labels = LabelSets::single(3, &[0, 1, 2].repeat(300))?;
/// let (policy, structure) = (Uniform::new(3)?, RewardStructure::one_of_the_labels(3)?);
/// let value = expected_reward(&policy, &contexts, &labels, &structure)?;
/// assert!((value - 1.0 / 3.0).abs() < 1e-12);
///
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
/// let log = to_bandit(contexts, &labels, &structure, &policy, &mut rng)?;
/// let seen = log.rewards().iter().sum::<f64>() / 900.0;
/// assert!((seen - value).abs() < 0.06 && log.propensities() == [1.0 / 3.0; 900]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LabelError::RowCount`], [`LabelError::ClassCount`], what the policy refuses, and
/// [`LogError::Empty`](crate::LogError::Empty).
pub fn to_bandit(
    contexts: RowMatrix,
    labels: &LabelSets,
    structure: &RewardStructure,
    policy: &impl Policy,
    rng: &mut (impl Rng + ?Sized),
) -> Result<Log, PolicyError> {
    let all = check(&contexts, labels, structure, policy.actions())?;
    let n = contexts.len();
    let (mut actions, mut propensities) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let (mut rewards, mut pi) = (Vec::with_capacity(n), vec![0.0; policy.actions()]);
    for (x, labels) in contexts.iter().zip(labels.iter()) {
        let (action, propensity) = policy.sample(x, all, &mut pi, rng)?;
        rewards.push(structure.reward(labels, action));
        propensities.push(propensity);
        actions.push(u32::try_from(action).unwrap_or(u32::MAX)); // structures have fewer actions
    }
    Ok(Log::new(contexts, structure.actions(), actions, propensities, Rewards(rewards))?)
}

/// (1/n)Σ_i Σ_a π(a|x_i)r(x_i, a): the value of a policy on supervised data, exact, for every reward is
/// known.
///
/// *Cost:* π once a row, and |A| rewards.
///
/// # Errors
/// As [`to_bandit`].
pub fn expected_reward(
    policy: &impl Policy,
    contexts: &RowMatrix,
    labels: &LabelSets,
    structure: &RewardStructure,
) -> Result<f64, PolicyError> {
    let all = check(contexts, labels, structure, policy.actions())?;
    let (mut pi, mut sum) = (vec![0.0; policy.actions()], 0.0);
    for (x, labels) in contexts.iter().zip(labels.iter()) {
        policy.probabilities(x, all, &mut pi)?;
        sum += pi.iter().enumerate().map(|(a, p)| p * structure.reward(labels, a)).sum::<f64>();
    }
    Ok(sum / contexts.len() as f64)
}

fn check(
    contexts: &RowMatrix,
    labels: &LabelSets,
    structure: &RewardStructure,
    actions: usize,
) -> Result<ActionSet<'static>, PolicyError> {
    if labels.len() != contexts.len() {
        return Err(LabelError::RowCount { expected: contexts.len(), got: labels.len() }.into());
    }
    for (argument, got) in [("the labels", labels.classes()), ("the reward structure", structure.actions())] {
        if got != actions {
            return Err(LabelError::ClassCount { argument, expected: actions, got }.into());
        }
    }
    if contexts.is_empty() {
        return Err(crate::LogError::Empty.into());
    }
    Ok(ActionSet::all(actions)?)
}
