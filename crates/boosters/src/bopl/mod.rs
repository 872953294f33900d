//! Boosted off-policy learning \[L23\]: a policy from logged bandit data, by trees or any other base learner.
//!
//! Reading order. `algorithm.rs` is the paper: a round of Algorithms 1 and 2, top to bottom, with [`Step`]
//! and [`Weight`]. Beside it stand the objectives, [`Bopl`], [`BoplS`] and [`BoplCs`] with their
//! [`Smoothness`], the passes over the log, and [`Classification`], which is Algorithm 4. `run/` serves the
//! rounds: [`PolicyBoosting`] with [`Settings`], [`Round`]s and a [`BoplStop`], [`Validation`] on a held-out
//! log, [`Checkpoint`]. Results are a [`PolicyEnsemble`] and a [`PolicyModel`] that is saved and used.
//! [`CompiledEnsemble`] is the ensemble for serving. [`RewardRegression`] is a baseline. `candidates/` has
//! the same rounds where actions have features: [`CandidateBoosting`].

mod algorithm;
mod objective;
mod line_search;
mod pass;
mod policy_log;
mod weighted_log;
mod classification;
mod scale;
mod ensemble;
mod compiled;
mod error;
mod run;
mod policy_model;
mod reward_regression;
mod candidates;

pub use algorithm::{Step, Weight};
pub use candidates::{
    CandidateBoosting, CandidateCheckpoint, CandidateEnsemble, CandidateRegression,
    CandidateRegressionCheckpoint,
};
pub use classification::Classification;
pub use compiled::CompiledEnsemble;
pub use ensemble::{Member, PolicyEnsemble};
pub use error::BoplError;
pub use objective::{Along, Bopl, BoplCs, BoplLs, BoplS, PolicyObjective, Smoothness};
pub use policy_model::{PolicyModel, Training};
pub use reward_regression::{
    EarlyStopping, EarlyStoppingBuilder, PredictedProbabilities, PredictedRewards, RegressionCheckpoint,
    RegressionRound, RewardRegression, StoppedEarly,
};
pub(crate) use run::Fingerprint;
pub use run::{
    BoplStop, Checkpoint, PolicyBoosting, Round, Settings, SettingsBuilder, Validation, ValidationBuilder,
};
pub use scale::Scale;
pub use weighted_log::optimal_risk;
