//! Many classes: a run of boosting a column of an output code \[DB95\], \[ASS00\].
//!
//! Reading order: [`OutputCode`], the bits of each class; [`ClassExamples`]; [`Multiclass`], the runs;
//! [`MulticlassVote`], their result; [`Decoding`], from scores to a class.

use super::examples::check_weights;
use super::{BoostError, BoostStop, BoostingRun, CodeError, Ensemble, Examples, Reweighting, Stopping};

mod output_code;
mod class_examples;
mod columns;
mod vote;

pub use class_examples::ClassExamples;
pub use columns::Multiclass;
pub use output_code::OutputCode;
pub use vote::{Assessment, Decoding, MulticlassVote};
