//! A log in comma-separated values, by the names of its columns.

mod actions;
mod columns;
mod contexts;

pub use columns::{
    ActionCoding, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, OnOffer, Outcome,
};

use crate::readers::ReadError;
use crate::readers::labels::Labels;
use crate::readers::table::Table;
use crate::{ActionNames, ActionSets, Costs, Log, Rewards, Schema};
use actions::Actions;
use contexts::Contexts;
use rows::RowMatrix;
use std::io::Read;

/// A log that was read, with the names of its columns and actions.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvLog {
    /// The log, with its [`Schema`]; its contexts are sparse where a column holds labels, and dense
    /// otherwise.
    pub log: Log,
    /// The columns of the contexts; `country=Chad` is that of a label. Two may have one name where names have
    /// `=` in them.
    pub contexts: Vec<String>,
    /// The labels of the actions; empty for [`ActionCoding::Index`].
    pub actions: Vec<String>,
    /// What was asked for, with the columns of the contexts and all labels named: another file that is read
    /// by these columns is coded as this one is.
    pub columns: CsvColumns,
    /// Cells with a label outside [`CategoryLabels::Known`].
    pub unknown_labels: usize,
}

/// The contexts of a table without actions and rewards, to predict for.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvContexts {
    /// x_1, …
    pub contexts: RowMatrix,
    /// The actions on offer in every row, where a column of them was asked for.
    pub on_offer: Option<ActionSets>,
    /// Cells with a label outside [`CategoryLabels::Known`].
    pub unknown_labels: usize,
}

/// Reads a log from comma-separated values with a header, quoted as in RFC 4180; white space around a cell is
/// not part of it, nor around a name or label that is asked for, and blank lines are skipped: in a table of
/// one column an empty cell is written as a pair of quotation marks. A cell is quoted where it begins with a
/// quotation mark, and only there may one stand, so that a stream that lacks one is refused.
///
/// *Cost:* one pass; nothing is held but the log itself and one record, and where there are labels or lists,
/// their numbers until the log is made of them: 4 bytes a label or listed action, 8 a number.
///
/// ```
/// use off_policy::readers::{CsvColumns, read_csv};
/// let columns = CsvColumns::default().with_labels(["device"]).with_action("shown");
/// let columns = columns.with_propensity("p").with_cost("cost");
/// let text = "age,shown,p,cost,device\n41,news,0.5,1,phone\n7,sport,0.25,0,tablet\n";
/// let read = read_csv(text.as_bytes(), &columns)?;
/// assert_eq!(read.contexts, ["age", "device=phone", "device=tablet"]);
/// assert_eq!(read.actions, ["news", "sport"]);
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
    let mut asked = vec![false; table.header().len()];
    let action_column = asked_once(&table, &mut asked, &columns.action)?;
    let propensity_column = asked_once(&table, &mut asked, &columns.propensity)?;
    let outcome_column = asked_once(&table, &mut asked, columns.outcome.column())?;
    let on_offer = on_offer(&table, &mut asked, columns)?;
    let mut contexts = contexts(&table, &mut asked, columns)?;
    let mut actions = Actions::new(&columns.coding, Some(action_column), on_offer)?;
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
    let (contexts, context_columns) = contexts.finish()?;
    let rewards = match &columns.outcome {
        Outcome::Reward(_) => Rewards(outcomes),
        Outcome::Cost(_) => Rewards::from(Costs(outcomes)),
    };
    let action_count = actions.count();
    let (logged, sets, labels) = actions.finish()?;
    let names = match columns.coding {
        ActionCoding::Index(actions) => ActionNames::Numbered(actions),
        _ => ActionNames::Labels(labels.clone()),
    };
    let mut log = Log::new(contexts, action_count, logged, propensities, rewards)?;
    if let Some(sets) = sets {
        log = log.with_action_sets(sets)?;
    }
    let schema = Schema::new(context_columns, names)?;
    let (columns, contexts) = (columns.clone().coded_as(&schema), schema.feature_names());
    let log = log.with_schema(schema)?;
    Ok(CsvLog { log, contexts, actions: labels, columns, unknown_labels })
}

