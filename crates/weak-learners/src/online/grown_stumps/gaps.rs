//! The seen values of one feature, and the gaps between them.

use super::gap_tree::{Found, Gap, GapTree, Unit};
use crate::LearnerError;
use crate::online::dartboard::{Dartboard, bad_count};
use crate::online::thresholds::between;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

/// Seen values v_0 < … < v_(s−1) of a feature, and gaps g = 0, …, s: gap g is below v_g and above v_(g−1),
/// and the outer ones are unbounded.
///
/// All thresholds in a gap have answered alike so far, so one gap represents them. A new value splits its
/// gap: both halves inherit its past, and share its prior mass. 0 counts as seen from the start, so that
/// absent entries of a sparse row cost nothing.
///
/// *Shares:* a gap that was the upper half r times in a row, or the lower, leaves r/(r+1) of its mass to its
/// half on that side. With equal halves a stream of ascending values would halve the mass of all later gaps
/// at each value.
///
/// The gaps below and above 0 have a tree each. The sum of the value 0 is the rest of all rounds, and changes
/// the gains above it.
#[derive(Debug, Clone)]
pub(crate) struct Gaps {
    /// The last value is 0, and no sum is kept for it.
    below: GapTree,
    /// The last value is ∞.
    above: GapTree,
}

impl Gaps {
    pub(crate) fn len(&self) -> usize {
        self.below.len() + self.above.len()
    }

    fn values(&self) -> usize {
        self.len() - 1
    }

    fn get(&self, gap: usize) -> Option<&Gap> {
        match gap.checked_sub(self.below.len()) {
            None => self.below.get(gap),
            Some(gap) => self.above.get(gap),
        }
    }

    /// The index of the seen value that v counts as, or the gap that v would split. After `most` values gaps
    /// no longer split, and each has its [`threshold`](Self::threshold).
    pub(crate) fn place(&self, v: f64, most: usize) -> Result<usize, usize> {
        let place =
            if v > 0.0 { self.below.len() + self.above.first_from(v) } else { self.below.first_from(v) };
        if self.get(place).is_some_and(|gap| gap.value <= v) {
            return Ok(place);
        }
        if self.values() < most {
            return Err(place);
        }
        let below = self.threshold(place).map_or(place == self.values(), |threshold| v < threshold);
        Ok(place - usize::from(below))
    }

    /// The share of a gap's mass that its upper half would have.
    pub(crate) fn upper_share(&self, gap: usize) -> f64 {
        self.get(gap).map_or(0.5, |gap| upper_share(gap.run))
    }

    /// Splits gap g at a v inside it.
    pub(crate) fn split(&mut self, gap: usize, v: f64) {
        let Some(&Gap { value, sum, cost, run }) = self.get(gap) else { return };
        let upper = upper_share(run);
        let halves = [
            Gap { value: v, sum: 0, cost: cost - (1.0 - upper).ln(), run: run.min(0) - 1 },
            Gap { value, sum, cost: cost - upper.ln(), run: run.max(0) + 1 },
        ];
        match gap.checked_sub(self.below.len()) {
            None => self.below.split(gap, halves),
            Some(gap) => self.above.split(gap, halves),
        }
    }

    /// Adds a label to the sum of v_i.
    pub(crate) fn count(&mut self, place: usize, y: i64) {
        match place.checked_sub(self.below.len()) {
            // 0.
            None if place + 1 == self.below.len() => {}
            None => self.below.count(place, y),
            Some(place) => self.above.count(place, y),
        }
    }

    /// The midpoint of a gap; `None` for the outer ones.
    pub(crate) fn threshold(&self, gap: usize) -> Option<f64> {
        let (below, above) = (self.get(gap.checked_sub(1)?)?.value, self.get(gap)?.value);
        above.is_finite().then(|| between(below, above))
    }

    /// The midpoints of all inner gaps.
    pub(crate) fn thresholds(&self) -> Vec<f64> {
        self.saved().seen.windows(2).map(|w| between(w[0], w[1])).collect()
    }

    /// Visits the gain of the stump of polarity + in each gap, and its cost.
    pub(crate) fn for_each_gain(&self, total: i64, mut visit: impl FnMut(i64, f64)) {
        for (tree, base) in self.sides(total) {
            tree.for_each(|gap, below| visit(base - 2 * below, gap.cost));
        }
    }

    /// Both trees, with the gain of polarity + in the lowest gap of each: above 0 the sums below are the rest
    /// of the total.
    fn sides(&self, total: i64) -> [(&GapTree, i64); 2] {
        [(&self.below, total), (&self.above, 2 * self.above.total() - total)]
    }

    /// Prepares the four following methods, for this η.
    pub(crate) fn refresh(&mut self, eta: f64) {
        self.below.refresh(eta);
        self.above.refresh(eta);
    }

