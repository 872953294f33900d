//! What a log refuses, in which row and column, and that it comes back as it was saved.

use off_policy::{ActionSets, Costs, Log, LogError, Rewards};
use proptest::prelude::*;
use proptest::sample::select;
use rows::RowMatrix;

fn contexts(n: usize) -> RowMatrix {
    RowMatrix::dense(2, (0..2 * n).map(|k| k as f64 / 7.0).collect()).unwrap()
}

fn log() -> Log {
    let rewards = Rewards(vec![0.1 + 0.2, -1e-300, 1e140]);
    Log::new(contexts(3), 4, vec![3, 0, 2], vec![0.1, 1.0, f64::MIN_POSITIVE], rewards).unwrap()
}

#[test]
fn every_refusal_names_the_row_and_the_value() {
    let make = |actions: Vec<u32>, p: Vec<f64>, r: Vec<f64>| Log::new(contexts(2), 3, actions, p, Rewards(r));
    let (a, p, r) = (vec![0, 2], vec![0.5, 1.0], vec![1.0, 0.0]);
    assert!(make(a.clone(), p.clone(), r.clone()).is_ok());
    let range = LogError::ActionOutOfRange { row: 1, action: 3, actions: 3 };
    assert_eq!(make(vec![0, 3], p.clone(), r.clone()), Err(range));
    for value in [0.0, -0.0, -0.25, 1.0 + f64::EPSILON] {
        let refused = make(a.clone(), vec![1.0, value], r.clone());
        assert_eq!(refused, Err(LogError::BadPropensity { row: 1, value }));
    }
    for value in [f64::INFINITY, f64::NEG_INFINITY] {
        let column = LogError::NotFinite { row: 0, column: "propensity", value };
        assert_eq!(make(a.clone(), vec![value, 1.0], r.clone()), Err(column));
        let column = LogError::NotFinite { row: 1, column: "reward", value };
        assert_eq!(make(a.clone(), p.clone(), vec![0.0, value]), Err(column));
    }
    let nan = make(a.clone(), p.clone(), vec![f64::NAN, 0.0]);
    assert!(matches!(nan, Err(LogError::NotFinite { row: 0, column: "reward", .. })));
    let short = |column, got| Err(LogError::LengthMismatch { column, expected: 2, got });
    assert_eq!(make(vec![0; 3], p.clone(), r.clone()), short("action", 3));
    assert_eq!(make(a.clone(), vec![1.0], r.clone()), short("propensity", 1));
    assert_eq!(make(a.clone(), p.clone(), vec![]), short("reward", 0));
    assert_eq!(Log::new(contexts(2), 0, a, p, Rewards(r)), Err(LogError::NoActions));
    assert_eq!(Log::new(contexts(0), 3, vec![], vec![], Rewards(vec![])), Err(LogError::Empty));
}

#[test]
fn the_sets_of_a_log_are_of_its_rows_and_hold_its_actions() {
    let sets = |actions, rows: &[&[u32]]| ActionSets::new(actions, rows).unwrap();
    let refused = |sets| log().with_action_sets(sets).unwrap_err();
    let of_other_actions = sets(5, &[&[3], &[0], &[2]]);
    assert_eq!(refused(of_other_actions), LogError::ActionCount { expected: 4, got: 5 });
    let shorter = sets(4, &[&[3], &[0]]);
    assert_eq!(refused(shorter), LogError::LengthMismatch { column: "action set", expected: 3, got: 2 });
    let without = sets(4, &[&[3], &[1, 2], &[2]]);
    assert_eq!(refused(without), LogError::NotOnOffer { row: 1, action: 0 });
    let log = log().with_action_sets(sets(4, &[&[3], &[0, 1], &[2]])).unwrap();
    assert_eq!(log.row(1).unwrap().on_offer.iter().collect::<Vec<_>>(), [0, 1]);
    assert!(log.row(3).is_none() && log.on_offer(3).is_all());
}

#[test]
fn a_log_without_sets_offers_everything_and_lists_its_rows() {
    let log = log();
    let rows: Vec<_> = log.iter().map(|row| (row.action, row.propensity, row.on_offer.len())).collect();
    assert_eq!(rows, [(3, 0.1, 4), (0, 1.0, 4), (2, f64::MIN_POSITIVE, 4)]);
    assert_eq!((log.len(), log.inputs(), log.is_empty()), (3, 2, false));
}

