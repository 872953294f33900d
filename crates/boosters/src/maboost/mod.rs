//! MABoost: boosting as mirror ascent over distributions of the examples \[NP14\].
//!
//! Reading order: [`BoostingRun`], the loop shared by all algorithms, on [`Examples`]; [`Reweighting`], the
//! part that an algorithm supplies. [`MirrorAscent`] is MABoost, with a [`Schedule`] of steps, an [`Update`]
//! and a [`BoostingMap`]; [`SmoothBoost`] and [`CombinedBoost`] are its sets, [`LazySparseBoost`] its steps.
//! Then [`SparseBoost`], [`MadaBoost`] and [`AdaBoost`]. [`Stopping`], [`Watch`] and [`Validation`] end a
//! run. Its result is an [`Ensemble`], with [`NormalisedVote`] and [`MarginDistribution`]. [`Multiclass`] is
//! a run for each column of an [`OutputCode`].
//!
//! From a matrix and labels to a saved model:
//!
//! ```
//! use boosters::maboost::{AdaBoost, BoostingRun, Ensemble, Examples, Stopping};
//! use boosters::saved::{load, save};
//! use rows::{Row, RowMatrix};
//! use weak_learners::Label;
//! use weak_learners::batch::{BinnedColumns, BinnedTree, LeafAnswer, Tree};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("model.json");
//! let matrix = RowMatrix::dense(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])?;
//! let labels = [-1.0, 1.0, 1.0, -1.0].map(Label::new).into_iter().collect::<Result<Vec<_>, _>>()?;
//!
//! let sample = BinnedColumns::new(matrix)?;
//! let examples = Examples::uniform(labels)?;
//! let ada = AdaBoost::new(&examples)?;
//! let mut run = BoostingRun::new(examples, BinnedTree::new(2, LeafAnswer::Sign, 0.0)?, ada)?;
//! let why = run.run(&sample, &Stopping::after(100).at_error(0.01)?)?;
//! println!("{why:?} after {} rounds, training error {}", run.record().len(), run.error());
//! save(&path, "maboost-ensemble", run.ensemble())?;
//!
//! let model: Ensemble<Tree> = load(&path, "maboost-ensemble")?;
//! assert_eq!(model.sign(Row::dense(&[1.0, 1.0])?)?, Label::Minus);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod run;
mod reweighting;
mod examples;
mod mirror_ascent;
mod mirror_map;
mod smooth;
mod combined;
mod lazy_sparse;
mod sparse_boost;
mod mada_boost;
mod ada_boost;
mod stopping;
mod watch;
mod validation;
mod ensemble;
mod margins;
mod multiclass;
mod error;

pub use ada_boost::AdaBoost;
pub use combined::CombinedBoost;
pub use ensemble::{Ensemble, NormalisedVote};
pub use error::{BoostError, CodeError};
pub use examples::Examples;
pub use lazy_sparse::LazySparseBoost;
pub use mada_boost::MadaBoost;
pub use margins::MarginDistribution;
pub use mirror_ascent::{Active, Lazy, MirrorAscent, Schedule, Update};
pub use mirror_map::{BoostingMap, Step};
pub use multiclass::{Assessment, ClassExamples, Decoding, Multiclass, MulticlassVote, OutputCode};
pub use reweighting::{Answer, Promise, Reweighting, WeightSet};
pub use run::{BoostingRun, Round};
pub use smooth::SmoothBoost;
pub use sparse_boost::{SparseBoost, Sparsity};
pub use stopping::{BoostStop, Stopping};
pub use validation::Validation;
pub use watch::Watch;
