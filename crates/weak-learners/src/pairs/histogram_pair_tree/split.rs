//! The best split of a node.

use super::histogram::Histogram;
use super::sums::{Cell, Sums};
use crate::fractions::{Fraction, compare_sums, shifted_sum};
use crate::pairs::binned_contexts::{Column, Layout};

/// "x_j is in this bin or below", where j is the feature of a column of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) column: usize,
    pub(super) bin: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Context(Cut),
    /// "Is it this of the actions of the node?"
    Action(usize),
}

/// A split, and the sums of the child for x_j < θ, or of the one for the other actions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) question: Question,
    pub(super) left: Sums,
}

/// What the roundings of the pairs of a node may know of each other.
#[derive(Debug, Clone, Copy)]
pub(super) enum Roundings {
    /// Nothing: k of them come to more than 10√k quanta with a probability of 2e^−50 [H63].
    Independent,
    /// They may all go the same way, as those of equal values do: to k quanta.
    Any,
}

/// The search of one node.
///
/// With a = H_L + λ, b = H_R + λ and D = G_L b − G_R a, twice the gain is (D²/(ab) − G² λ/(H + λ))/(a + b): the best split has
/// the largest D²/(ab), and gains if that is above a bar. Two of them are compared without a division, and without rounding
/// where that could decide.
pub(super) struct Search {
    all: Sums,
    lambda: f64,
    least: f64,
    pairs: f64,
    /// |D| that rounding could make, as is assumed of it and at most.
    noise: f64,
    most_noise: f64,
    best: Option<Split>,
    /// The least that D²/(ab) of the best so far can be for all rounding, or the bar, as a fraction.
    above: f64,
    below: f64,
}

/// How far D is off, of |G_L| b + |G_R| a: three roundings, each of half an epsilon, and as much again for safety.
const OFF: f64 = 3.0 * f64::EPSILON;
/// And D²/(ab) and a product of two of them beside that.
const OFF_FRACTION: f64 = 1.0 - 16.0 * f64::EPSILON;

impl Search {
    /// Of a node with these sums of so many pairs.
    pub(super) fn new(all: Sums, pairs: f64, lambda: f64, least: f64, roundings: Roundings) -> Self {
        // Of the quanta of a pair, each is off by at most one; and D is computed in three roundings.
        let off = match roundings {
            Roundings::Independent => pairs.min(10.0 * pairs.sqrt()),
            Roundings::Any => pairs,
        };
        let [noise, most_noise] = [off, pairs].map(|off| off * (all.h + 2.0 * lambda + all.g.abs()));
        let bar = if lambda > 0.0 { all.g * all.g * (lambda / (all.h + lambda)) } else { 0.0 };
        Self { all, lambda, least, pairs, noise, most_noise, best: None, above: bar, below: 1.0 }
    }

    #[inline]
    fn consider(&mut self, question: impl FnOnce() -> Question, left: Sums) {
        let right = self.all - left;
        let (a, b) = (left.h + self.lambda, right.h + self.lambda);
        let (x, y) = (left.g * b, right.g * a);
        let d = x - y;
        let size = x.abs() + y.abs();
        // The most that |D| can be: what falls short even so is most splits.
        let (reach, below) = (d.abs() + OFF * size, a * b);
        if reach * reach * self.below >= self.above * below
            && d.abs() > self.noise + f64::EPSILON * size
            && self.is_above_best(left, (d, size, below))
        {
            let least = (d.abs() - OFF * size).max(0.0);
            (self.above, self.below) = (least * least * OFF_FRACTION, below);
            self.best = Some(Split { question: question(), left });
        }
    }

    /// Whether a split with these sums on one side, this D, |G_L| b + |G_R| a and ab gains more than the best so far, or more
    /// than the bar.
    fn is_above_best(&self, left: Sums, (d, size, below): (f64, f64, f64)) -> bool {
        let Some(Split { left: best, .. }) = self.best else {
            return d * d * self.below > self.above * below;
        };
        let best_right = self.all - best;
        if left == best || left == best_right {
            return false;
        }
        let (a, b) = (best.h + self.lambda, best_right.h + self.lambda);
        let (x, y) = (best.g * b, best_right.g * a);
        let most = (x - y).abs() + OFF * (x.abs() + y.abs());
        let least = d.abs() - OFF * size;
        if least > 0.0 && least * least * (a * b) * OFF_FRACTION > most * most * below {
            return true;
        }
        let terms = |left: Sums| {
            let term = |side: Sums| {
                let [g, h] = [side.g, side.h].map(whole);
                Fraction::of_squares([g], shifted_sum(h, 0, self.lambda))
            };
            [left, self.all - left].map(term).to_vec()
        };
        compare_sums(terms(left), terms(best)).is_gt()
    }

