//! `stream`.

use super::classes::Kept;
use super::interruption::{is_asked, listen};
use super::models::{check_apart, check_model_output, check_output, content};
use super::reading::{tell, within};
use super::streams::{cells, refused_row};
use crate::arguments::{Form, Manners, OnlineBooster, Stream, WeakLearner};
use crate::failure::{Failure, INTERRUPTED};
use atomic_files::AtomicFile;
use formats::{Examples, LogOptions, Source};
use ocoboost::model_file::{Content, ModelFileError};
use ocoboost::{
    ProgressLine, StreamBooster, StreamJob, StreamJobBuilder, StreamLearner, StreamRound, StreamWeakLearner,
};
use report::output::{say, warn};
use serde_json::{Value, json};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub(super) fn stream(asked: &Stream, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("stream", Form::Text, &[Form::Json])?;
    let files = [&asked.output, &asked.predictions].into_iter().flatten().filter(|path| !is_standard(path));
    for path in files {
        check_output(path).map_err(|source| refused(path, source))?;
    }
    asked.output.iter().try_for_each(|path| check_model_output(path))?;
    check_apart(
        [&asked.output, &asked.predictions].into_iter().flatten().map(|path| &**path),
        [&*asked.examples],
    )?;
    check_apart(asked.predictions.as_deref(), asked.input.as_deref())?;
    let before = asked.input.as_deref().map(|path| learner(path, manners)).transpose()?;
    let (kept_label, kept) = match &before {
        Some(learner) => Kept::read(learner.format()),
        None => (None, LogOptions::default()),
    };
    let options = within(kept, &asked.columns)?;
    let label = asked.label.clone().or(kept_label);
    let job = settings(asked, manners).format(Kept::of(label.as_deref(), &options)?);
    let job = job.build().map_err(Failure::Setting)?;
    let mut rows = Examples::open(Source::path(&asked.examples)?, label.as_deref(), &options)?;
    if label.is_none() && !rows.has_own_labels() {
        return Err(Failure::Flag { name: "label", why: "name the column of the classes" });
    }
    rows.check_columns()?;
    let mut predictions = Predictions::open(asked.predictions.as_deref())?;
    let mut table = Table { lines: Vec::new(), is_shown: !manners.quiet };
    let mut learner = before;
    listen();
    while !is_asked() {
        let Some(row) = rows.advance()? else { break };
        let cells = cells(row);
        let learner = match &mut learner {
            Some(learner) => learner,
            // The first row says how many coordinates there are.
            None => learner.insert(job.begin(cells.len()).map_err(Failure::Setting)?),
        };
        let round = learner.round(row.label(), cells).map_err(|source| refused_row(row, source))?;
        let StreamRound { predicted, line } = round;
        predictions.write(predicted.and_then(|class| learner.class_name(class)).unwrap_or_default())?;
        if let Some(line) = line {
            table.add(line, learner);
        }
    }
    let is_over = is_asked();
    match (is_over, rows.progress().rows) {
        (false, _) => rows.check_columns()?,
        (true, 0) => return Ok(INTERRUPTED),
        (true, _) => {}
    }
    let facts = rows.finish()?;
    tell(&facts, manners);
    let Some(learner) = learner else { return Ok(INTERRUPTED) };
    let learner =
        learner.with_source(ocoboost::Source { name: facts.file.clone(), sha256: facts.sha256.clone() });
    predictions.close()?;
    if let Some(path) = &asked.output {
        learner.save(path).map_err(|source| Failure::Write { path: path.clone(), source })?;
    }
    let text = match form {
        Form::Json => answer(&learner, &table.lines).to_string(),
        _ => learner.sentence(),
    };
    // Where predictions are the data, this is not.
    match asked.predictions.as_deref().is_some_and(is_standard) {
        true => warn(&text),
        false => say(&text)?,
    }
    Ok(if is_over { INTERRUPTED } else { 0 })
}

/// A learner to go on from.
fn learner(path: &Path, manners: &Manners) -> Result<StreamLearner, Failure> {
    if let Some(seed) = manners.seed {
        let why = "the model that is gone on from has its own".to_owned();
        return Err(Failure::Argument { name: "seed", value: seed.to_string(), why });
    }
    match content(path)? {
        Content::Stream(learner) => Ok(*learner),
        other => {
            let (expected, found) = ("a learner of a stream", other.kind());
            let source = ModelFileError::OtherContent { expected, found };
            Err(Failure::Model { path: path.to_owned(), source })
        }
    }
}

