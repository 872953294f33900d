//! The rows of a log while they are read.

use crate::FormatError;
use crate::actions::Actions;
use crate::agreement::Agreement;
use crate::columns::{Dictionary, date_or_number, number};
use crate::error::Place;
use crate::facts::{Progress, SkipCounts};
use crate::layout::Layout;
use crate::options::{Format, LogOptions, MissingPropensities};
use crate::pass::Files;
use crate::readers::{Absent, ColumnNames};
use crate::record::{Cell, Record};
use crate::roles::{Role, Roles};
use off_policy::{ActionNames, Schema};
use std::ops::ControlFlow;

/// Reads all records.
pub(super) fn records<'a>(
    mut files: Files<'a>,
    schema: Option<&Schema>,
    options: &'a LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    agreement: &Agreement<'_>,
) -> Result<Records<'a>, FormatError> {
    let (file, format) = (files.name().clone(), files.format());
    let is_event = files.absent() == Absent::Zero;
    let roles = match is_event {
        true => Roles::of_events(file.clone(), options)?,
        false => Roles::of_log(file.clone(), options, format)?,
    };
    let known_items = items(&files);
    let names = schema.map(Schema::action_names).or(known_items.as_ref());
    let action_column = if is_event { "the action" } else { roles.name(Role::Action) }.to_owned();
    let actions = Actions::new(file, &action_column, options.separator, names);
    let columns = Layout::new(&files, roles, schema, options.most_labels);
    let mut rows = Rows {
        options,
        columns,
        actions,
        propensities: Vec::new(),
        without: None,
        rewards: Vec::new(),
        time: Vec::new(),
        split: (Vec::new(), Dictionary::default()),
        weights: Vec::new(),
        skips: SkipCounts::default(),
    };
    rows.columns.extend(files.columns());
    if !is_event {
        rows.columns.check_header(&files)?;
    }
    files.for_each(progress, |record, names| {
        agreement.record()?;
        rows.push(record, names)
    })?;
    Ok(Records { files, rows, is_event, action_column })
}

/// The records that this rank has read, and what they are of.
pub(super) struct Records<'a> {
    pub(super) files: Files<'a>,
    pub(super) rows: Rows<'a>,
    pub(super) is_event: bool,
    pub(super) action_column: String,
}

/// The items of the Open Bandit Dataset: there is a column of affinities for each.
fn items(files: &Files<'_>) -> Option<ActionNames> {
    let is_item = |name: &String| name.starts_with("user-item_affinity_");
    let count = files.columns().all().iter().filter(|name| is_item(name)).count();
    let names = (0..count).map(|item| item.to_string()).collect();
    (files.format() == Format::OpenBandit && count > 0).then_some(ActionNames::Labels(names))
}

/// The rows read so far.
pub(super) struct Rows<'a> {
    pub(super) options: &'a LogOptions,
    pub(super) columns: Layout,
    pub(super) actions: Actions,
    /// NaN where there is none.
    pub(super) propensities: Vec<f64>,
    /// The first row without one.
    pub(super) without: Option<Place>,
    pub(super) rewards: Vec<f64>,
    pub(super) time: Vec<f64>,
    pub(super) split: (Vec<u32>, Dictionary),
    pub(super) weights: Vec<f64>,
    pub(super) skips: SkipCounts,
}

