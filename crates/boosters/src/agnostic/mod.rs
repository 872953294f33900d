//! Agnostic and realizable boosting by one reduction to online convex optimisation \[BCMH20\].
//!
//! Learners that are a little better than a coin are asked for their votes; an online convex optimiser, told how each of
//! them did, says how much the next one should learn of the example. The same reduction serves four settings.
//!
//! Reading order: [`RandomisedMajority`], the vote Π that all of them end with; [`OnlineAgnosticBooster`] (Algorithm 1) and
//! [`OnlineRealizableBooster`] (Algorithm 4), with the [`Trace`] of their rounds; [`ProgressiveChoice`], for an advantage
//! that nobody knows; [`StatisticalBooster`] (Algorithm 2, both settings) on a sample, and the [`MajorityVote`] that
//! it returns, with its expectation, [`ExpectedVote`].

mod randomised_majority;
mod online_agnostic;
mod online_realizable;
mod inner_round;
mod progressive_choice;
mod statistical;
mod majority_vote;
mod expected_vote;

pub use expected_vote::ExpectedVote;
pub use inner_round::Trace;
pub use majority_vote::MajorityVote;
pub use online_agnostic::OnlineAgnosticBooster;
pub use online_realizable::OnlineRealizableBooster;
pub use progressive_choice::ProgressiveChoice;
pub use randomised_majority::{RandomisedMajority, VoteRule};
pub use statistical::{Round, Setting, StatisticalBooster};
