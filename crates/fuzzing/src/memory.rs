//! An allocator that counts: the memory of a case is bounded by a stated multiple of its input.

// A global allocator needs unsafe code; this one forwards every call to the system's.
#![allow(unsafe_code, reason = "the counting allocator of the fuzzing programs")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that are allocated now, in all threads.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// The most of them since [`measured`] began.
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with a count of its bytes. A program that installs it has the law of memory.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: fuzzing::Counting = fuzzing::Counting;
/// let (block, peak) = fuzzing::measured(|| vec![0_u8; 1 << 20]);
/// assert!(block.len() == 1 << 20 && (1 << 20..1 << 21).contains(&peak));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Counting;

/// A block of so many bytes. An allocation that failed is none.
fn grown(block: *mut u8, bytes: usize) {
    if block.is_null() {
        return;
    }
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes);
    if live > PEAK.load(Ordering::Relaxed) {
        PEAK.fetch_max(live, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to `System` unchanged. Counting touches two atomics and neither allocates nor
// fails.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` requires.
        let block = unsafe { System.alloc(layout) };
        grown(block, layout.size());
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let block = unsafe { System.alloc_zeroed(layout) };
        grown(block, layout.size());
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above; `block` came from `System`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            // Both blocks are there while the bytes move.
            grown(moved, size);
            LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        moved
    }
}

/// A value, and the most bytes that were allocated beyond those before while it was computed. 0 where
/// [`Counting`] is not installed.
pub fn measured<T>(compute: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let value = compute();
    (value, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

/// The stated most memory of a case: `fixed + per_byte * length` bytes, beyond what the prepared target has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Bytes whatever the input is.
    pub fixed: usize,
    /// Bytes for each byte of the input.
    pub per_byte: usize,
}

impl Memory {
    /// The most bytes for an input of this length.
    #[must_use]
    pub fn most(&self, length: usize) -> usize {
        self.fixed.saturating_add(self.per_byte.saturating_mul(length))
    }
}
