//! What the commands do with a log whose actions have features of their own, and with a model of one.

use super::comparison;
use super::interruption::is_asked;
use super::judgement::{OWN_LOG, answer, code, judge, range, show};
use super::models::{Named, no_policy};
use super::output::{cells, write_to};
use super::progress::{Line, of_candidates};
use super::reading::{options, tell, watched};
use super::saving::Saver;
use super::splits;
use crate::arguments::{Columns, Compare, Evaluate, Form, Manners, Predict, Train};
use crate::failure::{Failure, INTERRUPTED};
use crate::page::{Page, PolicyModel};
use formats::{LogOptions, RowLabels, Source};
use ocoboost::model_file::{Content, ModelFileError};
use ocoboost::{
    BreakdownSettings, CandidateEvent, CandidateJob, CandidateModel, CandidateMoment, CandidateRows,
    CandidateTrainCheckpoint, EstimatedPropensities, JobError, JudgeJobBuilder,
    estimate_candidate_propensities,
};
use off_policy::candidates::{AmongCandidates, CandidateLog, CandidateSchema, CandidateScores};
use off_policy::policies::Argmax;
use report::output::say;
use rows::Candidates;
use serde_json::{Value, json};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A log that was read, with its files, and with what was estimated where it has no propensities.
struct Opened {
    log: CandidateLog,
    name: String,
    sources: Vec<ocoboost::Source>,
    time: Option<Vec<f64>>,
    split: Option<RowLabels>,
    estimated: Option<EstimatedPropensities>,
}

/// Reads a log by the columns of a schema, or to find one.
fn open(
    paths: &[PathBuf],
    schema: Option<&CandidateSchema>,
    options: &LogOptions,
    manners: &Manners,
) -> Result<Opened, Failure> {
    let name = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    let sources = paths.iter().map(Source::path);
    let mut read = watched(
        || name.clone(),
        manners,
        |watch| formats::read_candidates_of_files(sources, schema, options, watch),
    )?;
    tell(&read.facts, manners);
    let of = |file: formats::ReadFile| ocoboost::Source { name: file.file, sha256: file.sha256 };
    let sources = read.files.drain(..).map(of).collect();
    let (name, time, split) = (read.facts.file.clone(), read.time.take(), read.split.take());
    let has_none = read.propensities.is_none() && read.weights.is_none();
    if !has_none {
        return Ok(Opened { log: read.into_log()?, name, sources, time, split, estimated: None });
    }
    let failed = |source: JobError| Failure::Job { file: name.clone(), source };
    let go_on = &mut || if is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let (candidates, schema, seed) = (&read.candidates, Some(&read.schema), manners.seed.unwrap_or(0));
    let estimated = estimate_candidate_propensities(candidates, &read.chosen, schema, seed, go_on);
    let estimated = estimated.map_err(failed)?;
    read.propensities = Some(estimated.propensities().to_vec());
    Ok(Opened { log: read.into_log()?, name, sources, time, split, estimated: Some(estimated) })
}

