//! Borrowed feature rows, dense or sparse, checked once.
//!
//! Every learner of the workspace sees an example as a [`Row`]: a borrowed view that is known to be finite and
//! well-formed, and that carries its squared norm. A row is checked where it is made, in one pass, so that a
//! booster that shows it to a hundred weak learners does not check it a hundred times. [`RowMatrix`] owns many rows,
//! checks them when it is built, and hands them out for nothing.
//!
//! Reading order: [`Row`], [`RowMatrix`], [`Missing`], [`RowError`].
//!
//! ```
//! use rows::{Row, RowMatrix};
//! let dense = Row::dense(&[1.0, 0.0, 2.0])?;
//! let sparse = Row::sparse(3, &[0, 2], &[1.0, 2.0])?;
//! let w = [0.5, 9.0, -1.0];
//! assert_eq!(dense.dot(&w), sparse.dot(&w));
//! assert_eq!(sparse.norm_squared(), 5.0);
//!
//! let matrix = RowMatrix::sparse(3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 7.0])?;
//! assert_eq!(matrix.row(0), Some(sparse));
//! # Ok::<(), rows::RowError>(())
//! ```

mod error;
mod matrix;
mod missing;
mod row;

pub use error::RowError;
pub use matrix::RowMatrix;
pub use missing::Missing;
pub use row::{Entries, Row, dot};
