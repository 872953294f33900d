//! The running record of a regret: learner, comparator and bound at chosen rounds.

use super::Regret;
use crate::OcoError;
use crate::regret::is_milestone;
use projections::{ProjectionError, check_finite};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The rounds at which a [`RegretRecord`] takes a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rounds {
    /// Those with at most four significant binary digits ([`is_milestone`]): O(log T) points.
    Milestones,
    /// 1, 2, 4, 8, …
    PowersOfTwo,
    /// All rounds: O(T) points.
    All,
    /// The listed rounds.
    Chosen(BTreeSet<u64>),
}

impl Rounds {
    fn contains(&self, round: u64) -> bool {
        match self {
            Self::Milestones => is_milestone(round),
            Self::PowersOfTwo => round.is_power_of_two(),
            Self::All => round > 0,
            Self::Chosen(rounds) => rounds.contains(&round),
        }
    }
}

/// The regret after a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegretPoint {
    /// t.
    pub round: u64,
    /// Σ_{s≤t} ℓ_s(x_s).
    pub learner_loss: f64,
    /// Σ_{s≤t} ℓ_s(u) for the comparator of this round.
    pub comparator_loss: f64,
    /// Their difference.
    pub regret: f64,
    /// The regret against the best fixed point is at most `regret + gap`.
    pub gap: f64,
    /// The bound of a theorem.
    pub bound: f64,
}

impl RegretPoint {
    /// Whether regret + gap is within the bound, up to the rounding of two sums of losses.
    pub fn holds(&self) -> bool {
        let rounding = 1e-12 * (self.learner_loss.abs() + self.comparator_loss.abs());
        self.regret + self.gap <= self.bound + rounding
    }
}

/// Regret and bound side by side, at chosen rounds.
///
/// An account ([`LinearRegret`](crate::regret::LinearRegret),
/// [`QuadraticRegret`](crate::regret::QuadraticRegret)) books every round in O(n). The record takes its
/// regret at the chosen rounds only: 145 milestones in 10⁶ rounds.
/// *Memory:* six numbers a point.
///
/// ```
/// use oco_core::{OnlineLearner, StepSchedule, learners::Ogd, regret::{LinearRegret, RegretRecord, Rounds}};
/// use projections::BoxSet;
/// let interval = BoxSet::interval(-1.0, 1.0)?;
/// let mut learner = Ogd::new(interval.clone(), 1, StepSchedule::zinkevich(2.0, 1.0)?)?;
/// let (mut account, mut record) = (LinearRegret::new(1)?, RegretRecord::new(Rounds::PowersOfTwo));
/// for t in 1..=1000_u32 {
///     let g = [if t % 3 == 0 { -1.0 } else { 1.0 }];
///     account.record(&g, learner.play())?;
///     learner.observe(&g)?;
///     if record.wants(account.rounds()) {
///         record.push(account.rounds(), &account.regret(&interval)?, 3.0 * f64::from(t).sqrt())?;
///     }
/// }
/// assert_eq!(record.points().len(), 10);
/// assert!(record.bound_holds());
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct RegretRecord {
    rounds: Rounds,
    points: Vec<RegretPoint>,
}

impl RegretRecord {
    /// An empty record for these rounds.
    pub fn new(rounds: Rounds) -> Self {
        Self { rounds, points: Vec::new() }
    }

    /// Whether this round is to be recorded.
    pub fn wants(&self, round: u64) -> bool {
        self.rounds.contains(round)
    }

    /// Records the regret after a round, with its bound.
    ///
    /// # Errors
    /// A round that is not after the last one recorded, or a number that is not finite; nothing is recorded
    /// then.
    pub fn push(&mut self, round: u64, regret: &Regret, bound: f64) -> Result<(), OcoError> {
        let Regret { value, gap, learner_loss, comparator_loss, .. } = *regret;
        let point = RegretPoint { round, learner_loss, comparator_loss, regret: value, gap, bound };
        check_point(self.points.last().map_or(0, |last| last.round), &point)?;
        self.points.push(point);
        Ok(())
    }

    /// Whether every recorded regret is certainly within its bound; true of an empty record.
    pub fn bound_holds(&self) -> bool {
        self.first_breach().is_none()
    }

    /// The first point whose regret may exceed its bound.
    pub fn first_breach(&self) -> Option<&RegretPoint> {
        self.points.iter().find(|point| !point.holds())
    }

    /// The points, by round.
    pub fn points(&self) -> &[RegretPoint] {
        &self.points
    }
}

fn check_point(after: u64, point: &RegretPoint) -> Result<(), OcoError> {
    check_finite("regret", &[point.learner_loss, point.comparator_loss, point.regret, point.gap])?;
    check_finite("bound", &[point.bound])?;
    if point.gap < 0.0 {
        return Err(ProjectionError::BadParameter { name: "gap", value: point.gap, domain: "[0, ∞)" }.into());
    }
    if point.round <= after {
        #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
        let (name, value, domain) = ("round", point.round as f64, "later than the last point");
        return Err(ProjectionError::BadParameter { name, value, domain }.into());
    }
    Ok(())
}

#[derive(Deserialize)]
struct Unchecked {
    rounds: Rounds,
    points: Vec<RegretPoint>,
}

impl TryFrom<Unchecked> for RegretRecord {
    type Error = OcoError;

    fn try_from(Unchecked { rounds, points }: Unchecked) -> Result<Self, OcoError> {
        let mut after = 0;
        for point in &points {
            check_point(after, point)?;
            after = point.round;
        }
        Ok(Self { rounds, points })
    }
}
