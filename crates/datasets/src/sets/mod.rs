//! One reader a data set.

pub mod abalone;
pub mod adult;
pub mod breast_cancer;
pub mod census;
pub mod covertype;
pub mod fashion;
pub mod ionosphere;
pub mod letter;
mod multilabel;
pub mod open_bandit;
pub mod scene;
pub mod slice;
pub mod spambase;
pub mod tmc;

pub use census::CensusCoding;
