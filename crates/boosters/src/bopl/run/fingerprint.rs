//! Which log and which contexts a run is trained on.

use crate::bopl::BoplError;
use off_policy::Log;
use off_policy::candidates::CandidateLog;
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};
use weak_learners::batch::Sample;
use weak_learners::{RankError, Ranks, Shard};

/// The SHA-256 of all numbers of a log (contexts, actions, propensities, rewards and sets on offer), or of a
/// table.
///
/// Contexts count by their values, stored sparse or dense. *Cost:* one pass over the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Fingerprint(String);

impl Fingerprint {
    /// Hexadecimal digits.
    pub(in crate::bopl) fn as_str(&self) -> &str {
        &self.0
    }

    /// Of a log of candidates, level by level.
    pub(in crate::bopl) fn of_candidates(log: &CandidateLog) -> Self {
        let candidates = log.candidates();
        Self::of_choices(log, |hash| {
            candidates.offsets().iter().for_each(|offset| hash.update((*offset as u64).to_le_bytes()));
            for rows in [candidates.contexts(), candidates.features(), candidates.item_features()] {
                add_rows(rows, hash);
            }
            candidates.items().iter().for_each(|item| hash.update(item.to_le_bytes()));
        })
    }

    /// What version 0.1.0 once saved for the same log: the candidates by a hash of the standard library,
    /// which may be another one in another version. It is read, and not written any more.
    pub(in crate::bopl) fn of_candidates_before(log: &CandidateLog) -> Self {
        Self::of_choices(log, |hash| hash.update(log.candidates().fingerprint().to_le_bytes()))
    }

    fn of_choices(log: &CandidateLog, candidates: impl FnOnce(&mut Sha256)) -> Self {
        let (mut hash, shape) = (Sha256::new(), log.candidates().shape());
        for count in [log.len(), shape.contexts, shape.features, shape.items, shape.identities] {
            hash.update((count as u64).to_le_bytes());
        }
        candidates(&mut hash);
        log.chosen().iter().for_each(|place| hash.update(place.to_le_bytes()));
        [log.propensities(), log.rewards()].into_iter().flatten().for_each(|x| hash.update(x.to_le_bytes()));
        Self::from_hash(hash)
    }

    /// Of a table.
    pub(in crate::bopl) fn of_numbers(numbers: &[f64]) -> Self {
        let mut hash = Sha256::new();
        add_numbers(numbers, &mut hash);
        Self::from_hash(hash)
    }

    /// The same of the rows of all ranks.
    ///
    /// # Errors
    /// Those of the ranks.
    pub(super) fn of_numbers_of_rank(numbers: &[f64], ranks: &Ranks) -> Result<Self, RankError> {
        Self::from_rank_to_rank(ranks, &Sha256::new(), |hash| add_numbers(numbers, hash))
    }

    fn from_hash(hash: Sha256) -> Self {
        Self(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub(crate) fn of(log: &Log) -> Self {
        let mut hash = of_shape(log, log.len());
        add_log(log, &mut hash);
        Self::from_hash(hash)
    }

    /// The same of the rows of all ranks: one rank goes on where the rank before has ended.
    ///
    /// # Errors
    /// Those of the ranks.
    pub(crate) fn of_rank(log: &Log, shard: &Shard) -> Result<Self, RankError> {
        let start = of_shape(log, shard.total());
        Self::from_rank_to_rank(shard.ranks(), &start, |hash| add_log(log, hash))
    }

    fn from_rank_to_rank(
        ranks: &Ranks,
        start: &Sha256,
        add_own: impl FnOnce(&mut Sha256),
    ) -> Result<Self, RankError> {
        let state = ranks.in_order(start.serialize().to_vec(), |before| {
            let mut hash = restored(&before);
            add_own(&mut hash);
            hash.serialize().to_vec()
        })?;
        Ok(Self::from_hash(restored(&state)))
    }
}

/// A hash of the numbers of rows, columns and actions.
fn of_shape(log: &Log, rows: usize) -> Sha256 {
    let mut hash = Sha256::new();
    for count in [rows, log.inputs(), log.actions()] {
        hash.update((count as u64).to_le_bytes());
    }
    hash
}

/// A hash between two rows; a new one from bytes that are none.
fn restored(state: &[u8]) -> Sha256 {
    let state = SerializedState::<Sha256>::try_from(state);
    state.ok().and_then(|state| Sha256::deserialize(&state).ok()).unwrap_or_default()
}

fn add_numbers(numbers: &[f64], hash: &mut Sha256) {
    numbers.iter().for_each(|number| hash.update(number.to_le_bytes()));
}

fn add_log(log: &Log, hash: &mut Sha256) {
    let mut bytes = Vec::new();
    for row in log.iter() {
        bytes.clear();
        add_row(row.context, &mut bytes);
        bytes.extend((row.action as u64).to_le_bytes());
        bytes.extend(row.propensity.to_le_bytes());
        bytes.extend(row.reward.to_le_bytes());
        if !row.on_offer.is_all() {
            row.on_offer.iter().for_each(|a| bytes.extend((a as u64).to_le_bytes()));
            bytes.extend(u64::MAX.to_le_bytes());
        }
        hash.update(&bytes);
    }
}

fn add_rows(rows: Option<&RowMatrix>, hash: &mut Sha256) {
    hash.update((rows.map_or(0, RowMatrix::len) as u64).to_le_bytes());
    let mut bytes = Vec::new();
    for row in rows.into_iter().flat_map(RowMatrix::iter) {
        bytes.clear();
        add_row(row, &mut bytes);
        hash.update(&bytes);
    }
}

fn add_row(row: Row<'_>, bytes: &mut Vec<u8>) {
    row.for_each(|j, x_j| {
        if x_j != 0.0 {
            bytes.extend((j as u64).to_le_bytes());
            bytes.extend(x_j.to_le_bytes());
        }
    });
    // A separator, which no coordinate has as its number: no two logs give the same bytes.
    bytes.extend(u64::MAX.to_le_bytes());
}

/// The contexts of a log. A base learner has its own layout of them, which the caller hands in beside the
/// log.
#[derive(Debug, Clone)]
pub(in crate::bopl) struct LogContexts {
    shard: Shard,
    rows: usize,
    inputs: usize,
    fingerprint: u64,
}

impl LogContexts {
    /// Those of a log of these rows of all ranks.
    pub(in crate::bopl) fn of(log: &Log, shard: Shard) -> Self {
        Self { shard, rows: log.len(), inputs: log.inputs(), fingerprint: log.contexts().fingerprint() }
    }

    /// Refuses contexts that are not those of the log, row by row, or of other ranks. O(1) after the first
    /// call with a sample.
    pub(in crate::bopl) fn check(&self, contexts: &impl Sample) -> Result<(), BoplError> {
        let Self { ref shard, rows, inputs, fingerprint } = *self;
        for (unit, expected, got) in
            [("rows", rows, contexts.size()), ("coordinates", inputs, contexts.inputs())]
        {
            if got != expected {
                return Err(BoplError::Mismatch { argument: "contexts", unit, expected, got });
            }
        }
        let are_several = shard.ranks().are_several();
        if are_several && contexts.shard().is_none() {
            return Err(RankError::OneRankOnly { what: "a base learner on contexts of one process" }.into());
        }
        if contexts.fingerprint() != fingerprint || contexts.shard() != are_several.then_some(shard) {
            return Err(BoplError::OtherContexts);
        }
        Ok(())
    }
}
