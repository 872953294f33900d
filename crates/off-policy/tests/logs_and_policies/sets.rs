//! Sets of actions against lists of them.

use off_policy::{ActionSet, ActionSets, LogError};
use proptest::prelude::*;

#[test]
fn every_refusal_of_a_set_names_its_row() {
    let none: [&[u32]; 0] = [];
    assert_eq!(ActionSets::new(0, none), Err(LogError::NoActions));
    assert!(ActionSets::new(3, none).unwrap().is_empty());
    assert_eq!(ActionSets::new(3, [&[0][..], &[]]), Err(LogError::EmptyActionSet { row: 1 }));
    let refused = LogError::ActionOutOfRange { row: 1, action: 3, actions: 3 };
    assert_eq!(ActionSets::new(3, [[0, 1], [2, 3]]), Err(refused));
    assert_eq!(ActionSet::all(0), Err(LogError::NoActions));
}

#[test]
fn a_number_of_actions_that_no_memory_holds_is_refused() {
    for actions in ["16777217", "4294967296", "18446744073709551615"] {
        let text = format!("{{\"actions\":{actions},\"rows\":[[0]]}}");
        let refused = serde_json::from_str::<ActionSets>(&text).map_err(|e| e.to_string());
        assert!(refused.is_err_and(|e| e.contains("do not fit into memory")));
    }
    let most = ActionSets::new(1 << 24, [[(1 << 24) - 1]]).unwrap();
    assert!(most.row(0).unwrap().contains((1 << 24) - 1));
}

proptest! {
    #[test]
    fn a_set_holds_what_was_listed(
        rows in prop::collection::vec(prop::collection::btree_set(0_u32..200, 1..60), 1..6),
        extra in 0_usize..70,
    ) {
        let actions = 200 + extra;
        let lists: Vec<Vec<u32>> = rows.iter().map(|set| set.iter().rev().copied().collect()).collect();
        let sets = ActionSets::new(actions, &lists).unwrap();
        prop_assert_eq!(sets.len(), rows.len());
        for (i, listed) in rows.iter().enumerate() {
            let set = sets.row(i).unwrap();
            let listed: Vec<usize> = listed.iter().map(|a| *a as usize).collect();
            prop_assert_eq!((set.len(), set.actions(), set.is_all()), (listed.len(), actions, false));
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), &listed[..]);
            for a in 0..actions + 70 {
                prop_assert_eq!(set.contains(a), listed.contains(&a));
            }
        }
        prop_assert!(sets.row(rows.len()).is_none() && sets.row(usize::MAX).is_none());
        let text = serde_json::to_string(&sets).unwrap();
        prop_assert_eq!(serde_json::from_str::<ActionSets>(&text).unwrap(), sets);
    }

    #[test]
    fn everything_is_on_offer_by_default(actions in 1_usize..300) {
        let all = ActionSet::all(actions).unwrap();
        prop_assert!(all.is_all() && !all.is_empty() && !all.contains(actions));
        prop_assert_eq!(all.len(), actions);
        prop_assert_eq!(all.iter().collect::<Vec<_>>(), (0..actions).collect::<Vec<_>>());
    }
}
