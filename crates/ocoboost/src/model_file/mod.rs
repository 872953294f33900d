//! One compact file, `*.ocob`.
//!
//! *Layout.* A file is a magic number of 8 bytes, the version, a table of sections, the sections, and the
//! SHA-256 of everything before it. All numbers are little-endian. A section is stored as it is, or deflated.
//! The trees of a policy or a classifier are columns of numbers, byte by byte: kinds, columns, thresholds and
//! leaves as they are in memory, so that doubles come back bit for bit. Everything else is JSON: a record may
//! grow by a field without a new version, and the types that JSON alone can describe survive.
//!
//! *Loading is safe on any bytes.* Nothing is allocated by a length that the file states before that length
//! has been compared with the bytes that are there. A section that would inflate to more than 64 times its
//! size is refused; the writer makes such a section longer. Every state passes its checking constructor.
//! A changed byte is [`Damaged`](ModelFileError::Damaged) or another error, and never another model.

mod columns;
mod container;
mod content;
mod error;
mod export;
mod trees;
mod votes;
mod xgboost;

pub use content::{Content, SavedState};
pub use error::ModelFileError;
pub use export::{export_candidates_json, export_json};
pub use xgboost::{XgboostError, export_candidates_xgboost_json, export_xgboost_json};

use crate::boost::Classifier;
use crate::candidates::{CandidateModel, CandidateTrainCheckpoint};
use crate::model::Model;
use crate::stream::{StreamBandit, StreamLearner, StreamRegressor};
use std::path::Path;

impl Model {
    /// Writes the model atomically: a reader finds either the old file or the new one.
    ///
    /// # Errors
    /// [`ModelFileError::Io`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        content::save_bytes(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a model, bit for bit.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        match Content::load(path)? {
            Content::Policy(model) => Ok(*model),
            other => Err(ModelFileError::OtherContent { expected: "a policy", found: other.kind() }),
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        content::policy_bytes(self)
    }

    /// The model of a file's bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        match Content::from_bytes(bytes)? {
            Content::Policy(model) => Ok(*model),
            other => Err(ModelFileError::OtherContent { expected: "a policy", found: other.kind() }),
        }
    }
}

impl CandidateModel {
    /// Writes the model atomically: a reader finds either the old file or the new one.
    ///
    /// # Errors
    /// [`ModelFileError::Io`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        content::save_bytes(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a model, bit for bit.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        Self::of(Content::load(path)?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        content::candidates_bytes(self)
    }

    /// The model of a file's bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        Self::of(Content::from_bytes(bytes)?)
    }

    fn of(content: Content) -> Result<Self, ModelFileError> {
        match content {
            Content::Candidates(model) => Ok(*model),
            other => {
                let found = other.kind();
                Err(ModelFileError::OtherContent { expected: "a policy over candidates", found })
            }
        }
    }
}

/// The kind of a file.
const OVER_CANDIDATES: &str = "training over candidates that is not over";

impl CandidateTrainCheckpoint {
    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`ModelFileError::Io`], [`ModelFileError::NotSerialisable`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        SavedState::of(OVER_CANDIDATES, self)?.save_quickly(path.as_ref())
    }

    /// Reads a file. It is safe on any bytes.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        SavedState::load(path.as_ref(), "a training over candidates that is not over")?
            .decode(OVER_CANDIDATES)
    }
}

impl Classifier {
    /// Writes the classifier atomically: a reader finds either the old file or the new one.
    ///
    /// # Errors
    /// [`ModelFileError::Io`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        content::save_bytes(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a classifier, bit for bit.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        Self::of(Content::load(path)?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        content::classifier_bytes(self)
    }

    /// The classifier of a file's bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        Self::of(Content::from_bytes(bytes)?)
    }

    fn of(content: Content) -> Result<Self, ModelFileError> {
        match content {
            Content::Classifier(classifier) => Ok(*classifier),
            other => Err(ModelFileError::OtherContent { expected: "a classifier", found: other.kind() }),
        }
    }
}

impl StreamLearner {
    /// Writes the learner atomically: a reader finds either the old file or the new one.
    ///
    /// # Errors
    /// [`ModelFileError::Io`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        content::save_bytes(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a learner, which goes on bit for bit as the one that was saved.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        Self::of(Content::load(path)?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        content::stream_bytes(self)
    }

    /// The learner of a file's bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        Self::of(Content::from_bytes(bytes)?)
    }

    fn of(content: Content) -> Result<Self, ModelFileError> {
        match content {
            Content::Stream(learner) => Ok(*learner),
            other => {
                Err(ModelFileError::OtherContent { expected: "a learner of a stream", found: other.kind() })
            }
        }
    }
}

impl StreamRegressor {
    /// Writes the regressor atomically: a reader finds either the old file or the new one.
    ///
    /// ```
    /// use ocoboost::{RegressionSettings, StreamRegressor};
    /// use off_policy::Value;
    /// let mut model = RegressionSettings::default().begin(1)?;
    /// for t in 0..50 {
    ///     model.round([("x", Value::Number(f64::from(t)))], 3.0 * f64::from(t))?;
    /// }
    /// let folder = tempfile::tempdir()?;
    /// model.save(folder.path().join("rows.ocob"))?;
    /// let mut loaded = StreamRegressor::load(folder.path().join("rows.ocob"))?;
    /// let x = [("x", Value::Number(7.0))];
    /// assert_eq!(loaded.predict(x)?.to_bits(), model.predict(x)?.to_bits());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelFileError::Io`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        content::save_bytes(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a regressor, which goes on bit for bit as the one that was saved.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        Self::of(Content::load(path)?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        content::regressor_bytes(self)
    }

    /// The regressor of a file's bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        Self::of(Content::from_bytes(bytes)?)
    }

    fn of(content: Content) -> Result<Self, ModelFileError> {
        match content {
            Content::Regressor(own) => Ok(*own),
            other => Err(ModelFileError::OtherContent { expected: content::REGRESSOR, found: other.kind() }),
        }
    }
}

impl StreamBandit {
    /// Writes the learner atomically: a reader finds either the old file or the new one.
    ///
    /// ```
    /// use ocoboost::{BanditSettings, StreamBandit};
    /// use off_policy::Value;
    /// let (mut model, x) = (BanditSettings::default().begin(1)?, [("x", Value::Number(1.0))]);
    /// (0..20).try_for_each(|_| model.round(x, &mut |y| (y[0] - 0.5).powi(2)).map(drop))?;
    /// let mut loaded = StreamBandit::from_bytes(&model.to_bytes()?)?;
    /// assert_eq!(loaded.predict(x)?, model.predict(x)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelFileError::Io`]; an old file is then untouched.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        content::save_bytes(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a learner, which goes on bit for bit as the one that was saved.
    ///
    /// # Errors
    /// Every variant of [`ModelFileError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        Self::of(Content::load(path)?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelFileError::NotSerialisable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        content::bandit_bytes(self)
    }

    /// The learner of a file's bytes.
    ///
    /// # Errors
    /// As [`load`](Self::load), but for `Io`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelFileError> {
        Self::of(Content::from_bytes(bytes)?)
    }

    fn of(content: Content) -> Result<Self, ModelFileError> {
        match content {
            Content::Bandit(own) => Ok(*own),
            other => Err(ModelFileError::OtherContent { expected: content::BANDIT, found: other.kind() }),
        }
    }
}
