//! A real stream for theorem checks: abalone, or its stand-in in a clone without the file, which is reported.

#![allow(clippy::unwrap_used, reason = "a test that cannot load its data must fail")]

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;

use datasets::{MinMax, Name, SearchPath, StandIn, TargetRange, load, permutation, with_constant};
use rows::RowMatrix;

/// Examples with rows in a ball of radius `largest_norm` and labels in [−1, 1].
pub(crate) struct Stream {
    pub(crate) rows: RowMatrix,
    pub(crate) labels: Vec<f64>,
    pub(crate) order: Vec<usize>,
    pub(crate) largest_norm: f64,
}

impl Stream {
    /// The first `rounds` examples of a seeded order.
    pub(crate) fn load(rounds: usize, seed: u64) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let dataset = load(Name::Abalone, &search, StandIn { seed: 1, rows: None }).unwrap();
        if dataset.provenance.to_string() != "official files" {
            reduced::announce(&format!("abalone is not here, the check runs on its {}", dataset.provenance));
        }
        let all: Vec<usize> = (0..dataset.len()).collect();
        let scaler = MinMax::fit(&dataset.features, &all, &dataset.numeric_columns).unwrap();
        let rows = with_constant(&scaler.apply(&dataset.features).unwrap()).unwrap();
        let rings = dataset.targets.values().unwrap();
        let range = TargetRange::fit(rings).unwrap();
        let labels = rings.iter().map(|y| 2.0 * range.to_unit(*y) - 1.0).collect();
        let largest_norm = rows.iter().map(|x| x.norm_squared()).fold(0.0, f64::max).sqrt();
        let order = permutation(rows.len(), seed, 0).unwrap().into_iter().take(rounds).collect();
        Self { rows, labels, order, largest_norm }
    }

    /// (row, label) in order.
    pub(crate) fn examples(&self) -> impl Iterator<Item = (rows::Row<'_>, f64)> {
        self.order.iter().map(|&i| (self.rows.row(i).unwrap(), self.labels[i]))
    }

    /// Members of the class {x ↦ Ux : ‖U‖ ≤ radius} to compare with: zero, a few fixed directions, and the
    /// least-squares solution scaled into the ball (found by gradient descent).
    pub(crate) fn comparators(&self, radius: f64) -> Vec<Vec<f64>> {
        let m = self.rows.dimension();
        let mut fitted = vec![0.0; m];
        for _ in 0..30 {
            for (x, label) in self.examples() {
                let error = x.dot(&fitted) - label;
                x.axpy_into(-0.02 * error, &mut fitted);
            }
        }
        let waves = (1..4).map(|k| (0..m).map(|j| ((j * k) as f64).sin()).collect::<Vec<f64>>());
        let mut all: Vec<Vec<f64>> = waves.chain([fitted]).collect();
        for u in &mut all {
            let norm = u.iter().map(|u| u * u).sum::<f64>().sqrt();
            u.iter_mut().for_each(|u| *u *= radius / norm.max(radius));
        }
        all.push(vec![0.0; m]);
        all
    }
}
