//! What a search over candidates tries.

use crate::error::JobError;
use boosters::auto_policy::{Objective, Overrides};
use boosters::bopl::{Settings, Step};
use off_policy::candidates::CandidateLog;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the trees of a recipe are fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateObjective {
    /// The rewards of the chosen candidates.
    Regression,
    /// The IPS estimate of the policy's value \[L23, Algorithm 1\].
    Bopl,
    /// Its surrogate \[L23, Algorithm 2\].
    BoplS,
    /// The doubly robust estimate of it, by [`CandidateBoosting::doubly_robust`].
    ///
    /// [`CandidateBoosting::doubly_robust`]: boosters::bopl::CandidateBoosting::doubly_robust
    DoublyRobust,
}

/// The settings of a training over candidates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CandidateRecipe {
    /// What the trees are fitted to.
    pub objective: CandidateObjective,
    /// The depth of a tree.
    pub max_depth: u32,
    /// The least weight of a child.
    pub min_child_weight: f64,
    /// λ of the leaves.
    pub reg_lambda: f64,
    /// η: of the second order for a policy, the weight of a tree for a regression.
    pub learning_rate: f64,
    /// b in parts of the mean reward: 0, or −1 for rewards of mean 0.
    pub translation: f64,
    /// b for rewards that are mapped to [0, 1], in place of the former.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_translation: Option<f64>,
    /// M, the largest importance weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The share of the columns that a tree sees.
    #[serde(default = "all", skip_serializing_if = "is_all")]
    pub columns: f64,
    /// The share of the pairs that a tree sees.
    #[serde(default = "all", skip_serializing_if = "is_all")]
    pub rows: f64,
}

/// Of models that were saved before there were shares.
fn all() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_all(share: &f64) -> bool {
    *share == 1.0
}

/// The first recipe, which also predicts rewards for the others.
pub(super) const REGRESSION: CandidateRecipe = CandidateRecipe {
    objective: CandidateObjective::Regression,
    max_depth: 6,
    min_child_weight: 20.0,
    reg_lambda: 1.0,
    learning_rate: 0.1,
    translation: 0.0,
    unit_translation: None,
    clip: None,
    columns: 1.0,
    rows: 1.0,
};

/// The recipes in the order in which they are tried.
pub(super) const RECIPES: [CandidateRecipe; 7] = {
    const SURROGATE: CandidateRecipe = CandidateRecipe {
        objective: CandidateObjective::BoplS,
        max_depth: 6,
        min_child_weight: 3.0,
        reg_lambda: 3.0,
        learning_rate: 0.2,
        ..REGRESSION
    };
    [
        REGRESSION,
        SURROGATE,
        CandidateRecipe { objective: CandidateObjective::Bopl, translation: -1.0, ..SURROGATE },
        CandidateRecipe { max_depth: 3, ..SURROGATE },
        CandidateRecipe { translation: -1.0, ..SURROGATE },
        CandidateRecipe { max_depth: 10, ..SURROGATE },
        CandidateRecipe { max_depth: 3, ..REGRESSION },
    ]
};

/// The recipes that are tried, at most so many, each once, with these settings in place of their own. The
/// first one is a regression of rewards; where it may not win, it comes on top.
pub(super) fn recipes(overrides: &Overrides, most: usize) -> Vec<CandidateRecipe> {
    let mut all: Vec<CandidateRecipe> = Vec::new();
    for recipe in RECIPES.map(|recipe| recipe.with(overrides)) {
        // Settings that override may make two recipes one.
        if !all.contains(&recipe) {
            all.push(recipe);
        }
    }
    all.truncate(most);
    if !may_win(&REGRESSION, overrides) {
        all.insert(0, REGRESSION);
    }
    all
}

/// Whether a recipe has the objective that is asked for.
pub(super) fn may_win(recipe: &CandidateRecipe, overrides: &Overrides) -> bool {
    overrides.objective.is_none_or(|objective| recipe.objective == of(objective))
}

fn of(objective: Objective) -> CandidateObjective {
    match objective {
        Objective::Ips => CandidateObjective::Bopl,
        Objective::Surrogate => CandidateObjective::BoplS,
        Objective::DoublyRobust => CandidateObjective::DoublyRobust,
        Objective::RewardRegression => CandidateObjective::Regression,
    }
}

impl CandidateRecipe {
    /// The recipe with these settings in place of its own.
    fn with(self, overrides: &Overrides) -> Self {
        let objective = overrides.objective.map_or(self.objective, of);
        let is_translated = matches!(objective, CandidateObjective::Bopl | CandidateObjective::BoplS);
        let unit_translation = overrides.translation.filter(|_| is_translated);
        Self {
            objective,
            max_depth: overrides.max_depth.unwrap_or(self.max_depth),
            min_child_weight: overrides.min_child_weight.unwrap_or(self.min_child_weight),
            reg_lambda: overrides.reg_lambda.unwrap_or(self.reg_lambda),
            learning_rate: overrides.learning_rate.unwrap_or(self.learning_rate),
            translation: if is_translated && unit_translation.is_none() { self.translation } else { 0.0 },
            unit_translation,
            clip: overrides.clip.filter(|_| objective != CandidateObjective::Regression),
            columns: overrides.columns.unwrap_or(self.columns),
            rows: overrides.rows.unwrap_or(self.rows),
        }
    }

    /// The settings of a policy's rounds on a log.
    pub(super) fn settings(&self, log: &CandidateLog) -> Result<Settings, JobError> {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = log.len() as f64;
        let translation = match self.unit_translation {
            None => self.translation * log.rewards().iter().map(|r| r / n).sum::<f64>(),
            // (r − least)/span + b has the sign of r + (b·span − least), and is in proportion to it.
            Some(b) => {
                let [least, most] = ends(log.rewards());
                b * if most > least { most - least } else { 1.0 } - least
            }
        };
        self.settings_at(translation)
    }

    /// The same at a translation b.
    pub(super) fn settings_at(&self, translation: f64) -> Result<Settings, JobError> {
        let step = Step::SecondOrder { learning_rate: self.learning_rate };
        let settings = Settings::builder().translation(translation).step(step);
        Ok(self.clip.map_or(settings, |most| settings.clip(most)).build()?)
    }
}

/// The least and the largest number.
pub(super) fn ends(numbers: &[f64]) -> [f64; 2] {
    numbers.iter().fold([f64::MAX, f64::MIN], |[least, most], r| [least.min(*r), most.max(*r)])
}

impl fmt::Display for CandidateRecipe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.objective {
            CandidateObjective::Regression => "reward regression",
            CandidateObjective::Bopl => "BOPL",
            CandidateObjective::BoplS => "BOPL-S",
            CandidateObjective::DoublyRobust => "doubly robust BOPL",
        };
        write!(out, "{name}, depth {}", self.max_depth)?;
        if self.translation != 0.0 {
            write!(out, ", rewards less their mean")?;
        }
        match self.unit_translation {
            Some(b) => write!(out, ", translation {b}"),
            None => Ok(()),
        }
    }
}
