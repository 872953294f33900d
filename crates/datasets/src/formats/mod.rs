//! The formats of data files.

pub mod arff;
pub mod idx;
pub(crate) mod table;
