//! Rounds of small whole numbers, whose gains are fractions that can be compared without rounding.

use proptest::prelude::*;
use proptest::sample::select;
use rows::RowMatrix;
use weak_learners::pairs::{PairGrowth, PairRound, PairWeights};

/// g and h of a pair at a·n + i.
#[derive(Debug, Clone)]
pub(crate) struct Whole {
    pub(crate) inputs: usize,
    pub(crate) actions: usize,
    pub(crate) rows: Vec<Vec<f64>>,
    /// The columns of values that may be missing, each with its indicator.
    pub(crate) indicators: Vec<(usize, usize)>,
    pub(crate) g: Vec<i32>,
    pub(crate) h: Vec<i32>,
    pub(crate) is_of_pairs: bool,
    pub(crate) depth: u32,
    pub(crate) min_child_weight: i32,
    pub(crate) lambda: i32,
}

/// A fraction with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fraction(pub(crate) i128, pub(crate) i128);

impl Fraction {
    pub(crate) fn is_above(self, other: Self) -> bool {
        self.0 * other.1 > other.0 * self.1
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self(self.0 * other.1 + other.0 * self.1, self.1 * other.1).reduced()
    }

    /// Without common divisors.
    fn reduced(self) -> Self {
        let (mut a, mut b) = (self.0.abs(), self.1);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self(self.0 / a.max(1), self.1 / a.max(1))
    }
}

impl Whole {
    pub(crate) fn n(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn matrix(&self) -> RowMatrix {
        RowMatrix::dense(self.inputs, self.rows.concat()).unwrap()
    }

    pub(crate) fn growth(&self) -> PairGrowth {
        PairGrowth::builder()
            .max_depth(self.depth)
            .min_child_weight(self.min_child_weight.into())
            .reg_lambda(self.lambda.into())
            .build()
            .unwrap()
    }

    /// Hands the round over.
    pub(crate) fn with_round<T>(&self, act: impl FnOnce(&PairRound<'_>) -> T) -> T {
        let [g, h] = [&self.g, &self.h].map(|v| v.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>());
        let weights =
            if self.is_of_pairs { PairWeights::OfPairs(&h) } else { PairWeights::OfExamples(&h[..self.n()]) };
        act(&PairRound::new(self.n(), self.actions, &g, weights).unwrap())
    }

    /// The pairs with h > 0.
    pub(crate) fn fitted(&self) -> Vec<(usize, usize)> {
        let all = (0..self.actions).flat_map(|a| (0..self.n()).map(move |i| (i, a)));
        all.filter(|(i, a)| self.h[a * self.n() + i] > 0).collect()
    }

    /// G and H.
    pub(crate) fn sums(&self, pairs: &[(usize, usize)]) -> (i128, i128) {
        let at = |v: &[i32], (i, a): (usize, usize)| i128::from(v[a * self.n() + i]);
        pairs.iter().fold((0, 0), |(g, h), pair| (g + at(&self.g, *pair), h + at(&self.h, *pair)))
    }

    /// G²/(H+λ).
    pub(crate) fn term(&self, pairs: &[(usize, usize)]) -> Fraction {
        let (g, h) = self.sums(pairs);
        Fraction(g * g, (h + i128::from(self.lambda)).max(1)).reduced()
    }

    /// Whether pairs like these may be a child.
    pub(crate) fn may_be_child(&self, pairs: &[(usize, usize)]) -> bool {
        let (_, h) = self.sums(pairs);
        h > 0 && h >= i128::from(self.min_child_weight)
    }

    /// G/(H+λ).
    pub(crate) fn leaf(&self, pairs: &[(usize, usize)]) -> f64 {
        let (g, h) = self.sums(pairs);
        g as f64 / (h + i128::from(self.lambda)) as f64
    }
}

const VALUES: &[f64] = &[0.0, -0.0, 0.0, 1.0, 1.0 + f64::EPSILON, 2.0, -1.0, 1e140, -1e140, 5e-324];

pub(crate) fn whole_rounds() -> impl Strategy<Value = Whole> {
    (1_usize..4, 1_usize..5, 1_usize..13, any::<bool>()).prop_flat_map(|(inputs, actions, n, is_of_pairs)| {
        let rows = prop::collection::vec(prop::collection::vec(select(VALUES), inputs), n);
        let g = prop::collection::vec(-4_i32..5, n * actions);
        let h = prop::collection::vec(select(&[0, 1, 1, 2, 4][..]), n * actions);
        (rows, g, h, 0_u32..6, select(&[0, 0, 0, 1, 3, 6][..]), select(&[0, 0, 1, 3][..])).prop_map(
            move |(rows, mut g, mut h, depth, min_child_weight, lambda)| {
                h[0] = h[0].max(1);
                for k in 0..g.len() {
                    h[k] = if is_of_pairs { h[k] } else { h[k % n] };
                    g[k] = if h[k] > 0 { g[k] } else { 0 };
                }
                let indicators = Vec::new();
                Whole {
                    inputs,
                    actions,
                    rows,
                    indicators,
                    g,
                    h,
                    is_of_pairs,
                    depth,
                    min_child_weight,
                    lambda,
                }
            },
        )
    })
}

/// The same where values of a column of some are missing: the bits say where, column by column.
pub(crate) fn whole_rounds_with_missing() -> impl Strategy<Value = Whole> {
    (whole_rounds(), prop::collection::vec(select(&[0_u32, 5, 0b1101, 0x3f0, 0xffff, 1][..]), 3)).prop_map(
        |(mut whole, bits)| {
            for (column, bits) in bits.into_iter().enumerate().take(whole.inputs) {
                for (i, row) in whole.rows.iter_mut().enumerate() {
                    let is_missing = bits >> i & 1 == 1;
                    row.push(f64::from(u8::from(is_missing)));
                    row[column] = if is_missing { 0.0 } else { row[column] };
                }
                whole.indicators.push((column, whole.rows[0].len() - 1));
            }
            whole.inputs = whole.rows[0].len();
            whole
        },
    )
}
