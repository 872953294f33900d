//! Samples with labels: real ones, reduced aloud where they are absent, and random ones.

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;

use datasets::{Name, SearchPath, StandIn, load, permutation, signs};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::Label;
use weak_learners::batch::{BinnedColumns, SortedColumns};

/// Labelled rows.
pub(crate) struct Task {
    pub(crate) rows: RowMatrix,
    pub(crate) labels: Vec<Label>,
}

impl Task {
    /// The first m examples of a real data set in a seeded order; these classes are +1.
    pub(crate) fn of(name: Name, m: usize, positive: &[u32]) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let dataset = load(name, &search, StandIn { seed: 1, rows: Some(m) }).unwrap();
        if dataset.provenance.to_string() != "official files" {
            let what = format!("{name} is not here, the check runs on its {}", dataset.provenance);
            reduced::announce(&what);
        }
        let y = signs(&dataset.targets, positive).unwrap();
        let order: Vec<usize> = permutation(dataset.len(), 1, 0).unwrap().into_iter().take(m).collect();
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &i in &order {
            dataset.features.row(i).unwrap().for_each(|j, x_j| {
                indices.push(u32::try_from(j).unwrap());
                values.push(x_j);
            });
            offsets.push(values.len());
        }
        let rows = RowMatrix::sparse(dataset.features.dimension(), offsets, indices, values).unwrap();
        Self { rows, labels: order.iter().map(|&i| Label::new(y[i]).unwrap()).collect() }
    }

    /// The five real samples of the family's checks. The letters A to M are against the others.
    pub(crate) fn real() -> [(&'static str, Self); 5] {
        let half: Vec<u32> = (0..13).collect();
        [
            ("breast cancer", Self::of(Name::BreastCancer, 699, &[1])),
            ("ionosphere", Self::of(Name::Ionosphere, 351, &[1])),
            ("spambase", Self::of(Name::Spambase, 1200, &[1])),
            ("adult", Self::of(Name::Adult, 3000, &[1])),
            ("letter", Self::of(Name::Letter, 2500, &half)),
        ]
    }

    /// m points of the cube with the majority of three stumps for a label: on every distribution one of the
    /// three has an edge of 1/3.
    pub(crate) fn majority_of_three(m: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let values: Vec<f64> = (0..3 * m).map(|_| rng.random_range(-1.0..1.0)).collect();
        let label = |x: &[f64]| Label::of_score(x.iter().map(|x| Label::of_score(*x).sign()).sum());
        let labels = values.chunks(3).map(label).collect();
        Self { rows: RowMatrix::dense(3, values).unwrap(), labels }
    }

    pub(crate) fn sorted(&self) -> SortedColumns {
        SortedColumns::new(self.rows.clone()).unwrap()
    }

    pub(crate) fn binned(&self) -> BinnedColumns {
        BinnedColumns::new(self.rows.clone()).unwrap()
    }
}

/// Weights in [0.05, 1], so that the heaviest example weighs up to twenty times the lightest.
pub(crate) fn uneven_weights(m: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..m).map(|_| rng.random_range(0.05..1.0)).collect()
}
