//! Winnow as a weak learner, and its balanced form for targets with negative weights.

use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use oco_core::Winnow;
use rows::{Entries, Row};
use serde::{Deserialize, Serialize};

/// [`Winnow`] \[W13, §4\]: votes sgn⟨w, x⟩ with w on the simplex and learns from its mistakes only, w_j ← w_j e^(ηyx_j).
///
/// Its weights are not negative, so on rows without negative features it always votes +1: use [`BalancedWinnow`] unless
/// features of both signs vote for the label themselves. A score of 0 is voted +1 and is a mistake whatever the label.
/// *Cost:* O(stored values) a round. *Errors:* a row of another dimension.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::Winnow};
/// // Three advisers, of whom the last is right.
/// let mut winnow = Winnow::new(3, 0.5)?;
/// for (x, y) in [([1.0, 1.0, -1.0], Label::Minus), ([-1.0, -1.0, 1.0], Label::Plus)] {
///     (0..4).try_for_each(|_| winnow.round(Row::dense(&x)?, y).map(drop).map_err(Box::<dyn std::error::Error>::from))?;
///     assert_eq!(winnow.vote(Row::dense(&x)?)?, y);
/// }
/// assert!(winnow.weights()[2] > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl OnlinePredictor<Label> for Winnow {
    fn shape(&self) -> Shape {
        Shape { inputs: self.dimension(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(OnlinePredictor::shape(self), x, y.len())?;
        y.fill(Label::of_score(Winnow::predict(self, x)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.observe(x, y.sign())?;
        Ok(())
    }
}

/// Balanced Winnow: Winnow on the doubled row (x, −x), whose weights w⁺ and w⁻ vote sgn⟨w⁺ − w⁻, x⟩ and so compete with
/// every linear function.
///
/// *Guarantee:* Winnow's on 2m coordinates. Where ‖u‖_1 ≤ 1, y⟨u, x⟩ ≥ γ and ‖x‖_∞ ≤ X for every example so far, at
/// most 2X² ln(2m)/γ² mistakes with the step of [`for_margin`](BalancedWinnow::for_margin), asserted in
/// `tests/linear_classifiers.rs`. *Cost:* O(stored values) a round and 2m doubles of memory for the doubled row. *Errors:*
/// a row of another dimension.
///
/// ```
/// use rows::Row;
/// use weak_learners::{Label, OnlineClassifier, online::BalancedWinnow};
/// let mut winnow = BalancedWinnow::new(2, 0.5)?;
/// let x = Row::dense(&[1.0, 0.0])?;
/// winnow.round(x, Label::Minus)?;
/// assert_eq!(winnow.vote(x)?, Label::Minus, "a weight below 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Winnow", into = "Winnow")]
pub struct BalancedWinnow {
    winnow: Winnow,
    doubled: Doubled,
}

impl OnlinePredictor<Label> for BalancedWinnow {
    fn shape(&self) -> Shape {
        Shape { inputs: self.winnow.dimension() / 2, outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        y.fill(Label::of_score(self.winnow.predict(self.doubled.of(x)?)?).sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)?;
        self.winnow.observe(self.doubled.of(x)?, y.sign())?;
        Ok(())
    }
}

impl BalancedWinnow {
    /// Uniform weights on m coordinates and their negatives, and a step η > 0.
    ///
    /// # Errors
    /// η not positive; m = 0 or above 2^31, where the doubled coordinates would outgrow the indices of a row.
    pub fn new(inputs: usize, eta: f64) -> Result<Self, LearnerError> {
        Winnow::new(doubled_dimension(inputs)?, eta)?.try_into()
    }

    /// The step η = γ/X² for examples with ‖x‖_∞ ≤ X that a u with ‖u‖_1 ≤ 1 separates with margin γ.
    ///
    /// # Errors
    /// As [`new`](Self::new); X or γ, or γ/X², not a positive number.
    pub fn for_margin(inputs: usize, largest_feature: f64, margin: f64) -> Result<Self, LearnerError> {
        Winnow::for_margin(doubled_dimension(inputs)?, largest_feature, margin)?.try_into()
    }

    /// w⁺ − w⁻. O(m).
    pub fn weights(&self) -> Vec<f64> {
        let both = self.winnow.weights();
        let (plus, minus) = both.split_at(both.len() / 2);
        plus.iter().zip(minus).map(|(plus, minus)| plus - minus).collect()
    }

    /// The mistakes so far, a score of 0 counted as one.
    pub fn mistakes(&self) -> u64 {
        self.winnow.mistakes()
    }
}

fn doubled_dimension(inputs: usize) -> Result<usize, LearnerError> {
    if u32::try_from(inputs).is_ok_and(|m| m <= 1 << 31) {
        return Ok(2 * inputs);
    }
    #[allow(clippy::cast_precision_loss, reason = "a number for a message")]
    let value = inputs as f64;
    Err(LearnerError::BadParameter { name: "inputs", value, domain: "m ≤ 2^31" })
}

/// The stored values of (x, −x) and, for a sparse row, where they stand.
#[derive(Debug, Clone, Default)]
struct Doubled {
    values: Vec<f64>,
    indices: Vec<u32>,
}

impl Doubled {
    fn of(&mut self, x: Row<'_>) -> Result<Row<'_>, LearnerError> {
        let Self { values, indices } = self;
        // Room for every row of this dimension, once: also in a clone, which does not inherit it.
        values.clear();
        values.reserve(2 * x.dimension());
        values.extend_from_slice(x.values());
        values.extend(x.values().iter().map(|v| -v));
        let Entries::Sparse(of_x, _) = x.entries() else { return Ok(Row::dense(values)?) };
        // The shape was checked, so that no sum leaves u32.
        let m = u32::try_from(x.dimension()).unwrap_or_default();
        indices.clear();
        indices.reserve(2 * x.dimension());
        indices.extend_from_slice(of_x);
        indices.extend(of_x.iter().map(|j| j + m));
        Ok(Row::sparse(2 * x.dimension(), indices, values)?)
    }
}

impl From<BalancedWinnow> for Winnow {
    fn from(balanced: BalancedWinnow) -> Self {
        balanced.winnow
    }
}

impl TryFrom<Winnow> for BalancedWinnow {
    type Error = LearnerError;

    fn try_from(winnow: Winnow) -> Result<Self, LearnerError> {
        let doubled = winnow.dimension();
        doubled_dimension(doubled / 2)?;
        if !doubled.is_multiple_of(2) {
            let (argument, expected) = ("weights", doubled + 1);
            return Err(LearnerError::LengthMismatch { argument, expected, got: doubled });
        }
        Ok(Self { winnow, doubled: Doubled::default() })
    }
}
