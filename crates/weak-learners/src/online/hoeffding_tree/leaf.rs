//! What a leaf of a Hoeffding tree counts.

use super::Growth;
use crate::online::Thresholds;
use crate::{Label, LearnerError};
use rows::Row;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Labels, −1 first.
type Counts = [u64; 2];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Leaf {
    /// Of the examples that the branch above had counted on this side.
    inherited: Counts,
    /// Of the examples that came to this leaf.
    seen: Counts,
    /// n_ijk: of those with x_j ≠ 0 in each cell of feature j; empty in a leaf that will not split.
    cells: Vec<Counts>,
}

/// A split that the leaf is sure of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) feature: usize,
    pub(super) threshold: f64,
    /// The labels seen with x_feature < threshold, and the others.
    pub(super) sides: [Counts; 2],
}

impl Leaf {
    pub(super) fn new(inherited: Counts, cells: usize) -> Self {
        Self { inherited, seen: [0, 0], cells: vec![[0, 0]; cells] }
    }

    pub(super) fn count(&mut self, x: Row<'_>, y: Label, thresholds: &Thresholds) {
        let class = usize::from(y == Label::Plus);
        if self.seen[class] == LARGEST_COUNT {
            return;
        }
        self.seen[class] += 1;
        if !self.cells.is_empty() {
            x.for_each(|j, x_j| {
                if x_j != 0.0 {
                    self.cells[thresholds.places(j).start + j + thresholds.bucket(j, x_j)][class] += 1;
                }
            });
        }
    }

    /// Whether this is a round to look for a split: not where all labels are the same.
    pub(super) fn is_due(&self, grace: u64) -> bool {
        let [minus, plus] = self.seen;
        !self.cells.is_empty() && minus > 0 && plus > 0 && (minus + plus).is_multiple_of(grace)
    }

    /// The best split, if it is better than that on any other feature, and than none, by more than ε, or if ε < τ.
    pub(super) fn split(&self, thresholds: &Thresholds, growth: &Growth) -> Option<Split> {
        // No split has a gain of 0.
        let (mut best, mut second, mut split) = (0.0, 0.0, None);
        for feature in 0..thresholds.inputs() {
            let (gain, candidate) = self.best_of(feature, thresholds);
            if gain > best {
                (best, second, split) = (gain, best, candidate);
            } else if gain > second {
                second = gain;
            }
        }
        let epsilon = growth.epsilon(total(self.seen));
        if best - second > epsilon || epsilon < growth.tie { split } else { None }
    }

    /// The threshold of the largest gain, the lowest of several.
    fn best_of(&self, feature: usize, thresholds: &Thresholds) -> (f64, Option<Split>) {
        let cells = &self.cells[cells_of(feature, thresholds)];
        // The zeros were not counted: they are those that the other values leave.
        let stored = cells.iter().fold([0, 0], |sum, cell| plus(sum, *cell));
        let (zeros, zero_bin) = (minus(self.seen, stored), thresholds.bucket(feature, 0.0));
        let (mut best, mut split, mut low) = (0.0, None, [0, 0]);
        for (bin, &threshold) in thresholds.of(feature).iter().enumerate() {
            low = plus(low, cells[bin]);
            if bin == zero_bin {
                low = plus(low, zeros);
            }
            let sides = [low, minus(self.seen, low)];
            let gain = information_gain(sides);
            if gain > best {
                (best, split) = (gain, Some(Split { feature, threshold, sides }));
            }
        }
        (best, split)
    }

    /// Positive for +1.
    pub(super) fn majority(&self) -> f64 {
        let [minus, plus] = plus(self.inherited, self.seen);
        if plus >= minus { 1.0 } else { -1.0 }
    }

    /// Stops counting what only a split needs.
    pub(super) fn settle(&mut self) {
        self.cells = Vec::new();
    }

    /// What a saved leaf must satisfy.
    pub(super) fn check(&self, thresholds: &Thresholds, may_split: bool) -> Result<(), LearnerError> {
        let (expected, got) = (if may_split { cells(thresholds) } else { 0 }, self.cells.len());
        if expected != got {
            return Err(LearnerError::LengthMismatch { argument: "cells of a leaf", expected, got });
        }
        let refuse = |value: u64, domain| {
            #[allow(clippy::cast_precision_loss, reason = "a number for a message")]
            let value = value as f64;
            Err(LearnerError::BadParameter { name: "count", value, domain })
        };
        for count in self.inherited.into_iter().chain(self.seen) {
            if count > LARGEST_COUNT {
                return refuse(count, "[0, 2^52]");
            }
        }
        for class in 0..2 {
            for feature in 0..if may_split { thresholds.inputs() } else { 0 } {
                let cells = &self.cells[cells_of(feature, thresholds)];
                let stored = cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(cell[class]));
                if stored > self.seen[class] {
                    return refuse(stored, "at most the examples of the leaf");
                }
            }
        }
        Ok(())
    }
}

/// One cell more than there are thresholds, for each feature.
pub(super) fn cells(thresholds: &Thresholds) -> usize {
    thresholds.total() + thresholds.inputs()
}

fn cells_of(feature: usize, thresholds: &Thresholds) -> Range<usize> {
    let places = thresholds.places(feature);
    places.start + feature..places.end + feature + 1
}

/// Counts stay below 2^53, where every integer is a double: a leaf with so many examples of a class counts no other.
const LARGEST_COUNT: u64 = 1 << 52;

fn plus(a: Counts, b: Counts) -> Counts {
    [a[0] + b[0], a[1] + b[1]]
}

fn minus(a: Counts, b: Counts) -> Counts {
    [a[0] - b[0], a[1] - b[1]]
}

fn total([minus, plus]: Counts) -> u64 {
    minus + plus
}

/// H(both) − Σ (n_side/n)·H(side), in bits; 0 where a side is empty.
fn information_gain([low, high]: [Counts; 2]) -> f64 {
    let (below, above) = (total(low), total(high));
    if below == 0 || above == 0 {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "counts below 2^53")]
    let share = below as f64 / (below + above) as f64;
    entropy(plus(low, high)) - share * entropy(low) - (1.0 - share) * entropy(high)
}

/// In bits.
fn entropy(counts: Counts) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts below 2^53")]
    let share = |k: u64| k as f64 / total(counts) as f64;
    counts.into_iter().filter(|&k| k > 0).map(|k| -share(k) * share(k).log2()).sum()
}
