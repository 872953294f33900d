//! Samples with labels: real ones, reduced aloud where they are absent, and random ones.

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;

use boosters::agnostic::StatisticalBooster;
use datasets::{Name, SearchPath, StandIn, load, permutation, signs};
use oco_core::learners::Ogd;
use projections::BoxSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::Label;
use weak_learners::batch::{ExactStump, SortedColumns, WeakLearner};

pub(crate) type Tuned<W> = StatisticalBooster<W, Ogd<BoxSet>>;

pub(crate) struct Task {
    pub(crate) sample: SortedColumns,
    pub(crate) labels: Vec<Label>,
}

impl Task {
    fn new(columns: usize, values: Vec<f64>, labels: Vec<Label>) -> Self {
        Self { sample: SortedColumns::new(RowMatrix::dense(columns, values).unwrap()).unwrap(), labels }
    }

    /// m points of the cube whose label is that of a stump, but for one in four.
    pub(crate) fn noisy_stump(m: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let values: Vec<f64> = (0..3 * m).map(|_| rng.random_range(-1.0..1.0)).collect();
        let flipped = |y: f64, rng: &mut ChaCha8Rng| if rng.random_bool(0.25) { -y } else { y };
        let labels = values.chunks(3).map(|x| Label::of_score(flipped(x[1], &mut rng))).collect();
        Self::new(3, values, labels)
    }

    /// m points of the cube with the majority of three stumps for a label: on every distribution one of the
    /// three has an edge of 1/3.
    pub(crate) fn majority_of_three(m: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let values: Vec<f64> = (0..3 * m).map(|_| rng.random_range(-1.0..1.0)).collect();
        let label = |x: &[f64]| Label::of_score(x.iter().map(|x| Label::of_score(*x).sign()).sum());
        let labels = values.chunks(3).map(label).collect();
        Self::new(3, values, labels)
    }

    /// The first m examples of a real data set in a seeded order; the second class is +1.
    pub(crate) fn of(name: Name, m: usize) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let dataset = load(name, &search, StandIn { seed: 1, rows: Some(m) }).unwrap();
        if dataset.provenance.to_string() != "official files" {
            let what = format!("{name} is not here, the check runs on its {}", dataset.provenance);
            reduced::announce(&what);
        }
        let y = signs(&dataset.targets, &[1]).unwrap();
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
        let labels = order.iter().map(|&i| Label::new(y[i]).unwrap()).collect();
        Self { sample: SortedColumns::new(rows).unwrap(), labels }
    }

    pub(crate) fn signs(&self) -> Vec<f64> {
        self.labels.iter().map(|y| y.sign()).collect()
    }

    /// The votes of the stump of largest Σ w_i y_i h(x_i).
    pub(crate) fn best_stump(&self, weights: &[f64]) -> Vec<f64> {
        let mut votes = vec![0.0; self.labels.len()];
        let stump = ExactStump::default().train(&self.sample, &self.signs(), weights).unwrap();
        ExactStump::default().evaluate(&stump, &self.sample, &mut votes).unwrap();
        votes
    }

    /// cor_S of votes.
    pub(crate) fn correlation(&self, votes: &[f64]) -> f64 {
        let agree: f64 = votes.iter().zip(&self.labels).map(|(h, y)| h * y.sign()).sum();
        agree / votes.len() as f64
    }

    /// (1/m)Σ E[Π(z(x_i))]y_i, from the vote itself.
    pub(crate) fn expected_correlation<W: WeakLearner, A>(&self, booster: &StatisticalBooster<W, A>) -> f64 {
        let expected = |x| 2.0 * booster.vote().prob_plus(x).unwrap() - 1.0;
        let votes: Vec<f64> = self.sample.matrix().iter().map(expected).collect();
        self.correlation(&votes)
    }
}
