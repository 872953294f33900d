//! `evaluate` and `compare`.

use super::candidates;
use super::classifiers;
use super::codings;
use super::confidence::delta;
use super::models::{Named, check_apart, check_output, options_of};
use super::output::{Cell, Table, write_to};
use super::reading::{Opened, open};
use crate::arguments::{Certainty, Compare, Evaluate, Form, Manners};
use crate::failure::{Failure, NOT_SHOWN};
use crate::page::Page;
use boosters::bopl::CompiledEnsemble;
use formats::FormatError;
use ocoboost::model_file::Content;
use ocoboost::{BreakdownSettings, JobError, JudgeJob, JudgeJobBuilder, Judgement, Model, Target};
use off_policy::policies::{Argmax, Policy, Uniform};
use report::output::{say, warn};
use serde_json::{Value, json};
use std::path::Path;

/// Said where a model meets the log that it comes from.
pub(super) const OWN_LOG: &str = "the policy was trained on this log, so all of this is too good to be true; \
                       what `inspect` shows is of rows that had no part in the choice";

/// What is to be said of a model that was trained on the log.
fn caution(named: &Named, opened: &Opened) -> Option<&'static str> {
    let of_log = |own: &ocoboost::Source| opened.sources.iter().any(|source| source.sha256 == own.sha256);
    let sources = named.model().map(|model| &model.provenance().sources[..]).unwrap_or_default();
    sources.iter().any(of_log).then_some(OWN_LOG)
}

/// The range of the rewards, `LO,HI`.
pub(super) fn range(certainty: &Certainty) -> Result<Option<[f64; 2]>, Failure> {
    let Some(text) = &certainty.reward_range else { return Ok(None) };
    let number = |part: &str| part.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let found = text.split_once(',').and_then(|(low, high)| Some([number(low)?, number(high)?]));
    let found = found.filter(|[low, high]| low < high).ok_or_else(|| {
        let why = "not two rising numbers such as 0,1".to_owned();
        Failure::Argument { name: "reward-range", value: text.clone(), why }
    })?;
    Ok(Some(found))
}

/// 0 for a policy that is shown to be better.
pub(super) fn code(judgement: &Judgement) -> u8 {
    if judgement.verdict.is_better() { 0 } else { NOT_SHOWN }
}

/// The judgement as the JSON that is documented.
pub(super) fn answer(judgement: &Judgement, caution: Option<&str>) -> Result<Value, Failure> {
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

/// A judge, whose settings are checked before a log is read.
pub(super) fn judge(certainty: &Certainty, manners: &Manners) -> Result<JudgeJobBuilder, Failure> {
    let mut job = JudgeJob::builder().delta(delta(certainty.confidence)?).seed(manners.seed.unwrap_or(0));
    if let Some(range) = range(certainty)? {
        job = job.reward_range(range);
    }
    job.clone().build().map_err(Failure::Setting)?;
    Ok(job)
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
            return candidates::evaluate(Some(&model), asked, manners);
        }
        Named::Other(content) => return classifiers::evaluate(content, asked, manners),
        named => named,
    };
    let options = options_of(named.model(), &asked.columns)?;
    let opened = match open(&asked.log, named.model().and_then(Model::schema), &options, manners) {
        Err(Failure::Format(FormatError::ActionFeatures { .. }))
            if matches!(named, Named::Uniform) && asked.log.is_file() =>
        {
            return candidates::evaluate(None, asked, manners);
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
        let (policy, log, model) = (&*asked.policy, &*opened.name, named.model());
        let page = Page { policy, log, model, judgement: &judgement, breakdown, caution }.html()?;
        write_to(Some(path), |out| Ok(out.write_all(page.as_bytes())?))?;
    }
    show(form, &asked.policy, &judgement, caution, manners)?;
    Ok(code(&judgement))
}

/// Says what a log says of a policy.
pub(super) fn show(
    form: Form,
    policy: &str,
    judgement: &Judgement,
    caution: Option<&str>,
    manners: &Manners,
) -> Result<(), Failure> {
    if form == Form::Json {
        say(&answer(judgement, caution)?.to_string())?;
    } else if form != Form::Text {
        warn_of(judgement, caution, manners);
        table(form, &[(policy, judgement)])?;
    } else {
        say(&format!("the log      {}", interval(&judgement.logged)))?;
        for one in &judgement.estimates {
            say(&format!("{:12} {}", one.estimator.name(), interval(one)))?;
        }
        caution.iter().try_for_each(|caution| say(&format!("warning: {caution}")))?;
        judgement.warnings.iter().try_for_each(|warning| say(&format!("warning: {warning}")))?;
        say(&judgement.sentence())?;
    }
    Ok(())
}

