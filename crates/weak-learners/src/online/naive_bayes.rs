//! Naive Bayes, with zeros apart from the other values of a feature.

use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use projections::filled;
use rows::Row;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};

/// Naive Bayes \[DP97\]: votes for the class of larger P(y)·Π_j P(x_j | y), every factor estimated from the
/// examples so far; equality is voted +1.
///
/// A feature is 0 or not, and a value other than 0 is normal: with n_y examples of class y, of which k_yj
/// have x_j ≠ 0,
///
/// - P(y) ∝ n_y + 1, and P(x_j ≠ 0 | y) = (k_yj + 1)/(n_y + 2), Laplace's rule;
/// - P(x_j | x_j ≠ 0, y) is the normal density with the mean and variance of those k_yj values *and one
///   more*, drawn from the mean and variance of both classes' values together. So the variance has a floor
///   that fades like 1/k, and a feature of equal values, such as an indicator, contributes only P(x_j ≠ 0 |
///   y).
///
/// One model thus serves indicators, counts and measurements, and learning costs nothing for a zero.
/// *Guarantee:* the counts are exact and the vote is that of the estimates summed afresh over all examples so
/// far (asserted on every prefix in `tests/naive_bayes.rs`); no regret bound is known. *Cost:* O(stored
/// values) to learn and O(m) to vote, because absent values count; no allocation. *Errors:* a row of another
/// dimension. Logarithms are summed and moments kept as mean and deviation \[W62\], so that huge values
/// neither overflow nor cancel. A value is capped at 1e100 times the mean and the deviation of the values
/// before.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::NaiveBayes};
/// let mut learner = NaiveBayes::new(2)?;
/// for (x, y) in [([1.0, 0.0], Label::Plus), ([1.0, 20.0], Label::Plus), ([0.0, 0.0], Label::Minus)] {
///     learner.round(Row::dense(&x)?, y)?;
/// }
/// assert_eq!(learner.vote(Row::dense(&[0.0, 0.0])?)?, Label::Minus, "an absent indicator speaks too");
/// assert_eq!(learner.examples(Label::Plus), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct NaiveBayes {
    state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    /// n_−, n_+.
    examples: [u64; 2],
    /// For each feature, the moments of its non-zero values in either class.
    features: Vec<[Moments; 2]>,
}

impl OnlinePredictor<Label> for NaiveBayes {
    fn shape(&self) -> Shape {
        Shape { inputs: self.state.features.len(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        y.fill(Label::of_score(self.state.log_odds(x)).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        let class = usize::from(*y == Label::Plus);
        if self.state.examples[class] == LARGEST_COUNT {
            return Ok(());
        }
        self.state.examples[class] += 1;
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                self.state.features[j][class].include(x_j);
            }
        });
        Ok(())
    }
}

impl NaiveBayes {
    /// A model of m features without examples.
    ///
    /// # Errors
    /// m = 0.
    pub fn new(inputs: usize) -> Result<Self, LearnerError> {
        State { examples: [0, 0], features: filled("inputs", inputs, Default::default())? }.try_into()
    }

    /// The estimate of ln P(+1 | x) − ln P(−1 | x). O(m).
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn log_odds(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        check_shape(self.shape(), x, 1)?;
        Ok(self.state.log_odds(x))
    }

    /// n_y, the examples of class y so far.
    pub fn examples(&self, y: Label) -> u64 {
        self.state.examples[usize::from(y == Label::Plus)]
    }
}

impl State {
    fn log_odds(&self, x: Row<'_>) -> f64 {
        let n = self.examples.map(count);
        let classes = (n[0] + 2.0) / (n[1] + 2.0);
        // (n_y − k_yj + 1)/(n_y + 2) for x_j = 0, and (k_yj + 1)/(n_y + 2) else.
        let absent = |[minus, plus]: &[Moments; 2]| {
            ((n[1] - count(plus.count) + 1.0) / (n[0] - count(minus.count) + 1.0) * classes).ln()
        };
        let present = |[minus, plus]: &[Moments; 2]| {
            ((count(plus.count) + 1.0) / (count(minus.count) + 1.0) * classes).ln()
        };
        let mut odds = ((n[1] + 1.0) / (n[0] + 1.0)).ln();
        let mut next = 0;
        x.for_each(|j, x_j| {
            if x_j != 0.0 {
                odds += self.features[next..j].iter().map(absent).sum::<f64>();
                odds += present(&self.features[j]) + log_ratio(&self.features[j], x_j);
                next = j + 1;
            }
        });
        odds + self.features[next..].iter().map(absent).sum::<f64>()
    }
}