impl Rows<'_> {
    fn push(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        self.columns.extend(names);
        let Some(decision) = record.decision else { return self.push_cells(record, names) };
        if decision.cost.is_none() {
            self.skips.add("decisions without a label");
            return Ok(());
        }
        let propensity = record.propensity(&decision)?;
        if propensity.is_none() && self.options.missing_propensities == MissingPropensities::Skip {
            self.skips.add("rows without a propensity");
            return Ok(());
        }
        self.actions.push_offered(record, decision.offered)?;
        self.time(record, names)?;
        self.split(record);
        self.keep_propensity(record, propensity);
        // 0 − c and not −c, so that a cost of 0 is a reward of 0 and not of −0.
        self.rewards.push(0.0 - decision.cost.unwrap_or_default());
        self.weights.push(decision.weight);
        self.columns.push(record, names)
    }

    fn push_cells(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        let propensity = match self.columns.cell(record, Role::Propensity) {
            None => None,
            Some(cell) => match number(record, cell) {
                Ok(None) => None,
                Ok(Some(p)) if p > 0.0 && p <= 1.0 => Some(p),
                _ => return Err(self.bad(record, Role::Propensity, cell, "a propensity in (0, 1]")),
            },
        };
        let has_column = names.find(self.columns.roles.name(Role::Propensity)).is_some();
        if propensity.is_none()
            && has_column
            && self.options.missing_propensities == MissingPropensities::Skip
        {
            self.skips.add("rows without a propensity");
            return Ok(());
        }
        let outcome = self.needed(record, names, Role::Outcome)?;
        let outcome = match number(record, outcome) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => return Err(self.empty(record, Role::Outcome)),
            Err(()) => {
                let expected = "a finite number up to 1e140 in magnitude";
                return Err(self.bad(record, Role::Outcome, outcome, expected));
            }
        };
        let action = self.needed(record, names, Role::Action)?;
        let available = match self.columns.roles.name(Role::Available) {
            "" => None,
            _ => Some(self.needed(record, names, Role::Available)?),
        };
        self.actions.push_cells(record, Some(action), available)?;
        self.time(record, names)?;
        self.split(record);
        self.keep_propensity(record, propensity);
        // −0 is 0.
        self.rewards.push(if self.columns.roles.is_cost { 0.0 - outcome } else { outcome + 0.0 });
        self.columns.push(record, names)
    }

    fn time(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        let name = self.columns.roles.name(Role::Time);
        // The time of the Open Bandit Dataset is not asked for by the caller, and may be missing.
        if name.is_empty() || (self.options.time.is_none() && names.find(name).is_none()) {
            return Ok(());
        }
        let cell = self.needed(record, names, Role::Time)?;
        match date_or_number(record, cell) {
            Ok(Some(time)) => self.time.push(time + 0.0),
            Ok(None) => return Err(self.empty(record, Role::Time)),
            Err(()) => return Err(self.bad(record, Role::Time, cell, "a date or a number")),
        }
        Ok(())
    }

    fn keep_propensity(&mut self, record: &Record, propensity: Option<f64>) {
        if propensity.is_none() && self.without.is_none() {
            self.without = Some(record.place());
        }
        self.propensities.push(propensity.unwrap_or(f64::NAN));
    }

    /// The cell of a role that every row must have.
    fn needed(&self, record: &Record, names: &ColumnNames, role: Role) -> Result<Cell, FormatError> {
        match self.columns.cell(record, role) {
            Some(cell) if cell != Cell::Missing => Ok(cell),
            _ => {
                // A column that no line had so far is one that is not there.
                self.columns.roles.check(names).or_else(|error| match error {
                    FormatError::MissingColumn { ref column, .. }
                        if column != self.columns.roles.name(role) =>
                    {
                        Ok(())
                    }
                    error => Err(error),
                })?;
                Err(self.empty(record, role))
            }
        }
    }

    fn empty(&self, record: &Record, role: Role) -> FormatError {
        let column = self.columns.roles.name(role).to_owned();
        FormatError::MissingCell { place: record.place(), column, hint: "" }
    }

    fn bad(&self, record: &Record, role: Role, cell: Cell, expected: &'static str) -> FormatError {
        let (mut buffer, column) = (String::new(), self.columns.roles.name(role).to_owned());
        let value = record.written(cell, &mut buffer).to_owned();
        FormatError::BadCell { place: record.place(), column, value, expected }
    }

    /// The label by which the row is split; a missing one is the empty one.
    fn split(&mut self, record: &Record) {
        if self.options.split.is_some() {
            let (codes, labels) = &mut self.split;
            let mut buffer = String::new();
            let cell = self.columns.cell(record, Role::Split).unwrap_or(Cell::Missing);
            codes.push(labels.number(record.written(cell, &mut buffer)));
        }
    }
}
