//! Logs: how they are asked for, and what a reader of the results should know of them.

use super::interruption::is_asked;
use super::progress::{Line, of_reading};
use crate::arguments::{Columns, Manners, TableColumns};
use crate::failure::Failure;
use formats::{
    ActionFeatures, FormatError, LogOptions, Progress, ReadFacts, ReadFile, ReadLog, RowLabels, RowWeights,
    Source,
};
use ocoboost::{EstimatedPropensities, JobError, Watch, estimate_propensities_of_rank};
use off_policy::{Log, Rewards, Schema};
use ranks::Ranks;
use report::output::warn;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

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
    if columns.identities {
        options = options.identities(true);
    }
    if !columns.pair_features.is_empty() {
        options = options.pair_features(&columns.pair_features);
    }
    if columns.drop_weights {
        options = options.weights(RowWeights::Drop);
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
    let refused = |error: FormatError| Failure::Argument {
        name: "input-format",
        value: name.to_owned(),
        why: error.to_string(),
    };
    Ok(options.format(name.parse().map_err(refused)?))
}

/// A log, with what was estimated where it has no propensities.
pub(super) struct Opened {
    pub(super) log: Log,
    /// Its file, or the first of several and their number.
    pub(super) name: String,
    pub(super) sources: Vec<ocoboost::Source>,
    pub(super) time: Option<Vec<f64>>,
    pub(super) split: Option<RowLabels>,
    pub(super) estimated: Option<EstimatedPropensities>,
}

/// A log by the schema of a model, or by what its columns hold.
pub(super) fn open(
    path: &Path,
    schema: Option<&Schema>,
    options: &LogOptions,
    manners: &Manners,
) -> Result<Opened, Failure> {
    let Some(schema) = schema else { return open_all(&[path.to_owned()], options, manners) };
    let source = Source::path(path)?;
    let watched = watched(
        || path.display().to_string(),
        manners,
        |watch| formats::read_log_coded(source, schema, options, watch),
    );
    opened(watched?, manners, &Ranks::alone())
}

/// A log in several files.
pub(super) fn open_all(
    paths: &[PathBuf],
    options: &LogOptions,
    manners: &Manners,
) -> Result<Opened, Failure> {
    open_of_rank(paths, options, manners, &Ranks::alone())
}

/// The rows of this rank in a log in several files.
pub(super) fn open_of_rank(
    paths: &[PathBuf],
    options: &LogOptions,
    manners: &Manners,
    ranks: &Ranks,
) -> Result<Opened, Failure> {
    let of = Cell::new(0);
    let sources = paths.iter().map(|path| {
        of.set(of.get() + 1);
        Source::path(path)
    });
    let name = || match paths.len() {
        1 => paths[0].display().to_string(),
        count => format!("{} ({} of {count})", paths[of.get() - 1].display(), of.get()),
    };
    let read = watched(name, manners, |watch| formats::read_logs_of_rank(sources, options, watch, ranks))?;
    for (k, file) in read.files.iter().enumerate() {
        if let Some(same) = read.files[..k].iter().find(|other| other.sha256 == file.sha256) {
            let [first, second] = [same, file].map(|file| file.file.to_string());
            return Err(Failure::SameLog { first, second });
        }
    }
    opened(read, manners, ranks)
}

/// Whether all of these can be read a second time.
pub(super) fn are_files(paths: &[PathBuf]) -> bool {
    paths.iter().all(|path| path.is_file())
}

/// Reads with a line that says how far it is; Ctrl-C ends the reading, where it is listened for.
pub(super) fn watched<T>(
    name: impl Fn() -> String,
    manners: &Manners,
    read: impl FnOnce(&mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<T, FormatError>,
) -> Result<T, FormatError> {
    let (mut line, begun) = (Line::new(manners), Instant::now());
    read(&mut |progress| {
        line.show(|| of_reading(&name(), progress, begun.elapsed().as_secs_f64()));
        if is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

fn opened(mut read: ReadLog, manners: &Manners, ranks: &Ranks) -> Result<Opened, Failure> {
    tell(&read.facts, manners);
    if read.facts.rows < ranks.size() as u64 {
        let (file, rows) = (read.facts.file, read.facts.rows);
        return Err(Failure::FewRows { file, rows, processes: ranks.size() });
    }
    let of = |file: ReadFile| ocoboost::Source { name: file.file, sha256: file.sha256 };
    let sources = read.files.drain(..).map(of).collect();
    let (name, time, split) = (read.facts.file.clone(), read.time.take(), read.split.take());
    if read.propensities.is_some() || read.weights.is_some() {
        let log = ranks.agree(read.into_log())?;
        return Ok(Opened { log, name, sources, time, split, estimated: None });
    }
    let failed = |source: JobError| Failure::Job { file: name.clone(), source };
    let ReadLog { contexts, schema, actions, rewards, on_offer, .. } = read;
    let count = schema.actions();
    let (seed, go_on) = (manners.seed.unwrap_or(0), &mut || ControlFlow::Continue(()));
    let of_ranks = (ranks, go_on as Watch<'_>);
    let estimated =
        estimate_propensities_of_rank(&contexts, &actions, count, on_offer.as_ref(), seed, of_ranks);
    let estimated = estimated.map_err(failed)?;
    let of_log = |error| failed(JobError::Log(error));
    let propensities = estimated.propensities().to_vec();
    let mut log = Log::new(contexts, count, actions, propensities, Rewards(rewards)).map_err(of_log)?;
    if let Some(sets) = on_offer {
        log = log.with_action_sets(sets).map_err(of_log)?;
    }
    let log = log.with_schema(schema).map_err(of_log)?;
    Ok(Opened { log, sources, time, split, estimated: Some(estimated), name })
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
