//! The values of one feature that a stream has shown, and the gaps between them.

use super::dartboard::{Dartboard, bad_count};
use super::thresholds::between;
use crate::LearnerError;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

/// Seen values v_0 < … < v_(s−1) of a feature, and gaps g = 0, …, s: gap g is below v_g and above v_(g−1), and the outer
/// ones are unbounded.
///
/// All thresholds in a gap have answered alike so far, so a gap stands for them all. A new value splits the gap that
/// it falls into: both halves inherit its past, and share its prior mass. 0 counts as seen from the start, so that what
/// a sparse row leaves out never splits a gap and costs nothing.
///
/// The shares: a gap that was the upper half r times in a row, or the lower, leaves r/(r+1) of its mass to its half on
/// that side. With fair halves a stream of rising values would take half of the mass of all that is to come at each value;
/// so it takes a share 1/r(r+1) at the r-th.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gaps {
    seen: Vec<f64>,
    /// Where 0 stands in `seen`.
    zero: usize,
    /// Σ y_t over the rounds that showed v_i, or a value that is counted as v_i; nothing is kept for 0.
    sums: Vec<i64>,
    /// The prior mass of gap g is e^(−cost).
    costs: Vec<f64>,
    /// r where gap g was the upper half of its last r splits, −r where it was the lower; 1 and −1 at the start.
    runs: Vec<i64>,
}

impl Gaps {
    pub(crate) fn new() -> Self {
        Self { seen: vec![0.0], zero: 0, sums: vec![0], costs: vec![LN_2; 2], runs: vec![-1, 1] }
    }

    pub(crate) fn len(&self) -> usize {
        self.costs.len()
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

    /// The share of the mass of a gap that its upper half would have.
    pub(crate) fn upper_share(&self, gap: usize) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a count of splits")]
        let run = self.runs[gap] as f64;
        if run > 0.0 { run / (run + 1.0) } else { 1.0 / (1.0 - run) }
    }

    /// Splits gap g at v, which lies in it.
    pub(crate) fn split(&mut self, gap: usize, v: f64) {
        let (upper, cost, run) = (self.upper_share(gap), self.costs[gap], self.runs[gap]);
        self.costs[gap] = cost - upper.ln();
        self.costs.insert(gap, cost - (1.0 - upper).ln());
        self.runs[gap] = run.max(0) + 1;
        self.runs.insert(gap, run.min(0) - 1);
        self.seen.insert(gap, v);
        self.sums.insert(gap, 0);
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

    /// For each gap the gain of its stump of polarity +, and its cost.
    pub(crate) fn gains(&self, total: i64) -> impl Iterator<Item = (i64, f64)> {
        let of_zero = total - self.sums.iter().sum::<i64>();
        let mut below = 0;
        let sums = self.sums.iter().chain([&0]).enumerate();
        self.costs.iter().zip(sums).map(move |(&cost, (i, sum))| {
            let gain = total - 2 * below;
            below += if i == self.zero { of_zero } else { *sum };
            (gain, cost)
        })
    }

    /// Checks what was loaded, where Σ y_t is `total`.
    pub(crate) fn check(&self, most: usize, total: i64, dartboard: &Dartboard) -> Result<(), LearnerError> {
        let Self { seen, zero, sums, costs, runs } = self;
        for (argument, got, expected) in [
            ("sums", sums.len(), seen.len()),
            ("costs", costs.len(), seen.len() + 1),
            ("runs", runs.len(), seen.len() + 1),
        ] {
            if got != expected {
                return Err(LearnerError::LengthMismatch { argument, expected, got });
            }
        }
        let not_finite = |argument, values: &[f64]| {
            let index = values.iter().position(|v| !v.is_finite())?;
            Some(LearnerError::NotFinite { argument, index, value: values[index] })
        };
        if let Some(error) = not_finite("seen value", seen).or_else(|| not_finite("cost", costs)) {
            return Err(error);
        }
        let bad = |name, value, domain| Err(LearnerError::BadParameter { name, value, domain });
        if let Some(w) = seen.windows(2).find(|w| w[0] >= w[1]) {
            return bad("seen value", w[1], "(the value before it, ∞)");
        }
        if seen.len() > most {
            return Err(bad_count("seen values", seen.len() as u64, "at most K"));
        }
        if seen.get(*zero).is_none_or(|v| v.to_bits() != 0) {
            return Err(bad_count("place of 0", *zero as u64, "where 0 stands among the seen values"));
        }
        dartboard.check_sums(total, sums, *zero)?;
        let splits = seen.len() as u64;
        if let Some(run) = runs.iter().map(|run| run.unsigned_abs()).find(|run| !(1..=splits).contains(run)) {
            return Err(bad_count("run", run, "from 1 to the number of seen values"));
        }
        let mass: f64 = costs.iter().map(|cost| (-cost).exp()).sum();
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
        let found: Vec<(i64, f64)> = gaps.gains(3).map(|(gain, cost)| (gain, cost / LN_2)).collect();
        // Gains Σ y·sgn(v − θ); masses ¼, ¼ below 0, then ⅛, ⅛, ¼.
        assert_eq!(found, [(3, 2.0), (5, 2.0), (3, 3.0), (1, 3.0), (-3, 2.0)]);
        assert_eq!(gaps.runs, [-2, 1, -2, 1, 2]);
        // It is full now: values count as their neighbour on the same side of the threshold.
        let places = [-9.0, -1.1, -1.0, -0.0, 0.9, 1.0, 3.1, 9.0].map(|v| gaps.place(v, 4));
        assert_eq!(places, [0, 0, 1, 1, 1, 2, 3, 3].map(Ok));
        assert_eq!(gaps.place(3.0, 5), Err(3));
    }
}
