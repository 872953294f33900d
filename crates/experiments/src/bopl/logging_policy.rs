//! The policies that the logs come from.

use super::BoplRunError;
use datasets::ClassificationName;
use off_policy::LabelSets;
use off_policy::policies::{EpsilonGreedy, LogisticTraining, MultinomialLogistic, Softmax};
use rand::Rng;
use rows::RowMatrix;
use serde::Serialize;

/// How a logging policy is made \[L23, Appendix F.3\]: multinomial logistic regression with a large ridge, its softmax mixed
/// with the uniform policy.
///
/// The paper does not say how large, and stops early as well. Here ε = 0.1 everywhere, and the ridge alone keeps the policy
/// mediocre: it is the one, to two digits, with which the mean reward on the *validation* rows is that of \[L23, Table 1\].
/// Stopped early, policies of two trials differed by ten points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Explorer {
    /// λ on standardised columns.
    pub ridge: f64,
    /// The share of the uniform policy: no propensity is below ε/|A|.
    pub epsilon: f64,
}

/// A softmax, mixed with the uniform policy.
pub type LoggingPolicy = EpsilonGreedy<Softmax<MultinomialLogistic>>;

/// Epochs, at most.
const EPOCHS: usize = 200;

impl Explorer {
    /// That of a task.
    #[must_use]
    pub fn of(task: ClassificationName) -> Self {
        let ridge = match task {
            ClassificationName::Covertype => 0.031,
            ClassificationName::Fashion => 2.1,
            ClassificationName::Scene => 1.1,
            ClassificationName::Tmc => 0.24,
        };
        Self { ridge, epsilon: 0.1 }
    }

    /// The policy that these labels give.
    ///
    /// # Errors
    /// What the fit refuses.
    pub fn train(
        self,
        contexts: &RowMatrix,
        labels: &LabelSets,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<LoggingPolicy, BoplRunError> {
        let model = LogisticTraining::new(self.ridge, EPOCHS)?.fit(contexts, labels, rng)?.model;
        Ok(EpsilonGreedy::new(Softmax::new(model, 1.0)?, self.epsilon)?)
    }
}
