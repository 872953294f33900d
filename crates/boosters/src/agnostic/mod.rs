//! Agnostic and realizable boosting by one reduction to online convex optimisation \[BCMH20\].
//!
//! Weak learners, slightly better than a coin, vote in turn. An online convex optimiser sees the loss of each
//! vote, and sets the probability with which the next learner learns the example. The same reduction serves
//! four settings.
//!
//! Reading order: [`RandomisedMajority`], the vote Π of all of them. Online: [`OnlineAgnosticBooster`]
//! (Algorithm 1) and [`OnlineRealizableBooster`] (Algorithm 4), with the [`Trace`] of their rounds, and
//! [`ProgressiveChoice`], for an unknown advantage. On a sample: [`StatisticalBooster`] (Algorithm 2, both
//! settings) with its [`MajorityVote`], and the vote's expectation, [`ExpectedVote`].

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