/// A row an estimator, and one for the log.
fn table(form: Form, judged: &[(&str, &Judgement)]) -> Result<(), Failure> {
    write_to(None, |out| {
        let names = ["policy", "estimator", "value", "lower", "upper"].map(str::to_owned);
        let mut table = Table::new(out, form, names.to_vec())?;
        for (policy, judgement) in judged {
            let estimates = judgement.estimates.iter().map(|one| (one.estimator.name(), one));
            for (name, one) in std::iter::once(("logged", &judgement.logged)).chain(estimates) {
                let [policy, name] = [policy, name].map(|text| Cell::Text(text.to_owned()));
                let [value, lower, upper] = [one.value, one.lower, one.upper].map(Cell::Number);
                table.row(&[policy, name, value, lower, upper])?;
            }
        }
        Ok(())
    })
}

/// Says beside a table what speaks against its numbers.
fn warn_of(judgement: &Judgement, caution: Option<&str>, manners: &Manners) {
    if !manners.quiet {
        caution.into_iter().for_each(warn);
        judgement.warnings.iter().for_each(|warning| warn(&warning.to_string()));
    }
}

/// The columns that a model looks at come first.
fn breakdown_of(model: Option<&Model>) -> BreakdownSettings {
    let of_schema = |model: &Model| Some(model.record().importance.of_columns(model.schema()?));
    let columns = model.and_then(of_schema).unwrap_or_default();
    let columns_first = columns.into_iter().map(|(place, _)| place).collect();
    BreakdownSettings { columns_first, ..BreakdownSettings::default() }
}

pub(super) fn interval(one: &ocoboost::ValueEstimate) -> String {
    format!("{:.4} [{:.4}, {:.4}]", one.value, one.lower, one.upper)
}

pub(super) fn compare(asked: &Compare, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("compare", Form::Text, &[Form::Json, Form::Jsonl, Form::Csv])?;
    let job = judge(&asked.certainty, manners)?;
    let Some((log, policies)) = asked.files.split_last() else { return Ok(2) };
    let named = policies.iter().map(|path| Named::policy(path)).collect::<Result<Vec<_>, _>>()?;
    let first = named.iter().find_map(Named::model);
    let (opened, plays) = if codings::are_one(&named) {
        let options = options_of(first, &asked.columns)?;
        (open(log, first.and_then(Model::schema), &options, manners)?, Vec::new())
    } else {
        codings::together(log, policies, &named, &asked.columns, manners)?
    };
    let failed = |source: JobError| Failure::Job { file: opened.name.clone(), source };
    let uniform = Uniform::new(opened.log.actions()).map_err(|error| failed(error.into()))?;
    let argmax = named.iter().map(policy_of).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut targets: Vec<Target<'_>> = Vec::new();
    for (k, (one, argmax)) in named.iter().zip(&argmax).enumerate() {
        targets.push(match (one, argmax, plays.get(k)) {
            (Named::Logged, ..) => Target::Logged,
            (_, _, Some(Some(plays))) => Target::Policy(plays as &dyn Policy),
            (_, Some(policy), _) => Target::Policy(&**policy),
            _ => Target::Policy(&uniform),
        });
    }
    let found = judge_of(job, &opened)?.compare(&opened.log, &targets).map_err(failed)?;
    let names: Vec<String> = policies.iter().map(|path| path.display().to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let cautions = named.iter().map(|one| caution(one, &opened));
    let judged: Vec<(&str, &Judgement)> = names.iter().copied().zip(&found.judgements).collect();
    if form == Form::Json {
        let of = |(caution, (name, judgement)): (Option<&str>, &(&str, &Judgement))| {
            Ok(json!({ "policy": name, "judgement": answer(judgement, caution)? }))
        };
        let policies = cautions.zip(&judged).map(of).collect::<Result<Vec<Value>, Failure>>()?;
        let best = names[found.best()];
        let differences: Vec<Value> = found
            .differences
            .iter()
            .map(|one| {
                json!({
                    "first": names[one.first],
                    "second": names[one.second],
                    "value": one.value,
                    "lower": one.lower,
                    "upper": one.upper,
                })
            })
            .collect();
        let sentence = found.sentence(&names);
        let answer =
            json!({ "policies": policies, "differences": differences, "best": best, "sentence": sentence });
        say(&answer.to_string())?;
    } else if form != Form::Text {
        cautions.zip(&judged).for_each(|(caution, (_, judgement))| warn_of(judgement, caution, manners));
        table(form, &judged)?;
    } else {
        for (caution, (name, judgement)) in cautions.zip(&judged) {
            say(&format!("{name}: {}", judgement.sentence()))?;
            if !manners.quiet {
                caution.iter().for_each(|caution| warn(&format!("{name}: {caution}")));
            }
        }
        for one in &found.differences {
            let (first, second) = (names[one.first], names[one.second]);
            say(&format!("{first} less {second}: {:.4} [{:.4}, {:.4}]", one.value, one.lower, one.upper))?;
        }
        say(&found.sentence(&names))?;
    }
    Ok(0)
}