pub(super) fn settings(asked: &Stream, manners: &Manners) -> StreamJobBuilder {
    let mut job = StreamJob::builder().seed(manners.seed.unwrap_or(0));
    if let Some(booster) = asked.booster {
        job = job.booster(match booster {
            OnlineBooster::Agnostic => StreamBooster::Agnostic,
            OnlineBooster::Realizable => StreamBooster::Realizable,
            OnlineBooster::Osboost => StreamBooster::OsBoost,
            OnlineBooster::Bbm => StreamBooster::OnlineBbm,
            OnlineBooster::AdaboostOl => StreamBooster::AdaBoostOl,
            OnlineBooster::None => StreamBooster::Alone,
        });
    }
    if let Some(learner) = asked.weak_learner {
        job = job.weak_learner(match learner {
            WeakLearner::Stumps => StreamWeakLearner::Stumps,
            WeakLearner::NaiveBayes => StreamWeakLearner::NaiveBayes,
            WeakLearner::Logistic => StreamWeakLearner::Logistic,
        });
    }
    if let Some(learners) = asked.learners {
        job = job.learners(learners);
    }
    if let Some(advantage) = asked.advantage {
        job = job.advantage(advantage);
    }
    if let Some(bits) = asked.bits {
        job = job.bits(bits);
    }
    job
}

/// The lines at doubling counts: on the standard error, where progress belongs.
struct Table {
    lines: Vec<Value>,
    is_shown: bool,
}

impl Table {
    fn add(&mut self, line: ProgressLine, learner: &StreamLearner) {
        let ProgressLine { average, since, examples, label, predicted } = line;
        let name = |class| learner.class_name(class).unwrap_or_default();
        let predicted = predicted.map(name);
        if self.is_shown {
            if self.lines.is_empty() {
                warn("wrong so far  since above    examples  class, predicted");
            }
            let shown = predicted.unwrap_or("-");
            warn(&format!(
                "{:>11.2}%  {:>10.2}%  {examples:>10}  {}, {shown}",
                100.0 * average,
                100.0 * since,
                name(label)
            ));
        }
        self.lines.push(json!({
            "error": average, "since": since, "examples": examples, "class": name(label), "predicted": predicted,
        }));
    }
}

fn answer(learner: &StreamLearner, lines: &[Value]) -> Value {
    let error = learner.error();
    json!({
        "examples": error.examples(),
        "unlabelled": error.unlabelled(),
        "error": error.average(),
        "constant": {
            "class": learner.class_name(error.commonest()),
            "error": error.of_commonest(),
        },
        "classes": learner.classes(),
        "coordinates": { "given": learner.features().len(), "most": learner.coordinates() },
        "lines": lines,
        "sentence": learner.sentence(),
    })
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Where predictions go: a file appears when it is whole.
enum Predictions {
    Nowhere,
    Standard(BufWriter<io::Stdout>),
    File(Box<AtomicFile>, PathBuf),
}

impl Predictions {
    fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let mut predictions = match path {
            None => return Ok(Self::Nowhere),
            Some(path) if is_standard(path) => Self::Standard(BufWriter::new(io::stdout())),
            Some(path) => {
                let file = AtomicFile::create(path).map_err(|source| refused(path, source))?;
                Self::File(Box::new(file), path.to_owned())
            }
        };
        predictions.write("predicted")?;
        Ok(predictions)
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        let cells = [text.to_owned()];
        match self {
            Self::Nowhere => Ok(()),
            Self::File(out, path) => {
                super::output::cells(out, &cells).map_err(|source| refused(path, source))
            }
            Self::Standard(out) => match super::output::cells(out, &cells) {
                // Whoever reads has read enough; the rows are learnt from all the same.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    *self = Self::Nowhere;
                    Ok(())
                }
                written => Ok(written?),
            },
        }
    }

    fn close(self) -> Result<(), Failure> {
        match self {
            Self::Nowhere => Ok(()),
            Self::Standard(mut out) => match out.flush() {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                flushed => Ok(flushed?),
            },
            Self::File(out, path) => out.commit().map_err(|source| refused(&path, source)),
        }
    }
}

fn refused(path: &Path, source: io::Error) -> Failure {
    Failure::WriteFile { path: path.to_owned(), source }
}
