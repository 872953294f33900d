//! Rows to predict for.

use crate::FormatError;
use crate::actions::Actions;
use crate::facts::{Progress, ReadFacts};
use crate::layout::Layout;
use crate::options::LogOptions;
use crate::pass::Files;
use crate::readers::{Absent, Wanted};
use crate::roles::{Role, Roles};
use crate::source::Source;
use off_policy::{ActionSets, Schema};
use ranks::Ranks;
use rows::RowMatrix;
use std::ops::ControlFlow;

/// Rows to predict for, coded as a model expects them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReadContexts {
    /// x_1, …
    pub contexts: RowMatrix,
    /// The actions on offer, where the file says so and not every action is in every row.
    pub on_offer: Option<ActionSets>,
    /// What else was found.
    pub facts: ReadFacts,
}

/// Reads rows to predict for by the columns and labels of a schema. Neither actions nor rewards are needed;
/// columns may come in any order, and others may be there.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_contexts, read_log};
/// let log = "age,device,action,propensity,reward\n41,phone,news,0.5,1\n7,tablet,sport,0.25,0\n";
/// let log = read_log(Source::bytes("log.csv", log), &LogOptions::default(), &mut quiet)?;
/// let rows = Source::bytes("rows.csv", "device,user,age\ntablet,ann,20\nwatch,bob,30\n");
/// let rows = read_contexts(rows, &log.schema, &LogOptions::default(), &mut quiet)?;
/// assert_eq!(rows.contexts.row(0).map(|x| x.to_dense()), Some(vec![20.0, 0.0, 1.0]));
/// assert_eq!(rows.facts.unknown_labels["device"], 1);
/// assert_eq!(rows.facts.notes, ["columns that the model does not know left out: \"user\""]);
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// [`FormatError::MissingColumn`] with the columns there are; [`FormatError::MissingCell`] for a missing
/// number in a column that had none when the model was learnt; and what is wrong with a line.
pub fn read_contexts(
    source: Source,
    schema: &Schema,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ReadContexts, FormatError> {
    let mut sources = std::iter::once(Ok(source));
    let mut files = Files::open(&mut sources, options, progress, Wanted::Contexts)?;
    let file = files.name().clone();
    let is_event = files.absent() == Absent::Zero;
    let roles = match is_event {
        true => Roles::of_events(file.clone(), options)?,
        false => Roles::of_contexts(file.clone(), options)?,
    };
    let list = if is_event { "the actions" } else { roles.name(Role::Available) }.to_owned();
    let mut actions = Actions::new(file.clone(), &list, options.separator, Some(schema.action_names()));
    let mut columns = Layout::new(&files, roles, Some(schema), options.most_labels);
    columns.extend(files.columns());
    columns.check_header(&files)?;
    let rows = files.for_each(progress, |record, names| {
        columns.extend(names);
        match record.decision {
            Some(decision) => actions.push_offered(record, decision.offered.unseen())?,
            None if list.is_empty() => {}
            None => {
                let cell = columns.cell(record, Role::Available).unwrap_or(crate::record::Cell::Missing);
                actions.push_cells(record, None, Some(cell))?;
            }
        }
        columns.push(record, names)
    })?;
    let mut facts = files.facts().0;
    if rows == 0 {
        return Err(FormatError::NoRows { file, skipped: facts.skipped });
    }
    facts.rows = rows;
    let (_, on_offer, _) = actions.finish(&Ranks::alone(), &mut facts.notes)?;
    let (contexts, _) = columns.finish(files.columns(), &Ranks::alone(), &mut facts)?;
    let contexts = contexts.matrix()?;
    Ok(ReadContexts { contexts, on_offer, facts })
}
