//! Loops with the vector instructions of the machine.

use pulp::{Arch, Simd, WithSimd};

/// Runs loops that are compiled for the vector instructions that this machine turns out to have: AVX-512,
/// AVX2, or those that every machine of the architecture has.
///
/// Results do not depend on them: the compiler keeps the order of sums, and fuses no product with a sum. What
/// compiles to them is a `for` loop without branches over slices of one length, in a closure marked
/// `#[inline(always)]`. A call that is not inlined does not, and `for_each` is such a call more often than
/// not. *Cost:* a few nanoseconds to choose.
///
/// ```
/// use rows::numeric::vectorised;
/// let mut values = [1.0, 2.0];
/// vectorised(
///     #[inline(always)]
///     || {
///         for v in &mut values {
///             *v *= 2.0;
///         }
///     },
/// );
/// assert_eq!(values, [2.0, 4.0]);
/// ```
#[inline(always)]
pub fn vectorised<R>(loops: impl FnOnce() -> R) -> R {
    struct Loops<F>(F);
    impl<R, F: FnOnce() -> R> WithSimd for Loops<F> {
        type Output = R;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    Arch::new().dispatch(Loops(loops))
}
