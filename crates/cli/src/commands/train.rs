//! `train`.

use super::candidates;
use super::confidence::delta;
use super::interruption::{is_asked, listen};
use super::judgement::{answer, code, range};
use super::models::{check_apart, check_model_output, kept};
use super::progress::{Line, Seen};
use super::reading::{Opened, are_files, open_all, options};
use super::saving::{Saved, Saver};
use super::splits;
use crate::arguments::{Form, Manners, Train};
use crate::failure::{Failure, INTERRUPTED};
use formats::{FormatError, LogOptions};
use ocoboost::{Event, JobError, Moment, TrainJob, TrainJobBuilder};
use report::output::say;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// `60s`, `10m`, `1h`, or a number of seconds.
pub(super) fn duration(text: &str) -> Result<Duration, Failure> {
    let refused = || Failure::Argument {
        name: "budget",
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

pub(super) fn train(asked: &Train, manners: &Manners) -> Result<u8, Failure> {
    let begun = Instant::now();
    let form = manners.form("train", Form::Text, &[Form::Json])?;
    let mut columns = options(LogOptions::default(), &asked.columns)?;
    if let Some(column) = splits::column(asked) {
        columns = columns.split(column);
    }
    let budget = asked.budget.as_deref().map_or(Ok(Duration::from_secs(60)), duration)?;
    let mut job = TrainJob::builder().budget(budget).seed(manners.seed.unwrap_or(0));
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
    // What is wrong with the settings is known before the log is read, and so is a file that cannot be.
    job.clone().build().map_err(Failure::Setting)?;
    check_model_output(&asked.output)?;
    let files = if asked.log.is_empty() { &asked.data } else { &asked.log };
    let saved = asked.checkpoint.as_deref().or(asked.resume.as_deref());
    check_apart([&*asked.output].into_iter().chain(saved), files.iter().map(PathBuf::as_path))?;
    let mut saver = Saver::new(asked.checkpoint.as_ref().or(asked.resume.as_ref()))?;
    let from = asked.resume.as_ref().map(Saved::load).transpose()?;
    listen();
    let opened = match open_all(files, &columns, manners) {
        Err(Failure::Format(FormatError::ActionFeatures { .. })) if are_files(files) => {
            let from = from.map(Saved::of_candidates).transpose()?;
            return candidates::train(asked, manners, (files, &columns, budget), begun, (saver, from));
        }
        opened => opened?,
    };
    let from = from.map(Saved::of_fixed_actions).transpose()?;
    let Opened { log, name, sources, time, split, estimated } = opened;
    let failed = |source: JobError| Failure::Job { file: name.clone(), source };
    job = sources.into_iter().fold(job.format(kept(&columns)?), TrainJobBuilder::source);
    if let Some(split) = splits::of(asked, &name, time, split)? {
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
        saver.save(moment.map(|moment| |path: &Path| moment.checkpoint().save(path)), is_over);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = job.build().map_err(Failure::Setting)?.fit_resumable(&log, from, watch).map_err(failed)?;
    drop(line);
    saver.report(manners);
    let written = |source| Failure::Write { path: asked.output.clone(), source };
    model.save(&asked.output).map_err(written)?;
    let judgement = model.judgement();
    match form {
        Form::Json => say(&answer(judgement, None)?.to_string())?,
        _ => say(&judgement.sentence())?,
    }
    Ok(if is_asked() { INTERRUPTED } else { code(judgement) })
}
