//! Choices among candidates that have features of their own.

use crate::{Row, RowError, RowMatrix};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// n choices, each among candidates of its own: the *pairs* of a choice and a candidate, and what is known of
/// them.
///
/// Features come at three levels, each of which may be left out. A choice has the features of its context, a
/// pair those of its own, such as a distance, and an *item* its features wherever it is a candidate. The
/// items may have an *identity* besides, a column each that is 1 for this item. Pairs have features of their
/// own or items: contexts alone tell no candidate from another. Nothing is repeated: memory is that of the
/// contexts, the items and the pairs, and eight bytes a pair.
///
/// *Shapes:* choice i has the pairs `offsets[i]..offsets[i+1]`, one or more. A pair stands for the row
/// \[context ; own features ; item ; identities\], of [`dimension`](Self::dimension) coordinates. Items that
/// a model has never met have no identity, so identities come last.
///
/// ```
/// use rows::{Candidates, RowMatrix};
/// // Two readers; the first chooses between articles 0 and 1, the second among articles 2, 0 and 1.
/// let readers = RowMatrix::dense(1, vec![30.0, 50.0])?;
/// let articles = RowMatrix::dense(2, vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5])?;
/// let candidates = Candidates::builder(vec![0, 2, 5])
///     .contexts(readers)
///     .items(vec![0, 1, 2, 0, 1], articles)
///     .build()?;
/// assert_eq!((candidates.len(), candidates.pairs(), candidates.dimension()), (2, 5, 3));
/// assert_eq!(candidates.expanded()?.row(2).map(|row| row.to_dense()), Some(vec![50.0, 0.5, 0.5]));
/// # Ok::<(), rows::RowError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Candidates(Arc<Shared>);

/// The data that copies of candidates share.
#[derive(Debug, PartialEq)]
struct Shared {
    parts: Parts,
    /// The choice of every pair.
    choices: Vec<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Parts {
    offsets: Vec<usize>,
    contexts: Option<RowMatrix>,
    features: Option<RowMatrix>,
    /// The item of every pair; empty without items.
    items: Vec<u32>,
    item_features: Option<RowMatrix>,
    identities: usize,
}

/// One pair: a candidate in its choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<'a> {
    /// The features of the context.
    pub context: Option<Row<'a>>,
    /// The features of the pair.
    pub own: Option<Row<'a>>,
    /// The features of the item.
    pub item: Option<Row<'a>>,
    /// The number of the item, if it has an identity.
    pub identity: Option<usize>,
}

/// The number of columns of every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateShape {
    /// Of a context.
    pub contexts: usize,
    /// Of a pair.
    pub features: usize,
    /// Of an item.
    pub items: usize,
    /// The items that have an identity.
    pub identities: usize,
}

impl CandidateShape {
    /// The coordinates of a pair.
    #[must_use]
    pub fn dimension(&self) -> usize {
        let Self { contexts, features, items, identities } = *self;
        contexts.saturating_add(features).saturating_add(items).saturating_add(identities)
    }
}

impl Candidates {
    /// Choices with these first pairs and, at the end, the number of pairs.
    pub fn builder(offsets: Vec<usize>) -> CandidatesBuilder {
        CandidatesBuilder { parts: Parts { offsets, ..Parts::default() } }
    }

