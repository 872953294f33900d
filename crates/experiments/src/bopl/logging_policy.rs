//! The policies that the logs come from.

use super::BoplRunError;
use datasets::ClassificationName;
use off_policy::LabelSets;
use off_policy::policies::{Columns, EpsilonGreedy, LogisticTraining, MultinomialLogistic, Softmax};
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
    /// λ.
    pub ridge: f64,
    /// The share of the uniform policy: no propensity is below ε/|A|.
    pub epsilon: f64,
    /// The scale on which λ sees the columns.
    #[serde(skip_serializing_if = "is_standardised")]
    pub columns: Columns,
}

/// Units that were kept before there was a choice are found by a name without it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_standardised(columns: &Columns) -> bool {
    *columns == Columns::Standardised
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
        Self { ridge, epsilon: 0.1, columns: Columns::Standardised }
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
        let training = LogisticTraining::new(self.ridge, EPOCHS)?.with_columns(self.columns);
        let model = training.fit(contexts, labels, rng)?.model;
        Ok(EpsilonGreedy::new(Softmax::new(model, 1.0)?, self.epsilon)?)
    }

    /// This policy with the ridge, to two digits, for which `reward`, that falls with the ridge, comes next to `target`;
    /// in [`FITS`] evaluations.
    pub(super) fn calibrated(
        self,
        target: f64,
        mut reward: impl FnMut(Self) -> Result<f64, BoplRunError>,
    ) -> Result<Self, BoplRunError> {
        let (mut low, mut high) = RIDGES;
        for _ in 0..FITS {
            let ridge = 10_f64.powf(0.5 * (low + high));
            if reward(Self { ridge, ..self })? > target { low = ridge.log10() } else { high = ridge.log10() }
        }
        let ridge = 10_f64.powf(0.5 * (low + high));
        let digit = 10_f64.powf(ridge.log10().floor() - 1.0);
        Ok(Self { ridge: (ridge / digit).round() * digit, ..self })
    }
}

/// Decimal exponents of the ridges among which one is looked for.
const RIDGES: (f64, f64) = (-6.0, 4.0);
/// Bisections: the last one tells ridges apart that differ by less than a percent.
pub(super) const FITS: u32 = 11;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ridge_is_found_to_two_digits() {
        let start = Explorer::of(ClassificationName::Scene);
        for ridge in [0.000_32, 0.17, 2.4, 310.0] {
            let mut fits = 0;
            let found = start.calibrated(-ridge, |tried: Explorer| {
                fits += 1;
                Ok(-tried.ridge)
            });
            let found = found.unwrap();
            assert!((found.ridge / ridge - 1.0).abs() < 0.04, "{found:?}");
            assert_eq!((found.epsilon, fits), (start.epsilon, FITS));
        }
    }
}
