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
    /// The numbers that some rows lack, rising, as coordinates of the row of a pair. Where such a number is
    /// missing, it is 0, and the next coordinate is 1: the *indicator*, of the same level. None in what was
    /// saved before there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<usize>,
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

    /// The [`optional`](Self::optional) coordinates with their indicators, as
    /// `BinnedCandidates::with_indicators` of the crate `weak-learners` takes them. A coordinate that has
    /// none behind it in its level, or does not rise, is passed over.
    ///
    /// ```
    /// use off_policy::candidates::CandidateSchema;
    /// let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect();
    /// let schema = CandidateSchema {
    ///     contexts: names(&["age", "age is missing"]),
    ///     items: names(&["price", "size", "size is missing"]),
    ///     optional: vec![0, 3],
    ///     ..CandidateSchema::default()
    /// };
    /// assert_eq!(schema.indicators(), [(0, 1), (3, 4)]);
    /// ```
    #[must_use]
    pub fn indicators(&self) -> Vec<(usize, usize)> {
        let CandidateShape { contexts, features, items, .. } = self.shape();
        let ends = [contexts, contexts + features, contexts + features + items];
        let mut next = 0;
        let pair = |own: &usize| {
            let indicator = own.checked_add(1)?;
            let is_own = *own >= next && indicator < ends[2] && !ends.contains(&indicator);
            next = if is_own { indicator + 1 } else { next };
            is_own.then_some((*own, indicator))
        };
        self.optional.iter().filter_map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indicators_are_of_the_level_of_their_column() {
        let names = |count: usize| (0..count).map(|k| format!("n{k}")).collect();
        let schema = |optional: &[usize]| CandidateSchema {
            contexts: names(2),
            features: names(3),
            items: names(2),
            identities: names(4),
            optional: optional.to_vec(),
        };
        assert_eq!(schema(&[0, 2, 5]).indicators(), [(0, 1), (2, 3), (5, 6)]);
        // The next one is of another level, an identity, or not there; or it is an indicator itself.
        for optional in [&[1][..], &[4], &[6], &[10], &[usize::MAX]] {
            assert!(schema(optional).indicators().is_empty());
        }
        assert_eq!(schema(&[2, 3]).indicators(), [(2, 3)]);
        assert_eq!(schema(&[5, 0]).indicators(), [(5, 6)]);
    }

    #[test]
    fn schemas_of_older_versions_are_read_and_written_as_they_were() {
        let old = r#"{"contexts":["age"],"features":[],"items":["price"],"identities":[]}"#;
        let schema: CandidateSchema = serde_json::from_str(old).unwrap();
        assert_eq!((schema.optional.len(), serde_json::to_string(&schema).unwrap()), (0, old.to_owned()));
        let lacking = CandidateSchema { optional: vec![0], ..schema };
        let saved = serde_json::to_string(&lacking).unwrap();
        assert_eq!(serde_json::from_str::<CandidateSchema>(&saved).unwrap(), lacking);
    }
}
