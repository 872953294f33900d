//! The value of a matrix game, by linear programming.

use super::MatrixGame;
use super::basis::Basis;
use super::simplex_method::Tableau;
use super::whole_numbers::{WholeNumbers, quotient};
use crate::games::Game;
use num_bigint::BigInt;

/// The value of a matrix game and strategies that attain it.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// min over p of max over q of pᵀMq.
    pub value: f64,
    /// An optimal strategy of the rows.
    pub p: Vec<f64>,
    /// An optimal strategy of the columns.
    pub q: Vec<f64>,
    /// max over q of pᵀMq − min over p of pᵀMq, at these strategies as doubles: 0 up to the rounding of their
    /// entries. If a probability underflows, this may be as large as the value.
    pub gap: f64,
}

impl MatrixGame {
    /// The value and optimal strategies, by the simplex method.
    ///
    /// It runs in doubles first. If the result is not certified to a relative 1e−12 of the value (a fair game
    /// never is), its basis is solved in whole numbers, which represent every matrix of doubles. All rows and
    /// columns are checked. If the basis is not optimal, the method continues in whole numbers, if that takes
    /// at most some seconds. The value is then the exact one, rounded, for every degenerate matrix.
    /// Otherwise, for a large game with entries of very different sizes, the result is that of the doubles.
    /// Its value is the middle of the certified interval, and `gap` is the width.
    /// *Cost:* doubles O(rows·columns) a pivot; the basis O(k³·b²) for k strategies in use and b bits an
    /// entry. A fair game of 150 rows and columns took 0.5 s in the test build (`tests/matrix_games.rs`
    /// prints its times).
    pub fn equilibrium(&self) -> Equilibrium {
        let (guess, tableau) = self.in_doubles();
        if self.certified(&guess) {
            return guess;
        }
        let whole = WholeNumbers::of(&self.entries);
        let below = whole.numbers.iter().min().cloned().unwrap_or_default() - 1;
        let b: Vec<BigInt> = self.by_columns(&whole.numbers).map(|entry| entry - &below).collect();
        if let Some(basis) = Basis::solve(&b, self.rows(), &tableau) {
            return self.exactly(&basis.y, &basis.dual, &basis.unit, &below, whole.exponent);
        }
        if affordable(&b, self.rows()) {
            let tableau = in_whole_numbers(&b, self.rows(), &tableau);
            let (dual, y) = tableau.solutions();
            return self.exactly(&y, &dual, tableau.unit(), &below, whole.exponent);
        }
        guess
    }

    /// The simplex method on the entries moved to [1, 2].
    fn in_doubles(&self) -> (Equilibrium, Tableau<f64>) {
        let lowest = self.entries.iter().copied().fold(f64::INFINITY, f64::min);
        let range = self.entries.iter().copied().fold(f64::NEG_INFINITY, f64::max) - lowest;
        let moved = |v: &f64| 1.0 + if range > 0.0 { (v - lowest) / range } else { 0.0 };
        let b: Vec<f64> = self.by_columns(&self.entries).map(moved).collect();
        let mut tableau = Tableau::new(&b, self.rows());
        tableau.maximise(100 + 20 * (self.rows() + self.columns));
        let (q, p) = tableau.solutions();
        (self.equilibrium_at(normalised(p), normalised(q), None), tableau)
    }

    /// The equilibrium whose strategies are proportional to y and the dual solution, in a unit. They solve
    /// the game minus `below`, with entries in multiples of 2^exponent.
    fn exactly(
        &self,
        y: &[BigInt],
        dual: &[BigInt],
        unit: &BigInt,
        below: &BigInt,
        exponent: i64,
    ) -> Equilibrium {
        let total = y.iter().sum::<BigInt>();
        let value = quotient(&(unit + below * &total), &total, exponent);
        let divided = |v: &[BigInt]| {
            let total = v.iter().sum::<BigInt>();
            v.iter().map(|v| quotient(v, &total, 0)).collect()
        };
        self.equilibrium_at(divided(y), divided(dual), Some(value))
    }

    /// For the transpose p is the primal solution and q the dual one.
    fn by_columns<'a, N>(&self, entries: &'a [N]) -> impl Iterator<Item = &'a N> {
        let columns = self.columns;
        (0..columns).flat_map(move |j| entries.iter().skip(j).step_by(columns))
    }

    fn equilibrium_at(&self, p: Vec<f64>, q: Vec<f64>, value: Option<f64>) -> Equilibrium {
        let max_q = self.best_response_of_b(&p, &mut vec![0.0; self.columns]);
        let min_p = self.row_payoffs(&q).fold(f64::INFINITY, f64::min);
        let gap = (max_q - min_p).max(0.0);
        Equilibrium { value: value.unwrap_or(f64::midpoint(max_q, min_p)), p, q, gap }
    }

    /// Whether the gap, with its rounding error, is a negligible part of the value.
    fn certified(&self, found: &Equilibrium) -> bool {
        let sizes = Self { entries: self.entries.iter().map(|v| v.abs()).collect(), columns: self.columns };
        let of_rows = sizes.row_payoffs(&found.q).fold(0.0, f64::max);
        let largest = sizes.best_response_of_b(&found.p, &mut vec![0.0; self.columns]).max(of_rows);
        #[allow(clippy::cast_precision_loss, reason = "a count of terms")]
        let rounding = f64::EPSILON * (self.rows() + self.columns) as f64 * largest;
        // The last term stands for the products that underflow.
        found.gap + rounding + f64::MIN_POSITIVE <= 1e-12 * found.value.abs()
    }
}

/// The simplex method on whole numbers, from the basis found in doubles.
fn in_whole_numbers(b: &[BigInt], rows: usize, doubles: &Tableau<f64>) -> Tableau<BigInt> {
    let mut tableau = Tableau::new(b, rows);
    tableau.adopt(doubles);
    if !tableau.is_feasible() {
        tableau = Tableau::new(b, rows);
    }
    tableau.maximise(usize::MAX);
    tableau
}

/// Whether pivots on these whole numbers take seconds at most: entries × min(rows, columns) exchanges × words
/// of a minor.
fn affordable(b: &[BigInt], rows: usize) -> bool {
    let side = rows.min(b.len() / rows) as u64;
    let words = b.iter().map(BigInt::bits).max().unwrap_or(0) / 64 + 1;
    let longest = side.saturating_mul(words);
    let product = longest.saturating_mul(longest);
    side.saturating_mul(b.len() as u64).saturating_mul(product) <= 1_000_000_000
}

/// A distribution from a solution with rounding errors.
fn normalised(mut solution: Vec<f64>) -> Vec<f64> {
    solution.iter_mut().for_each(|v| *v = v.max(0.0));
    let total: f64 = solution.iter().sum();
    if total > 0.0 && total.is_finite() {
        solution.iter_mut().for_each(|v| *v /= total);
    }
    solution
}
