//! A policy over candidates that have features of their own.
//!
//! Reading order: [`CandidateJob`], which trains and judges; [`CandidateModel`], what it returns.

mod job;
mod model;
mod recipe;

pub use job::{CandidateEvent, CandidateJob, CandidateJobBuilder};
pub use model::{CandidateModel, CandidateRecord, TriedRecipe};
pub use recipe::{CandidateObjective, CandidateRecipe};
