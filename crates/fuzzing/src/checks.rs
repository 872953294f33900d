//! The observations of a value in use: numbers and refusals in order, and the first violated law.

use super::verdict::{AnyError, Complaint};
use serde::Serialize;
use std::fmt::Display;

/// A record of one use.
#[derive(Debug, Default)]
pub struct Checks {
    seen: Vec<Seen>,
    complaint: Option<Complaint>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Bits(u64),
    Refusal(String),
}

impl Checks {
    /// Records a number that must be finite.
    pub fn number(&mut self, what: &str, value: f64) {
        if !value.is_finite() {
            self.complain("predictions are finite", || format!("{what} is {value}"));
        }
        self.any_number(value);
    }

    /// Records numbers that must be finite.
    pub fn numbers(&mut self, what: &str, values: &[f64]) {
        values.iter().for_each(|&value| self.number(what, value));
    }

    /// Records a number that may be infinite but not NaN, such as a sum of large numbers.
    pub fn extended(&mut self, what: &str, value: f64) {
        if value.is_nan() {
            self.complain("sums are numbers", || format!("{what} is {value}"));
        }
        self.any_number(value);
    }

    /// Records any number, such as a bound that may be infinite.
    pub fn any_number(&mut self, value: f64) {
        self.seen.push(Seen::Bits(value.to_bits()));
    }

    /// Records a probability distribution.
    pub fn distribution(&mut self, what: &str, values: &[f64]) {
        self.numbers(what, values);
        let sum: f64 = values.iter().sum();
        if values.iter().any(|&p| p < 0.0) || (sum - 1.0).abs() > 1e-6 {
            self.complain("probabilities sum to one", || format!("{what}: {values:?} sum to {sum}"));
        }
    }

    /// Records a law that must hold.
    pub fn holds(&mut self, law: &'static str, holds: bool, detail: impl Display) {
        if !holds {
            self.complain(law, || detail.to_string());
        }
    }

    /// Runs one step of a learner; a refused step must leave it unchanged.
    pub fn attempt<T: Serialize, E: Display>(
        &mut self,
        learner: &mut T,
        step: impl FnOnce(&mut T, &mut Self) -> Result<(), E>,
    ) {
        let before = serde_json::to_string(learner).ok();
        let Err(error) = step(learner, self) else { return };
        self.refused(&error);
        if before != serde_json::to_string(learner).ok() {
            self.complain("a refused step changes nothing", || error.to_string());
        }
    }

    /// Records a number or a refusal.
    pub fn outcome<E: Display>(&mut self, what: &str, outcome: Result<f64, E>) {
        match outcome {
            Ok(value) => self.number(what, value),
            Err(error) => self.refused(&error),
        }
    }

    /// Records a refusal and formats its message.
    pub fn refused(&mut self, error: &impl Display) {
        self.seen.push(Seen::Refusal(error.to_string()));
    }

    pub(super) fn end(&mut self, outcome: Result<(), AnyError>) {
        if let Err(error) = outcome {
            self.refused(&error);
        }
    }

    fn complain(&mut self, law: &'static str, detail: impl FnOnce() -> String) {
        if self.complaint.is_none() {
            self.complaint = Some(Complaint { law, detail: detail() });
        }
    }

    pub(super) fn take_complaint(&mut self) -> Option<Complaint> {
        self.complaint.take()
    }

    /// The first difference between two uses.
    pub(super) fn first_difference(&self, other: &Self) -> Option<(String, String)> {
        let longest = self.seen.len().max(other.seen.len());
        let at = (0..longest).find(|&k| self.seen.get(k) != other.seen.get(k))?;
        Some((format!("step {at}: {:?}", self.seen.get(at)), format!("{:?}", other.seen.get(at))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_complaint_is_kept_and_uses_are_compared_bit_for_bit() {
        let (mut one, mut two) = (Checks::default(), Checks::default());
        one.number("zero", 0.0);
        two.number("zero", -0.0);
        assert!(one.take_complaint().is_none());
        assert!(one.first_difference(&two).is_some(), "zeros of two signs are two numbers");
        one.distribution("p", &[0.5, 0.6]);
        one.number("y", f64::NAN);
        assert_eq!(one.take_complaint().map(|complaint| complaint.law), Some("probabilities sum to one"));
    }

    #[test]
    fn a_refused_step_that_changes_the_state_is_detected() {
        let mut checks = Checks::default();
        let mut state = 1;
        checks.attempt(&mut state, |_, _| Err::<(), _>("refused"));
        assert!(checks.take_complaint().is_none());
        checks.attempt(&mut state, |state, _| {
            *state = 2;
            Err::<(), _>("refused")
        });
        assert_eq!(
            checks.take_complaint().map(|complaint| complaint.law),
            Some("a refused step changes nothing")
        );
    }
}
