//! Short programs to copy from: `cargo run --release -p examples --example NAME`.
//!
//! | example | shows |
//! |---|---|
//! | `prices` | pricing from takings alone: bandit boosting on a stream whose demand curve is never shown |
//! | `own_weak_learner` | a weak learner of one's own, boosted with full information |
//! | `noisy_labels` | agnostic boosting of stumps on labels of which a fifth is wrong, γ found on the way |
//! | `stop_and_go_on` | a learner saved in the middle of a stream and continued bit for bit |
//! | `incomes` | AdaBoost of binned trees on adult: stopped with a reason, saved, loaded, tested, its margins |
//!
//! The README's example is a doctest of this crate.

#[doc = include_str!("../../README.md")]
#[cfg(doctest)]
struct Readme;
