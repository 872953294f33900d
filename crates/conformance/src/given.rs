//! Hypotheses given by their answers on every example.

use super::code::Refusal;
use rows::{Row, RowMatrix};
use weak_learners::LearnerError;
use weak_learners::batch::{Hypothesis, SortedColumns, WeakLearner};

/// Example i is the i-th unit vector.
pub(super) fn one_example_a_coordinate(m: usize) -> Result<RowMatrix, Refusal> {
    let indices = (0..).take(m).collect();
    Ok(RowMatrix::sparse(m, (0..=m).collect(), indices, vec![1.0; m])?)
}

/// A hypothesis, as its given answers h(x_i).
#[derive(Clone)]
pub(super) struct Given(pub(super) Vec<f64>);

impl Hypothesis for Given {
    fn inputs(&self) -> usize {
        self.0.len()
    }

    fn predict(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        if x.dimension() != self.0.len() {
            return Err(LearnerError::InputDimension { expected: self.0.len(), got: x.dimension() });
        }
        Ok(x.dot(&self.0))
    }
}

/// The weak learner that returns the given hypotheses in order.
pub(super) struct GivenInOrder<'a>(std::slice::Iter<'a, Vec<f64>>);

impl<'a> GivenInOrder<'a> {
    pub(super) fn of(answers: &'a [Vec<f64>]) -> Self {
        Self(answers.iter())
    }
}

impl WeakLearner for GivenInOrder<'_> {
    type Sample = SortedColumns;
    type Hypothesis = Given;

    fn train(&mut self, _: &SortedColumns, _: &[f64], _: &[f64]) -> Result<Given, LearnerError> {
        self.0.next().cloned().map(Given).ok_or(LearnerError::Empty { argument: "H" })
    }
}
