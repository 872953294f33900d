//! Sums of weights and rewards for SNIPS.

use crate::estimators::definitions::Estimate;
use crate::estimators::error::EstimateError;
use crate::estimators::pass::moments::{LANES, ROWS, by_lanes, double, is_plain, wide};
use rows::numeric::Wide;

/// V = Σwr/Σw and Σw²(r − V)², merged block by block.
///
/// Rewards are measured from an anchor, the reward of the largest weight: a row that outweighs all others has
/// V next to its reward, and V − r, which is then the other rows' doing, would vanish in rounding. With u =
/// w² and m = Σur/Σu, Σu(r − V)² = Σu(r − m)² + Σu·(m − V)²: squares, of which none is subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SelfNormalised {
    largest_weight: f64,
    anchor: Wide,
    /// Σw.
    weight: Wide,
    /// V − anchor.
    value: Wide,
    /// Σw².
    pub(crate) square: Wide,
    /// m − anchor.
    mean: Wide,
    /// Σu(r − m)².
    squares: Wide,
}

impl SelfNormalised {
    pub(crate) fn of_one(w: f64, r: f64) -> Self {
        let weight = Wide::from(w);
        if w == 0.0 {
            return Self::default();
        }
        Self { largest_weight: w, anchor: r.into(), weight, square: weight.squared(), ..Self::default() }
    }

    /// Of a block whose numbers, and their squares, stay in the doubles; `None` otherwise.
    pub(crate) fn of_plain(weights: &[f64; ROWS], rewards: &[f64; ROWS], len: usize) -> Option<Self> {
        let largest_weight = weights[..len].iter().fold(0.0, |m: f64, w| if *w > m { *w } else { m });
        let largest = rewards[..len].iter().fold(0.0, |m: f64, r| if r.abs() > m { r.abs() } else { m });
        if largest_weight == 0.0 {
            return Some(Self::default());
        }
        let anchor = rewards[weights[..len].iter().position(|w| *w == largest_weight)?];
        let mut rows = [(0.0, 0.0); ROWS];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = (weights[i], rewards[i] - anchor);
        }
        let ([mut weight, mut first, mut square, mut second], mut spread) =
            ([[0.0; LANES]; 4], [0.0_f64; LANES]);
        by_lanes(&rows[..len], |lane, (w, d)| {
            let wd = w * d;
            weight[lane] += w;
            first[lane] += wd;
            square[lane] += w * w;
            second[lane] += w * wd;
            spread[lane] = if wd.abs() > spread[lane] { wd.abs() } else { spread[lane] };
        });
        let spread = spread.into_iter().fold(0.0, f64::max);
        if !(is_plain(largest_weight) && is_plain(largest) && is_plain(spread)) {
            return None;
        }
        let [weight, first, square, second] = [weight, first, square, second].map(|s| s.iter().sum::<f64>());
        let (mean, mut squares) = (second / square, [0.0; LANES]);
        by_lanes(&rows[..len], |lane, (w, d)| {
            let off = w * (d - mean);
            squares[lane] += off * off;
        });
        Some(Self {
            largest_weight,
            anchor: anchor.into(),
            weight: weight.into(),
            value: (first / weight).into(),
            square: square.into(),
            mean: mean.into(),
            squares: squares.iter().sum::<f64>().into(),
        })
    }

    /// Appends all that it is.
    pub(crate) fn write(self, words: &mut Vec<u64>) {
        let Self { largest_weight, anchor, weight, value, square, mean, squares } = self;
        words.push(largest_weight.to_bits());
        words.extend([anchor, weight, value, square, mean, squares].into_iter().flat_map(Wide::to_words));
    }

    /// What was written; `None` of other words.
    pub(crate) fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        Some(Self {
            largest_weight: f64::from_bits(words.next()?),
            anchor: wide(words)?,
            weight: wide(words)?,
            value: wide(words)?,
            square: wide(words)?,
            mean: wide(words)?,
            squares: wide(words)?,
        })
    }

    pub(crate) fn merge(&mut self, other: Self) {
        if self.weight.is_zero() || other.weight.is_zero() {
            *self = if self.weight.is_zero() { other } else { *self };
            return;
        }
        // The anchor of the larger weight stays.
        let (mut a, mut b) = (*self, other);
        if a.largest_weight < b.largest_weight {
            (a, b) = (b, a);
        }
        let shift = b.anchor - a.anchor;
        let (weight, square) = (a.weight + b.weight, a.square + b.square);
        let value_gap = shift + b.value - a.value;
        let mean_gap = shift + b.mean - a.mean;
        *self = Self {
            weight,
            value: a.value + value_gap * b.weight / weight,
            square,
            mean: a.mean + mean_gap * b.square / square,
            squares: a.squares + b.squares + mean_gap.squared() * a.square * b.square / square,
            ..a
        };
    }

    /// V and √(Σw²(r − V)²)/Σw; `None` where Σw = 0.
    pub(crate) fn estimate(&self) -> Result<Option<Estimate>, EstimateError> {
        if self.weight.is_zero() {
            return Ok(None);
        }
        let squares = self.squares + self.square * (self.mean - self.value).squared();
        let standard_error = double("the standard error of SNIPS", squares.sqrt() / self.weight)?;
        let value = double("SNIPS", self.anchor + self.value)?;
        Ok(Some(Estimate { value, standard_error: Some(standard_error) }))
    }

    /// Σw²(r − V)/(Σw)², at most the standard error; `None` where Σw = 0.
    pub(crate) fn covariance(&self) -> Option<f64> {
        let covariance = || (self.mean - self.value) * self.square / self.weight.squared();
        (!self.weight.is_zero()).then(|| covariance().saturated())
    }

    /// (Σw)²/Σw², 0 where every weight is 0.
    pub(crate) fn effective_sample_size(&self) -> Result<f64, EstimateError> {
        if self.weight.is_zero() {
            return Ok(0.0);
        }
        double("the effective sample size", self.weight.squared() / self.square)
    }
}
