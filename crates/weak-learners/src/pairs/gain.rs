//! The gain of a split, in units without overflow, and a bound on its rounding.

use super::PairGrowth;
use super::best_first::TreeGain;
use crate::Label;
use crate::batch::{LeafAnswer, in_units};
use crate::fractions::{Fraction, shifted_sum};
use num_bigint::BigInt;
use rows::numeric::exponent_above;
use std::cmp::Ordering;

/// The units of a node, powers of two near its largest numbers. Sums are whole numbers of *grains*, 2^−shift
/// units.
///
/// A gain is in the unit of G²/(H+λ), and compared within a node only. So no input is too large or too small,
/// and a common factor 2^k changes no bit of a comparison (docs/numerics.md, Trees).
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    unit_g: i32,
    unit_h: i32,
    /// The unit of H+λ.
    unit_d: i32,
    shift: u32,
    grain: f64,
    /// 2^unit_h in the unit of H+λ, at most 1.
    h_in_d: f64,
    lambda: f64,
    least: f64,
    /// λ, without a unit.
    given_lambda: f64,
}

/// G²/(H+λ), and a bound on its error by that of the g.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    value: f64,
    doubt: f64,
}

impl Scale {
    /// Units for |g| < 2^unit_g and h < 2^unit_h, in grains of 2^−shift, shift ≤ 100.
    pub(super) fn new(unit_g: i32, unit_h: i32, shift: u32, growth: &PairGrowth) -> Self {
        let unit_d = unit_h.max(exponent_above(growth.reg_lambda()));
        Self {
            unit_g,
            unit_h,
            unit_d,
            shift,
            grain: rows::numeric::scale_down(1.0, shift),
            h_in_d: in_units(1.0, unit_d - unit_h),
            lambda: in_units(growth.reg_lambda(), unit_d),
            least: in_units(growth.min_child_weight(), unit_h),
            given_lambda: growth.reg_lambda(),
        }
    }

    /// g in grains, to the nearest whole one.
    pub(super) fn grains_of_g(&self, g: f64) -> i128 {
        self.whole(in_units(g, self.unit_g))
    }

    /// h in grains, to the nearest whole one.
    pub(super) fn grains_of_h(&self, h: f64) -> i128 {
        self.whole(in_units(h, self.unit_h))
    }

    fn whole(&self, v: f64) -> i128 {
        #[allow(clippy::cast_possible_truncation, reason = "whole, and at most 2^100 in size")]
        let whole = rows::numeric::scale_up(v, self.shift).round() as i128;
        whole
    }

    /// Whether a child may have this H.
    pub(super) fn admits(&self, h: i128) -> bool {
        h > 0 && self.in_units(h) >= self.least
    }

    /// The term of a G and an H, where Σ|g| = `size`.
    ///
    /// `doubt` covers errors of 2^−50 of every g, and sums of g that cancel to 2^−27 of Σ|g|.
    pub(super) fn term(&self, g: i128, size: i128, h: i128) -> Term {
        let d = self.denominator(h as f64);
        if d > 0.0 {
            let (g, size) = (self.in_units(g), self.in_units(size));
            Term { value: g * g / d, doubt: (16.0 * g.abs() + size) * size / d * (0.5 * f64::EPSILON) }
        } else {
            Term { value: 0.0, doubt: 0.0 }
        }
    }

    /// Σ G²/(H+λ) over some G with one H, without rounding, in a unit of the node; `None` if H+λ = 0.
    pub(super) fn fraction(&self, g: impl IntoIterator<Item = i128>, h: i128) -> Option<Fraction> {
        let denominator = shifted_sum(h, self.unit_h - self.shift.cast_signed(), self.given_lambda);
        (denominator != BigInt::ZERO).then(|| Fraction::of_squares(g, denominator))
    }

    /// Twice the gain of a split into sides with these G and H, comparable with those of other nodes.
    pub(super) fn tree_gain(&self, g: [i128; 2], h: [i128; 2]) -> TreeGain {
        let (g, d) = (g.map(|g| self.in_units(g)), h.map(|h| self.denominator(h as f64)));
        TreeGain::of(g, d, self.lambda, 2 * self.unit_g - self.unit_d)
    }

    /// The value of a leaf with this G and H, at most [`f64::MAX`] in size; 0 if H+λ = 0.
    pub(super) fn leaf(&self, g: i128, h: i128, answer: LeafAnswer) -> f64 {
        match answer {
            LeafAnswer::Sign => Label::of_score(self.in_units(g)).sign(),
            LeafAnswer::Mean => {
                let d = self.denominator(h as f64);
                let mean = if d > 0.0 { self.in_units(g) / d } else { 0.0 };
                in_units(mean, self.unit_d - self.unit_g).clamp(f64::MIN, f64::MAX)
            }
        }
    }

    /// H+λ in its unit, for H in grains.
    pub(super) fn denominator(&self, h: f64) -> f64 {
        h * self.grain * self.h_in_d + self.lambda
    }

    fn in_units(&self, grains: i128) -> f64 {
        grains as f64 * self.grain
    }
}

impl Term {
    /// The sum of no terms.
    pub(super) const NONE: Self = Self { value: 0.0, doubt: 0.0 };

    pub(super) fn and(self, other: Self) -> Self {
        Self { value: self.value + other.value, doubt: self.doubt + other.doubt }
    }

    /// Twice the gain of a split of `self` into two sides, whichever comes first.
    pub(super) fn split_into(self, left: Self, right: Self) -> Gain {
        let sides = left.and(right);
        Gain { gain: sides.value - self.value, doubt: sides.doubt + self.doubt, sides: sides.value }
    }
}

/// Twice a gain, and the largest that rounding can produce from a gain of 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gain {
    gain: f64,
    doubt: f64,
    /// The sum of the terms of both sides.
    sides: f64,
}

impl Gain {
    /// Twice the gain.
    pub(super) fn value(self) -> f64 {
        self.gain
    }

    /// The order of this gain and that of another split of the same node, each of so many terms; `None`
    /// within their rounding.
    pub(super) fn compare(self, other: Self, terms: usize) -> Option<Ordering> {
        certain_order(self.sides, other.sides, terms)
    }

    pub(super) fn exceeds_rounding(self) -> bool {
        self.gain > self.doubt
    }
}

/// The order of two sums of so many [`Term`]s; `None` within their rounding.
///
/// Terms are not negative. Each is off by at most seven roundings of itself, and their sum by one more for
/// each.
pub(super) fn certain_order(one: f64, other: f64, terms: usize) -> Option<Ordering> {
    let off = (terms + 8) as f64 * f64::EPSILON * one.max(other);
    if (one - other).abs() > off { one.partial_cmp(&other) } else { None }
}
