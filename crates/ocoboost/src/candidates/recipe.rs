//! What a search over candidates tries.

use crate::error::JobError;
use boosters::bopl::{
    Bopl, BoplS, CandidateBoosting, CandidateEnsemble, CandidateRegression, PolicyObjective, Settings, Step,
};
use off_policy::PolicyError;
use off_policy::candidates::{CandidateLog, CandidateScores, OnCandidates};
use off_policy::estimators::{Estimate, EstimatorSettings, OffPolicyEvaluation};
use off_policy::policies::Argmax;
use rows::Candidates;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{ControlFlow, Range};
use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};

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
}

/// The recipes in the order in which they are tried. The first one also predicts rewards for the others.
pub(super) const RECIPES: [CandidateRecipe; 7] = {
    const REGRESSION: CandidateRecipe = CandidateRecipe {
        objective: CandidateObjective::Regression,
        max_depth: 6,
        min_child_weight: 20.0,
        reg_lambda: 1.0,
        learning_rate: 0.1,
        translation: 0.0,
    };
    const SURROGATE: CandidateRecipe = CandidateRecipe {
        objective: CandidateObjective::BoplS,
        max_depth: 6,
        min_child_weight: 3.0,
        reg_lambda: 3.0,
        learning_rate: 0.2,
        translation: 0.0,
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

/// η·rounds at which a policy is judged.
const PATH: [f64; 11] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0];

/// The DR estimate of a policy's value, or SNIPS without predicted rewards, and its standard error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Valued {
    pub(super) value: f64,
    pub(super) standard_error: f64,
}

impl Valued {
    /// What policies are compared by: where rewards are rare, the largest estimate is that of a policy which
    /// a single row speaks for.
    pub(super) fn cautious(self) -> f64 {
        self.value - self.standard_error
    }
}

/// The best rounds of a recipe on rows that had no part in its training.
pub(super) struct Found {
    pub(super) value: Valued,
    pub(super) rounds: usize,
    /// The scores of the held-out pairs then.
    pub(super) scores: Vec<f64>,
}

impl CandidateRecipe {
    fn growth(&self) -> Result<PairGrowth, JobError> {
        let growth = PairGrowth::builder().max_depth(self.max_depth).reg_lambda(self.reg_lambda);
        Ok(growth.min_child_weight(self.min_child_weight).build()?)
    }

    fn settings(&self, log: &CandidateLog) -> Result<Settings, JobError> {
        #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
        let n = log.len() as f64;
        let mean: f64 = log.rewards().iter().map(|r| r / n).sum();
        let step = Step::SecondOrder { learning_rate: self.learning_rate };
        Ok(Settings::builder().translation(self.translation * mean).step(step).build()?)
    }

    /// Trains, and shows the ensemble's new tree after every round; the watcher may end the training.
    pub(super) fn train(
        &self,
        log: &CandidateLog,
        sample: &BinnedCandidates,
        rounds: usize,
        see: impl FnMut(usize, CandidateEnsemble) -> Result<ControlFlow<()>, JobError>,
    ) -> Result<CandidateEnsemble, JobError> {
        match self.objective {
            CandidateObjective::Regression => self.regression(log, sample, rounds, see),
            CandidateObjective::Bopl => self.policy::<Bopl>(log, sample, rounds, see),
            CandidateObjective::BoplS => self.policy::<BoplS>(log, sample, rounds, see),
        }
    }

    fn policy<O: PolicyObjective>(
        &self,
        log: &CandidateLog,
        sample: &BinnedCandidates,
        rounds: usize,
        mut see: impl FnMut(usize, CandidateEnsemble) -> Result<ControlFlow<()>, JobError>,
    ) -> Result<CandidateEnsemble, JobError> {
        let learner = HistogramCandidateTree::new(self.growth()?);
        let mut run = CandidateBoosting::<O, _>::new(log, learner, self.settings(log)?)?;
        let shape = log.candidates().shape();
        for round in 0..rounds {
            if run.round(sample)?.is_break() {
                break;
            }
            let new = run.member(round).cloned().into_iter().collect();
            if see(round + 1, CandidateEnsemble::of(shape, None, new)?)?.is_break() {
                break;
            }
        }
        Ok(run.ensemble())
    }

