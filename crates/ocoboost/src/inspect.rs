//! What a model looks at, in words.

use crate::model::Model;
use boosters::bopl::Member;
use off_policy::{ContextColumn, Schema};
use std::collections::BTreeMap;
use std::fmt::Write;
use weak_learners::pairs::{PairNode, PairTree};

/// A summary of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// The names of the coordinates with their share of the [importance](crate::Importance), largest first.
    pub columns: Vec<(String, f64)>,
    /// The names of the actions with theirs.
    pub actions: Vec<(String, f64)>,
    /// The leaves with the largest |α·value|, in words.
    pub leaves: Vec<LeafInWords>,
    /// The number of trees.
    pub trees: usize,
    /// The leaves of all trees.
    pub leaf_count: usize,
}

/// A leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafInWords {
    /// Its tree.
    pub tree: usize,
    /// The way to it: `age < 30.5 and device = phone, action music`.
    pub condition: String,
    /// α·value, what it adds to the score.
    pub adds: f64,
}

impl LeafInWords {
    /// The condition and the number: `age < 30.5, action music: +0.12`.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{}: {:+.3}", self.condition, self.adds)
    }
}

/// The summary of a model, with so many leaves in words. The importance is that of the record, of the rows
/// that the model was trained on.
///
/// *Cost:* one pass over the nodes.
#[must_use]
pub fn inspect(model: &Model, leaves: usize) -> Inspection {
    let names = Names { schema: model.schema(), columns: columns(model.schema()) };
    let importance = &model.record().importance;
    let columns = importance.columns.iter().map(|(j, share)| (names.coordinate(*j), *share)).collect();
    let actions = importance.actions.iter().map(|(a, share)| (names.action(*a), *share)).collect();
    let members = model.ensemble().members();
    let mut largest: Vec<(usize, usize, f64)> = Vec::new();
    let mut leaf_count = 0;
    for (tree, Member { alpha, predictor }) in members.iter().enumerate() {
        for (node, value) in predictor.nodes().iter().enumerate().filter_map(|(i, node)| match node {
            PairNode::Leaf { value } => Some((i, *value)),
            _ => None,
        }) {
            leaf_count += 1;
            largest.push((tree, node, alpha * value));
        }
        largest.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
        largest.truncate(leaves);
    }
    let in_words = |(tree, node, adds): (usize, usize, f64)| LeafInWords {
        tree,
        condition: names.way(&members[tree].predictor, node),
        adds,
    };
    let leaves = largest.into_iter().map(in_words).collect();
    Inspection { columns, actions, leaves, trees: members.len(), leaf_count }
}

/// What a coordinate stands for, by the name of its column.
enum Column {
    Number(String),
    IsMissing(String),
    Label(String, String),
}

fn columns(schema: Option<&Schema>) -> Vec<Column> {
    let of_column = |column: &ContextColumn| {
        let name = column.name();
        let mut all = match column {
            ContextColumn::Labels { labels, .. } => {
                labels.iter().map(|label| Column::Label(name.to_owned(), label.clone())).collect()
            }
            _ if column.is_date() => vec![Column::Number(format!("{name} in days since 1970"))],
            _ => vec![Column::Number(name.to_owned())],
        };
        if column.may_be_missing() {
            all.push(Column::IsMissing(name.to_owned()));
        }
        all
    };
    schema.map(|schema| schema.contexts().iter().flat_map(of_column).collect()).unwrap_or_default()
}

struct Names<'a> {
    schema: Option<&'a Schema>,
    columns: Vec<Column>,
}

/// What is asked of one coordinate on a way: at least `from`, below `to`.
struct Asked {
    from: Option<f64>,
    to: Option<f64>,
    /// Whether missing values have a side of their own.
    has_side: bool,
    /// Whether missing values go this way.
    takes_missing: bool,
}