/// `train` on a log whose actions have features.
pub(super) fn train(
    asked: &Train,
    manners: &Manners,
    (files, columns, budget): (&[PathBuf], &LogOptions, Duration),
    begun: Instant,
    (mut saver, from): (Saver<'_>, Option<CandidateTrainCheckpoint>),
) -> Result<u8, Failure> {
    let form = manners.form("train", Form::Text, &[Form::Json])?;
    let mut job = CandidateJob::builder().budget(budget).seed(manners.seed.unwrap_or(0));
    job = job.delta(super::confidence::delta(asked.certainty.confidence)?);
    job = job.overrides(asked.settings.overrides());
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
    let Opened { log, name, sources, time, split, estimated } = open(files, None, columns, manners)?;
    if let Some(split) = splits::of(asked, &name, time, split)? {
        job = job.validation(split);
    }
    if let Some(estimated) = estimated {
        job = job.estimated(estimated);
    }
    job = job.format(columns.kept()?).spent(begun.elapsed().min(budget / 2));
    for source in sources {
        job = job.source(source);
    }
    let mut line = Line::new(manners);
    let watch = |event: CandidateEvent, moment: Option<&CandidateMoment<'_>>| {
        line.show(|| of_candidates(&event, begun.elapsed().as_secs_f64(), budget.as_secs_f64()));
        let is_over = is_asked();
        saver.save(moment.map(|moment| |path: &Path| moment.checkpoint().save(path)), is_over, &mut line);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = job.build().map_err(Failure::Setting)?.fit_resumable(&log, from, watch);
    drop(line);
    saver.report(manners);
    let model = model.map_err(|source| Failure::Job { file: name, source })?;
    model.save(&asked.output).map_err(|source| Failure::Write { path: asked.output.clone(), source })?;
    let judgement = model.judgement();
    match form {
        Form::Json => say(&answer(judgement, None)?.to_string())?,
        _ => say(&judgement.sentence())?,
    }
    Ok(if is_asked() { INTERRUPTED } else { code(judgement) })
}

/// The options that a model was trained with, but for what is asked for.
fn options_of(model: &CandidateModel, columns: &Columns) -> Result<LogOptions, Failure> {
    let kept: Option<LogOptions> = serde_json::from_value(model.format().clone()).ok();
    options(kept.unwrap_or_default(), columns)
}

/// What plays on such a log.
#[derive(Clone, Copy)]
pub(super) enum Played<'a> {
    Uniform,
    Logged,
    Model(&'a CandidateModel),
}

impl<'a> Played<'a> {
    fn model(self) -> Option<&'a CandidateModel> {
        match self {
            Self::Model(model) => Some(model),
            _ => None,
        }
    }

    fn schema(self) -> Option<&'a CandidateSchema> {
        self.model().and_then(|model| model.ensemble().schema())
    }

    /// The log as its model reads it.
    fn open(self, path: &Path, columns: &Columns, manners: &Manners) -> Result<Opened, Failure> {
        let options = match self.model() {
            Some(model) => options_of(model, columns)?,
            None => options(LogOptions::default(), columns)?,
        };
        open(&[path.to_owned()], self.schema(), &options, manners)
    }

    /// What is to be said of a model that was trained on the log.
    fn caution(self, opened: &Opened) -> Option<&'static str> {
        let own = self.model().map(|model| &model.provenance().sources[..]).unwrap_or_default();
        let is_own = opened.sources.iter().any(|file| own.iter().any(|own| own.sha256 == file.sha256));
        let is_same = || self.model().is_some_and(|model| model.was_trained_on(&opened.log));
        (is_own || is_same()).then_some(OWN_LOG)
    }

    fn rows(self, log: &CandidateLog) -> Result<CandidateRows, JobError> {
        match self {
            Self::Uniform => CandidateRows::of(log, &AmongCandidates),
            Self::Logged => Ok(CandidateRows::of_logging_policy(log)),
            Self::Model(model) => CandidateRows::of(log, &Argmax::new(model)),
        }
    }
}

/// `evaluate` of a model of such a log, or of the uniform or the logging policy by one.
pub(super) fn evaluate(policy: Played<'_>, asked: &Evaluate, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("evaluate", Form::Text, &[Form::Json, Form::Jsonl, Form::Csv])?;
    let mut job = judge(&asked.certainty, manners)?;
    let mut opened = policy.open(&asked.log, &asked.columns, manners)?;
    if let Some(estimated) = opened.estimated.take() {
        job = job.estimated(estimated);
    }
    let caution = policy.caution(&opened);
    let failed = |source: JobError| Failure::Job { file: opened.name.clone(), source };
    let job = job.own_log(caution.is_some()).build().map_err(Failure::Setting)?;
    let rows = policy.rows(&opened.log).map_err(failed)?;
    let judgement = match &asked.html {
        None => job.evaluate_candidate_rows(&opened.log, &rows).map_err(failed)?,
        Some(path) => {
            let settings = breakdown_of(policy.model());
            let found = job.break_down_candidates(&opened.log, &rows, &settings).map_err(failed)?;
            let (judgement, breakdown) = (found.0, &found.1);
            let (is_policy, log) = (!matches!(policy, Played::Logged), &*opened.name);
            let (policy, model) = (&*asked.policy, policy.model().map(PolicyModel::OfCandidates));
            let page =
                Page { policy, log, is_policy, model, judgement: &judgement, breakdown, caution }.html()?;
            write_to(Some(path), |out| Ok(out.write_all(page.as_bytes())?))?;
            judgement
        }
    };
    show(form, &asked.policy, &judgement, caution, manners)?;
    Ok(code(&judgement))
}

/// The columns of the context that a model looks at come first.
fn breakdown_of(model: Option<&CandidateModel>) -> BreakdownSettings {
    let places = |model: &CandidateModel| {
        let names = model.column_names();
        let of_context = &names[..model.ensemble().shape().contexts.min(names.len())];
        let questions = model.questions().into_iter();
        questions.filter_map(|(name, _)| of_context.iter().position(|own| *own == name)).collect()
    };
    BreakdownSettings { columns_first: model.map(places).unwrap_or_default(), ..BreakdownSettings::default() }
}

