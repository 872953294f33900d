//! How a comparison is shown.

use super::judgement::{answer, table, warn_of};
use crate::arguments::{Form, Manners};
use crate::failure::Failure;
use ocoboost::{Comparison, Judgement};
use report::output::{say, warn};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A comparison, in the form that was asked for.
pub(super) fn show(
    form: Form,
    (policies, cautions): (&[PathBuf], &[Option<&str>]),
    found: &Comparison,
    manners: &Manners,
) -> Result<u8, Failure> {
    let cautions = cautions.iter().copied();
    let names: Vec<String> = policies.iter().map(|path| path.display().to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
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
                    "is_shown": one.is_shown(),
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
