//! A log by its digest.

use off_policy::Log;
use sha2::{Digest, Sha256};

/// The SHA-256 of the numbers of a log: contexts, actions, propensities, rewards and what was on offer; as
/// hexadecimal digits.
pub(super) fn of(log: &Log) -> String {
    digest(log, |digest| contexts(log, digest), &[log.propensities(), log.rewards()])
}

/// The same but for the propensities: they may be estimates, and other ones in every reading of the log.
pub(super) fn of_decisions(log: &Log) -> String {
    digest(log, |digest| contexts(log, digest), &[log.rewards()])
}

/// What version 0.1.0 once saved for the same log: the contexts by a hash of the standard library, which may
/// be another one in another version. It is read, and not written any more.
pub(super) fn of_before(log: &Log) -> String {
    let contexts = |digest: &mut Sha256| digest.update(log.contexts().fingerprint().to_le_bytes());
    digest(log, contexts, &[log.propensities(), log.rewards()])
}

/// Whether a digest that was saved is of this log. Earlier ones have the propensities.
pub(super) fn is_of(saved: &str, log: &Log) -> bool {
    saved == of_decisions(log) || saved == of(log) || saved == of_before(log)
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

fn digest(log: &Log, contexts: impl FnOnce(&mut Sha256), columns: &[&[f64]]) -> String {
    let mut digest = Sha256::new();
    for count in [log.len(), log.inputs(), log.actions()] {
        digest.update((count as u64).to_le_bytes());
    }
    contexts(&mut digest);
    log.logged_actions().iter().for_each(|action| digest.update(action.to_le_bytes()));
    for numbers in columns {
        numbers.iter().for_each(|number| digest.update(number.to_le_bytes()));
    }
    for set in log.iter().map(|row| row.on_offer).filter(|set| !set.is_all()) {
        digest.update((set.len() as u64).to_le_bytes());
        set.iter().for_each(|action| digest.update((action as u64).to_le_bytes()));
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
