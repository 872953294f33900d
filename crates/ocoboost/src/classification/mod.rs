//! The judgement of a classifier on rows that it did not learn from.

mod binomial;

use crate::error::JobError;
use crate::numerals::{certainty, percent, thousands};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The most rows of a report: the time for an exact bound grows with their root.
const MOST_ROWS: u64 = 1 << 36;

/// The most classes of a classifier: with more, a column of numbers was taken for labels.
pub const MOST_CLASSES: usize = 256;

/// How rows of K classes were classified, against always answering one class.
///
/// The interval of the error is Clopper and Pearson's: exact, for rows drawn independently. The classifier is
/// better than the constant with the stated certainty where, among the rows that exactly one of the two
/// classifies rightly, its share is above ½ by the same bound (a sign test, one-sided).
///
/// ```
/// use ocoboost::ClassificationReport;
/// let mut report = ClassificationReport::new(2, 0, 0.05)?;
/// for (truth, answer, count) in [(0, 0, 60), (0, 1, 2), (1, 1, 30), (1, 0, 8)] {
///     (0..count).try_for_each(|_| report.add(truth, answer))?;
/// }
/// assert_eq!((report.rows(), report.errors(), report.constant_errors()), (100, 10, 38));
/// let error = report.error();
/// assert!(error.value == 0.1 && (0.04..0.06).contains(&error.lower) && (0.16..0.18).contains(&error.upper));
/// assert!(report.is_better());
/// # Ok::<(), ocoboost::JobError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct ClassificationReport {
    parts: Parts,
    /// The sum of the counts.
    rows: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    classes: usize,
    /// The class that is always answered.
    constant: u32,
    delta: f64,
    /// Rows by class and answer, class by class.
    counts: Vec<u64>,
}

/// A share of rows, with an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRate {
    /// The share.
    pub value: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
}

impl ClassificationReport {
    /// No rows yet, of so many classes. `constant` is the class to compare with, for example the commonest
    /// one of the rows that were learnt from; 1 − δ is the certainty of the interval.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for fewer than 2 classes or more than [`MOST_CLASSES`], a class outside, or a
    /// δ outside (0, 0.5].
    pub fn new(classes: usize, constant: u32, delta: f64) -> Result<Self, JobError> {
        // The length is bounded by the check of the number of classes.
        let cells = if classes <= MOST_CLASSES { classes * classes } else { 0 };
        Parts { classes, constant, delta, counts: vec![0; cells] }.try_into()
    }

    /// Another row.
    ///
    /// # Errors
    /// [`JobError::UnknownClass`]; [`JobError::BadSetting`] beyond 2^36 rows.
    pub fn add(&mut self, truth: u32, answer: u32) -> Result<(), JobError> {
        let classes = self.parts.classes;
        for class in [truth, answer] {
            if class as usize >= classes {
                return Err(JobError::UnknownClass { class, classes });
            }
        }
        if self.rows >= MOST_ROWS {
            let value = real(self.rows);
            return Err(JobError::BadSetting { name: "rows", value, domain: "[0, 2^36]" });
        }
        self.rows += 1;
        let cell = truth as usize * classes + answer as usize;
        if let Some(count) = self.parts.counts.get_mut(cell) {
            *count = count.saturating_add(1);
        }
        Ok(())
    }

    /// K.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.parts.classes
    }

    /// The class that is always answered for comparison.
    #[must_use]
    pub fn constant(&self) -> u32 {
        self.parts.constant
    }

    /// δ.
    #[must_use]
    pub fn delta(&self) -> f64 {
        self.parts.delta
    }

    /// The number of rows of a class that were answered by a class; 0 outside.
    #[must_use]
    pub fn count(&self, truth: usize, answer: usize) -> u64 {
        let classes = self.parts.classes;
        if truth >= classes || answer >= classes {
            return 0;
        }
        self.parts.counts.get(truth * classes + answer).copied().unwrap_or_default()
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows that were answered wrongly.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.rows() - (0..self.classes()).map(|class| self.count(class, class)).sum::<u64>()
    }

    /// Rows that the constant answer would get wrong.
    #[must_use]
    pub fn constant_errors(&self) -> u64 {
        let constant = self.parts.constant as usize;
        self.rows() - (0..self.classes()).map(|answer| self.count(constant, answer)).sum::<u64>()
    }

    /// The share of rows that were answered wrongly; the interval holds with certainty 1 − δ.
    #[must_use]
    pub fn error(&self) -> ErrorRate {
        let (errors, rows) = (self.errors(), self.rows());
        let [lower, upper] = binomial::bounds(errors, rows, 0.5 * self.delta());
        ErrorRate { value: share(errors, rows), lower, upper }
    }

    /// The share of rows that the constant answer would get wrong.
    #[must_use]
    pub fn constant_error(&self) -> f64 {
        share(self.constant_errors(), self.rows())
    }

    /// Whether the classifier is better than the constant answer, with certainty 1 − δ.
    #[must_use]
    pub fn is_better(&self) -> bool {
        let constant = self.parts.constant as usize;
        let others = (0..self.classes()).filter(|class| *class != constant);
        let gained: u64 = others.map(|class| self.count(class, class)).sum();
        let kept = self.count(constant, constant);
        let of_constant: u64 = (0..self.classes()).map(|answer| self.count(constant, answer)).sum();
        let lost = of_constant - kept;
        binomial::bounds(gained, gained.saturating_add(lost), self.delta())[0] > 0.5
    }

    /// What the rows show, in words. `which` says which rows these are, and may be empty; `name` says what a
    /// class is called.
    #[must_use]
    pub fn sentence(&self, which: &str, name: impl Fn(u32) -> String) -> String {
        let ErrorRate { value, lower, upper } = self.error();
        let mut text = String::new();
        // A string takes all that is written to it.
        let _ = write!(
            text,
            "On {} rows{}{which} {} are classified wrongly ({} to {} with {} certainty); always answering \
             {:?} is wrong on {}",
            thousands(self.rows()),
            if which.is_empty() { "" } else { " " },
            percent(value),
            percent(lower),
            percent(upper),
            certainty(self.delta()),
            name(self.constant()),
            percent(self.constant_error()),
        );
        text.push_str(if self.is_better() { "." } else { ", and the rows do not show that this is better." });
        text
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { real(part) / real(whole) }
}

