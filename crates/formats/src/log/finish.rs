//! A log of the rows that all ranks have read.

use super::own_rows::OwnRows;
use super::records::Records;
use super::{ReadLog, RowLabels};
use crate::FormatError;
use crate::agreement::Agreement;
use off_policy::{ActionNames, Schema};
use ranks::Ranks;

impl Records<'_> {
    /// The log, of what all ranks have read.
    pub(super) fn finish(self, schema: Option<&Schema>, ranks: &Ranks) -> Result<ReadLog, FormatError> {
        let Self { mut files, mut rows, is_event, action_column } = self;
        let (file, options) = (files.name().clone(), rows.options);
        files.merge(ranks)?;
        let all = rows.facts().gathered(ranks)?;
        let (mut facts, of_files) = files.facts();
        facts.skipped.extend(all.skipped);
        if all.rows == 0 {
            return Err(FormatError::NoRows { file, skipped: facts.skipped });
        }
        facts.rows = all.rows;
        match is_event {
            true => rows.columns.roles.check_events(files.columns())?,
            false => rows.columns.roles.check(files.columns())?,
        }
        if is_event || rows.columns.roles.is_cost {
            facts.notes.push("the file has costs: the reward is −cost".into());
        }
        let have_propensities = rows.have_propensities(all.without, all.has_propensity, &mut facts)?;
        let have_weights = all.weights.are_kept(options, &mut facts);
        let (actions, on_offer, names) = rows.actions.finish(ranks, &mut facts.notes)?;
        if let ([only], None) = (&names[..], schema) {
            return Err(FormatError::OneAction { file, column: action_column, action: only.clone() });
        }
        let (contexts, inferred) = rows.columns.finish(files.columns(), ranks, &mut facts)?;
        let schema = match (schema, inferred) {
            (Some(schema), _) => schema.clone(),
            (None, columns) => Schema::new(columns.unwrap_or_default(), ActionNames::Labels(names))?,
        };
        let (codes, mut labels) = rows.split;
        labels.merge(ranks)?;
        let mut own = OwnRows {
            contexts,
            actions,
            propensities: have_propensities.then_some(rows.propensities),
            rewards: rows.rewards,
            on_offer,
            time: all.has_time.then_some(rows.time),
            split: options.split.is_some().then(|| RowLabels::of((codes, labels))),
            weights: have_weights.then_some(rows.weights),
        };
        if ranks.are_several() {
            own = own.aligned(ranks)?;
        }
        let OwnRows { contexts, actions, propensities, rewards, on_offer, time, split, weights } = own;
        let contexts = contexts.matrix().map_err(FormatError::from);
        let contexts = Agreement::new(ranks).end(contexts)?;
        let files = of_files;
        Ok(ReadLog {
            contexts,
            schema,
            actions,
            propensities,
            rewards,
            on_offer,
            time,
            split,
            weights,
            facts,
            files,
        })
    }
}
