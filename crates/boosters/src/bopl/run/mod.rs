//! A run of boosted off-policy learning: settings, rounds, validation, stopping, checkpoints.

mod settings;
mod stopping;
mod fingerprint;
mod replay;
mod validation;
mod policy_boosting;
mod checkpoint;

pub use checkpoint::Checkpoint;
pub(crate) use fingerprint::Fingerprint;
pub(super) use fingerprint::LogContexts;
pub use policy_boosting::{PolicyBoosting, Round};
pub(super) use policy_boosting::{bound, check_reproduced};
pub use settings::{Settings, SettingsBuilder};
pub use stopping::BoplStop;
pub use validation::{Validation, ValidationBuilder};
