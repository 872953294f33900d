//! How the inputs of a net are scaled.

use crate::NetError;
use off_policy::Log;
use serde::{Deserialize, Serialize};

/// The scaling of the coordinates of a context before they enter a net \[L23, Appendix F.1\].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// x as it is.
    None,
    /// (x − mean)/standard deviation of the log, for every coordinate with a value other than 0 and 1. A
    /// coordinate that never changes is 0.
    #[default]
    Standard,
    /// x/s for every coordinate, such as 255 for the bytes of an image.
    Divided(f64),
}

impl Scaling {
    /// Shift and factor of every coordinate: x becomes (x − shift)·factor.
    ///
    /// # Errors
    /// [`NetError::BadParameter`] for a divisor that is not positive and finite.
    #[cfg_attr(not(feature = "training"), allow(dead_code, reason = "scalings are found in training"))]
    pub(crate) fn of(self, log: &Log) -> Result<(Vec<f64>, Vec<f64>), NetError> {
        let m = log.inputs();
        match self {
            Self::None => Ok((vec![0.0; m], vec![1.0; m])),
            Self::Divided(value) if value.is_finite() && value > 0.0 => {
                Ok((vec![0.0; m], vec![1.0 / value; m]))
            }
            Self::Divided(value) => {
                let (name, domain) = ("the divisor of inputs", "(0, ∞)");
                Err(NetError::BadParameter { name, value, domain })
            }
            Self::Standard => Ok(standard(log)),
        }
    }
}

fn standard(log: &Log) -> (Vec<f64>, Vec<f64>) {
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    let n = log.len() as f64;
    let m = log.inputs();
    // The numbers are divided first, so that no sum leaves the range of numbers.
    let mut shift = vec![0.0; m];
    let mut is_indicator = vec![true; m];
    for row in log.contexts().iter() {
        row.for_each(|j, x| {
            shift[j] += x / n;
            is_indicator[j] &= x == 0.0 || x == 1.0;
        });
    }
    let mut variance = vec![0.0; m];
    let mut entries = vec![0_usize; m];
    for row in log.contexts().iter() {
        row.for_each(|j, x| {
            variance[j] += ((x - shift[j]) / n.sqrt()).powi(2);
            entries[j] += 1;
        });
    }
    let mut factor = vec![1.0; m];
    for j in 0..m {
        if is_indicator[j] {
            shift[j] = 0.0;
            continue;
        }
        // Coordinates that a sparse row leaves out are 0.
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let zeros = (log.len() - entries[j]) as f64;
        variance[j] += zeros / n * shift[j] * shift[j];
        let deviation = variance[j].sqrt();
        factor[j] = if deviation > shift[j].abs() * 1e-12 { 1.0 / deviation } else { 0.0 };
    }
    (shift, factor)
}
