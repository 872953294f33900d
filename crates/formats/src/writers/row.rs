//! The rows of a log, as the columns that they were read from.

use crate::FormatError;
use crate::error::Place;
use crate::facts::FileName;
use crate::log::ReadLog;
use crate::options::LogOptions;
use off_policy::ContextColumn;
use off_policy::dates::date_of_days;
use std::borrow::Cow;

/// A log with the names of its columns in a file.
pub(super) struct Rows<'a> {
    pub(super) log: &'a ReadLog,
    file: FileName,
    /// The column of every coordinate, and its first coordinate.
    columns_of: Vec<u32>,
    bases: Vec<usize>,
    pub(super) names: RoleNames,
    /// What no name of an action contains.
    pub(super) separator: char,
    actions: Vec<String>,
}

/// The names of the columns that are no contexts.
pub(super) struct RoleNames {
    pub(super) action: String,
    pub(super) propensity: String,
    pub(super) reward: String,
    pub(super) available: String,
    pub(super) time: String,
}

/// A value of a context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Missing,
    Number(f64),
    /// Days since 1970.
    Date(f64),
    Label(&'a str),
}

impl<'a> Rows<'a> {
    pub(super) fn new(log: &'a ReadLog, file: &FileName) -> Self {
        let (mut columns_of, mut bases) = (Vec::new(), Vec::new());
        for (number, column) in (0_u32..).zip(log.schema.contexts()) {
            bases.push(columns_of.len());
            columns_of.extend(std::iter::repeat_n(number, column.width()));
        }
        let mut taken: Vec<String> =
            log.schema.contexts().iter().map(|column| column.name().to_owned()).collect();
        let mut free = |name: &str| {
            let mut own = name.to_owned();
            while taken.contains(&own) {
                own.insert_str(0, "logged ");
            }
            taken.push(own.clone());
            own
        };
        let names = RoleNames {
            action: free("action"),
            propensity: free("propensity"),
            reward: free("reward"),
            available: free("available"),
            time: free("time"),
        };
        let names_of = |k| log.schema.action_name(k).map(Cow::into_owned);
        let actions: Vec<String> = (0..log.schema.actions()).filter_map(names_of).collect();
        let is_free = |letter: &char| !actions.iter().any(|name| name.contains(*letter));
        let separator =
            ['|', ';', '/', '#', '~', '^', '&', '\u{1f}'].into_iter().find(is_free).unwrap_or('|');
        Self { log, file: file.clone(), columns_of, bases, names, separator, actions }
    }

    pub(super) fn len(&self) -> usize {
        self.log.actions.len()
    }

    pub(super) fn file(&self) -> &FileName {
        &self.file
    }

    pub(super) fn columns(&self) -> &'a [ContextColumn] {
        self.log.schema.contexts()
    }

    pub(super) fn action_names(&self) -> &[String] {
        &self.actions
    }

    pub(super) fn action(&self, row: usize) -> &str {
        let action = self.log.actions.get(row).copied().unwrap_or_default();
        self.actions.get(action as usize).map_or("", String::as_str)
    }

    pub(super) fn propensity(&self, row: usize) -> Option<f64> {
        self.log.propensities.as_ref()?.get(row).copied()
    }

    pub(super) fn reward(&self, row: usize) -> f64 {
        self.log.rewards.get(row).copied().unwrap_or_default()
    }

    pub(super) fn time(&self, row: usize) -> Option<f64> {
        self.log.time.as_ref()?.get(row).copied()
    }

    /// The numbers of the actions on offer, where the log says which.
    pub(super) fn available(&self, row: usize) -> Option<impl Iterator<Item = usize> + '_> {
        Some(self.log.on_offer.as_ref()?.row(row)?.iter())
    }

    /// The same by their names.
    pub(super) fn available_names(&self, row: usize) -> Option<impl Iterator<Item = &str> + '_> {
        let names = self.available(row)?;
        Some(names.filter_map(|action| self.actions.get(action).map(String::as_str)))
    }

    /// The values of a row, one a column.
    pub(super) fn fill(&self, row: usize, values: &mut Vec<Value<'a>>) {
        values.clear();
        values.extend(self.columns().iter().map(|column| match column {
            ContextColumn::Labels { .. } => Value::Missing,
            column if column.is_date() => Value::Date(0.0),
            _ => Value::Number(0.0),
        }));
        for (column, value) in self.entries(row) {
            if let Some(own) = values.get_mut(column) {
                *own = value;
            }
        }
    }

    /// The columns whose value is not 0, with their values.
    pub(super) fn entries(&self, row: usize) -> Vec<(usize, Value<'a>)> {
        let mut entries = Vec::new();
        let Some(x) = self.log.contexts.row(row) else { return entries };
        x.for_each(|coordinate, value| {
            if value == 0.0 {
                return;
            }
            let number = self.columns_of.get(coordinate).map_or(usize::MAX, |number| *number as usize);
            let (Some(column), Some(base)) = (self.columns().get(number), self.bases.get(number)) else {
                return;
            };
            let value = match column {
                ContextColumn::Labels { labels, .. } => match labels.get(coordinate - base) {
                    Some(label) if !label.is_empty() => Value::Label(label),
                    _ => Value::Missing,
                },
                _ if coordinate > *base => Value::Missing,
                column if column.is_date() => Value::Date(value),
                _ => Value::Number(value),
            };
            entries.push((number, value));
        });
        entries
    }

    /// A date as text.
    pub(super) fn date(&self, row: usize, column: usize, days: f64) -> Result<String, FormatError> {
        date_of_days(days).ok_or_else(|| FormatError::BadCell {
            place: Place { file: self.file.clone(), row: Some(row as u64 + 1), line: None },
            column: self.columns().get(column).map_or("", ContextColumn::name).to_owned(),
            value: days.to_string(),
            expected: "the days since 1970 of a year from 0 to 9999",
        })
    }

    pub(super) fn options_of_labels(&self) -> LogOptions {
        let is_labels = |column: &&ContextColumn| matches!(column, ContextColumn::Labels { .. });
        LogOptions::default().labels(self.columns().iter().filter(is_labels).map(ContextColumn::name))
    }

    /// The options by which the file is read as this log.
    pub(super) fn options(&self) -> LogOptions {
        let RoleNames { action, propensity, reward, available, time } = &self.names;
        let mut options = self.options_of_labels().action(action).reward(reward);
        if self.log.propensities.is_some() {
            options = options.propensity(propensity);
        }
        if self.log.on_offer.is_some() {
            options = options.available(available).separator(self.separator);
        }
        if self.log.time.is_some() {
            options = options.time(time);
        }
        options
    }
}
