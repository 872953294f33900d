//! The scores of an ensemble on a log, and runs that start at them.

use super::pass::{BLOCK, cut, in_pool};
use super::run::check_values;
use super::{BoplError, Member, PolicyBoosting, PolicyEnsemble, PolicyObjective, Settings};
use off_policy::policies::Scores;
use off_policy::{Log, PolicyError};
use rayon::prelude::*;
use rows::RowMatrix;
use weak_learners::LearnerError;
use weak_learners::pairs::{PairHypothesis, PairLearner};

impl<O: PolicyObjective, L: PairLearner<Hypothesis: Sync>> PolicyBoosting<O, L> {
    /// A run that starts at an ensemble that an earlier log gave. \[L23\] has Δ_0 for the uniform policy; here it is that
    /// of the ensemble, and so is the bound. A run that was stopped goes on from its
    /// [`Checkpoint`](super::Checkpoint).
    ///
    /// # Errors
    /// As [`new`](Self::new); [`BoplError::Policy`] for an ensemble of another coding than the log's,
    /// [`BoplError::Mismatch`] for one of other contexts or actions,
    /// [`BoplError::NotFinite`] where it has no finite score.
    pub fn from_ensemble(
        log: &Log,
        learner: L,
        settings: Settings,
        ensemble: PolicyEnsemble<L::Hypothesis>,
    ) -> Result<Self, BoplError> {
        check_fit(&ensemble, log)?;
        let ensemble = ensemble.named_by(log);
        let mut scores = zeros(log)?;
        add_members(ensemble.members(), log, &mut scores)?;
        check_values(&scores)?;
        Self::at(log, learner, settings, ensemble, scores)
    }
}

/// A 0 for every pair of a row and an action.
///
/// # Errors
/// [`BoplError::TooManyPairs`].
pub(super) fn zeros(log: &Log) -> Result<Vec<f64>, BoplError> {
    let (rows, actions) = (log.len(), log.actions());
    let too_many = BoplError::TooManyPairs { rows, actions };
    let pairs = rows.checked_mul(actions).ok_or_else(|| too_many.clone())?;
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(pairs).map_err(|_| too_many)?;
    zeros.resize(pairs, 0.0);
    Ok(zeros)
}

/// Whether an ensemble is one of the log's contexts and actions.
///
/// # Errors
/// [`BoplError::Policy`] for a log of another coding, [`BoplError::Mismatch`].
pub(super) fn check_fit<H: PairHypothesis>(ensemble: &PolicyEnsemble<H>, log: &Log) -> Result<(), BoplError> {
    if let (Some(own), Some(of_log)) = (ensemble.schema(), log.schema()) {
        own.check_same(of_log).map_err(PolicyError::from)?;
    }
    for (unit, expected, got) in
        [("coordinates", log.inputs(), ensemble.inputs()), ("actions", log.actions(), ensemble.actions())]
    {
        if got != expected {
            return Err(BoplError::Mismatch { argument: "the ensemble", unit, expected, got });
        }
    }
    Ok(())
}

/// Moves F by Σ α_t f_t over these members in their order, pair (i, a) at a·n + i: bit for bit what the rounds that found
/// them did.
pub(super) fn add_members<H: PairHypothesis + Sync>(
    members: &[Member<H>],
    log: &Log,
    scores: &mut [f64],
) -> Result<(), BoplError> {
    let (n, actions) = (log.len(), log.actions());
    let mut parts = cut(n, scores);
    let of_block = |(block, columns): (usize, &mut [&mut [f64]])| {
        let rows = columns.first().map_or(0, |column| column.len());
        let mut own = vec![0.0; rows * actions];
        for (k, row) in own.chunks_exact_mut(actions).enumerate() {
            row.iter_mut().zip(&*columns).for_each(|(score, column)| *score = column[k]);
        }
        add_to_rows(members, log.contexts(), block * BLOCK, &mut own)?;
        for (k, row) in own.chunks_exact(actions).enumerate() {
            row.iter().zip(&mut *columns).for_each(|(score, column)| column[k] = *score);
        }
        Ok(())
    };
    if in_pool(n * actions) {
        let blocks: Vec<Result<(), LearnerError>> =
            parts.par_chunks_mut(actions).enumerate().map(of_block).collect();
        blocks.into_iter().collect::<Result<(), _>>()?;
    } else {
        parts.chunks_mut(actions).enumerate().try_for_each(of_block)?;
    }
    Ok(())
}

/// Moves the scores of the rows from `from` on, |A| numbers a row, member by member, so that a predictor stays in the cache
/// for many rows.
pub(super) fn add_to_rows<H: PairHypothesis>(
    members: &[Member<H>],
    contexts: &RowMatrix,
    from: usize,
    scores: &mut [f64],
) -> Result<(), LearnerError> {
    for Member { alpha, predictor } in members {
        let rows = scores.chunks_exact_mut(predictor.actions());
        for (x, scores) in (from..).map_while(|i| contexts.row(i)).zip(rows) {
            predictor.add_scores(x, *alpha, scores)?;
        }
    }
    Ok(())
}
