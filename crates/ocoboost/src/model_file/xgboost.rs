//! A model as XGBoost's JSON.

use crate::candidates::CandidateModel;
use crate::model::Model;
use boosters::bopl::Member;
use off_policy::policies::Scores;
use serde_json::{Value, json};
use thiserror::Error;
use weak_learners::pairs::{PairNode, PairTree};

/// Why a model has no form in XGBoost.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum XgboostError {
    /// A number beyond single precision.
    #[error("tree {tree}: the {what} {value:e} is beyond single precision, in which XGBoost computes")]
    BeyondSinglePrecision {
        /// The tree.
        tree: usize,
        /// Threshold or leaf.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// More features, or nodes of a tree, than XGBoost numbers.
    #[error("{count} {what} are more than XGBoost numbers")]
    TooMany {
        /// Features or nodes.
        what: &'static str,
        /// How many.
        count: usize,
    },
}

/// The model in the JSON of XGBoost 2 and 3, for `Booster.load_model`: a regressor on \[x ; one-hot(a)\],
/// that is m columns of the context and behind them one a an action. Its prediction of a pair is F(x, a), up
/// to rounding: the policy takes the action of the largest one.
///
/// *Precision.* XGBoost computes in single precision. A threshold becomes the least single-precision number
/// that is not below it: then x < θ says the same of every x that has single precision. Another x is rounded
/// by XGBoost before it is compared, and may go the other way if a threshold is within its rounding. Leaves
/// are α·value, rounded to nearest; sums may differ by the roundings of T numbers. *Missing values:* where
/// the value of a column that may be missing is missing, pass NaN for it, and 1 for its indicator: every
/// question has the side of missing values as its default direction. Where a question has no side of its own
/// it is that of 0, so that the entries that a sparse row leaves out are 0, but for columns that may be
/// missing: their zeros have to be there.
///
/// # Errors
/// [`XgboostError`].
pub fn export_xgboost_json(model: &Model) -> Result<Value, XgboostError> {
    let (inputs, actions) = (model.ensemble.inputs(), model.ensemble.actions());
    let names = match model.schema() {
        Some(schema) => {
            let columns = schema.feature_names().into_iter().enumerate();
            let of_actions = (0..actions).map(|a| schema.action_name(a).unwrap_or_default().into_owned());
            let all = columns
                .map(|(j, name)| format!("{j}:{name}"))
                .chain(of_actions.enumerate().map(|(a, name)| format!("action {a}:{name}")));
            all.collect()
        }
        None => Vec::new(),
    };
    booster(model.ensemble.members(), (inputs, inputs + actions), names)
}

/// A policy over candidates in the same JSON: a regressor on the row of a candidate, \[context ; own features
/// ; item ; identities\], in the order of its feature names. Its prediction of a candidate is the candidate's
/// score: the policy takes the candidate of the largest one. *Precision* and *missing values* are those of
/// [`export_xgboost_json`].
///
/// # Errors
/// [`XgboostError`].
pub fn export_candidates_xgboost_json(model: &CandidateModel) -> Result<Value, XgboostError> {
    let names = model.column_names().into_iter().enumerate();
    let columns = model.ensemble.shape().dimension();
    let names = names.map(|(j, name)| format!("{j}:{name}")).collect();
    booster(model.ensemble.members(), (columns, columns), names)
}

/// The booster of trees on so many columns of a context, and on so many features with those of actions.
fn booster(
    members: &[Member<PairTree>],
    (inputs, features): (usize, usize),
    names: Vec<String>,
) -> Result<Value, XgboostError> {
    if i32::try_from(features).is_err() {
        return Err(XgboostError::TooMany { what: "features", count: features });
    }
    let trees = members.iter().enumerate().map(|(id, member)| tree(id, member, inputs, features));
    let trees = trees.collect::<Result<Vec<Value>, _>>()?;
    let count = trees.len();
    // XGBoost refuses names with brackets or less-than signs, and names that are there twice.
    let names: Vec<String> = names.into_iter().map(|name| name.replace(['[', ']', '<'], "_")).collect();
    let types = vec!["float"; names.len()];
    Ok(json!({
        "version": [3, 0, 0],
        "learner": {
            "attributes": {},
            "feature_names": names,
            "feature_types": types,
            "gradient_booster": {
                "name": "gbtree",
                "model": {
                    "gbtree_model_param": { "num_trees": count.to_string(), "num_parallel_tree": "1" },
                    "iteration_indptr": (0..=count).collect::<Vec<usize>>(),
                    "tree_info": vec![0; count],
                    "trees": trees,
                    "cats": { "enc": [], "feature_segments": [], "sorted_idx": [] },
                },
            },
            "learner_model_param": {
                "base_score": "0E0",
                "boost_from_average": "1",
                "num_class": "0",
                "num_feature": features.to_string(),
                "num_target": "1",
            },
            "objective": { "name": "reg:squarederror", "reg_loss_param": { "scale_pos_weight": "1" } },
        },
    }))
}

