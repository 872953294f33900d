//! Synthetic data: generators with a known truth, and stand-ins for absent files.
//!
//! A generator with a linear truth draws contexts uniformly from the unit sphere, ‖x‖ = 1, and scores them
//! with a hidden vector of norm 1, so that scores lie in [−1, 1] and the constants of regret bounds are
//! known; one whose truth is made of stumps draws them from a cube. It owns its random numbers: the same seed
//! gives the same examples, and a saved generator continues where it stopped.

mod linear_regression;
mod noisy_regression;

mod drifting_regression;
mod label_noise;

mod drifting_classification;
mod stump_majority;

mod label_flips;

mod classification_stand_in;
mod stand_in;
mod unit_sphere;

mod error;

pub use classification_stand_in::classification_stand_in;
pub use drifting_classification::DriftingClassification;
pub use drifting_regression::DriftingRegression;
pub use error::GeneratorError;
pub use label_flips::{flip_at_random, flip_blocks, flip_surest};
pub use label_noise::LabelNoise;
pub use linear_regression::LinearRegression;
pub use noisy_regression::NoisyRegression;
pub use stand_in::{StandIn, census_stand_in, stand_in};
pub use stump_majority::{StumpMajority, TrueStump};

use crate::dataset::{Dataset, Provenance, Targets};
use crate::error::DataError;
use crate::room::has_room;
use rows::RowMatrix;

/// An endless stream of examples with a known truth.
pub trait Generator {
    /// m, the number of features.
    fn dimension(&self) -> usize;

    /// The seed that the generator was made with.
    fn seed(&self) -> u64;

    /// Draws the next example: writes its m features to `x`, whatever that held before, and returns the
    /// target. A buffer that is passed again is not allocated again.
    fn draw(&mut self, x: &mut Vec<f64>) -> f64;

    /// What the drawn numbers are as targets of a data set: numbers, unless a generator says otherwise.
    fn targets(&self, drawn: Vec<f64>) -> Targets {
        Targets::Values(drawn)
    }
}

/// The next n examples of a generator as a data set.
///
/// ```
/// use datasets::synthetic::{LinearRegression, generated};
/// let data = generated("linear", &mut LinearRegression::new(3, 7)?, 50)?;
/// assert_eq!((data.len(), data.features.dimension()), (50, 3));
/// assert_eq!(data.provenance.to_string(), "synthetic (seed 7)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DataError::TooManyExamples`]; [`DataError::Rows`] where a generator of another crate draws what is not a
/// row.
pub fn generated(name: &str, generator: &mut impl Generator, n: usize) -> Result<Dataset, DataError> {
    let m = generator.dimension();
    check_examples(n, m)?;
    let (mut x, mut values, mut drawn) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        drawn.push(generator.draw(&mut x));
        values.extend_from_slice(&x);
    }
    Ok(Dataset {
        name: name.to_owned(),
        features: RowMatrix::dense(m, values)?,
        targets: generator.targets(drawn),
        provenance: Provenance::Synthetic { seed: generator.seed() },
        feature_names: (0..m).map(|j| format!("x{j}")).collect(),
        numeric_columns: (0..m).collect(),
    })
}

/// Refuses more features than can be held: the number may be that of a damaged file.
fn check_features(m: usize) -> Result<(), GeneratorError> {
    if has_room(m, size_of::<f64>()) { Ok(()) } else { Err(GeneratorError::TooManyFeatures { got: m }) }
}

/// Refuses more examples than can be held.
fn check_examples(rows: usize, dimension: usize) -> Result<(), DataError> {
    let bytes = dimension.saturating_add(1).saturating_mul(size_of::<f64>());
    if has_room(rows, bytes) { Ok(()) } else { Err(DataError::TooManyExamples { rows, dimension }) }
}

/// Labels ±1 as the two classes `-1` and `+1`.
fn sign_classes(drawn: &[f64]) -> Targets {
    let indices = drawn.iter().map(|&label| u32::from(label > 0.0)).collect();
    Targets::Classes { indices, names: vec!["-1".to_owned(), "+1".to_owned()] }
}
