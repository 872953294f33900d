//! Data sets as learners want them: readers, encoders, orders and synthetic generators.
//!
//! [`load`] reads an official data set from a folder of the [`SearchPath`], checks its SHA-256, and returns a
//! [`Dataset`] with one-hot columns in place and numbers unscaled; where the files are absent it draws a stand-in of
//! the same shape and says so. Encoders are fitted on the tuning half only, so nothing of the reporting half leaks.
//! This is the only library crate of the workspace that reads files, and it knows nothing of learners.
//!
//! Reading order: [`Name`], [`load`], [`Dataset`], the readers ([`abalone`], [`adult`], [`census`], [`letter`],
//! [`mod@slice`], [`breast_cancer`], [`ionosphere`], [`spambase`]), the encoders ([`Standardiser`], [`MinMax`], [`OneHot`], [`with_constant`], [`signs`], [`TargetRange`]),
//! [`permutation`], [`synthetic`], and behind them [`SearchPath`] and the manifest of [`OfficialFile`]s.
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

// One reader a data set.
pub mod abalone;
pub mod adult;
pub mod census;
pub mod letter;
pub mod slice;
pub mod breast_cancer;
pub mod ionosphere;
pub mod spambase;

// What the readers share, from the format down to the bytes.
mod assembly;
mod column;
mod source;
mod table;

// What happens to a data set before a learner sees it.
mod encode;
mod order;

// Data without files.
pub mod synthetic;

// Where files are, and where they come from.
mod archive;
mod manifest;
mod search;

mod error;

pub use archive::unpack_single_member;
pub use census::CensusCoding;
pub use dataset::{Dataset, Provenance, SourceFile, Targets};
pub use encode::{EncodeError, MinMax, OneHot, Standardiser, TargetRange, indicators, signs, with_constant};
pub use error::{ArchiveProblem, DataError};
pub use load::{StandIn, load, load_census};
pub use manifest::{OfficialFile, verify};
pub use name::Name;
pub use order::{ExampleStream, permutation, split_halves};
pub use search::SearchPath;
