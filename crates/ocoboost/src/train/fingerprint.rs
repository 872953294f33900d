//! A log by its digest.

use off_policy::Log;
use sha2::{Digest, Sha256};

/// The SHA-256 of the numbers of a log: actions, propensities, rewards, what was on offer, and a fingerprint
/// of the contexts; as hexadecimal digits.
pub(super) fn of(log: &Log) -> String {
    digest(log, &[log.propensities(), log.rewards()])
}

/// The same but for the propensities: they may be estimates, and other ones in every reading of the log.
pub(super) fn of_decisions(log: &Log) -> String {
    digest(log, &[log.rewards()])
}

fn digest(log: &Log, columns: &[&[f64]]) -> String {
    let mut digest = Sha256::new();
    for count in [log.len(), log.inputs(), log.actions()] {
        digest.update((count as u64).to_le_bytes());
    }
    digest.update(log.contexts().fingerprint().to_le_bytes());
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
