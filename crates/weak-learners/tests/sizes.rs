//! Sizes that are asked for and not given: a shape or a count that no memory holds is refused, and nothing is
//! made.

use oco_core::StepSchedule;
use projections::BoxSet;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use weak_learners::batch::{BinnedColumns, ExactStump, Sampled, SortedColumns};
use weak_learners::online::{
    BalancedWinnow, GrownStumps, LogisticRegression, NaiveBayes, Perceptron, Thresholds, Winnow,
};
use weak_learners::pairs::{BinnedContexts, PairNode, PairRound, PairTree, PairWeights, VectorLeafTree};
use weak_learners::{FkmLinear, OgdLinear, Shape};

/// What a wrong column or a damaged file may say.
const TOO_LARGE: [usize; 3] = [1 << 40, (1 << 53) + 1, usize::MAX];

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

#[test]
fn a_shape_that_no_memory_holds_is_refused() {
    let steps = StepSchedule::constant(0.1).unwrap();
    let interval = || BoxSet::interval(-1.0, 1.0).unwrap();
    for n in TOO_LARGE {
        for (inputs, outputs) in [(n, 1), (1, n), (n, n), (n, 2), (1 << 20, n)] {
            let shape = Shape { inputs, outputs };
            assert!(OgdLinear::new(shape, steps, 1.0).is_err(), "{shape:?}");
            let fkm = FkmLinear::new(shape, interval(), steps, 1.0, 0.1, 1, rng());
            assert!(fkm.is_err(), "{shape:?}");
        }
        let leaf = || vec![PairNode::Leaf { value: 0.0 }];
        let refused = [
            ("LogisticRegression", LogisticRegression::new(n, steps, 1.0).is_err()),
            ("NaiveBayes", NaiveBayes::new(n).is_err()),
            ("GrownStumps", GrownStumps::new(n, 4, 0.1, rng()).is_err()),
            ("GrownStumps::anytime", GrownStumps::anytime(n, 4, rng()).is_err()),
            ("Perceptron", Perceptron::new(n).is_err()),
            ("Winnow", Winnow::new(n, 0.1).is_err()),
            ("BalancedWinnow", BalancedWinnow::new(n, 0.1).is_err()),
            ("Sampled", Sampled::new(ExactStump::default(), n, rng()).is_err()),
            ("PairTree", PairTree::new(1, n, leaf()).is_err()),
            ("VectorLeafTree", VectorLeafTree::new(1, n, Vec::new(), vec![0.0]).is_err()),
            ("PairRound, examples", PairRound::new(n, n, &[0.0], PairWeights::OfExamples(&[1.0])).is_err()),
            ("a row", Row::sparse(n, &[0], &[1.0]).is_err()),
        ];
        for (what, is_refused) in refused {
            assert!(is_refused, "{what} with {n}");
        }
    }
}

/// Learners of samples make room for every column, also for those that sparse rows leave empty.
#[test]
fn a_sample_of_more_columns_than_learners_hold_is_refused() {
    let dimension = u32::MAX as usize;
    let wide = || RowMatrix::sparse(dimension, vec![0, 1, 2], vec![0, 1], vec![1.0; 2]).unwrap();
    assert!(SortedColumns::new(wide()).is_err());
    assert!(BinnedColumns::new(wide()).is_err());
    assert!(BinnedContexts::new(wide()).is_err());
    // As many thresholds as there are values: a larger number changes nothing.
    let rows = RowMatrix::dense(1, vec![1.0, 2.0, 3.0]).unwrap();
    for n in TOO_LARGE {
        assert_eq!(Thresholds::quantiles(rows.iter(), n).unwrap().of(0), [1.5, 2.5]);
    }
}
