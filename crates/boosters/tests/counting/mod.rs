//! The assertion that rounds after the first allocate nothing.

#[path = "../../../rows/tests/counting/mod.rs"]
mod allocator;

use allocator::allocations;
use std::error::Error;

pub(crate) type Outcome = Result<(), Box<dyn Error>>;

pub(crate) const ROUNDS: usize = 50;

/// The first of [`ROUNDS`] rounds may allocate, the others may not.
pub(crate) fn assert_only_the_first_allocates(
    what: &str,
    mut round: impl FnMut(usize) -> Outcome,
) -> Outcome {
    round(0)?;
    let before = allocations();
    (1..ROUNDS).try_for_each(&mut round)?;
    let allocated = allocations() - before;
    assert_eq!(allocated, 0, "{what}: {allocated} allocations in {} rounds", ROUNDS - 1);
    Ok(())
}
