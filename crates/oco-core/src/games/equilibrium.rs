//! The value of a matrix game, by linear programming.

use super::MatrixGame;
use super::simplex_method::Tableau;
use super::whole_numbers::{WholeNumbers, quotient};
use crate::Game;
use num_bigint::BigInt;

/// The value of a matrix game with strategies that attain it.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// min over p of max over q of pᵀMq.
    pub value: f64,
    /// An optimal strategy of the rows.
    pub p: Vec<f64>,
    /// An optimal strategy of the columns.
    pub q: Vec<f64>,
    /// max over q of pᵀMq − min over p of pᵀMq, at these strategies: 0 up to the rounding of their entries, which is all of
    /// the value where a probability is too small for an `f64`.
    pub gap: f64,
}

impl MatrixGame {
    /// The value and optimal strategies, by the simplex method.
    ///
    /// It runs in doubles first. If what it finds is not certified to a relative 1e−12 of the value, it goes on from
    /// there in whole numbers, in which every matrix of doubles can be written: then the value is the exact one,
    /// rounded, however degenerate or wide-ranged the matrix.
    /// *Cost:* doubles O(rows·columns) a pivot; whole numbers the same count of products of numbers as long as the
    /// support.
    pub fn equilibrium(&self) -> Equilibrium {
        let (guess, tableau) = self.in_doubles();
        if self.certified(&guess) { guess } else { self.in_whole_numbers(&tableau) }
    }

    /// The simplex method on the entries moved to [1, 2].
    fn in_doubles(&self) -> (Equilibrium, Tableau<f64>) {
        let lowest = self.entries.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = self.entries.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Half of a difference of doubles is a double.
        let half_range = 0.5 * highest - 0.5 * lowest;
        let moved =
            |v: &f64| 1.0 + if half_range > 0.0 { (0.5 * v - 0.5 * lowest) / half_range } else { 0.0 };
        let b: Vec<f64> = self.by_columns(&self.entries).map(moved).collect();
        let mut tableau = Tableau::new(&b, self.rows());
        tableau.maximise(100 + 20 * (self.rows() + self.columns));
        let (q, p) = tableau.solutions();
        (self.equilibrium_at(normalised(p), normalised(q), None), tableau)
    }

    /// The simplex method on whole numbers proportional to the entries, moved to be at least 1.
    fn in_whole_numbers(&self, doubles: &Tableau<f64>) -> Equilibrium {
        let WholeNumbers { numbers, exponent } = WholeNumbers::of(&self.entries);
        let below = numbers.iter().min().cloned().unwrap_or_default() - 1;
        let b: Vec<BigInt> = self.by_columns(&numbers).map(|entry| entry - &below).collect();
        let mut tableau = Tableau::new(&b, self.rows());
        tableau.adopt(doubles);
        if !tableau.is_feasible() {
            tableau = Tableau::new(&b, self.rows());
        }
        tableau.maximise(usize::MAX);
        let (total, unit) = (tableau.objective(), tableau.unit());
        let value = quotient(&(unit + &below * total), total, exponent);
        let (q, p) = tableau.solutions();
        let divided = |v: Vec<BigInt>| v.iter().map(|v| quotient(v, total, 0)).collect();
        self.equilibrium_at(divided(p), divided(q), Some(value))
    }

    /// The transpose: p is the primal solution for it, q the dual one.
    fn by_columns<'a, N>(&self, entries: &'a [N]) -> impl Iterator<Item = &'a N> {
        let columns = self.columns;
        (0..columns).flat_map(move |j| entries.iter().skip(j).step_by(columns))
    }

    fn equilibrium_at(&self, p: Vec<f64>, q: Vec<f64>, value: Option<f64>) -> Equilibrium {
        let max_q = self.best_response_of_b(&p, &mut vec![0.0; self.columns]);
        let min_p = self.row_payoffs(&q).fold(f64::INFINITY, f64::min);
        let gap = (max_q - min_p).max(0.0);
        Equilibrium { value: value.unwrap_or(0.5 * max_q + 0.5 * min_p), p, q, gap }
    }

    /// Whether the gap, and what rounding may have hidden of it, is a negligible part of the value.
    fn certified(&self, found: &Equilibrium) -> bool {
        let sizes = Self { entries: self.entries.iter().map(|v| v.abs()).collect(), columns: self.columns };
        let of_rows = sizes.row_payoffs(&found.q).fold(0.0, f64::max);
        let largest = sizes.best_response_of_b(&found.p, &mut vec![0.0; self.columns]).max(of_rows);
        #[allow(clippy::cast_precision_loss, reason = "a count of terms")]
        let rounding = f64::EPSILON * (self.rows() + self.columns) as f64 * largest;
        found.gap + rounding <= 1e-12 * found.value.abs()
    }
}

/// A distribution out of a solution that may carry rounding.
fn normalised(mut solution: Vec<f64>) -> Vec<f64> {
    solution.iter_mut().for_each(|v| *v = v.max(0.0));
    let total: f64 = solution.iter().sum();
    if total > 0.0 && total.is_finite() {
        solution.iter_mut().for_each(|v| *v /= total);
    }
    solution
}
