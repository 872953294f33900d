//! A run of any candidate, behind one interface.

use super::candidate::{Candidate, Objective};
use crate::bopl::{
    Bopl, BoplError, BoplS, BoplStop, Checkpoint, PolicyBoosting, PolicyEnsemble, RegressionCheckpoint,
    RewardRegression, Settings, Step,
};
use off_policy::{Log, Schema};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::Ranks;
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, HistogramPairTree, PairGrowth, PairTree, RowSampling,
};

/// Columns beyond which contexts have fewer bins.
const MANY_COLUMNS: usize = 500;

/// The contexts in bins: 256 a column, or 64 where there are many columns. Trees learn the side of the values
/// that the schema lets be missing.
pub(super) fn contexts_of(log: &Log) -> Result<BinnedContexts, BoplError> {
    contexts_of_rank(log, &Ranks::alone())
}

/// The same of the rows of a rank.
pub(super) fn contexts_of_rank(log: &Log, ranks: &Ranks) -> Result<BinnedContexts, BoplError> {
    let bins = if log.inputs() > MANY_COLUMNS { 64 } else { 256 };
    let contexts = BinnedContexts::of_rank(log.contexts().clone(), bins, ranks.clone())?;
    match log.schema().map(Schema::indicators).filter(|indicators| !indicators.is_empty()) {
        Some(indicators) => Ok(contexts.with_indicators(&indicators)?),
        None => Ok(contexts),
    }
}

/// Histogram trees on a part of the rows and columns, drawn anew every round.
pub(super) type Trees = RowSampling<ColumnSampling<HistogramPairTree>>;

pub(super) fn trees(candidate: &Candidate, [rows, columns]: [ChaCha8Rng; 2]) -> Result<Trees, BoplError> {
    let growth = PairGrowth::builder()
        .max_depth(candidate.max_depth)
        .min_child_weight(candidate.min_child_weight)
        .reg_lambda(candidate.reg_lambda)
        .build()?;
    let trees = ColumnSampling::new(HistogramPairTree::new(growth), candidate.columns, columns)?;
    Ok(RowSampling::new(trees, candidate.rows, rows)?)
}

/// The settings of a policy's rounds.
fn settings(candidate: &Candidate) -> Result<Settings, BoplError> {
    let step = Step::SecondOrder { learning_rate: candidate.learning_rate };
    let settings = Settings::builder().translation(candidate.translation).step(step);
    match candidate.clip {
        Some(most) => settings.clip(most).build(),
        None => settings.build(),
    }
}

/// Refuses settings that no run can have, and trees of a single leaf, which prefer no action.
pub(super) fn check(candidate: &Candidate) -> Result<(), BoplError> {
    if candidate.max_depth == 0 {
        return Err(BoplError::BadParameter { name: "max_depth", value: 0.0, domain: "1, 2, …" });
    }
    trees(candidate, [ChaCha8Rng::seed_from_u64(0), ChaCha8Rng::seed_from_u64(0)])?;
    settings(candidate).map(|_| ())
}

/// A run of a candidate, saved between two rounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedTraining {
    Policy(Checkpoint<Trees>),
    Regression(RegressionCheckpoint<Trees>),
}

impl SavedTraining {
    /// The rounds that were played.
    pub(super) fn rounds(&self) -> usize {
        match self {
            Self::Policy(saved) => saved.ensemble().len(),
            Self::Regression(saved) => saved.ensemble().len(),
        }
    }
}

/// The most draws of a round. With half of the columns each misses the only one that matters with probability
/// about ½, so all of them do once in 10⁶ rounds.
const DRAWS: usize = 20;

/// A run of a candidate.
#[derive(Debug)]
pub(super) enum Training {
    Ips(PolicyBoosting<Bopl, Trees>),
    Surrogate(PolicyBoosting<BoplS, Trees>),
    Regression(RewardRegression<Trees>),
}

impl Training {
    /// `predictions` is asked for by the doubly robust objective alone.
    pub(super) fn new(
        candidate: &Candidate,
        log: &Log,
        rngs: [ChaCha8Rng; 2],
        predictions: impl FnOnce() -> Result<Vec<f64>, BoplError>,
    ) -> Result<Self, BoplError> {
        Self::of_rank(candidate, (log, &Ranks::alone()), rngs, predictions)
    }

