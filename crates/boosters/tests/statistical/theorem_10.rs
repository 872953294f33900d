//! [BCMH20, Theorem 10]: the realizable setting.

use crate::account::holds_every_round;
use crate::samples::{Task, Tuned};
use datasets::Name;
use weak_learners::batch::ExactStump;

/// Runs and returns ε against the labels and E cor_S(h̄); the regret of OGD is at most what its step
/// promises.
fn realised(task: &Task, gamma: f64, rounds: u32) -> (f64, f64) {
    let mut booster = Tuned::theorem_10(ExactStump::default(), task.labels.clone(), gamma, rounds).unwrap();
    let account = holds_every_round(task, &mut booster, 0.0, rounds);
    let rate = 0.5 * (1.0 + 1.0 / gamma) / f64::from(rounds).sqrt();
    let regret = account.mean_regret();
    assert!(regret <= rate + 1e-12, "regret {regret}, OGD promises {rate}");
    (account.epsilon(task, &task.signs()), booster.expected_correlation())
}

/// The edge is 1/3 on every distribution: E cor_S(h̄) ≥ 1 − (1 + 1/γ)/(2√T) with γ = 1/3, at the rate
/// 1/(γ√T).
#[test]
fn theorem_10_on_majorities_of_stumps() {
    for (seed, m) in [(1, 1), (2, 5), (3, 50), (4, 300)] {
        let task = Task::majority_of_three(m, seed);
        for rounds in [16, 100, 400] {
            let (epsilon, boosted) = realised(&task, 1.0 / 3.0, rounds);
            assert!(epsilon <= 1e-12, "{epsilon}");
            assert!(boosted >= 1.0 - 2.0 / f64::from(rounds).sqrt() - 1e-12, "{boosted} after {rounds}");
        }
    }
}

/// No γ is known for real data: the bound holds with the ε that is realised, and the vote does better than
/// any stump.
#[test]
fn on_breast_cancer_spambase_and_adult() {
    for (name, m) in [(Name::BreastCancer, 699), (Name::Spambase, 800), (Name::Adult, 1000)] {
        let task = Task::of(name, m);
        let (_, boosted) = realised(&task, 0.1, 60);
        let best = task.correlation(&task.best_stump(&vec![1.0; task.labels.len()]));
        assert!(boosted > best, "{name}: {boosted}, the best stump has {best}");
    }
}

/// The shortfall is there after few rounds, and 64 times as many make it at least 8 times smaller, as 1/√T
/// says.
#[test]
fn the_shortfall_shrinks_like_one_over_the_root_of_t() {
    let task = Task::majority_of_three(200, 6);
    let shortfall = |rounds: u32| 1.0 - realised(&task, 1.0 / 3.0, rounds).1;
    let (few, many) = (shortfall(25), shortfall(1600));
    assert!(few > 0.02 && many <= few / 8.0, "{few} {many}");
    assert!(few <= 2.0 / 5.0 && many <= 2.0 / 40.0);
}

/// No stump has an edge of 1 on the majority of three: with γ = 1 claimed, ε is positive and the theorem
/// fails.
#[test]
fn it_fails_where_the_advantage_is_claimed_too_large() {
    let (epsilon, boosted) = realised(&Task::majority_of_three(300, 4), 1.0, 2500);
    assert!(epsilon > 0.1 && boosted < 1.0 - 1.0 / 50.0, "{epsilon} {boosted}");
}
