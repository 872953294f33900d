//! Actions that are not on offer: never played, and without influence.

use crate::learners::Arbitrary;
use crate::logs::random_log;
use boosters::bopl::{Bopl, BoplS, PolicyBoosting, PolicyObjective, Settings, Smoothness, Step};
use off_policy::policies::{Policy, Softmax};
use off_policy::{ActionSets, Log, Rewards};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{ExactPairTree, PairGrowth, PairLearner};

const N: usize = 60;

/// A log of three actions, and the same with a fourth one that is never on offer.
fn with_and_without() -> (Log, Log) {
    let small = random_log(N, 2, 3, 8);
    let rewards = Rewards(small.rewards().to_vec());
    let (logged, p) = (small.logged_actions().to_vec(), small.propensities().to_vec());
    let large = Log::new(small.contexts().clone(), 4, logged, p, rewards).unwrap();
    let large = large.with_action_sets(ActionSets::new(4, vec![[0, 1, 2]; N]).unwrap()).unwrap();
    (small, large)
}

fn play<O: PolicyObjective, L: PairLearner<Contexts = SortedColumns>>(
    log: &Log,
    learner: L,
    step: Step,
) -> PolicyBoosting<O, L> {
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().translation(-0.1).step(step).build().unwrap();
    let mut run = PolicyBoosting::new(log, learner, settings).unwrap();
    (0..8).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    run
}

fn an_action_never_on_offer_changes_nothing<O: PolicyObjective>() {
    let (small, large) = with_and_without();
    for step in [Step::Closed(Smoothness::Paper), Step::Closed(Smoothness::Sharp), Step::LineSearch] {
        let tree = ExactPairTree::new(
            PairGrowth::builder().max_depth(3).min_child_weight(0.5).reg_lambda(0.0).build().unwrap(),
        );
        let with = play::<O, _>(&large, tree.clone(), step);
        let without = play::<O, _>(&small, tree, step);
        for (a, b) in with.record().iter().zip(without.record()) {
            for (a, b) in [(a.objective, b.objective), (a.alpha, b.alpha), (a.bound, b.bound), (a.ips, b.ips)]
            {
                assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{step:?}: {a} {b}");
            }
        }
        assert!(with.gradients()[3 * N..].iter().all(|u| *u == 0.0));
    }
}

#[test]
fn an_action_that_is_never_on_offer() {
    an_action_never_on_offer_changes_nothing::<Bopl>();
    an_action_never_on_offer_changes_nothing::<BoplS>();
}

/// Sets that change from row to row: the guarantee holds, with the softmax over what is on offer.
#[test]
fn sets_of_every_row() {
    let log = random_log(N, 2, 4, 9);
    let sets = log.logged_actions().iter().zip(0..).map(|(a, i)| vec![*a, i % 4]);
    let log = log.clone().with_action_sets(ActionSets::new(4, sets).unwrap()).unwrap();
    let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(3), size: 2.0 };
    let run = play::<BoplS, _>(&log, learner, Step::Closed(Smoothness::Sharp));
    let mut before = f64::INFINITY;
    for round in run.record() {
        assert!(round.objective <= before - round.decrease + 1e-12 && round.objective <= round.bound + 1e-12);
        before = round.objective;
    }
    let policy = Softmax::new(run.ensemble().clone(), 1.0).unwrap();
    let mut pi = vec![0.0; 4];
    let mut ips = 0.0;
    for (i, row) in log.iter().enumerate() {
        policy.probabilities(row.context, row.on_offer, &mut pi).unwrap();
        assert!((pi.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for a in (0..4).filter(|a| !row.on_offer.contains(*a)) {
            assert_eq!((pi[a], run.gradients()[a * N + i]), (0.0, 0.0));
        }
        ips += pi[row.action] * row.reward / row.propensity / 60.0;
    }
    assert!((ips - run.ips()).abs() < 1e-12);
}
