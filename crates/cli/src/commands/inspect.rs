//! `inspect`.

use super::candidates;
use super::classifiers;
use super::judgement::answer;
use super::models::content;
use crate::arguments::{Form, Inspect, Manners};
use crate::failure::Failure;
use ocoboost::Model;
use ocoboost::inspect::Inspection;
use ocoboost::model_file::Content;
use report::output::say;
use serde_json::{Value, json};

pub(super) fn inspect(asked: &Inspect, manners: &Manners) -> Result<u8, Failure> {
    let form = manners.form("inspect", Form::Text, &[Form::Json])?;
    let model = match content(&asked.model)? {
        Content::Policy(model) => model,
        Content::Candidates(model) => {
            manners.form("inspect of a policy over candidates", Form::Text, &[])?;
            candidates::inspect(&model, asked.most)?;
            return Ok(0);
        }
        other => {
            manners.form("inspect of a classifier", Form::Text, &[])?;
            return classifiers::inspect(&other, asked);
        }
    };
    let found = ocoboost::inspect::inspect(&model, asked.most);
    match form {
        Form::Json => say(&summary(&model, &found, asked.most)?.to_string())?,
        _ => in_words(&model, &found, asked.most)?,
    }
    Ok(0)
}

fn in_words(model: &Model, found: &Inspection, most: usize) -> Result<(), Failure> {
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
        for (name, share) in shares.iter().take(most) {
            say(&format!("  {:5.1}%  {name}", 100.0 * share))?;
        }
    }
    say("largest leaves:")?;
    Ok(found.leaves.iter().try_for_each(|leaf| say(&format!("  {}", leaf.sentence())))?)
}

fn summary(model: &Model, found: &Inspection, most: usize) -> Result<Value, Failure> {
    let shares = |shares: &[(String, f64)]| -> Vec<Value> {
        shares.iter().take(most).map(|(name, share)| json!({ "name": name, "share": share })).collect()
    };
    let leaves: Vec<Value> = found
        .leaves
        .iter()
        .map(|leaf| json!({ "tree": leaf.tree, "condition": leaf.condition, "adds": leaf.adds }))
        .collect();
    Ok(json!({
        "trees": found.trees,
        "leaves": found.leaf_count,
        "columns": shares(&found.columns),
        "actions": shares(&found.actions),
        "largest_leaves": leaves,
        "judgement": answer(model.judgement(), None)?,
        "record": serde_json::to_value(model.record())?,
        "provenance": serde_json::to_value(model.provenance())?,
    }))
}
