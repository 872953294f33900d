//! Learners of pairs of a context and an action.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod whole_numbers;
mod pair_tree;
mod exact_definition;
mod no_gain;
mod exact_properties;
mod ties;
mod simulated;
mod smartcore_pairs;
mod vector_leaf;
mod row_sampling;
mod gradient_sampling;
mod column_sampling;
mod best_first;
mod engine_definition;
mod engine_rounds;
mod engine_wide;
mod missing;
mod candidates;
mod fixed_items;
mod ranks;
#[path = "../streams/mod.rs"]
mod streams;
