//! Trees over pairs as functions, and samples that they cannot be grown on.

use crate::simulated::Simulated;
use rows::{Row, RowMatrix};
use weak_learners::LearnerError;
use weak_learners::batch::{BinnedColumns, SortedColumns};
use weak_learners::pairs::{BinnedContexts, ExactPairTree, PairGrowth, PairHypothesis, PairNode, PairTree};

/// Actions out of order, one that is asked for twice, and a chain behind a "yes": each walks as the nodes
/// say.
#[test]
fn every_action_walks_as_the_nodes_say() {
    let leaf = |value: f64| PairNode::Leaf { value };
    let ask = |action: u32, others: u32, this: u32| PairNode::Action { action, others, this };
    let nodes = vec![
        ask(3, 1, 4),
        ask(1, 2, 5),
        ask(3, 3, 6), // Action 3 has gone already.
        leaf(0.0),
        ask(2, 7, 8), // Action 3 alone comes here, and so goes to the others.
        PairNode::Context { feature: 0, threshold: 0.5, below: 9, rest: 10 },
        leaf(-7.0),
        leaf(30.0),
        leaf(-8.0),
        leaf(10.0),
        leaf(11.0),
    ];
    let tree = PairTree::new(1, 5, nodes).unwrap();
    for (x, of_1) in [(0.0, 10.0), (1.0, 11.0)] {
        let mut scores = [9.0; 5];
        tree.scores(Row::dense(&[x]).unwrap(), &mut scores).unwrap();
        assert_eq!(scores, [0.0, of_1, 0.0, 30.0, 0.0]);
    }
    let text = serde_json::to_string(&tree).unwrap();
    assert_eq!(serde_json::from_str::<PairTree>(&text).unwrap(), tree);
}

/// Rows that walk side by side, and a single pair, have the scores of a row alone, to the bit; rows that do
/// not fill the lanes, sparse rows and rows behind the first ones too.
#[test]
fn rows_side_by_side_have_the_scores_of_each() {
    let round = Simulated::new(4, 37, 3, 5);
    let growth = PairGrowth::builder().max_depth(7).min_child_weight(1.0).reg_lambda(0.1).build().unwrap();
    let contexts = SortedColumns::new(round.matrix()).unwrap();
    let (tree, _) = round.train(&mut ExactPairTree::new(growth), &contexts);
    assert!(tree.leaves() > 20);
    let dense = round.matrix();
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for x in dense.iter() {
        columns.extend(0..3_u32);
        values.extend(x.to_dense());
        offsets.push(columns.len());
    }
    let sparse = RowMatrix::sparse(3, offsets, columns, values).unwrap();
    for (matrix, from, count) in
        [(&dense, 0, 37), (&dense, 5, 16), (&dense, 36, 1), (&sparse, 0, 37), (&sparse, 3, 9)]
    {
        let before: Vec<f64> = (0..5 * count).map(|k| f64::from(k as u32) / 7.0).collect();
        let mut found = before.clone();
        tree.add_scores_of_rows(matrix, from, 0.3, &mut found).unwrap();
        let mut expected = before;
        for (i, scores) in expected.chunks_exact_mut(5).enumerate() {
            let x = matrix.row(from + i).unwrap();
            for (a, score) in scores.iter().enumerate() {
                let mut alone = [0.0; 5];
                tree.scores(x, &mut alone).unwrap();
                assert_eq!(tree.score(x, a).unwrap(), alone[a], "{score}");
            }
            tree.add_scores(x, 0.3, scores).unwrap();
        }
        assert_eq!(found, expected, "{count} rows from {from} on");
    }
    let x = dense.row(0).unwrap();
    assert!(matches!(tree.score(x, 5), Err(LearnerError::BadParameter { name: "action", .. })));
    let narrow = RowMatrix::dense(2, vec![0.0; 2]).unwrap();
    let refused = tree.add_scores_of_rows(&narrow, 0, 1.0, &mut [0.0; 5]);
    assert!(matches!(refused, Err(LearnerError::InputDimension { expected: 3, got: 2 })));
    assert!(tree.score(narrow.row(0).unwrap(), 0).is_err());
}

/// A sparse row may be of any dimension up to 2³² − 1; a column that nobody can make room for is refused
/// before anything is.
#[test]
fn more_columns_than_there_is_room_for() {
    for dimension in [(1 << 26) + 1, u32::MAX as usize] {
        let matrix = || RowMatrix::sparse(dimension, vec![0, 0], vec![], vec![]).unwrap();
        let refused = |error: LearnerError| {
            assert!(matches!(error, LearnerError::BadParameter { name: "columns", .. }), "{error}");
        };
        refused(SortedColumns::new(matrix()).unwrap_err());
        refused(BinnedColumns::new(matrix()).unwrap_err());
        refused(BinnedContexts::new(matrix()).unwrap_err());
        let text = serde_json::json!({ "matrix": serde_json::to_value(matrix()).unwrap(), "bins": 256 });
        assert!(serde_json::from_value::<BinnedContexts>(text).is_err());
    }
}
