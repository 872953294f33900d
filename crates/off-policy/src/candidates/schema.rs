//! What the columns of candidates are called.

use rows::CandidateShape;
use serde::{Deserialize, Serialize};

/// The names of the columns of [`Candidates`](rows::Candidates), level by level.
///
/// A column has the same name in every log of the same source, so that a model of one log is used on another:
/// a reader that is given a schema codes a log by it. Two logs may have other items; only those with an
/// identity have a name here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateSchema {
    /// The features of a context.
    pub contexts: Vec<String>,
    /// The features of a pair.
    pub features: Vec<String>,
    /// The features of an item.
    pub items: Vec<String>,
    /// The items that have an identity.
    pub identities: Vec<String>,
}

impl CandidateSchema {
    /// The number of columns of every level.
    #[must_use]
    pub fn shape(&self) -> CandidateShape {
        CandidateShape {
            contexts: self.contexts.len(),
            features: self.features.len(),
            items: self.items.len(),
            identities: self.identities.len(),
        }
    }
}
