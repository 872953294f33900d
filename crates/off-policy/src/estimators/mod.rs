//! What a policy would bring, estimated from the log of another.
//!
//! [`OffPolicyEvaluation::of`] a log, a policy and a model of rewards says everything that one pass can say: IPS, clipped
//! IPS, SNIPS, DM, DR and SWITCH-DR with their standard errors, and whether the log can answer for the policy at all. Rewards
//! are those of the log, never translated ones.
//!
//! Intervals: [`normal_interval`] and [`Bootstrap`] for every estimator; [`empirical_bernstein_interval`], which assumes nothing
//! but independent rows in ranges that are known beforehand, for every estimator of which [`StatedRanges`] tell enough.
//!
//! Reading order: [`Estimator`] (the definitions), [`Observation`] (what they need of a row), [`Accumulator`] (the pass);
//! [`Moments`], and the private modules `block`, `self_normalised`, `counts` and `wide` under it; [`Observations`] with [`OnLog`] and [`Tables`],
//! [`RewardModel`]; [`OffPolicyEvaluation`], [`Support`]; the intervals.

mod error;
mod settings;
mod stated_ranges;
mod estimate;
mod observation;
mod accumulator;
mod moments;
mod self_normalised;
mod counts;
mod block;
mod wide;
mod observations;
mod on_log;
mod tables;
mod reward_model;
mod evaluation;
mod support;
mod interval;
mod normal;
mod bootstrap;
mod empirical_bernstein;
mod bernstein_interval;

pub use accumulator::Accumulator;
pub use bernstein_interval::empirical_bernstein_interval;
pub use bootstrap::{Bootstrap, Resampling};
pub use empirical_bernstein::{EmpiricalBernstein, Sides};
pub use error::EstimateError;
pub use estimate::{Estimate, Estimator};
pub use evaluation::OffPolicyEvaluation;
pub use interval::Interval;
pub use moments::Moments;
pub use normal::normal_interval;
pub use observation::Observation;
pub use observations::Observations;
pub use on_log::OnLog;
pub use reward_model::{RewardModel, TableModel, ZeroModel};
pub use settings::EstimatorSettings;
pub use stated_ranges::StatedRanges;
pub use support::{Support, SupportWarning};
pub use tables::Tables;
