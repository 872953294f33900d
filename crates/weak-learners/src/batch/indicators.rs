//! Columns that say where the values of others are missing.

use crate::LearnerError;
use rows::RowMatrix;

/// Checks pairs (j, k) of a column of values and its *indicator*: x_k = 1 where x_j is missing, and x_j is
/// then 0; x_k = 0 elsewhere. Returns them by j.
///
/// *Cost:* a pass over the stored values.
///
/// # Errors
/// [`LearnerError::BadIndicator`]: a column out of range or in two pairs, or values that are not so coded.
pub(crate) fn checked_indicators(
    matrix: &RowMatrix,
    indicators: &[(usize, usize)],
) -> Result<Vec<(usize, usize)>, LearnerError> {
    let m = matrix.dimension();
    // Of every indicator the column that it is of.
    let mut column_of = vec![usize::MAX; if indicators.is_empty() { 0 } else { m }];
    let mut is_taken = vec![false; column_of.len()];
    for &(column, indicator) in indicators {
        let refused = |reason| Err(LearnerError::BadIndicator { column, indicator, reason });
        if column >= m || indicator >= m {
            return refused("it is out of range");
        }
        for j in [column, indicator] {
            if is_taken[j] {
                return refused("a column is in two places");
            }
            is_taken[j] = true;
        }
        column_of[indicator] = column;
    }
    for x in matrix.iter().filter(|_| !indicators.is_empty()) {
        let mut fault = None;
        x.for_each(|indicator, x_k| {
            let column = column_of[indicator];
            if column == usize::MAX || x_k == 0.0 || fault.is_some() {
                return;
            }
            if x_k != 1.0 {
                fault = Some((column, indicator, "it is neither 0 nor 1"));
            } else if x.get(column).is_some_and(|x_j| x_j != 0.0) {
                fault = Some((column, indicator, "a missing value is not 0"));
            }
        });
        if let Some((column, indicator, reason)) = fault {
            return Err(LearnerError::BadIndicator { column, indicator, reason });
        }
    }
    let mut sorted = indicators.to_vec();
    sorted.sort_unstable();
    Ok(sorted)
}

/// The columns that may be split: those that are allowed, and the indicators of these. `None` for all.
pub(crate) fn with_indicators<'a>(
    columns: Option<&'a [bool]>,
    indicators: &[(usize, usize)],
    buffer: &'a mut Vec<bool>,
) -> Option<&'a [bool]> {
    let columns = columns?;
    if indicators.is_empty() {
        return Some(columns);
    }
    buffer.clear();
    buffer.extend_from_slice(columns);
    for (column, indicator) in indicators {
        buffer[*indicator] |= columns[*column];
    }
    Some(buffer)
}
