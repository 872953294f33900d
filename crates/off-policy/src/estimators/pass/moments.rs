//! Mean and variance of a stream.

use crate::estimators::definitions::Estimate;
use crate::estimators::error::{EstimateError, check_magnitudes};
use rows::numeric::Wide;

/// Rows that are worked on at once.
pub(crate) const ROWS: usize = 256;

/// Number, mean and sum of squared deviations of a stream of numbers, merged block by block: with a's and b's
/// means m and squares S, S = S_a + S_b + (m_b − m_a)²·n_a·n_b/(n_a + n_b) \[W62\], \[CGL83\].
///
/// *Ranges:* magnitudes up to 1e140; squares are kept with an exponent that does not run out, because a
/// merged stream of products may be larger. *Cost:* two passes over a block in the cache.
///
/// ```
/// use off_policy::estimators::Moments;
/// let moments = Moments::of(&[1e139, 3e139, 5e139])?;
/// assert!(moments.count() == 3 && (moments.mean()? / 3e139 - 1.0).abs() < 1e-15);
/// assert!((moments.standard_error()?.unwrap_or(0.0) / (2e139 / 3f64.sqrt()) - 1.0).abs() < 1e-15);
/// assert!(Moments::of(&[1e200]).is_err()); // above 1e140
/// # Ok::<(), off_policy::estimators::EstimateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    pub(crate) count: u64,
    pub(crate) mean: Wide,
    /// Σ(x − mean)².
    pub(crate) squares: Wide,
    least: f64,
    largest: f64,
}

/// A block's largest magnitude that keeps squares, and sums of them, doubles.
const LARGE: f64 = 1.0e60;
/// And the one below which squares of rounding errors could fall out of range.
const SMALL: f64 = 1.0e-130;
pub(crate) const LANES: usize = 4;

impl Moments {
    /// The moments of a slice.
    ///
    /// # Errors
    /// [`EstimateError::Empty`], [`EstimateError::NotFinite`].
    pub fn of(values: &[f64]) -> Result<Self, EstimateError> {
        if values.is_empty() {
            return Err(EstimateError::Empty { argument: "x" });
        }
        check_magnitudes("x", 0, values)?;
        let mut moments = Self::default();
        for block in values.chunks(ROWS) {
            moments.merge(Self::of_plain(block).unwrap_or_else(|| {
                let mut one_by_one = Self::default();
                block.iter().for_each(|x| one_by_one.merge(Self::of_one((*x).into())));
                one_by_one
            }));
        }
        Ok(moments)
    }

    /// Of one number.
    pub(crate) fn of_one(x: Wide) -> Self {
        let end = x.saturated();
        Self { count: 1, mean: x, squares: Wide::ZERO, least: end, largest: end }
    }

