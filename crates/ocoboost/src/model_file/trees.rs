//! The trees of a policy as columns of numbers.

use super::ModelFileError;
use super::columns::{Reader, push_column, push_head};
use boosters::bopl::{Member, PolicyEnsemble};
use off_policy::policies::Scores;
use weak_learners::pairs::{PairNode, PairTree};

const LEAF: u8 = 0;
const CONTEXT: u8 = 1;
const ACTION: u8 = 2;
/// Splits on contexts with an indicator of missing values: these go to the first child, or to the second one.
const MISSING_FIRST: u8 = 3;
const MISSING_SECOND: u8 = 4;

/// Columns: α and the number of nodes of every tree; then of all nodes, tree by tree, their kinds; the values
/// of the leaves; the columns and thresholds of the splits on contexts; the actions of the others; of every
/// split how far behind it its two children are; and the indicators of the splits that have one. Files of
/// older versions have none.
pub(super) fn encode(ensemble: &PolicyEnsemble<PairTree>) -> Vec<u8> {
    let (mut alphas, mut sizes, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut leaves, mut features, mut thresholds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut actions, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    let mut indicators = Vec::new();
    for Member { alpha, predictor } in ensemble.members() {
        alphas.push(alpha.to_le_bytes());
        sizes.push(u32::try_from(predictor.nodes().len()).unwrap_or(u32::MAX).to_le_bytes());
        for (place, node) in (0_u32..).zip(predictor.nodes()) {
            let children = match *node {
                PairNode::Leaf { value } => {
                    kinds.push([LEAF]);
                    leaves.push(value.to_le_bytes());
                    continue;
                }
                PairNode::Context { feature, threshold, below, rest } => {
                    kinds.push([CONTEXT]);
                    features.push(feature.to_le_bytes());
                    thresholds.push(threshold.to_le_bytes());
                    [below, rest]
                }
                PairNode::ContextOrMissing { feature, threshold, indicator, missing_below, below, rest } => {
                    kinds.push([if missing_below { MISSING_FIRST } else { MISSING_SECOND }]);
                    features.push(feature.to_le_bytes());
                    thresholds.push(threshold.to_le_bytes());
                    indicators.push(indicator.to_le_bytes());
                    [below, rest]
                }
                PairNode::Action { action, others, this } => {
                    kinds.push([ACTION]);
                    actions.push(action.to_le_bytes());
                    [others, this]
                }
            };
            // Children come after their parents.
            first.push(children[0].wrapping_sub(place).to_le_bytes());
            second.push(children[1].wrapping_sub(place).to_le_bytes());
        }
    }
    let mut bytes = Vec::new();
    push_head(&mut bytes, [ensemble.inputs(), ensemble.actions(), alphas.len(), kinds.len()]);
    push_column(&mut bytes, &alphas);
    push_column(&mut bytes, &sizes);
    push_column(&mut bytes, &kinds);
    push_column(&mut bytes, &leaves);
    push_column(&mut bytes, &features);
    push_column(&mut bytes, &thresholds);
    push_column(&mut bytes, &actions);
    push_column(&mut bytes, &first);
    push_column(&mut bytes, &second);
    push_column(&mut bytes, &indicators);
    bytes
}

/// The ensemble of these bytes, checked as its constructors check it.
pub(super) fn decode(section: &str, bytes: &[u8]) -> Result<PolicyEnsemble<PairTree>, ModelFileError> {
    let refused = |reason: String| ModelFileError::State { section: section.to_owned(), reason };
    let mut reader = Reader::new(section, bytes);
    let [inputs, actions, trees, nodes] = reader.head()?;
    let alphas = reader.column::<8>(trees)?.map(f64::from_le_bytes);
    let sizes = reader.column::<4>(trees)?.map(u32::from_le_bytes);
    let kinds = reader.column::<1>(nodes)?;
    let count = |kind: u8| kinds.clone().filter(|[found]| *found == kind).count();
    let [leaf_count, plain_count, action_count] = [LEAF, CONTEXT, ACTION].map(count);
    let indicator_count = count(MISSING_FIRST) + count(MISSING_SECOND);
    let context_count = plain_count + indicator_count;
    if leaf_count + context_count + action_count != nodes {
        return Err(refused("a node of an unknown kind".to_owned()));
    }
    let mut leaves = reader.column::<8>(leaf_count)?.map(f64::from_le_bytes);
    let mut features = reader.column::<4>(context_count)?.map(u32::from_le_bytes);
    let mut thresholds = reader.column::<8>(context_count)?.map(f64::from_le_bytes);
    let mut of_actions = reader.column::<4>(action_count)?.map(u32::from_le_bytes);
    let mut first = reader.column::<4>(context_count + action_count)?.map(u32::from_le_bytes);
    let mut second = reader.column::<4>(context_count + action_count)?.map(u32::from_le_bytes);
    let mut indicators = reader.column::<4>(indicator_count)?.map(u32::from_le_bytes);
    reader.end()?;
    // Every node is in one tree.
    if sizes.clone().map(u64::from).sum::<u64>() != nodes as u64 {
        return Err(refused("the trees have other numbers of nodes than there are".to_owned()));
    }
    let mut kinds = kinds;
    let mut members = Vec::with_capacity(trees);
    for (alpha, size) in alphas.zip(sizes) {
        let mut tree = Vec::with_capacity(size as usize);
        for (place, [kind]) in (0..size).zip(kinds.by_ref()) {
            let child = |column: &mut dyn Iterator<Item = u32>| {
                column.next().map_or(place, |behind| place.wrapping_add(behind))
            };
            tree.push(match kind {
                LEAF => PairNode::Leaf { value: leaves.next().unwrap_or_default() },
                CONTEXT => PairNode::Context {
                    feature: features.next().unwrap_or_default(),
                    threshold: thresholds.next().unwrap_or_default(),
                    below: child(&mut first),
                    rest: child(&mut second),
                },
                MISSING_FIRST | MISSING_SECOND => PairNode::ContextOrMissing {
                    feature: features.next().unwrap_or_default(),
                    threshold: thresholds.next().unwrap_or_default(),
                    indicator: indicators.next().unwrap_or_default(),
                    missing_below: kind == MISSING_FIRST,
                    below: child(&mut first),
                    rest: child(&mut second),
                },
                _ => PairNode::Action {
                    action: of_actions.next().unwrap_or_default(),
                    others: child(&mut first),
                    this: child(&mut second),
                },
            });
        }
        let predictor = PairTree::new(inputs, actions, tree).map_err(|error| refused(error.to_string()))?;
        members.push(Member { alpha, predictor });
    }
    PolicyEnsemble::of(inputs, actions, members).map_err(|error| refused(error.to_string()))
}