    /// n, the number of choices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.parts.offsets.len() - 1
    }

    /// Never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of pairs.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.0.choices.len()
    }

    /// The first pair of every choice, and the number of pairs.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.0.parts.offsets
    }

    /// The pairs of choice i; empty behind the last one.
    #[must_use]
    pub fn pairs_of(&self, i: usize) -> Range<usize> {
        match self.0.parts.offsets.get(i..).and_then(|rest| rest.get(..2)) {
            Some(ends) => ends[0]..ends[1],
            None => 0..0,
        }
    }

    /// The choice of every pair.
    #[must_use]
    pub fn choices(&self) -> &[u32] {
        &self.0.choices
    }

    /// The features of the contexts, a row a choice.
    #[must_use]
    pub fn contexts(&self) -> Option<&RowMatrix> {
        self.0.parts.contexts.as_ref()
    }

    /// The features of the pairs, a row a pair.
    #[must_use]
    pub fn features(&self) -> Option<&RowMatrix> {
        self.0.parts.features.as_ref()
    }

    /// The item of every pair; empty without items.
    #[must_use]
    pub fn items(&self) -> &[u32] {
        &self.0.parts.items
    }

    /// The features of the items, a row an item.
    #[must_use]
    pub fn item_features(&self) -> Option<&RowMatrix> {
        self.0.parts.item_features.as_ref()
    }

    /// The columns of every level.
    #[must_use]
    pub fn shape(&self) -> CandidateShape {
        let columns = |matrix: &Option<RowMatrix>| matrix.as_ref().map_or(0, RowMatrix::dimension);
        let Parts { contexts, features, item_features, identities, .. } = &self.0.parts;
        CandidateShape {
            contexts: columns(contexts),
            features: columns(features),
            items: columns(item_features),
            identities: *identities,
        }
    }

    /// The coordinates of a pair.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.shape().dimension()
    }

    /// A pair; `None` behind the last one.
    #[must_use]
    pub fn pair(&self, p: usize) -> Option<Candidate<'_>> {
        let choice = *self.0.choices.get(p)? as usize;
        let item = self.0.parts.items.get(p).map(|item| *item as usize);
        Some(Candidate {
            context: self.contexts().and_then(|contexts| contexts.row(choice)),
            own: self.features().and_then(|features| features.row(p)),
            item: item.zip(self.item_features()).and_then(|(item, features)| features.row(item)),
            identity: item.filter(|item| *item < self.0.parts.identities),
        })
    }

    /// Some choices, in the order asked for; the items stay as they are.
    ///
    /// # Errors
    /// [`RowError::NoSuchRow`]; [`RowError::Empty`] where no choice is asked for; [`RowError::TooManyRows`]
    /// for more than 2³² − 1 pairs.
    pub fn select(&self, choices: &[usize]) -> Result<Self, RowError> {
        let n = self.len();
        if let Some(&row) = choices.iter().find(|i| **i >= n) {
            return Err(RowError::NoSuchRow { row, rows: n });
        }
        let pairs = || choices.iter().flat_map(|i| self.pairs_of(*i));
        let mut offsets = vec![0];
        let (mut rows, limit) = (0_usize, u32::MAX as usize);
        for i in choices {
            rows = rows.saturating_add(self.pairs_of(*i).len());
            offsets.push(rows);
        }
        if rows > limit {
            return Err(RowError::TooManyRows { rows, limit });
        }
        let of = |matrix: &Option<RowMatrix>, rows: &mut dyn Iterator<Item = usize>| {
            matrix.as_ref().map(|matrix| matrix.select(rows)).transpose()
        };
        let parts = Parts {
            offsets,
            contexts: of(&self.0.parts.contexts, &mut choices.iter().copied())?,
            features: of(&self.0.parts.features, &mut pairs())?,
            items: if self.0.parts.items.is_empty() {
                Vec::new()
            } else {
                pairs().map(|p| self.0.parts.items[p]).collect()
            },
            item_features: self.0.parts.item_features.clone(),
            identities: self.0.parts.identities,
        };
        parts.try_into()
    }

    /// The row of every pair, in full: a reference for what works on the levels, and the input of learners
    /// that know rows only. *Cost:* the stored values of every pair.
    ///
    /// # Errors
    /// None that a constructor would not have found.
    pub fn expanded(&self) -> Result<RowMatrix, RowError> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let shape = self.shape();
        for p in 0..self.pairs() {
            if let Some(candidate) = self.pair(p) {
                candidate.for_each(shape, |j, value| {
                    #[allow(clippy::cast_possible_truncation, reason = "at most 2^32 − 1 coordinates")]
                    indices.push(j as u32);
                    values.push(value);
                });
            }
            offsets.push(values.len());
        }
        RowMatrix::sparse(shape.dimension(), offsets, indices, values)
    }

    /// A hash of the pairs, as [`RowMatrix::fingerprint`] is one of rows. Do not save it: another version of
    /// the standard library may hash differently.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        use std::hash::{DefaultHasher, Hasher};
        let mut hasher = DefaultHasher::new();
        let Parts { offsets, contexts, features, items, item_features, identities } = &self.0.parts;
        for matrix in [contexts, features, item_features] {
            hasher.write_u64(matrix.as_ref().map_or(0, RowMatrix::fingerprint));
        }
        offsets.iter().for_each(|offset| hasher.write_usize(*offset));
        items.iter().for_each(|item| hasher.write_u32(*item));
        hasher.write_usize(*identities);
        hasher.finish()
    }
}

