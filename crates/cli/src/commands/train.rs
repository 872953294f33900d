//! `train`.

use super::confidence::delta;
use super::judging::{answer, code};
use super::models::{check_output, kept};
use super::reading::{Opened, open, options};
use crate::arguments::{Form, Manners, Train};
use crate::failure::{Failure, INTERRUPTED};
use boosters::auto_policy::Progress;
use formats::LogOptions;
use ocoboost::{Event, JobError, Split, TrainJob};
use report::output::{say, warn};
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Ctrl-C ends the search and the training at their next rounds: the best policy so far is judged and saved.
pub(super) fn interruption() -> Arc<AtomicBool> {
    let is_over = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_over);
    // Without a handler, Ctrl-C ends the program at once and leaves no file.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    is_over
}

pub(super) fn train(asked: &Train, manners: &Manners) -> Result<u8, Failure> {
    let columns = options(LogOptions::default(), &asked.columns)?;
    let unwritable = |source| Failure::WriteFile { path: asked.output.clone(), source };
    check_output(&asked.output).map_err(unwritable)?;
    let budget = asked.budget.as_deref().map_or(Ok(Duration::from_secs(60)), duration)?;
    let Opened { log, time, estimated, source } = open(&asked.log, None, &columns, manners)?;
    let name = source.name.clone();
    let failed = |source: JobError| Failure::Job { file: name.clone(), source };
    let mut job = TrainJob::builder().budget(budget).seed(manners.seed.unwrap_or(0));
    job = job.delta(delta(asked.confidence)?).source(source).format(kept(&columns)?);
    if let Some(time) = time {
        job = job.validation(Split::ByTime(time));
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
    if let Some(estimated) = estimated {
        job = job.estimated(estimated);
    }
    let (is_over, begun) = (interruption(), Instant::now());
    let is_shown = !manners.quiet && io::stderr().is_terminal();
    let watch = |event: Event<'_>| {
        if is_shown {
            progress(&event, begun, budget);
        }
        match is_over.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let model = job.build().map_err(Failure::Setting)?.fit(&log, watch).map_err(failed)?;
    if is_shown {
        warn("");
    }
    let written = |source| Failure::Write { path: asked.output.clone(), source };
    model.save(&asked.output).map_err(written)?;
    let judgement = model.judgement();
    match manners.format {
        Form::Json => say(&answer(judgement, None)?.to_string())?,
        Form::Text => say(&judgement.sentence())?,
    }
    Ok(if is_over.load(Ordering::Relaxed) { INTERRUPTED } else { code(judgement) })
}

/// A line that is written over.
pub(super) fn progress(event: &Event<'_>, begun: Instant, budget: Duration) {
    let text = match event {
        Event::Progress(Progress::Search { candidate, round, .. }) => {
            format!("candidate {}, round {round}", candidate + 1)
        }
        Event::Progress(Progress::Training { done, planned, .. }) => {
            format!("training, round {done}/{planned}")
        }
        Event::Judging => "judging".to_owned(),
        _ => return,
    };
    let (spent, whole) = (begun.elapsed().as_secs(), budget.as_secs());
    // A failure to print progress is no failure.
    let _ = write!(io::stderr(), "\r{text}; {spent} of {whole} s\x1b[K");
}
