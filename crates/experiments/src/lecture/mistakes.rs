//! Perceptron and Winnow on a sparse target: the one pays for every attribute, the other for their logarithm.

use super::{LectureError, Point, generator, powers_of_two};
use oco_core::{Perceptron, Winnow};
use rand::RngExt;
use rows::Row;

/// Attributes that decide the label, by majority.
const RELEVANT: usize = 3;
/// With three of them every example has the margin y⟨u, x⟩ ≥ γ = 1/3 for the uniform distribution u on them \[W13, §4\],
/// and 1/√3 for the unit vector in its direction \[W13, §3.1\].
const MARGIN: f64 = 1.0 / 3.0;

/// x uniform on {−1, 1}^n; mistakes over a stream of 20,000 examples (2,000 in a quick run).
pub(super) fn run(seed: u64, trial: u64, quick: bool) -> Result<Vec<Point>, LectureError> {
    let (last, rounds) = if quick { (7, 2_000) } else { (11, 20_000) };
    let mut points = Vec::new();
    for n in powers_of_two(3, last) {
        let dimension = n as usize;
        let mut rng = generator(seed, u64::from(n), trial);
        let mut perceptron = Perceptron::new(dimension)?;
        let mut winnow = Winnow::for_margin(dimension, 1.0, MARGIN)?;
        let mut x = vec![0.0; dimension];
        for _ in 0..rounds {
            x.iter_mut().for_each(|x| *x = if rng.random::<bool>() { 1.0 } else { -1.0 });
            let y = x[..RELEVANT].iter().sum::<f64>().signum();
            let row = Row::dense(&x)?;
            perceptron.observe(row, y)?;
            winnow.observe(row, y)?;
        }
        let n = f64::from(n);
        for (series, value) in [
            ("Perceptron", count(perceptron.mistakes())),
            ("bound (R/γ)², Perceptron", n / MARGIN),
            ("Winnow", count(winnow.mistakes())),
            ("bound 2X² ln n/γ², Winnow", 2.0 * n.ln() / (MARGIN * MARGIN)),
        ] {
            let (panel, series) = ("majority of 3 of n attributes".to_owned(), series.to_owned());
            points.push(Point { panel, series, x: dimension as u64, value });
        }
    }
    Ok(points)
}

#[allow(clippy::cast_precision_loss, reason = "mistakes are counted in thousands")]
fn count(mistakes: u64) -> f64 {
    mistakes as f64
}
