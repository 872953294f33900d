//! Online agnostic and realizable boosting, held to [BCMH20].
//!
//! A reduction's bound with measured regrets holds for any learner, so three more things are asserted: the
//! bound's slack, term by term; that the regret of the OCO learner, measured on losses that are formed here,
//! is the one that its own theorem allows; and that the labels that learners are passed have the
//! probabilities of the paper.
//!
//! Mutations tried by hand, each of which fails a test here: labels flipped the other way, or with
//! probability p or ½; Π without its cut-off; 1/γ left out of z, of a slope, or on the wrong side; a slope
//! without its −1; A not put back, climbing, from the wrong start, on the wrong interval, with another step,
//! or unchecked; coins that never advance or are shared; examples passed with 1 − p or always; no check
//! before learners are updated; ties, counts and leaders of the choice.
//!
//! Reading order: `streams` (examples), `lemmas` (4, 5, 13 and Π), `proposition_3` (Algorithm 1),
//! `theorem_12` (Algorithm 4), `theorem_2` (the rates in N), `not_weak` (failures without a hypothesis),
//! `chooser`, `teaching` (labels of the learners), `independence` (of threads and of the number of learners),
//! `contract` (prediction, saving), `refusals`.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

mod streams;
mod lemmas;
mod proposition_3;
mod theorem_12;
mod theorem_2;
mod not_weak;
mod chooser;
#[path = "../recording/mod.rs"]
mod recording;
mod teaching;
mod independence;
mod contract;
mod refusals;
