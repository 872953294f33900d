//! The doubling trick: a learner with a tuned step, for an unknown horizon.

use crate::{OcoError, OnlineLearner, Restart};
use projections::ProjectionError;
use serde::{Deserialize, Serialize};

/// Restarts a learner in epochs of 1, 2, 4, … rounds, with the step `scale`/√(2^m) in epoch m = 0, 1, …
///
/// *Guarantee* \[SS12, §2.3.1\]: if the learner with the step `scale`/√T has regret at most C√T in each of
/// its first T rounds, the regret is at most √2/(√2 − 1)·C√T at every T. If the learner's bound holds in
/// expectation, so does this one. Asserted every round in `tests/doubling.rs`, also against an adversary.
/// *Cost:* the learner's; no allocation after the first round.
/// *Errors:* as the learner's.
///
/// ```
/// use oco_core::{OnlineLearner, StepSchedule, learners::{Doubling, Ogd}, regret::LinearRegret};
/// use projections::BoxSet;
/// let interval = BoxSet::interval(-1.0, 1.0)?;
/// // η = D/(G√T) with D = 2 and G = 1, for which C = DG.
/// let ogd = Ogd::new(interval.clone(), 1, StepSchedule::constant(1.0)?)?;
/// let mut learner = Doubling::new(ogd, 2.0)?;
/// let mut account = LinearRegret::new(1)?;
/// for t in 1..=1000_u32 {
///     let g = [if t % 5 < 2 { -1.0 } else { 1.0 }];
///     account.record(&g, learner.play())?;
///     learner.observe(&g)?;
///     let price = 2.0_f64.sqrt() / (2.0_f64.sqrt() - 1.0);
///     assert!(account.regret(&interval)?.value <= price * 2.0 * f64::from(t).sqrt());
/// }
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<L>",
    into = "State<L>",
    bound(serialize = "L: Clone + Serialize", deserialize = "L: Restart + Clone + Deserialize<'de>")
)]
pub struct Doubling<L> {
    state: State<L>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<L> {
    learner: L,
    scale: f64,
    /// m.
    epoch: u32,
    /// Rounds of the epoch that are over, below 2^m unless the epoch is the last.
    rounds: u64,
}

/// The last epoch begins after 2^63 − 1 rounds and never ends.
const LAST_EPOCH: u32 = 63;

impl<L: Restart> OnlineLearner for Doubling<L> {
    fn play(&self) -> &[f64] {
        self.state.learner.play()
    }

    fn observe(&mut self, gradient: &[f64]) -> Result<(), OcoError> {
        let State { learner, scale, epoch, rounds } = &mut self.state;
        learner.observe(gradient)?;
        *rounds = rounds.saturating_add(1);
        if *rounds == 1 << *epoch && *epoch < LAST_EPOCH {
            (*epoch, *rounds) = (*epoch + 1, 0);
            // The constructor has checked the largest and the smallest of these steps.
            learner.restart(step(*scale, *epoch))?;
        }
        Ok(())
    }

    /// Epoch 0 again, in which the learner is restarted.
    fn reset(&mut self) {
        let State { learner, scale, epoch, rounds } = &mut self.state;
        (*epoch, *rounds) = (0, 0);
        learner.reset();
        let _ = learner.restart(*scale);
    }
}

/// `scale`/√(2^m).
fn step(scale: f64, epoch: u32) -> f64 {
    scale * 0.5_f64.powi(epoch.cast_signed()).sqrt()
}

impl<L: Restart + Clone> Doubling<L> {
    /// Resets the learner and restarts it for the first epoch. `scale` is the step for a horizon of one
    /// round.
    ///
    /// # Errors
    /// A step of the first or of the last epoch that the learner refuses.
    pub fn new(mut learner: L, scale: f64) -> Result<Self, OcoError> {
        learner.reset();
        learner.restart(scale)?;
        State { learner, scale, epoch: 0, rounds: 0 }.try_into()
    }
}

impl<L> Doubling<L> {
    /// The learner inside.
    pub fn learner(&self) -> &L {
        &self.state.learner
    }

    /// 2^m, the length of the current epoch.
    pub fn horizon(&self) -> u64 {
        1 << self.state.epoch
    }
}

impl<L> From<Doubling<L>> for State<L> {
    fn from(doubling: Doubling<L>) -> Self {
        doubling.state
    }
}

impl<L: Restart + Clone> TryFrom<State<L>> for Doubling<L> {
    type Error = OcoError;

    fn try_from(state: State<L>) -> Result<Self, OcoError> {
        let mut trial = state.learner.clone();
        trial.restart(state.scale)?;
        trial.restart(step(state.scale, LAST_EPOCH))?;
        if state.epoch > LAST_EPOCH {
            let (name, domain) = ("epoch", "0..=63");
            return Err(ProjectionError::BadParameter { name, value: state.epoch.into(), domain }.into());
        }
        if state.epoch < LAST_EPOCH && state.rounds >= 1 << state.epoch {
            let (name, domain) = ("rounds of the epoch", "[0, 2^epoch)");
            // For display only.
            #[allow(clippy::cast_precision_loss, reason = "part of a message")]
            let value = state.rounds as f64;
            return Err(ProjectionError::BadParameter { name, value, domain }.into());
        }
        let eta = state.learner.step();
        if eta != Some(step(state.scale, state.epoch)) {
            let (name, domain) = ("saved step", "scale/√(2^epoch)");
            let value = eta.unwrap_or(f64::NAN);
            return Err(ProjectionError::BadParameter { name, value, domain }.into());
        }
        Ok(Self { state })
    }
}
