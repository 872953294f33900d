//! Boosted off-policy learning, held to its theorems [L23].
//!
//! Reading order: `logs` (data), `learners` (base learners without merit, whose rounds have the guarantee all the same),
//! `account` (what must hold in every round, recomputed from the predictors); the claims: `theorem_1`, `smoothness`
//! (Propositions 1 and 2), `engines` (histogram trees against exact ones), `classification`, `gradients`, `optimal_risk`,
//! `scale` (Z, α and the paper's form of the bound), `steps` (α with a ridge), `surrogate` (what fails without it), `action_sets`, `reward_regression`; the contract: `ends`, `refusals`, `threads`, `allocation`,
//! `validation`, `checkpoint`.

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
mod threads;
mod allocation;
mod validation;
mod checkpoint;
mod coding;
