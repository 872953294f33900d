//! What is known of the rows of a rank, and of all, besides their columns.

use super::records::Rows;
use crate::FormatError;
use crate::agreement::gathered;
use crate::error::Seen;
use crate::facts::{ReadFacts, SkipCounts, Skipped};
use crate::options::{LogOptions, RowWeights};
use crate::roles::Role;
use ranks::Ranks;
use serde::{Deserialize, Serialize};

/// What is known of the rows of a rank besides their columns.
#[derive(Serialize, Deserialize)]
pub(super) struct OfRows {
    pub(super) rows: u64,
    pub(super) skipped: Vec<Skipped>,
    /// The first row without a propensity.
    pub(super) without: Option<Seen>,
    pub(super) has_propensity: bool,
    pub(super) has_time: bool,
    pub(super) weights: Weights,
}

impl OfRows {
    /// That of all ranks.
    pub(super) fn gathered(self, ranks: &Ranks) -> Result<Self, FormatError> {
        let none = Weights { first: None, are_same: true };
        let (rows, skipped, without, weights) = (0, Vec::new(), None, none);
        let mut all = Self { rows, skipped, without, has_propensity: false, has_time: false, weights };
        for next in gathered(ranks, self)? {
            all.rows += next.rows;
            all.skipped.extend(next.skipped);
            all.without = all.without.or(next.without);
            all.has_propensity |= next.has_propensity;
            all.has_time |= next.has_time;
            all.weights = all.weights.and(next.weights);
        }
        all.skipped = SkipCounts::added(all.skipped);
        Ok(all)
    }
}

impl Rows<'_> {
    /// What is known of these rows.
    pub(super) fn facts(&mut self) -> OfRows {
        OfRows {
            rows: self.rewards.len() as u64,
            skipped: self.skips.list(),
            without: self.without.take().map(|place| Seen::new(place, "")),
            has_propensity: self.propensities.iter().any(|p| !p.is_nan()),
            has_time: !self.time.is_empty(),
            weights: Weights::of(&self.weights),
        }
    }

    /// Whether all rows have a propensity, by the first one without; otherwise none may have one.
    pub(super) fn have_propensities(
        &self,
        without: Option<Seen>,
        has_some: bool,
        facts: &mut ReadFacts,
    ) -> Result<bool, FormatError> {
        let Some(first) = without else { return Ok(true) };
        if !has_some && self.options.propensity.is_none() {
            facts.notes.push("the file has no propensities".into());
            return Ok(false);
        }
        let column = match self.columns.roles.name(Role::Propensity) {
            "" => "the probability".to_owned(),
            name => name.to_owned(),
        };
        let hint = ", and other rows have a propensity; leave such rows out or add them";
        Err(FormatError::MissingCell { place: first.place(), column, hint })
    }
}

/// Whether the rows of a rank, or of all, have the same weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Weights {
    /// The bits of the first one.
    first: Option<u64>,
    are_same: bool,
}

impl Weights {
    fn of(weights: &[f64]) -> Self {
        let first = weights.first();
        Self {
            first: first.map(|first| first.to_bits()),
            are_same: weights.iter().all(|weight| Some(weight) == first),
        }
    }

    /// With those of the next rank.
    fn and(self, next: Self) -> Self {
        let is_same = self.first.is_none() || next.first.is_none() || self.first == next.first;
        Self { first: self.first.or(next.first), are_same: self.are_same && next.are_same && is_same }
    }

    /// Whether they differ and are kept.
    pub(super) fn are_kept(self, options: &LogOptions, facts: &mut ReadFacts) -> bool {
        let Some(first) = self.first.map(f64::from_bits) else { return false };
        if self.are_same {
            if first != 1.0 {
                facts
                    .notes
                    .push(format!("every row has the weight {first} (from pdrop), which changes no mean"));
            }
            return false;
        }
        if options.weights == RowWeights::Drop {
            let note = "the weights of the rows (from pdrop) are left out: every row counts once";
            facts.notes.push(note.into());
            return false;
        }
        facts.notes.push("the rows have different weights (from pdrop)".into());
        true
    }
}

/// The weights, where they differ.
pub(crate) fn weights_where_they_differ(
    weights: Vec<f64>,
    options: &LogOptions,
    facts: &mut ReadFacts,
) -> Option<Vec<f64>> {
    Weights::of(&weights).are_kept(options, facts).then_some(weights)
}