    /// The gains and costs of the heaviest experts.
    pub(crate) fn heaviest(&self, total: i64) -> impl Iterator<Item = (i64, f64)> {
        self.sides(total).into_iter().flat_map(|(tree, base)| tree.heaviest(base))
    }

    pub(crate) fn largest_cost(&self) -> f64 {
        self.below.largest_cost().max(self.above.largest_cost())
    }

    /// The weight of all experts.
    pub(crate) fn weight(&self, total: i64, unit: Unit) -> f64 {
        self.sides(total).into_iter().map(|(tree, base)| tree.weight(base, unit)).sum()
    }

    /// The expert at which the cumulated weights first exceed `share`.
    pub(crate) fn find(&self, share: f64, total: i64, unit: Unit) -> Option<Found> {
        let [(below, base_below), (above, base_above)] = self.sides(total);
        let first = below.weight(base_below, unit);
        if share < first {
            return below.find(share, base_below, unit);
        }
        let Found { expert, before, after } = above.find(share - first, base_above, unit)?;
        Some(Found { expert: expert + 2 * below.len(), before: before + first, after: after + first })
    }

    /// The saved form.
    pub(crate) fn saved(&self) -> SavedGaps {
        let mut saved = SavedGaps {
            seen: Vec::with_capacity(self.values()),
            zero: self.below.len() - 1,
            sums: Vec::with_capacity(self.values()),
            costs: Vec::with_capacity(self.len()),
            runs: Vec::with_capacity(self.len()),
        };
        for (tree, _) in self.sides(0) {
            tree.for_each(|gap, _| {
                saved.costs.push(gap.cost);
                saved.runs.push(gap.run);
                if gap.value.is_finite() {
                    saved.seen.push(gap.value);
                    saved.sums.push(gap.sum);
                }
            });
        }
        saved
    }
}

fn upper_share(run: i64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of splits")]
    let run = run as f64;
    if run > 0.0 { run / (run + 1.0) } else { 1.0 / (1.0 - run) }
}

/// The saved form of gaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedGaps {
    seen: Vec<f64>,
    /// The index of 0 in `seen`.
    zero: usize,
    /// Σ y_t over the rounds that showed v_i, or a value counted as v_i; 0 for the value 0.
    sums: Vec<i64>,
    /// The prior mass of gap g is e^(−cost).
    costs: Vec<f64>,
    /// r where gap g was the upper half of its last r splits, −r where it was the lower; 1 and −1 at the
    /// start.
    runs: Vec<i64>,
}

impl SavedGaps {
    pub(crate) fn new() -> Self {
        Self { seen: vec![0.0], zero: 0, sums: vec![0], costs: vec![LN_2; 2], runs: vec![-1, 1] }
    }

    pub(crate) fn gaps(&self) -> usize {
        self.costs.len()
    }

    /// The gaps of a checked state.
    pub(crate) fn checked(&self) -> Gaps {
        let ends = self.seen.iter().copied().zip(self.sums.iter().copied()).chain([(f64::INFINITY, 0)]);
        let gaps = ends.zip(self.costs.iter().zip(&self.runs));
        let gap = |((value, sum), (&cost, &run))| Gap { value, sum, cost, run };
        let (below, above): (Vec<Gap>, Vec<Gap>) = gaps.map(gap).partition(|gap| gap.value <= 0.0);
        Gaps { below: GapTree::new(below), above: GapTree::new(above) }
    }

    /// Checks a loaded state with Σ y_t = `total`.
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
        let mut gaps = SavedGaps::new().checked();
        for (v, y) in [(4.0, 1), (-2.0, -1), (4.0, 1), (2.0, 1), (0.0, 1)] {
            let place = gaps.place(v, 4).unwrap_or_else(|gap| {
                gaps.split(gap, v);
                gap
            });
            gaps.count(place, y);
        }
        assert_eq!(gaps.saved().seen, [-2.0, 0.0, 2.0, 4.0]);
        assert_eq!(gaps.saved().checked().saved(), gaps.saved());
        assert_eq!(gaps.thresholds(), [-1.0, 1.0, 3.0]);
        let mut found = Vec::new();
        gaps.for_each_gain(3, |gain, cost| found.push((gain, cost / LN_2)));
        // Gains Σ y·sgn(v − θ); masses ¼, ¼ below 0, then ⅛, ⅛, ¼.
        assert_eq!(found, [(3, 2.0), (5, 2.0), (3, 3.0), (1, 3.0), (-3, 2.0)]);
        assert_eq!(gaps.saved().runs, [-2, 1, -2, 1, 2]);
        // It is full now: values count as their neighbour on the same side of the threshold.
        let places = [-9.0, -1.1, -1.0, -0.0, 0.9, 1.0, 3.1, 9.0].map(|v| gaps.place(v, 4));
        assert_eq!(places, [0, 0, 1, 1, 1, 2, 3, 3].map(Ok));
        assert_eq!(gaps.place(3.0, 5), Err(3));
    }
}
