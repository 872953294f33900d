//! A run of many rounds, and what ends it.

use super::{BoplError, PolicyBoosting, PolicyObjective, Stop, Validation};
use std::ops::ControlFlow;
use weak_learners::pairs::PairLearner;

impl<O: PolicyObjective, L: PairLearner<Hypothesis: Sync>> PolicyBoosting<O, L> {
    /// Plays rounds until there is a reason to stop, and says which one it was.
    ///
    /// `rounds` counts from the run's first round on, so that a run that was stopped in between goes on under the same
    /// rule. The validation follows the run and ends it when its patience does, which counts
    /// from the run's first round on as well: rounds of an ensemble that it started at try none of it. `watch` sees the run and the validation
    /// after each round: it may draw progress, save a [`checkpoint`](Self::checkpoint) every so many rounds, or break
    /// off.
    ///
    /// ```
    /// use boosters::bopl::{BoplS, PolicyBoosting, Settings, Smoothness, Step, Stop, Validation};
    /// use off_policy::{Log, Rewards};
    /// use rows::RowMatrix;
    /// use std::ops::ControlFlow;
    /// use weak_learners::batch::SortedColumns;
    /// use weak_learners::pairs::{ExactPairTree, PairGrowth};
    /// let contexts = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0])?;
    /// let log = |rewards| Log::new(contexts.clone(), 2, vec![0, 1, 0, 1], vec![0.5; 4], Rewards(rewards));
    /// let (train, held_out) = (log(vec![1.0, 0.5, 0.0, 1.0])?, log(vec![1.0, 0.0, 0.0, 1.0])?);
    /// let columns = SortedColumns::new(contexts.clone())?;
    /// let settings = Settings::builder().build()?;
    /// let learner = ExactPairTree::new(PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build()?);
    /// let mut run = PolicyBoosting::<BoplS, _>::new(&train, learner, settings)?;
    ///
    /// let mut validation = Validation::builder(&held_out).patience(5).build()?;
    /// let mut saved = Vec::new();
    /// let stop = run.run_rounds(&columns, 40, Some(&mut validation), |run, _| {
    ///     if run.record().len() % 10 == 0 {
    ///         saved.push(run.checkpoint()); // a program writes it to a file
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(matches!(stop, Stop::Rounds | Stop::Patience));
    /// assert_eq!(saved.len(), run.record().len() / 10);
    /// let kept = run.ensemble().prefix(validation.best_round());
    /// assert!(kept.len() <= run.record().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What a [`round`](Self::round) and [`Validation::follow`] refuse, with all rounds before it booked.
    pub fn run_rounds(
        &mut self,
        contexts: &L::Contexts,
        rounds: usize,
        mut validation: Option<&mut Validation<'_>>,
        mut watch: impl FnMut(&Self, Option<&Validation<'_>>) -> ControlFlow<()>,
    ) -> Result<Stop, BoplError> {
        loop {
            if let Some(validation) = &mut validation {
                validation.follow(self.ensemble())?;
                // A warm start inherits predictors, and with them no impatience.
                if validation.is_over_since(self.ensemble().len() - self.record().len()) {
                    return Ok(Stop::Patience);
                }
            }
            if self.record().len() >= rounds {
                return Ok(Stop::Rounds);
            }
            if let ControlFlow::Break(stop) = self.round(contexts)? {
                return Ok(stop);
            }
            if let Some(validation) = &mut validation {
                validation.follow(self.ensemble())?;
            }
            if watch(self, validation.as_deref()).is_break() {
                return Ok(Stop::Watcher);
            }
        }
    }
}
