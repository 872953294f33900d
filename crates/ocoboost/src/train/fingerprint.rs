//! A log by its digest.

use off_policy::Log;
use ranks::{RankError, Shard};
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};

/// The digests of the numbers of a log, as hexadecimal digits.
pub(super) struct Digests {
    /// The SHA-256 of contexts, actions, propensities, rewards and what was on offer.
    pub(super) of_log: String,
    /// The same but for the propensities: they may be estimates, and other ones in every reading of the log.
    pub(super) of_decisions: String,
}

impl Digests {
    /// Of the rows of all ranks, which are those of one process. Ranks go through their rows one after the
    /// other, once a column.
    pub(super) fn of(log: &Log, shard: &Shard) -> Result<Self, RankError> {
        let mut both = shape(log, shard.total());
        both = pass(shard, both, |digest| contexts(log, digest))?;
        both = pass(shard, both, |digest| actions(log, digest))?;
        let of_log = pass(shard, both.clone(), |digest| add_numbers(log.propensities(), digest))?;
        let [of_log, of_decisions] = [of_log, both].map(|digest| {
            let digest = pass(shard, digest, |digest| add_numbers(log.rewards(), digest))?;
            Ok(digits(pass(shard, digest, |digest| sets(log, digest))?))
        });
        Ok(Self { of_log: of_log?, of_decisions: of_decisions? })
    }
}

/// What version 0.1.0 once saved for the same log: the contexts by a hash of the standard library, which may
/// be another one in another version. It is read, and not written any more.
pub(super) fn of_before(log: &Log) -> String {
    let mut digest = shape(log, log.len());
    digest.update(log.contexts().fingerprint().to_le_bytes());
    actions(log, &mut digest);
    add_numbers(log.propensities(), &mut digest);
    add_numbers(log.rewards(), &mut digest);
    sets(log, &mut digest);
    digits(digest)
}

/// The SHA-256 of bytes.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    digits(Sha256::new_with_prefix(bytes))
}

/// Whether a digest that was saved is of this log. Earlier ones have the propensities.
pub(super) fn is_of(saved: &str, log: &Log) -> bool {
    let own = Digests::of(log, &Shard::whole(log.len()));
    own.is_ok_and(|own| saved == own.of_decisions || saved == own.of_log) || saved == of_before(log)
}

/// A digest of the numbers of rows, columns and actions.
fn shape(log: &Log, rows: usize) -> Sha256 {
    let mut digest = Sha256::new();
    for count in [rows, log.inputs(), log.actions()] {
        digest.update((count as u64).to_le_bytes());
    }
    digest
}

/// Goes on with the rows of all ranks.
fn pass(shard: &Shard, mut digest: Sha256, rows: impl FnOnce(&mut Sha256)) -> Result<Sha256, RankError> {
    if !shard.ranks().are_several() {
        rows(&mut digest);
        return Ok(digest);
    }
    let state = shard.ranks().in_order(digest.serialize().to_vec(), |before| {
        let mut digest = restored(&before);
        rows(&mut digest);
        digest.serialize().to_vec()
    })?;
    Ok(restored(&state))
}

/// A digest between two rows; a new one from bytes that are none.
fn restored(state: &[u8]) -> Sha256 {
    let state = SerializedState::<Sha256>::try_from(state);
    state.ok().and_then(|state| Sha256::deserialize(&state).ok()).unwrap_or_default()
}

fn contexts(log: &Log, digest: &mut Sha256) {
    let mut bytes = Vec::new();
    for row in log.contexts().iter() {
        bytes.clear();
        row.for_each(|j, value| {
            if value != 0.0 {
                bytes.extend((j as u64).to_le_bytes());
                bytes.extend(value.to_le_bytes());
            }
        });
        // No coordinate has this number, so the end of a row is unambiguous.
        bytes.extend(u64::MAX.to_le_bytes());
        digest.update(&bytes);
    }
}

fn actions(log: &Log, digest: &mut Sha256) {
    log.logged_actions().iter().for_each(|action| digest.update(action.to_le_bytes()));
}

fn add_numbers(numbers: &[f64], digest: &mut Sha256) {
    numbers.iter().for_each(|number| digest.update(number.to_le_bytes()));
}

fn sets(log: &Log, digest: &mut Sha256) {
    for set in log.iter().map(|row| row.on_offer).filter(|set| !set.is_all()) {
        digest.update((set.len() as u64).to_le_bytes());
        set.iter().for_each(|action| digest.update((action as u64).to_le_bytes()));
    }
}

fn digits(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
