//! The best split of a node, by sums that are exact.

use super::{Open, Split};
use crate::batch::midway;
use crate::fractions::compare_sums;
use crate::pairs::best_first::TreeGain;
use crate::pairs::gain::{Gain, Scale, Term};
use crate::pairs::{PairGrowth, PairRound};
use projections::exponent_above;
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Sub};

/// A search for the best split of one node after another.
pub(super) struct Search<'a> {
    growth: PairGrowth,
    round: &'a PairRound<'a>,
    /// Whether a column may be split; all of them where there is nothing.
    columns: Option<&'a [bool]>,
    /// Over the actions of the node, for each of its examples.
    sums: Vec<Sums>,
}

impl<'a> Search<'a> {
    pub(super) fn new(growth: PairGrowth, round: &'a PairRound<'a>, columns: Option<&'a [bool]>) -> Self {
        Self { growth, round, columns, sums: vec![Sums::default(); round.examples()] }
    }

    /// What the node says as a leaf, and the split it should rather be, with its gain.
    pub(super) fn split(&mut self, part: &Open) -> (f64, Option<(TreeGain, Split)>) {
        let scale = self.scale(part);
        let (mut all, mut of_actions) = (Sums::default(), vec![Sums::default(); part.actions.len()]);
        for &i in &part.examples.rows {
            let mut sums = Sums::default();
            for (&a, of_action) in part.actions.iter().zip(&mut of_actions) {
                let pair = Sums::of(self.round, (i, a), &scale);
                sums += pair;
                *of_action += pair;
            }
            self.sums[i as usize] = sums;
            all += sums;
        }
        let leaf = scale.leaf(all.g, all.h, self.growth.answer());
        if part.depth >= self.growth.max_depth() {
            return (leaf, None);
        }
        let mut best = Best { scale, all, term: all.term(&scale), found: None };
        for (feature, column) in (0..).zip(&part.examples.columns) {
            if self.columns.is_none_or(|columns| columns[feature as usize]) {
                best.search(feature, column, &self.sums, part.examples.rows.len());
            }
        }
        if part.actions.len() > 1 {
            for (&action, of_action) in part.actions.iter().zip(of_actions) {
                best.offer(of_action, Split::Action { action });
            }
        }
        let found = best.found.filter(|found| found.gain.is_real());
        let split = found.map(|Found { split, side, .. }| {
            let other = all - side;
            (scale.tree_gain([side.g, other.g], [side.h, other.h]), split)
        });
        (leaf, split)
    }

    /// The units of a node; sums of its pairs stay below 2^126.
    fn scale(&self, part: &Open) -> Scale {
        let (mut largest_g, mut largest_h) = (0.0_f64, 0.0_f64);
        for &i in &part.examples.rows {
            for &a in &part.actions {
                largest_g = largest_g.max(self.round.gradient(i as usize, a as usize).abs());
                largest_h = largest_h.max(self.round.weight(i as usize, a as usize));
            }
        }
        let pairs = part.examples.rows.len() * part.actions.len();
        let [unit_g, unit_h] = [largest_g, largest_h].map(exponent_above);
        Scale::new(unit_g, unit_h, (125 - pairs.max(1).ilog2()).min(92), &self.growth)
    }
}

/// The best split so far.
struct Best {
    scale: Scale,
    all: Sums,
    term: Term,
    found: Option<Found>,
}

/// A split, and the sums on one side.
struct Found {
    gain: Gain,
    split: Split,
    side: Sums,
}

impl Best {
    /// Every threshold of a column, from the lowest.
    fn search(&mut self, feature: u32, column: &[(f64, u32)], sums: &[Sums], examples: usize) {
        // The examples that the column does not name stand at 0, between its negative and its positive values.
        let mut zeros = self.all;
        column.iter().for_each(|(_, row)| zeros = zeros - sums[*row as usize]);
        let zeros = (column.len() < examples).then_some((0.0, zeros));
        let (negative, positive) = column.split_at(column.partition_point(|(value, _)| *value < 0.0));
        let of = |entry: &(f64, u32)| (entry.0, sums[entry.1 as usize]);
        let (mut below, mut last) = (Sums::default(), None);
        let groups = negative.iter().map(of).chain(zeros).chain(positive.iter().map(of));
        for (value, sums) in groups.filter(|(_, sums)| sums.fitted > 0) {
            if let Some(last) = last.filter(|last| *last < value) {
                self.offer(below, Split::Context { feature, threshold: midway(last, value) });
            }
            below += sums;
            last = Some(value);
        }
    }

    /// A split with these sums on one side.
    fn offer(&mut self, side: Sums, split: Split) {
        let other = self.all - side;
        if self.scale.admits(side.h) && self.scale.admits(other.h) {
            let gain = self.term.split_into(side.term(&self.scale), other.term(&self.scale));
            if self.found.as_ref().is_none_or(|best| self.is_above([side, other], gain, best)) {
                self.found = Some(Found { gain, split, side });
            }
        }
    }

    /// Whether a split into these sides gains more than another one: what doubles cannot tell apart is compared without
    /// rounding.
    fn is_above(&self, sides: [Sums; 2], gain: Gain, best: &Found) -> bool {
        let order = gain.compare(best.gain, 2).unwrap_or_else(|| {
            let parts = |sides: [Sums; 2]| sides.map(|side| (side.g, side.h));
            let (these, [a, b]) = (parts(sides), parts([best.side, self.all - best.side]));
            if these == [a, b] || these == [b, a] {
                Ordering::Equal
            } else {
                let sum = |parts: [(i128, i128); 2]| {
                    parts.into_iter().filter_map(|(g, h)| self.scale.fraction([g], h)).collect()
                };
                compare_sums(sum(these), sum([a, b]))
            }
        });
        order.is_gt()
    }
}

/// G, Σ|g| and H over some pairs, in grains.
#[derive(Clone, Copy, Default)]
struct Sums {
    g: i128,
    size: i128,
    h: i128,
    /// How many pairs have h > 0.
    fitted: usize,
}

impl Sums {
    fn of(round: &PairRound<'_>, (i, a): (u32, u32), scale: &Scale) -> Self {
        let (g, h) = (round.gradient(i as usize, a as usize), round.weight(i as usize, a as usize));
        let g = scale.grains_of_g(g);
        Self { g, size: g.abs(), h: scale.grains_of_h(h), fitted: usize::from(h > 0.0) }
    }

    fn term(self, scale: &Scale) -> Term {
        scale.term(self.g, self.size, self.h)
    }
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            g: self.g + other.g,
            size: self.size + other.size,
            h: self.h + other.h,
            fitted: self.fitted + other.fitted,
        }
    }
}

impl Sub for Sums {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            g: self.g - other.g,
            size: self.size - other.size,
            h: self.h - other.h,
            fitted: self.fitted - other.fitted,
        }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
