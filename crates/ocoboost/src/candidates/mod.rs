//! A policy over candidates that have features of their own.
//!
//! Reading order: [`CandidateJob`], which trains and judges; [`CandidateModel`], what it returns;
//! `search.rs`, the best recipe and rounds; `run.rs`, a run of any recipe; [`CandidateTrainCheckpoint`];
//! [`CandidateRows`], policies that are judged and compared; [`estimate_candidate_propensities`], for a log
//! without propensities.

mod checkpoint;
mod event;
mod job;
mod judging;
mod model;
mod propensities;
mod recipe;
mod run;
mod search;

pub use checkpoint::{CandidateMoment, CandidateTrainCheckpoint};
pub use event::CandidateEvent;
pub use job::{CandidateJob, CandidateJobBuilder};
pub use judging::CandidateRows;
pub use model::{CandidateModel, CandidateRecord, TriedRecipe};
pub use propensities::estimate_candidate_propensities;
pub use recipe::{CandidateObjective, CandidateRecipe};
