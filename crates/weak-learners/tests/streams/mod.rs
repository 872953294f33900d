//! Labelled streams of real data for the tests of classifiers, or stand-ins of the same shape, visibly.

#![allow(dead_code, reason = "each test uses its share")]
#![allow(clippy::unwrap_used, reason = "a stream that does not load fails the test")]

#[path = "../../../datasets/tests/reduced/mod.rs"]
pub(crate) mod reduced;

use datasets::letter::FIRST_HALF_OF_ALPHABET;
use datasets::{
    Dataset, Name, Provenance, SearchPath, StandIn, Standardiser, load, permutation, signs, with_constant,
};
use rows::{Row, RowMatrix};
use weak_learners::Label;

pub(crate) struct Stream {
    pub(crate) rows: RowMatrix,
    labels: Vec<Label>,
    order: Vec<usize>,
    /// Whether a test may expect of it what the real data show.
    pub(crate) is_real: bool,
}

impl Stream {
    /// Numbers standardised, and a constant: what a linear learner wants. Adult: sparse, 106 features.
    pub(crate) fn adult() -> Self {
        let (set, is_real) = loaded(Name::Adult);
        let all: Vec<usize> = (0..set.len()).collect();
        let scaler = Standardiser::fit(&set.features, &all, &set.numeric_columns).unwrap();
        let rows = with_constant(&scaler.apply(&set.features).unwrap()).unwrap();
        Self::new(rows, &signs(&set.targets, &[1]).unwrap(), is_real)
    }

    /// Adult as it is in the file: 99 indicators, and six numbers up to 1,490,400.
    pub(crate) fn raw_adult() -> Self {
        let (set, is_real) = loaded(Name::Adult);
        let labels = signs(&set.targets, &[1]).unwrap();
        Self::new(set.features, &labels, is_real)
    }

    /// Whether a letter is of the first half of the alphabet; dense, 16 numbers from 0 to 15.
    pub(crate) fn letter() -> Self {
        let (set, is_real) = loaded(Name::Letter);
        let labels = signs(&set.targets, &FIRST_HALF_OF_ALPHABET).unwrap();
        Self::new(set.features, &labels, is_real)
    }

    fn new(rows: RowMatrix, labels: &[f64], is_real: bool) -> Self {
        let labels = labels.iter().map(|&y| Label::new(y).unwrap()).collect();
        Self { order: permutation(rows.len(), 4, 0).unwrap(), rows, labels, is_real }
    }

    /// The examples in a fixed random order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Row<'_>, Label)> {
        self.order.iter().map(|&i| (self.rows.row(i).unwrap(), self.labels[i]))
    }
}

fn loaded(name: Name) -> (Dataset, bool) {
    let stand_in = StandIn { seed: 7, rows: Some(3_000) };
    let set = load(name, &SearchPath::from_environment(None).unwrap(), stand_in).unwrap();
    let is_real = matches!(set.provenance, Provenance::Official { .. });
    if !is_real {
        reduced::announce(&format!("{name} is a {}; what real data show is not checked", set.provenance));
    }
    (set, is_real)
}
