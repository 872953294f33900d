//! Short programs to copy from: `cargo run --release -p examples --example NAME`.
//!
//! | example | shows |
//! |---|---|
//! | `bandit_feedback` | FKM with one and with several queries a round, and their regret |
//! | `losses` | six losses, and the best comparator in hindsight by two methods |
//! | `online_learners` | spam, mail by mail: OGD, mirror descent, AdaGrad and others on the same losses |
//! | `shortest_paths` | online shortest paths: follow the perturbed leader and Frank-Wolfe on flows |
//! | `offers` | a synthetic log with a known answer, as CSV |
//! | `articles` | a synthetic log whose actions have features |
//! | `letter_log` | a log of decisions made of the letters, in two files |
//! | `noisy_labels` | agnostic boosting of stumps on labels of which a fifth is wrong, γ found on the way |
//! | `policy_from_a_log` | a policy from a CSV log: trained, judged by six estimators on rows apart, saved |
//! | `stop_and_go_on` | a learner saved in the middle of a stream and continued bit for bit |
//! | `incomes` | AdaBoost of binned trees on adult: stopped, saved, loaded, tested, its margins |
//!
//! The program of `first-program.md` is pasted into a fresh crate and run by `cargo xtask package`.

// The programs of the guide are compiled and run as doctests.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../docs/guide/policy-from-a-log.md")]
    mod policy_from_a_log {}
    #[doc = include_str!("../../docs/guide/noisy-labels.md")]
    mod noisy_labels {}
    #[doc = include_str!("../../docs/guide/stream.md")]
    mod stream {}
    #[doc = include_str!("../../docs/guide/one-crate.md")]
    mod one_crate {}
    #[doc = include_str!("../../docs/guide/own-weak-learner.md")]
    mod own_weak_learner {}
}
