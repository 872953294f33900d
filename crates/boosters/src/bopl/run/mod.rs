//! A run of boosted off-policy learning: settings, rounds, validation, stopping, checkpoints.

mod settings;
mod stopping;
mod fingerprint;
mod replay;
mod validation;
mod account;
mod policy_boosting;
mod checkpoint;

pub use account::Round;
pub(super) use account::{Account, check_reproduced};
pub use checkpoint::Checkpoint;
pub(crate) use fingerprint::Fingerprint;
pub(super) use fingerprint::LogContexts;
pub use policy_boosting::PolicyBoosting;
pub use settings::{Settings, SettingsBuilder};
pub use stopping::BoplStop;
pub use validation::{Validation, ValidationBuilder};
