//! Which log a run was trained on.

use off_policy::Log;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The SHA-256 of all numbers of a log: contexts, actions, propensities, rewards and sets on offer.
///
/// Contexts count by their values, stored sparse or dense. *Cost:* one pass over the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Fingerprint(String);

impl Fingerprint {
    /// Hexadecimal digits.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn of(log: &Log) -> Self {
        let mut hash = Sha256::new();
        for count in [log.len(), log.inputs(), log.actions()] {
            hash.update((count as u64).to_le_bytes());
        }
        let mut bytes = Vec::new();
        for row in log.iter() {
            bytes.clear();
            row.context.for_each(|j, x_j| {
                if x_j != 0.0 {
                    bytes.extend((j as u64).to_le_bytes());
                    bytes.extend(x_j.to_le_bytes());
                }
            });
            // No coordinate has this number, so that rows cannot be cut elsewhere.
            bytes.extend(u64::MAX.to_le_bytes());
            bytes.extend((row.action as u64).to_le_bytes());
            bytes.extend(row.propensity.to_le_bytes());
            bytes.extend(row.reward.to_le_bytes());
            if !row.on_offer.is_all() {
                row.on_offer.iter().for_each(|a| bytes.extend((a as u64).to_le_bytes()));
                bytes.extend(u64::MAX.to_le_bytes());
            }
            hash.update(&bytes);
        }
        Self(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
