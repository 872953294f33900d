//! Samples with labels or classes.

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;

use boosters::maboost::{AdaBoost, BoostingRun, Examples};
use datasets::{Name, SearchPath, StandIn, Targets, load, permutation};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::Label;
use weak_learners::batch::{BinnedColumns, ExactStump, SortedColumns};

pub(crate) type StumpRun<A> = BoostingRun<ExactStump, A>;

pub(crate) struct Task {
    pub(crate) sample: SortedColumns,
    pub(crate) labels: Vec<Label>,
}

impl Task {
    /// m points of the cube, labelled by the majority of three stumps but for one in ten.
    pub(crate) fn noisy_majority(m: usize, seed: u64) -> Self {
        Self::majority(3, m, seed, 0.1)
    }

    /// m points of the cube, labelled by the majority of three stumps.
    pub(crate) fn clean_majority(m: usize, seed: u64) -> Self {
        Self::majority(3, m, seed, 0.0)
    }

    /// m points of a cube of so many sides, labelled by the majority of as many stumps but for this share.
    pub(crate) fn majority(stumps: usize, m: usize, seed: u64, noise: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let values: Vec<f64> = (0..stumps * m).map(|_| rng.random_range(-1.0..1.0)).collect();
        let labels = values.chunks(stumps).map(|x| {
            let label = Label::of_score(x.iter().map(|x| x.signum()).sum());
            if rng.random_bool(noise) { -label } else { label }
        });
        let labels = labels.collect();
        Self { sample: SortedColumns::new(RowMatrix::dense(stumps, values).unwrap()).unwrap(), labels }
    }

    pub(crate) fn examples(&self) -> Examples {
        Examples::uniform(self.labels.clone()).unwrap()
    }

    pub(crate) fn ada(&self) -> StumpRun<AdaBoost> {
        let examples = self.examples();
        let ada = AdaBoost::new(&examples).unwrap();
        BoostingRun::new(examples, ExactStump::default(), ada).unwrap()
    }
}

/// Rows of 26 letters: some to learn from, others to test on.
pub(crate) struct Letters {
    pub(crate) sample: BinnedColumns,
    pub(crate) classes: Vec<u32>,
    pub(crate) others: BinnedColumns,
    pub(crate) other_classes: Vec<u32>,
    /// Whether these are the official files and no stand-in.
    pub(crate) is_official: bool,
}

impl Letters {
    pub(crate) fn load(learn: usize, test: usize) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let rows = Some(learn + test);
        let dataset = load(Name::Letter, &search, StandIn { seed: 1, rows }).unwrap();
        let is_official = dataset.provenance.to_string() == "official files";
        if !is_official {
            let what = format!("letter is not here, the check runs on its {}", dataset.provenance);
            reduced::announce(&what);
        }
        let indices = match &dataset.targets {
            Targets::Classes { indices, .. } => indices.as_slice(),
            Targets::Values(_) => &[],
        };
        let order = permutation(dataset.len(), 1, 0).unwrap();
        let part = |rows: &[usize]| {
            let values = rows.iter().flat_map(|&i| dataset.features.row(i).unwrap().to_dense()).collect();
            let classes: Vec<u32> = rows.iter().map(|&i| indices[i]).collect();
            (RowMatrix::dense(dataset.features.dimension(), values).unwrap(), classes)
        };
        let ((rows, classes), (others, other_classes)) =
            (part(&order[..learn]), part(&order[learn..learn + test]));
        let sample = BinnedColumns::new(rows).unwrap();
        let others = sample.binned_like(others).unwrap();
        Self { sample, classes, others, other_classes, is_official }
    }
}
