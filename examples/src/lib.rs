//! Short programs to copy from: `cargo run --release -p examples --example NAME`.
//!
//! | example | shows |
//! |---|---|
//! | `prices` | pricing from takings alone: bandit boosting on a stream whose demand curve is never shown |
//! | `own_weak_learner` | a weak learner of one's own, boosted with full information |
//! | `noisy_labels` | agnostic boosting of stumps on labels of which a fifth is wrong, γ found on the way |
//! | `policy_from_a_log` | a policy from a CSV log of what was shown: trained, judged on rows apart, saved, played |
//! | `stop_and_go_on` | a learner saved in the middle of a stream and continued bit for bit |
//! | `incomes` | AdaBoost of binned trees on adult: stopped with a reason, saved, loaded, tested, its margins |
//!
//! The README's example is pasted into a fresh crate and run by `tests/readme.rs`.
