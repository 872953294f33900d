//! smartcore's trees over pairs beside the exact ones.

use crate::simulated::Simulated;
use weak_learners::LearnerError;
use weak_learners::batch::{LeafAnswer, SortedColumns};
use weak_learners::pairs::{
    ExactPairTree, PairGrowth, PairLearner, PairRound, PairWeights, SmartcorePairTree,
};

/// Without ties and without cancelling sums, at every depth and number of actions, one too: then a tree over
/// pairs is a plain regression tree.
#[test]
fn without_ties_the_exact_tree_is_smartcores() {
    for (seed, depth, actions) in [(1, 1, 1), (2, 3, 1), (3, 6, 1), (4, 1, 3), (5, 3, 3), (6, 5, 4)] {
        let mut round = Simulated::new(seed, 150, 3, actions);
        // No row of it sums to 0 over the actions.
        round.g.iter_mut().enumerate().for_each(|(k, g)| *g += 0.01 * (k as f64).sin());
        let contexts = SortedColumns::new(round.matrix()).unwrap();
        let mut exact = ExactPairTree::new(
            PairGrowth::builder().max_depth(depth).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
        );
        let mut other = SmartcorePairTree::new(depth.try_into().unwrap(), LeafAnswer::Mean, seed).unwrap();
        let ((tree, values), (theirs, expected)) =
            (round.train(&mut exact, &contexts), round.train(&mut other, &contexts));
        assert!(depth < 3 || tree.leaves() > 4);
        assert_eq!(tree.leaves(), theirs.leaves(), "seed {seed}");
        for (value, expected) in values.iter().zip(&expected) {
            assert!((value - expected).abs() < 1e-9, "seed {seed}: {value}, smartcore {expected}");
        }
    }
}

/// smartcore goes left at x ≤ θ, a tree over pairs at x < θ: they differ where θ is a value of the column.
#[test]
fn neighbouring_numbers_are_told_apart() {
    let contexts =
        SortedColumns::new(rows::RowMatrix::dense(1, vec![1.0, 1.0_f64.next_up()]).unwrap()).unwrap();
    let mut learner = SmartcorePairTree::new(1, LeafAnswer::Mean, 1).unwrap();
    let round = PairRound::new(2, 1, &[1.0, -1.0], PairWeights::OfExamples(&[1.0; 2])).unwrap();
    let mut values = [0.0; 2];
    learner.train(&contexts, &round, &mut values).unwrap();
    assert_eq!(values, [1.0, -1.0]);
}

#[test]
fn a_target_beyond_the_range_is_refused() {
    let contexts = SortedColumns::new(rows::RowMatrix::dense(1, vec![1.0, 2.0]).unwrap()).unwrap();
    let mut learner = SmartcorePairTree::new(2, LeafAnswer::Mean, 1).unwrap();
    let round = PairRound::new(2, 1, &[1.0, 1e120], PairWeights::OfExamples(&[1.0, 1e-200])).unwrap();
    let refused = learner.train(&contexts, &round, &mut [0.0; 2]);
    assert!(matches!(refused, Err(LearnerError::NotFinite { argument: "g/h", index: 1, .. })));
    assert!(SmartcorePairTree::new(u16::MAX, LeafAnswer::Mean, 1).is_err());
    let saved = serde_json::to_string(&learner).unwrap();
    assert!(serde_json::from_str::<SmartcorePairTree>(&saved.replace(":2,", ":65535,")).is_err());
}

/// 2^22 rows of 2^22 columns and one are more than a process can address.
#[test]
fn rows_that_memory_does_not_hold_are_refused() {
    let actions = 1 << 22;
    let contexts = SortedColumns::new(rows::RowMatrix::dense(1, vec![1.0]).unwrap()).unwrap();
    let g = vec![1.0; actions];
    let round = PairRound::new(1, actions, &g, PairWeights::OfExamples(&[1.0])).unwrap();
    let mut learner = SmartcorePairTree::new(1, LeafAnswer::Mean, 1).unwrap();
    let refused = learner.train(&contexts, &round, &mut vec![0.0; actions]);
    assert!(matches!(refused, Err(LearnerError::BadParameter { name: "n·|A|·(m + |A|)", .. })));
}
