//! A round of the loop allocates a few lists, as many for a long log as for a short one.

#[path = "../../../rows/tests/counting/mod.rs"]
mod allocator;

use crate::learners::Arbitrary;
use crate::logs::random_log;
use allocator::allocations;
use boosters::bopl::{Bopl, PolicyBoosting, Settings};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::SortedColumns;

/// Allocations of the 66th to the 97th round: the lists of the ensemble and the record have room for 128.
fn in_32_rounds(n: usize) -> usize {
    let log = random_log(n, 2, 4, 1);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let settings = Settings::builder().build().unwrap();
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
    let (short, long) = (in_32_rounds(100), in_32_rounds(9000));
    assert_eq!(short, long);
    // Six in the loop, the lists of where blocks begin; two are the base learner's.
    assert!(long <= 32 * 8, "{long} allocations in 32 rounds");
}
