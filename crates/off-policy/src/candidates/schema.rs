//! What the columns of candidates are called.

use crate::SchemaError;
use rows::CandidateShape;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

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
    /// Refuses two columns of a level with one name, and two identities: what is read by the schema would be
    /// one of them. Columns of two levels may share a name.
    ///
    /// ```
    /// use off_policy::SchemaError;
    /// use off_policy::candidates::CandidateSchema;
    /// let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect();
    /// let (contexts, items) = (names(&["age"]), names(&["age"]));
    /// let schema = CandidateSchema { contexts, items, ..CandidateSchema::default() };
    /// assert_eq!(schema.check(), Ok(()));
    /// let twice = CandidateSchema { identities: names(&["tea", "ice", "tea"]), ..schema };
    /// assert_eq!(twice.check(), Err(SchemaError::DuplicateAction { action: "tea".to_owned() }));
    /// ```
    ///
    /// # Errors
    /// [`SchemaError::DuplicateColumn`], [`SchemaError::DuplicateAction`].
    pub fn check(&self) -> Result<(), SchemaError> {
        let mut seen = HashSet::new();
        for level in [&self.contexts, &self.features, &self.items, &self.identities] {
            seen.clear();
            if let Some(name) = level.iter().find(|name| !seen.insert(name.as_str())) {
                let is_identity = std::ptr::eq(level, &raw const self.identities);
                let name = name.clone();
                return Err(match is_identity {
                    true => SchemaError::DuplicateAction { action: name },
                    false => SchemaError::DuplicateColumn { column: name },
                });
            }
        }
        Ok(())
    }

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
