//! A log in comma-separated values, by the names of its columns.

use super::ReadError;
use super::csv_actions::Actions;
use super::csv_contexts::{Contexts, Named};
use super::labels::Labels;
use super::table::Table;
use crate::{Costs, Log, Rewards};
use std::io::Read;

/// Which column is what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvColumns {
    /// x.
    pub contexts: ContextColumns,
    /// Those of them that hold labels; the others hold numbers.
    pub categories: Vec<CategoryColumn>,
    /// The name of the column of a.
    pub action: String,
    /// How a is written.
    pub coding: ActionCoding,
    /// The column of the actions that were on offer, where not all of them were.
    pub on_offer: Option<OnOffer>,
    /// The name of the column of p.
    pub propensity: String,
    /// r, or the cost −r.
    pub outcome: Outcome,
}

/// The columns of the contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextColumns {
    /// These, in this order.
    Named(Vec<String>),
    /// All that are nothing else, in the order of the header. A column without a name, as of row numbers, is none of them.
    Remaining,
}

/// A column of labels, such as of countries: one column of the contexts a label, in its place, that is 1 where the label
/// stands and 0 elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryColumn {
    /// The name of the column.
    pub column: String,
    /// Its labels.
    pub labels: CategoryLabels,
}

/// Which labels have a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CategoryLabels {
    /// All of them, in the order in which they first appear.
    Appearance,
    /// These, in this order. Another label is 0 in all columns and counted in [`CsvLog::unknown_labels`].
    Known(Vec<String>),
}

/// A column of lists of actions, each written as those of the column of a. White space around an action is not part of it;
/// between two separators stands an action without a name, which is refused unless the empty label was said to be an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnOffer {
    /// The name of the column.
    pub column: String,
    /// What stands between two actions of a cell.
    pub separator: char,
}

/// How actions are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionCoding {
    /// As whole numbers below this |A|.
    Index(usize),
    /// As one of these labels; the first is action 0.
    Labels(Vec<String>),
    /// As labels that become actions in the order in which they first appear, those on offer in a row before the one that was
    /// taken. An action that was never taken, nor listed as on offer, is not known then, and an empty cell is refused.
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
    /// The log; its contexts are sparse where a column holds labels, and dense otherwise.
    pub log: Log,
    /// The columns of the contexts; `country=Chad` is that of a label. Two may have one name where names have `=` in them.
    pub contexts: Vec<String>,
    /// The labels of the actions; empty for [`ActionCoding::Index`].
    pub actions: Vec<String>,
    /// What was asked for, with the columns of the contexts and all labels named: another file that is read by these
    /// columns is coded as this one is.
    pub columns: CsvColumns,
    /// Cells with a label that none of [`CategoryLabels::Known`] is.
    pub unknown_labels: usize,
}

