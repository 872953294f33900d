//! The error of a run on a validation sample.

use super::run::check_predictions;
use super::{BoostError, Ensemble, Examples};
use crate::patience::Patience;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::{Hypothesis, Sample, WeakLearner};

/// The errors of the ensembles of 0, 1, … rounds on a validation sample, and the patience for no better one.
///
/// An error is the share of the validation examples' own D with a_i F(x_i) ≤ 0, so the error before any round
/// is 1. A round is better only where its error is smaller than all before. *Cost:* one evaluation of one
/// hypothesis a round; no hypothesis is evaluated twice. A validation is saved beside its run, and catches up
/// with a run that is ahead of it.
///
/// ```
/// use boosters::maboost::{Ensemble, Examples, Validation};
/// use rows::RowMatrix;
/// use weak_learners::Label::{Minus, Plus};
/// use weak_learners::batch::{ExactStump, SortedColumns, Stump};
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 3.0])?)?;
/// let mut validation = Validation::new(Examples::uniform(vec![Minus, Plus])?, 2)?;
/// let stumps = vec![Stump::new(1, 0, 2.0, Plus)?, Stump::constant(1, Plus)?];
/// let vote = Ensemble::new(stumps, vec![0.5, 0.75])?;
/// validation.follow(&ExactStump::default(), &vote, &sample)?;
/// assert_eq!(validation.errors(), [0.0, 0.5]);
/// assert_eq!((validation.best_round(), validation.is_over()), (1, false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct Validation {
    state: State,
    /// The score of a round is −error.
    patience: Patience,
    /// Working memory.
    votes: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    examples: Examples,
    patience: usize,
    /// a_i F(x_i), for the examples of positive weight.
    margins: Vec<f64>,
    errors: Vec<f64>,
}

impl Validation {
    /// Evaluates the hypotheses added since the last call; `sample` is the same in every call.
    ///
    /// # Errors
    /// A sample of another size than there are examples, an ensemble of fewer rounds than were followed, the
    /// errors of the weak learner's evaluation, a prediction outside \[−1, 1\]. The rounds before stay
    /// followed.
    pub fn follow<W: WeakLearner>(
        &mut self,
        learner: &W,
        ensemble: &Ensemble<W::Hypothesis>,
        sample: &W::Sample,
    ) -> Result<(), BoostError> {
        let (argument, expected) = ("validation sample", self.votes.len());
        if sample.size() != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got: sample.size() }.into());
        }
        let (followed, got) = (self.state.errors.len(), ensemble.coefficients().len());
        if got < followed {
            return Err(LearnerError::LengthMismatch { argument: "ensemble", expected: followed, got }.into());
        }
        for (h, eta) in ensemble.hypotheses().iter().zip(ensemble.coefficients()).skip(followed) {
            if h.inputs() != sample.inputs() {
                let (expected, got) = (h.inputs(), sample.inputs());
                return Err(LearnerError::InputDimension { expected, got }.into());
            }
            learner.evaluate(h, sample, &mut self.votes)?;
            check_predictions(&self.votes)?;
            self.book(*eta);
        }
        Ok(())
    }

    fn book(&mut self, eta: f64) {
        let State { examples, margins, errors, .. } = &mut self.state;
        for (margin, i) in margins.iter_mut().zip(examples.counted()) {
            *margin += eta * examples.labels()[i].sign() * self.votes[i];
        }
        let error = examples.share(|i| margins[i] <= 0.0);
        errors.push(error);
        self.patience.observe(errors.len(), Some(-error));
    }

    /// Whether the error has not fallen for as many rounds as the patience allows.
    pub fn is_over(&self) -> bool {
        self.patience.is_over(self.state.errors.len(), 0)
    }

    /// A validation before the first round; a patience of `usize::MAX` never ends.
    ///
    /// # Errors
    /// [`LearnerError::BadParameter`] for a patience of 0.
    pub fn new(examples: Examples, patience: usize) -> Result<Self, BoostError> {
        let margins = vec![0.0; examples.start().len()];
        State { examples, patience, margins, errors: Vec::new() }.try_into()
    }

    /// The round of least error, the first of equals; 0 if no error was below 1.
    pub fn best_round(&self) -> usize {
        self.patience.best().map_or(0, |(round, _)| round)
    }

    /// The least error so far.
    pub fn best_error(&self) -> f64 {
        self.patience.best().map_or(1.0, |(_, score)| -score)
    }

    /// The error after each round.
    pub fn errors(&self) -> &[f64] {
        &self.state.errors
    }

    /// The validation examples and their D.
    pub fn examples(&self) -> &Examples {
        &self.state.examples
    }
}

/// Compares all but the working memory.
impl PartialEq for Validation {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl From<Validation> for State {
    fn from(validation: Validation) -> Self {
        validation.state
    }
}

impl TryFrom<State> for Validation {
    type Error = BoostError;

    fn try_from(state: State) -> Result<Self, BoostError> {
        let Some(mut patience) = Patience::new(state.patience, 0) else {
            let (name, domain) = ("patience", Patience::DOMAIN);
            return Err(LearnerError::BadParameter { name, value: 0.0, domain }.into());
        };
        let (expected, got) = (state.examples.start().len(), state.margins.len());
        if got != expected {
            return Err(LearnerError::LengthMismatch { argument: "margins", expected, got }.into());
        }
        if let Some(&value) = state.errors.iter().find(|error| !(0.0..=1.0).contains(*error)) {
            return Err(LearnerError::BadParameter { name: "error", value, domain: "[0, 1]" }.into());
        }
        // Without any round every margin is 0, which is an error.
        for (round, error) in [1.0].iter().chain(&state.errors).enumerate() {
            patience.observe(round, Some(-error));
        }
        let votes = vec![0.0; state.examples.labels().len()];
        Ok(Self { state, patience, votes })
    }
}
