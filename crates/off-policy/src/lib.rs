//! Logged bandit data, policies, and estimates of what a policy would bring \[L23, Section 3\].
//!
//! Reading order: [`Rewards`] and [`Costs`]; [`ActionSets`], where not every action was on offer; [`Schema`], what their
//! numbers stand for; [`Log`], the data; [`policies`]; [`estimators`] of their value; [`readers`]. [`LabelSets`], [`RewardStructure`] and [`to_bandit`] make a log
//! of supervised data.

mod error;
mod schema_error;
mod outcome;
mod action_set;
mod schema;
mod log;
pub mod policies;
mod label_sets;
mod reward_structure;
mod conversion;
pub mod readers;
pub mod estimators;

pub use action_set::{ActionSet, ActionSets};
pub use conversion::{expected_reward, to_bandit};
pub use error::{LabelError, LogError, PolicyError};
pub use label_sets::LabelSets;
pub use log::{Log, LoggedRow};
pub use outcome::{Costs, Rewards};
pub use reward_structure::{COVERTYPE_NEAR_MISSES, FASHION_MNIST_NEAR_MISSES, RewardStructure};
pub use schema::{ActionNames, ContextColumn, EncodedRecord, Schema, Value};
pub use schema_error::{SchemaError, SchemaMismatch};
