//! Logs: how they are asked for, and what a reader of the results should know of them.

use crate::arguments::{Columns, Manners, TableColumns};
use crate::failure::Failure;
use formats::{ActionFeatures, LogOptions, ReadFacts, ReadLog, Source};
use ocoboost::{EstimatedPropensities, JobError, estimate_propensities};
use off_policy::{Log, Rewards, Schema};
use report::output::warn;
use std::path::Path;

/// These options, but for what is asked for.
pub(super) fn options(start: LogOptions, columns: &Columns) -> Result<LogOptions, Failure> {
    let mut options = start;
    if !columns.ignore.is_empty() {
        options = options.ignore(&columns.ignore);
    }
    if !columns.labels.is_empty() {
        options = options.labels(&columns.labels);
    }
    type Set = fn(LogOptions, String) -> LogOptions;
    let named: [(&Option<String>, Set); 6] = [
        (&columns.action, LogOptions::action),
        (&columns.propensity, LogOptions::propensity),
        (&columns.reward, LogOptions::reward),
        (&columns.cost, LogOptions::cost),
        (&columns.available, LogOptions::available),
        (&columns.time, LogOptions::time),
    ];
    for (name, set) in named {
        if let Some(name) = name {
            options = set(options, name.clone());
        }
    }
    options = in_format(options, columns.input_format.as_deref())?;
    if columns.drop_action_features {
        options = options.action_features(ActionFeatures::Drop);
    }
    Ok(options)
}

/// These options, but for what is asked for of a table.
pub(super) fn within(start: LogOptions, columns: &TableColumns) -> Result<LogOptions, Failure> {
    let mut options = start;
    if !columns.ignore.is_empty() {
        options = options.ignore(&columns.ignore);
    }
    if !columns.labels.is_empty() {
        options = options.labels(&columns.labels);
    }
    in_format(options, columns.input_format.as_deref())
}

fn in_format(options: LogOptions, name: Option<&str>) -> Result<LogOptions, Failure> {
    let Some(name) = name else { return Ok(options) };
    let refused = |error: formats::FormatError| Failure::Argument {
        name: "input-format",
        value: name.to_owned(),
        why: error.to_string(),
    };
    Ok(options.format(name.parse().map_err(refused)?))
}

/// A log, with what was estimated where it has no propensities.
pub(super) struct Opened {
    pub(super) log: Log,
    pub(super) time: Option<Vec<f64>>,
    pub(super) estimated: Option<EstimatedPropensities>,
    pub(super) source: ocoboost::Source,
}

pub(super) fn open(
    path: &Path,
    schema: Option<&Schema>,
    options: &LogOptions,
    manners: &Manners,
) -> Result<Opened, Failure> {
    let source = Source::path(path)?;
    let mut read = match schema {
        Some(schema) => formats::read_log_coded(source, schema, options, &mut formats::quiet)?,
        None => formats::read_log(source, options, &mut formats::quiet)?,
    };
    tell(&read.facts, manners);
    let source = ocoboost::Source { name: read.facts.file.clone(), sha256: read.facts.sha256.clone() };
    let (file, time) = (read.facts.file.clone(), read.time.take());
    let failed = |source: JobError| Failure::Job { file: file.clone(), source };
    if read.propensities.is_some() || read.weights.is_some() {
        return Ok(Opened { log: read.into_log()?, time, estimated: None, source });
    }
    let ReadLog { contexts, schema, actions, rewards, on_offer, .. } = read;
    let count = schema.actions();
    let estimated =
        estimate_propensities(&contexts, &actions, count, on_offer.as_ref(), manners.seed.unwrap_or(0));
    let estimated = estimated.map_err(failed)?;
    let of_log = |error| failed(JobError::Log(error));
    let propensities = estimated.propensities().to_vec();
    let mut log = Log::new(contexts, count, actions, propensities, Rewards(rewards)).map_err(of_log)?;
    if let Some(sets) = on_offer {
        log = log.with_action_sets(sets).map_err(of_log)?;
    }
    let log = log.with_schema(schema).map_err(of_log)?;
    Ok(Opened { log, time, estimated: Some(estimated), source })
}

/// What a reader of the results should know, on the standard error.
pub(super) fn tell(facts: &ReadFacts, manners: &Manners) {
    if manners.quiet {
        return;
    }
    let skipped = facts.skipped.iter().map(|skipped| format!("left out: {skipped}"));
    let unknown = facts.unknown_labels.iter().map(|(column, count)| {
        format!("{count} values of column {column:?} are not known to the model and count as none")
    });
    for note in facts.notes.iter().cloned().chain(skipped).chain(unknown) {
        warn(&format!("{}: {note}", facts.file));
    }
}
