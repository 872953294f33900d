//! Boosted off-policy learning \[L23\]: a policy from logged bandit data, by trees or any other base learner.
//!
//! Reading order: [`PolicyObjective`], what is minimised, with its curvature ([`Smoothness`]): [`Bopl`], [`BoplS`],
//! [`BoplCs`]; [`Settings`] with [`Step`]; [`PolicyBoosting`], the loop, its [`Round`]s and why they [`Stop`];
//! [`Classification`], the reduction of the base learner; [`Scale`]; [`PolicyEnsemble`], what comes out; [`Validation`] and
//! [`PolicyBoosting::run_rounds`], many rounds; [`PolicyModel`], what is saved and used; [`Checkpoint`], runs that go
//! on; [`RewardRegression`], a baseline.

mod objective;
mod direct;
mod surrogate;
mod convex;
mod error;
mod settings;
mod stop;
mod weighted_log;
mod pass;
mod step;
mod run;
mod classification;
mod scale;
mod ensemble;
mod replay;
mod validation;
mod rounds;
mod fingerprint;
mod checkpoint;
mod policy_model;
mod reward_regression;

pub use checkpoint::Checkpoint;
pub use classification::Classification;
pub use convex::BoplCs;
pub use direct::Bopl;
pub use ensemble::{Member, PolicyEnsemble};
pub use error::BoplError;
pub use objective::{PolicyObjective, Smoothness};
pub use policy_model::{PolicyModel, Training};
pub use reward_regression::{PredictedRewards, RegressionRound, RewardRegression};
pub use run::{PolicyBoosting, Round};
pub use scale::Scale;
pub use settings::{Settings, SettingsBuilder, Step};
pub use step::Weight;
pub use stop::Stop;
pub use surrogate::BoplS;
pub use validation::{Validation, ValidationBuilder};
pub use weighted_log::optimal_risk;
