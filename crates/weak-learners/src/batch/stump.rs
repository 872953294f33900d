//! The decision stump.

use super::Hypothesis;
use crate::{Label, LearnerError};
use rows::Row;
use serde::{Deserialize, Serialize};

/// A stump: h(x) = s where x_j ≥ θ and −s elsewhere, with polarity s = ±1; or the constant s.
///
/// *Cost:* O(1) a vote on a dense row, O(log k) on a sparse one with k stored values. *Errors:* a row of another
/// dimension.
///
/// ```
/// use weak_learners::{Label, batch::{Hypothesis, Stump}};
/// let tall = Stump::new(2, 1, 0.5, Label::Plus)?;
/// assert_eq!(tall.predict(rows::Row::dense(&[9.0, 0.5])?)?, 1.0);
/// assert_eq!((-tall).predict(rows::Row::dense(&[9.0, 0.5])?)?, -1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Stump {
    parts: Parts,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Parts {
    inputs: usize,
    /// j and θ; none in a constant.
    split: Option<(usize, f64)>,
    polarity: Label,
}

impl Stump {
    /// The stump on feature j of m = `inputs` with threshold θ; `polarity` is its answer where x_j ≥ θ.
    ///
    /// # Errors
    /// No input, a feature that is not below m, or a threshold that is not finite.
    pub fn new(inputs: usize, feature: usize, threshold: f64, polarity: Label) -> Result<Self, LearnerError> {
        Parts { inputs, split: Some((feature, threshold)), polarity }.try_into()
    }

    /// The same answer for every row of m = `inputs` features.
    ///
    /// # Errors
    /// No input.
    pub fn constant(inputs: usize, polarity: Label) -> Result<Self, LearnerError> {
        Parts { inputs, split: None, polarity }.try_into()
    }

    /// A stump whose parts the caller has checked.
    pub(crate) fn trusted(inputs: usize, split: Option<(usize, f64)>, polarity: Label) -> Self {
        Self { parts: Parts { inputs, split, polarity } }
    }

    /// h(x) as a label.
    ///
    /// # Errors
    /// A row of another dimension.
    pub fn vote(&self, x: Row<'_>) -> Result<Label, LearnerError> {
        let Parts { inputs, split, polarity } = self.parts;
        match split {
            _ if x.dimension() != inputs => {
                Err(LearnerError::InputDimension { expected: inputs, got: x.dimension() })
            }
            Some((feature, threshold)) if !(x.get(feature) >= Some(threshold)) => Ok(-polarity),
            _ => Ok(polarity),
        }
    }

    /// The feature j and the threshold θ, `None` for a constant.
    pub fn split(&self) -> Option<(usize, f64)> {
        self.parts.split
    }

    /// s, the answer where x_j ≥ θ, or everywhere.
    pub fn polarity(&self) -> Label {
        self.parts.polarity
    }
}

/// The stump that answers the opposite.
impl std::ops::Neg for Stump {
    type Output = Self;

    fn neg(self) -> Self {
        Self { parts: Parts { polarity: -self.parts.polarity, ..self.parts } }
    }
}

impl Hypothesis for Stump {
    fn inputs(&self) -> usize {
        self.parts.inputs
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        Ok(self.vote(x)?.sign())
    }
}

impl From<Stump> for Parts {
    fn from(stump: Stump) -> Self {
        stump.parts
    }
}

impl TryFrom<Parts> for Stump {
    type Error = LearnerError;

    fn try_from(parts: Parts) -> Result<Self, LearnerError> {
        if parts.inputs == 0 {
            return Err(LearnerError::Empty { argument: "inputs" });
        }
        if let Some((feature, threshold)) = parts.split {
            if feature >= parts.inputs {
                // Below 2^53 every count is a double; beyond, the message is rounded.
                #[allow(clippy::cast_precision_loss, reason = "for a message")]
                let value = feature as f64;
                return Err(LearnerError::BadParameter { name: "feature", value, domain: "0 ≤ j < m" });
            }
            if !threshold.is_finite() {
                return Err(LearnerError::NotFinite { argument: "threshold", index: 0, value: threshold });
            }
        }
        Ok(Self { parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_votes_alike_on_dense_and_sparse_rows_and_loads_only_what_new_would_make() {
        for threshold in [-1.0, 0.0, 0.5, 2.0] {
            let stump = Stump::new(3, 1, threshold, Label::Minus).unwrap();
            for value in [-1.0, -0.0, 0.5, 1.0, 2.0] {
                let dense = [7.0, value, 7.0];
                let expected = if value >= threshold { -1.0 } else { 1.0 };
                assert_eq!(stump.predict(Row::dense(&dense).unwrap()), Ok(expected));
                assert_eq!(stump.predict(Row::sparse(3, &[0, 1, 2], &dense).unwrap()), Ok(expected));
            }
            let implicit = stump.predict(Row::sparse(3, &[0, 2], &[7.0, 7.0]).unwrap());
            assert_eq!(implicit, stump.predict(Row::dense(&[7.0, 0.0, 7.0]).unwrap()));
            let short = stump.predict(Row::dense(&[1.0]).unwrap());
            assert_eq!(short, Err(LearnerError::InputDimension { expected: 3, got: 1 }));
        }
        let text = serde_json::to_string(&Stump::new(3, 2, 0.5, Label::Plus).unwrap()).unwrap();
        assert_eq!(serde_json::from_str::<Stump>(&text).unwrap().split(), Some((2, 0.5)));
        assert!(serde_json::from_str::<Stump>(&text.replace("[2,", "[3,")).is_err());
        assert!(Stump::new(1, 0, f64::NAN, Label::Plus).is_err());
        assert_eq!(Stump::constant(0, Label::Plus), Err(LearnerError::Empty { argument: "inputs" }));
    }
}
