//! The quadratic loss.

use super::{Bounded, Loss, Smooth, inner, norm, reach};
use crate::{OcoError, check_magnitudes, check_vector};
use projections::ProjectionError;
use rows::numeric::{exponent_above, scale};

/// ℓ(x) = ½xᵀAx + ⟨b, x⟩ + c with A symmetric and positive semidefinite, by rows.
///
/// Gradient Ax + b; β is the smaller of A's Frobenius norm and its largest absolute row sum, both at least
/// the largest eigenvalue. A value beyond the range of doubles is +∞.
/// *Cost:* O(n²) a call, O(n³) for the check in the constructor.
///
/// ```
/// use oco_core::losses::{Loss, QuadraticLoss};
/// let loss = QuadraticLoss::new(&[2.0, 1.0, 1.0, 2.0], &[-3.0, 0.0], 1.0)?;
/// let mut g = [0.0; 2];
/// loss.subgradient(&[2.0, -1.0], &mut g);
/// assert_eq!((loss.value(&[2.0, -1.0]), g), (-2.0, [0.0, 0.0]));
/// assert!(QuadraticLoss::new(&[1.0, 2.0, 2.0, 1.0], &[0.0, 0.0], 0.0).is_err(), "a saddle");
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadraticLoss<'a> {
    a: &'a [f64],
    b: &'a [f64],
    c: f64,
}

impl<'a> QuadraticLoss<'a> {
    /// A by rows, b and c.
    ///
    /// # Errors
    /// An empty b, an A of another dimension, a number that is not finite, an A that is not symmetric or has
    /// an eigenvalue below −1e−12 of its largest entry.
    pub fn new(a: &'a [f64], b: &'a [f64], c: f64) -> Result<Self, OcoError> {
        check_magnitudes("c", &[c])?;
        check_magnitudes("b", b)?;
        if b.is_empty() {
            return Err(ProjectionError::Empty { argument: "b" }.into());
        }
        check_vector("A", a, b.len() * b.len())?;
        let n = b.len();
        let skew = (0..n * n).map(|k| (a[k] - a[(k % n) * n + k / n]).abs()).fold(0.0, f64::max);
        if skew > 0.0 {
            let (name, domain) = ("asymmetry of A", "{0}");
            return Err(ProjectionError::BadParameter { name, value: skew, domain }.into());
        }
        let pivot = lowest_pivot(a, n);
        if pivot < -1e-12 {
            let (name, domain) = ("relative pivot of A", "[0, ∞)");
            return Err(ProjectionError::BadParameter { name, value: pivot, domain }.into());
        }
        Ok(Self { a, b, c })
    }

    /// (Ax)_i by rows.
    fn image<'x>(&self, x: &'x [f64]) -> impl Iterator<Item = f64> + use<'x, 'a> {
        self.a.chunks_exact(self.b.len()).map(move |row| inner(row, x))
    }
}

impl Loss for QuadraticLoss<'_> {
    fn dimension(&self) -> usize {
        self.b.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let plain: f64 = self.image(x).zip(self.b).zip(x).map(|((image, b), x)| (0.5 * image + b) * x).sum();
        let plain = plain + self.c;
        // xᵀAx ≥ 0 alone can leave the range.
        if plain.is_finite() { plain } else { f64::INFINITY }
    }

    fn subgradient(&self, x: &[f64], g: &mut [f64]) {
        g.iter_mut().zip(self.image(x)).zip(self.b).for_each(|((g, image), b)| *g = image + b);
    }
}

impl Smooth for QuadraticLoss<'_> {
    fn smoothness(&self) -> f64 {
        let row_sum = |row: &[f64]| row.iter().map(|a| a.abs()).sum::<f64>();
        self.a.chunks_exact(self.b.len()).map(row_sum).fold(0.0, f64::max).min(norm(self.a))
    }
}

impl Bounded for QuadraticLoss<'_> {
    /// A bound, not always attained: |ℓ(centre)| + radius·(sup of the slope).
    fn magnitude_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        self.value(centre).abs() + reach(self.lipschitz_on_ball(centre, radius), radius)
    }

    /// A bound, not always attained: ‖A·centre + b‖ + β·radius.
    fn lipschitz_on_ball(&self, centre: &[f64], radius: f64) -> f64 {
        let slope = self.image(centre).zip(self.b).fold(0.0, |norm: f64, (image, b)| norm.hypot(image + b));
        slope + reach(self.smoothness(), radius)
    }
}

/// The lowest pivot of a symmetric elimination with the largest diagonal entry first, relative to the largest
/// entry of A. If no positive diagonal entry remains, the rest of a positive semidefinite matrix is 0.
fn lowest_pivot(a: &[f64], n: usize) -> f64 {
    let unit = exponent_above(a.iter().fold(0.0, |largest: f64, v| largest.max(v.abs())));
    let mut rest: Vec<f64> = a.iter().map(|v| scale(*v, -unit)).collect();
    let mut left: Vec<usize> = (0..n).collect();
    while let Some(at) =
        (0..left.len()).max_by(|i, j| rest[left[*i] * n + left[*i]].total_cmp(&rest[left[*j] * n + left[*j]]))
    {
        let k = left[at];
        let pivot = rest[k * n + k];
        if pivot <= 1e-12 {
            let entries = left.iter().flat_map(|i| left.iter().map(move |j| i * n + j));
            return -entries.map(|entry| rest[entry].abs()).fold(0.0, f64::max);
        }
        left.swap_remove(at);
        for i in &left {
            let factor = rest[i * n + k] / pivot;
            for j in &left {
                rest[i * n + j] -= factor * rest[k * n + j];
            }
        }
    }
    0.0
}
