//! Codes of classes in bits.

use super::CodeError;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// A code of k classes in L bits: a k × L matrix over {−1, 0, +1}, whose row r is the code word of class r
/// and whose column l separates the classes with +1 from the classes with −1. Classes with 0 do not take part
/// \[DB95\], \[ASS00\].
///
/// The distance of two code words is Σ_l (1 − M_rl M_sl)/2, so a 0 counts ½. The errors that a code corrects
/// depend on its least distance ρ over all pairs; see [`Decoding`](super::Decoding).
///
/// ```
/// use boosters::maboost::{CodeError, OutputCode};
/// let code = OutputCode::one_vs_rest(4)?;
/// assert_eq!((code.classes(), code.columns(), code.least_distance()), (4, 4, 2.0));
/// assert_eq!(code.row(2), [-1, -1, 1, -1]);
/// assert_eq!(OutputCode::one_vs_one(4)?.least_distance(), 3.5);
/// assert_eq!(OutputCode::exhaustive(4)?.least_distance(), 4.0);
/// let one_sided = OutputCode::new(vec![vec![1, 1], vec![1, -1]]);
/// assert_eq!(one_sided, Err(CodeError::OneSidedColumn { column: 0 }));
/// # Ok::<(), CodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<i8>>", into = "Vec<Vec<i8>>")]
pub struct OutputCode {
    columns: usize,
    /// Row by row.
    entries: Vec<i8>,
    least_distance: f64,
}

/// The number of random matrices drawn; the best is kept.
const DRAWS: u32 = 100;

/// The largest k of an exhaustive code, which has 2^(k−1) − 1 columns.
const MOST_EXHAUSTIVE: usize = 12;

/// The largest k·L of a constructed matrix.
const MOST_ENTRIES: usize = 1 << 24;

impl OutputCode {
    /// The code of these rows.
    ///
    /// # Errors
    /// A matrix that is not a code: see [`CodeError`].
    pub fn new(rows: Vec<Vec<i8>>) -> Result<Self, CodeError> {
        rows.try_into()
    }

    /// Each class against all others: k columns, ρ = 2.
    ///
    /// # Errors
    /// [`CodeError::TooFewClasses`], [`CodeError::TooLarge`].
    pub fn one_vs_rest(classes: usize) -> Result<Self, CodeError> {
        check_size(classes, classes)?;
        Self::of_columns(classes, (0..classes).map(|own| move |r| if r == own { 1 } else { -1 }))
    }

    /// Each pair of classes: k(k − 1)/2 columns.
    ///
    /// # Errors
    /// [`CodeError::TooFewClasses`], [`CodeError::TooLarge`].
    pub fn one_vs_one(classes: usize) -> Result<Self, CodeError> {
        check_size(classes, classes.saturating_mul(classes.saturating_sub(1)) / 2)?;
        let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
        Self::of_columns(classes, pairs.map(|(a, b)| move |r| i8::from(r == a) - i8::from(r == b)))
    }

    /// Every partition of the classes into two sets: 2^(k−1) − 1 columns, ρ = 2^(k−2) \[DB95\].
    ///
    /// # Errors
    /// [`CodeError::TooFewClasses`]; [`CodeError::TooManyClasses`] beyond 12.
    pub fn exhaustive(classes: usize) -> Result<Self, CodeError> {
        if classes > MOST_EXHAUSTIVE {
            return Err(CodeError::TooManyClasses { classes, most: MOST_EXHAUSTIVE });
        }
        // Class 0 has +1 everywhere, the others the bits of the column's number but not all of them.
        let columns = (1_usize << classes.saturating_sub(1)) - 1;
        let bit = |column: usize| move |r: usize| if r == 0 || column >> (r - 1) & 1 == 1 { 1 } else { -1 };
        Self::of_columns(classes, (0..columns).map(bit))
    }

