//! Many classes: a run of boosting a column of an output code \[DB95\], \[ASS00\].
//!
//! Reading order: [`OutputCode`], which bits stand for a class; [`ClassExamples`]; [`Multiclass`], the runs;
//! [`MulticlassVote`], what they end with; [`Decoding`], from scores to a class.

use super::examples::check_weights;
use super::{BoostError, BoostingRun, Ensemble, Examples, Reweighting, Stop, Stopping};

mod output_code;
mod class_examples;
mod columns;
mod vote;
mod decoding;
mod error;

pub use class_examples::ClassExamples;
pub use columns::Multiclass;
pub use decoding::Decoding;
pub use error::CodeError;
pub use output_code::OutputCode;
pub use vote::{Assessment, MulticlassVote};
