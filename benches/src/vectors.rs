//! The points for timing the projections.

use crate::uniform;

/// The distribution of the coordinates of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Uniform on [0, 1): from far outside, a result of about √(2n) coordinates.
    Uniform,
    /// Standard normal.
    Gaussian,
    /// Within 2/n of 0: most coordinates stay, and many lie near the threshold.
    Crowded,
    /// A point of the simplex.
    Member,
    /// Ten coordinates near 1, the others near 0: a sparse result.
    Sparse,
    /// The uniform point, sorted: a sort has no work.
    Sorted,
}

/// The timed styles.
pub const STYLES: [Style; 6] =
    [Style::Uniform, Style::Gaussian, Style::Crowded, Style::Member, Style::Sparse, Style::Sorted];

impl Style {
    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Gaussian => "Gaussian",
            Self::Crowded => "crowded",
            Self::Member => "member",
            Self::Sparse => "sparse",
            Self::Sorted => "sorted",
        }
    }

    /// The point of this style in dimension n; always the same.
    #[allow(clippy::cast_precision_loss, reason = "n is at most 10⁷")]
    pub fn point(self, n: usize) -> Vec<f64> {
        let mut y: Vec<f64> = match self {
            Self::Gaussian => {
                let angle = |u: f64| (std::f64::consts::TAU * u).cos();
                uniform(11)
                    .zip(uniform(12))
                    .map(|(r, u)| (-2.0 * (1.0 - r).ln()).sqrt() * angle(u))
                    .take(n)
                    .collect()
            }
            Self::Member => uniform(11).map(|u| -(1.0 - u).ln()).take(n).collect(),
            _ => uniform(11).take(n).collect(),
        };
        match self {
            Self::Uniform | Self::Gaussian => {}
            Self::Crowded => y.iter_mut().for_each(|v| *v = 4.0 * (*v - 0.5) / n as f64),
            Self::Member => {
                let total: f64 = y.iter().sum();
                y.iter_mut().for_each(|v| *v /= total);
            }
            Self::Sparse => {
                y.iter_mut().for_each(|v| *v *= 0.01);
                y.iter_mut().step_by(n / 10).for_each(|v| *v += 1.0);
            }
            Self::Sorted => y.sort_unstable_by(f64::total_cmp),
        }
        y
    }
}
