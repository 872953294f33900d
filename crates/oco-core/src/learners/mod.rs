//! Learners that are told a gradient, a file each.

mod lazy_ogd;
mod ogd;

pub use lazy_ogd::LazyOgd;
pub use ogd::Ogd;
