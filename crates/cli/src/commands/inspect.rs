//! `inspect`.

use super::classifiers;
use super::models::content;
use crate::arguments::Inspect;
use crate::failure::Failure;
use ocoboost::model_file::Content;
use report::output::say;

pub(super) fn inspect(asked: &Inspect) -> Result<u8, Failure> {
    let model = match content(&asked.model)? {
        Content::Policy(model) => model,
        other => return classifiers::inspect(&other, asked),
    };
    let found = ocoboost::inspect::inspect(&model, asked.most);
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
