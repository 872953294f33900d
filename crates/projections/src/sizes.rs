//! Vectors of a size that was asked for, not given.

use crate::ProjectionError;

/// The most entries of a vector that is made because a number asks for it: 2³² − 1, as many coordinates as a sparse
/// row has.
pub const LARGEST_SIZE: usize = u32::MAX as usize;

/// A vector of `size` copies of `value`, for the dimension or count that a constructor is called with.
///
/// A number may come from a damaged file or from a wrong column. It is refused above [`LARGEST_SIZE`] whatever the
/// machine, and below where the memory is not there, instead of ending the program.
///
/// ```
/// use projections::{LARGEST_SIZE, ProjectionError, filled};
/// assert_eq!(filled("dimension", 3, 0.5)?, [0.5; 3]);
/// let size = LARGEST_SIZE + 1;
/// assert_eq!(filled("dimension", size, 0.5), Err(ProjectionError::TooLarge { argument: "dimension", size }));
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
