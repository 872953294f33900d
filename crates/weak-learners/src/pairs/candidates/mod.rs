//! Trees over candidates that have features of their own.
//!
//! Reading order: [`BinnedCandidates`], the bins of the three levels; [`HistogramCandidateTree`], the learner
//! on them. The growth is that of [`HistogramPairTree`](super::HistogramPairTree); `pair_columns` says to it
//! what a list of pairs is, and `item_actions` what actions with features are.

mod binned_candidates;
mod histogram_candidate_tree;
mod item_actions;
mod level;
mod pair_columns;

pub use binned_candidates::BinnedCandidates;
pub use histogram_candidate_tree::HistogramCandidateTree;
