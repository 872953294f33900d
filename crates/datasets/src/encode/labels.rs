//! From targets to the numbers that a loss compares with predictions.

use crate::dataset::Targets;
use crate::error::EncodeError;
use rows::numeric::first_beyond;
use serde::{Deserialize, Serialize};

/// +1 for the examples of a positive class, −1 for the others.
///
/// ```
/// use datasets::{Targets, signs};
/// let names = ["A", "B", "C"].map(String::from).to_vec();
/// let targets = Targets::Classes { indices: vec![0, 2, 1], names };
/// assert_eq!(signs(&targets, &[0, 1])?, [1.0, -1.0, 1.0]);
/// # Ok::<(), datasets::EncodeError>(())
/// ```
///
/// # Errors
/// [`EncodeError::NotClasses`]; [`EncodeError::ClassOutOfRange`] for a positive class out of range.
pub fn signs(targets: &Targets, positive: &[u32]) -> Result<Vec<f64>, EncodeError> {
    two_valued(targets, positive, -1.0)
}

/// 1 for the examples of a positive class, 0 for the others.
///
/// # Errors
/// As [`signs`].
pub fn indicators(targets: &Targets, positive: &[u32]) -> Result<Vec<f64>, EncodeError> {
    two_valued(targets, positive, 0.0)
}

fn two_valued(targets: &Targets, positive: &[u32], other: f64) -> Result<Vec<f64>, EncodeError> {
    let Targets::Classes { indices, names } = targets else { return Err(EncodeError::NotClasses) };
    let classes = names.len();
    if let Some(&class) = positive.iter().find(|&&class| class as usize >= classes) {
        return Err(EncodeError::ClassOutOfRange { class, classes });
    }
    Ok(indices.iter().map(|class| if positive.contains(class) { 1.0 } else { other }).collect())
}

/// The range of a regression target, to move it to [0, 1] and predictions back.
///
/// ```
/// use datasets::TargetRange;
/// let rings = TargetRange::fit(&[1.0, 29.0, 8.0])?;
/// assert_eq!((rings.lower(), rings.upper()), (1.0, 29.0));
/// assert_eq!(rings.to_unit(8.0), 0.25);
/// assert_eq!(rings.from_unit(0.25), 8.0);
/// # Ok::<(), datasets::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Bounds", into = "Bounds")]
pub struct TargetRange {
    lower: f64,
    upper: f64,
}

#[derive(Serialize, Deserialize)]
struct Bounds {
    lower: f64,
    upper: f64,
}

impl TargetRange {
    /// The smallest and the largest of the values.
    ///
    /// # Errors
    /// [`EncodeError::NoRows`], [`EncodeError::NotFinite`], [`EncodeError::TooLarge`].
    pub fn fit(values: &[f64]) -> Result<Self, EncodeError> {
        if let Some(position) = first_beyond(values) {
            let value = values[position];
            return Err(if value.is_finite() {
                EncodeError::TooLarge { position, value }
            } else {
                EncodeError::NotFinite { position, value }
            });
        }
        let lower = values.iter().copied().reduce(f64::min).ok_or(EncodeError::NoRows)?;
        let upper = values.iter().copied().reduce(f64::max).ok_or(EncodeError::NoRows)?;
        Ok(Self { lower, upper })
    }

    /// The smallest value of the fit.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The largest value of the fit.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// (y − lower)/(upper − lower), and 0 where the fit was constant. Values outside the fitted range leave
    /// [0, 1].
    pub fn to_unit(&self, y: f64) -> f64 {
        let width = self.upper - self.lower;
        if width > 0.0 { (y - self.lower) / width } else { 0.0 }
    }

    /// The inverse of [`to_unit`](Self::to_unit): lower·(1 − u) + upper·u.
    pub fn from_unit(&self, u: f64) -> f64 {
        self.lower * (1.0 - u) + self.upper * u
    }
}

impl From<TargetRange> for Bounds {
    fn from(range: TargetRange) -> Self {
        Self { lower: range.lower, upper: range.upper }
    }
}

impl TryFrom<Bounds> for TargetRange {
    type Error = EncodeError;

    fn try_from(bounds: Bounds) -> Result<Self, EncodeError> {
        let Bounds { lower, upper } = bounds;
        if !(lower <= upper) {
            let requirement = "not above the upper bound";
            return Err(EncodeError::BadParameter {
                name: "lower bound",
                column: 0,
                value: lower,
                requirement,
            });
        }
        Self::fit(&[lower, upper])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "the values are exact")]
    fn ranges_from_the_smallest_to_the_largest_are_mapped() {
        let widest = TargetRange::fit(&[1e140, -1e140]).unwrap();
        assert_eq!([-1e140, 0.0, 1e140].map(|y| widest.to_unit(y)), [0.0, 0.5, 1.0]);
        assert_eq!([0.0, 0.5, 1.0].map(|u| widest.from_unit(u)), [-1e140, 0.0, 1e140]);
        let narrowest = TargetRange::fit(&[0.0, 5e-324]).unwrap();
        assert_eq!(narrowest.to_unit(5e-324), 1.0);
        assert_eq!(TargetRange::fit(&[3.0]).unwrap().to_unit(4.0), 0.0);
    }

    #[test]
    fn targets_of_the_other_kind_and_bad_ranges_are_refused() {
        let values = Targets::Values(vec![1.0]);
        let classes = Targets::Classes { indices: vec![0], names: vec!["only".to_owned()] };
        assert_eq!(signs(&values, &[0]), Err(EncodeError::NotClasses));
        assert_eq!(indicators(&classes, &[1]), Err(EncodeError::ClassOutOfRange { class: 1, classes: 1 }));
        assert_eq!(indicators(&classes, &[0]), Ok(vec![1.0]));
        assert_eq!(classes.values(), Err(EncodeError::NotNumbers));
        assert_eq!(TargetRange::fit(&[]), Err(EncodeError::NoRows));
        assert!(matches!(
            TargetRange::fit(&[0.0, f64::NAN]),
            Err(EncodeError::NotFinite { position: 1, .. })
        ));
        assert!(serde_json::from_str::<TargetRange>(r#"{"lower":1.0,"upper":2.0}"#).is_ok());
        assert!(serde_json::from_str::<TargetRange>(r#"{"lower":2.0,"upper":1.0}"#).is_err());
    }
}
