//! Ranks under a real `mpirun`: the tests start this program again, as so many ranks of one case.
//!
//! Reading order: `launch`; `as_rank`, the cases; `training`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may")]

mod as_rank;
mod launch;
mod training;

use launch::{Launch, RANKS, setting};
use std::time::Duration;

/// Under mpirun, a rank of the case that [`Launch`] names. Else that of operations, by a process that mpirun
/// has not started: it is one rank.
#[test]
fn rank() {
    match setting::<String>("CASE").as_deref() {
        None => Launch::alone("operations").succeed(),
        Some("operations") => as_rank::operations(),
        Some("other_operations") => as_rank::other_operations(),
        Some("other_lengths") => as_rank::other_lengths(),
        Some("other_runs") => as_rank::other_runs(),
        Some("leave_together") => as_rank::leave_together(),
        Some("leaves") => as_rank::leaves(),
        Some("panics") => as_rank::panics(),
        Some("stands_still") => as_rank::stands_still(),
        Some("does_not_end") => as_rank::does_not_end(),
        Some("is_killed") => as_rank::is_killed(),
        Some("training") => training::of_rank(),
        Some(other) => panic!("no case {other}"),
    }
}

#[test]
fn every_operation_is_that_of_threads() {
    for ranks in RANKS {
        // 1 << 26 is what a user has; with 50 every long message is cut.
        for largest in [1 << 26, 50] {
            Launch::of("operations", ranks).with("LARGEST", largest).succeed();
        }
    }
}

#[test]
fn ranks_at_different_operations_all_find_out() {
    for case in ["other_operations", "other_lengths", "other_runs"] {
        Launch::of(case, 3).succeed();
    }
}

#[test]
fn ranks_leave_together_with_one_code() {
    for ranks in [1, 3] {
        Launch::of("leave_together", ranks).succeed();
    }
}

#[test]
fn a_rank_that_leaves_ends_all() {
    for case in ["leaves", "panics"] {
        Launch::of(case, 3).succeed();
    }
}

#[test]
fn a_rank_that_stands_still_is_waited_for_no_longer_than_the_limit() {
    let end = Launch::of("stands_still", 3).run();
    assert!(!end.is_success, "{}", end.text);
    assert_eq!(end.text.matches("waited in vain").count(), 2, "{}", end.text);
    // The limit is 2 seconds; starting and ending is all the rest.
    assert!(end.took < Duration::from_secs(20), "{:?}", end.took);
}

#[test]
fn the_end_of_mpi_is_waited_for_no_longer_than_the_limit() {
    let end = Launch::of("does_not_end", 3).run();
    assert!(!end.is_success, "{}", end.text);
    assert_eq!(end.text.matches("ended alone").count(), 2, "{}", end.text);
    assert!(end.took < Duration::from_secs(20), "{:?}", end.took);
}

#[test]
fn a_killed_rank_ends_all() {
    let end = Launch::of("is_killed", 3).run();
    assert!(!end.is_success && !end.text.contains("went on"), "{}", end.text);
    // The limit is ten minutes.
    assert!(end.took < Duration::from_secs(20), "{:?}", end.took);
}
