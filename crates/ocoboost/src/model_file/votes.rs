//! The trees of a classifier as columns of numbers.

use super::ModelFileError;
use super::columns::{Reader, push_column, push_head};
use boosters::maboost::{Ensemble, MulticlassVote, OutputCode};
use weak_learners::batch::{Hypothesis, Tree, TreeNode};

const LEAF: u8 = 0;
const SPLIT: u8 = 1;

/// Columns: the number of trees of every column of the code; coefficient and number of nodes of every tree;
/// then of all nodes, tree by tree, their kinds; the answers of the leaves; of every split its coordinate and
/// threshold, and how far behind it its two children are.
pub(super) fn encode(vote: &MulticlassVote<Tree>, inputs: usize) -> Vec<u8> {
    let (mut lengths, mut etas, mut sizes, mut kinds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut leaves, mut features, mut thresholds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for ensemble in vote.ensembles() {
        lengths.push(small(ensemble.hypotheses().len()));
        for (tree, eta) in ensemble.hypotheses().iter().zip(ensemble.coefficients()) {
            etas.push(eta.to_le_bytes());
            sizes.push(small(tree.nodes().len()));
            for (place, node) in tree.nodes().iter().enumerate() {
                match *node {
                    TreeNode::Leaf { answer } => {
                        kinds.push([LEAF]);
                        leaves.push(answer.to_le_bytes());
                    }
                    TreeNode::Split { feature, threshold, at_most, above } => {
                        kinds.push([SPLIT]);
                        features.push(small(feature));
                        thresholds.push(threshold.to_le_bytes());
                        // Children come after their parents.
                        first.push(small(at_most.wrapping_sub(place)));
                        second.push(small(above.wrapping_sub(place)));
                    }
                }
            }
        }
    }
    let mut bytes = Vec::new();
    push_head(&mut bytes, [inputs, lengths.len(), etas.len(), kinds.len()]);
    push_column(&mut bytes, &lengths);
    push_column(&mut bytes, &etas);
    push_column(&mut bytes, &sizes);
    push_column(&mut bytes, &kinds);
    push_column(&mut bytes, &leaves);
    push_column(&mut bytes, &features);
    push_column(&mut bytes, &thresholds);
    push_column(&mut bytes, &first);
    push_column(&mut bytes, &second);
    bytes
}

/// Trees have fewer than 2³² nodes, and rows fewer coordinates.
fn small(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

/// The vote of these bytes by a code, checked as its constructors check it.
pub(super) fn decode(
    section: &str,
    bytes: &[u8],
    code: OutputCode,
) -> Result<MulticlassVote<Tree>, ModelFileError> {
    let refused = |reason: String| ModelFileError::State { section: section.to_owned(), reason };
    let mut reader = Reader::new(section, bytes);
    let [inputs, columns, trees, nodes] = reader.head()?;
    let lengths = reader.column::<4>(columns)?.map(u32::from_le_bytes);
    let mut etas = reader.column::<8>(trees)?.map(f64::from_le_bytes);
    let mut sizes = reader.column::<4>(trees)?.map(u32::from_le_bytes);
    let mut kinds = reader.column::<1>(nodes)?;
    let count = |kind: u8| kinds.clone().filter(|[found]| *found == kind).count();
    let [leaf_count, split_count] = [LEAF, SPLIT].map(count);
    if leaf_count + split_count != nodes {
        return Err(refused("a node of an unknown kind".to_owned()));
    }
    let mut leaves = reader.column::<8>(leaf_count)?.map(f64::from_le_bytes);
    let mut features = reader.column::<4>(split_count)?.map(u32::from_le_bytes);
    let mut thresholds = reader.column::<8>(split_count)?.map(f64::from_le_bytes);
    let mut first = reader.column::<4>(split_count)?.map(u32::from_le_bytes);
    let mut second = reader.column::<4>(split_count)?.map(u32::from_le_bytes);
    reader.end()?;
    // Every node is in one tree, and every tree in one column.
    let sum = |counts: &mut dyn Iterator<Item = u32>| counts.map(u64::from).sum::<u64>();
    if sum(&mut sizes.clone()) != nodes as u64 || sum(&mut lengths.clone()) != trees as u64 {
        return Err(refused("the trees have other numbers than there are".to_owned()));
    }
    let mut ensembles = Vec::with_capacity(columns);
    for length in lengths {
        let (mut hypotheses, mut coefficients) = (Vec::new(), Vec::new());
        for (eta, size) in etas.by_ref().zip(sizes.by_ref()).take(length as usize) {
            let mut tree = Vec::with_capacity(size as usize);
            for (place, [kind]) in (0..size as usize).zip(kinds.by_ref()) {
                let behind = |column: &mut dyn Iterator<Item = u32>| {
                    place.saturating_add(column.next().unwrap_or_default() as usize)
                };
                tree.push(match kind {
                    LEAF => TreeNode::Leaf { answer: leaves.next().unwrap_or_default() },
                    _ => TreeNode::Split {
                        feature: features.next().unwrap_or_default() as usize,
                        threshold: thresholds.next().unwrap_or_default(),
                        at_most: behind(&mut first),
                        above: behind(&mut second),
                    },
                });
            }
            hypotheses.push(Tree::new(inputs, tree).map_err(|error| refused(error.to_string()))?);
            coefficients.push(eta);
        }
        let ensemble = Ensemble::new(hypotheses, coefficients);
        ensembles.push(ensemble.map_err(|error| refused(error.to_string()))?);
    }
    let vote = MulticlassVote::new(code, ensembles).map_err(|error| refused(error.to_string()))?;
    if vote.ensembles().iter().flat_map(|one| one.hypotheses()).any(|tree| tree.inputs() != inputs) {
        return Err(refused("trees of rows of another dimension".to_owned()));
    }
    Ok(vote)
}
