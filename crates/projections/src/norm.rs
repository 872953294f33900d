//! The Euclidean norm over the whole range of `f64`.

/// ‖y‖₂ as a product `scale`·`ratio` that may itself exceed the range of `f64`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Norm {
    /// 1 or max |yᵢ|; 0 exactly if y = 0.
    pub(crate) scale: f64,
    /// ‖y/scale‖₂; 1 if y = 0.
    pub(crate) ratio: f64,
}

/// Between these bounds a sum of squares, and each of its terms that matters, is far from both ends of the
/// range.
const SAFE_SQUARES: std::ops::Range<f64> = 1e-200..1e300;

/// The norm of finite `y`.
pub(crate) fn euclidean_norm(y: impl Iterator<Item = f64> + Clone) -> Norm {
    let squares: f64 = y.clone().map(|v| v * v).sum();
    if SAFE_SQUARES.contains(&squares) {
        return Norm { scale: 1.0, ratio: squares.sqrt() };
    }
    let scale = y.clone().fold(0.0, |m: f64, v| m.max(v.abs()));
    if scale == 0.0 {
        return Norm { scale, ratio: 1.0 };
    }
    Norm { scale, ratio: y.map(|v| v / scale).map(|z| z * z).sum::<f64>().sqrt() }
}

impl Norm {
    /// The norm as one number; +∞ beyond the range.
    pub(crate) fn value(self) -> f64 {
        self.scale * self.ratio
    }

    /// Whether the norm is at most `r`, even if the norm overflows.
    pub(crate) fn at_most(self, r: f64) -> bool {
        self.ratio <= r / self.scale
    }
}
