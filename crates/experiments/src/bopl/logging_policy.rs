//! The logging policies.

use super::task_name::TaskName;
use crate::runner::ExperimentError;
use off_policy::LabelSets;
use off_policy::policies::{Columns, EpsilonGreedy, LogisticTraining, MultinomialLogistic, Softmax};
use rand::Rng;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};

/// The settings of a logging policy \[L23, Appendix F.3\]: multinomial logistic regression with a large
/// ridge, whose softmax is mixed with the uniform policy.
///
/// The paper does not state the ridge, and also stops early. Here ε = 0.1 everywhere, and only the ridge
/// keeps the policy mediocre: with two digits, it gives the mean reward of \[L23, Table 1\] on the
/// *validation* rows. With early stopping, the policies of two trials differed by ten points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Explorer {
    /// λ.
    pub ridge: f64,
    /// The share of the uniform policy: no propensity is below ε/|A|.
    pub epsilon: f64,
    /// The scaling of the columns under the ridge.
    #[serde(skip_serializing_if = "is_standardised", default = "standardised")]
    pub columns: Columns,
}

fn standardised() -> Columns {
    Columns::Standardised
}

/// The default is not serialised: older kept units have keys without this field.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_standardised(columns: &Columns) -> bool {
    *columns == Columns::Standardised
}

/// A softmax, mixed with the uniform policy.
pub type LoggingPolicy = EpsilonGreedy<Softmax<MultinomialLogistic>>;

/// The most epochs.
const EPOCHS: usize = 200;

impl Explorer {
    /// The settings for a task.
    #[must_use]
    pub fn of(task: TaskName) -> Self {
        let ridge = match task {
            TaskName::Covertype => 0.031,
            TaskName::Fashion => 2.1,
            TaskName::Scene => 1.1,
            TaskName::Tmc => 0.24,
            TaskName::FashionPooled => 2.0,
            TaskName::TmcRepeated => 0.25,
            TaskName::Letter | TaskName::Adult | TaskName::OpenBandit => 1.0,
        };
        Self { ridge, epsilon: 0.1, columns: Columns::Standardised }
    }

    /// The policy fitted to these labels.
    ///
    /// # Errors
    /// The errors of the fit.
    pub fn train(
        self,
        contexts: &RowMatrix,
        labels: &LabelSets,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<LoggingPolicy, ExperimentError> {
        let training = LogisticTraining::builder()
            .ridge(self.ridge)
            .max_epochs(EPOCHS)
            .build()?
            .with_columns(self.columns);
        let model = training.fit(contexts, labels, rng)?.model;
        Ok(EpsilonGreedy::new(Softmax::new(model, 1.0)?, self.epsilon)?)
    }

    /// These settings with the two-digit ridge whose reward was nearest to `target` in [`FITS`] evaluations,
    /// and that reward. The search is a bisection: the reward should fall with the ridge. An unreachable
    /// target is missed.
    pub(super) fn calibrated(
        self,
        target: f64,
        mut reward: impl FnMut(Self) -> Result<f64, ExperimentError>,
    ) -> Result<(Self, f64), ExperimentError> {
        let (mut low, mut high) = RIDGES;
        let mut nearest = (self, f64::INFINITY);
        for _ in 0..FITS {
            let middle = 0.5 * (low + high);
            let tried = Self { ridge: two_digits(10_f64.powf(middle)), ..self };
            let found = reward(tried)?;
            if (found - target).abs() < (nearest.1 - target).abs() {
                nearest = (tried, found);
            }
            if found > target { low = middle } else { high = middle }
        }
        Ok(nearest)
    }
}

fn two_digits(ridge: f64) -> f64 {
    let shown = format!("{ridge:.1e}");
    shown.parse().unwrap_or(ridge)
}

/// The range of decimal exponents of the ridge.
const RIDGES: (f64, f64) = (-6.0, 4.0);
/// The number of bisections: the last one separates ridges that differ by two percent.
pub(super) const FITS: u32 = 11;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ridge_is_found_to_two_digits() {
        let start = Explorer::of(TaskName::Scene);
        for ridge in [0.000_32, 0.17, 2.4, 310.0] {
            let mut fits = 0;
            let found = start.calibrated(-ridge, |tried: Explorer| {
                fits += 1;
                Ok(-tried.ridge)
            });
            let found = found.unwrap();
            let (found, reward) = found;
            // Bisection ends within two percent, less than one unit of the second digit, or one unit off.
            assert!((found.ridge / ridge - 1.0).abs() < 0.035, "{found:?}");
            let digits = format!("{:.12e}", found.ridge);
            assert!(digits[3..].starts_with("00000000000e"), "{digits}");
            assert_eq!((found.epsilon, -reward, fits), (start.epsilon, found.ridge, FITS));
        }
    }

    #[test]
    fn an_unreachable_target_gets_the_nearest_ridge() {
        // The reward rises before it falls: its maximum is at a ridge of 0.01, tried by the first bisections.
        let reward = |tried: Explorer| -(tried.ridge.log10() + 2.0).abs();
        let start = Explorer::of(TaskName::Scene);
        let (found, best) = start.calibrated(1.0, |tried| Ok(reward(tried))).unwrap();
        assert!(best < 1.0 && best >= reward(Explorer { ridge: 0.1, ..start }), "{found:?} {best}");
    }

    /// The largest probability of the fitted policy on two classes. Either column separates them, the second
    /// one by a hundredth.
    fn largest(explorer: Explorer) -> f64 {
        use off_policy::ActionSet;
        use off_policy::policies::Policy;
        use rand::SeedableRng;
        let rows = (0..40).flat_map(|i| [if i % 2 == 0 { 0.01 } else { -0.01 }, f64::from(i % 5) / 5.0]);
        let contexts = RowMatrix::dense(2, rows.collect()).unwrap();
        let labels = LabelSets::new(2, (0..40).map(|i| [i % 2])).unwrap();
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let policy = explorer.train(&contexts, &labels, &mut rng).unwrap();
        let mut pi = [0.0; 2];
        policy.probabilities(contexts.row(0).unwrap(), ActionSet::all(2).unwrap(), &mut pi).unwrap();
        pi[0].max(pi[1])
    }

    #[test]
    fn a_logging_policy_has_the_requested_ridge_exploration_and_columns() {
        let of = |ridge, epsilon, columns| largest(Explorer { ridge, epsilon, columns });
        let (standardised, raw) = (Columns::Standardised, Columns::Raw);
        // With a negligible ridge, the labels are certain up to the share of the uniform policy.
        for (epsilon, certain) in [(0.0, 1.0), (0.1, 0.95), (0.5, 0.75)] {
            let found = of(1e-6, epsilon, standardised);
            assert!((found - certain).abs() < 0.02 && found < certain + 1e-12, "{epsilon}: {found}");
        }
        // A larger ridge separates the classes less; raw small columns hardly separate them.
        assert!((of(1e4, 0.0, standardised) - 0.5).abs() < 0.01);
        let (some, little) = (of(0.1, 0.0, standardised), of(0.1, 0.0, raw));
        assert!(some > 0.7 && (little - 0.5).abs() < 0.02, "{some}, {little}");
    }
}
