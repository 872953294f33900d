//! The best split of a node.

use super::grains::Unrounded;
use super::histogram::Histogram;
use super::sums::{Cell, Sums};
use crate::fractions::{Fraction, compare_sums, shifted_sum};
use crate::pairs::PairNode;
use crate::pairs::binned_contexts::{Column, Layout};

/// "x_j is in this bin or below", where j is the feature of a column of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pairs) struct Cut {
    pub(in crate::pairs) column: usize,
    pub(in crate::pairs) bin: u16,
    /// Whether missing values go to the other side than 0.
    pub(in crate::pairs) moves_missing: bool,
}

impl Cut {
    /// The node that asks for this cut of a column at this threshold, without its children; the features of
    /// the column's layout count from `first`.
    pub(in crate::pairs) fn test(self, column: &Column, first: u32, threshold: f64) -> PairNode {
        let feature = first + column.feature;
        match column.missing.filter(|_| self.moves_missing) {
            None => PairNode::Context { feature, threshold, below: 0, rest: 0 },
            Some(missing) => {
                // 0 is below from its own bin on.
                let (indicator, missing_below) = (first + missing.indicator, self.bin < column.zero);
                PairNode::ContextOrMissing { feature, threshold, indicator, missing_below, below: 0, rest: 0 }
            }
        }
    }
}

/// Where the cuts of a search send missing values. A search considers the side of 0 in all columns first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pairs) enum MissingSide {
    /// To the side of 0.
    OfZero,
    /// To the other one, in the columns that lack values.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pairs) enum Question {
    Context(Cut),
    /// "The action is the k-th of the node."
    Action(usize),
}

/// A split, and the sums of the child for x_j < θ, or for the other actions.
#[derive(Debug, Clone, Copy)]
pub(in crate::pairs) struct Split {
    pub(in crate::pairs) question: Question,
    pub(in crate::pairs) left: Sums,
}

/// The assumption on the roundings of the pairs of a node.
#[derive(Debug, Clone, Copy)]
pub(in crate::pairs) enum Roundings {
    /// Independent: the sum of k exceeds 10√k quanta with probability 2e^−50 [H63].
    Independent,
    /// Arbitrary, as for equal values: the sum of k is at most k quanta.
    Any,
}

/// The search of one node.
///
/// With a = H_L + λ, b = H_R + λ and D = G_L b − G_R a, twice the gain is (D²/(ab) − G² λ/(H + λ))/(a + b):
/// the best split has the largest D²/(ab), and gains if that is above a bar. Two splits are compared without
/// division, and within their rounding as exact fractions.
pub(in crate::pairs) struct Search {
    all: Sums,
    lambda: f64,
    least: f64,
    pairs: f64,
    /// The largest |D| due to rounding, under the assumption and in the worst case.
    noise: f64,
    most_noise: f64,
    best: Option<Split>,
    /// A lower bound on D²/(ab) of the best split so far, or the bar, as a fraction.
    above: f64,
    below: f64,
}

/// The pairs up to which most bins of a node are empty, so that it pays to ask.
const FEW: f64 = 256.0;

/// The error of D relative to |G_L| b + |G_R| a: three roundings of half an epsilon, doubled for safety.
const OFF: f64 = 3.0 * f64::EPSILON;
/// The further error of D²/(ab) and of a product of two such fractions.
const OFF_FRACTION: f64 = 1.0 - 16.0 * f64::EPSILON;

impl Search {
    /// The search of a node with these sums of so many pairs.
    pub(in crate::pairs) fn new(
        all: Sums,
        pairs: f64,
        lambda: f64,
        least: f64,
        roundings: Roundings,
    ) -> Self {
        // The quanta of a pair are off by at most one, and D is computed in three roundings.
        let off = match roundings {
            Roundings::Independent => pairs.min(10.0 * pairs.sqrt()),
            Roundings::Any => pairs,
        };
        let [noise, most_noise] = [off, pairs].map(|off| off * (all.h + 2.0 * lambda + all.g.abs()));
        let bar = if lambda > 0.0 { all.g * all.g * (lambda / (all.h + lambda)) } else { 0.0 };
        Self { all, lambda, least, pairs, noise, most_noise, best: None, above: bar, below: 1.0 }
    }

