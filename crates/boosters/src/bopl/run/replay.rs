//! The values of an ensemble on a log.

use crate::bopl::pass::{BLOCK, cut_mut, in_pool};
use crate::bopl::{BoplError, Member};
use off_policy::Log;
use rayon::prelude::*;
use rows::RowMatrix;
use weak_learners::LearnerError;
use weak_learners::pairs::PairHypothesis;

/// F ← F + Σ α_t f_t over these members in their order, pair (i, a) at a·n + i; bit for bit the F of the
/// rounds that found them.
pub(super) fn add_members<H: PairHypothesis + Sync>(
    members: &[Member<H>],
    log: &Log,
    scores: &mut [f64],
) -> Result<(), BoplError> {
    let (n, actions) = (log.len(), log.actions());
    let mut parts = cut_mut(n, scores);
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

/// The same for the rows from `from` on, |A| numbers a row; member by member, so that a predictor stays in
/// the cache for many rows.
pub(super) fn add_to_rows<H: PairHypothesis>(
    members: &[Member<H>],
    contexts: &RowMatrix,
    from: usize,
    scores: &mut [f64],
) -> Result<(), LearnerError> {
    for Member { alpha, predictor } in members {
        predictor.add_scores_of_rows(contexts, from, *alpha, scores)?;
    }
    Ok(())
}
