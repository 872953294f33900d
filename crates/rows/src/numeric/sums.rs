//! Summation with one rounding instead of one per term.

/// Neumaier's compensated sum: the error of the value is about one rounding of the result plus n·ε² of Σ|v|.
///
/// An infinite partial sum stays infinite: its correction never turns it into NaN.
///
/// ```
/// use rows::numeric::CompensatedSum;
/// assert_eq!([1.0, 1e100, 1.0, -1e100].into_iter().collect::<CompensatedSum>().value(), 2.0);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CompensatedSum {
    sum: f64,
    correction: f64,
}

impl CompensatedSum {
    /// Adds v.
    #[inline]
    pub fn add(&mut self, v: f64) {
        let sum = self.sum + v;
        let lost = if self.sum.abs() >= v.abs() { (self.sum - sum) + v } else { (v - sum) + self.sum };
        self.sum = sum;
        self.correction += lost;
    }

    /// The sum.
    #[must_use]
    #[inline]
    pub fn value(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.correction } else { self.sum }
    }
}

impl FromIterator<f64> for CompensatedSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|v| sum.add(v));
        sum
    }
}

/// The length of the blocks of a long sum, short enough for plain summation inside a block.
pub const BLOCK: usize = 2048;

/// The number of independent partial sums inside a block, so that additions do not wait for each other.
pub const LANES: usize = 8;

/// Σv in one fast pass with an error below 10⁻¹³·Σ|v|: plain sums of blocks, compensated across blocks.
///
/// ```
/// assert!((rows::numeric::block_sum(&vec![0.1; 100_000]) - 1e4).abs() < 1e-9);
/// ```
#[must_use]
#[inline]
pub fn block_sum(values: &[f64]) -> f64 {
    values.chunks(BLOCK).map(sum_of_block).collect::<CompensatedSum>().value()
}

/// Σv of at most [`BLOCK`] values, in [`LANES`] partial sums.
///
/// ```
/// assert_eq!(rows::numeric::sum_of_block(&[1.0; 11]), 11.0);
/// ```
#[must_use]
#[inline]
pub fn sum_of_block(block: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (rows, rest) = block.as_chunks::<LANES>();
    for row in rows {
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
    }
    sums.iter().chain(rest).sum::<f64>()
}

/// Σ `term(i)` over `indices`, in blocks as in [`block_sum`].
///
/// ```
/// assert_eq!(rows::numeric::block_sum_over(&[0, 2], |i| [1.0, 5.0, 2.0][i]), 3.0);
/// ```
#[inline]
pub fn block_sum_over(indices: &[usize], term: impl Fn(usize) -> f64) -> f64 {
    let of_block = |block: &[usize]| block.iter().map(|&i| term(i)).sum::<f64>();
    indices.chunks(BLOCK / LANES).map(of_block).collect::<CompensatedSum>().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[f64]) -> f64 {
        terms.iter().copied().collect::<CompensatedSum>().value()
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "the compensated sum of these terms is exact")]
    fn keeps_what_a_plain_sum_loses() {
        assert_eq!(sum(&[1.0, 1e100, 1.0, -1e100]), 2.0);
        assert_eq!(sum(&[1.0, -0.1, -0.1, -0.1]), 0.7);
        assert_eq!(sum(&[f64::MAX, f64::MAX, 1.0]), f64::INFINITY);
    }

    #[test]
    fn blocks_err_by_less_than_a_plain_sum() {
        let tenths = vec![0.1; 1_000_003];
        let exact = 0.1_f64.mul_add(1_000_003.0, 0.0);
        assert!((block_sum(&tenths) - exact).abs() < 1e-13 * exact);
        assert!((tenths.iter().sum::<f64>() - exact).abs() > 1e-13 * exact);
    }
}
