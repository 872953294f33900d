//! Perceptron and Winnow on a sparse target: mistakes linear and logarithmic in the number of attributes.

use super::{Point, generator, powers_of_two};
use crate::runner::ExperimentError;
use oco_core::learners::{Perceptron, Winnow};
use rand::RngExt;
use rows::Row;

/// The number of relevant attributes: the label is their majority.
const RELEVANT: usize = 3;
/// With three of them every example has the margin y⟨u, x⟩ ≥ γ = 1/3 for the uniform distribution u on them
/// \[W13, §4\], and 1/√3 for the unit vector in its direction \[W13, §3.1\].
const MARGIN: f64 = 1.0 / 3.0;

/// x uniform on {−1, 1}^n; mistakes over a stream of 20,000 examples (2,000 in a quick run).
pub(super) fn run(seed: u64, trial: u64, quick: bool) -> Result<Vec<Point>, ExperimentError> {
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
            let y = majority(&x);
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

/// The label: the majority of the relevant attributes.
fn majority(x: &[f64]) -> f64 {
    x[..RELEVANT].iter().sum::<f64>().signum()
}

#[allow(clippy::cast_precision_loss, reason = "mistakes are counted in thousands")]
fn count(mistakes: u64) -> f64 {
    mistakes as f64
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "counts")]
mod tests {
    use super::*;

    #[test]
    fn the_label_is_that_of_most_of_three() {
        for (x, y) in [
            ([1.0, 1.0, -1.0, -1.0, -1.0], 1.0),
            ([-1.0, 1.0, 1.0, -1.0, -1.0], 1.0),
            ([1.0, -1.0, -1.0, 1.0, 1.0], -1.0),
            ([-1.0, -1.0, -1.0, 1.0, 1.0], -1.0),
        ] {
            assert_eq!(majority(&x), y);
            // The margins in the bounds.
            let score: f64 = x[..3].iter().sum();
            assert!(y * score / 3.0 >= MARGIN && y * score / 3.0_f64.sqrt() >= 1.0 / 3.0_f64.sqrt() - 1e-12);
        }
    }

    #[test]
    fn the_bounds_are_3n_and_18_ln_n() {
        let points = run(1, 0, true).unwrap();
        for n in [8_u32, 16, 32, 64, 128] {
            let of = |series: &str| {
                points.iter().find(|p| p.series == series && p.x == u64::from(n)).unwrap().value
            };
            let n = f64::from(n);
            assert!((of("bound (R/γ)², Perceptron") - 3.0 * n).abs() < 1e-9);
            assert!((of("bound 2X² ln n/γ², Winnow") - 18.0 * n.ln()).abs() < 1e-9);
        }
    }

    /// The same stream again, with an independent Perceptron.
    #[test]
    fn mistakes_are_those_of_the_named_learner_on_the_stream_of_the_trial() {
        for (trial, n) in [(0, 32), (0, 128), (1, 128)] {
            let mut rng = generator(4, n as u64, trial);
            let (mut w, mut x, mut mistakes) = (vec![0.0; n], vec![0.0; n], 0);
            let mut winnow = Winnow::for_margin(n, 1.0, 1.0 / 3.0).unwrap();
            for _ in 0..2_000 {
                x.iter_mut().for_each(|x| *x = if rng.random::<bool>() { 1.0 } else { -1.0 });
                let y = if x[0] + x[1] + x[2] > 0.0 { 1.0 } else { -1.0 };
                let margin: f64 = y * w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>();
                if margin <= 0.0 {
                    mistakes += 1;
                    w.iter_mut().zip(&x).for_each(|(w, x)| *w += y * x);
                }
                winnow.observe(Row::dense(&x).unwrap(), y).unwrap();
            }
            let points = run(4, trial, true).unwrap();
            let of =
                |series: &str| points.iter().find(|p| p.series == series && p.x == n as u64).unwrap().value;
            assert_eq!(of("Perceptron"), f64::from(mistakes));
            assert_eq!(of("Winnow"), winnow.mistakes() as f64);
            assert_ne!(of("Winnow"), of("Perceptron"));
        }
    }
}
