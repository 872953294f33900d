//! The log of all events: the columns in their order, the items, and their identities.

use super::level::{ColumnName, shown};
use super::sparse::{Distinct, Sparse, moved};
use super::{ReadCandidates, Rows, UNTAGGED, is_within};
use crate::FormatError;
use crate::columns::Dictionary;
use crate::error::{listed, quoted};
use crate::facts::{ReadFacts, ReadFile};
use crate::log::{RowLabels, weights_where_they_differ};
use crate::readers::{ColumnNames, escaped};
use off_policy::candidates::CandidateSchema;
use rows::{Candidates, RowError};
use std::collections::BTreeMap;

/// The columns of a level, and the place of each column that was read.
struct Columns {
    names: Vec<ColumnName>,
    places: Vec<Option<u32>>,
}

/// The items of the log.
struct Items {
    table: Sparse,
    /// By distinct line that was read.
    of_lines: Vec<u32>,
    identities: Vec<String>,
    /// Whether an item has an identity.
    is_known: bool,
}

impl Rows<'_> {
    pub(super) fn finish(
        mut self,
        columns: &ColumnNames,
        mut facts: ReadFacts,
        files: Vec<ReadFile>,
    ) -> Result<ReadCandidates, FormatError> {
        if self.offsets.len() == 1 {
            return Err(FormatError::NoRows { file: self.file, skipped: facts.skipped });
        }
        facts.rows = self.offsets.len() as u64 - 1;
        self.check_names(columns)?;
        self.book_unknown(columns, &mut facts);
        if self.is_log {
            facts.notes.push("the file has costs: the reward is −cost".into());
        }
        let weights = weights_where_they_differ(std::mem::take(&mut self.weights), self.options, &mut facts);
        let propensities = self.propensities(&mut facts)?;
        let notes = &mut facts.notes;
        let of_contexts = self.columns(&self.contexts, columns, notes);
        let mut of_pairs = self.columns(&self.pairs, columns, notes);
        let mut of_items = self.columns(&self.items, columns, notes);
        let pairs = match self.differing(&of_items) {
            None => std::mem::take(&mut self.of_pairs).moved(&of_pairs.places),
            Some(differs) => self.move_to_pairs(&differs, &mut of_pairs, &mut of_items, notes),
        };
        let items = self.items_of(&of_items, notes)?;
        let has_none = [&self.contexts, &self.pairs, &self.items].iter().all(|level| level.seen == 0);
        if self.schema.is_some() && has_none && !items.is_known {
            let left_out = vec!["none of the features of the model is in the file".to_owned()];
            return Err(FormatError::NoContexts { file: self.file, left_out });
        }
        let (count, of_all) = (items.table.len(), self.line_of.len());
        if self.schema.is_none() && count > 20 && count * 2 > of_all && !of_items.names.is_empty() {
            notes.push(format!(
                "the lines of actions hardly recur ({count} items in {of_all} pairs): name the features of \
                 pairs, such as affinities"
            ));
        }
        let levels = [&of_contexts.names, &of_pairs.names, &of_items.names];
        let optional = levels.into_iter().flatten().enumerate().filter(|(_, column)| column.is_missing);
        let optional = optional.filter_map(|(indicator, _)| indicator.checked_sub(1)).collect();
        let schema = CandidateSchema {
            contexts: shown(&of_contexts.names),
            features: shown(&of_pairs.names),
            items: shown(&of_items.names),
            identities: items.identities,
            optional: self.schema.map_or(optional, |schema| schema.optional.clone()),
        };
        let CandidateSchema { contexts, features, items: of_items, identities, .. } = &schema;
        if features.is_empty() && of_items.is_empty() && identities.is_empty() {
            let reason = "has no features of the actions here: read it as a log of fixed actions";
            return Err(FormatError::WrongFormat { file: self.file, format: self.format, reason });
        }
        let mut candidates = Candidates::builder(std::mem::take(&mut self.offsets));
        let of_contexts = std::mem::take(&mut self.of_contexts).moved(&of_contexts.places);
        if let Some(matrix) = of_contexts.matrix(contexts)? {
            candidates = candidates.contexts(matrix);
        }
        if let Some(matrix) = pairs.matrix(features)? {
            candidates = candidates.features(matrix);
        }
        let of_lines = &items.of_lines;
        let of_pairs = || {
            let item = |line: &u32| of_lines.get(*line as usize).copied().unwrap_or(u32::MAX);
            self.line_of.iter().map(item).collect::<Vec<u32>>()
        };
        if let Some(matrix) = items.table.matrix(of_items)? {
            candidates = candidates.items(of_pairs(), matrix);
        }
        if !identities.is_empty() {
            candidates = candidates.identities(of_pairs(), identities.len());
        }
        Ok(ReadCandidates {
            candidates: candidates.build()?,
            schema,
            chosen: self.chosen,
            propensities,
            rewards: self.rewards,
            time: self.options.time.is_some().then_some(self.time),
            split: self.options.split.is_some().then(|| RowLabels::of(self.split)),
            weights,
            facts,
            files,
        })
    }

    fn columns(&self, level: &super::Level, columns: &ColumnNames, notes: &mut Vec<String>) -> Columns {
        let (names, places) = level.columns(columns, self.options, notes);
        Columns { names, places }
    }

    /// All propensities, or none.
    fn propensities(&mut self, facts: &mut ReadFacts) -> Result<Option<Vec<f64>>, FormatError> {
        let Some(place) = self.without.take().filter(|_| self.is_log) else {
            return Ok(Some(std::mem::take(&mut self.propensities)));
        };
        if self.propensities.iter().all(|p| p.is_nan()) {
            facts.notes.push("the file has no propensities".into());
            return Ok(None);
        }
        let column = "the probability".to_owned();
        let hint = ", and other rows have a propensity; leave such rows out or add them";
        Err(FormatError::MissingCell { place, column, hint })
    }

    /// Refuses names of options that no feature has.
    fn check_names(&self, columns: &ColumnNames) -> Result<(), FormatError> {
        let options = self.options;
        let missing = |name: &String| {
            let (file, column) = (self.file.clone(), name.trim().to_owned());
            Err(FormatError::MissingColumn { file, column, columns: columns.all() })
        };
        if !options.may_lack && self.schema.is_none() {
            let mut exact = options.ignore.iter().chain(&options.labels).chain(&options.split);
            if let Some(name) = exact.find(|name| columns.find(name).is_none()) {
                return missing(name);
            }
            let of_pairs = self.pairs.names().all();
            let is_none = |name: &&String| !of_pairs.iter().any(|own| is_within(own, name.trim()));
            if let Some(name) = options.pair_features.iter().find(is_none) {
                return missing(name);
            }
        }
        Ok(())
    }

    fn book_unknown(&self, columns: &ColumnNames, facts: &mut ReadFacts) {
        const SHOWN: usize = 20;
        let mut extra = BTreeMap::new();
        for level in [&self.contexts, &self.pairs, &self.items] {
            level.book(columns, facts, &mut extra);
        }
        if extra.is_empty() {
            return;
        }
        let plural = |count: u64| if count == 1 { "value" } else { "values" };
        let mut shown: Vec<String> = extra
            .iter()
            .take(SHOWN)
            .map(|(name, count)| format!("{} ({count} {})", quoted(name), plural(*count)))
            .collect();
        if extra.len() > SHOWN {
            shown.push(format!("{} more", extra.len() - SHOWN));
        }
        facts.notes.push(format!("features that the model does not know left out: {}", shown.join(", ")));
    }

    /// The columns of items that differ between the appearances of a tag; `None` where tags name no items.
    fn differing(&self, of_items: &Columns) -> Option<Vec<bool>> {
        if self.schema.is_some() || !self.options.identities || !self.are_tagged {
            return None;
        }
        let mut differs = vec![false; of_items.places.len()];
        let mut first: Vec<Option<u32>> = vec![None; self.tags.len()];
        let values = |line: u32| self.lines.row(line).filter(|(_, value)| *value != 0.0);
        for line in 0..u32::try_from(self.lines.len()).unwrap_or(u32::MAX) {
            let Some(first) = first.get_mut(self.lines.code(line) as usize) else { continue };
            let Some(first) = *first else {
                *first = Some(line);
                continue;
            };
            // Both rise: what is in one alone, or with another value in both.
            let (mut own, mut other) = (values(line).peekable(), values(first).peekable());
            loop {
                let column = match (own.peek().copied(), other.peek().copied()) {
                    (None, None) => break,
                    (Some((column, value)), Some((of_other, of_value))) if column == of_other => {
                        own.next();
                        other.next();
                        (value != of_value).then_some(column)
                    }
                    (Some((column, _)), of_other) if of_other.is_none_or(|(other, _)| column < other) => {
                        own.next();
                        Some(column)
                    }
                    (_, found) => {
                        other.next();
                        found.map(|(column, _)| column)
                    }
                };
                if let Some(differs) = column.and_then(|column| differs.get_mut(column as usize)) {
                    *differs = true;
                }
            }
        }
        // A number and where it is missing stay together.
        for own in differs.chunks_mut(2) {
            let either = own.contains(&true);
            own.fill(either);
        }
        Some(differs)
    }

    /// Moves columns of items to those of pairs, and returns the rows of the pairs.
    fn move_to_pairs(
        &mut self,
        differs: &[bool],
        of_pairs: &mut Columns,
        of_items: &mut Columns,
        notes: &mut Vec<String>,
    ) -> Sparse {
        let (mut names, mut is_moved) = (of_pairs.names.clone(), vec![false; of_items.names.len()]);
        for (place, _) in of_items.places.iter().zip(differs).filter(|(_, differs)| **differs) {
            if let Some(is_moved) = place.and_then(|place| is_moved.get_mut(place as usize)) {
                *is_moved = true;
            }
        }
        let moving: Vec<ColumnName> = of_items
            .names
            .iter()
            .zip(&is_moved)
            .filter(|(_, is)| **is)
            .map(|(name, _)| name.clone())
            .collect();
        if moving.is_empty() {
            return std::mem::take(&mut self.of_pairs).moved(&of_pairs.places);
        }
        let of_numbers: Vec<String> =
            moving.iter().filter(|column| !column.is_missing).map(|column| column.name.clone()).collect();
        notes.push(format!(
            "features that differ between rows of one action are those of pairs: {}",
            listed(&of_numbers)
        ));
        names.extend(moving);
        names.sort_unstable();
        names.dedup();
        let place_of = |name: &ColumnName| {
            let place = names.binary_search(name).ok();
            place.and_then(|place| u32::try_from(place).ok())
        };
        let new_place = |columns: &Columns, place: Option<u32>| {
            let name = place.and_then(|place| columns.names.get(place as usize));
            name.and_then(place_of)
        };
        let own: Vec<Option<u32>> = of_pairs.places.iter().map(|place| new_place(of_pairs, *place)).collect();
        let is_of_pair =
            |place: Option<u32>| place.is_some_and(|place| is_moved.get(place as usize) == Some(&true));
        let from_items: Vec<Option<u32>> = of_items
            .places
            .iter()
            .map(|place| is_of_pair(*place).then(|| new_place(of_items, *place)).flatten())
            .collect();
        let mut kept = Vec::new();
        let mut kept_place = vec![None; of_items.names.len()];
        for ((place, name), is_moved) in of_items.names.iter().enumerate().zip(&is_moved) {
            if !is_moved && let Some(own) = kept_place.get_mut(place) {
                *own = u32::try_from(kept.len()).ok();
                kept.push(name.clone());
            }
        }
        for place in &mut of_items.places {
            *place = place.and_then(|place| kept_place.get(place as usize).copied().flatten());
        }
        of_items.names = kept;
        let before = std::mem::take(&mut self.of_pairs);
        let (mut rows, mut entries) = (Sparse::default(), Vec::new());
        for (pair, line) in self.line_of.iter().enumerate() {
            entries.extend(moved(before.row(pair), &own));
            entries.extend(moved(self.lines.row(*line), &from_items));
            rows.push(&mut entries);
        }
        (of_pairs.names, of_pairs.places) = (names, own);
        rows
    }

    /// Numbers the items: equal lines are one, and identities come first.
    fn items_of(&mut self, of_items: &Columns, notes: &mut Vec<String>) -> Result<Items, FormatError> {
        let lines = std::mem::take(&mut self.lines);
        let by_tags = self.options.identities && self.are_tagged;
        let (mut distinct, mut entries, mut of_lines) = (Distinct::default(), Vec::new(), Vec::new());
        for line in 0..u32::try_from(lines.len()).unwrap_or(u32::MAX) {
            entries.extend(moved(lines.row(line), &of_items.places));
            distinct.open().push(&mut entries);
            let is_named = self.schema.is_some() || by_tags;
            let code = if is_named { lines.code(line) } else { UNTAGGED };
            let limit = u32::MAX as usize;
            let too_many = FormatError::Rows(RowError::TooManyRows { rows: lines.len(), limit });
            of_lines.push(distinct.close(code).ok_or(too_many)?);
        }
        drop(lines);
        let count = u32::try_from(distinct.len()).unwrap_or(u32::MAX);
        let shown = shown(&of_items.names);
        let name = |item: u32| match self.tags.label(distinct.code(item)) {
            Some(tag) => tag.to_owned(),
            None => written(distinct.row(item), &shown),
        };
        let (identities, numbers) = match self.schema {
            None if self.options.identities => {
                let mut names = Dictionary::default();
                (0..count).for_each(|item| {
                    names.number(&name(item));
                });
                names.sorted()
            }
            None => (Vec::new(), (0..count).collect()),
            Some(schema) => {
                let numbers = known(&schema.identities, &self.tags, (0..count).map(name), notes);
                (schema.identities.clone(), numbers)
            }
        };
        let all = numbers.iter().map(|number| *number as usize + 1).max().unwrap_or_default();
        let mut item_of = vec![None; all.max(identities.len())];
        for (item, number) in (0..count).zip(&numbers) {
            if let Some(of_number) = item_of.get_mut(*number as usize) {
                *of_number = Some(item);
            }
        }
        let mut table = Sparse::default();
        for item in item_of {
            // An identity that is nowhere in this log has no features.
            entries.extend(item.into_iter().flat_map(|item| distinct.row(item)));
            table.push(&mut entries);
        }
        for line in &mut of_lines {
            *line = numbers.get(*line as usize).copied().unwrap_or(u32::MAX);
        }
        let is_known = numbers.iter().any(|number| (*number as usize) < identities.len());
        Ok(Items { table, of_lines, identities, is_known })
    }
}

