//! The ensemble that boosted off-policy learning returns.

use super::BoplError;
use super::pass::{BLOCK, in_pool};
use off_policy::policies::Scores;
use off_policy::{Log, PolicyError, Schema};
use rayon::prelude::*;
use rows::numeric::first_beyond;
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::pairs::PairHypothesis;

/// The most actions that an action set may have.
const MOST_ACTIONS: usize = 1 << 24;

/// F_T(x, a) = Σ_t α_t f_t(x, a) \[L23, Equation 3\]: scores, of which
/// [`Softmax`](off_policy::policies::Softmax) and [`Argmax`](off_policy::policies::Argmax) make policies.
///
/// *Shapes:* F_T: R^m × {0, …, |A|−1} → R, |A| ≤ 2²⁴; F_0 = 0. *Cost:* that of T predictors; no allocation
/// beyond theirs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts<H>", bound(deserialize = "H: Deserialize<'de> + PairHypothesis"))]
pub struct PolicyEnsemble<H> {
    inputs: usize,
    actions: usize,
    members: Vec<Member<H>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Schema>,
}

/// One predictor and its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member<H> {
    /// α_t.
    pub alpha: f64,
    /// f_t.
    pub predictor: H,
}

impl<H: PairHypothesis> PolicyEnsemble<H> {
    /// F_0 = 0 on contexts of `inputs` coordinates and so many actions.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without inputs or actions; [`BoplError::BadParameter`] for more than 2²⁴
    /// actions.
    pub fn new(inputs: usize, actions: usize) -> Result<Self, BoplError> {
        Self::of(inputs, actions, Vec::new())
    }

    /// The ensemble of these members.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`BoplError::NotFinite`] for a weight, [`BoplError::Mismatch`] for a predictor
    /// of other contexts or actions.
    pub fn of(inputs: usize, actions: usize, members: Vec<Member<H>>) -> Result<Self, BoplError> {
        Parts { inputs, actions, members, schema: None }.try_into()
    }

    /// The same ensemble with a schema, the meaning of its numbers; [`PolicyBoosting`](super::PolicyBoosting)
    /// takes it from the log.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] for a schema of another shape.
    pub fn with_schema(self, schema: Schema) -> Result<Self, BoplError> {
        check_schema(&schema, self.inputs, self.actions)?;
        Ok(Self { schema: Some(schema), ..self })
    }

    /// α_1 f_1, α_2 f_2, …
    #[must_use]
    pub fn members(&self) -> &[Member<H>] {
        &self.members
    }

    /// T.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it is F_0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// F_t for t ≤ T; the whole ensemble for larger t.
    #[must_use]
    pub fn prefix(&self, t: usize) -> Self
    where
        H: Clone,
    {
        let members = self.members.iter().take(t).cloned().collect();
        Self { inputs: self.inputs, actions: self.actions, members, schema: self.schema.clone() }
    }

    /// Whether the contexts and actions of a log are the ensemble's.
    ///
    /// # Errors
    /// [`BoplError::Policy`] for a log of another coding, [`BoplError::Mismatch`].
    pub(super) fn check_fit(&self, log: &Log) -> Result<(), BoplError> {
        if let (Some(own), Some(of_log)) = (&self.schema, log.schema()) {
            own.check_same(of_log).map_err(PolicyError::from)?;
        }
        check_shape("the ensemble", (log.inputs(), self.inputs), (log.actions(), self.actions))
    }

    /// F_0 = 0 on the contexts and actions of a log.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn start(log: &Log) -> Result<Self, BoplError> {
        Ok(Self { schema: log.schema().cloned(), ..Self::new(log.inputs(), log.actions())? })
    }

    /// The same ensemble with its own schema, or else that of a log that it fits.
    pub(super) fn named_by(self, log: &Log) -> Self {
        Self { schema: self.schema.or_else(|| log.schema().cloned()), ..self }
    }

    /// F ← F + αf, which the caller has checked.
    pub(super) fn push(&mut self, alpha: f64, predictor: H) {
        self.members.push(Member { alpha, predictor });
    }
}

