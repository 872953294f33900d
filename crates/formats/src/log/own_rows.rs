//! What is of the rows of a rank, and changes its rank with them.

use super::RowLabels;
use crate::FormatError;
use crate::alignment::{Moved, PerRow, align};
use crate::columns::Cells;
use off_policy::ActionSets;
use ranks::Ranks;

/// What is of the rows of this rank.
pub(super) struct OwnRows {
    pub(super) contexts: Cells,
    pub(super) actions: Vec<u32>,
    pub(super) propensities: Option<Vec<f64>>,
    pub(super) rewards: Vec<f64>,
    pub(super) on_offer: Option<ActionSets>,
    pub(super) time: Option<Vec<f64>>,
    pub(super) split: Option<RowLabels>,
    pub(super) weights: Option<Vec<f64>>,
}

impl OwnRows {
    /// The same rows of all ranks, where those of every rank begin at a block.
    pub(super) fn aligned(self, ranks: &Ranks) -> Result<Self, FormatError> {
        let rows = self.rewards.len();
        let numbers = |values: Vec<f64>| PerRow::of_width(1, values);
        let mut actions = PerRow::of_width(1, self.actions);
        let mut rewards = numbers(self.rewards);
        let mut optional = [self.propensities, self.time, self.weights].map(|values| values.map(numbers));
        let (labels, codes) = self.split.map(|split| (split.labels, split.codes)).unzip();
        let mut codes = codes.map(|codes| PerRow::of_width(1, codes));
        let count = self.on_offer.as_ref().map(ActionSets::actions);
        let mut sets = self.on_offer.map(|sets| {
            let (mut offsets, mut listed) = (vec![0], Vec::new());
            for set in (0..sets.len()).filter_map(|row| sets.row(row)) {
                listed.extend(set.iter().filter_map(|action| u32::try_from(action).ok()));
                offsets.push(listed.len());
            }
            PerRow::of_offsets(offsets, listed)
        });
        let (mut indices, mut values, dimension, is_dense) = match self.contexts {
            Cells::Dense { dimension, values } => {
                (PerRow::of_width(0, Vec::new()), PerRow::of_width(dimension, values), dimension, true)
            }
            Cells::Sparse { dimension, offsets, indices, values } => {
                let indices = PerRow::of_offsets(offsets.clone(), indices);
                (indices, PerRow::of_offsets(offsets, values), dimension, false)
            }
        };
        let mut parts: Vec<&mut dyn Moved> = vec![&mut actions, &mut rewards, &mut indices, &mut values];
        parts.extend(optional.iter_mut().flatten().map(|part| part as &mut dyn Moved));
        parts.extend(codes.as_mut().map(|part| part as &mut dyn Moved));
        parts.extend(sets.as_mut().map(|part| part as &mut dyn Moved));
        align(rows, &mut parts, ranks)?;
        let on_offer = sets.zip(count).map(|(sets, count)| {
            let (offsets, listed) = sets.into_parts();
            let rows = offsets.windows(2).map(|ends| listed.get(ends[0]..ends[1]).unwrap_or_default());
            ActionSets::new(count, rows)
        });
        let contexts = if is_dense {
            Cells::Dense { dimension, values: values.into_values() }
        } else {
            let (offsets, values) = values.into_parts();
            Cells::Sparse { dimension, offsets, indices: indices.into_values(), values }
        };
        let [propensities, time, weights] = optional.map(|part| part.map(PerRow::into_values));
        Ok(Self {
            contexts,
            actions: actions.into_values(),
            propensities,
            rewards: rewards.into_values(),
            on_offer: on_offer.transpose()?,
            time,
            split: labels.zip(codes).map(|(labels, codes)| RowLabels { labels, codes: codes.into_values() }),
            weights,
        })
    }
}
