//! The numbers of an array of numpy where they are.

use numpy::{PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::ptr::NonNull;

/// The numbers of an array in C's order, in its own memory, which it keeps alive.
///
/// *Contract:* nobody writes to that memory as long as rows of it are asked for. `_lent.py` closes the array
/// and what it is a view of before it lends it, so that numpy refuses to write through them, and lends no
/// memory of others but what is fixed. A view that was made before stays open, and a mapped file can be
/// written to, or cut off, by others: who writes through those meanwhile breaks the contract, as with every
/// extension that reads arrays without Python's lock.
pub(crate) struct Lent {
    /// Keeps the numbers where they are.
    _array: Py<PyArray2<f64>>,
    numbers: NonNull<[f64]>,
}

impl Lent {
    /// `None` for an array in another order, or of numbers that are not aligned.
    pub(crate) fn of(array: &PyReadonlyArray2<'_, f64>) -> Option<Self> {
        let numbers = array.as_slice().ok().filter(|_| array.is_c_contiguous())?;
        Some(Self { _array: (**array).clone().unbind(), numbers: NonNull::from(numbers) })
    }
}

#[allow(
    unsafe_code,
    reason = "the numbers outlive the borrow of the array, which ends where Python's lock is given up: a \
              copy in its place is another n×m×8 bytes, which benches/peers/python_memory.py measures"
)]
mod memory {
    use super::Lent;

    impl AsRef<[f64]> for Lent {
        fn as_ref(&self) -> &[f64] {
            // SAFETY: `as_slice` has made the pointer of an aligned and contiguous array of doubles. The
            // array, which `self` owns a reference to, frees its memory with its last reference, and moves it
            // in `resize` alone: that is refused as long as there is a weak reference to the owner, which
            // `_lent.py` has, even with `refcheck=False`. (`__setstate__` and the deprecated assignment to
            // `data` free the memory of an array whoever reads it, those in numpy too.) Nobody writes to it,
            // by the contract of `Lent`.
            unsafe { self.numbers.as_ref() }
        }
    }

    // SAFETY: threads only read the numbers. The reference to the array is `Send`, and is not touched until
    // it is dropped, which pyo3 puts off until the thread has Python's lock.
    unsafe impl Send for Lent {}
    // SAFETY: as above.
    unsafe impl Sync for Lent {}
}
