//! What a recipe tries: an objective with its settings.

use off_policy::Log;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// What a policy is trained to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The inverse-propensity estimate of the policy's value, [`Bopl`](crate::bopl::Bopl).
    Ips,
    /// Its surrogate, [`BoplS`](crate::bopl::BoplS).
    Surrogate,
    /// The doubly robust estimate,
    /// [`PolicyBoosting::doubly_robust`](crate::bopl::PolicyBoosting::doubly_robust).
    DoublyRobust,
    /// The squared error of predicted rewards, [`RewardRegression`](crate::bopl::RewardRegression).
    RewardRegression,
}

/// An objective with settings. Policies take [second-order](crate::bopl::Step::SecondOrder) steps on
/// histogram trees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The objective.
    pub objective: Objective,
    /// The depth of the deepest leaf.
    pub max_depth: u32,
    /// The least weight of a child.
    pub min_child_weight: f64,
    /// λ of a leaf's value.
    pub reg_lambda: f64,
    /// η.
    pub learning_rate: f64,
    /// b, for rewards that are mapped to [0, 1]; 0 for the last two objectives, which it leaves as they are.
    pub translation: f64,
    /// M, the largest importance weight.
    pub clip: Option<f64>,
    /// The share of the columns that a tree sees.
    pub columns: f64,
    /// The share of the rows that a tree sees, below 1: on all rows of a log without a main effect, whose
    /// actions pay the same on average, no first split gains anything.
    pub rows: f64,
}

/// What candidates are drawn with: numbers of the log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ranges {
    /// The least reward.
    least: f64,
    /// max r − min r.
    span: f64,
    /// The 95% quantile of 1/p.
    large_weight: f64,
}

impl Ranges {
    pub(super) fn of(log: &Log) -> Self {
        let (least, most) =
            log.rewards().iter().fold((f64::MAX, f64::MIN), |(l, m), r| (l.min(*r), m.max(*r)));
        let mut propensities = log.propensities().to_vec();
        propensities.sort_by(f64::total_cmp);
        let large_weight = 1.0 / propensities[propensities.len() / 20];
        Self { least, span: most - least, large_weight }
    }

    /// b with which the reward at this share of the range becomes 0.
    fn translation(&self, share: f64) -> f64 {
        -(self.least + share * self.span)
    }
}

/// Settings that every candidate has, whatever is drawn for it; `None` leaves a setting to the recipe. Their
/// meanings and ranges are those of [`Candidate`].
///
/// ```
/// use boosters::auto_policy::{AutoPolicy, Objective, Overrides};
/// let overrides = Overrides { objective: Some(Objective::Ips), max_depth: Some(4), ..Overrides::default() };
/// assert!(AutoPolicy::builder().overrides(overrides).build().is_ok());
/// let refused = Overrides { learning_rate: Some(-1.0), ..Overrides::default() };
/// assert!(AutoPolicy::builder().overrides(refused).build().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Overrides {
    /// The objective.
    pub objective: Option<Objective>,
    /// The depth of the deepest leaf.
    pub max_depth: Option<u32>,
    /// The least weight of a child.
    pub min_child_weight: Option<f64>,
    /// λ of a leaf's value.
    pub reg_lambda: Option<f64>,
    /// η.
    pub learning_rate: Option<f64>,
    /// b, for rewards that are mapped to [0, 1]; without effect on the two objectives that have none.
    pub translation: Option<f64>,
    /// M, the largest importance weight.
    pub clip: Option<f64>,
    /// The share of the columns that a tree sees.
    pub columns: Option<f64>,
    /// The share of the rows that a tree sees.
    pub rows: Option<f64>,
}

impl Overrides {
    /// The candidate with these settings. An objective that needs a translation gets this one if it had none.
    pub(super) fn of(&self, candidate: Candidate, translation: f64) -> Candidate {
        let objective = self.objective.unwrap_or(candidate.objective);
        let is_translated = |objective: Objective| matches!(objective, Objective::Ips | Objective::Surrogate);
        let translation = match (is_translated(candidate.objective), is_translated(objective)) {
            (_, false) => 0.0,
            (true, true) => self.translation.unwrap_or(candidate.translation),
            (false, true) => self.translation.unwrap_or(translation),
        };
        Candidate {
            objective,
            max_depth: self.max_depth.unwrap_or(candidate.max_depth),
            min_child_weight: self.min_child_weight.unwrap_or(candidate.min_child_weight),
            reg_lambda: self.reg_lambda.unwrap_or(candidate.reg_lambda),
            learning_rate: self.learning_rate.unwrap_or(candidate.learning_rate),
            translation,
            clip: self.clip.or(candidate.clip),
            columns: self.columns.unwrap_or(candidate.columns),
            rows: self.rows.unwrap_or(candidate.rows),
        }
    }
}