impl Names<'_> {
    fn coordinate(&self, j: u32) -> String {
        match self.columns.get(j as usize) {
            Some(Column::Number(name)) => name.clone(),
            Some(Column::IsMissing(name)) => format!("{name} is missing"),
            Some(Column::Label(name, label)) => format!("{name} = {label}"),
            None => format!("x{j}"),
        }
    }

    fn action(&self, a: u32) -> String {
        let name = self.schema.and_then(|schema| schema.action_name(a as usize));
        name.map_or_else(|| a.to_string(), std::borrow::Cow::into_owned)
    }

    /// The conditions on the way to a node, those of one coordinate as one.
    fn way(&self, tree: &PairTree, leaf: usize) -> String {
        let mut coordinates: BTreeMap<u32, Asked> = BTreeMap::new();
        let (mut action, mut others) = (None, Vec::new());
        for (node, is_first) in path(tree.nodes(), leaf) {
            match node {
                PairNode::Context { feature, threshold, .. }
                | PairNode::ContextOrMissing { feature, threshold, .. } => {
                    let none = Asked { from: None, to: None, has_side: false, takes_missing: true };
                    let asked = coordinates.entry(feature).or_insert(none);
                    let own = match node {
                        PairNode::ContextOrMissing { missing_below, .. } => Some(missing_below),
                        _ => None,
                    };
                    asked.has_side |= own.is_some();
                    asked.takes_missing &= own.unwrap_or(0.0 < threshold) == is_first;
                    if is_first {
                        asked.to = Some(asked.to.map_or(threshold, |to| to.min(threshold)));
                    } else {
                        asked.from = Some(asked.from.map_or(threshold, |from| from.max(threshold)));
                    }
                }
                PairNode::Action { action: a, .. } if is_first => others.push(a),
                PairNode::Action { action: a, .. } => action = Some(a),
                PairNode::Leaf { .. } => {}
            }
        }
        let mut text = String::new();
        for (j, asked) in &coordinates {
            let _ =
                write!(text, "{}{}", if text.is_empty() { "" } else { " and " }, self.condition(*j, asked));
        }
        if text.is_empty() {
            text.push_str("always");
        }
        let others: Vec<String> = others.into_iter().map(|a| self.action(a)).collect();
        let _ = match (action, others.len()) {
            (Some(a), _) => write!(text, ", action {}", self.action(a)),
            (None, 0) => write!(text, ", any action"),
            (None, _) => write!(text, ", any action but {}", others.join(", ")),
        };
        text
    }

    fn condition(&self, j: u32, asked: &Asked) -> String {
        let Asked { from, to, has_side, takes_missing } = asked;
        // The coordinate of a label, or of a missing number, is 0 or 1.
        let is = from.is_some_and(|from| from > 0.0 && from <= 1.0) && to.is_none_or(|to| to > 1.0);
        let is_not = to.is_some_and(|to| to > 0.0 && to <= 1.0) && from.is_none_or(|from| from <= 0.0);
        match self.columns.get(j as usize) {
            Some(Column::Label(name, label)) if is => return format!("{name} = {label}"),
            Some(Column::Label(name, label)) if is_not => return format!("{name} is not {label}"),
            Some(Column::IsMissing(name)) if is => return format!("{name} is missing"),
            Some(Column::IsMissing(name)) if is_not => return format!("{name} is not missing"),
            _ => {}
        }
        let name = self.coordinate(j);
        let missing = match (has_side, takes_missing) {
            (false, _) => "",
            (true, true) => " (or missing)",
            (true, false) => " (not missing)",
        };
        if *takes_missing && from.zip(*to).is_some_and(|(from, to)| from >= to) {
            return format!("{name} is missing");
        }
        let [from, to] = [from, to].map(|end| end.map(short));
        match (from, to) {
            (Some(from), Some(to)) => format!("{from} <= {name} < {to}{missing}"),
            (Some(from), None) => format!("{name} >= {from}{missing}"),
            (None, Some(to)) => format!("{name} < {to}{missing}"),
            (None, None) => name,
        }
    }
}

/// A threshold in six significant digits: for people, where 42.650000000000006 says no more than 42.65.
fn short(threshold: f64) -> f64 {
    format!("{threshold:.5e}").parse().unwrap_or(threshold)
}

