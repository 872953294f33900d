//! The scores that boosting over candidates returns.

use crate::bopl::pass::in_pool;
use crate::bopl::{BoplError, Member};
use off_policy::candidates::{CandidateSchema, CandidateScores};
use off_policy::{LogError, PolicyError};
use rayon::prelude::*;
use rows::{CandidateShape, Candidates};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use weak_learners::pairs::{PairHypothesis, PairTree};

/// F_T = Σ_t α_t f_t over candidates: trees on the rows \[context ; own features ; item ; identities\].
///
/// As [`CandidateScores`] it goes into an [`Argmax`](off_policy::policies::Argmax) or a
/// [`Softmax`](off_policy::policies::Softmax). Candidates of other columns are refused. Items that the log
/// did not have are scored by their features; without an identity the questions about identities answer "no".
///
/// *Cost:* a walk a tree and pair; the row of a pair is laid out once for all trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct CandidateEnsemble {
    shape: CandidateShape,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<CandidateSchema>,
    members: Vec<Member<PairTree>>,
}

#[derive(Deserialize)]
struct Parts {
    shape: CandidateShape,
    #[serde(default)]
    schema: Option<CandidateSchema>,
    members: Vec<Member<PairTree>>,
}

/// The pairs that a thread scores at a time.
const BLOCK: usize = 4096;

impl CandidateEnsemble {
    /// The ensemble of these members, on candidates of this shape.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] for a tree of other columns, of several actions, or a schema of another shape;
    /// [`BoplError::Log`] for a schema with a name twice; [`BoplError::NotFinite`] for a weight.
    pub fn of(
        shape: CandidateShape,
        schema: Option<CandidateSchema>,
        members: Vec<Member<PairTree>>,
    ) -> Result<Self, BoplError> {
        Parts { shape, schema, members }.try_into()
    }

    /// The same of members that a run has checked.
    pub(super) fn trusted(
        shape: CandidateShape,
        schema: Option<CandidateSchema>,
        members: Vec<Member<PairTree>>,
    ) -> Self {
        Self { shape, schema, members }
    }

    /// F ← F + αf, which the caller has checked.
    pub(super) fn push(&mut self, member: Member<PairTree>) {
        self.members.push(member);
    }

    /// The columns of the candidates that it scores.
    #[must_use]
    pub fn shape(&self) -> CandidateShape {
        self.shape
    }

    /// Their names, where the log had some.
    #[must_use]
    pub fn schema(&self) -> Option<&CandidateSchema> {
        self.schema.as_ref()
    }

    /// α_1 f_1, α_2 f_2, …
    #[must_use]
    pub fn members(&self) -> &[Member<PairTree>] {
        &self.members
    }

    /// F_t for t ≤ T; the whole ensemble for larger t.
    #[must_use]
    pub fn prefix(&self, t: usize) -> Self {
        let members = self.members.iter().take(t).cloned().collect();
        Self { shape: self.shape, schema: self.schema.clone(), members }
    }

    /// Adds the scores of the trees from `from` on to those of some pairs.
    ///
    /// # Errors
    /// As [`candidate_scores`](CandidateScores::candidate_scores); nothing is added then.
    pub fn add_scores(
        &self,
        from: usize,
        candidates: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        let (expected, got) = (self.shape.dimension(), candidates.dimension());
        if candidates.shape() != self.shape {
            return Err(PolicyError::InputDimension { expected, got });
        }
        let (expected, got) = (pairs.len(), scores.len());
        if got != expected || pairs.end > candidates.pairs() {
            return Err(PolicyError::ActionCount { argument: "the list of pairs", expected, got });
        }
        let members = self.members.get(from..).unwrap_or_default();
        let of_block = |(block, scores): (usize, &mut [f64])| {
            let mut x = vec![0.0; self.shape.dimension()];
            for (p, score) in (pairs.start + block * BLOCK..).zip(scores) {
                let Some(pair) = candidates.pair(p) else { break };
                pair.for_each(self.shape, |j, value| x[j] = value);
                for Member { alpha, predictor } in members {
                    *score += alpha * predictor.value_of(|j| x[j]);
                }
                pair.for_each(self.shape, |j, _| x[j] = 0.0);
            }
        };
        if in_pool(scores.len()) {
            scores.par_chunks_mut(BLOCK).enumerate().for_each(of_block);
        } else {
            scores.chunks_mut(BLOCK).enumerate().for_each(of_block);
        }
        Ok(())
    }
}

impl CandidateScores for CandidateEnsemble {
    fn candidate_scores(
        &self,
        candidates: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        scores.fill(0.0);
        self.add_scores(0, candidates, pairs, scores)
    }
}

impl TryFrom<Parts> for CandidateEnsemble {
    type Error = BoplError;

    fn try_from(Parts { shape, schema, members }: Parts) -> Result<Self, BoplError> {
        let columns = shape.dimension();
        let mut counts = Vec::new();
        if let Some(schema) = &schema {
            schema.check().map_err(LogError::from)?;
            let named = schema.shape();
            counts.extend([
                ("the schema", "columns of contexts", shape.contexts, named.contexts),
                ("the schema", "columns of pairs", shape.features, named.features),
                ("the schema", "columns of items", shape.items, named.items),
                ("the schema", "identities", shape.identities, named.identities),
            ]);
        }
        for (index, Member { alpha, predictor }) in members.iter().enumerate() {
            if !alpha.is_finite() {
                return Err(BoplError::NotFinite { argument: "alpha", index, value: *alpha });
            }
            counts.push(("a tree", "columns", columns, predictor.inputs()));
            counts.push(("a tree", "actions", 1, predictor.actions()));
        }
        match counts.into_iter().find(|(_, _, expected, got)| got != expected) {
            Some((argument, unit, expected, got)) => {
                Err(BoplError::Mismatch { argument, unit, expected, got })
            }
            None => Ok(Self { shape, schema, members }),
        }
    }
}
