//! `evaluate` and `compare`.

use super::classifiers;
use super::confidence::delta;
use super::models::{Named, check_output, options_of};
use super::reading::{Opened, open};
use crate::arguments::{Compare, Evaluate, Form, Manners};
use crate::failure::{Failure, NOT_SHOWN};
use crate::page::Page;
use boosters::saved::write_atomically;
use ocoboost::{BreakdownSettings, JobError, JudgeJob, Judgement, Model, Target};
use off_policy::policies::{Argmax, Policy, Uniform};
use report::output::say;
use serde_json::{Value, json};
use std::path::Path;

/// Said where a model meets the log that it comes from.
const OWN_LOG: &str = "the policy was trained on this log, so all of this is too good to be true; \
                       what `inspect` shows is of rows that had no part in the choice";

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

/// The judge of a log.
pub(super) fn judge(
    opened: &Opened,
    confidence: Option<f64>,
    manners: &Manners,
) -> Result<JudgeJob, Failure> {
    let mut job = JudgeJob::builder().delta(delta(confidence)?).seed(manners.seed.unwrap_or(0));
    if let Some(estimated) = &opened.estimated {
        job = job.estimated(estimated.clone());
    }
    job.build().map_err(Failure::Setting)
}

pub(super) fn evaluate(asked: &Evaluate, manners: &Manners) -> Result<u8, Failure> {
    let unwritable = |path: &Path, source| Failure::WriteFile { path: path.to_owned(), source };
    asked.html.iter().try_for_each(|path| check_output(path).map_err(|source| unwritable(path, source)))?;
    let named = match Named::of(Path::new(&asked.policy))? {
        Named::Other(content) => return classifiers::evaluate(content, asked, manners),
        named => named,
    };
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
    let (judgement, breakdown) = match &asked.html {
        None => (job.evaluate(&opened.log, target).map_err(failed)?, None),
        Some(_) => {
            let settings = breakdown_of(named.model());
            let (judgement, breakdown) = job.break_down(&opened.log, target, &settings).map_err(failed)?;
            (judgement, Some(breakdown))
        }
    };
    let is_own =
        |model: &Model| model.provenance().sources.iter().any(|source| source.sha256 == opened.source.sha256);
    let caution = named.model().filter(|model| is_own(model)).map(|_| OWN_LOG);
    if let (Some(path), Some(breakdown)) = (&asked.html, &breakdown) {
        let (policy, log, model) = (&*asked.policy, &*opened.source.name, named.model());
        let page = Page { policy, log, model, judgement: &judgement, breakdown, caution }.html()?;
        write_atomically(path, page.as_bytes()).map_err(|source| unwritable(path, source))?;
    }
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
    let Some((log, policies)) = asked.files.split_last() else { return Ok(2) };
    let named = policies.iter().map(|path| Named::policy(path)).collect::<Result<Vec<_>, _>>()?;
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
