//! Boosted off-policy learning over candidates that have features of their own.
//!
//! The round is that of `algorithm.rs`; what differs is the layout of the pairs. Reading order:
//! [`CandidateBoosting`], a run; `weighted_candidates.rs`, the passes of its rounds; [`CandidateEnsemble`],
//! the scores that it returns; [`CandidateRegression`], predicted rewards; [`CandidateCheckpoint`] and
//! [`CandidateRegressionCheckpoint`], runs that are saved and go on.

mod candidate_boosting;
mod candidate_checkpoint;
mod candidate_ensemble;
mod candidate_regression;
mod weighted_candidates;

pub use candidate_boosting::CandidateBoosting;
pub use candidate_checkpoint::{CandidateCheckpoint, CandidateRegressionCheckpoint};
pub use candidate_ensemble::CandidateEnsemble;
pub use candidate_regression::CandidateRegression;
