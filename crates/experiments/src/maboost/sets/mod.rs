//! The data sets, and the part of one that a trial uses.

use crate::runner::ExperimentError;
use datasets::letter::FIRST_HALF_OF_ALPHABET;
use datasets::synthetic::flip_at_random;
use datasets::{Dataset, Name, permutation, signs};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::Label;
use weak_learners::batch::{BinnedColumns, Sample};

/// The sets with two classes, and letter with A to M as +1.
pub const SETS: [Name; 6] =
    [Name::BreastCancer, Name::Ionosphere, Name::Spambase, Name::Letter, Name::Adult, Name::Census];

/// A trial's rows for training and for testing, with their true labels. The bins are cut on the training
/// rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The training rows.
    pub train: BinnedColumns,
    /// The true labels ±1 of the training rows.
    pub truth: Vec<f64>,
    /// The test rows.
    pub test: BinnedColumns,
    /// The labels of the test rows.
    pub test_labels: Vec<Label>,
}

/// The input of a booster.
#[derive(Debug, Clone, PartialEq)]
pub struct Task<'a> {
    /// The rows.
    pub split: &'a Split,
    /// The labels of the training rows as given to the booster.
    pub labels: Vec<Label>,
    /// Whether a training example is in B; all false unless two sets are combined.
    pub secondary: Vec<bool>,
}

impl Split {
    /// The split of a trial: the training and the test file where a set has them (the first two thirds and
    /// the rest of a stand-in), and otherwise two thirds and a third at random. At most `most` rows are drawn
    /// from each part.
    ///
    /// # Errors
    /// The errors of the encoders and of the columns.
    pub fn draw(
        name: Name,
        dataset: &Dataset,
        most: [usize; 2],
        seed: u64,
        trial: u64,
    ) -> Result<Self, ExperimentError> {
        let order = permutation(dataset.len(), seed, trial)?;
        let file = training_file(name, dataset.len());
        let (train, test): (Vec<usize>, Vec<usize>) = match file {
            Some(rows) => order.into_iter().partition(|&i| i < rows),
            None => {
                let (train, test) = order.split_at(2 * order.len() / 3);
                (train.to_vec(), test.to_vec())
            }
        };
        let positive: &[u32] = if name == Name::Letter { &FIRST_HALF_OF_ALPHABET } else { &[1] };
        let truth = signs(&dataset.targets, positive)?;
        let [train, test] = [(train, most[0]), (test, most[1])].map(|(rows, most)| {
            let kept = rows.len().min(most);
            rows[..kept].to_vec()
        });
        Self::of(&dataset.features, &truth, &train, &test)
    }

    /// Training and test rows of a matrix.
    fn of(rows: &RowMatrix, truth: &[f64], train: &[usize], test: &[usize]) -> Result<Self, ExperimentError> {
        let columns = BinnedColumns::new(rows.select(train.iter().copied())?)?;
        let test_labels = test.iter().map(|&i| Label::new(truth[i])).collect::<Result<_, _>>()?;
        Ok(Self {
            test: columns.binned_like(rows.select(test.iter().copied())?)?,
            train: columns,
            truth: train.iter().map(|&i| truth[i]).collect(),
            test_labels,
        })
    }

    /// Four fifths of the training rows for training and one fifth for validation, with the labels given to
    /// the booster. The rows are already in random order.
    ///
    /// # Errors
    /// The errors of the columns.
    pub fn validation(&self, told: &[f64]) -> Result<Self, ExperimentError> {
        let (n, fifth) = (told.len(), told.len() / 5);
        let (train, validate): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| i < n - fifth);
        Self::of(self.train.matrix(), told, &train, &validate)
    }

    /// The first `rows` training rows only, and the same test rows.
    ///
    /// # Errors
    /// The errors of the columns.
    pub fn first(&self, rows: usize) -> Result<Self, ExperimentError> {
        let train: Vec<usize> = (0..rows.min(self.truth.len())).collect();
        let columns = BinnedColumns::new(self.train.matrix().select(train.iter().copied())?)?;
        Ok(Self {
            test: columns.binned_like(self.test.matrix().clone())?,
            train: columns,
            truth: train.iter().map(|&i| self.truth[i]).collect(),
            test_labels: self.test_labels.clone(),
        })
    }

    /// The training labels, each flipped with probability p. The flips of a smaller p are among those of a
    /// larger p.
    ///
    /// # Errors
    /// A p outside \[0, ½\].
    pub fn told(&self, p: f64, seed: u64, trial: u64) -> Result<Vec<f64>, ExperimentError> {
        let mut coins = ChaCha8Rng::seed_from_u64(seed);
        coins.set_stream((1 << 40) + trial);
        Ok(flip_at_random(&self.truth, p, &mut coins)?)
    }

    /// The task with these labels, all in one set.
    ///
    /// # Errors
    /// Labels that are not ±1.
    pub fn task(&self, told: &[f64]) -> Result<Task<'_>, ExperimentError> {
        let labels = told.iter().map(|&y| Label::new(y)).collect::<Result<_, _>>()?;
        Ok(Task { split: self, labels, secondary: vec![false; self.train.size()] })
    }
}

/// The rows of the training file, for a set with a separate test file.
fn training_file(name: Name, rows: usize) -> Option<usize> {
    let official = match name {
        Name::Adult => (32_561, 48_842),
        Name::Census => (199_523, 299_285),
        _ => return None,
    };
    Some(if rows == official.1 { official.0 } else { 2 * rows / 3 })
}

#[cfg(test)]
mod tests;