/// The parent of a root.
const NO_PARENT: i32 = i32::MAX;

fn tree(
    id: usize,
    Member { alpha, predictor }: &Member<PairTree>,
    inputs: usize,
    features: usize,
) -> Result<Value, XgboostError> {
    let nodes = predictor.nodes();
    let n = nodes.len();
    if i32::try_from(n).is_err() {
        return Err(XgboostError::TooMany { what: "nodes", count: n });
    }
    let mut tree = Columns::new(n);
    // XGBoost takes the node behind the left child for the right one, whatever the file says of it.
    let mut places = vec![0; n];
    let mut next = 1;
    for (old, node) in nodes.iter().enumerate() {
        let i = places[old];
        let (children, index, threshold, missing_first) = match *node {
            PairNode::Leaf { value } => {
                let value = alpha * value;
                tree.conditions[i] = single(id, "leaf", value, value)?;
                tree.weights[i] = tree.conditions[i];
                continue;
            }
            PairNode::Context { feature, threshold, below, rest } => {
                let rounded = single(id, "threshold", threshold, at_least(threshold))?;
                ([below, rest], feature as usize, rounded, 0.0 < rounded)
            }
            PairNode::ContextOrMissing { feature, threshold, missing_below, below, rest, .. } => {
                let rounded = single(id, "threshold", threshold, at_least(threshold))?;
                ([below, rest], feature as usize, rounded, missing_below)
            }
            // Of a candidate, which is the only action, no question is asked.
            PairNode::Action { others, this, .. } if inputs == features => {
                ([others, this], 0, f32::MIN, true)
            }
            // The pair of action a has a 1 there, all others a 0.
            PairNode::Action { action, others, this } => {
                ([others, this], inputs + action as usize, 0.5, true)
            }
        };
        for (place, child) in (next..).zip(children) {
            places[child as usize] = place;
            tree.parents[place] = i32::try_from(i).unwrap_or(NO_PARENT);
        }
        tree.left[i] = i64::try_from(next).unwrap_or(-1);
        tree.right[i] = i64::try_from(next + 1).unwrap_or(-1);
        tree.indices[i] = index;
        tree.conditions[i] = threshold;
        tree.defaults[i] = u8::from(missing_first);
        next += 2;
    }
    Ok(json!({
        "id": id,
        "tree_param": {
            "num_deleted": "0",
            "num_feature": features.to_string(),
            "num_nodes": n.to_string(),
            "size_leaf_vector": "1",
        },
        "left_children": tree.left,
        "right_children": tree.right,
        "parents": tree.parents,
        "split_indices": tree.indices,
        "split_conditions": tree.conditions,
        "split_type": vec![0; n],
        "default_left": tree.defaults,
        "base_weights": tree.weights,
        "loss_changes": vec![0.0; n],
        "sum_hessian": vec![1.0; n],
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
    }))
}

/// A number a node, column by column; of leaves the condition is the value.
struct Columns {
    left: Vec<i64>,
    right: Vec<i64>,
    parents: Vec<i32>,
    indices: Vec<usize>,
    conditions: Vec<f32>,
    weights: Vec<f32>,
    defaults: Vec<u8>,
}

impl Columns {
    fn new(n: usize) -> Self {
        Self {
            left: vec![-1; n],
            right: vec![-1; n],
            parents: vec![NO_PARENT; n],
            indices: vec![0; n],
            conditions: vec![0.0; n],
            weights: vec![0.0; n],
            defaults: vec![0; n],
        }
    }
}

/// A number in single precision, or the refusal that names what it was.
fn single(tree: usize, what: &'static str, value: f64, rounded: f64) -> Result<f32, XgboostError> {
    #[allow(clippy::cast_possible_truncation, reason = "checked below")]
    let single = rounded as f32;
    if single.is_finite() {
        Ok(single)
    } else {
        Err(XgboostError::BeyondSinglePrecision { tree, what, value })
    }
}

/// The least single-precision number that is not below θ.
fn at_least(threshold: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation, reason = "to the nearest one")]
    let nearest = threshold as f32;
    f64::from(if f64::from(nearest) < threshold { nearest.next_up() } else { nearest })
}

#[cfg(test)]
mod tests {
    use super::at_least;

    /// Every x of single precision goes the same way.
    #[test]
    fn a_threshold_is_rounded_up() {
        let thresholds = [0.1, 0.3, -0.1, 1.0, 0.5, 16_777_217.0, -16_777_217.0, 1e-50, -1e-50, 0.0, 3e38];
        for threshold in thresholds {
            #[allow(clippy::cast_possible_truncation, reason = "the nearest one")]
            let near = threshold as f32;
            let mut x = near.next_down().next_down().next_down();
            for _ in 0..7 {
                let x_64 = f64::from(x);
                assert_eq!(x_64 < threshold, x_64 < at_least(threshold), "{x:e} and {threshold:e}");
                x = x.next_up();
            }
        }
        assert!(at_least(-1e300).is_infinite() || at_least(-1e300) >= f64::from(f32::MIN));
    }
}
