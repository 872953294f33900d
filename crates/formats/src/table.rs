//! Tables with labels, for boosters of classifiers.

use crate::FormatError;
use crate::columns::{Dictionary, date_or_number};
use crate::error::Place;
use crate::facts::{Progress, ReadFacts};
use crate::layout::Layout;
use crate::options::LogOptions;
use crate::pass::Files;
use crate::readers::{Absent, ColumnNames, Wanted};
use crate::record::{Cell, Record};
use crate::roles::{Role, Roles};
use crate::source::Source;
use off_policy::{ActionNames, Schema};
use ranks::Ranks;
use rows::RowMatrix;
use std::ops::ControlFlow;

/// A table with a label a row.
///
/// *Shapes:* n rows; labels in 0, …, K−1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// x_1, …
    pub contexts: RowMatrix,
    /// The columns of the contexts; the labels are its actions.
    pub schema: Schema,
    /// y_1, …
    pub labels: Vec<u32>,
    /// What the labels are called.
    pub label_names: Vec<String>,
    /// What orders the rows, where a column was named: its numbers, or the days since 1970.
    pub time: Option<Vec<f64>>,
    /// What else was found.
    pub facts: ReadFacts,
}

/// Reads a table in which one column is the label of the row. What the others hold is inferred, as by
/// [`read_log`](crate::read_log).
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_table};
/// let text = "length,kind\n1.5,b\n2.5,a\n";
/// let table = read_table(Source::bytes("t.csv", text), "kind", &LogOptions::default(), &mut quiet)?;
/// assert_eq!((&table.labels[..], table.label_names), (&[1, 0][..], vec!["a".to_owned(), "b".to_owned()]));
/// # Ok::<(), formats::FormatError>(())
/// ```
///
/// # Errors
/// [`FormatError::MissingColumn`]; [`FormatError::MissingCell`] for a row without a label;
/// [`FormatError::WrongFormat`] for a format of logs; and what is wrong with a line.
pub fn read_table(
    source: Source,
    label: &str,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Table, FormatError> {
    read(source, label, None, options, progress)
}

/// Reads such a table by the columns and labels of a schema, that of a table which was read before.
///
/// # Errors
/// As [`read_table`]; [`FormatError::UnknownClass`] for a label outside the schema.
pub fn read_table_coded(
    source: Source,
    label: &str,
    schema: &Schema,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Table, FormatError> {
    read(source, label, Some(schema), options, progress)
}

fn read(
    source: Source,
    label: &str,
    schema: Option<&Schema>,
    options: &LogOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Table, FormatError> {
    let mut sources = std::iter::once(Ok(source));
    let mut files = Files::open(&mut sources, options, progress, Wanted::Decisions)?;
    let file = files.name().clone();
    if files.absent() == Absent::Zero {
        let (format, reason) = (files.format().name(), "holds logs, and no table with a column of labels");
        return Err(FormatError::WrongFormat { file, format, reason });
    }
    let roles = Roles::of_table(file.clone(), label, options)?;
    let mut columns = Layout::new(&files, roles, schema, options.most_labels);
    columns.extend(files.columns());
    columns.check_header(&files)?;
    let mut names = Dictionary::default();
    let known = schema.map(Schema::actions);
    for k in 0..known.unwrap_or_default() {
        names.number(&schema.and_then(|schema| schema.action_name(k)).unwrap_or_default());
    }
    let (mut codes, mut times, mut buffer) = (Vec::new(), Vec::new(), String::new());
    let rows = files.for_each(progress, |record, found| {
        columns.extend(found);
        let place = || record.place();
        let column = || label.trim().to_owned();
        let cell = columns.cell(record, Role::Label).unwrap_or(Cell::Missing);
        let text = written_label(record, cell, &mut buffer);
        if text.is_empty() {
            columns.roles.check(found)?;
            return Err(FormatError::MissingCell { place: place(), column: column(), hint: "" });
        }
        if let Some(classes) = known
            && names.find(text).is_none()
        {
            let (column, value) = (column(), text.to_owned());
            return Err(FormatError::UnknownClass { place: place(), column, value, classes });
        }
        codes.push(names.number(text));
        if options.time.is_some() {
            times.push(time(&columns, record, found, place)?);
        }
        columns.push(record, found)
    })?;
    let mut facts = files.facts().0;
    if rows == 0 {
        return Err(FormatError::NoRows { file, skipped: facts.skipped });
    }
    facts.rows = rows;
    let (contexts, inferred) = columns.finish(files.columns(), &Ranks::alone(), &mut facts)?;
    let (schema, label_names, codes) = match schema {
        Some(schema) => {
            let names = (0..schema.actions()).filter_map(|k| schema.action_name(k)).map(Into::into);
            (schema.clone(), names.collect(), codes)
        }
        None => {
            let (names, places) = names.sorted();
            let codes = codes.iter().map(|code| places.get(*code as usize).copied().unwrap_or_default());
            let schema = Schema::new(inferred.unwrap_or_default(), ActionNames::Labels(names.clone()))?;
            (schema, names, codes.collect())
        }
    };
    let time = options.time.is_some().then_some(times);
    let contexts = contexts.matrix()?;
    Ok(Table { contexts, schema, labels: codes, label_names, time, facts })
}

/// The time of a row.
fn time(
    columns: &Layout,
    record: &Record,
    found: &ColumnNames,
    place: impl Fn() -> Place,
) -> Result<f64, FormatError> {
    let column = columns.roles.name(Role::Time).to_owned();
    let cell = columns.cell(record, Role::Time).unwrap_or(Cell::Missing);
    match date_or_number(record, cell) {
        Ok(Some(time)) => Ok(time + 0.0),
        Ok(None) => {
            columns.roles.check(found)?;
            Err(FormatError::MissingCell { place: place(), column, hint: "" })
        }
        Err(()) => {
            let value = record.written(cell, &mut String::new()).to_owned();
            Err(FormatError::BadCell { place: place(), column, value, expected: "a date or a number" })
        }
    }
}

/// A label as it is written; a list is none.
fn written_label<'a>(record: &'a Record, cell: Cell, buffer: &'a mut String) -> &'a str {
    if matches!(cell, Cell::List(_)) { "" } else { record.written(cell, buffer) }
}