#[test]
fn costs_are_negated_rewards_and_translation_adds() {
    let costs = Log::new(contexts(2), 2, vec![0, 1], vec![1.0; 2], Costs(vec![0.0, 2.5])).unwrap();
    assert_eq!(costs.rewards()[0].to_bits(), 0.0_f64.to_bits());
    assert_eq!(costs.rewards(), [0.0, -2.5]);
    assert_eq!(costs.translated(-0.5).unwrap().rewards(), [-0.5, -3.0]);
    let refused = log().translated(1e140);
    assert_eq!(refused, Err(LogError::TooLarge { row: 2, column: "reward", value: 2e140 }));
    let refused = log().translated(f64::INFINITY);
    assert!(matches!(refused, Err(LogError::NotFinite { row: 0, column: "reward", .. })));
}

#[test]
fn a_saved_log_comes_back_bit_for_bit_and_a_changed_one_is_refused() {
    let sets = ActionSets::new(4, [[3, 1], [0, 2], [2, 3]]).unwrap();
    let log = log().with_action_sets(sets).unwrap();
    let text = serde_json::to_string(&log).unwrap();
    let back: Log = serde_json::from_str(&text).unwrap();
    assert_eq!(back, log);
    assert_eq!(back.rewards()[0].to_bits(), (0.1_f64 + 0.2).to_bits());
    let changes = [
        ("\"actions\":[3,0,2]", "\"actions\":[3,0,4]"),
        ("\"actions\":[3,0,2]", "\"actions\":[3,1,2]"), // not on offer
        ("\"actions\":[3,0,2]", "\"actions\":[3,0]"),
        ("[0.1,1.0,", "[0.1,1.5,"),
        ("[0.1,1.0,", "[0.0,1.0,"),
        ("\"action_count\":4", "\"action_count\":0"),
        ("\"action_count\":4", "\"action_count\":5"),
        ("[2,3]]", "[2,4]]"),
        ("[2,3]]", "[]]"),
    ];
    for (from, to) in changes {
        assert!(text.contains(from), "{from} is not in {text}");
        assert!(serde_json::from_str::<Log>(&text.replacen(from, to, 1)).is_err(), "{from} → {to}");
    }
    for end in 0..text.len() {
        assert!(serde_json::from_str::<Log>(&text[..end]).is_err());
    }
}

const NUMBERS: &[f64] =
    &[0.0, 1.0, 0.5, -1.0, 2.0, 1e139, -1e139, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

proptest! {
    #[test]
    fn nothing_panics_and_what_is_accepted_is_as_stated(
        n in 0_usize..5,
        count in 0_usize..4,
        actions in prop::collection::vec(0_u32..4, 0..5),
        p in prop::collection::vec(select(NUMBERS), 0..5),
        r in prop::collection::vec(select(NUMBERS), 0..5),
        sets in prop::collection::vec(prop::collection::vec(0_u32..4, 0..4), 0..5),
        b in select(NUMBERS),
    ) {
        let made = Log::new(contexts(n), count, actions.clone(), p.clone(), Rewards(r.clone()));
        let lengths = n > 0 && [actions.len(), p.len(), r.len()] == [n; 3];
        let ranges = actions.iter().all(|a| (*a as usize) < count)
            && p.iter().all(|p| *p > 0.0 && *p <= 1.0)
            && r.iter().all(|r| r.is_finite());
        prop_assert_eq!(made.is_ok(), lengths && ranges);
        let Ok(log) = made else { return Ok(()) };
        let translated = log.translated(b);
        prop_assert_eq!(translated.is_ok(), log.rewards().iter().all(|r| (r + b).is_finite()));
        if let Ok(sets) = ActionSets::new(count, &sets) {
            let offered = |(i, a): (usize, &u32)| sets.row(i).is_some_and(|set| set.contains(*a as usize));
            let fits = sets.len() == n && actions.iter().enumerate().all(offered);
            prop_assert_eq!(log.with_action_sets(sets).is_ok(), fits);
        }
    }
}
