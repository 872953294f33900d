//! A model as readable JSON.

use crate::model::Model;
use boosters::bopl::Member;
use off_policy::policies::Scores;
use serde_json::{Value, json};
use weak_learners::pairs::PairNode;

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
    let tree = |member: &Member<weak_learners::pairs::PairTree>| {
        let nodes: Vec<Value> = member.predictor.nodes().iter().map(node).collect();
        json!({ "alpha": member.alpha, "nodes": nodes })
    };
    let actions = 0..u32::try_from(model.ensemble.actions()).unwrap_or(u32::MAX);
    let columns: Vec<Value> =
        (0..u32::try_from(model.ensemble.inputs()).unwrap_or(u32::MAX)).map(column).collect();
    json!({
        "format": "ocoboost policy",
        "columns": columns,
        "actions": actions.map(action).collect::<Vec<Value>>(),
        "trees": model.ensemble.members().iter().map(tree).collect::<Vec<Value>>(),
        "record": model.record,
        "provenance": model.provenance,
        "judgement": model.judgement,
        "exploration": model.exploration,
        "format_options": model.format,
    })
}