    /// The matrix of largest ρ among 100 with fair random signs, both in every column; \[ASS00\] take
    /// ⌈10·log₂ k⌉ columns.
    ///
    /// # Errors
    /// [`CodeError::TooFewClasses`], [`CodeError::TooLarge`]; [`CodeError::TooClose`] if every ρ is below
    /// `least_distance`.
    pub fn random_dense(
        classes: usize,
        columns: usize,
        least_distance: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, CodeError> {
        Self::best_of_draws(classes, columns, least_distance, || if rng.random() { 1 } else { -1 })
    }

    /// As [`random_dense`](Self::random_dense), with entries 0 of probability ½; \[ASS00\] take ⌈15·log₂ k⌉
    /// columns.
    ///
    /// # Errors
    /// As [`random_dense`](Self::random_dense).
    pub fn random_sparse(
        classes: usize,
        columns: usize,
        least_distance: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, CodeError> {
        let entry = || [0, 0, 1, -1][rng.random_range(0..4)];
        Self::best_of_draws(classes, columns, least_distance, entry)
    }

    /// k.
    pub fn classes(&self) -> usize {
        self.entries.len() / self.columns
    }

    /// L.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The code word of a class; empty for a class outside the code.
    pub fn row(&self, class: usize) -> &[i8] {
        self.entries.chunks_exact(self.columns).nth(class).unwrap_or_default()
    }

    /// ρ, above 0.
    pub fn least_distance(&self) -> f64 {
        self.least_distance
    }

    /// The code words, from class 0 on.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[i8]> {
        self.entries.chunks_exact(self.columns)
    }

    fn of_columns<C: Fn(usize) -> i8>(
        classes: usize,
        columns: impl Iterator<Item = C>,
    ) -> Result<Self, CodeError> {
        let columns: Vec<C> = columns.collect();
        Self::new((0..classes).map(|r| columns.iter().map(|column| column(r)).collect()).collect())
    }

    fn best_of_draws(
        classes: usize,
        columns: usize,
        wanted: f64,
        mut entry: impl FnMut() -> i8,
    ) -> Result<Self, CodeError> {
        if classes < 2 {
            return Err(CodeError::TooFewClasses { classes });
        }
        let too_close = |best| CodeError::TooClose { wanted, best, draws: DRAWS };
        // There are 3^L words of L entries, and no two classes have the same.
        let words = u32::try_from(columns).ok().and_then(|columns| 3_usize.checked_pow(columns));
        if words.is_some_and(|words| words < classes) {
            return Err(too_close(0.0));
        }
        check_size(classes, columns)?;
        let mut best: Option<Self> = None;
        for _ in 0..DRAWS {
            let columns: Vec<_> = (0..columns).map(|_| draw_column(classes, &mut entry)).collect();
            let rows = (0..classes).map(|r| columns.iter().map(|column| column[r]).collect()).collect();
            // A matrix that is not a code counts as a draw.
            let Ok(code) = Self::new(rows) else { continue };
            if best.as_ref().is_none_or(|best| code.least_distance > best.least_distance) {
                best = Some(code);
            }
        }
        let reached = best.as_ref().map_or(0.0, |best| best.least_distance);
        match best {
            Some(best) if reached >= wanted => Ok(best),
            _ => Err(too_close(reached)),
        }
    }
}

/// Rejects a matrix of more entries than a constructor allows.
fn check_size(classes: usize, columns: usize) -> Result<(), CodeError> {
    if classes.saturating_mul(columns) <= MOST_ENTRIES {
        return Ok(());
    }
    Err(CodeError::TooLarge { classes, columns, most: MOST_ENTRIES })
}

/// Entries with both signs, if one of a thousand tries has both.
fn draw_column(classes: usize, entry: &mut impl FnMut() -> i8) -> Vec<i8> {
    let mut column = vec![0; classes];
    for _ in 0..1000 {
        column.fill_with(&mut *entry);
        if column.contains(&1) && column.contains(&-1) {
            break;
        }
    }
    column
}

/// Σ(1 − M_rl M_sl)/2.
fn distance(r: &[i8], s: &[i8]) -> f64 {
    r.iter().zip(s).map(|(a, b)| 0.5 * (1.0 - f64::from(a * b))).sum()
}

impl From<OutputCode> for Vec<Vec<i8>> {
    fn from(code: OutputCode) -> Self {
        code.rows().map(<[i8]>::to_vec).collect()
    }
}

impl TryFrom<Vec<Vec<i8>>> for OutputCode {
    type Error = CodeError;

    fn try_from(rows: Vec<Vec<i8>>) -> Result<Self, CodeError> {
        let [first, _, ..] = &rows[..] else {
            return Err(CodeError::TooFewClasses { classes: rows.len() });
        };
        let columns = first.len();
        for (row, entries) in rows.iter().enumerate() {
            if entries.len() != columns {
                return Err(CodeError::RaggedRow { row, expected: columns, got: entries.len() });
            }
            if let Some(column) = entries.iter().position(|entry| !(-1..=1).contains(entry)) {
                return Err(CodeError::BadEntry { row, column, value: entries[column] });
            }
        }
        let has = |column: usize, sign: i8| rows.iter().any(|row| row[column] == sign);
        if let Some(column) = (0..columns).find(|&column| !(has(column, 1) && has(column, -1))) {
            return Err(CodeError::OneSidedColumn { column });
        }
        if let Some(row) = rows.iter().position(|row| row.iter().all(|entry| *entry == 0)) {
            return Err(CodeError::EmptyRow { row });
        }
        let mut least_distance = f64::INFINITY;
        for (second, row) in rows.iter().enumerate() {
            for (first, above) in rows[..second].iter().enumerate() {
                if above == row {
                    return Err(CodeError::EqualRows { first, second });
                }
                // Different words have a positive distance: a product of 1 in every column would make them
                // equal.
                least_distance = least_distance.min(distance(above, row));
            }
        }
        Ok(Self { columns, entries: rows.concat(), least_distance })
    }
}