/// The numbers of items of these names: that of the identity, or one behind all identities.
fn known(
    identities: &[String],
    places: &Dictionary,
    names: impl Iterator<Item = String>,
    notes: &mut Vec<String>,
) -> Vec<u32> {
    let mut is_taken = vec![false; identities.len()];
    let (mut next, mut again) = (u32::try_from(identities.len()).unwrap_or(u32::MAX), 0);
    let numbers = names.map(|name| {
        let place = places.find(&name);
        match place.and_then(|place| is_taken.get_mut(place as usize).zip(Some(place))) {
            Some((is_taken, place)) if !*is_taken => {
                *is_taken = true;
                place
            }
            found => {
                again += u64::from(found.is_some());
                next = next.saturating_add(1);
                next - 1
            }
        }
    });
    let numbers = numbers.collect();
    if again > 0 {
        notes.push(format!(
            "{again} items have the name of an action and other features than where it came first in this file: \
             they have no identity, and nothing that the model learnt of the action by its name counts for them"
        ));
    }
    numbers
}

/// A line as Vowpal Wabbit's text has it: the name of an item without a tag. No tag of text has a bar.
fn written(row: impl Iterator<Item = (u32, f64)>, names: &[String]) -> String {
    let mut text = "|".to_owned();
    for (column, value) in row.filter(|(_, value)| *value != 0.0) {
        text.push(' ');
        text.push_str(&escaped(names.get(column as usize).map_or("", |name| name), false));
        if value != 1.0 {
            text.push_str(&format!(":{value}"));
        }
    }
    text
}