/// The number, mean and deviation (divisor n) of some values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Moments {
    count: u64,
    mean: f64,
    deviation: f64,
}

impl Moments {
    /// One more value \[W62\]: σ² ← (k−1)/k·σ² + (k−1)/k²·(x − mean)², as a norm, so that no square
    /// vanishes.
    fn include(&mut self, x: f64) {
        self.count += 1;
        let k = count(self.count);
        let share = (k - 1.0) / k;
        let gap = x - self.mean;
        self.deviation = (self.deviation * share.sqrt()).hypot(gap * (share.sqrt() / k.sqrt()));
        self.mean += gap / k;
    }
}

/// ln P(x_j | x_j ≠ 0, +1) − ln P(x_j | x_j ≠ 0, −1).
fn log_ratio([minus, plus]: &[Moments; 2], x: f64) -> f64 {
    // In units of the largest number, so that squares do not overflow.
    let sizes = [minus.mean.abs(), plus.mean.abs(), minus.deviation, plus.deviation];
    let unit = sizes.into_iter().fold(0.0, f64::max);
    if unit == 0.0 {
        return 0.0;
    }
    let [minus, plus] = [minus, plus].map(|m| (count(m.count), m.mean / unit, m.deviation / unit));
    // The moments of both classes together.
    let share = plus.0 / (minus.0 + plus.0);
    let gap = plus.1 - minus.1;
    let mean = minus.1 + share * gap;
    let variance =
        (1.0 - share) * minus.2 * minus.2 + share * plus.2 * plus.2 + share * (1.0 - share) * gap * gap;
    if variance == 0.0 {
        return 0.0;
    }
    // σ and z = (x − μ)/σ with the moments of the class's k values and one more of the moments above.
    let x = (x / unit).clamp(-FAR, FAR);
    let standardised = |(k, of_class, deviation): (f64, f64, f64)| {
        let share = 1.0 / (k + 1.0);
        let gap = mean - of_class;
        let variance =
            (1.0 - share) * deviation * deviation + share * variance + share * (1.0 - share) * gap * gap;
        let deviation = variance.sqrt().max(NARROW);
        (deviation, (x - (of_class + share * gap)) / deviation)
    };
    let [(of_minus, z_minus), (of_plus, z_plus)] = [standardised(minus), standardised(plus)];
    (of_minus / of_plus).ln() + 0.5 * (z_minus - z_plus) * (z_minus + z_plus)
}

/// In units of the largest moment, values and deviations are clamped to a range where the squares of z can be
/// summed. The deviation of distinct doubles is never that narrow, but a loaded one may be.
const FAR: f64 = 1e100;
const NARROW: f64 = 1e-40;

/// Counts stay below 2^53, where every integer is a double: a class with so many examples learns no more.
const LARGEST_COUNT: u64 = 1 << 52;

#[allow(clippy::cast_precision_loss, reason = "below 2^53")]
fn count(k: u64) -> f64 {
    k as f64
}

impl From<NaiveBayes> for State {
    fn from(learner: NaiveBayes) -> Self {
        learner.state
    }
}

impl TryFrom<State> for NaiveBayes {
    type Error = LearnerError;

    fn try_from(state: State) -> Result<Self, LearnerError> {
        if state.features.is_empty() {
            return Err(LearnerError::Empty { argument: "features" });
        }
        for (class, &n) in state.examples.iter().enumerate() {
            if n > LARGEST_COUNT {
                let (name, value) = ("examples", count(n));
                return Err(LearnerError::BadParameter { name, value, domain: "[0, 2^52]" });
            }
            for Moments { count: k, mean, deviation } in state.features.iter().map(|feature| feature[class]) {
                // Moments of numbers up to 1e140 may be rounded up.
                if !(mean.abs() <= 2.0 * LARGEST) {
                    let (name, domain) = ("mean", "[−2e140, 2e140]");
                    return Err(LearnerError::BadParameter { name, value: mean, domain });
                }
                if k > n {
                    let (name, value) = ("values of a feature", count(k));
                    return Err(LearnerError::BadParameter { name, value, domain: "[0, examples]" });
                }
                // Without values there are no moments; with one value no deviation.
                if !(0.0..=2.0 * LARGEST).contains(&deviation)
                    || (k < 2 && deviation != 0.0)
                    || (k == 0 && mean != 0.0)
                {
                    let (name, domain) = ("deviation", "moments of so many values");
                    return Err(LearnerError::BadParameter { name, value: deviation, domain });
                }
            }
        }
        Ok(Self { state })
    }
}
