//! Why a run ends.

use serde::{Deserialize, Serialize};

/// Why no further round is played.
///
/// A run that ends early has its reasons, so who runs one looks at them:
///
/// ```
/// #![deny(unused_must_use)]
/// # use boosters::maboost::{AdaBoost, BoostError, BoostingRun, Examples, Stop, Stopping};
/// # use weak_learners::batch::{ExactStump, SortedColumns};
/// fn play(run: &mut BoostingRun<ExactStump, AdaBoost>, sample: &SortedColumns) -> Result<bool, BoostError> {
///     let why = run.run(sample, &Stopping::after(200))?;
///     Ok(why == Stop::Rounds)
/// }
/// ```
///
/// Without a look at them the same does not compile:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # use boosters::maboost::{AdaBoost, BoostError, BoostingRun, Examples, Stop, Stopping};
/// # use weak_learners::batch::{ExactStump, SortedColumns};
/// fn play(run: &mut BoostingRun<ExactStump, AdaBoost>, sample: &SortedColumns) -> Result<bool, BoostError> {
///     run.run(sample, &Stopping::after(200))?;
///     Ok(true)
/// }
/// ```
#[must_use = "a run may end long before its rounds are played"]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// The weak learner found nothing with a positive edge, nor, in a symmetric class, with a negative one.
    NoEdge,
    /// No example has a margin of 0 or less, and the algorithm's step is proportional to their share.
    NoError,
    /// The last hypothesis was right on every example, and the algorithm's step for that is infinite.
    Perfect,
    /// The training error is at most the target.
    TargetError,
    /// The training error is at most 1/k, below which the algorithm promises nothing, and the run was
    /// [told](super::Stopping::at_reachable_error) to end there. Further rounds may still lower it, and the error on other
    /// rows.
    ReachableError,
    /// The validation error has not fallen for as many rounds as there was patience for.
    Patience,
    /// The rounds are played.
    Rounds,
    /// The time is up.
    TimeBudget,
    /// Whoever watched the run broke it off.
    Watcher,
}