    /// All cuts of the features that are allowed, column by column.
    pub(super) fn cuts(&mut self, layout: &Layout, allowed: Option<&[bool]>, histogram: &Histogram) {
        match histogram {
            Histogram::Packed(cells) => self.cuts_in(layout, allowed, cells),
            Histogram::Wide(cells) => self.cuts_in(layout, allowed, cells),
        }
    }

    fn cuts_in<C: Cell>(&mut self, layout: &Layout, allowed: Option<&[bool]>, cells: &[C]) {
        let columns = layout.columns.iter().enumerate();
        match allowed {
            None => columns.for_each(|(k, column)| self.cuts_of(k, column, cells)),
            Some(allowed) => columns
                .filter(|(_, column)| allowed[column.feature as usize])
                .for_each(|(k, column)| self.cuts_of(k, column, cells)),
        }
    }

    fn cuts_of<C: Cell>(&mut self, k: usize, column: &Column, cells: &[C]) {
        let has_hole = column.hole < column.bins;
        let coded = usize::from(column.bins) - usize::from(has_hole);
        let cells = &cells[column.first as usize..][..coded];
        if !has_hole {
            if let Some((_, before)) = cells.split_last() {
                self.run(k, 0, C::default(), before);
            }
            return;
        }
        let (before, after) = cells.split_at(usize::from(column.hole));
        let below = self.run(k, 0, C::default(), before);
        let hole = cells.iter().fold(C::from(self.all), |hole, cell| hole - *cell);
        if let Some((_, after)) = after.split_last() {
            let below = self.run(k, column.hole, below, &[hole]);
            self.run(k, column.hole + 1, below, after);
        }
    }

    /// The cuts behind each of some bins, above those below the first of them; answers the sums below the last one, or more
    /// than leaves enough above.
    fn run<C: Cell>(&mut self, column: usize, first: u16, mut below: C, cells: &[C]) -> C {
        let (least, most) = C::range(self.least, self.all.h - self.least);
        for (bin, cell) in (first..).zip(cells) {
            below = below + *cell;
            if below.weight() >= least {
                if below.weight() > most {
                    // And so it is behind every further one.
                    break;
                }
                self.consider(|| Question::Context(Cut { column, bin }), below.into());
            }
        }
        below
    }

    /// "Is it the action?" for every action of the node.
    pub(super) fn actions(&mut self, sums: &[(u32, Sums)]) {
        if sums.len() < 2 {
            return;
        }
        for (k, (_, this)) in sums.iter().enumerate() {
            let others = self.all - *this;
            if this.h >= self.least && others.h >= self.least {
                self.consider(|| Question::Action(k), others);
            }
        }
    }

    /// And whether no rounding at all could have made it.
    pub(super) fn best(self) -> Option<(Split, bool)> {
        let split = self.best?;
        let right = self.all - split.left;
        let (a, b) = (split.left.h + self.lambda, right.h + self.lambda);
        let gain = ScaledGain { g: self.all.g, d: split.left.g * b - right.g * a, a, b, lambda: self.lambda };
        let near = 2.0 * f64::EPSILON * (split.left.g.abs() * b + right.g.abs() * a);
        let is_sure = gain.is_above(self.most_noise + near, self.pairs, self.pairs);
        Some((split, is_sure))
    }
}

/// A sum of quanta, below 2^53 in size.
#[allow(clippy::cast_possible_truncation, reason = "whole")]
fn whole(quanta: f64) -> i128 {
    quanta as i128
}

/// Twice a gain, times ab(a + b)(H + λ), which is D²(H + λ) − G²λab.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledGain {
    pub(super) g: f64,
    pub(super) d: f64,
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) lambda: f64,
}

impl ScaledGain {
    /// Whether it is above 0 whatever D is off by, up to `off_d`, and G and the weights, up to theirs.
    ///
    /// With λ > 0 a gain is a difference that may vanish where D does not: a split into sides with G_L/a = G_R/b gains less
    /// than nothing, and one beside it nothing.
    pub(super) fn is_above(self, off_d: f64, off_g: f64, off_h: f64) -> bool {
        let Self { g, d, a, b, lambda } = self;
        if d.abs() <= off_d || lambda == 0.0 {
            return d.abs() > off_d;
        }
        let all = a + b - lambda;
        let (first, second) = (d * d * all, g * g * lambda * a * b);
        let off_first = (2.0 * d.abs() + off_d) * off_d * (all + off_h) + d * d * off_h;
        let [wide_a, wide_b] = [a, b].map(|side| side + off_h);
        let off_second =
            lambda * ((2.0 * g.abs() + off_g) * off_g * wide_a * wide_b + g * g * (a + b + off_h) * off_h);
        // And six roundings each, of what is computed here.
        first - second > off_first + off_second + 8.0 * f64::EPSILON * (first + second)
    }
}
