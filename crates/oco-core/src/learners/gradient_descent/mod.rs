//! Gradient descent: active, lazy, with a composite objective, and with a step for each coordinate.

mod ogd;
mod lazy_ogd;
mod comid;
mod adagrad;

pub use adagrad::AdaGrad;
pub use comid::Comid;
pub use lazy_ogd::LazyOgd;
pub use ogd::Ogd;
