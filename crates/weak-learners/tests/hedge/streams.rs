//! Streams of labelled rows.

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;

use datasets::{Name, SearchPath, StandIn, letter::FIRST_HALF_OF_ALPHABET, load, permutation, signs};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use weak_learners::Label;

pub(crate) struct Stream {
    pub(crate) rows: RowMatrix,
    pub(crate) labels: Vec<Label>,
}

impl Stream {
    pub(crate) fn examples(&self) -> impl Iterator<Item = (Row<'_>, Label)> {
        self.rows.iter().zip(self.labels.iter().copied())
    }
}

/// Values on a grid around 0 with repetitions; labels by one stump with 20% flipped, another stump in the
/// second half.
pub(crate) fn drifting(inputs: usize, rounds: usize, seed: u64) -> Stream {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<f64> = (0..rounds * inputs).map(|_| 0.5 * f64::from(rng.random_range(-4..=4))).collect();
    let label = |t: usize, row: &[f64]| {
        let score = if t < rounds / 2 { row[0] - 0.6 } else { 0.4 - row[inputs - 1] };
        Label::of_score(if t % 5 == 2 { -score } else { score })
    };
    let labels = values.chunks(inputs).enumerate().map(|(t, row)| label(t, row)).collect();
    Stream { rows: RowMatrix::dense(inputs, values).unwrap(), labels }
}

/// The first rounds of a seeded order of a real set: adult (sparse) or letter (dense), or its stand-in.
pub(crate) fn real(name: Name, rounds: usize) -> Stream {
    let search = SearchPath::from_environment(None).unwrap();
    let dataset = load(name, &search, StandIn { seed: 1, rows: Some(rounds) }).unwrap();
    if dataset.provenance.to_string() != "official files" {
        reduced::announce(&format!("{name} is its {}", dataset.provenance));
    }
    let positive = if name == Name::Letter { &FIRST_HALF_OF_ALPHABET[..] } else { &[1] };
    let labels = signs(&dataset.targets, positive).unwrap();
    let order: Vec<usize> = permutation(dataset.len(), 1, 0).unwrap().into_iter().take(rounds).collect();
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in &order {
        dataset.features.row(i).unwrap().for_each(|j, v| {
            indices.push(u32::try_from(j).unwrap());
            values.push(v);
        });
        offsets.push(values.len());
    }
    let rows = RowMatrix::sparse(dataset.features.dimension(), offsets, indices, values).unwrap();
    Stream { rows, labels: order.iter().map(|&i| Label::new(labels[i]).unwrap()).collect() }
}

/// The stored values of a row that are not 0, for its sparse twin.
pub(crate) fn non_zero(x: Row<'_>) -> (Vec<u32>, Vec<f64>) {
    (0..).zip(x.to_dense()).filter(|(_, v)| *v != 0.0).unzip()
}

/// The mean of a sample and five standard errors of it: a mean that is right misses by more in fewer than one
/// of a million tests where the normal approximation holds.
pub(crate) fn mean_and_margin(sample: &[f64]) -> (f64, f64) {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let variance = sample.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 5.0 * (variance / n).sqrt())
}
