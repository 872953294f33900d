//! `evaluate` and `compare`.

use super::candidates::{self, Played};
use super::classifiers;
use super::codings;
use super::comparison;
use super::judgement::{OWN_LOG, code, judge, show};
use super::models::{Named, check_apart, check_output, no_policy, options_of};
use super::output::write_to;
use super::reading::{Opened, open};
use crate::arguments::{Compare, Evaluate, Form, Manners};
use crate::failure::Failure;
use crate::page::{Page, PolicyModel};
use boosters::bopl::CompiledEnsemble;
use formats::FormatError;
use ocoboost::model_file::Content;
use ocoboost::{BreakdownSettings, JobError, JudgeJob, JudgeJobBuilder, Model, Target};
use off_policy::policies::{Argmax, Policy, Uniform};
use std::path::Path;

/// What is to be said of a model that was trained on the log: on its file, or on the same numbers from
/// elsewhere, as in Python.
fn caution(named: &Named, opened: &Opened) -> Option<&'static str> {
    let of_log = |own: &ocoboost::Source| opened.sources.iter().any(|source| source.sha256 == own.sha256);
    let sources = named.model().map(|model| &model.provenance().sources[..]).unwrap_or_default();
    let is_same = || named.model().is_some_and(|model| model.was_trained_on(&opened.log));
    (sources.iter().any(of_log) || is_same()).then_some(OWN_LOG)
}

/// The policy of a model, in the form that is faster for many rows.
fn policy_of(named: &Named) -> Result<Option<Box<dyn Policy + '_>>, JobError> {
    let of = |model| -> Result<Box<dyn Policy + '_>, JobError> {
        Ok(if CompiledEnsemble::is_for_batches(Model::ensemble(model)) {
            Box::new(Argmax::new(model.compiled()?))
        } else {
            Box::new(Argmax::new(model))
        })
    };
    named.model().map(of).transpose()
}

/// The judge of a log.
fn judge_of(job: JudgeJobBuilder, opened: &Opened) -> Result<JudgeJob, Failure> {
    let job = match &opened.estimated {
        Some(estimated) => job.estimated(estimated.clone()),
        None => job,
    };
    job.build().map_err(Failure::Setting)
}

pub(super) fn evaluate(asked: &Evaluate, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("evaluate", Form::Text, &[Form::Json, Form::Jsonl, Form::Csv])?;
    let job = judge(&asked.certainty, manners)?;
    let unwritable = |path: &Path, source| Failure::WriteFile { path: path.to_owned(), source };
    check_apart(asked.html.as_deref(), [Path::new(&asked.policy), &*asked.log])?;
    asked.html.iter().try_for_each(|path| check_output(path).map_err(|source| unwritable(path, source)))?;
    let named = match Named::of(Path::new(&asked.policy))? {
        Named::Other(Content::Candidates(model)) => {
            return candidates::evaluate(Played::Model(&model), asked, manners);
        }
        Named::Other(content) => return classifiers::evaluate(content, asked, manners),
        named => named,
    };
    let options = options_of(named.model(), &asked.columns)?;
    let opened = match open(&asked.log, named.model().and_then(Model::schema), &options, manners) {
        Err(Failure::Format(FormatError::ActionFeatures { .. }))
            if named.model().is_none() && asked.log.is_file() =>
        {
            let policy = if matches!(named, Named::Logged) { Played::Logged } else { Played::Uniform };
            return candidates::evaluate(policy, asked, manners);
        }
        opened => opened?,
    };
    let failed = |source: JobError| Failure::Job { file: opened.name.clone(), source };
    let caution = caution(&named, &opened);
    let job = judge_of(job.own_log(caution.is_some()), &opened)?;
    let uniform = Uniform::new(opened.log.actions()).map_err(|error| failed(error.into()))?;
    let argmax = policy_of(&named).map_err(failed)?;
    let target = match &argmax {
        Some(policy) => Target::Policy(&**policy),
        None if matches!(named, Named::Logged) => Target::Logged,
        None => Target::Policy(&uniform),
    };
    let (judgement, breakdown) = match &asked.html {
        None => (job.evaluate(&opened.log, target).map_err(failed)?, None),
        Some(_) => {
            let settings = breakdown_of(named.model());
            let (judgement, breakdown) = job.break_down(&opened.log, target, &settings).map_err(failed)?;
            (judgement, Some(breakdown))
        }
    };
    if let (Some(path), Some(breakdown)) = (&asked.html, &breakdown) {
        let (policy, log, model) = (&*asked.policy, &*opened.name, named.model().map(PolicyModel::OfActions));
        let is_policy = breakdown.changes.is_some();
        let page =
            Page { policy, log, is_policy, model, judgement: &judgement, breakdown, caution }.html()?;
        write_to(Some(path), |out| Ok(out.write_all(page.as_bytes())?))?;
    }
    show(form, &asked.policy, &judgement, caution, manners)?;
    Ok(code(&judgement))
}

/// The columns that a model looks at come first.
fn breakdown_of(model: Option<&Model>) -> BreakdownSettings {
    let of_schema = |model: &Model| Some(model.record().importance.of_columns(model.schema()?));
    let columns = model.and_then(of_schema).unwrap_or_default();
    let columns_first = columns.into_iter().map(|(place, _)| place).collect();
    BreakdownSettings { columns_first, ..BreakdownSettings::default() }
}

pub(super) fn compare(asked: &Compare, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("compare", Form::Text, &[Form::Json, Form::Jsonl, Form::Csv])?;
    let job = judge(&asked.certainty, manners)?;
    let Some((log, policies)) = asked.files.split_last() else { return Ok(2) };
    let named = policies.iter().map(|path| Named::of(path)).collect::<Result<Vec<_>, _>>()?;
    let of_candidates = |one: &Named| matches!(one, Named::Other(Content::Candidates(_)));
    if named.iter().any(of_candidates) {
        return candidates::compare((policies, log), &named, (form, job), asked, manners);
    }
    for (path, one) in policies.iter().zip(&named) {
        if let Named::Other(content) = one {
            return Err(no_policy(path, content));
        }
    }
    let first = named.iter().find_map(Named::model);
    let (opened, tables) = if codings::are_one(&named) {
        let options = options_of(first, &asked.columns)?;
        match open(log, first.and_then(Model::schema), &options, manners) {
            Err(Failure::Format(FormatError::ActionFeatures { .. })) if first.is_none() && log.is_file() => {
                return candidates::compare((policies, log), &named, (form, job), asked, manners);
            }
            opened => (opened?, Vec::new()),
        }
    } else {
        codings::together(log, policies, &named, &asked.columns, manners)?
    };
    let failed = |source: JobError| Failure::Job { file: opened.name.clone(), source };
    let uniform = Uniform::new(opened.log.actions()).map_err(|error| failed(error.into()))?;
    let argmax = named.iter().map(policy_of).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut targets: Vec<Target<'_>> = Vec::new();
    for (k, (one, argmax)) in named.iter().zip(&argmax).enumerate() {
        targets.push(match (one, argmax, tables.get(k)) {
            (Named::Logged, ..) => Target::Logged,
            (_, _, Some(Some(table))) => Target::Table(table),
            (_, Some(policy), _) => Target::Policy(&**policy),
            _ => Target::Policy(&uniform),
        });
    }
    let found = judge_of(job, &opened)?.compare(&opened.log, &targets).map_err(failed)?;
    let cautions: Vec<Option<&str>> = named.iter().map(|one| caution(one, &opened)).collect();
    comparison::show(form, (policies, &cautions), &found, manners)
}