/// Reads the contexts of a table, and the actions on offer where the columns name a list of them; the columns
/// of actions, propensities and outcomes may be there or not. With the [`columns`](CsvLog::columns) of a log
/// that was read, the rows are coded as that log is.
///
/// ```
/// use off_policy::readers::{CsvColumns, read_contexts, read_csv};
/// let text = "age,device,action,propensity,reward\n41,phone,news,0.5,1\n7,tablet,sport,0.25,0\n";
/// let read = read_csv(text.as_bytes(), &CsvColumns::default().with_labels(["device"]))?;
/// let rows = read_contexts("device,age\ntablet,30\nwatch,31\n".as_bytes(), &read.columns)?;
/// assert_eq!(rows.contexts.row(0).map(|x| x.to_dense()), Some(vec![30.0, 0.0, 1.0]));
/// assert_eq!((rows.contexts.len(), rows.unknown_labels), (2, 1));
/// # Ok::<(), off_policy::readers::ReadError>(())
/// ```
///
/// # Errors
/// As [`read_csv`], but for columns that are not read; [`ReadError::NotCoded`] for columns that do not name
/// all contexts, labels and listed actions.
pub fn read_contexts(source: impl Read, columns: &CsvColumns) -> Result<CsvContexts, ReadError> {
    let mut table = Table::open(source)?;
    let mut asked = vec![false; table.header().len()];
    check_coded(columns)?;
    let on_offer = on_offer(&table, &mut asked, columns)?;
    let mut contexts = contexts(&table, &mut asked, columns)?;
    let mut actions = Actions::new(&columns.coding, None, on_offer)?;
    let mut rows = 0_usize;
    while table.advance()? {
        contexts.push(&table)?;
        actions.push(&table)?;
        rows += 1;
    }
    if rows == 0 {
        return Err(ReadError::NoRows);
    }
    let unknown_labels = contexts.unknown;
    let (contexts, _) = contexts.finish()?;
    let (_, on_offer, _) = actions.finish()?;
    Ok(CsvContexts { contexts, on_offer, unknown_labels })
}

/// Refuses columns that would number the labels, actions or columns of a table by its own order: nothing
/// would say that the numbers mean something else in the log that a policy was learnt from.
fn check_coded(columns: &CsvColumns) -> Result<(), ReadError> {
    let of_labels = columns.categories.iter().find(|category| category.labels == CategoryLabels::Appearance);
    let what = match (&columns.contexts, of_labels, &columns.on_offer, &columns.coding) {
        (ContextColumns::Remaining | ContextColumns::RemainingBut(_), ..) => "the contexts".to_owned(),
        (_, Some(category), ..) => format!("the labels of column {:?}", category.column),
        (_, _, Some(_), ActionCoding::Appearance) => "the actions".to_owned(),
        _ => return Ok(()),
    };
    Err(ReadError::NotCoded { what })
}

/// The column of the actions on offer, and its separator.
fn on_offer<R: Read>(
    table: &Table<R>,
    asked: &mut [bool],
    columns: &CsvColumns,
) -> Result<Option<(usize, char)>, ReadError> {
    let Some(OnOffer { column, separator }) = &columns.on_offer else { return Ok(None) };
    Ok(Some((asked_once(table, asked, column)?, *separator)))
}

/// The place of a column that nothing else was asked for.
fn asked_once<R: Read>(table: &Table<R>, asked: &mut [bool], name: &str) -> Result<usize, ReadError> {
    let place = table.column(name)?;
    if std::mem::replace(&mut asked[place], true) {
        return Err(ReadError::ColumnAskedTwice { column: table.header()[place].clone() });
    }
    Ok(place)
}

/// The columns of the contexts, before the first row.
fn contexts<R: Read>(
    table: &Table<R>,
    asked: &mut [bool],
    columns: &CsvColumns,
) -> Result<Contexts, ReadError> {
    if let ContextColumns::RemainingBut(names) = &columns.contexts {
        for name in names {
            asked_once(table, asked, name)?;
        }
    }
    let places: Vec<usize> = match &columns.contexts {
        ContextColumns::Remaining | ContextColumns::RemainingBut(_) => {
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