impl Candidate<'_> {
    /// Coordinate j of the row of the pair, and 0 beyond the last one.
    #[inline]
    #[must_use]
    pub fn get(&self, shape: CandidateShape, j: usize) -> f64 {
        let of = |row: Option<Row<'_>>, j: usize| row.and_then(|row| row.get(j)).unwrap_or_default();
        let mut j = j;
        for (columns, row) in
            [(shape.contexts, self.context), (shape.features, self.own), (shape.items, self.item)]
        {
            if j < columns {
                return of(row, j);
            }
            j -= columns;
        }
        f64::from(u8::from(self.identity == Some(j)))
    }

    /// Calls `f` with every stored coordinate and its value, in rising order.
    pub fn for_each(&self, shape: CandidateShape, mut f: impl FnMut(usize, f64)) {
        let mut first = 0;
        for (columns, row) in
            [(shape.contexts, self.context), (shape.features, self.own), (shape.items, self.item)]
        {
            if let Some(row) = row {
                row.for_each(|j, value| f(first + j, value));
            }
            first += columns;
        }
        if let Some(item) = self.identity.filter(|item| *item < shape.identities) {
            f(first + item, 1.0);
        }
    }
}

/// Builds [`Candidates`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct CandidatesBuilder {
    parts: Parts,
}

impl CandidatesBuilder {
    /// The features of the contexts, a row a choice.
    pub fn contexts(mut self, contexts: RowMatrix) -> Self {
        self.parts.contexts = Some(contexts);
        self
    }

    /// The features of the pairs, a row a pair.
    pub fn features(mut self, features: RowMatrix) -> Self {
        self.parts.features = Some(features);
        self
    }

    /// The item of every pair, and the features of the items.
    pub fn items(mut self, of_pairs: Vec<u32>, features: RowMatrix) -> Self {
        self.parts.items = of_pairs;
        self.parts.item_features = Some(features);
        self
    }

    /// An identity for each of the first `count` items; `of_pairs` has the item of every pair. Items beyond
    /// have none, so that a model treats them alike.
    pub fn identities(mut self, of_pairs: Vec<u32>, count: usize) -> Self {
        self.parts.items = of_pairs;
        self.parts.identities = count;
        self
    }

    /// The candidates.
    ///
    /// # Errors
    /// [`RowError::Empty`] without a choice or a column; [`RowError::BadOffset`] for offsets that do not
    /// start at 0 or give a choice no pair; [`RowError::LengthMismatch`] for a level of another number of
    /// rows; [`RowError::IndexOutOfRange`] for an item without features, where the items have some;
    /// [`RowError::ContextsAlone`] where pairs have neither features nor items;
    /// [`RowError::TooManyRows`] for more than 2³² − 1 pairs, [`RowError::TooManyCoordinates`].
    pub fn build(self) -> Result<Candidates, RowError> {
        self.parts.try_into()
    }
}

