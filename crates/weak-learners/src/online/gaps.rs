//! The values of one feature that a stream has shown, and the gaps between them.

use super::thresholds::between;
use crate::LearnerError;
use serde::{Deserialize, Serialize};

/// Seen values v_0 < … < v_(s−1) of a feature, and gaps g = 0, …, s: gap g is below v_g and above v_(g−1), and the outer
/// ones are unbounded.
///
/// All thresholds in a gap have answered alike so far, so a gap stands for them all. A new value splits the gap that
/// it falls into: both halves inherit its past, and half of its prior mass each. 0 counts as seen from the start, so
/// that what a sparse row leaves out never splits a gap and costs nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gaps {
    seen: Vec<f64>,
    /// Where 0 stands in `seen`.
    zero: usize,
    /// Σ y_t over the rounds that showed v_i, or a value that is counted as v_i; nothing is kept for 0.
    sums: Vec<i64>,
    /// The prior mass of gap g is 2^(−depth).
    depths: Vec<u32>,
}

impl Gaps {
    pub(crate) fn new() -> Self {
        Self { seen: vec![0.0], zero: 0, sums: vec![0], depths: vec![1, 1] }
    }

    pub(crate) fn len(&self) -> usize {
        self.depths.len()
    }

    /// The place of the seen value that v counts as, or the gap that v would split. With `most` values seen no gap
    /// splits any more: then each has the threshold that [`threshold`](Self::threshold) says.
    pub(crate) fn place(&self, v: f64, most: usize) -> Result<usize, usize> {
        let place = self.seen.partition_point(|&seen| seen < v);
        if self.seen.get(place).is_some_and(|&seen| seen <= v) {
            return Ok(place);
        }
        if self.seen.len() < most {
            return Err(place);
        }
        let below = self.threshold(place).map_or(place == self.seen.len(), |threshold| v < threshold);
        Ok(place - usize::from(below))
    }

    /// Splits gap g at v, which lies in it.
    pub(crate) fn split(&mut self, gap: usize, v: f64) {
        self.seen.insert(gap, v);
        self.sums.insert(gap, 0);
        self.depths[gap] += 1;
        self.depths.insert(gap, self.depths[gap]);
        if v < 0.0 {
            self.zero += 1;
        }
    }

    /// Adds a label to the sum of v_i.
    pub(crate) fn count(&mut self, place: usize, y: i64) {
        if place != self.zero {
            self.sums[place] += y;
        }
    }

    /// The midpoint of a gap; `None` for the outer ones.
    pub(crate) fn threshold(&self, gap: usize) -> Option<f64> {
        let below = self.seen.get(gap.checked_sub(1)?)?;
        Some(between(*below, *self.seen.get(gap)?))
    }

    /// The midpoints of all inner gaps.
    pub(crate) fn thresholds(&self) -> Vec<f64> {
        self.seen.windows(2).map(|w| between(w[0], w[1])).collect()
    }

    /// Calls `visit` for each gap with the gain of the stump of polarity + and the depth.
    pub(crate) fn for_each_gain(&self, total: i64, mut visit: impl FnMut(i64, u32)) {
        let of_zero = total - self.sums.iter().sum::<i64>();
        let mut below = 0;
        for (i, (&depth, sum)) in self.depths.iter().zip(self.sums.iter().chain([&0])).enumerate() {
            visit(total - 2 * below, depth);
            below += if i == self.zero { of_zero } else { *sum };
        }
    }

    /// Checks what was loaded, after so many rounds.
    pub(crate) fn check(&self, most: usize, rounds: u64) -> Result<(), LearnerError> {
        let Self { seen, zero, sums, depths } = self;
        for (argument, got, expected) in
            [("sums", sums.len(), seen.len()), ("depths", depths.len(), seen.len() + 1)]
        {
            if got != expected {
                return Err(LearnerError::LengthMismatch { argument, expected, got });
            }
        }
        if let Some(index) = seen.iter().position(|v| !v.is_finite()) {
            return Err(LearnerError::NotFinite { argument: "seen value", index, value: seen[index] });
        }
        let bad = |name, value, domain| Err(LearnerError::BadParameter { name, value, domain });
        if let Some(w) = seen.windows(2).find(|w| w[0] >= w[1]) {
            return bad("seen value", w[1], "(the value before it, ∞)");
        }
        if seen.len() > most || seen.get(*zero).is_none_or(|v| v.to_bits() != 0) {
            return bad("seen value", 0.0, "one of them, and no more than allowed");
        }
        let size = sums.iter().fold(0_u64, |size, sum| size.saturating_add(sum.unsigned_abs()));
        if sums[*zero] != 0 || size > rounds {
            return bad("sum of labels", f64::INFINITY, "what the rounds can add up to");
        }
        let mass: f64 = depths.iter().map(|&depth| (-f64::from(depth)).exp2()).sum();
        if (mass - 1.0).abs() > 1e-9 {
            return bad("prior mass", mass, "1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_splits_in_two_that_share_its_past_and_its_mass() {
        let mut gaps = Gaps::new();
        for (v, y) in [(4.0, 1), (-2.0, -1), (4.0, 1), (2.0, 1), (0.0, 1)] {
            let place = gaps.place(v, 4).unwrap_or_else(|gap| {
                gaps.split(gap, v);
                gap
            });
            gaps.count(place, y);
        }
        assert_eq!(gaps.seen, [-2.0, 0.0, 2.0, 4.0]);
        assert_eq!(gaps.thresholds(), [-1.0, 1.0, 3.0]);
        let mut found = Vec::new();
        gaps.for_each_gain(3, |gain, depth| found.push((gain, depth)));
        // Gains Σ y·sgn(v − θ); masses ¼, ¼ below 0, then ⅛, ⅛, ¼.
        assert_eq!(found, [(3, 2), (5, 2), (3, 3), (1, 3), (-3, 2)]);
        // It is full now: values count as their neighbour on the same side of the threshold.
        let places = [-9.0, -1.1, -1.0, -0.0, 0.9, 1.0, 3.1, 9.0].map(|v| gaps.place(v, 4));
        assert_eq!(places, [0, 0, 1, 1, 1, 2, 3, 3].map(Ok));
        assert_eq!(gaps.place(3.0, 5), Err(3));
    }
}
