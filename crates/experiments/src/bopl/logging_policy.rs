//! The policies that the logs come from.

use super::BoplRunError;
use datasets::ClassificationName;
use off_policy::LabelSets;
use off_policy::policies::{EpsilonGreedy, LogisticTraining, MultinomialLogistic, Softmax};
use rand::Rng;
use rows::RowMatrix;
use serde::Serialize;

/// How a logging policy is made \[L23, Appendix F.3\]: multinomial logistic regression with a large ridge and early
/// stopping, its softmax mixed with the uniform policy.
///
/// The paper does not say how large. Here ε = 0.1 everywhere, and the ridge is the one with which the policy's mean reward
/// on the *validation* rows is that of \[L23, Table 1\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Explorer {
    /// λ on standardised columns.
    pub ridge: f64,
    /// The share of the uniform policy: no propensity is below ε/|A|.
    pub epsilon: f64,
}

/// A softmax, mixed with the uniform policy.
pub type LoggingPolicy = EpsilonGreedy<Softmax<MultinomialLogistic>>;

/// Epochs, at most; the share of the rows that is held out to stop earlier, and the patience.
const EPOCHS: usize = 100;
const HELD_OUT: f64 = 0.1;
const PATIENCE: usize = 5;

impl Explorer {
    /// That of a task.
    #[must_use]
    pub fn of(task: ClassificationName) -> Self {
        let ridge = match task {
            ClassificationName::Covertype => 0.5,
            ClassificationName::Fashion => 3.0,
            ClassificationName::Scene => 3.0,
            ClassificationName::Tmc => 3.0,
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
        let training = LogisticTraining::new(self.ridge, EPOCHS)?.with_early_stopping(HELD_OUT, PATIENCE)?;
        let model = training.fit(contexts, labels, rng)?.model;
        Ok(EpsilonGreedy::new(Softmax::new(model, 1.0)?, self.epsilon)?)
    }
}