/// The nodes above a node from the root on, each with whether the way goes to the first of its children:
/// `below`, or `others`.
fn path(nodes: &[PairNode], leaf: usize) -> Vec<(PairNode, bool)> {
    let mut above = Vec::new();
    let mut wanted = leaf;
    // Children come after their parents.
    for (i, node) in nodes.iter().enumerate().take(leaf).rev() {
        let Some(children) = node.children() else { continue };
        if let Some(which) = children.iter().position(|child| *child as usize == wanted) {
            above.push((*node, which == 0));
            wanted = i;
        }
    }
    above.reverse();
    above
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;
    use off_policy::ActionNames;

    #[test]
    fn a_way_is_told_in_the_words_of_the_table() {
        let device =
            ContextColumn::Labels { name: "device".into(), labels: vec!["phone".into(), "watch".into()] };
        let age = ContextColumn::Number { name: "age".into() };
        let actions = ActionNames::Labels(vec!["music".into(), "travel".into(), "tools".into()]);
        let schema = Schema::new(vec![age, device], actions).unwrap();
        let names = Names { schema: Some(&schema), columns: columns(Some(&schema)) };
        let leaf = |value| PairNode::Leaf { value };
        let context = |feature, threshold, below, rest| PairNode::Context { feature, threshold, below, rest };
        let nodes = vec![
            PairNode::Action { action: 0, others: 1, this: 2 },
            PairNode::Action { action: 2, others: 3, this: 4 },
            context(0, 30.5, 5, 6),
            leaf(0.0),
            context(2, 0.5, 7, 8),
            context(1, 0.5, 9, 10),
            context(0, 42.650000000000006, 11, 12),
            leaf(7.0),
            leaf(8.0),
            leaf(9.0),
            leaf(10.0),
            leaf(11.0),
            leaf(12.0),
        ];
        let tree = PairTree::new(3, 3, nodes).unwrap();
        let says = |leaf| names.way(&tree, leaf);
        assert_eq!(says(3), "always, any action but music, tools");
        assert_eq!(says(7), "device is not watch, action tools");
        assert_eq!(says(8), "device = watch, action tools");
        assert_eq!(says(9), "age < 30.5 and device is not phone, action music");
        assert_eq!(says(10), "age < 30.5 and device = phone, action music");
        assert_eq!(says(11), "30.5 <= age < 42.65, action music");
        assert_eq!(says(12), "age >= 42.65, action music");
        let bare = Names { schema: None, columns: columns(None) };
        assert_eq!(bare.way(&tree, 10), "x0 < 30.5 and x1 >= 0.5, action 0");
        // The second coordinate of a number that may be missing, and days.
        let columns_of = [
            ContextColumn::NumberOrMissing { name: "age".into() },
            ContextColumn::Date { name: "since".into() },
        ];
        let schema = Schema::new(columns_of.to_vec(), ActionNames::Numbered(3)).unwrap();
        let dated = Names { schema: Some(&schema), columns: columns(Some(&schema)) };
        assert_eq!(dated.way(&tree, 8), "since in days since 1970 >= 0.5, action 2");
        assert_eq!(dated.way(&tree, 9), "age < 30.5 and age is not missing, action 0");
        assert_eq!(dated.way(&tree, 10), "age < 30.5 and age is missing, action 0");
        // A side for missing values, and what other questions about the same column make of it.
        let optional = |threshold, missing_below, below, rest| PairNode::ContextOrMissing {
            feature: 0,
            threshold,
            indicator: 1,
            missing_below,
            below,
            rest,
        };
        let nodes = vec![
            optional(30.5, false, 1, 2),
            context(0, 20.0, 3, 4),
            optional(42.0, true, 5, 6),
            leaf(3.0),
            leaf(4.0),
            optional(28.0, true, 7, 8),
            leaf(6.0),
            leaf(7.0),
            leaf(8.0),
        ];
        let sided = PairTree::new(3, 3, nodes).unwrap();
        assert_eq!(dated.way(&sided, 3), "age < 20 (not missing), any action");
        assert_eq!(dated.way(&sided, 6), "age >= 42 (not missing), any action");
        assert_eq!(dated.way(&sided, 7), "age is missing, any action");
        assert_eq!(dated.way(&sided, 8), "30.5 <= age < 42 (not missing), any action");
        let leaf = LeafInWords { tree: 0, condition: says(10), adds: 0.12 };
        assert_eq!(leaf.sentence(), "age < 30.5 and device = phone, action music: +0.120");
    }
}
