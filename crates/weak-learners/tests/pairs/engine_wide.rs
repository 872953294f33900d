//! Columns of more bins than a byte tells apart.

use crate::simulated::Simulated;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{BinnedContexts, ExactPairTree, HistogramPairTree, PairGrowth, PairTree};

/// Columns without equal values, of ten values, and of few values that are not 0.
fn simulated(n: usize) -> Simulated {
    let mut round = Simulated::new(11, n, 6, 3);
    for (i, x) in round.rows.iter_mut().enumerate() {
        x[1] = (2.0 * x[1]).round();
        x[2] = if i % 7 == 0 { x[2] } else { 0.0 };
        x[4] = if i % 3 == 0 { x[4].abs() } else { 0.0 };
    }
    round
}

/// Leaves that hold the same pairs. Thresholds may differ between two values that are neighbours in a node,
/// for one learner cuts between those and the other one between neighbours in the sample.
fn assert_same(found: &(PairTree, Vec<f64>), expected: &(PairTree, Vec<f64>)) {
    assert_eq!(found.0.nodes().len(), expected.0.nodes().len());
    let far = found.1.iter().zip(&expected.1).find(|(a, b)| (*a - *b).abs() > 1e-5 * (1.0 + b.abs()));
    assert_eq!(far, None);
}

#[test]
fn with_a_bin_a_value_it_is_the_exact_tree() {
    let round = simulated(900);
    let growth = PairGrowth::builder().max_depth(12).min_child_weight(3.0).reg_lambda(0.5).build().unwrap();
    let sorted = SortedColumns::new(round.matrix()).unwrap();
    let exact = round.train(&mut ExactPairTree::new(growth), &sorted);
    assert!(exact.0.nodes().len() > 100, "{} nodes", exact.0.nodes().len());
    for bins in [900, u16::MAX] {
        let contexts = BinnedContexts::with_bins(round.matrix(), bins).unwrap();
        assert!(contexts.listed_values() >= 3 * 900, "{}", contexts.listed_values());
        assert_same(&round.train(&mut HistogramPairTree::new(growth), &contexts), &exact);
    }
}

#[test]
fn a_column_of_256_values_is_bytes_and_one_of_257_is_listed() {
    for (values, listed) in [(256_u16, 0), (257, 514)] {
        let mut round = Simulated::new(12, 2 * usize::from(values), 1, 2);
        round.rows.iter_mut().zip(1_u16..).for_each(|(x, i)| x[0] = f64::from(i % values + 1));
        let contexts = BinnedContexts::with_bins(round.matrix(), 300).unwrap();
        assert_eq!(contexts.cuts(0).len(), usize::from(values) - 1);
        // No value is in the bin of 0 but the least one, which shares it.
        assert_eq!(contexts.listed_values(), if listed == 0 { 0 } else { listed - 2 });
        let growth =
            PairGrowth::builder().max_depth(20).min_child_weight(2.0).reg_lambda(0.0).build().unwrap();
        let sorted = SortedColumns::new(round.matrix()).unwrap();
        let exact = round.train(&mut ExactPairTree::new(growth), &sorted);
        assert_same(&round.train(&mut HistogramPairTree::new(growth), &contexts), &exact);
    }
}
