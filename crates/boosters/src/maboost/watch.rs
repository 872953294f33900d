//! A run of many rounds and its observers.

use super::{BoostError, BoostStop, BoostingRun, Reweighting, Stopping, Validation};
use core::time::Duration;
use std::fmt;
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::batch::{Sample, WeakLearner};

impl<W: WeakLearner, A: Reweighting> BoostingRun<W, A> {
    /// Plays rounds until there is a reason to stop, and returns it.
    ///
    /// # Errors
    /// [`BoostError::UnreachableAccuracy`] before any round, for a target below the reachable error, unless
    /// [any](Stopping::at_any_error) is allowed; the errors of a [`round`](Self::round). All rounds before
    /// are booked.
    pub fn run(&mut self, sample: &W::Sample, stopping: &Stopping) -> Result<BoostStop, BoostError> {
        self.run_watched(sample, stopping, Watch::default())
    }

    /// As [`run`](Self::run), while time is taken, a validation sample is followed or somebody looks on.
    ///
    /// # Errors
    /// As [`run`](Self::run), and the errors of [`Validation::follow`](super::Validation::follow).
    pub fn run_watched(
        &mut self,
        sample: &W::Sample,
        stopping: &Stopping,
        mut watch: Watch<'_, W, A>,
    ) -> Result<BoostStop, BoostError> {
        let reachable = self.algorithm().reachable_error();
        stopping.check_target(reachable)?;
        watch.follow(self)?;
        loop {
            if let Some(stop) = stopping.reached(self.error(), reachable, self.record().len()) {
                return Ok(stop);
            }
            if let Some(stop) = watch.reached(sample)? {
                return Ok(stop);
            }
            if let ControlFlow::Break(stop) = self.round(sample)? {
                return Ok(stop);
            }
            watch.follow(self)?;
            if watch.ends(self, sample)? {
                return Ok(BoostStop::Watcher);
            }
        }
    }
}

/// The caller's clock: the time since the caller began to count.
type Clock<'a> = &'a mut dyn FnMut() -> Duration;

/// The caller's function of the run and its validation, called after each round.
type Watcher<'a, W, A> = &'a mut dyn FnMut(&BoostingRun<W, A>, Option<&Validation>) -> ControlFlow<()>;

/// The observers of a run: a validation sample, the caller's clock, the caller.
///
/// It reads no clock of its own, so that a run depends on its arguments alone.
///
/// *Ranks:* where the sample is that of a rank, every rank has the same kinds of observers, and the run ends
/// on all ranks when the clock or the watcher of any of them ends it: a message of 8 bytes a round for each
/// of the two.
///
/// ```
/// use boosters::maboost::{AdaBoost, BoostingRun, Examples, BoostStop, Stopping, Validation, Watch};
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
/// assert_eq!(run.run_watched(&sample, &Stopping::after(100), watch)?, BoostStop::Patience);
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
    /// Follows the run on a validation sample, the same in every round, and ends it when the patience is
    /// exhausted.
    #[must_use]
    pub fn validating(self, validation: &'a mut Validation, sample: &'a W::Sample) -> Self {
        Self { validation: Some((validation, sample)), ..self }
    }

    /// Ends the run once `elapsed` returns `budget` or more.
    #[must_use]
    pub fn within(self, budget: Duration, elapsed: Clock<'a>) -> Self {
        Self { clock: Some((budget, elapsed)), ..self }
    }

    /// Calls `watcher` with the run after each round. It may draw a curve, save the run, or end it.
    #[must_use]
    pub fn showing(self, watcher: Watcher<'a, W, A>) -> Self {
        Self { watcher: Some(watcher), ..self }
    }

    fn follow(&mut self, run: &BoostingRun<W, A>) -> Result<(), BoostError> {
        match &mut self.validation {
            Some((validation, sample)) => validation.follow(run.learner(), run.ensemble(), sample),
            None => Ok(()),
        }
    }

    fn reached(&mut self, sample: &W::Sample) -> Result<Option<BoostStop>, LearnerError> {
        if self.validation.as_ref().is_some_and(|(validation, _)| validation.is_over()) {
            return Ok(Some(BoostStop::Patience));
        }
        let Some((budget, elapsed)) = &mut self.clock else { return Ok(None) };
        Ok(on_any_rank(sample, elapsed() >= *budget)?.then_some(BoostStop::TimeBudget))
    }

    /// Whether the watcher ends the run.
    fn ends(&mut self, run: &BoostingRun<W, A>, sample: &W::Sample) -> Result<bool, LearnerError> {
        let validation = self.validation.as_ref().map(|(validation, _)| &**validation);
        let Some(watcher) = &mut self.watcher else { return Ok(false) };
        on_any_rank(sample, watcher(run, validation).is_break())
    }
}

/// Whether it is so on any of the ranks that share the sample, so that all of them end after the same round.
fn on_any_rank(sample: &impl Sample, here: bool) -> Result<bool, LearnerError> {
    match sample.shard() {
        None => Ok(here),
        Some(shard) => Ok(shard.ranks().any(here)?),
    }
}

/// Without observers.
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
