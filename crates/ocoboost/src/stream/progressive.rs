//! The error of predictions that were made before they were learnt from.

use crate::error::JobError;
use serde::{Deserialize, Serialize};

/// Counts of a stream so far \[BKL99\]: every example is predicted before it is learnt from, so the share of
/// mistakes is that on rows that were not seen, at no cost in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct ProgressiveError {
    parts: Parts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Parts {
    examples: u64,
    mistakes: u64,
    /// Rows without a label.
    unlabelled: u64,
    /// Examples of either class.
    of_class: [u64; 2],
    /// The mistakes of the class that was commonest so far.
    of_commonest: u64,
    /// The counts when the last line was due, and the examples at which the next one is.
    shown: [u64; 2],
    next: u64,
}

/// A line of the table that is due at 1, 2, 4, 8, … examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProgressLine {
    /// The share of mistakes so far.
    pub average: f64,
    /// The same since the line before.
    pub since: f64,
    /// The examples so far.
    pub examples: u64,
    /// The class of the last one.
    pub label: u32,
    /// What was predicted; `None` before any class was known.
    pub predicted: Option<u32>,
}

/// Below 2^53 every count is a double.
const MOST: u64 = 1 << 52;

impl Default for ProgressiveError {
    fn default() -> Self {
        let (examples, mistakes, unlabelled, of_commonest) = (0, 0, 0, 0);
        let (of_class, shown) = ([0, 0], [0, 0]);
        Self { parts: Parts { examples, mistakes, unlabelled, of_class, of_commonest, shown, next: 1 } }
    }
}

impl ProgressiveError {
    /// The examples, rows with a label.
    #[must_use]
    pub fn examples(&self) -> u64 {
        self.parts.examples
    }

    /// Those that were predicted wrongly.
    #[must_use]
    pub fn mistakes(&self) -> u64 {
        self.parts.mistakes
    }

    /// Rows without a label, which were predicted and not learnt from.
    #[must_use]
    pub fn unlabelled(&self) -> u64 {
        self.parts.unlabelled
    }

    /// The share of mistakes; 0 without examples.
    #[must_use]
    pub fn average(&self) -> f64 {
        share(self.parts.mistakes, self.parts.examples)
    }

    /// The share of mistakes of always predicting the class that was commonest so far.
    #[must_use]
    pub fn of_commonest(&self) -> f64 {
        share(self.parts.of_commonest, self.parts.examples)
    }

    /// The class that is commonest so far, the first of equals.
    #[must_use]
    pub fn commonest(&self) -> u32 {
        u32::from(self.parts.of_class[1] > self.parts.of_class[0])
    }

    pub(super) fn skip(&mut self) {
        self.parts.unlabelled = self.parts.unlabelled.saturating_add(1);
    }

    /// Counts an example; a line where one is due.
    pub(super) fn count(&mut self, label: u32, predicted: Option<u32>) -> Option<ProgressLine> {
        // Before any example nothing is the commonest.
        let is_common = self.parts.examples > 0 && self.commonest() == label;
        let parts = &mut self.parts;
        if parts.examples >= MOST {
            return None;
        }
        parts.examples += 1;
        parts.mistakes += u64::from(predicted != Some(label));
        parts.of_commonest += u64::from(!is_common);
        parts.of_class[usize::from(label > 0)] += 1;
        if parts.examples < parts.next {
            return None;
        }
        let line = self.line(label, predicted);
        self.parts.shown = [self.parts.examples, self.parts.mistakes];
        self.parts.next = self.parts.examples.saturating_mul(2);
        Some(line)
    }

    fn line(&self, label: u32, predicted: Option<u32>) -> ProgressLine {
        let Parts { examples, mistakes, shown: [before, wrong], .. } = self.parts;
        let since = share(mistakes - wrong, examples - before);
        ProgressLine { average: self.average(), since, examples, label, predicted }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts below 2^53")]
    let share = part as f64 / whole.max(1) as f64;
    share
}

impl From<ProgressiveError> for Parts {
    fn from(error: ProgressiveError) -> Self {
        error.parts
    }
}

impl TryFrom<Parts> for ProgressiveError {
    type Error = JobError;

    fn try_from(parts: Parts) -> Result<Self, JobError> {
        let Parts { examples, mistakes, of_class: [first, second], of_commonest, shown, next, .. } = parts;
        let is_sound = examples <= MOST
            && first.checked_add(second) == Some(examples)
            && mistakes <= examples
            && of_commonest <= examples
            && shown[0] <= examples
            && shown[1] <= mistakes
            && next > examples;
        #[allow(clippy::cast_precision_loss, reason = "for a message")]
        let value = examples as f64;
        let (name, domain) = ("examples", "counts that a stream leads to");
        if is_sound { Ok(Self { parts }) } else { Err(JobError::BadSetting { name, value, domain }) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    #[test]
    fn lines_are_due_at_doubling_counts() {
        let mut error = ProgressiveError::default();
        let mut lines = Vec::new();
        for i in 0..10_u32 {
            // The first prediction is none, and every third is wrong.
            let predicted = (i > 0).then_some(u32::from(i % 3 == 0));
            lines.extend(error.count(0, predicted));
        }
        let found: Vec<_> = lines.iter().map(|line| (line.examples, line.average, line.since)).collect();
        assert_eq!(found, [(1, 1.0, 1.0), (2, 0.5, 0.0), (4, 0.5, 0.5), (8, 0.375, 0.25)]);
        assert_eq!((lines[0].predicted, lines[2].predicted, lines[2].label), (None, Some(1), 0));
        assert_eq!((error.examples(), error.mistakes(), error.average()), (10, 4, 0.4));
    }

    #[test]
    fn the_commonest_class_so_far_is_the_measure() {
        let mut error = ProgressiveError::default();
        // Wrong: the first, and those against the majority before them; of a tie it is class 0.
        for label in [1, 1, 0, 0, 0, 1, 0] {
            error.count(label, Some(label));
        }
        assert_eq!((error.mistakes(), error.of_commonest()), (0, 4.0 / 7.0));
        assert_eq!(error.commonest(), 0);
        error.skip();
        assert_eq!((error.unlabelled(), error.examples()), (1, 7));
    }

    #[test]
    fn counts_that_no_stream_leads_to_are_refused() {
        let mut error = ProgressiveError::default();
        for i in 0..5 {
            error.count(i % 2, Some(0));
        }
        let good = serde_json::to_value(error).unwrap();
        assert_eq!(serde_json::from_value::<ProgressiveError>(good.clone()).unwrap(), error);
        for (field, value) in [
            ("examples", serde_json::json!(6)),
            ("mistakes", serde_json::json!(6)),
            ("of_class", serde_json::json!([u64::MAX, 6])),
            ("shown", serde_json::json!([4, 3])),
            ("next", serde_json::json!(5)),
        ] {
            let mut bad = good.clone();
            bad[field] = value;
            assert!(serde_json::from_value::<ProgressiveError>(bad.clone()).is_err(), "{bad}");
        }
    }
}
