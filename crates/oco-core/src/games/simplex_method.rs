//! The simplex method for max Σ y over {y ≥ 0 : By ≤ 1} with B > 0, in doubles or in whole numbers.
//!
//! Its optimum is 1/v, v the value of the game Bᵀ in which rows minimise; y·v is an optimal strategy of those
//! rows and the dual solution times v one of the columns. The origin is feasible and the feasible set
//! bounded, so there is no first phase and no unbounded ray.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};
use std::cmp::Ordering;
use std::mem::replace;

/// The numbers of a tableau: doubles or whole numbers.
pub(super) trait Number: Clone + PartialOrd + Zero + One {
    /// The sign; 0 for doubles below the rounding of a tableau of this size.
    fn sign(&self) -> Ordering;

    fn times(&self, other: &Self) -> Self;

    /// (a·p − b·c)/d, without remainder in whole numbers.
    fn eliminate(a: &Self, p: &Self, b: &Self, c: &Self, d: &Self) -> Self;

    fn negate(&mut self);

    /// Chooses the unit of the entries.
    fn renew(entries: &mut [Self], unit: &mut Self);
}

/// A dictionary: basic variables as affine functions of the others. The variables are y_0 … y_{c−1}, then the
/// slacks.
#[derive(Debug, Clone)]
pub(super) struct Tableau<N> {
    /// A line for each basic variable and one for the objective; the last entry is the right-hand side.
    entries: Vec<N>,
    /// The divisor of every entry.
    unit: N,
    basic: Vec<usize>,
    others: Vec<usize>,
}

impl<N: Number> Tableau<N> {
    /// B by rows, at the origin.
    pub(super) fn new(b: &[N], columns: usize) -> Self {
        let rows = b.len() / columns.max(1);
        let mut minus_one = N::one();
        minus_one.negate();
        let mut entries = Vec::with_capacity((rows + 1) * (columns + 1));
        for row in b.chunks_exact(columns.max(1)) {
            entries.extend_from_slice(row);
            entries.push(N::one());
        }
        entries.extend(std::iter::repeat_n(minus_one, columns));
        entries.push(N::zero());
        let basic = (columns..columns + rows).collect();
        Self { entries, unit: N::one(), basic, others: (0..columns).collect() }
    }

    /// Pivots until no column improves, or `pivots` are spent.
    ///
    /// The column is that of the steepest ascent. During degenerate steps Bland's rule chooses, so that no
    /// basis repeats.
    pub(super) fn maximise(&mut self, pivots: usize) {
        let mut stuck = false;
        for _ in 0..pivots {
            let Some(column) = self.entering(stuck) else { return };
            let Some(row) = self.leaving(column) else { return };
            stuck = self.rhs(row).sign() == Ordering::Equal;
            self.pivot(row, column);
        }
    }

    fn entering(&self, bland: bool) -> Option<usize> {
        let objective = self.line(self.basic.len());
        let ascents = (0..self.others.len()).filter(|j| objective[*j].sign() == Ordering::Less);
        if bland {
            return ascents.min_by_key(|j| self.others[*j]);
        }
        ascents.reduce(|best, j| if objective[j] < objective[best] { j } else { best })
    }

    /// The row that first bounds the column's variable; ties go to the lowest variable.
    fn leaving(&self, column: usize) -> Option<usize> {
        let at = |row: usize| &self.line(row)[column];
        let bounding = (0..self.basic.len()).filter(|row| at(*row).sign() == Ordering::Greater);
        bounding.reduce(|best, row| {
            let (bound, lowest) = (self.rhs(row).times(at(best)), self.rhs(best).times(at(row)));
            let first = bound < lowest || (bound == lowest && self.basic[row] < self.basic[best]);
            if first { row } else { best }
        })
    }

    /// Exchanges the basic variable of the row and the nonbasic one of the column; their entry is not 0.
    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.others.len() + 1;
        let pivot_row = self.line(row).to_vec();
        let pivot = &pivot_row[column];
        for (_, line) in self.entries.chunks_exact_mut(width).enumerate().filter(|(i, _)| *i != row) {
            let mut factor = replace(&mut line[column], N::zero());
            for (j, entry) in line.iter_mut().enumerate().filter(|(j, _)| *j != column) {
                *entry = N::eliminate(entry, pivot, &factor, &pivot_row[j], &self.unit);
            }
            factor.negate();
            line[column] = factor;
        }
        let unit = replace(&mut self.unit, pivot.clone());
        self.entries[row * width + column] = unit;
        if self.unit.sign() == Ordering::Less {
            self.unit.negate();
            self.entries.iter_mut().for_each(N::negate);
        }
        N::renew(&mut self.entries, &mut self.unit);
        std::mem::swap(&mut self.basic[row], &mut self.others[column]);
    }

    /// Makes the basic variables of another tableau of the same B basic here, as far as pivots allow.
    pub(super) fn adopt<M: Number>(&mut self, other: &Tableau<M>) {
        let mut wanted = vec![false; self.basic.len() + self.others.len()];
        other.basic.iter().for_each(|v| wanted[*v] = true);
        for column in (0..self.others.len()).filter(|column| wanted[self.others[*column]]).collect::<Vec<_>>()
        {
            let free =
                |row: &usize| !wanted[self.basic[*row]] && self.line(*row)[column].sign() != Ordering::Equal;
            if let Some(row) = (0..self.basic.len()).find(free) {
                self.pivot(row, column);
            }
        }
    }

    pub(super) fn is_feasible(&self) -> bool {
        (0..self.basic.len()).all(|row| self.rhs(row).sign() != Ordering::Less)
    }

    pub(super) fn unit(&self) -> &N {
        &self.unit
    }

    /// The dual solution, one entry a row of B, and y, in units of [`unit`](Self::unit).
    pub(super) fn solutions(&self) -> (Vec<N>, Vec<N>) {
        let (rows, columns) = (self.basic.len(), self.others.len());
        let (mut dual, mut y) = (vec![N::zero(); rows], vec![N::zero(); columns]);
        for (row, variable) in self.basic.iter().enumerate().filter(|(_, v)| **v < columns) {
            y[*variable] = self.rhs(row).clone();
        }
        let objective = self.line(rows);
        for (column, variable) in self.others.iter().enumerate().filter(|(_, v)| **v >= columns) {
            dual[variable - columns] = objective[column].clone();
        }
        (dual, y)
    }

    /// The columns of B whose y is basic, and the equally many rows that hold with equality.
    pub(super) fn support(&self) -> (Vec<usize>, Vec<usize>) {
        let columns = self.others.len();
        let in_use = self.basic.iter().copied().filter(|v| *v < columns);
        let tight = self.others.iter().filter(|v| **v >= columns).map(|v| v - columns);
        (in_use.collect(), tight.collect())
    }

    fn line(&self, row: usize) -> &[N] {
        let width = self.others.len() + 1;
        &self.entries[row * width..(row + 1) * width]
    }

    fn rhs(&self, row: usize) -> &N {
        &self.line(row)[self.others.len()]
    }
}

