//! After the first round, a round allocates nothing: for every learner of this crate.

// A global allocator cannot be written without it; this one hands every call on to the system's.
#![allow(unsafe_code, reason = "the counting allocator of this test")]

mod adaptive_and_examples;
mod learners;
mod projection_free;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread; other tests run in other threads.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to `System` unchanged. The counter is a thread-local without destructor and with a constant
// start, so counting neither allocates nor fails when a thread ends.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above; `block` came from `System`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Round 0 may allocate, rounds 1 to `rounds` − 1 may not.
fn assert_only_the_first_allocates<E>(
    what: &str,
    rounds: usize,
    mut round: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    round(0)?;
    let before = ALLOCATIONS.get();
    (1..rounds).try_for_each(&mut round)?;
    let allocated = ALLOCATIONS.get() - before;
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
