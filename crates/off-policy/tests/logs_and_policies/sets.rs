//! Sets of actions against lists of them.

use off_policy::estimators::{Bootstrap, EstimatorSettings, Resampling, Tables};
use off_policy::policies::{MultinomialLogistic, Uniform};
use off_policy::readers::{ActionCoding, ContextColumns, CsvColumns, Outcome, read_csv};
use off_policy::{ActionSet, ActionSets, LabelError, LabelSets, Log, LogError, RewardStructure, Rewards};
use proptest::prelude::*;
use rows::RowMatrix;

/// The largest |A|.
const MOST: usize = 1 << 24;

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
    let refused = |found: serde_json::Result<()>| {
        assert!(found.as_ref().is_err_and(|e| e.to_string().contains("more than 16777216")), "{found:?}");
    };
    for actions in ["16777217", "4294967296", "18446744073709551615"] {
        refused(
            serde_json::from_str::<ActionSets>(&format!("{{\"actions\":{actions},\"rows\":[[0]]}}"))
                .map(|_| ()),
        );
        refused(
            serde_json::from_str::<ActionSets>(&format!("{{\"actions\":{actions},\"rows\":[]}}")).map(|_| ()),
        );
        refused(serde_json::from_str::<Uniform>(&format!("{{\"actions\":{actions}}}")).map(|_| ()));
        let log =
            Log::new(RowMatrix::dense(1, vec![0.0]).unwrap(), 7, vec![6], vec![0.5], Rewards(vec![1.0]));
        let text = serde_json::to_string(&log.unwrap()).unwrap();
        let tampered = text.replace("\"action_count\":7", &format!("\"action_count\":{actions}"));
        assert_ne!(tampered, text);
        refused(serde_json::from_str::<Log>(&tampered).map(|_| ()));
    }
    let contexts = || RowMatrix::dense(1, vec![0.0]).unwrap();
    let csv = CsvColumns {
        contexts: ContextColumns::Remaining,
        categories: Vec::new(),
        action: "a".into(),
        coding: ActionCoding::Index(0),
        on_offer: None,
        propensity: "p".into(),
        outcome: Outcome::Reward("r".into()),
    };
    for actions in [MOST + 1, 1 << 40, (1 << 53) + 1, usize::MAX] {
        let tables = Tables::new(actions, &[0], &[1.0], &[1.0], &[1.0], None);
        let coded = CsvColumns { coding: ActionCoding::Index(actions), ..csv.clone() };
        let none: [&[u32]; 0] = [];
        for (what, is_refused) in [
            ("ActionSets", ActionSets::new(actions, none).is_err()),
            ("ActionSet", ActionSet::all(actions).is_err()),
            ("Uniform", Uniform::new(actions).is_err()),
            ("Log", Log::new(contexts(), actions, vec![0], vec![1.0], Rewards(vec![1.0])).is_err()),
            ("LabelSets", LabelSets::new(actions, none).is_err()),
            ("RewardStructure", RewardStructure::one_of_the_labels(actions).is_err()),
            ("MultinomialLogistic", MultinomialLogistic::new(actions, vec![0.0], vec![0.0]).is_err()),
            ("Tables", tables.is_err()),
            ("read_csv", read_csv("x,a,p,r\n0,0,1,1\n".as_bytes(), &coded).is_err()),
        ] {
            assert!(is_refused, "{what} with {actions}");
        }
    }
    let tables = Tables::new(1, &[0], &[1.0], &[1.0], &[1.0], None).unwrap();
    for replicates in [(1 << 20) + 1, u32::MAX] {
        assert!(
            Bootstrap::of(&tables, EstimatorSettings::default(), Resampling { replicates, seed: 1 }).is_err()
        );
    }
    let (actions, limit) = (MOST + 1, MOST);
    assert_eq!(ActionSet::all(actions), Err(LogError::TooManyActions { actions, limit }));
    let none: [&[u32]; 0] = [];
    assert_eq!(LabelSets::new(actions, none), Err(LabelError::TooManyClasses { classes: actions, limit }));
    let tables = Tables::new(actions, &[0], &[1.0], &[1.0], &[1.0], None);
    assert_eq!(tables, Err(LogError::TooManyActions { actions, limit }.into()));
    // Up to there a set costs what is listed: with a bit an action, these would be 8 GiB.
    let last = u32::try_from(MOST - 1).unwrap();
    let most = ActionSets::new(MOST, (0..4096).map(|_| [last])).unwrap();
    let set = most.row(4095).unwrap();
    assert_eq!((set.len(), set.iter().last()), (1, Some(MOST - 1)));
    assert!(set.contains(MOST - 1) && !set.contains(MOST) && !set.contains(usize::MAX));
    assert!(Uniform::new(MOST).is_ok() && ActionSet::all(MOST).is_ok());
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