#[allow(clippy::cast_precision_loss, reason = "a count of rows")]
fn real(count: u64) -> f64 {
    count as f64
}

impl From<ClassificationReport> for Parts {
    fn from(report: ClassificationReport) -> Self {
        report.parts
    }
}

impl TryFrom<Parts> for ClassificationReport {
    type Error = JobError;

    fn try_from(parts: Parts) -> Result<Self, JobError> {
        let Parts { classes, constant, delta, ref counts } = parts;
        if !(2..=MOST_CLASSES).contains(&classes) {
            return Err(JobError::Classes { classes, most: MOST_CLASSES });
        }
        if constant as usize >= classes {
            return Err(JobError::UnknownClass { class: constant, classes });
        }
        if !(delta > 0.0 && delta <= 0.5) {
            return Err(JobError::BadSetting { name: "delta", value: delta, domain: "(0, 0.5]" });
        }
        let (expected, got) = (classes * classes, counts.len());
        if got != expected {
            return Err(JobError::Length { column: "the table of counts", expected, got });
        }
        let rows = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        let Some(rows) = rows.filter(|rows| *rows <= MOST_ROWS) else {
            let (name, value, domain) = ("rows", f64::INFINITY, "[0, 2^36]");
            return Err(JobError::BadSetting { name, value, domain });
        };
        Ok(Self { parts, rows })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    fn report(counts: &[(u32, u32, u64)], classes: usize) -> ClassificationReport {
        let mut report = ClassificationReport::new(classes, 0, 0.05).unwrap();
        for (truth, answer, count) in counts {
            (0..*count).for_each(|_| report.add(*truth, *answer).unwrap());
        }
        report
    }

    #[test]
    fn better_than_the_constant_needs_rows() {
        // Of the rows on which the two differ, 5 of 5: (1/2)^5 is below 0.05.
        assert!(report(&[(0, 0, 50), (1, 1, 5)], 2).is_better());
        assert!(!report(&[(0, 0, 50), (1, 1, 4)], 2).is_better());
        assert!(!report(&[(0, 1, 5), (1, 1, 5)], 2).is_better());
        // A wrong answer to a row that the constant misses too is no loss.
        assert!(report(&[(1, 1, 5), (2, 1, 40)], 3).is_better());
        assert!(!report(&[], 2).is_better());
    }

    #[test]
    fn the_sentence_has_the_figures() {
        let report = report(&[(0, 0, 1100), (0, 1, 11), (1, 1, 120), (1, 0, 3)], 2);
        let text = report
            .sentence("that had no part in the choice", |class| ["no", "yes"][class as usize].to_owned());
        assert_eq!(
            text,
            "On 1,234 rows that had no part in the choice 1.1% are classified wrongly (0.6% to 1.9% with 95% \
             certainty); always answering \"no\" is wrong on 10.0%."
        );
    }

    #[test]
    fn counts_that_no_rows_make_are_refused() {
        let good = serde_json::to_value(report(&[(0, 1, 3)], 2)).unwrap();
        assert!(serde_json::from_value::<ClassificationReport>(good.clone()).is_ok());
        for (field, value) in [
            ("classes", serde_json::json!(3)),
            ("classes", serde_json::json!(usize::MAX)),
            ("constant", serde_json::json!(2)),
            ("delta", serde_json::json!(0.0)),
            ("counts", serde_json::json!([0, 0, 0])),
            ("counts", serde_json::json!([u64::MAX, 1, 0, 0])),
        ] {
            let mut bad = good.clone();
            bad[field] = value;
            assert!(serde_json::from_value::<ClassificationReport>(bad.clone()).is_err(), "{bad}");
        }
    }
}
