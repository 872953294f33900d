//! `train`.

use super::candidates;
use super::confidence::delta;
use super::interruption::{is_asked, listen};
use super::judgement::{answer, code, range};
use super::memory;
use super::models::{check_apart, check_model_output};
use super::progress::{Line, Seen};
use super::reading::{Opened, are_files, open_of_rank, options};
use super::saving::{Saved, Saver};
use super::splits;
use crate::arguments::{Form, Manners, Train};
use crate::failure::{Failure, INTERRUPTED};
use formats::{FormatError, LogOptions};
use ocoboost::{Event, JobError, Model, Moment, TrainJob, TrainJobBuilder};
use ranks::Ranks;
use report::output::say;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time of an option: `60s`, `10m`, `1h`, or a number of seconds.
pub(crate) fn duration(name: &'static str, text: &str) -> Result<Duration, Failure> {
    let refused = || Failure::Argument {
        name,
        value: text.to_owned(),
        why: "not a time such as 60s, 10m or 1h".to_owned(),
    };
    let (number, unit) = match text.char_indices().last() {
        Some((end, 's')) => (&text[..end], 1.0),
        Some((end, 'm')) => (&text[..end], 60.0),
        Some((end, 'h')) => (&text[..end], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = unit * number.parse::<f64>().map_err(|_| refused())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| refused())
}

/// How long a process waits for the others at least: within it none can be busy.
const LEAST_PATIENCE: Duration = Duration::from_secs(1);

/// The time of `--mpi-timeout`.
pub(crate) fn patience(text: &str) -> Result<Duration, Failure> {
    let (name, value) = ("mpi-timeout", text.to_owned());
    match duration(name, text)? {
        limit if limit >= LEAST_PATIENCE => Ok(limit),
        _ => Err(Failure::Argument { name, value, why: "less than 1s".to_owned() }),
    }
}

/// The checked settings of a training: its job, how the log is read, and the time for everything.
pub(super) fn settings(
    asked: &Train,
    manners: &Manners,
    ranks: &Ranks,
) -> Result<(TrainJobBuilder, LogOptions, Duration), Failure> {
    let mut columns = options(LogOptions::default(), &asked.columns)?;
    if let Some(column) = splits::column(asked) {
        columns = columns.split(column);
    }
    let budget =
        asked.budget.as_deref().map_or(Ok(Duration::from_secs(60)), |text| duration("budget", text))?;
    let mut job = TrainJob::builder().budget(budget).seed(manners.seed.unwrap_or(0)).ranks(ranks.clone());
    job = job.delta(delta(asked.certainty.confidence)?).overrides(asked.settings.overrides());
    if let Some(range) = range(&asked.certainty)? {
        job = job.reward_range(range);
    }
    if let Some(share) = asked.holdout {
        job = job.holdout_share(share);
    }
    if let Some(candidates) = asked.candidates {
        job = job.candidates(candidates);
    }
    if let Some(rounds) = asked.rounds {
        job = job.rounds(rounds);
    }
    asked.mpi_timeout.as_deref().map(patience).transpose()?;
    job.clone().build().map_err(Failure::Setting)?;
    Ok((job, columns, budget))
}

/// Learns a policy. Of several ranks, each has a part of the rows, and the first one writes the files and
/// says what there is to say.
pub(super) fn train(asked: &Train, manners: &Manners, ranks: &Ranks) -> Result<u8, Failure> {
    let (begun, is_first) = (Instant::now(), ranks.rank() == 0);
    let form = manners.form("train", Form::Text, &[Form::Json])?;
    // What is wrong with the settings is known before the log is read, and so is a file that cannot be.
    let (mut job, columns, budget) = settings(asked, manners, ranks)?;
    let files = if asked.log.is_empty() { &asked.data } else { &asked.log };
    if ranks.are_several() && files.iter().any(|file| file.as_os_str() == "-") {
        let why = "several processes read files, and the standard input is for one";
        return Err(Failure::Flag { name: "mpi", why });
    }
    let saved = asked.checkpoint.as_ref().or(asked.resume.as_ref());
    let writable = || {
        check_model_output(&asked.output)?;
        check_apart(
            [&*asked.output].into_iter().chain(saved.map(PathBuf::as_path)),
            files.iter().map(PathBuf::as_path),
        )?;
        Saver::new(saved)
    };
    let mut saver = ranks.agree(if is_first { writable() } else { Saver::new(None) })?;
    let from = asked.resume.as_ref().map(|path| Saved::load_of_ranks(path, ranks)).transpose()?;
    listen();
    let opened = match open_of_rank(files, &columns, manners, ranks) {
        // Of several ranks it is another error.
        Err(Failure::Format(FormatError::ActionFeatures { .. })) if are_files(files) => {
            let from = from.map(Saved::of_candidates).transpose()?;
            return candidates::train(asked, manners, (files, &columns, budget), begun, (saver, from));
        }
        opened => opened?,
    };
    let from = from.map(Saved::of_fixed_actions).transpose()?;
    let Opened { log, name, sources, time, split, estimated } = opened;
    ranks.agree(memory::check(&name, &log, asked))?;
    let failed = |source: JobError| Failure::Job { file: name.clone(), source };
    job = sources.into_iter().fold(job.format(columns.kept()?), TrainJobBuilder::source);
    if let Some(split) = ranks.agree(splits::of(asked, &name, time, split))? {
        job = job.validation(split);
    }
    if let Some(estimated) = estimated {
        job = job.estimated(estimated);
    }
    // A slow disk leaves time for a search.
    job = job.spent(begun.elapsed().min(budget / 2));
    let (mut line, mut seen) = (Line::new(manners), Seen::default());
    let watch = |event: Event<'_>, moment: Option<&Moment<'_>>| {
        let now = begun.elapsed().as_secs_f64();
        if let Some(text) = seen.text(&event, now, budget.as_secs_f64()) {
            line.show(|| text);
        }
        // Ctrl-C ends the search and the training at their next rounds: the best policy so far is kept. It is
        // asked for once: what is saved last is the run before its end.
        let is_over = is_asked();
        saver.save(moment.map(|moment| |path: &Path| moment.checkpoint().save(path)), is_over, &mut line);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = job.build().map_err(Failure::Setting)?.fit_resumable(&log, from, watch).map_err(failed)?;
    drop(line);
    saver.report(manners);
    ranks.agree(if is_first { written(&model, &asked.output, form) } else { Ok(()) })?;
    Ok(if is_asked() { INTERRUPTED } else { code(model.judgement()) })
}

/// Writes the model, and says how good it is.
fn written(model: &Model, path: &Path, form: Form) -> Result<(), Failure> {
    let failed = |source| Failure::Write { path: path.to_owned(), source };
    model.save(path).map_err(failed)?;
    let judgement = model.judgement();
    match form {
        Form::Json => say(&answer(judgement, None)?.to_string())?,
        _ => say(&judgement.sentence())?,
    }
    Ok(())
}
