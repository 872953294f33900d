//! Propensities of a log whose rows are those of several ranks: those of one process, to the bit.

use ocoboost::{EstimatedPropensities, JobError, estimate_propensities, estimate_propensities_of_rank};
use off_policy::{ActionSets, LogError};
use ranks::{Ranks, on_threads};
use rows::RowMatrix;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);
const ROWS: usize = 260;
const ACTIONS: u32 = 3;

/// A column or two, actions that depend on them, and the sets of some of the rows.
fn columns(is_sparse: bool) -> (RowMatrix, Vec<u32>, ActionSets) {
    let x = |i: usize| (1.3 * i as f64).sin();
    let contexts = if is_sparse {
        RowMatrix::sparse(
            2,
            (0..=ROWS).collect(),
            (0..ROWS).map(|i| u32::from(i % 2 == 1)).collect(),
            (0..ROWS).map(x).collect(),
        )
    } else {
        RowMatrix::dense(2, (0..ROWS).flat_map(|i| [x(i), x(3 * i)]).collect())
    };
    let by_lot = |i: usize| ((i * 7919) % 101) as f64 / 101.0;
    let action = |i: usize| if by_lot(i) < 0.5 + 0.6 * x(i) { 0 } else { 1 + u32::from(i / 5 % 2 == 1) };
    let actions: Vec<u32> = (0..ROWS).map(action).collect();
    let set = |i: usize| {
        (0..ACTIONS).filter(|a| *a == actions[i] || !(i + *a as usize).is_multiple_of(4)).collect()
    };
    let sets: Vec<Vec<u32>> = (0..ROWS).map(set).collect();
    (contexts.unwrap(), actions, ActionSets::new(ACTIONS as usize, sets).unwrap())
}

fn own(ranks: &Ranks) -> Range<usize> {
    // The first rank has most of the rows.
    let begin = |rank: usize| if rank == 0 { 0 } else { ROWS - 10 * (ranks.size() - rank) };
    begin(ranks.rank())..begin(ranks.rank() + 1)
}

fn of_rank(
    (contexts, actions, sets): (&RowMatrix, &[u32], Option<&ActionSets>),
    ranks: &Ranks,
    mut watch: impl FnMut() -> ControlFlow<()>,
) -> Result<EstimatedPropensities, JobError> {
    let rows = own(ranks);
    let sets = sets.map(|sets| {
        let of =
            |i: usize| sets.row(i).unwrap().iter().map(|a| u32::try_from(a).unwrap()).collect::<Vec<u32>>();
        ActionSets::new(ACTIONS as usize, rows.clone().map(of)).unwrap()
    });
    let contexts = contexts.select(rows.clone()).unwrap();
    estimate_propensities_of_rank(
        &contexts,
        &actions[rows],
        ACTIONS as usize,
        sets.as_ref(),
        5,
        (ranks, &mut watch),
    )
}

#[test]
fn ranks_change_no_bit_of_an_estimate() {
    for (is_sparse, has_sets) in [(false, false), (false, true), (true, false)] {
        let (contexts, actions, sets) = columns(is_sparse);
        let sets = has_sets.then_some(&sets);
        let whole = estimate_propensities(&contexts, &actions, ACTIONS as usize, sets, 5).unwrap();
        assert!(whole.cross_entropy() < whole.cross_entropy_of_shares(), "the columns tell nothing");
        for size in [1, 2, 3, 7] {
            let found = on_threads(size, LIMIT, |ranks: Ranks| {
                let found = of_rank((&contexts, &actions, sets), &ranks, || ControlFlow::Continue(()));
                // All fields, the refits included.
                (found.unwrap(), whole.select(&own(&ranks).collect::<Vec<_>>()).unwrap())
            });
            for (rank, found) in found.into_iter().enumerate() {
                let (found, expected) = found.unwrap();
                assert!(found == expected, "rank {rank} of {size}, sparse {is_sparse}, sets {has_sets}");
                assert_eq!(found.cross_entropy().to_bits(), whole.cross_entropy().to_bits());
            }
        }
    }
}

#[test]
fn what_one_rank_meets_ends_the_work_of_all() {
    let (contexts, actions, sets) = columns(false);
    // The watcher of one rank, after its second fit.
    let found = on_threads(3, LIMIT, |ranks: Ranks| {
        let mut asked = 0;
        let watch = || {
            asked += 1;
            if ranks.rank() == 1 && asked == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = of_rank((&contexts, &actions, Some(&sets)), &ranks, watch);
        (found.map(|_| ()), asked)
    });
    assert_eq!(found, vec![Some((Err(JobError::Interrupted), 2)); 3]);
    // A bad action of the last rank.
    let mut bad = actions.clone();
    bad[ROWS - 1] = ACTIONS;
    let found = on_threads(2, LIMIT, |ranks: Ranks| {
        of_rank((&contexts, &bad, None), &ranks, || ControlFlow::Continue(())).map(|_| ())
    });
    let own = JobError::Log(LogError::ActionOutOfRange { row: 9, action: 3, actions: 3 });
    let failed = ranks::RankError::Failed { rank: 1, reason: own.to_string() };
    assert_eq!(found[1], Some(Err(own)));
    assert!(format!("{:?}", found[0]).contains(&format!("{failed:?}")), "{found:?}");
}
