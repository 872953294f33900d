//! A weak learner that keeps what it was taught, for all tests of boosters.

use rows::Row;
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// An example as a learner saw it.
pub(crate) type Lesson = (Vec<f64>, Label);

/// A learner that keeps what it was taught.
#[derive(Clone)]
pub(crate) struct Recording<W> {
    learner: W,
    pub(crate) taught: Vec<Lesson>,
}

impl<W> Recording<W> {
    pub(crate) fn of(learners: Vec<W>) -> Vec<Self> {
        learners.into_iter().map(|learner| Self { learner, taught: Vec::new() }).collect()
    }
}

impl<W: OnlinePredictor<Label>> OnlinePredictor<Label> for Recording<W> {
    fn shape(&self) -> Shape {
        self.learner.shape()
    }
    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        self.learner.predict(x, y)
    }
    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.learner.accepts(x, y)
    }
    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.learner.update(x, y)?;
        self.taught.push((x.to_dense(), *y));
        Ok(())
    }
}
