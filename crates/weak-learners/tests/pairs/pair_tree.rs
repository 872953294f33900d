//! Trees over pairs as functions, and samples that they cannot be grown on.

use rows::{Row, RowMatrix};
use weak_learners::LearnerError;
use weak_learners::batch::{BinnedColumns, SortedColumns};
use weak_learners::pairs::{BinnedContexts, PairHypothesis, PairNode, PairTree};

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
