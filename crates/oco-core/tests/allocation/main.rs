//! After the first round, a round allocates nothing: for every learner of this crate.

#[path = "../../../rows/tests/counting/mod.rs"]
mod counting;
mod adaptive_and_examples;
mod learners;
mod projection_free;

use counting::allocations;

/// Round 0 may allocate, rounds 1 to `rounds` − 1 may not.
fn assert_only_the_first_allocates<E>(
    what: &str,
    rounds: usize,
    mut round: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    round(0)?;
    let before = allocations();
    (1..rounds).try_for_each(&mut round)?;
    let allocated = allocations() - before;
    assert_eq!(allocated, 0, "{what}: {allocated} allocations in {} rounds", rounds - 1);
    Ok(())
}

#[test]
#[should_panic(expected = "49 allocations in 49 rounds")]
fn the_count_counts() {
    let _ = assert_only_the_first_allocates("a vector a round", 50, |t| {
        std::hint::black_box(vec![t]);
        Ok::<_, ()>(())
    });
}