    /// The same on the rows of a rank, with the predictions for these.
    pub(super) fn of_rank(
        candidate: &Candidate,
        (log, ranks): (&Log, &Ranks),
        rngs: [ChaCha8Rng; 2],
        predictions: impl FnOnce() -> Result<Vec<f64>, BoplError>,
    ) -> Result<Self, BoplError> {
        let trees = trees(candidate, rngs)?;
        let settings = settings(candidate)?;
        let ranks = ranks.clone();
        Ok(match candidate.objective {
            Objective::Ips => Self::Ips(PolicyBoosting::of_rank(log, trees, settings, ranks)?),
            Objective::Surrogate => Self::Surrogate(PolicyBoosting::of_rank(log, trees, settings, ranks)?),
            Objective::DoublyRobust => {
                let predictions = predictions()?;
                Self::Ips(PolicyBoosting::doubly_robust_of_rank(log, trees, settings, &predictions, ranks)?)
            }
            Objective::RewardRegression => {
                Self::Regression(RewardRegression::of_rank(log, trees, candidate.learning_rate, ranks)?)
            }
        })
    }

    /// A run that was saved, or a new one where the predictions are not those that it was trained on: of
    /// models of rewards that were ended early.
    pub(super) fn resume(
        saved: SavedTraining,
        (candidate, rngs): (&Candidate, [ChaCha8Rng; 2]),
        (log, ranks): (&Log, &Ranks),
        predictions: impl FnOnce() -> Result<Vec<f64>, BoplError>,
    ) -> Result<Self, BoplError> {
        let own = ranks.clone();
        Ok(match (candidate.objective, saved) {
            (Objective::Ips, SavedTraining::Policy(saved)) => Self::Ips(saved.resume_of_rank(log, own)?),
            (Objective::Surrogate, SavedTraining::Policy(saved)) => {
                Self::Surrogate(saved.resume_of_rank(log, own)?)
            }
            (Objective::DoublyRobust, SavedTraining::Policy(saved)) => {
                let predictions = predictions()?;
                match saved.resume_doubly_robust_of_rank(log, &predictions, own) {
                    Err(BoplError::OtherPredictions) => {
                        return Self::of_rank(candidate, (log, ranks), rngs, || Ok(predictions));
                    }
                    run => Self::Ips(run?),
                }
            }
            (Objective::RewardRegression, SavedTraining::Regression(saved)) => {
                Self::Regression(saved.resume_of_rank(log, own)?)
            }
            _ => return Err(BoplError::BrokenSearch { reason: "a run has another objective" }),
        })
    }

    /// The part of the run that has to be saved for it to go on.
    pub(super) fn saved(&self) -> SavedTraining {
        match self {
            Self::Ips(run) => SavedTraining::Policy(run.checkpoint()),
            Self::Surrogate(run) => SavedTraining::Policy(run.checkpoint()),
            Self::Regression(run) => SavedTraining::Regression(run.checkpoint()),
        }
    }

    /// A round, with other draws where the drawn rows and columns have no split that gains: other columns may
    /// have one.
    pub(super) fn round(&mut self, contexts: &BinnedContexts) -> Result<ControlFlow<BoplStop>, BoplError> {
        for _ in 1..DRAWS {
            match self.draw(contexts)? {
                ControlFlow::Break(BoplStop::Predictions | BoplStop::Alpha) => {}
                other => return Ok(other),
            }
        }
        self.draw(contexts)
    }

