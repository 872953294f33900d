//! How a policy is judged, and how a judgement is shown.

use super::confidence::delta;
use super::output::{Cell, Table, write_to};
use crate::arguments::{Certainty, Form, Manners};
use crate::failure::{Failure, NOT_SHOWN};
use ocoboost::{JudgeJob, JudgeJobBuilder, Judgement};
use report::output::{say, warn};
use serde_json::{Value, json};

/// Said where a model meets the log that it comes from.
pub(super) const OWN_LOG: &str = "the policy was trained on this log, so all of this is too good to be true; \
                       what `inspect` shows is of rows that had no part in the choice";

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

/// A judge, whose settings are checked before a log is read.
pub(super) fn judge(certainty: &Certainty, manners: &Manners) -> Result<JudgeJobBuilder, Failure> {
    let mut job = JudgeJob::builder().delta(delta(certainty.confidence)?).seed(manners.seed.unwrap_or(0));
    if let Some(range) = range(certainty)? {
        job = job.reward_range(range);
    }
    job.clone().build().map_err(Failure::Setting)?;
    Ok(job)
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
pub(super) fn table(form: Form, judged: &[(&str, &Judgement)]) -> Result<(), Failure> {
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
pub(super) fn warn_of(judgement: &Judgement, caution: Option<&str>, manners: &Manners) {
    if !manners.quiet {
        caution.into_iter().for_each(warn);
        judgement.warnings.iter().for_each(|warning| warn(&warning.to_string()));
    }
}

fn interval(one: &ocoboost::ValueEstimate) -> String {
    format!("{:.4} [{:.4}, {:.4}]", one.value, one.lower, one.upper)
}
