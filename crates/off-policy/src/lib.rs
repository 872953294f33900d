//! Logged bandit data, policies, and estimates of what a policy would bring \[L23, Section 3\].
//!
//! Reading order: [`Rewards`] and [`Costs`]; [`ActionSets`], where not every action was on offer; [`Log`], the data;
//! [`policies`]; [`estimators`] of their value.

mod error;
mod outcome;
mod action_set;
mod log;
pub mod policies;
pub mod estimators;

pub use action_set::{ActionSet, ActionSets};
pub use error::{LogError, PolicyError};
pub use log::{Log, LoggedRow};
pub use outcome::{Costs, Rewards};
