//! Online boosters in the mistake-bound model, which \[BCMH20\] starts from and is compared with: \[CLL12\], \[BKL15\].
//!
//! Each keeps N weak learners that vote ±1, walks them in order, and gives the example (x, y) to learner i with a weight
//! that falls as the learners before it get the example right. A weak learner takes no weights, so the example is
//! *passed* to it with that weight as probability, as \[BKL15\] does. Weak learners with an edge Σ wᵢyhᵢ(x)/Σ wᵢ bounded
//! away from 0 make few mistakes together; noise in the labels, which leaves no such edge, is not provided for, and
//! that is what [`agnostic`](crate::agnostic) is about.
//!
//! No copy of the two papers was at hand. The update rules are theirs; the inequalities are derived here, hold for every
//! sequence with the edges that occurred, and are asserted every round in `tests/mistake_bound`.
//!
//! Reading order: [`OsBoost`] (smooth weights), [`OnlineBbm`] (the fewest learners for an advantage γ that is known),
//! [`AdaBoostOl`] (no γ to be known); [`Passing`], what happened in the last round.

mod osboost;
mod online_bbm;
mod adaboost_ol;
mod passing;

pub use adaboost_ol::AdaBoostOl;
pub use online_bbm::OnlineBbm;
pub use osboost::OsBoost;
pub use passing::Passing;
