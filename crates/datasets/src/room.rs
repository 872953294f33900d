//! A bound on the numbers that a caller asks for.

/// The most entries that a number may ask for: as many as a 32-bit index can tell apart.
pub(crate) const MOST: usize = u32::MAX as usize;

/// Whether `count` things of `bytes` each are at most [`MOST`], and the memory for them is there to be asked
/// for. Nothing is kept: what grows row by row would end the program where it stops to grow.
pub(crate) fn has_room(count: usize, bytes: usize) -> bool {
    count <= MOST && Vec::<u8>::new().try_reserve_exact(count.saturating_mul(bytes)).is_ok()
}
