//! Boosted off-policy learning, held to its theorems [L23].
//!
//! Reading order: `logs` (data), `learners` (base learners with arbitrary answers, whose rounds have the
//! guarantee too), `account` (the claims of every round, recomputed from the predictors). The claims:
//! `theorem_1`, `smoothness` (Propositions 1 and 2), `engines` (histogram trees against exact ones),
//! `second_order` (local curvature), `doubly_robust`, `classification`, `gradients`, `optimal_risk`, `scale`
//! (Z, α and the paper's form of the bound), `steps` (α with a ridge), `surrogate` (failures without it),
//! `action_sets`, `reward_regression`; the contract: `ends`, `refusals`, `threads`, `allocation`,
//! `validation`, `checkpoint`, `ranks`; the form for serving: `compiled`; `candidates`, the same rounds where
//! actions have features.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;
mod logs;
mod learners;
mod account;
mod engines;
mod theorem_1;
mod smoothness;
mod classification;
mod gradients;
mod optimal_risk;
mod scale;
mod steps;
mod surrogate;
mod action_sets;
mod reward_regression;
mod ends;
mod refusals;
mod second_order;
mod doubly_robust;
mod threads;
mod allocation;
mod validation;
mod checkpoint;
mod coding;
mod candidates;
mod compiled;
mod ranks;
mod ranks_of_recipes;
mod ranks_of_regression;
mod ranks_of_starts;