    /// Considers a split that another search of the same node has found.
    pub(in crate::pairs) fn offer(&mut self, Split { question, left }: Split) {
        self.consider(|| question, left);
    }

    #[inline]
    fn consider(&mut self, question: impl FnOnce() -> Question, left: Sums) {
        let right = self.all - left;
        let (a, b) = (left.h + self.lambda, right.h + self.lambda);
        let (x, y) = (left.g * b, right.g * a);
        let d = x - y;
        let size = x.abs() + y.abs();
        // An upper bound on |D|: most splits fall short even so.
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

    /// Whether a split with these sums on one side, this D, |G_L| b + |G_R| a and ab gains more than the best
    /// so far, or more than the bar.
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

    /// Considers all cuts of the allowed features, column by column, with missing values on one side. The
    /// columns of the layout count from `first`, and its cells begin at `from`.
    pub(in crate::pairs) fn cuts(
        &mut self,
        side: MissingSide,
        (first, from): (usize, usize),
        layout: &Layout,
        allowed: Option<&[bool]>,
        histogram: &Histogram,
    ) {
        match histogram {
            Histogram::Packed(cells) => self.cuts_in(side, first, layout, allowed, &cells[from..]),
            Histogram::Wide(cells) => self.cuts_in(side, first, layout, allowed, &cells[from..]),
        }
    }

    fn cuts_in<C: Cell>(
        &mut self,
        side: MissingSide,
        first: usize,
        layout: &Layout,
        allowed: Option<&[bool]>,
        cells: &[C],
    ) {
        let columns = (first..).zip(&layout.columns);
        match (side, allowed) {
            (MissingSide::OfZero, None) => columns.for_each(|(k, column)| self.cuts_of(k, column, cells)),
            (MissingSide::OfZero, Some(allowed)) => columns
                .filter(|(_, column)| allowed[column.feature as usize])
                .for_each(|(k, column)| self.cuts_of(k, column, cells)),
            (MissingSide::Other, _) => {
                for place in &layout.optional {
                    let (place, column) = (*place as usize, &layout.columns[*place as usize]);
                    if allowed.is_none_or(|allowed| allowed[column.feature as usize]) {
                        self.cuts_that_move(first + place, column, cells);
                    }
                }
            }
        }
    }

    fn cuts_of<C: Cell>(&mut self, k: usize, column: &Column, cells: &[C]) {
        let cells = column.cells(cells);
        let cut = Cut { column: k, bin: 0, moves_missing: false };
        if column.hole >= column.bins {
            if let Some((_, before)) = cells.split_last() {
                self.run(cut, C::default(), before);
            }
            return;
        }
        let (before, after) = cells.split_at(usize::from(column.hole));
        let below = self.run(cut, C::default(), before);
        let hole = cells.iter().fold(C::from(self.all), |hole, cell| hole - *cell);
        if let Some((_, after)) = after.split_last() {
            let below = self.run(Cut { bin: column.hole, ..cut }, below, &[hole]);
            self.run(Cut { bin: column.hole + 1, ..cut }, below, after);
        }
    }

    /// Missing values are below the cuts up to 0, and above the others.
    fn cuts_that_move<C: Cell>(&mut self, k: usize, column: &Column, cells: &[C]) {
        let Some(missing) = column.missing.map(|missing| cells[missing.cell as usize]) else { return };
        if missing == C::default() {
            return;
        }
        let cells = column.cells(cells);
        let (before, rest) = cells.split_at(usize::from(column.zero));
        let cut = Cut { column: k, bin: 0, moves_missing: true };
        self.run(cut, missing, before);
        let Some((_, rest)) = rest.split_last() else { return };
        let below = before.iter().fold(C::default(), |below, cell| below + *cell) - missing;
        let cut = Cut { bin: column.zero, ..cut };
        if column.hole >= column.bins {
            self.run(cut, below, rest);
            return;
        }
        let zero = cells.iter().fold(C::from(self.all), |zero, cell| zero - *cell);
        let below = self.run(cut, below, &[zero]);
        self.run(Cut { bin: column.zero + 1, ..cut }, below, rest);
    }

    /// Considers the cuts after each of these bins, the first of which is that of `cut`; `below` are the sums
    /// below the first bin. Returns the sums up to the last bin, or up to one that leaves too little above.
    fn run<C: Cell>(&mut self, cut: Cut, below: C, cells: &[C]) -> C {
        match self.pairs <= FEW {
            true => self.run_through::<true, C>(cut, below, cells),
            false => self.run_through::<false, C>(cut, below, cells),
        }
    }

    fn run_through<const HAS_FEW: bool, C: Cell>(&mut self, cut: Cut, mut below: C, cells: &[C]) -> C {
        let (least, most) = C::range(self.least, self.all.h - self.least);
        for (bin, cell) in (cut.bin..).zip(cells) {
            // Behind an empty bin is the cut before it.
            if HAS_FEW && *cell == C::default() {
                continue;
            }
            below = below + *cell;
            if below.weight() >= least {
                if below.weight() > most {
                    // The same holds for every further cut.
                    break;
                }
                self.consider(|| Question::Context(Cut { bin, ..cut }), below.into());
            }
        }
        below
    }

    /// Considers the split of every action from the node.
    pub(in crate::pairs) fn actions(&mut self, sums: &[(u32, Sums)]) {
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

    /// The best split, and whether its gain exceeds the worst-case rounding.
    pub(in crate::pairs) fn best(self) -> Option<(Split, bool)> {
        let split = self.best?;
        let right = self.all - split.left;
        let (a, b) = (split.left.h + self.lambda, right.h + self.lambda);
        let gain = ScaledGain { g: self.all.g, d: split.left.g * b - right.g * a, a, b, lambda: self.lambda };
        let near = 2.0 * f64::EPSILON * (split.left.g.abs() * b + right.g.abs() * a);
        let is_certain = gain.is_above(self.most_noise + near, self.pairs, self.pairs);
        Some((split, is_certain))
    }
}

/// A sum of quanta, below 2^53 in size.
#[allow(clippy::cast_possible_truncation, reason = "whole")]
fn whole(quanta: f64) -> i128 {
    quanta as i128
}

/// Twice a gain, times ab(a + b)(H + λ), which is D²(H + λ) − G²λab.
#[derive(Debug, Clone, Copy)]
pub(in crate::pairs) struct ScaledGain {
    pub(in crate::pairs) g: f64,
    pub(in crate::pairs) d: f64,
    pub(in crate::pairs) a: f64,
    pub(in crate::pairs) b: f64,
    pub(in crate::pairs) lambda: f64,
}

impl ScaledGain {
    /// Whether the gain of a split into these sides exceeds the rounding of the sums of so many pairs.
    pub(in crate::pairs) fn of_unrounded(sides: [Unrounded; 2], lambda: f64, pairs: f64) -> bool {
        // A sum of k numbers is off by at most k roundings of the sum of their magnitudes; so are a and b.
        Self::is_beyond((pairs + 8.0) * f64::EPSILON, sides, lambda)
    }

    /// The same test of sums that doubles have rounded, in any order. Its yes implies that of
    /// [`of_unrounded`](Self::of_unrounded): D is off by at most what that test allows, and this one allows
    /// four times as much. It says no where a product might be below the range.
    pub(in crate::pairs) fn of_sums(sides: [Unrounded; 2], lambda: f64, pairs: f64) -> bool {
        const LEAST: f64 = 1.0 / (1_u128 << 100) as f64;
        let [left, right] = sides;
        let is_in_range = left.h.min(right.h) >= LEAST && left.size.max(right.size) >= LEAST;
        is_in_range && Self::is_beyond(4.0 * (pairs + 8.0) * f64::EPSILON, sides, lambda)
    }

    /// Whether the gain is above 0 where each sum is off by this part of the sum of the magnitudes.
    fn is_beyond(off: f64, [left, right]: [Unrounded; 2], lambda: f64) -> bool {
        let (a, b) = (left.h + lambda, right.h + lambda);
        let d = left.g * b - right.g * a;
        let gain = ScaledGain { g: left.g + right.g, d, a, b, lambda };
        gain.is_above(off * (left.size * b + right.size * a), off * (left.size + right.size), off * (a + b))
    }

    /// Whether the gain is above 0 for every error of D up to `off_d`, of G up to `off_g` and of the weights
    /// up to `off_h`.
    ///
    /// With λ > 0 a gain is a difference that may vanish although D does not.
    pub(in crate::pairs) fn is_above(self, off_d: f64, off_g: f64, off_h: f64) -> bool {
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
        // Six further roundings of each of the two terms here.
        first - second > off_first + off_second + 8.0 * f64::EPSILON * (first + second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_doubles_say_yes_only_where_the_unrounded_sums_do() {
        let pairs = 1_000.0;
        for lambda in [0.0, 0.5, 200.0] {
            let mut yes = [0; 3];
            for k in 0..4_000 {
                let part = |by: f64| 0.5 + 0.4 * (f64::from(k) * by).sin();
                let h = [1e3 * part(1.1), 7e2 * part(2.3)];
                let [a, b] = h.map(|h| h + lambda);
                let all = a + b - lambda;
                // The G_L at which this G_R gains nothing, and a little more: gains are around both limits.
                let right = b * (part(0.3) - 0.5);
                let [of_left, of_right] = [a, b].map(|side| 1.0 / side - 1.0 / all);
                let nothing = match lambda > 0.0 {
                    true => right * (1.0 / all + (all.powi(-2) - of_left * of_right).sqrt()) / of_left,
                    false => right * a / b,
                };
                let g = [nothing * (1.0 + 2e-13 * f64::from(k % 40)), right];
                let side = |k: usize| Unrounded { g: g[k], h: h[k], size: g[k].abs() };
                let sides = [0, 1].map(side);
                let of_unrounded = ScaledGain::of_unrounded(sides, lambda, pairs);
                // The same sums after the largest roundings of doubles, of either sign.
                let off = 0.5 * pairs * f64::EPSILON;
                for [of_g, of_h] in [[off, off], [off, -off], [-off, off], [-off, -off]] {
                    let [mut left, mut right] = sides;
                    (left.g, right.g) = (left.g + of_g * left.size, right.g - of_g * right.size);
                    (left.h, right.h) = (left.h + of_h * left.h, right.h - of_h * right.h);
                    let of_sums = ScaledGain::of_sums([left, right], lambda, pairs);
                    assert!(of_unrounded || !of_sums, "λ = {lambda}: {sides:?}");
                    yes[usize::from(of_sums) + usize::from(of_unrounded)] += 1;
                }
            }
            assert!(yes.iter().all(|count| *count > 500), "λ = {lambda}: {yes:?}");
        }
    }

    #[test]
    fn sums_of_doubles_say_no_where_products_are_below_the_range() {
        for (exponent, expected) in [(0, true), (-90, true), (-110, false), (-515, false)] {
            let scale = 2_f64.powi(exponent);
            let sides = [2.0, 1.0].map(|g| Unrounded { g: g * scale, h: scale, size: g * scale });
            assert_eq!(ScaledGain::of_sums(sides, 0.0, 2.0), expected, "2^{exponent}");
        }
    }
}
