//! Data sets as learners want them: readers, encoders, orders and synthetic generators.
//!
//! [`load`] reads an official data set from a folder of the [`SearchPath`], checks its SHA-256, and returns a
//! [`Dataset`] with one-hot columns in place and numbers unscaled; where the files are absent it draws a stand-in of
//! the same shape and says so. Encoders are fitted on the tuning half only, so nothing of the reporting half leaks.
//! This is the only library crate of the workspace that reads files, and it knows nothing of learners.
//!
//! Reading order: [`Name`], [`load`], [`Dataset`], the readers ([`abalone`], [`adult`], [`census`], [`letter`],
//! [`mod@slice`], [`breast_cancer`], [`ionosphere`], [`spambase`]), the encoders ([`Standardiser`], [`MinMax`], [`OneHot`], [`with_constant`], [`signs`], [`TargetRange`]),
//! [`permutation`], [`synthetic`], and behind them [`SearchPath`] and the manifest of [`OfficialFile`]s. For off-policy
//! learning: [`ClassificationName`], [`load_classification`], [`Classification`], [`Split`], the readers ([`covertype`],
//! [`fashion`], [`scene`], [`tmc`]), the formats ([`arff`], [`idx`]), and [`open_bandit`], whose logs are real.
//!
//! ```
//! use datasets::{Name, SearchPath, StandIn, Standardiser, load, permutation, split_halves, with_constant};
//! let adult = load(Name::Adult, &SearchPath::nowhere(), StandIn { seed: 1, rows: Some(1000) })?;
//! let order = permutation(adult.len(), 1, 0);
//! let (tuning, reporting) = split_halves(&order);
//! let scaler = Standardiser::fit(&adult.features, tuning, &adult.numeric_columns)?;
//! let features = with_constant(&scaler.apply(&adult.features)?)?;
//! let labels = datasets::signs(&adult.targets, &[1])?;
//! assert_eq!((features.len(), features.dimension()), (1000, 106));
//! assert_eq!((labels.len(), tuning.len(), reporting.len()), (1000, 500, 500));
//! # Ok::<(), datasets::DataError>(())
//! ```

// What a caller starts from.
mod dataset;
mod load;
mod name;
mod classification;

// One reader a data set.
pub mod abalone;
pub mod adult;
pub mod census;
pub mod letter;
pub mod slice;
pub mod breast_cancer;
pub mod ionosphere;
pub mod spambase;
pub mod covertype;
pub mod fashion;
pub mod scene;
pub mod tmc;
pub mod open_bandit;

// What the readers share, from the format down to the bytes.
mod assembly;
mod column;
mod multilabel;
mod room;
mod source;
mod table;
pub mod arff;
pub mod idx;

// What happens to a data set before a learner sees it.
mod encode;
mod order;
mod split;

// Data without files.
pub mod synthetic;

// Where files are, and where they come from.
mod archive;
mod home;
mod manifest;
mod search;
mod set;

mod error;

pub use archive::unpack_single_member;
pub use arff::ArffProblem;
pub use census::CensusCoding;
pub use classification::{
    ByteMatrix, Classification, ClassificationName, Contexts, Labels, LabelsError, load_classification,
};
pub use dataset::{Dataset, Provenance, SourceFile, Targets};
pub use encode::{EncodeError, MinMax, OneHot, Standardiser, TargetRange, indicators, signs, with_constant};
pub use error::{ArchiveProblem, DataError};
pub use home::Home;
pub use idx::IdxProblem;
pub use load::{StandIn, load, load_census};
pub use manifest::{OfficialFile, verify};
pub use name::Name;
pub use order::{ExampleStream, permutation, split_halves};
pub use search::SearchPath;
pub use set::Set;
pub use split::{Split, SplitError, SplitPlan};
