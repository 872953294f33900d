//! The choice among candidates by progressive validation \[BKL99\].

use crate::requirements::check_classifiers;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

/// A choice among classifiers that all learn every example: the vote is that of the candidate with the fewest
/// mistakes so far, each counted before the candidate learnt from the example \[BKL99\]; the first of equals.
///
/// It chooses an unknown advantage γ: [`over_advantages`](Self::over_advantages).
///
/// *Guarantee.* On every sequence, with K candidates of which the best makes M mistakes, it makes at most
/// K(M + 1) − 1 (`tests/agnostic/chooser.rs`). A mistake raises the count of a leader, and a candidate errs
/// at most once as leader with a given count. For independent examples the counts are the candidates'
/// progressive validation errors, as close to their true errors as a hold-out of that size \[BKL99\].
/// *Shapes:* that of the candidates, one output. *Cost:* a vote and an update of every candidate a round, a
/// prediction that of one; no allocation. *Errors:* an example that one candidate refuses updates none.
///
/// ```
/// use boosters::agnostic::ProgressiveChoice;
/// use rows::Row;
/// use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};
///
/// /// Votes the same for ever.
/// struct Always(Label);
/// impl OnlinePredictor<Label> for Always {
///     fn shape(&self) -> Shape { Shape { inputs: 1, outputs: 1 } }
///     fn predict(&mut self, _: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
///         Ok(y.fill(self.0.sign()))
///     }
///     fn accepts(&self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> { Ok(()) }
///     fn update(&mut self, _: Row<'_>, _: &Label) -> Result<(), LearnerError> { Ok(()) }
/// }
///
/// let mut choice = ProgressiveChoice::new(vec![Always(Label::Minus), Always(Label::Plus)])?;
/// let x = Row::dense(&[1.0])?;
/// assert_eq!(choice.round(x, Label::Plus)?, Label::Minus); // a tie is the first's
/// assert_eq!(choice.vote(x)?, Label::Plus);
/// assert_eq!((choice.leader(), choice.mistakes()), (1, &[1, 0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<P>",
    into = "State<P>",
    bound(serialize = "P: Clone + Serialize", deserialize = "P: Deserialize<'de> + OnlinePredictor<Label>")
)]
pub struct ProgressiveChoice<P> {
    state: State<P>,
    leader: usize,
    /// Which candidates err in the current round.
    errs: Vec<bool>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<P> {
    candidates: Vec<P>,
    mistakes: Vec<u64>,
}

impl<P: OnlinePredictor<Label>> OnlinePredictor<Label> for ProgressiveChoice<P> {
    fn shape(&self) -> Shape {
        self.state.candidates[self.leader].shape()
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        self.state.candidates[self.leader].predict(x, y)
    }

    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.state.candidates.iter().try_for_each(|candidate| candidate.accepts(x, y))
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.accepts(x, y)?;
        let State { candidates, mistakes } = &mut self.state;
        self.errs.clear();
        for candidate in candidates.iter_mut() {
            self.errs.push(candidate.vote(x)? != *y);
        }
        for candidate in candidates.iter_mut() {
            candidate.update(x, y)?;
        }
        for (mistakes, errs) in mistakes.iter_mut().zip(&self.errs) {
            *mistakes = mistakes.saturating_add(u64::from(*errs));
        }
        self.leader = fewest(mistakes);
        Ok(())
    }
}

impl<P: OnlinePredictor<Label>> ProgressiveChoice<P> {
    /// A choice among candidates of one shape with one vote, before the first mistake.
    ///
    /// # Errors
    /// No candidate, candidates for different rows, or one with several outputs.
    pub fn new(candidates: Vec<P>) -> Result<Self, LearnerError> {
        let mistakes = vec![0; candidates.len()];
        State { candidates, mistakes }.try_into()
    }

    /// A choice among the candidates `build(γ)`, for each γ of a grid, for example 1, ½, ¼, …
    ///
    /// # Errors
    /// As [`new`](Self::new), or what `build` refuses.
    pub fn over_advantages(
        grid: &[f64],
        build: impl FnMut(f64) -> Result<P, LearnerError>,
    ) -> Result<Self, LearnerError> {
        Self::new(grid.iter().copied().map(build).collect::<Result<_, _>>()?)
    }

    /// The position of the candidate that votes.
    pub fn leader(&self) -> usize {
        self.leader
    }

    /// The mistakes of every candidate so far.
    pub fn mistakes(&self) -> &[u64] {
        &self.state.mistakes
    }

    /// The candidates.
    pub fn candidates(&self) -> &[P] {
        &self.state.candidates
    }
}

/// The first position of the least count; 0 for no counts.
fn fewest(mistakes: &[u64]) -> usize {
    (0..mistakes.len()).min_by_key(|candidate| mistakes[*candidate]).unwrap_or(0)
}

impl<P> From<ProgressiveChoice<P>> for State<P> {
    fn from(choice: ProgressiveChoice<P>) -> Self {
        choice.state
    }
}

impl<P: OnlinePredictor<Label>> TryFrom<State<P>> for ProgressiveChoice<P> {
    type Error = LearnerError;

    fn try_from(state: State<P>) -> Result<Self, LearnerError> {
        check_classifiers("candidates", &state.candidates)?;
        let (expected, got) = (state.candidates.len(), state.mistakes.len());
        if got != expected {
            return Err(LearnerError::LengthMismatch { argument: "mistakes", expected, got });
        }
        Ok(Self { leader: fewest(&state.mistakes), errs: Vec::with_capacity(expected), state })
    }
}
