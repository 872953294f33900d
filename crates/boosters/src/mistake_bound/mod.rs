//! Online boosters in the mistake-bound model, the starting point of \[BCMH20\]: \[CLL12\], \[BKL15\].
//!
//! Each walks N weak learners that vote ±1 in order, and gives the example (x, y) to learner i with a weight
//! that falls with the correct votes before it. A weak learner takes no weights, so the example is *passed*
//! to it with that weight as probability \[BKL15\]. Weak learners with an edge Σ wᵢyhᵢ(x)/Σ wᵢ bounded away
//! from 0 make few mistakes together. Label noise, which leaves no such edge, is the subject of
//! [`agnostic`](crate::agnostic).
//!
//! Written without a copy of the two papers: the update rules are theirs, the inequalities are derived here,
//! hold for every sequence with the realised edges, and are asserted every round in `tests/mistake_bound`.
//!
//! Reading order: [`OsBoost`] (smooth weights), [`OnlineBbm`] (the fewest learners for a known advantage γ),
//! [`AdaBoostOl`] (γ unknown); [`Passing`], the record of the last round.

mod osboost;
mod online_bbm;
mod adaboost_ol;
mod passing;

pub use adaboost_ol::AdaBoostOl;
pub use online_bbm::OnlineBbm;
pub use osboost::OsBoost;
pub use passing::Passing;
