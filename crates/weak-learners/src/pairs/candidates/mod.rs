//! Trees over candidates that have features of their own.
//!
//! Reading order: [`BinnedCandidates`], the bins of the three levels; [`HistogramCandidateTree`], the learner
//! on them.

mod binned_candidates;
mod grow;
mod histogram_candidate_tree;
mod level;

pub use binned_candidates::BinnedCandidates;
pub use histogram_candidate_tree::HistogramCandidateTree;
