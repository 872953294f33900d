//! The commands.

use crate::arguments::{
    Cli, Columns, Command, Compare, Convert, Evaluate, Form, Inspect, Manners, Predict, Train,
};
use crate::failure::Failure;
use boosters::Threads;
use boosters::auto_policy::Progress;
use formats::{ActionFeatures, LogOptions, ReadFacts, ReadLog, Source, WriteOptions};
use ocoboost::inspect::inspect;
use ocoboost::{
    EstimatedPropensities, Event, Explore, JobError, JudgeJob, Judgement, Model, OnOffer, Split, Target,
    TrainJob, estimate_propensities,
};
use off_policy::policies::{Argmax, Policy, Uniform};
use off_policy::{Log, Rewards, Schema};
use report::output::{say, warn};
use serde_json::{Value, json};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The log does not show that the policy is better.
const NOT_SHOWN: u8 = 3;
/// What shells report after Ctrl-C.
const INTERRUPTED: u8 = 130;
/// Said where a model meets the log that it comes from.
const OWN_LOG: &str = "the policy was trained on this log, so all of this is too good to be true; \
                       what `inspect` shows is of rows that had no part in the choice";

/// Runs a command, and returns its exit code.
pub(crate) fn run(cli: &Cli) -> Result<u8, Failure> {
    let threads = match cli.manners.threads {
        Some(count) => Threads::exactly(count)?,
        None => Threads::all(),
    };
    let manners = &cli.manners;
    threads.run(|| match &cli.command {
        Command::Train(asked) => train(asked, manners),
        Command::Evaluate(asked) => evaluate(asked, manners),
        Command::Compare(asked) => compare(asked, manners),
        Command::Predict(asked) => predict(asked, manners),
        Command::Inspect(asked) => look(asked),
        Command::Convert(asked) => convert(asked),
    })?
}

/// These options, but for what is asked for.
fn options(start: LogOptions, columns: &Columns) -> Result<LogOptions, Failure> {
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
    if let Some(name) = &columns.input_format {
        let refused = |error: formats::FormatError| Failure::Argument {
            name: "input-format",
            value: name.clone(),
            why: error.to_string(),
        };
        options = options.format(name.parse().map_err(refused)?);
    }
    if columns.drop_action_features {
        options = options.action_features(ActionFeatures::Drop);
    }
    Ok(options)
}

/// A log, with what was estimated where it has no propensities.
struct Opened {
    log: Log,
    time: Option<Vec<f64>>,
    estimated: Option<EstimatedPropensities>,
    source: ocoboost::Source,
}