impl From<Candidates> for Parts {
    fn from(Candidates(shared): Candidates) -> Self {
        Arc::try_unwrap(shared).map_or_else(|shared| shared.parts.clone(), |shared| shared.parts)
    }
}

impl TryFrom<Parts> for Candidates {
    type Error = RowError;

    fn try_from(parts: Parts) -> Result<Self, RowError> {
        let Parts { offsets, contexts, features, items, item_features, .. } = &parts;
        let n = offsets.len().saturating_sub(1);
        if n == 0 {
            return Err(RowError::Empty);
        }
        for (position, value) in offsets.iter().copied().enumerate() {
            if (position == 0 && value != 0) || (position > 0 && value <= offsets[position - 1]) {
                return Err(RowError::BadOffset { position, value });
            }
        }
        let pairs = offsets[n];
        let limit = u32::MAX as usize;
        if pairs > limit {
            return Err(RowError::TooManyRows { rows: pairs, limit });
        }
        let has_items = !items.is_empty() || item_features.is_some() || parts.identities > 0;
        let lengths = [
            ("contexts of candidates", contexts.as_ref().map(|rows| (rows.len(), n))),
            ("features of candidates", features.as_ref().map(|rows| (rows.len(), pairs))),
            ("items of candidates", has_items.then_some((items.len(), pairs))),
        ];
        for (what, lengths) in lengths {
            if let Some((got, expected)) = lengths.filter(|(got, expected)| got != expected) {
                return Err(RowError::LengthMismatch { what, expected, got });
            }
        }
        // With a list of the pairs' own, what is allocated for them is no more than what was handed in.
        if features.is_none() && !has_items {
            return Err(if contexts.is_some() { RowError::ContextsAlone { pairs } } else { RowError::Empty });
        }
        if let Some(table) = item_features {
            let known = |item: &u32| (*item as usize) < table.len();
            if let Some(position) = items.iter().position(|item| !known(item)) {
                let index = items[position];
                return Err(RowError::IndexOutOfRange { position, index, dimension: table.len() });
            }
        }
        let mut choices = Vec::with_capacity(pairs);
        for (i, ends) in (0_u32..).zip(offsets.windows(2)) {
            choices.resize(ends[1], i);
        }
        let candidates = Self(Arc::new(Shared { parts, choices }));
        match candidates.dimension() {
            0 => Err(RowError::Empty),
            dimension if dimension > limit => Err(RowError::TooManyCoordinates { dimension, limit }),
            _ => Ok(candidates),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(columns: usize, values: &[f64]) -> RowMatrix {
        RowMatrix::dense(columns, values.to_vec()).unwrap()
    }

    fn example() -> Candidates {
        Candidates::builder(vec![0, 2, 5])
            .contexts(dense(2, &[1.0, 2.0, 3.0, 4.0]))
            .features(dense(1, &[0.1, 0.2, 0.3, 0.4, 0.5]))
            .items(vec![0, 1, 2, 0, 1], dense(1, &[7.0, 8.0, 9.0]))
            .identities(vec![0, 1, 2, 0, 1], 2)
            .build()
            .unwrap()
    }

    #[test]
    fn a_pair_is_the_row_of_its_levels() {
        let all = example();
        let expanded = all.expanded().unwrap();
        let rows: Vec<Vec<f64>> = expanded.iter().map(|row| row.to_dense()).collect();
        assert_eq!(rows[1], [1.0, 2.0, 0.2, 8.0, 0.0, 1.0]);
        assert_eq!(rows[2], [3.0, 4.0, 0.3, 9.0, 0.0, 0.0], "an item without an identity");
        for (p, row) in rows.iter().enumerate() {
            let pair = all.pair(p).unwrap();
            let got: Vec<f64> = (0..all.dimension()).map(|j| pair.get(all.shape(), j)).collect();
            assert_eq!(got, *row);
        }
        assert_eq!(all.pair(5), None);
        assert_eq!((all.pairs_of(1), all.pairs_of(2)), (2..5, 0..0));
        assert_eq!(all.choices(), [0, 0, 1, 1, 1]);
    }

    #[test]
    fn chosen_choices_keep_their_pairs() {
        let all = example();
        let chosen = all.select(&[1, 0, 1]).unwrap();
        let rows = |c: &Candidates| c.expanded().unwrap().iter().map(|r| r.to_dense()).collect::<Vec<_>>();
        let of_all = rows(&all);
        assert_eq!(rows(&chosen), [&of_all[2..], &of_all[..2], &of_all[2..]].concat());
        assert_eq!(all.select(&[2]), Err(RowError::NoSuchRow { row: 2, rows: 2 }));
        assert_eq!(all.select(&[]), Err(RowError::Empty));
        assert_ne!(all.fingerprint(), chosen.fingerprint());
    }

    #[test]
    fn what_does_not_fit_is_refused_also_when_loaded() {
        let build = |offsets: &[usize]| Candidates::builder(offsets.to_vec());
        let contexts = dense(1, &[1.0, 2.0]);
        assert_eq!(build(&[0, 1]).build(), Err(RowError::Empty), "no column");
        assert_eq!(build(&[0]).contexts(contexts.clone()).build(), Err(RowError::Empty));
        assert_eq!(build(&[]).contexts(contexts.clone()).build(), Err(RowError::Empty));
        for (offsets, position, value) in [([1, 2, 3], 0, 1), ([0, 2, 2], 2, 2), ([0, 3, 2], 2, 2)] {
            let refused = build(&offsets).contexts(contexts.clone()).build();
            assert_eq!(refused, Err(RowError::BadOffset { position, value }));
        }
        let short = build(&[0, 1, 2]).contexts(dense(1, &[1.0])).build();
        assert!(matches!(short, Err(RowError::LengthMismatch { expected: 2, got: 1, .. })));
        let short = build(&[0, 1, 3]).features(contexts.clone()).build();
        assert!(matches!(short, Err(RowError::LengthMismatch { expected: 3, got: 2, .. })));
        let short = build(&[0, 1, 3]).identities(vec![0, 1], 2).build();
        assert!(matches!(short, Err(RowError::LengthMismatch { expected: 3, got: 2, .. })));
        let beyond = build(&[0, 1, 2]).items(vec![0, 2], contexts.clone()).build();
        assert_eq!(beyond, Err(RowError::IndexOutOfRange { position: 1, index: 2, dimension: 2 }));
        let many = build(&[0, usize::MAX]).contexts(dense(1, &[1.0])).build();
        assert!(matches!(many, Err(RowError::TooManyRows { .. })));

        // Nothing but the offsets would say how many pairs there are.
        let alike = build(&[0, 3]).contexts(dense(1, &[1.0])).build();
        assert!(alike.unwrap_err().to_string().starts_with("3 pairs have contexts alone"));
        let saved = r#"{"offsets":[0,4294967295],"contexts":{"Dense":{"dimension":1,"values":[1.0]}},"features":null,
                       "items":[],"item_features":null,"identities":0}"#;
        let refused = serde_json::from_str::<Candidates>(saved).unwrap_err().to_string();
        assert!(refused.starts_with("4294967295 pairs have contexts alone"), "{refused}");
        let listed = build(&[0, 3]).contexts(dense(1, &[1.0])).identities(vec![0, 0, 7], 0).build();
        assert_eq!(
            listed.unwrap().shape(),
            CandidateShape { contexts: 1, features: 0, items: 0, identities: 0 }
        );

        let saved = serde_json::to_string(&example()).unwrap();
        assert_eq!(serde_json::from_str::<Candidates>(&saved).unwrap(), example());
        assert!(serde_json::from_str::<Candidates>(&saved.replace("[0,2,5]", "[0,2,6]")).is_err());
    }
}
