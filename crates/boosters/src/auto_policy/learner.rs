//! A run of any candidate, behind one interface.

use super::candidate::{Candidate, Objective};
use crate::bopl::{
    Bopl, BoplError, BoplS, BoplStop, PolicyBoosting, PolicyEnsemble, RewardRegression, Settings, Step,
};
use off_policy::Log;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, HistogramPairTree, PairGrowth, PairTree, RowSampling,
};

/// Columns beyond which contexts have fewer bins.
const MANY_COLUMNS: usize = 500;

/// The contexts in bins: 256 a column, or 64 where there are many columns.
pub(super) fn contexts_of(log: &Log) -> Result<BinnedContexts, BoplError> {
    let bins = if log.inputs() > MANY_COLUMNS { 64 } else { 256 };
    Ok(BinnedContexts::with_bins(log.contexts().clone(), bins)?)
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
        let trees = trees(candidate, rngs)?;
        let settings = settings(candidate)?;
        Ok(match candidate.objective {
            Objective::Ips => Self::Ips(PolicyBoosting::new(log, trees, settings)?),
            Objective::Surrogate => Self::Surrogate(PolicyBoosting::new(log, trees, settings)?),
            Objective::DoublyRobust => {
                Self::Ips(PolicyBoosting::doubly_robust(log, trees, settings, &predictions()?)?)
            }
            Objective::RewardRegression => {
                Self::Regression(RewardRegression::new(log, trees, candidate.learning_rate)?)
            }
        })
    }

    pub(super) fn round(&mut self, contexts: &BinnedContexts) -> Result<ControlFlow<BoplStop>, BoplError> {
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