fn open(
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
fn tell(facts: &ReadFacts, manners: &Manners) {
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

/// `60s`, `10m`, `1h`, or a number of seconds.
fn duration(text: &str) -> Result<Duration, Failure> {
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

/// δ of a certainty.
fn delta(confidence: Option<f64>) -> Result<f64, Failure> {
    let confidence = confidence.unwrap_or(0.95);
    if (0.5..=0.99999).contains(&confidence) {
        return Ok(1.0 - confidence);
    }
    let why = "not between 0.5 and 0.99999".to_owned();
    Err(Failure::Argument { name: "confidence", value: confidence.to_string(), why })
}

/// 0 for a policy that is shown to be better.
fn code(judgement: &Judgement) -> u8 {
    if judgement.verdict.is_better() { 0 } else { NOT_SHOWN }
}

/// Ctrl-C ends the search and the training at their next rounds: the best policy so far is judged and saved.
fn interruption() -> Arc<AtomicBool> {
    let is_over = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_over);
    // Without a handler, Ctrl-C ends the program at once and leaves no file.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    is_over
}

/// The options for later files, whose format may be another one.
fn kept(columns: &LogOptions) -> Result<Value, Failure> {
    let mut kept = serde_json::to_value(columns)?;
    if let Some(fields) = kept.as_object_mut() {
        fields.remove("format");
    }
    Ok(kept)
}

fn train(asked: &Train, manners: &Manners) -> Result<u8, Failure> {
    let columns = options(LogOptions::default(), &asked.columns)?;
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
fn progress(event: &Event<'_>, begun: Instant, budget: Duration) {
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

/// The judgement as the JSON that is documented.
fn answer(judgement: &Judgement, caution: Option<&str>) -> Result<Value, Failure> {
    let estimate = |one: &ocoboost::ValueEstimate| json!({ "name": one.estimator.name(), "value": one.value, "lower": one.lower, "upper": one.upper });
    let mut logged = estimate(&judgement.logged);
    if let Some(fields) = logged.as_object_mut() {
        fields.remove("name");
    }
    let warnings = judgement.warnings.iter().map(ToString::to_string);
    let warnings: Vec<String> = caution.map(str::to_owned).into_iter().chain(warnings).collect();
    Ok(json!({
        "rows": judgement.rows,
        "logged": logged,
        "estimates": judgement.estimates.iter().map(estimate).collect::<Vec<_>>(),
        "certificate": {
            "confidence": 1.0 - judgement.delta,
            "verdict": serde_json::to_value(&judgement.verdict)?,
            "bounds": serde_json::to_value(judgement.bounds)?,
            "propensities": serde_json::to_value(judgement.propensities)?,
            "sentence": judgement.sentence(),
        },
        "warnings": warnings,
    }))
}

fn load(path: &Path) -> Result<Model, Failure> {
    Model::load(path).map_err(|source| Failure::Model { path: path.to_owned(), source })
}

/// A policy by its argument: a model, or one of two words.
enum Named {
    Uniform,
    Logged,
    Model(Box<Model>),
}

impl Named {
    fn of(argument: &Path) -> Result<Self, Failure> {
        Ok(match argument.to_str() {
            Some("uniform") => Self::Uniform,
            Some("logged") => Self::Logged,
            _ => Self::Model(Box::new(load(argument)?)),
        })
    }

    fn model(&self) -> Option<&Model> {
        match self {
            Self::Model(model) => Some(model),
            _ => None,
        }
    }
}

/// The options that a model was trained with, but for what is asked for.
fn options_of(model: Option<&Model>, columns: &Columns) -> Result<LogOptions, Failure> {
    let kept = model.and_then(|model| serde_json::from_value(model.format().clone()).ok());
    options(kept.unwrap_or_default(), columns)
}

/// The judge of a log.
fn judge(opened: &Opened, confidence: Option<f64>, manners: &Manners) -> Result<JudgeJob, Failure> {
    let mut job = JudgeJob::builder().delta(delta(confidence)?).seed(manners.seed.unwrap_or(0));
    if let Some(estimated) = &opened.estimated {
        job = job.estimated(estimated.clone());
    }
    job.build().map_err(Failure::Setting)
}

fn evaluate(asked: &Evaluate, manners: &Manners) -> Result<u8, Failure> {
    let named = Named::of(Path::new(&asked.policy))?;
    let options = options_of(named.model(), &asked.columns)?;
    let opened = open(&asked.log, named.model().and_then(Model::schema), &options, manners)?;
    let failed = |source: JobError| Failure::Job { file: opened.source.name.clone(), source };
    let job = judge(&opened, asked.confidence, manners)?;
    let uniform = Uniform::new(opened.log.actions()).map_err(|error| failed(error.into()))?;
    let argmax = named.model().map(Argmax::new);
    let target = match &argmax {
        Some(policy) => Target::Policy(policy),
        None if matches!(named, Named::Logged) => Target::Logged,
        None => Target::Policy(&uniform),
    };
    let judgement = job.evaluate(&opened.log, target).map_err(failed)?;
    let is_own =
        |model: &Model| model.provenance().sources.iter().any(|source| source.sha256 == opened.source.sha256);
    let caution = named.model().filter(|model| is_own(model)).map(|_| OWN_LOG);
    if manners.format == Form::Json {
        say(&answer(&judgement, caution)?.to_string())?;
    } else {
        say(&format!("the log      {}", interval(&judgement.logged)))?;
        for one in &judgement.estimates {
            say(&format!("{:12} {}", one.estimator.name(), interval(one)))?;
        }
        caution.iter().try_for_each(|caution| say(&format!("warning: {caution}")))?;
        judgement.warnings.iter().try_for_each(|warning| say(&format!("warning: {warning}")))?;
        say(&judgement.sentence())?;
    }
    Ok(code(&judgement))
}

fn interval(one: &ocoboost::ValueEstimate) -> String {
    format!("{:.4} [{:.4}, {:.4}]", one.value, one.lower, one.upper)
}

fn compare(asked: &Compare, manners: &Manners) -> Result<u8, Failure> {
    let Some((log, policies)) = asked.files.split_last() else { return Ok(2) };
    let named = policies.iter().map(|path| Named::of(path)).collect::<Result<Vec<_>, _>>()?;
    let first = named.iter().find_map(Named::model);
    let options = options_of(first, &asked.columns)?;
    let opened = open(log, first.and_then(Model::schema), &options, manners)?;
    let failed = |source: JobError| Failure::Job { file: opened.source.name.clone(), source };
    let uniform = Uniform::new(opened.log.actions()).map_err(|error| failed(error.into()))?;
    let argmax: Vec<_> = named.iter().map(|one| one.model().map(Argmax::new)).collect();
    let mut targets: Vec<Target<'_>> = Vec::new();
    for (one, argmax) in named.iter().zip(&argmax) {
        targets.push(match (one, argmax) {
            (Named::Logged, _) => Target::Logged,
            (_, Some(policy)) => Target::Policy(policy as &dyn Policy),
            _ => Target::Policy(&uniform),
        });
    }
    let found = judge(&opened, asked.confidence, manners)?.compare(&opened.log, &targets).map_err(failed)?;
    let names: Vec<String> = policies.iter().map(|path| path.display().to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if manners.format == Form::Json {
        let judgements =
            found.judgements.iter().map(|one| answer(one, None)).collect::<Result<Vec<_>, _>>()?;
        let policies: Vec<Value> = names
            .iter()
            .zip(judgements)
            .map(|(name, of)| json!({ "policy": name, "judgement": of }))
            .collect();
        let best = names[found.best()];
        say(&json!({ "policies": policies, "best": best, "sentence": found.sentence(&names) }).to_string())?;
    } else {
        for (name, judgement) in names.iter().zip(&found.judgements) {
            say(&format!("{name}: {}", judgement.sentence()))?;
        }
        say(&found.sentence(&names))?;
    }
    Ok(0)
}

fn predict(asked: &Predict, manners: &Manners) -> Result<u8, Failure> {
    let model = load(&asked.model)?;
    let options = options_of(Some(&model), &asked.columns)?;
    let failed = |source: JobError| Failure::Job { file: asked.contexts.display().to_string(), source };
    let schema = model.schema().ok_or_else(|| Failure::NoColumns { path: asked.model.clone() })?;
    let read = formats::read_contexts(Source::path(&asked.contexts)?, schema, &options, &mut formats::quiet)?;
    tell(&read.facts, manners);
    let offer = match &read.on_offer {
        Some(sets) => OnOffer::sets(sets),
        None => OnOffer::all(schema.actions()).map_err(failed)?,
    };
    let explore = Explore::EpsilonGreedy(asked.explore.unwrap_or(0.0));
    let drawn = model.explore(&read.contexts, offer, explore, manners.seed.unwrap_or(0)).map_err(failed)?;
    let mut probabilities = Vec::new();
    if asked.probabilities {
        let push = |pi: &[f64]| probabilities.push(pi.to_vec());
        model.probabilities(&read.contexts, offer, explore, push).map_err(failed)?;
    }
    let name = |action: usize| schema.action_name(action).unwrap_or_default().into_owned();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut header = vec!["action".to_owned(), "propensity".to_owned()];
    if asked.probabilities {
        header.extend((0..schema.actions()).map(&name));
    }
    let written = (|| {
        line(&mut out, &header)?;
        for (row, (action, propensity)) in drawn.actions.iter().zip(&drawn.propensities).enumerate() {
            let mut cells = vec![name(*action as usize), propensity.to_string()];
            cells.extend(probabilities.get(row).into_iter().flatten().map(ToString::to_string));
            line(&mut out, &cells)?;
        }
        out.flush()
    })();
    match written {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        other => Ok(other.map(|()| 0)?),
    }
}

/// Cells as RFC 4180 has them.
fn line(out: &mut impl Write, cells: &[String]) -> io::Result<()> {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let cells: Vec<String> = cells.iter().map(quoted).collect();
    writeln!(out, "{}", cells.join(","))
}

fn look(asked: &Inspect) -> Result<u8, Failure> {
    let model = load(&asked.model)?;
    let found = inspect(&model, asked.most);
    let (record, origin) = (model.record(), model.provenance());
    say(&format!("{} trees with {} leaves, by {}", found.trees, found.leaf_count, origin.program))?;
    for source in &origin.sources {
        say(&format!("trained on {} (SHA-256 {})", source.name, source.sha256))?;
    }
    say(&format!("{} rows to learn from, {} to judge on", origin.learning_rows, origin.judging_rows))?;
    say(&format!("{} candidates were tried", record.tried.len()))?;
    say(&model.judgement().sentence())?;
    for (title, shares) in [("columns", &found.columns), ("actions", &found.actions)] {
        say(&format!("{title}, by their share of the variance of the scores:"))?;
        for (name, share) in shares.iter().take(asked.most) {
            say(&format!("  {:5.1}%  {name}", 100.0 * share))?;
        }
    }
    say("largest leaves:")?;
    found.leaves.iter().try_for_each(|leaf| say(&format!("  {}", leaf.sentence())))?;
    Ok(0)
}

fn convert(asked: &Convert) -> Result<u8, Failure> {
    let options = options(LogOptions::default(), &asked.columns)?;
    let log = formats::read_log(Source::path(&asked.input)?, &options, &mut formats::quiet)?;
    let facts =
        formats::write_log(&log, &asked.output, &WriteOptions::default()).map_err(Failure::WriteLog)?;
    log.facts.notes.iter().chain(&facts.notes).for_each(|note| warn(note));
    Ok(0)
}
