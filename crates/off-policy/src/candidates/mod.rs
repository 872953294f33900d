//! Logs of choices among candidates that have features of their own, policies over them, and their
//! estimates: articles to recommend, offers to make, ads.
//!
//! Where the actions are the same in every row, [`Log`](crate::Log) is simpler and faster. Reading order:
//! [`CandidateLog`] over [`rows::Candidates`], with [`CandidateSchema`]; the contracts [`CandidatePolicy`]
//! and [`CandidateScores`], met by [`Softmax`](crate::policies::Softmax),
//! [`Argmax`](crate::policies::Argmax), [`EpsilonGreedy`](crate::policies::EpsilonGreedy) and
//! [`AmongCandidates`]; [`OnCandidates`], what the [`estimators`](crate::estimators) see.

mod log;
mod observations;
mod policy;
mod schema;

pub use log::CandidateLog;
pub use observations::OnCandidates;
pub use policy::{AmongCandidates, CandidatePolicy, CandidateScores};
pub use schema::CandidateSchema;
