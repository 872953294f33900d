//! A log in comma-separated values, by the names of its columns.

use super::ReadError;
use super::table::Table;
use crate::{Costs, Log, Rewards};
use rows::RowMatrix;
use std::collections::BTreeMap;
use std::io::Read;

/// Which column is what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvColumns {
    /// x.
    pub contexts: ContextColumns,
    /// The name of the column of a.
    pub action: String,
    /// How a is written.
    pub coding: ActionCoding,
    /// The name of the column of p.
    pub propensity: String,
    /// r, or the cost −r.
    pub outcome: Outcome,
}

/// The columns of the contexts, all of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextColumns {
    /// These, in this order.
    Named(Vec<String>),
    /// All that are nothing else, in the order of the header. A column without a name, as of row numbers, is none of them.
    Remaining,
}

/// How actions are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionCoding {
    /// As whole numbers below this |A|.
    Index(usize),
    /// As one of these labels; the first is action 0.
    Labels(Vec<String>),
    /// As labels that become actions in the order in which they first appear. An action that was never taken is not known
    /// then.
    Appearance,
}

/// The name of the column of outcomes, and the sign of what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// More is better.
    Reward(String),
    /// Less is better.
    Cost(String),
}

/// A log that was read, and the names of what is numbered in it.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvLog {
    /// The log.
    pub log: Log,
    /// The columns of the contexts.
    pub contexts: Vec<String>,
    /// The labels of the actions; empty for [`ActionCoding::Index`].
    pub actions: Vec<String>,
}

/// Reads a log from comma-separated values with a header, quoted as in RFC 4180; white space around a cell is not part of
/// it, nor around a name or label that is asked for, and blank lines are none.
///
/// *Cost:* one pass; nothing is held but the log itself and one record.
///
/// ```
/// use off_policy::readers::{ActionCoding, ContextColumns, CsvColumns, Outcome, read_csv};
/// let columns = CsvColumns {
///     contexts: ContextColumns::Remaining,
///     action: "shown".into(),
///     coding: ActionCoding::Appearance,
///     propensity: "p".into(),
///     outcome: Outcome::Cost("cost".into()),
/// };
/// let text = "age,shown,p,cost,visits\n41,news,0.5,1,3\n7,sport,0.25,0,9\n";
/// let read = read_csv(text.as_bytes(), &columns)?;
/// assert_eq!((read.contexts, read.actions), (vec!["age".into(), "visits".into()], vec!["news".into(), "sport".into()]));
/// assert_eq!((read.log.rewards(), read.log.logged_actions()), (&[-1.0, 0.0][..], &[0, 1][..]));
///
/// let refused = read_csv(text.replace("0.25", "1.25").as_bytes(), &columns);
/// let expected = "line 3, column \"p\": \"1.25\" is not a propensity in (0, 1]";
/// assert_eq!(refused.map_err(|e| e.to_string()), Err(expected.to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Every variant of [`ReadError`] but those about items and several streams.
pub fn read_csv(source: impl Read, columns: &CsvColumns) -> Result<CsvLog, ReadError> {
    let mut table = Table::open(source)?;
    let (outcome_name, is_cost) = match &columns.outcome {
        Outcome::Reward(name) => (name, false),
        Outcome::Cost(name) => (name, true),
    };
    let action_column = table.column(&columns.action)?;
    let propensity_column = table.column(&columns.propensity)?;
    let outcome_column = table.column(outcome_name)?;
    let mut taken = vec![false; table.header().len()];
    for j in [action_column, propensity_column, outcome_column] {
        take(&table, &mut taken, j)?;
    }
    let context_columns: Vec<usize> = match &columns.contexts {
        ContextColumns::Remaining => {
            (0..taken.len()).filter(|j| !taken[*j] && !table.header()[*j].is_empty()).collect()
        }
        ContextColumns::Named(names) => {
            let places = names.iter().map(|name| table.column(name)).collect::<Result<Vec<_>, _>>()?;
            places.iter().try_for_each(|j| take(&table, &mut taken, *j))?;
            places
        }
    };
    if context_columns.is_empty() {
        return Err(ReadError::NoContexts);
    }
    let mut coder = Coder::new(&columns.coding)?;
    let (mut contexts, mut actions) = (Vec::new(), Vec::new());
    let (mut propensities, mut outcomes) = (Vec::new(), Vec::new());
    while table.advance()? {
        for &j in &context_columns {
            contexts.push(table.number(j)?);
        }
        actions.push(coder.action(&table, action_column)?);
        propensities.push(table.propensity(propensity_column)?);
        outcomes.push(table.number(outcome_column)?);
    }
    if actions.is_empty() {
        return Err(ReadError::NoRows);
    }
    let names = context_columns.iter().map(|j| table.header()[*j].clone()).collect();
    let rewards = if is_cost { Rewards::from(Costs(outcomes)) } else { Rewards(outcomes) };
    let contexts = RowMatrix::dense(context_columns.len(), contexts)?;
    let log = Log::new(contexts, coder.count(), actions, propensities, rewards)?;
    Ok(CsvLog { log, contexts: names, actions: coder.labels })
}

fn take<R: Read>(table: &Table<R>, taken: &mut [bool], j: usize) -> Result<(), ReadError> {
    if std::mem::replace(&mut taken[j], true) {
        return Err(ReadError::ColumnAskedTwice { column: table.header()[j].clone() });
    }
    Ok(())
}

/// Cells to actions.
struct Coder {
    /// |A|, where cells are whole numbers.
    indices: Option<usize>,
    grows: bool,
    labels: Vec<String>,
    actions: BTreeMap<String, u32>,
}

impl Coder {
    fn new(coding: &ActionCoding) -> Result<Self, ReadError> {
        let (indices, grows, labels): (_, _, &[String]) = match coding {
            ActionCoding::Index(actions) => (Some(*actions), false, &[]),
            ActionCoding::Labels(labels) => (None, false, labels),
            ActionCoding::Appearance => (None, true, &[]),
        };
        let mut coder = Self { indices, grows, labels: Vec::new(), actions: BTreeMap::new() };
        for label in labels {
            if coder.insert(label.trim()).is_none() {
                return Err(ReadError::DuplicateAction { label: label.clone() });
            }
        }
        Ok(coder)
    }

    /// The action of a new label; `None` for a label that has one.
    fn insert(&mut self, label: &str) -> Option<u32> {
        let action = u32::try_from(self.labels.len()).ok()?;
        if self.actions.contains_key(label) {
            return None;
        }
        self.actions.insert(label.to_owned(), action);
        self.labels.push(label.to_owned());
        Some(action)
    }

    fn action<R: Read>(&mut self, table: &Table<R>, j: usize) -> Result<u32, ReadError> {
        if let Some(actions) = self.indices {
            return table.action(j, actions);
        }
        let label = table.text(j)?;
        let known = self.actions.get(label).copied();
        let action = if known.is_none() && self.grows { self.insert(label) } else { known };
        action.ok_or_else(|| table.unknown_action(j, self.labels.len()))
    }

    fn count(&self) -> usize {
        self.indices.unwrap_or(self.labels.len())
    }
}
