//! A policy that explores: mixed with the uniform one.

use super::Policy;
use crate::{ActionSet, PolicyError, Schema};
use rows::Row;
use serde::{Deserialize, Serialize};

/// (1 − ε)·π(a|x) + ε/k over the k actions on offer: with [`Argmax`](super::Argmax) the ε-greedy policy, with
/// [`Softmax`](super::Softmax) the mix that gives the logging policy of \[L23, Appendix F.3\] a smallest
/// propensity.
///
/// No action on offer is less probable than ε/k, up to rounding.
///
/// *Ranges:* ε in \[0, 1\]. *Cost:* that of π and O(|A|).
///
/// ```
/// use off_policy::{ActionSet, policies::{Argmax, EpsilonGreedy, Policy, Tabular}};
/// use rows::Row;
/// let best = Argmax::new(Tabular::new(1, vec![0.0, 3.0, 1.0, 2.0])?);
/// let (policy, mut pi) = (EpsilonGreedy::new(best, 0.5)?, [0.0; 4]);
/// policy.probabilities(Row::dense(&[7.0])?, ActionSet::all(4)?, &mut pi)?;
/// assert_eq!(pi, [0.125, 0.625, 0.125, 0.125]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<P>", bound(deserialize = "P: Deserialize<'de>"))]
pub struct EpsilonGreedy<P> {
    policy: P,
    epsilon: f64,
}

impl<P> EpsilonGreedy<P> {
    /// The mix of this policy.
    ///
    /// # Errors
    /// [`PolicyError::BadParameter`] for an ε outside \[0, 1\].
    pub fn new(policy: P, epsilon: f64) -> Result<Self, PolicyError> {
        Unchecked { policy, epsilon }.try_into()
    }

    /// π.
    #[must_use]
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// ε.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }
}

impl<P: Policy> Policy for EpsilonGreedy<P> {
    fn inputs(&self) -> Option<usize> {
        self.policy.inputs()
    }

    fn actions(&self) -> usize {
        self.policy.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.policy.schema()
    }

    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.policy.probabilities(x, on_offer, probabilities)?;
        let each = self.epsilon / on_offer.len() as f64;
        for (a, p) in probabilities.iter_mut().enumerate() {
            *p = if on_offer.contains(a) { (1.0 - self.epsilon) * *p + each } else { 0.0 };
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Unchecked<P> {
    policy: P,
    epsilon: f64,
}

impl<P> TryFrom<Unchecked<P>> for EpsilonGreedy<P> {
    type Error = PolicyError;

    fn try_from(Unchecked { policy, epsilon }: Unchecked<P>) -> Result<Self, PolicyError> {
        if !(0.0..=1.0).contains(&epsilon) {
            return Err(PolicyError::BadParameter { name: "epsilon", value: epsilon, domain: "[0, 1]" });
        }
        Ok(Self { policy, epsilon })
    }
}