    fn draw(&mut self, contexts: &BinnedContexts) -> Result<ControlFlow<BoplStop>, BoplError> {
        let end = match self {
            Self::Ips(run) => run.round(contexts)?.break_value(),
            Self::Surrogate(run) => run.round(contexts)?.break_value(),
            Self::Regression(run) => run.round(contexts)?.break_value(),
        };
        Ok(end.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }

    pub(super) fn ensemble(&self) -> &PolicyEnsemble<PairTree> {
        match self {
            Self::Ips(run) => run.ensemble(),
            Self::Surrogate(run) => run.ensemble(),
            Self::Regression(run) => run.ensemble(),
        }
    }

    pub(super) fn into_ensemble(self) -> PolicyEnsemble<PairTree> {
        match self {
            Self::Ips(run) => run.into_ensemble(),
            Self::Surrogate(run) => run.into_ensemble(),
            Self::Regression(run) => run.into_ensemble(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bopl::PolicyObjective;
    use off_policy::Rewards;
    use rand::SeedableRng;
    use rows::RowMatrix;

    /// 200 rows, and an action of three that is rare.
    fn log() -> Log {
        let contexts = RowMatrix::dense(2, (0..400).map(|k| f64::from(k * 7919 % 1000)).collect()).unwrap();
        let actions: Vec<u32> = (0..200).map(|i| [0, 1, 0, 1, 2][i % 5]).collect();
        let propensities = actions.iter().map(|a| [0.4, 0.4, 0.2][*a as usize]).collect();
        let rewards = (0..200_u32).map(|i| f64::from(i * i % 11) / 10.0).collect();
        Log::new(contexts, 3, actions, propensities, Rewards(rewards)).unwrap()
    }

    fn rngs() -> [ChaCha8Rng; 2] {
        [1, 2].map(ChaCha8Rng::seed_from_u64)
    }

    const CANDIDATE: Candidate = Candidate {
        objective: Objective::Ips,
        max_depth: 4,
        min_child_weight: 0.5,
        reg_lambda: 0.75,
        learning_rate: 0.25,
        translation: -0.3,
        clip: Some(3.0),
        columns: 0.5,
        rows: 0.8,
    };

    fn settings() -> Settings {
        let step = Step::SecondOrder { learning_rate: 0.25 };
        Settings::builder().translation(-0.3).clip(3.0).step(step).build().unwrap()
    }

    fn predictions() -> Vec<f64> {
        (0..600_u32).map(|k| f64::from(k * k % 13) / 12.0).collect()
    }

    /// The ensemble after five rounds.
    fn played(objective: Objective) -> PolicyEnsemble<PairTree> {
        let candidate = Candidate { objective, ..CANDIDATE };
        let contexts = contexts_of(&log()).unwrap();
        let mut run = Training::new(&candidate, &log(), rngs(), || Ok(predictions())).unwrap();
        (0..5).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
        run.ensemble().clone()
    }

    fn expected<O: PolicyObjective>(mut run: PolicyBoosting<O, Trees>) -> PolicyEnsemble<PairTree> {
        let contexts = contexts_of(&log()).unwrap();
        (0..5).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
        run.into_ensemble()
    }

    #[test]
    fn a_candidate_is_trained_as_it_says() {
        let trees = || trees(&CANDIDATE, rngs()).unwrap();
        let ips = PolicyBoosting::<Bopl, _>::new(&log(), trees(), settings()).unwrap();
        assert_eq!(played(Objective::Ips), expected(ips));
        let surrogate = PolicyBoosting::<BoplS, _>::new(&log(), trees(), settings()).unwrap();
        assert_eq!(played(Objective::Surrogate), expected(surrogate));
        let q = predictions();
        let doubly = PolicyBoosting::<Bopl, _>::doubly_robust(&log(), trees(), settings(), &q).unwrap();
        assert_eq!(played(Objective::DoublyRobust), expected(doubly));
        let mut regression = RewardRegression::new(&log(), trees(), 0.25).unwrap();
        let contexts = contexts_of(&log()).unwrap();
        (0..5).for_each(|_| assert!(regression.round(&contexts).unwrap().is_continue()));
        assert_eq!(played(Objective::RewardRegression), regression.into_ensemble());
    }

    /// One column of three matters, and half of the columns are drawn.
    #[test]
    fn a_draw_without_the_column_that_matters_does_not_end_a_run() {
        let values = (0..1200_u32).map(|k| f64::from(k * 7919 % 1000)).collect();
        let contexts = RowMatrix::dense(3, values).unwrap();
        let actions: Vec<u32> = (0..400_u32).map(|i| i * 37 % 5 % 2).collect();
        let is_right = |(x, action): (rows::Row<'_>, &u32)| (x.to_dense()[0] > 500.0) == (*action == 1);
        let rewards = contexts.iter().zip(&actions).map(|pair| f64::from(u8::from(is_right(pair)))).collect();
        let log = Log::new(contexts.clone(), 2, actions, vec![0.5; 400], Rewards(rewards)).unwrap();
        let candidate = Candidate { objective: Objective::Surrogate, translation: 0.0, ..CANDIDATE };
        let mut run = Training::new(&candidate, &log, rngs(), || Ok(Vec::new())).unwrap();
        let contexts = contexts_of(&log).unwrap();
        (0..60).for_each(|round| assert!(run.round(&contexts).unwrap().is_continue(), "round {round}"));
    }

    #[test]
    fn the_trees_have_the_settings_of_the_candidate() {
        let growth = PairGrowth::builder().max_depth(4).min_child_weight(0.5).reg_lambda(0.75);
        let trees_of_columns = HistogramPairTree::new(growth.build().unwrap());
        let [rows, columns] = rngs();
        let trees_of_columns = ColumnSampling::new(trees_of_columns, 0.5, columns).unwrap();
        let expected = RowSampling::new(trees_of_columns, 0.8, rows).unwrap();
        assert_eq!(format!("{:?}", trees(&CANDIDATE, rngs()).unwrap()), format!("{expected:?}"));
    }
}
