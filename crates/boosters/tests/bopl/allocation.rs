//! A round of the loop allocates a few lists, as many for a long log as for a short one.

#[path = "../../../rows/tests/counting/mod.rs"]
mod allocator;

use crate::learners::Arbitrary;
use crate::logs::random_log;
use allocator::allocations;
use boosters::bopl::{
    Bopl, CompiledEnsemble, Member, PolicyBoosting, PolicyEnsemble, Settings, Smoothness, Step,
};
use off_policy::ActionSet;
use off_policy::policies::{Argmax, Policy, Scores};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{PairNode, PairTree};

/// Allocations of the 66th to the 97th round: the lists of the ensemble and the record have room for 128.
fn in_32_rounds(n: usize, step: Step) -> usize {
    // The same rows again and again, so that a search has as many probes.
    let log = random_log(100, 2, 4, 1).select((0..n).map(|i| i % 100)).unwrap();
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().step(step).build().unwrap();
    let learner = Arbitrary { rng: ChaCha8Rng::seed_from_u64(1), size: 1.0 };
    let mut run = PolicyBoosting::<Bopl, _>::new(&log, learner, settings).unwrap();
    let mut play =
        |rounds: usize| (0..rounds).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    play(65);
    let before = allocations();
    play(32);
    allocations() - before
}

#[test]
fn a_round_allocates_a_few_lists_whatever_the_log() {
    let second_order = Step::SecondOrder { learning_rate: 0.1 };
    // Six in the loop, the lists of where blocks begin, and five more for local weights and curvatures; two
    // are the base learner's. A search has at most 25 probes, each with a list of blocks and room for one:
    // two lists, and two columns an action.
    let most = [(Step::Closed(Smoothness::Sharp), 8), (second_order, 13), (Step::LineSearch, 8 + 25 * 11)];
    for (step, most) in most {
        let (short, long) = (in_32_rounds(100, step), in_32_rounds(9000, step));
        assert_eq!(short, long, "{step:?}");
        assert!(long <= 32 * most, "{long} allocations in 32 rounds, {step:?}");
    }
}

/// The first prediction of a compiled ensemble makes room, the others use it.
#[test]
fn predictions_after_the_first_allocate_nothing() {
    for actions in [7, 500] {
        let members = (0..20).map(|k| {
            let nodes = vec![
                PairNode::Context { feature: 0, threshold: f64::from(k), below: 1, rest: 2 },
                PairNode::Action { action: k % 7, others: 3, this: 4 },
                PairNode::Leaf { value: 1.0 },
                PairNode::Leaf { value: 2.0 },
                PairNode::Leaf { value: 3.0 },
            ];
            Member { alpha: 0.5, predictor: PairTree::new(9, actions, nodes).unwrap() }
        });
        let ensemble = PolicyEnsemble::of(9, actions, members.collect()).unwrap();
        let policy = Argmax::new(CompiledEnsemble::new(&ensemble).unwrap());
        let rows = RowMatrix::dense(9, (0..900).map(f64::from).collect()).unwrap();
        let sparse = Row::sparse(9, &[0, 4], &[-1.0, 3.0]).unwrap();
        let mut scores = vec![0.0; 100 * actions];
        let mut predict = || {
            policy.scores().scores_of_rows(&rows, 0, &mut scores).unwrap();
            let scores = &mut scores[..actions];
            policy.probabilities(sparse, ActionSet::all(actions).unwrap(), scores).unwrap();
            policy.scores().scores(rows.row(50).unwrap(), scores).unwrap();
        };
        predict();
        let before = allocations();
        (0..5).for_each(|_| predict());
        assert_eq!(allocations() - before, 0, "{actions} actions");
    }
}