impl Number for f64 {
    fn sign(&self) -> Ordering {
        const ROUNDING: f64 = 1e-12;
        if self.abs() <= ROUNDING { Ordering::Equal } else { self.total_cmp(&0.0) }
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn eliminate(a: &Self, p: &Self, b: &Self, c: &Self, d: &Self) -> Self {
        (a * p - b * c) / d
    }

    fn negate(&mut self) {
        *self = -*self;
    }

    /// Doubles have the divisor 1.
    fn renew(entries: &mut [Self], unit: &mut Self) {
        entries.iter_mut().for_each(|entry| *entry /= *unit);
        *unit = 1.0;
    }
}

impl Number for BigInt {
    fn sign(&self) -> Ordering {
        match BigInt::sign(self) {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn eliminate(a: &Self, p: &Self, b: &Self, c: &Self, d: &Self) -> Self {
        (a * p - b * c) / d
    }

    fn negate(&mut self) {
        let positive = std::mem::take(self);
        *self = -positive;
    }

    /// Minors of a matrix of whole numbers are whole: the last pivot is the right unit.
    fn renew(_entries: &mut [Self], _unit: &mut Self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program max ⟨c, y⟩ over {y ≥ 0 : By ≤ b}, its rows the lines (B | b) and then (−c | 0).
    fn program<N: Number, const WIDTH: usize>(lines: &[[N; WIDTH]]) -> Tableau<N> {
        let (rows, columns) = (lines.len() - 1, WIDTH - 1);
        let basic = (columns..columns + rows).collect();
        Tableau { entries: lines.concat(), unit: N::one(), basic, others: (0..columns).collect() }
    }

    /// Beale's program, on which steepest ascents come back to the origin's basis after six pivots that do
    /// not move.
    fn beale() -> Tableau<f64> {
        program(&[
            [0.25, -60.0, -0.04, 9.0, 0.0],
            [0.5, -90.0, -0.02, 3.0, 0.0],
            [0.0, 0.0, 1.0, 0.0, 1.0],
            [-0.75, 150.0, -0.02, 6.0, 0.0],
        ])
    }

    #[test]
    fn a_program_that_cycles_without_blands_rule_ends() {
        let mut tableau = beale();
        tableau.maximise(60);
        assert_eq!(tableau.entering(false), None);
        assert!((tableau.rhs(3) - 0.05).abs() < 1e-12);
        assert!((tableau.solutions().1[0] - 0.04).abs() < 1e-12);
    }

    /// Here the lowest variable enters while no step moves, but were the highest of a tie to leave, a basis
    /// would return.
    #[test]
    fn a_program_that_cycles_if_the_highest_leaves_ends() {
        let lines = [
            [-1, 2, -3, 0, 2, -2, 0],
            [1, -3, 2, -2, -3, 1, 0],
            [3, -2, -3, -3, 2, -2, 0],
            [2, -3, 0, -3, 2, -1, 0],
            [1, 1, 1, 1, 1, 1, 1],
            [3, 3, 2, 0, -3, 3, 0],
        ];
        let mut tableau = program(&lines.map(|line| line.map(BigInt::from)));
        tableau.maximise(60);
        assert_eq!(tableau.entering(false), None);
        assert!(tableau.is_feasible());
    }

    #[test]
    fn ties_go_to_the_lowest_variable() {
        let tie = program(&[[2.0, 1.0, 4.0], [1.0, 1.0, 2.0], [3.0, 1.0, 6.0], [-1.0, -2.0, 0.0]]);
        assert_eq!((tie.entering(false), tie.entering(true)), (Some(1), Some(0)));
        assert_eq!(tie.leaving(0), Some(0), "all bind at 2");
        let mut renamed = tie.clone();
        renamed.basic = vec![4, 2, 3];
        assert_eq!(renamed.leaving(0), Some(1), "by variable, not by row");
    }
}