impl<H: PairHypothesis> Scores for PolicyEnsemble<H> {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        if x.dimension() != self.inputs {
            return Err(PolicyError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        if scores.len() != self.actions {
            let (argument, expected, got) = ("scores", self.actions, scores.len());
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        scores.fill(0.0);
        for Member { alpha, predictor } in &self.members {
            let added = predictor.add_scores(x, *alpha, scores);
            added.map_err(|error| PolicyError::Model { reason: error.to_string() })?;
        }
        Ok(())
    }

    /// Predictor by predictor, so that each stays in the cache for many rows, and block by block on the
    /// caller's threads.
    fn scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        if contexts.dimension() != self.inputs {
            let (expected, got) = (self.inputs, contexts.dimension());
            return Err(PolicyError::InputDimension { expected, got });
        }
        scores.fill(0.0);
        let of_block = |(block, scores): (usize, &mut [f64])| {
            for Member { alpha, predictor } in &self.members {
                predictor.add_scores_of_rows(contexts, from + block * BLOCK, *alpha, scores)?;
            }
            Ok(())
        };
        let length = BLOCK * self.actions;
        let done: Result<(), LearnerError> = if in_pool(scores.len()) {
            let blocks: Vec<_> = scores.par_chunks_mut(length).enumerate().map(of_block).collect();
            blocks.into_iter().collect()
        } else {
            scores.chunks_mut(length).enumerate().try_for_each(of_block)
        };
        done.map_err(|error| PolicyError::Model { reason: error.to_string() })
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "H: Deserialize<'de>"))]
struct Parts<H> {
    inputs: usize,
    actions: usize,
    members: Vec<Member<H>>,
    /// Absent in files of older versions.
    #[serde(default)]
    schema: Option<Schema>,
}

fn check_schema(schema: &Schema, inputs: usize, actions: usize) -> Result<(), BoplError> {
    check_shape("the schema", (inputs, schema.inputs()), (actions, schema.actions()))
}

/// Whether a predictor is one of so many coordinates and actions.
pub(super) fn check_predictor(
    f: &impl PairHypothesis,
    inputs: usize,
    actions: usize,
) -> Result<(), BoplError> {
    check_shape("a predictor", (inputs, f.inputs()), (actions, f.actions()))
}

/// Coordinates and actions, expected and found.
fn check_shape(
    argument: &'static str,
    inputs: (usize, usize),
    actions: (usize, usize),
) -> Result<(), BoplError> {
    for (unit, (expected, got)) in [("coordinates", inputs), ("actions", actions)] {
        if got != expected {
            return Err(BoplError::Mismatch { argument, unit, expected, got });
        }
    }
    Ok(())
}

/// Whether all predictions are in range.
pub(super) fn check_predictions(values: &[f64]) -> Result<(), BoplError> {
    match first_beyond(values) {
        Some(index) => Err(BoplError::NotFinite { argument: "a prediction", index, value: values[index] }),
        None => Ok(()),
    }
}

impl<H: PairHypothesis> TryFrom<Parts<H>> for PolicyEnsemble<H> {
    type Error = BoplError;

    fn try_from(Parts { inputs, actions, members, schema }: Parts<H>) -> Result<Self, BoplError> {
        for (argument, count) in [("inputs", inputs), ("actions", actions)] {
            if count == 0 {
                return Err(LearnerError::Empty { argument }.into());
            }
        }
        // A policy allocates room for all actions, and the number may come from a damaged file.
        if actions > MOST_ACTIONS {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = actions as f64;
            return Err(BoplError::BadParameter { name: "actions", value, domain: "1 ≤ |A| ≤ 2²⁴" });
        }
        if let Some(schema) = &schema {
            check_schema(schema, inputs, actions)?;
        }
        for (index, Member { alpha, predictor }) in members.iter().enumerate() {
            if !alpha.is_finite() {
                return Err(BoplError::NotFinite { argument: "alpha", index, value: *alpha });
            }
            check_predictor(predictor, inputs, actions)?;
        }
        Ok(Self { inputs, actions, members, schema })
    }
}
