//! Rounds and seconds are those of the first kept round that is as good.

use super::super::fixtures::{history, snapshot};
use super::*;

/// Rounds 1, 5 and 9, whose objectives and rewards are these.
fn played(numbers: [(f64, f64); 3]) -> History {
    let rounds = [1, 5, 9].into_iter().zip(numbers).map(|(round, (objective, reward))| Snapshot {
        reward,
        objective: Some(objective),
        seconds: Some(f64::from(round) / 4.0),
        ..snapshot(round, 0.0)
    });
    History { snapshots: rounds.collect(), rounds: 9, seconds: 2.25, ..history(numbers[2].1) }
}

#[test]
fn the_first_round_that_is_as_good_counts() {
    let other = played([(-0.25, 0.125), (-0.375, 0.5), (-0.5, 0.25)]);
    let fast = played([(-0.25, 0.25), (-0.5, 0.125), (-0.75, 0.75)]);
    assert_eq!(objective(&fast, &other), Some(Reached { round: 5, seconds: 1.25 }));
    assert_eq!(reward(&fast, &other), Some(Reached { round: 1, seconds: 0.25 }));
    // Not as good at the end; its own largest reward, in the middle, does not count for the other.
    assert_eq!((objective(&other, &fast), reward(&other, &fast)), (None, None));
}

#[test]
fn times_are_medians() {
    let at = |round: u32| Some(Reached { round, seconds: f64::from(round) / 2.0 });
    let of = |reached: &[Option<Reached>]| match times(reached) {
        [Cell::Text(rounds), Cell::Text(seconds)] => format!("{rounds}, {seconds} s"),
        [Cell::Text(nothing), Cell::Empty] => nothing,
        other => format!("{other:?}"),
    };
    assert_eq!(of(&[at(9), at(2), at(4)]), "4, 2.00 s");
    assert_eq!(of(&[at(9), None, at(4)]), "9 (2 of 3 did), 4.50 s");
    assert_eq!(of(&[at(9), None, None]), "not reached (1 of 3 did)");
}

#[test]
fn a_row_has_its_end_and_when_it_was_reached() {
    let trials = |numbers: [(f64, f64); 3]| [numbers; 2].map(|n| Arc::new(played(n))).to_vec();
    let reference = trials([(-0.25, 0.125), (-0.375, 0.5), (-0.5, 0.25)]);
    let mut second_order = trials([(-0.25, 0.25), (-0.5, 0.125), (-0.75, 0.75)]);
    let one = |method, histories| Played { method, histories };
    let of = |second_order: &Vec<_>| {
        let all = [one(Method::BoplSRegr, reference.clone()), one(Method::SecondOrder, second_order.clone())];
        table("scene", Provenance::Official, &all).unwrap().cells()
    };
    let row = ["2", "9", "2.25", "-0.5000", "0.2500", "5", "1.25", "1", "0.250"];
    assert_eq!(of(&second_order)[0][1..], row);
    assert_eq!(of(&second_order)[1][..6], ["ours: second order", "2", "9", "2.25", "-0.7500", "0.7500"]);
    second_order[1] = Arc::new(played([(-0.25, 0.0), (-0.25, 0.0), (-0.25, 0.0)]));
    let missed = "not reached (1 of 2 did)";
    assert_eq!(of(&second_order)[0][6..], [missed, "–", missed, "–"]);
}
