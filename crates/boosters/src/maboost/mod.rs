//! MABoost: boosting as mirror ascent over distributions of the examples \[NP14\].
//!
//! Reading order: [`BoostingRun`], the loop that every algorithm here shares; [`Reweighting`], what an algorithm adds to
//! it; [`MirrorAscent`], which is MABoost, with the sets of [`SmoothBoost`] and [`CombinedBoost`]; [`SparseBoost`],
//! [`MadaBoost`] and [`AdaBoost`]; [`Ensemble`], what comes out.

mod run;
mod loaded;
mod reweighting;
mod examples;
mod mirror_ascent;
mod update;
mod mirror_map;
mod smooth;
mod combined;
mod lazy_sparse;
mod sparse_boost;
mod mada_boost;
mod ada_boost;
mod ensemble;
mod stop;
mod error;

pub use ada_boost::AdaBoost;
pub use combined::CombinedBoost;
pub use ensemble::Ensemble;
pub use error::BoostError;
pub use examples::Examples;
pub use lazy_sparse::LazySparseBoost;
pub use mada_boost::MadaBoost;
pub use mirror_ascent::{MirrorAscent, Schedule};
pub use mirror_map::{BoostingMap, Step};
pub use reweighting::{Answer, Promise, Reweighting, WeightSet};
pub use run::{BoostingRun, Round};
pub use smooth::SmoothBoost;
pub use sparse_boost::{SparseBoost, Sparsity};
pub use stop::Stop;
pub use update::{Active, Lazy, Update};
