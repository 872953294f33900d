//! Estimates of a policy's value from the log of another policy.
//!
//! [`OffPolicyEvaluation::of`] a log, a policy and a reward model computes, in one pass,
//! IPS, clipped IPS, SNIPS, DM, DR and SWITCH-DR with their standard errors, and whether the log can answer
//! for the policy at all. Rewards are those of the log, never translated ones.
//!
//! Intervals: [`normal_interval`] and [`Bootstrap`] for every estimator; [`empirical_bernstein_interval`],
//! which assumes nothing but independent rows in ranges that are known beforehand, for every estimator of
//! which [`StatedRanges`] tell enough; [`LogarithmicSmoothing`], a lower end for rewards ≥ 0.
//!
//! Reading order: [`Estimator`] (the definitions), [`Observation`] (what they need of a row), [`Accumulator`]
//! (the pass); [`Moments`], and the private modules `block` and `self_normalised` under it; [`Observations`]
//! with [`OnLog`] and [`Tables`], [`RewardModel`] and [`cross_fit`]; [`OffPolicyEvaluation`], [`Support`];
//! the intervals.

mod definitions;
mod error;
mod intervals;
mod observations;
mod pass;
mod support;

pub use definitions::{Estimate, Estimator, EstimatorSettings, Observation, StatedRanges};
pub use error::EstimateError;
pub use intervals::{
    Bootstrap, EmpiricalBernstein, Interval, LogarithmicSmoothing, Resampling, Sides,
    empirical_bernstein_interval, normal_interval,
};
pub(crate) use observations::direct;
pub use observations::{Observations, OnLog, RewardModel, TableModel, Tables, ZeroModel, cross_fit};
pub use pass::{Accumulator, Moments, OffPolicyEvaluation};
pub use support::{Support, SupportWarning};
