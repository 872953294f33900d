//! Online agnostic and realizable boosting, held to [BCMH20].
//!
//! A reduction's bound with measured regrets holds for any learner, so three more things are asserted: the bound's slack,
//! term by term; that the regret of the OCO learner, measured on losses that are formed here, is the one that its own
//! theorem allows; and that the labels that learners are passed have the probabilities of the paper.
//!
//! Reading order: `streams` (examples), `lemmas` (4, 5, 13 and Π), `proposition_3` (Algorithm 1), `theorem_12` (Algorithm 4),
//! `theorem_2` (the rate in N), `not_weak` (what fails where a hypothesis does), `chooser`, `independence` (of threads and of
//! the number of learners), `contract` (prediction, saving), `refusals`.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod streams;
mod lemmas;
mod proposition_3;
mod theorem_12;
mod theorem_2;
mod not_weak;
mod chooser;
mod independence;
mod contract;
mod refusals;