/// `compare` by such a log. A model reads it by its own columns, and what was played is the same.
pub(super) fn compare(
    (policies, path): (&[PathBuf], &PathBuf),
    named: &[Named],
    (form, mut job): (Form, JudgeJobBuilder),
    asked: &Compare,
    manners: &Manners,
) -> Result<u8, Failure> {
    let mut played = Vec::with_capacity(named.len());
    for (path, one) in policies.iter().zip(named) {
        played.push(match one {
            Named::Uniform => Played::Uniform,
            Named::Logged => Played::Logged,
            Named::Other(Content::Candidates(model)) => Played::Model(model),
            Named::Other(other) => return Err(no_policy(path, other)),
            Named::Model(_) => {
                let (expected, found) =
                    ("one over candidates, as another model does", "a policy of fixed actions");
                let source = ModelFileError::OtherContent { expected, found: found.to_owned() };
                return Err(Failure::Model { path: path.clone(), source });
            }
        });
    }
    // Those with a model first: the others read the log as one of them does.
    let mut order: Vec<usize> = (0..played.len()).collect();
    order.sort_by_key(|k| played[*k].model().is_none());
    let mut readings: Vec<(usize, Opened)> = Vec::new();
    let mut found: Vec<Option<(CandidateRows, Option<&'static str>)>> = vec![None; played.len()];
    for k in order {
        let is_as_asked = |of: &(usize, Opened)| {
            let (own, other) = (played[k].schema(), played[of.0].schema());
            played[k].model().is_none() || own.is_some() && own == other
        };
        let place = match readings.iter().position(is_as_asked) {
            Some(place) => place,
            None => {
                let mut opened = played[k].open(path, &asked.columns, manners)?;
                if let Some((_, first)) = readings.first().filter(|_| opened.estimated.is_some())
                    && first.log.len() == opened.log.len()
                {
                    // Estimates of the columns of one model are those of all.
                    let propensities = first.log.propensities().to_vec();
                    let log = opened.log.with_propensities(propensities);
                    let failed = |error| Failure::Job { file: opened.name.clone(), source: error };
                    opened.log = log.map_err(|error| failed(JobError::Log(error)))?;
                }
                readings.push((k, opened));
                readings.len() - 1
            }
        };
        let (opened, (reader, first)) = (&readings[place].1, &readings[0]);
        if opened.log.chosen() != first.log.chosen() || opened.log.rewards() != first.log.rewards() {
            let [first, second] = [*reader, k].map(|k| policies[k].clone());
            return Err(Failure::OtherCoding { first, second });
        }
        let rows = played[k].rows(&opened.log);
        let rows = rows.map_err(|source| Failure::Job { file: opened.name.clone(), source })?;
        found[k] = Some((rows, played[k].caution(opened)));
    }
    let (rows, cautions): (Vec<_>, Vec<_>) = found.into_iter().flatten().unzip();
    let Some((_, opened)) = readings.first() else { return Ok(2) };
    if let Some(estimated) = &opened.estimated {
        job = job.estimated(estimated.clone());
    }
    let job = job.build().map_err(Failure::Setting)?;
    let found = job.compare_candidates(&opened.log, &rows);
    let found = found.map_err(|source| Failure::Job { file: opened.name.clone(), source })?;
    comparison::show(form, (policies, &cautions), &found, manners)
}

/// `predict` for choices, with or without labels.
pub(super) fn predict(
    model: &CandidateModel,
    (path, rows): (&Path, &Path),
    asked: &Predict,
    manners: &Manners,
) -> Result<u8, Failure> {
    let form = manners.form("predict", Form::Csv, &[Form::Jsonl])?;
    let columns = options_of(model, &asked.columns)?;
    let schema = model.ensemble().schema().ok_or_else(|| Failure::NoColumns { path: path.to_owned() })?;
    let source = Source::path(rows)?;
    let read = watched(
        || rows.display().to_string(),
        manners,
        |watch| formats::read_choices(source, schema, &columns, watch),
    )?;
    tell(&read.facts, manners);
    let failed = |source: JobError| Failure::Job { file: rows.display().to_string(), source };
    let answer = Answer { model, candidates: &read.candidates, form };
    write_to(asked.output.as_deref(), |out| {
        let found = match asked.top {
            Some(most) => answer.top(most.get(), out),
            None => {
                let fresh = || RandomState::new().build_hasher().finish();
                let seed = manners.seed.unwrap_or_else(|| asked.explore.map_or(0, |_| fresh()));
                answer.decisions(asked.explore.unwrap_or(0.0), seed, asked.probabilities, out)
            }
        };
        Ok(found?.map_err(failed)?)
    })?;
    Ok(0)
}

/// What is known before the first line of an answer.
struct Answer<'a> {
    model: &'a CandidateModel,
    candidates: &'a Candidates,
    form: Form,
}

