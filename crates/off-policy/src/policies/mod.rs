//! Policies.
//!
//! Reading order: [`Policy`] and [`Scores`], the contracts; [`Softmax`] and [`Argmax`] of scores, [`Tabular`] scores.

mod policy;
mod softmax;
mod argmax;
mod tabular;

pub use argmax::{Argmax, argmax};
pub use policy::{Policy, Scores};
pub use softmax::{Softmax, softmax};
pub use tabular::Tabular;