/// Reads a log from comma-separated values with a header, quoted as in RFC 4180; white space around a cell is not part of
/// it, nor around a name or label that is asked for, and blank lines are none. A cell is quoted where it begins with a
/// quotation mark, and only there may one stand, so that a stream that lacks one is refused.
///
/// *Cost:* one pass; nothing is held but the log itself and one record, and where there are labels or lists, their numbers until
/// the log is made of them: 4 bytes a label or listed action, 8 a number.
///
/// ```
/// use off_policy::readers::{
///     ActionCoding, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, Outcome, read_csv,
/// };
/// let columns = CsvColumns {
///     contexts: ContextColumns::Remaining,
///     categories: vec![CategoryColumn { column: "device".into(), labels: CategoryLabels::Appearance }],
///     action: "shown".into(),
///     coding: ActionCoding::Appearance,
///     on_offer: None,
///     propensity: "p".into(),
///     outcome: Outcome::Cost("cost".into()),
/// };
/// let text = "age,shown,p,cost,device\n41,news,0.5,1,phone\n7,sport,0.25,0,tablet\n";
/// let read = read_csv(text.as_bytes(), &columns)?;
/// assert_eq!((read.contexts.join(" "), read.actions.join(" ")), ("age device=phone device=tablet".into(), "news sport".into()));
/// assert_eq!((read.log.rewards(), read.log.logged_actions()), (&[-1.0, 0.0][..], &[0, 1][..]));
/// assert_eq!(read.log.row(1).map(|row| row.context.to_dense()), Some(vec![7.0, 0.0, 1.0]));
///
/// // Another file, with the same columns and actions.
/// let other = "age,shown,p,cost,device\n30,sport,1,0,tablet\n31,sport,1,0,watch\n";
/// let other = read_csv(other.as_bytes(), &read.columns)?;
/// assert_eq!((other.log.inputs(), other.log.logged_actions(), other.unknown_labels), (3, &[1, 1][..], 1));
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
    let mut asked = vec![false; table.header().len()];
    let action_column = asked_once(&table, &mut asked, &columns.action)?;
    let propensity_column = asked_once(&table, &mut asked, &columns.propensity)?;
    let outcome_column = asked_once(&table, &mut asked, outcome_name)?;
    let on_offer = match &columns.on_offer {
        Some(OnOffer { column, separator }) => Some((asked_once(&table, &mut asked, column)?, *separator)),
        None => None,
    };
    let mut contexts = contexts(&table, &mut asked, columns)?;
    let mut actions = Actions::new(&columns.coding, action_column, on_offer)?;
    let (mut propensities, mut outcomes) = (Vec::new(), Vec::new());
    while table.advance()? {
        contexts.push(&table)?;
        actions.push(&table)?;
        propensities.push(table.propensity(propensity_column)?);
        outcomes.push(table.number(outcome_column)?);
    }
    if outcomes.is_empty() {
        return Err(ReadError::NoRows);
    }
    let unknown_labels = contexts.unknown;
    let (contexts, Named { names, columns: context_columns, categories }) = contexts.finish()?;
    let rewards = if is_cost { Rewards::from(Costs(outcomes)) } else { Rewards(outcomes) };
    let action_count = actions.count();
    let (logged, sets, labels) = actions.finish()?;
    let mut log = Log::new(contexts, action_count, logged, propensities, rewards)?;
    if let Some(sets) = sets {
        log = log.with_action_sets(sets)?;
    }
    let known = |(column, labels)| CategoryColumn { column, labels: CategoryLabels::Known(labels) };
    let columns = CsvColumns {
        contexts: ContextColumns::Named(context_columns),
        categories: categories.into_iter().map(known).collect(),
        coding: match columns.coding {
            ActionCoding::Index(actions) => ActionCoding::Index(actions),
            _ => ActionCoding::Labels(labels.clone()),
        },
        ..columns.clone().trimmed()
    };
    Ok(CsvLog { log, contexts: names, actions: labels, columns, unknown_labels })
}

impl CsvColumns {
    /// Without white space around the names of single columns.
    fn trimmed(mut self) -> Self {
        let (Outcome::Reward(outcome) | Outcome::Cost(outcome)) = &mut self.outcome;
        let on_offer = self.on_offer.as_mut().map(|on_offer| &mut on_offer.column);
        for name in [&mut self.action, &mut self.propensity, outcome].into_iter().chain(on_offer) {
            *name = name.trim().to_owned();
        }
        self
    }
}

/// The place of a column that nothing else was asked for.
fn asked_once<R: Read>(table: &Table<R>, asked: &mut [bool], name: &str) -> Result<usize, ReadError> {
    let place = table.column(name)?;
    if std::mem::replace(&mut asked[place], true) {
        return Err(ReadError::ColumnAskedTwice { column: table.header()[place].clone() });
    }
    Ok(place)
}

/// The columns of the contexts, of which no row is read yet.
fn contexts<R: Read>(
    table: &Table<R>,
    asked: &mut [bool],
    columns: &CsvColumns,
) -> Result<Contexts, ReadError> {
    let places: Vec<usize> = match &columns.contexts {
        ContextColumns::Remaining => {
            (0..asked.len()).filter(|j| !asked[*j] && !table.header()[*j].is_empty()).collect()
        }
        ContextColumns::Named(names) => {
            names.iter().map(|name| asked_once(table, asked, name)).collect::<Result<_, _>>()?
        }
    };
    if places.is_empty() {
        return Err(ReadError::NoContexts);
    }
    let mut is_context = vec![false; asked.len()];
    places.iter().for_each(|j| is_context[*j] = true);
    let mut labels: Vec<Option<Labels>> = table.header().iter().map(|_| None).collect();
    for CategoryColumn { column, labels: of_column } in &columns.categories {
        let place = table.column(column)?;
        let column = || table.header()[place].clone();
        if !is_context[place] {
            return Err(ReadError::NotAContext { column: column() });
        }
        let of_column = match of_column {
            CategoryLabels::Appearance => Labels::growing(),
            CategoryLabels::Known(known) => {
                Labels::known(known).map_err(|label| ReadError::DuplicateLabel { column: column(), label })?
            }
        };
        if labels[place].replace(of_column).is_some() {
            return Err(ReadError::ColumnAskedTwice { column: column() });
        }
    }
    let mut contexts = Contexts::new();
    for place in places {
        contexts.column(&table.header()[place], place, labels[place].take());
    }
    Ok(contexts)
}