type Written = Result<Result<(), JobError>, std::io::Error>;

impl Answer<'_> {
    /// `place,propensity`: the place of the candidate in its choice, from 0; all probabilities if they are
    /// asked for.
    fn decisions(&self, epsilon: f64, seed: u64, has_probabilities: bool, out: &mut dyn Write) -> Written {
        if self.form == Form::Csv {
            let all = has_probabilities.then_some("probabilities");
            cells(out, ["place", "propensity"].into_iter().chain(all))?;
        }
        let mut line = |place: usize, p: f64, pi: &[f64]| {
            if self.form == Form::Csv {
                let all = pi.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
                let numbers = [place.to_string(), p.to_string()].into_iter();
                return cells(out, numbers.chain(has_probabilities.then_some(all)));
            }
            let mut object = json!({ "place": place, "propensity": p });
            if has_probabilities {
                object["probabilities"] = Value::from(pi.to_vec());
            }
            writeln!(out, "{object}")
        };
        let mut written = Ok(());
        let found = self.model.decide(self.candidates, (epsilon, seed), |place, p, pi| {
            written = line(place, p, pi);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written?;
        Ok(found)
    }

    /// `place_1,score_1,place_2,…`, the best first; empty cells where a choice has fewer candidates.
    fn top(&self, most: usize, out: &mut dyn Write) -> Written {
        let counts = (0..self.candidates.len()).map(|i| self.candidates.pairs_of(i).len());
        let most = most.min(counts.max().unwrap_or_default());
        if self.form == Form::Csv {
            cells(out, (1..=most).flat_map(|k| [format!("place_{k}"), format!("score_{k}")]))?;
        }
        let mut scores = Vec::new();
        for i in 0..self.candidates.len() {
            let pairs = self.candidates.pairs_of(i);
            scores.clear();
            scores.resize(pairs.len(), 0.0);
            if let Err(error) = self.model.candidate_scores(self.candidates, pairs, &mut scores) {
                return Ok(Err(error.into()));
            }
            let mut places: Vec<usize> = (0..scores.len()).collect();
            places.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
            places.truncate(most);
            if self.form == Form::Csv {
                let pairs = places.iter().flat_map(|k| [k.to_string(), scores[*k].to_string()]);
                cells(out, pairs.chain(std::iter::repeat_with(String::new)).take(2 * most))?;
            } else {
                let scores: Vec<f64> = places.iter().map(|k| scores[*k]).collect();
                writeln!(out, "{}", json!({ "places": places, "scores": scores }))?;
            }
        }
        Ok(Ok(()))
    }
}

/// `inspect` in words.
pub(super) fn inspect(model: &CandidateModel, most: usize) -> Result<(), Failure> {
    let (record, origin) = (model.record(), model.provenance());
    say(&format!(
        "{} trees with {} leaves over candidates, by {}",
        record.trees, record.leaves, origin.program
    ))?;
    for source in &origin.sources {
        say(&format!("trained on {} (SHA-256 {})", source.name, source.sha256))?;
    }
    say(&format!("{} choices to learn from, {} to judge on", origin.learning_rows, origin.judging_rows))?;
    for (place, tried) in record.tried.iter().enumerate() {
        let mark = if place == record.chosen { "  <" } else { "" };
        let value = match (tried.value, tried.standard_error) {
            (Some(value), error) => format!("{value:.4} ± {:.4}", error.unwrap_or_default()),
            (None, _) => format!("{:15}", "not judged"),
        };
        say(&format!("  {value}  {}, {} rounds{mark}", tried.recipe, tried.rounds))?;
    }
    say(&model.judgement().sentence())?;
    let questions = model.questions();
    say("columns, by their share of the questions:")?;
    for (name, share) in questions.iter().take(most) {
        say(&format!("  {:5.1}%  {name}", 100.0 * share))?;
    }
    Ok(())
}
