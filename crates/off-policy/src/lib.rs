//! Logged bandit data, policies, and estimates of what a policy would bring \[L23, Section 3\].
//!
//! Reading order: [`Rewards`] and [`Costs`]; [`ActionSets`], where not every action was on offer; [`Schema`],
//! what their numbers stand for; [`Log`], the data; [`policies`]; [`estimators`] of their value; [`readers`].
//! [`LabelSets`], [`RewardStructure`] and [`to_bandit`] make a log of supervised data. [`candidates`] are
//! actions with features of their own, other ones in every row.

mod action_set;
pub mod candidates;
mod conversion;
pub mod dates;
mod error;
pub mod estimators;
mod label_sets;
mod log;
pub mod policies;
pub mod readers;
mod schema;

pub use action_set::{ActionSet, ActionSets};
pub use conversion::{
    COVERTYPE_NEAR_MISSES, FASHION_MNIST_NEAR_MISSES, RewardStructure, expected_reward, to_bandit,
};
pub use error::{LabelError, LogError, PolicyError, SchemaError, SchemaMismatch};
pub use label_sets::LabelSets;
pub use log::{Costs, Log, LoggedRow, Rewards};
pub use schema::{ActionNames, ContextColumn, EncodedRecord, Schema, Value, spellings_of_truth};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
