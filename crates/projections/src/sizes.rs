//! Allocation of vectors whose size is a parameter.

use crate::ProjectionError;

/// The most entries of a vector whose size is a parameter: 2³² − 1, the largest dimension of a sparse row.
pub const LARGEST_SIZE: usize = u32::MAX as usize;

/// A vector of `size` copies of `value`, for a dimension or count passed to a constructor.
///
/// The number may come from a damaged file. It is refused above [`LARGEST_SIZE`] on every machine, and also
/// if the memory is not available, instead of ending the program.
///
/// ```
/// use projections::{LARGEST_SIZE, ProjectionError, filled};
/// assert_eq!(filled("dimension", 3, 0.5)?, [0.5; 3]);
/// let size = LARGEST_SIZE + 1;
/// assert_eq!(filled("n", size, 0.5), Err(ProjectionError::TooLarge { argument: "n", size }));
/// # Ok::<(), ProjectionError>(())
/// ```
///
/// # Errors
/// [`ProjectionError::TooLarge`].
pub fn filled<T: Clone>(argument: &'static str, size: usize, value: T) -> Result<Vec<T>, ProjectionError> {
    let mut values = Vec::new();
    if size > LARGEST_SIZE || values.try_reserve_exact(size).is_err() {
        return Err(ProjectionError::TooLarge { argument, size });
    }
    values.resize(size, value);
    Ok(values)
}