impl Candidate {
    /// The first of the settings that are good for many logs.
    pub(super) const USUAL: Self = Self {
        objective: Objective::Surrogate,
        max_depth: 8,
        min_child_weight: 3.0,
        reg_lambda: 1.0,
        learning_rate: 0.15,
        translation: 0.0,
        clip: None,
        columns: 0.5,
        rows: 0.8,
    };
}

/// The candidates in the order of their trial, each once: seven settings that are good for many logs, and
/// draws.
pub(super) fn candidates(
    ranges: Ranges,
    number: usize,
    overrides: Overrides,
    rng: &mut impl Rng,
) -> Vec<Candidate> {
    let usual = Candidate { translation: ranges.translation(0.2), ..Candidate::USUAL };
    let doubly = Candidate { objective: Objective::DoublyRobust, translation: 0.0, ..usual };
    let deep = Candidate {
        max_depth: 64,
        min_child_weight: 1.0,
        learning_rate: 0.3,
        translation: ranges.translation(0.4),
        columns: 1.0,
        rows: 0.95,
        ..usual
    };
    let clipped = Candidate { clip: Some(3.0), learning_rate: 0.1, columns: 0.3, ..usual };
    let careful = Candidate {
        max_depth: 20,
        reg_lambda: 3.0,
        learning_rate: 0.1,
        translation: ranges.translation(0.4),
        columns: 0.3,
        ..usual
    };
    let careful_and_clipped = Candidate { clip: Some(3.0), ..careful };
    let regression = Candidate {
        objective: Objective::RewardRegression,
        max_depth: 6,
        min_child_weight: 5.0,
        translation: 0.0,
        ..usual
    };
    let fixed = [usual, doubly, deep, clipped, regression, careful, careful_and_clipped];
    let drawn = fixed.into_iter().chain(std::iter::repeat_with(|| draw(ranges, rng))).take(number);
    let mut all: Vec<Candidate> = Vec::new();
    for candidate in drawn.map(|candidate| overrides.of(candidate, ranges.translation(0.2))) {
        // Settings that override may make two candidates one.
        if !all.contains(&candidate) {
            all.push(candidate);
        }
    }
    all
}

fn draw(ranges: Ranges, rng: &mut impl Rng) -> Candidate {
    let objective = match rng.random_range(0..10) {
        0..=4 => Objective::Surrogate,
        5..=7 => Objective::DoublyRobust,
        8 => Objective::Ips,
        _ => Objective::RewardRegression,
    };
    let mut on_log_scale = |low: f64, high: f64| low * (high / low).powf(rng.random::<f64>());
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "4 to 64")]
    let max_depth = on_log_scale(4.0, 64.0) as u32;
    let (min_child_weight, reg_lambda) = (on_log_scale(0.5, 10.0), on_log_scale(0.3, 5.0));
    let learning_rate = on_log_scale(0.05, 0.3);
    let largest = on_log_scale(2.0, ranges.large_weight.max(4.0));
    let share = 0.1 * f64::from(rng.random_range(0..5_u8));
    let translation = match objective {
        Objective::Ips | Objective::Surrogate => ranges.translation(share),
        Objective::DoublyRobust | Objective::RewardRegression => 0.0,
    };
    let clip = (objective != Objective::RewardRegression && rng.random_bool(0.5)).then_some(largest);
    let columns = [0.3, 0.5, 1.0][rng.random_range(0..3)];
    let rows = [0.5, 0.7, 0.9][rng.random_range(0..3)];
    Candidate {
        objective,
        max_depth,
        min_child_weight,
        reg_lambda,
        learning_rate,
        translation,
        clip,
        columns,
        rows,
    }
}
