//! Borrowed feature rows, dense or sparse, checked once.
//!
//! Every learner of the workspace sees an example as a [`Row`]: a borrowed view that is finite, well-formed
//! and carries its squared norm. A row is checked once, when it is made; a booster shows it to a hundred weak
//! learners without another check. [`RowMatrix`] owns many rows, checks them when it is built, and lends them
//! at no cost.
//!
//! Reading order: [`Row`], [`RowMatrix`], [`Candidates`], [`Missing`], [`RowError`]. The arithmetic that all
//! crates share is in [`numeric`].
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

mod candidates;
mod error;
mod matrix;
mod missing;
mod row;
pub mod numeric;

pub use candidates::{Candidate, CandidateShape, Candidates, CandidatesBuilder};
pub use error::RowError;
pub use matrix::RowMatrix;
pub use missing::Missing;
pub use row::{Entries, Row, dot};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
