//! A model as readable JSON.

use crate::candidates::CandidateModel;
use crate::model::Model;
use boosters::bopl::Member;
use off_policy::policies::Scores;
use serde_json::{Value, json};
use weak_learners::pairs::{PairNode, PairTree};

/// The model as JSON, to be read by people and other programs: names in place of numbers where there is a
/// schema, the trees node by node, the record, the provenance and the judgement. It is not read back.
///
/// A node is `{"leaf": value}`, `{"column": name, "below": threshold, "yes": node, "no": node}` or
/// `{"action": name, "yes": node, "no": node}`, with nodes by their place in the tree. One about a column
/// that may be missing may have `"missing": "yes"` or `"missing": "no"`, where a missing value goes; else it
/// goes where 0 goes. The score of an action is the sum of `alpha` times the leaf that it comes to.
#[must_use]
pub fn export_json(model: &Model) -> Value {
    let columns = model.schema().map(off_policy::Schema::feature_names).unwrap_or_default();
    let column = |feature: u32| match columns.get(feature as usize) {
        Some(name) => Value::from(name.as_str()),
        None => Value::from(feature),
    };
    let action = |a: u32| match model.schema().and_then(|schema| schema.action_name(a as usize)) {
        Some(name) => Value::from(name.as_ref()),
        None => Value::from(a),
    };
    let actions = 0..u32::try_from(model.ensemble.actions()).unwrap_or(u32::MAX);
    let columns: Vec<Value> =
        (0..u32::try_from(model.ensemble.inputs()).unwrap_or(u32::MAX)).map(column).collect();
    json!({
        "format": "ocoboost policy",
        "columns": columns,
        "actions": actions.map(action).collect::<Vec<Value>>(),
        "trees": trees(model.ensemble.members(), column, action),
        "record": model.record,
        "provenance": model.provenance,
        "judgement": model.judgement,
        "exploration": model.exploration,
        "format_options": model.format,
    })
}

/// The same of a policy over candidates: `columns` are those of the row \[context ; own features ; item ;
/// identities\] of a candidate, whose score is the sum of `alpha` times the leaf that it comes to.
#[must_use]
pub fn export_candidates_json(model: &CandidateModel) -> Value {
    let names = model.column_names();
    let column = |feature: u32| match names.get(feature as usize) {
        Some(name) => Value::from(*name),
        None => Value::from(feature),
    };
    let columns = 0..u32::try_from(model.ensemble.shape().dimension()).unwrap_or(u32::MAX);
    json!({
        "format": "ocoboost policy over candidates",
        "columns": columns.map(column).collect::<Vec<Value>>(),
        "shape": model.ensemble.shape(),
        "trees": trees(model.ensemble.members(), column, Value::from),
        "record": model.record,
        "provenance": model.provenance,
        "judgement": model.judgement,
        "exploration": model.exploration,
        "format_options": model.format,
    })
}

fn trees(
    members: &[Member<PairTree>],
    column: impl Fn(u32) -> Value,
    action: impl Fn(u32) -> Value,
) -> Vec<Value> {
    let node = |node: &PairNode| match *node {
        PairNode::Leaf { value } => json!({ "leaf": value }),
        PairNode::Context { feature, threshold, below, rest } => {
            json!({ "column": column(feature), "below": threshold, "yes": below, "no": rest })
        }
        PairNode::ContextOrMissing { feature, threshold, missing_below, below, rest, .. } => {
            let missing = if missing_below { "yes" } else { "no" };
            let column = column(feature);
            json!({ "column": column, "below": threshold, "yes": below, "no": rest, "missing": missing })
        }
        PairNode::Action { action: a, others, this } => {
            json!({ "action": action(a), "yes": this, "no": others })
        }
    };
    let tree = |member: &Member<PairTree>| {
        let nodes: Vec<Value> = member.predictor.nodes().iter().map(node).collect();
        json!({ "alpha": member.alpha, "nodes": nodes })
    };
    members.iter().map(tree).collect()
}