    fn regression(
        &self,
        log: &CandidateLog,
        sample: &BinnedCandidates,
        rounds: usize,
        mut see: impl FnMut(usize, CandidateEnsemble) -> Result<ControlFlow<()>, JobError>,
    ) -> Result<CandidateEnsemble, JobError> {
        let learner = HistogramCandidateTree::new(self.growth()?);
        let mut run = CandidateRegression::new(log, learner, self.learning_rate)?;
        let shape = log.candidates().shape();
        // F_0, and then a tree a round.
        let _ = see(0, CandidateEnsemble::of(shape, None, run.ensemble().members().to_vec())?)?;
        for round in 1..=rounds {
            if run.round(sample)?.is_break() {
                break;
            }
            let new = run.ensemble().members().last().cloned().into_iter().collect();
            if see(round, CandidateEnsemble::of(shape, None, new)?)?.is_break() {
                break;
            }
        }
        Ok(run.ensemble().clone())
    }

    /// Trains on some rows, and finds the best rounds on others. `go_on` is asked after every
    /// round.
    pub(super) fn search(
        &self,
        (log, sample): (&CandidateLog, &BinnedCandidates),
        (held_out, predicted): (&CandidateLog, Option<&[f64]>),
        rounds: usize,
        mut go_on: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Option<Found>, JobError> {
        let mut scores = vec![0.0; held_out.candidates().pairs()];
        let (mut best, mut next): (Option<Found>, usize) = (None, 0);
        self.train(log, sample, rounds, |round, new| {
            let pairs = 0..scores.len();
            new.add_scores(0, held_out.candidates(), pairs, &mut scores)?;
            #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
            let path = round as f64 * self.learning_rate;
            if PATH.get(next).is_some_and(|mark| path >= mark - 1e-9) {
                next += 1;
                let value = value(held_out, &scores, predicted)?;
                if best.as_ref().is_none_or(|best| value.cautious() > best.value.cautious()) {
                    best = Some(Found { value, rounds: round, scores: scores.clone() });
                }
            }
            Ok(if next == PATH.len() { ControlFlow::Break(()) } else { go_on(round) })
        })?;
        Ok(best)
    }
}

/// The value of the argmax of some scores.
pub(super) fn value(
    log: &CandidateLog,
    scores: &[f64],
    predicted: Option<&[f64]>,
) -> Result<Valued, JobError> {
    let policy = Argmax::new(Scored(scores));
    let model = predicted.map(Scored);
    let mut rows = OnCandidates::new(log, &policy);
    if let Some(model) = &model {
        rows = rows.with_model(model as &dyn CandidateScores);
    }
    let found = OffPolicyEvaluation::of_observations(&rows, EstimatorSettings::default())?;
    let Estimate { value, standard_error } = found.dr.or(found.snips).unwrap_or(found.ips);
    Ok(Valued { value, standard_error: standard_error.unwrap_or_default() })
}

/// Scores of all pairs of one log.
#[derive(Debug, Clone, Copy)]
struct Scored<'a>(&'a [f64]);

impl CandidateScores for Scored<'_> {
    fn candidate_scores(
        &self,
        _: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        let (expected, got) = (self.0.len(), pairs.end);
        match self.0.get(pairs).filter(|own| own.len() == scores.len()) {
            Some(own) => {
                scores.copy_from_slice(own);
                Ok(())
            }
            None => Err(PolicyError::ActionCount { argument: "the list of pairs", expected, got }),
        }
    }
}

impl fmt::Display for CandidateRecipe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.objective {
            CandidateObjective::Regression => "reward regression",
            CandidateObjective::Bopl => "BOPL",
            CandidateObjective::BoplS => "BOPL-S",
        };
        write!(out, "{name}, depth {}", self.max_depth)?;
        if self.translation == 0.0 { Ok(()) } else { write!(out, ", rewards less their mean") }
    }
}
