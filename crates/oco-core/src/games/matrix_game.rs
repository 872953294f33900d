//! Matrix games: payoffs, best responses, and the value by linear programming.

use super::{Certificate, Game};
use crate::losses::inner;
use crate::{OcoError, check_magnitudes, check_vector};
use projections::ProjectionError;
use serde::{Deserialize, Serialize};

/// The game pᵀMq on two simplices: rows minimise, columns maximise.
///
/// ```
/// use oco_core::games::MatrixGame;
/// // Player A hides in one of two places; finding her in the first is worth three times as much.
/// let game = MatrixGame::new(&[[3.0, 0.0], [0.0, 1.0]])?;
/// let best = game.equilibrium();
/// assert!((best.value - 0.75).abs() <= 1e-12 && best.gap <= 1e-12);
/// assert!((best.p[0] - 0.25).abs() <= 1e-12 && (best.q[0] - 0.25).abs() <= 1e-12);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<f64>>", into = "Vec<Vec<f64>>")]
pub struct MatrixGame {
    /// By rows; at least one.
    pub(super) entries: Vec<f64>,
    pub(super) columns: usize,
}

impl MatrixGame {
    /// The game with these rows.
    ///
    /// # Errors
    /// No entries at all, rows of different lengths, or an entry that is not finite or above 1e140 in
    /// magnitude.
    pub fn new<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, OcoError> {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        for row in rows {
            check_magnitudes("M", row.as_ref())?;
        }
        if columns == 0 {
            return Err(ProjectionError::Empty { argument: "M" }.into());
        }
        for row in rows {
            check_vector("row of M", row.as_ref(), columns)?;
        }
        Ok(Self { entries: rows.iter().flat_map(|row| row.as_ref()).copied().collect(), columns })
    }

    /// min_p max_q pᵀMq = max_q min_p pᵀMq, as [`equilibrium`](Self::equilibrium) finds it.
    pub fn value(&self) -> f64 {
        self.equilibrium().value
    }

    /// The number of rows, player A's choices.
    pub fn rows(&self) -> usize {
        self.entries.len() / self.columns
    }

    /// The number of columns, player B's choices.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// argmax_j (pᵀM)_j, the lowest such j, and the maximum.
    ///
    /// # Errors
    /// A p that is not a distribution over the rows.
    pub fn best_column(&self, p: &[f64]) -> Result<(usize, f64), OcoError> {
        self.check_p(p)?;
        let mut q = vec![0.0; self.columns];
        let payoff = self.best_response_of_b(p, &mut q);
        Ok((support(&q), payoff))
    }

    /// argmin_i (Mq)_i, the lowest such i, and the minimum.
    ///
    /// # Errors
    /// A q that is not a distribution over the columns.
    pub fn best_row(&self, q: &[f64]) -> Result<(usize, f64), OcoError> {
        self.check_q(q)?;
        let mut p = vec![0.0; self.rows()];
        let payoff = self.best_response_of_a(q, &mut p);
        Ok((support(&p), payoff))
    }

    /// The certificate of these strategies.
    ///
    /// # Errors
    /// A p or a q that is not a distribution over the rows or the columns.
    pub fn certificate(&self, p: &[f64], q: &[f64]) -> Result<Certificate, OcoError> {
        let (max_q, min_p) = (self.best_column(p)?.1, self.best_row(q)?.1);
        Ok(Certificate { payoff: self.payoff(p, q), max_q, min_p, gap: max_q - min_p })
    }

    /// (Mq)_i by rows.
    pub(super) fn row_payoffs(&self, q: &[f64]) -> impl Iterator<Item = f64> {
        self.entries.chunks_exact(self.columns).map(|row| inner(row, q))
    }
}

impl Game for MatrixGame {
    fn dimensions(&self) -> (usize, usize) {
        (self.rows(), self.columns)
    }

    fn payoff(&self, p: &[f64], q: &[f64]) -> f64 {
        self.row_payoffs(q).zip(p).map(|(row, p)| p * row).sum()
    }

    fn subgradient(&self, _p: &[f64], q: &[f64], gradient: &mut [f64]) {
        gradient.iter_mut().zip(self.row_payoffs(q)).for_each(|(g, row)| *g = row);
    }

    fn best_response_of_a(&self, q: &[f64], p: &mut [f64]) -> f64 {
        self.subgradient(&[], q, p);
        p.iter_mut().for_each(|payoff| *payoff = -*payoff);
        -keep_largest(p)
    }

    fn best_response_of_b(&self, p: &[f64], q: &mut [f64]) -> f64 {
        q.fill(0.0);
        for (row, p) in self.entries.chunks_exact(self.columns).zip(p) {
            q.iter_mut().zip(row).for_each(|(sum, m)| *sum += p * m);
        }
        keep_largest(q)
    }

    fn check_p(&self, p: &[f64]) -> Result<(), OcoError> {
        check_distribution("p", p, self.rows())
    }

    fn check_q(&self, q: &[f64]) -> Result<(), OcoError> {
        check_distribution("q", q, self.columns)
    }
}

/// Puts 1 at the first largest payoff and 0 elsewhere; returns that payoff.
fn keep_largest(payoffs: &mut [f64]) -> f64 {
    let first_largest = |best: (usize, f64), (i, v): (usize, f64)| if v > best.1 { (i, v) } else { best };
    let (at, largest) = payoffs.iter().copied().enumerate().fold((0, f64::NEG_INFINITY), first_largest);
    payoffs.iter_mut().enumerate().for_each(|(i, v)| *v = if i == at { 1.0 } else { 0.0 });
    largest
}

/// The index of the 1 of a pure strategy.
fn support(pure: &[f64]) -> usize {
    pure.iter().position(|v| *v > 0.0).unwrap_or(0)
}

/// Refuses entries that are negative or do not sum to 1 within 1e−9.
fn check_distribution(argument: &'static str, values: &[f64], expected: usize) -> Result<(), OcoError> {
    if values.is_empty() {
        return Err(ProjectionError::Empty { argument }.into());
    }
    check_vector(argument, values, expected)?;
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let total: f64 = values.iter().sum();
    if lowest < 0.0 || (total - 1.0).abs() > 1e-9 {
        return Err(OcoError::NotADistribution { argument, lowest, total });
    }
    Ok(())
}

impl From<MatrixGame> for Vec<Vec<f64>> {
    fn from(game: MatrixGame) -> Self {
        game.entries.chunks_exact(game.columns).map(<[f64]>::to_vec).collect()
    }
}

impl TryFrom<Vec<Vec<f64>>> for MatrixGame {
    type Error = OcoError;

    fn try_from(rows: Vec<Vec<f64>>) -> Result<Self, OcoError> {
        Self::new(&rows)
    }
}
