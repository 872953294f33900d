//! The five regression tasks: labels, features and prediction set.

use crate::runner::ExperimentError;
use datasets::letter::FIRST_HALF_OF_ALPHABET;
use datasets::{CensusCoding, Dataset, MinMax, Name, SearchPath, StandIn};
use datasets::{load, load_census, permutation, signs, split_halves, with_constant};
use rows::RowMatrix;

/// A data set with its labels coded into Y = [−1, 1] and unscaled features.
#[derive(Debug)]
pub struct Task {
    /// The data set.
    pub name: Name,
    /// The examples, features unscaled.
    pub dataset: Dataset,
    /// The coded labels, one per example.
    pub labels: Vec<f64>,
    /// The coding of the labels, in words for the page.
    pub coding: &'static str,
}

/// The view of one trial: its own order of the examples, halved, and features scaled on the tuning half only.
#[derive(Debug)]
pub struct Halves {
    /// Number columns moved to [0, 1], a constant 1 appended.
    pub features: RowMatrix,
    /// The coded labels, one per example.
    pub labels: Vec<f64>,
    /// The tuning half, in order.
    pub tuning: Vec<usize>,
    /// The reporting half, in order.
    pub reporting: Vec<usize>,
    /// B = 1/max‖x‖ over the tuning half: the largest ball of weights W for which Wx ∈ Y there.
    pub radius: f64,
}

impl Task {
    /// Loads a data set and codes its labels: see [`coding`](Self::coding).
    ///
    /// # Errors
    /// The errors of the reader.
    pub fn load(name: Name, search: &SearchPath, stand_in: StandIn) -> Result<Self, ExperimentError> {
        let dataset = match name {
            // This coding has the 401 features stated in the paper.
            Name::Census => load_census(CensusCoding::Published, search, stand_in)?,
            _ => load(name, search, stand_in)?,
        };
        let (labels, coding) = match name {
            Name::Abalone => {
                (to_signs(dataset.targets.values()?, (1.0, 29.0)), "rings, 1 to 29, moved to [−1, 1]")
            }
            Name::Slice => (
                to_signs(dataset.targets.values()?, (0.0, 180.0)),
                "position along the axis, 0 to 180, moved to [−1, 1]",
            ),
            Name::BreastCancer | Name::Ionosphere | Name::Spambase => {
                (signs(&dataset.targets, &[1])?, "+1 for the second of the two classes, −1 for the first")
            }
            Name::Adult | Name::Census => {
                (signs(&dataset.targets, &[1])?, "+1 above 50,000 dollars a year, −1 below")
            }
            Name::Letter => {
                (signs(&dataset.targets, &FIRST_HALF_OF_ALPHABET)?, "+1 for A to M, −1 for N to Z")
            }
        };
        Ok(Self { name, dataset, labels, coding })
    }

    /// The order and the scaling of one trial. Every trial has its own split. `at_most` shortens both halves.
    ///
    /// # Errors
    /// The errors of the encoders.
    pub fn halves(&self, seed: u64, trial: u64, at_most: usize) -> Result<Halves, ExperimentError> {
        let order = permutation(self.dataset.len(), seed, trial)?;
        let (tuning, reporting) = split_halves(&order);
        let shortened = |half: &[usize]| half.iter().copied().take(at_most).collect::<Vec<_>>();
        let (tuning, reporting) = (shortened(tuning), shortened(reporting));
        let scaler = MinMax::fit(&self.dataset.features, &tuning, &self.dataset.numeric_columns)?;
        let features = with_constant(&scaler.apply(&self.dataset.features)?)?;
        let norms = tuning.iter().filter_map(|&i| features.row(i)).map(|x| x.norm_squared());
        let radius = 1.0 / norms.fold(1.0, f64::max).sqrt();
        Ok(Halves { features, labels: self.labels.clone(), tuning, reporting, radius })
    }
}

/// Moves a target to [−1, 1]. Its range comes from the data set's description, not from the examples at hand.
fn to_signs(values: &[f64], (lower, upper): (f64, f64)) -> Vec<f64> {
    values.iter().map(|y| 2.0 * (y - lower) / (upper - lower) - 1.0).collect()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these numbers are exact")]
mod tests {
    use super::*;

    fn load(name: Name) -> Task {
        Task::load(name, &SearchPath::nowhere(), StandIn { seed: 1, rows: Some(400) }).unwrap()
    }

    #[test]
    fn the_ends_of_a_range_are_minus_1_and_1() {
        assert_eq!(to_signs(&[1.0, 8.0, 15.0, 29.0], (1.0, 29.0)), [-1.0, -0.5, 0.0, 1.0]);
        for (name, middle, half) in [(Name::Abalone, 15.0, 14.0), (Name::Slice, 90.0, 90.0)] {
            let task = load(name);
            let values = task.dataset.targets.values().unwrap().iter();
            assert!(values.zip(&task.labels).all(|(value, y)| (value - middle - half * y).abs() < 1e-12));
            assert!(task.labels.iter().any(|y| y.abs() < 1.0));
        }
        let adult = load(Name::Adult);
        let datasets::Targets::Classes { indices, .. } = &adult.dataset.targets else { panic!("no classes") };
        assert!(
            indices.iter().zip(&adult.labels).all(|(class, y)| *y == if *class == 1 { 1.0 } else { -1.0 })
        );
    }

    #[test]
    fn the_ball_is_the_largest_whose_predictions_are_in_range_on_the_tuning_half() {
        let task = load(Name::Abalone);
        let halves = task.halves(3, 0, usize::MAX).unwrap();
        assert_eq!((halves.tuning.len(), halves.reporting.len()), (200, 200));
        let mut all = [halves.tuning.clone(), halves.reporting.clone()].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..400), "no example is in both halves");
        let norm = |i: &usize| halves.features.row(*i).unwrap().norm_squared().sqrt();
        let longest = halves.tuning.iter().map(norm).fold(0.0, f64::max);
        assert!((halves.radius * longest - 1.0).abs() < 1e-12 && longest > 1.0);
        // A shortened half keeps its own first examples; another trial or seed has another order.
        let short = task.halves(3, 0, 50).unwrap();
        assert_eq!(short.tuning, halves.tuning[..50]);
        assert_eq!(short.reporting, halves.reporting[..50]);
        assert_ne!(task.halves(3, 1, usize::MAX).unwrap().tuning, halves.tuning);
        assert_ne!(task.halves(4, 0, usize::MAX).unwrap().tuning, halves.tuning);
    }
}
