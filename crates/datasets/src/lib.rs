//! Data sets as learners want them: readers, encoders, orders and synthetic generators.
//!
//! [`load`] reads an official data set from a folder of the [`SearchPath`], checks its SHA-256, and returns a
//! [`Dataset`] with one-hot columns in place and numbers unscaled; where the files are absent it draws a
//! stand-in of the same shape and says so. Encoders are fitted on the tuning half only, so nothing of the
//! reporting half leaks. This is the only library crate of the workspace that reads files, and it knows
//! nothing of learners.
//!
//! Reading order: [`Name`], [`load`], [`Dataset`], the readers ([`abalone`], [`adult`], [`census`],
//! [`letter`], [`mod@slice`], [`breast_cancer`], [`ionosphere`], [`spambase`]), the encoders
//! ([`Standardiser`], [`MinMax`], [`OneHot`], [`with_constant`], [`signs`], [`TargetRange`]),
//! [`permutation`], [`synthetic`], and behind them [`SearchPath`] and the manifest of [`OfficialFile`]s. For
//! off-policy learning: [`ClassificationName`], [`load_classification`], [`Classification`], [`Split`], the
//! readers ([`covertype`], [`fashion`], [`scene`], [`tmc`]), the formats ([`arff`], [`idx`]), and
//! [`open_bandit`], whose logs are real.
//!
//! ```
//! use datasets::{Name, SearchPath, StandIn, Standardiser, load, permutation, split_halves, with_constant};
//! let adult = load(Name::Adult, &SearchPath::nowhere(), StandIn { seed: 1, rows: Some(1000) })?;
//! let order = permutation(adult.len(), 1, 0)?;
//! let (tuning, reporting) = split_halves(&order);
//! let scaler = Standardiser::fit(&adult.features, tuning, &adult.numeric_columns)?;
//! let features = with_constant(&scaler.apply(&adult.features)?)?;
//! let labels = datasets::signs(&adult.targets, &[1])?;
//! assert_eq!((features.len(), features.dimension()), (1000, 106));
//! assert_eq!((labels.len(), tuning.len(), reporting.len()), (1000, 500, 500));
//! # Ok::<(), datasets::DataError>(())
//! ```

mod classification;
mod dataset;
mod encode;
mod error;
mod files;
mod formats;
mod load;
mod names;
mod order;
mod room;
mod sets;
mod split;
pub mod synthetic;

pub use classification::{ByteMatrix, Classification, Contexts, Labels};
pub use dataset::{Dataset, Provenance, SourceFile, Targets};
pub use encode::{MinMax, OneHot, Standardiser, TargetRange, indicators, signs, with_constant};
pub use error::{ArchiveProblem, ArffProblem, DataError, EncodeError, IdxProblem, LabelsError};
pub use files::{Home, OfficialFile, SearchPath, unpack_single_member, verify};
pub use formats::{arff, idx};
pub use load::{load, load_census, load_classification};
pub use names::{ClassificationName, Name, Set, UnknownName};
pub use order::{ExampleStream, permutation, split_halves};
pub use sets::{
    CensusCoding, abalone, adult, breast_cancer, census, covertype, fashion, ionosphere, letter, open_bandit,
    scene, slice, spambase, tmc,
};
pub use split::{Split, SplitError, SplitPlan};
pub use synthetic::StandIn;

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
