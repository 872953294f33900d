//! What looks on while a run is played.

use super::{BoostError, BoostingRun, Reweighting, Stop, Validation};
use core::time::Duration;
use std::fmt;
use std::ops::ControlFlow;
use weak_learners::batch::WeakLearner;

/// The caller's clock: the time since the caller began to count.
type Clock<'a> = &'a mut dyn FnMut() -> Duration;

/// Whoever looks at the run, and at the validation if there is one, after each round.
type Watcher<'a, W, A> = &'a mut dyn FnMut(&BoostingRun<W, A>, Option<&Validation>) -> ControlFlow<()>;

/// What looks on while a run is played: a validation sample, the caller's clock, the caller.
///
/// Nothing here reads a clock of its own, so that a run depends on its arguments alone.
///
/// ```
/// use boosters::maboost::{AdaBoost, BoostingRun, Examples, Stop, Stopping, Validation, Watch};
/// use rows::RowMatrix;
/// use std::{ops::ControlFlow, time::Duration};
/// use weak_learners::Label::{Minus, Plus};
/// use weak_learners::batch::{ExactStump, SortedColumns};
/// let column = |values: &[f64]| SortedColumns::new(RowMatrix::dense(1, values.to_vec())?);
/// let (sample, later) = (column(&[1.0, 2.0, 3.0, 4.0])?, column(&[0.5, 4.5])?);
/// let examples = Examples::uniform(vec![Plus, Minus, Plus, Minus])?;
/// let ada = AdaBoost::new(&examples)?;
/// let mut run = BoostingRun::new(examples, ExactStump::default(), ada)?;
///
/// let mut validation = Validation::new(Examples::uniform(vec![Plus, Minus])?, 20)?;
/// let mut seconds = 0;
/// let mut clock = || {
///     seconds += 1; // a program has an `Instant` and answers `began.elapsed()`
///     Duration::from_secs(seconds)
/// };
/// let mut progress = |run: &BoostingRun<_, _>, seen: Option<&Validation>| {
///     println!("round {}: {:.3} {:?}", run.record().len(), run.error(), seen.map(Validation::errors));
///     ControlFlow::Continue(())
/// };
/// let watch = Watch::default()
///     .validating(&mut validation, &later)
///     .within(Duration::from_secs(60), &mut clock)
///     .showing(&mut progress);
/// assert_eq!(run.run_watched(&sample, &Stopping::after(100), watch)?, Stop::Patience);
/// let kept = run.into_ensemble().truncated(validation.best_round());
/// assert_eq!((kept.hypotheses().len(), validation.best_error()), (1, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Watch<'a, W: WeakLearner, A> {
    validation: Option<(&'a mut Validation, &'a W::Sample)>,
    clock: Option<(Duration, Clock<'a>)>,
    watcher: Option<Watcher<'a, W, A>>,
}

impl<'a, W: WeakLearner, A: Reweighting> Watch<'a, W, A> {
    /// Follows the run on another sample of the weak learner's, the same in every round, and ends it when patience
    /// does.
    #[must_use]
    pub fn validating(self, validation: &'a mut Validation, sample: &'a W::Sample) -> Self {
        Self { validation: Some((validation, sample)), ..self }
    }

    /// Plays no round once `elapsed` says `budget` or more.
    #[must_use]
    pub fn within(self, budget: Duration, elapsed: Clock<'a>) -> Self {
        Self { clock: Some((budget, elapsed)), ..self }
    }

    /// Shows the run after each round to `watcher`, who may draw a curve, save the run, or break it off.
    #[must_use]
    pub fn showing(self, watcher: Watcher<'a, W, A>) -> Self {
        Self { watcher: Some(watcher), ..self }
    }

    pub(super) fn follow(&mut self, run: &BoostingRun<W, A>) -> Result<(), BoostError> {
        match &mut self.validation {
            Some((validation, sample)) => validation.follow(run.learner(), run.ensemble(), sample),
            None => Ok(()),
        }
    }

    pub(super) fn reached(&mut self) -> Option<Stop> {
        if self.validation.as_ref().is_some_and(|(validation, _)| validation.is_over()) {
            return Some(Stop::Patience);
        }
        let is_up = self.clock.as_mut().is_some_and(|(budget, elapsed)| elapsed() >= *budget);
        is_up.then_some(Stop::TimeBudget)
    }

    pub(super) fn shows(&mut self, run: &BoostingRun<W, A>) -> ControlFlow<()> {
        let validation = self.validation.as_ref().map(|(validation, _)| &**validation);
        self.watcher.as_mut().map_or(ControlFlow::Continue(()), |watcher| watcher(run, validation))
    }
}

/// Nobody looks on.
impl<W: WeakLearner, A> Default for Watch<'_, W, A> {
    fn default() -> Self {
        Self { validation: None, clock: None, watcher: None }
    }
}

impl<W: WeakLearner, A> fmt::Debug for Watch<'_, W, A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let validation = self.validation.as_ref().map(|(validation, _)| validation);
        let budget = self.clock.as_ref().map(|(budget, _)| budget);
        let fields = (validation, budget, self.watcher.is_some());
        let mut watch = out.debug_struct("Watch");
        watch.field("validation", &fields.0).field("budget", &fields.1).field("is_shown", &fields.2).finish()
    }
}