    /// Of a block of numbers neither so large nor all so small that a square leaves the doubles; `None`
    /// otherwise.
    pub(crate) fn of_plain(block: &[f64]) -> Option<Self> {
        let (mut sums, mut least, mut largest) =
            ([0.0; LANES], [f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        by_lanes(block, |lane, x| {
            sums[lane] += x;
            least[lane] = if x < least[lane] { x } else { least[lane] };
            largest[lane] = if x > largest[lane] { x } else { largest[lane] };
        });
        let least = least.into_iter().fold(f64::INFINITY, f64::min);
        let largest = largest.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = sums.iter().sum();
        // A NaN, which an overflow may have left, is in the sum.
        if !(sum.is_finite() && is_plain(least.abs().max(largest.abs()))) {
            return None;
        }
        let n = block.len() as f64;
        let about = sum / n;
        let (mut rest, mut squares) = ([0.0; LANES], [0.0; LANES]);
        by_lanes(block, |lane, x| {
            let d = x - about;
            rest[lane] += d;
            squares[lane] += d * d;
        });
        // What the rounding of the first mean left over.
        let rest = rest.iter().sum::<f64>() / n;
        let squares = (squares.iter().sum::<f64>() - n * rest * rest).max(0.0);
        let (mean, squares) = ((about + rest).into(), squares.into());
        Some(Self { count: block.len() as u64, mean, squares, least, largest })
    }

    /// Appends all that it is.
    pub(crate) fn write(self, words: &mut Vec<u64>) {
        let Self { count, mean, squares, least, largest } = self;
        words.push(count);
        words.extend([mean, squares].into_iter().flat_map(Wide::to_words));
        words.extend([least, largest].map(f64::to_bits));
    }

    /// What was written; `None` of other words.
    pub(crate) fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let count = words.next()?;
        let [mean, squares] = [wide(words)?, wide(words)?];
        let [least, largest] = [words.next()?, words.next()?].map(f64::from_bits);
        Some(Self { count, mean, squares, least, largest })
    }

    /// Both streams, one behind the other.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.count == 0 || other.count == 0 {
            *self = if self.count == 0 { other } else { *self };
            return;
        }
        let [a, b] = [self.count, other.count].map(|n| Wide::from(n as f64));
        let gap = other.mean - self.mean;
        self.mean = self.mean + gap * b / (a + b);
        self.squares = self.squares + other.squares + gap.squared() * a * b / (a + b);
        self.count += other.count;
        self.least = self.least.min(other.least);
        self.largest = self.largest.max(other.largest);
    }

    /// n.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean.
    ///
    /// # Errors
    /// [`EstimateError::Overflow`].
    pub fn mean(&self) -> Result<f64, EstimateError> {
        double("the mean", self.mean)
    }

    /// The variance with divisor n − 1; `None` for one number.
    ///
    /// # Errors
    /// [`EstimateError::Overflow`].
    pub fn variance(&self) -> Result<Option<f64>, EstimateError> {
        if self.count < 2 {
            return Ok(None);
        }
        double("the variance", self.squares / Wide::from((self.count - 1) as f64)).map(Some)
    }

    /// √(variance/n); `None` for one number.
    ///
    /// # Errors
    /// [`EstimateError::Overflow`].
    pub fn standard_error(&self) -> Result<Option<f64>, EstimateError> {
        if self.count < 2 {
            return Ok(None);
        }
        let n = self.count as f64;
        double("the standard error", (self.squares / Wide::from(n - 1.0) / Wide::from(n)).sqrt()).map(Some)
    }

    /// The least of them.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.least
    }

    /// The largest of them.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// The mean as an estimate, with its standard error.
    ///
    /// # Errors
    /// [`EstimateError::Overflow`].
    pub fn estimate(&self) -> Result<Estimate, EstimateError> {
        let (value, standard_error) = (self.mean()?, self.standard_error()?);
        Ok(Estimate { value, standard_error })
    }
}

/// Whether a largest magnitude allows plain doubles.
pub(crate) fn is_plain(largest: f64) -> bool {
    largest == 0.0 || (SMALL..=LARGE).contains(&largest)
}

/// The next number of words.
pub(crate) fn wide(words: &mut impl Iterator<Item = u64>) -> Option<Wide> {
    Wide::of_words([words.next()?, words.next()?])
}

/// A double, or the refusal that names the result.
pub(crate) fn double(quantity: &'static str, value: Wide) -> Result<f64, EstimateError> {
    let value = value.get();
    if value.is_finite() { Ok(value) } else { Err(EstimateError::Overflow { quantity }) }
}

/// Shows the entries in order, each with its lane, so that a sum a lane needs no order among the lanes.
#[inline]
pub(crate) fn by_lanes<T: Copy>(block: &[T], mut see: impl FnMut(usize, T)) {
    let (chunks, rest) = block.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, x) in chunk.iter().enumerate() {
            see(lane, *x);
        }
    }
    for (lane, x) in rest.iter().enumerate() {
        see(lane, *x);
    }
}
