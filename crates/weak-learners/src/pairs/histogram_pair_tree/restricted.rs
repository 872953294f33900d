//! A tree of some rows, and the values of a tree on all rows.

use super::HistogramPairTree;
use super::buffers::Scratch;
use super::histogram::View;
use super::split::Cut;
use crate::batch::Sample;
use crate::batch::contract::in_pool;
use crate::pairs::{BinnedContexts, PairNode, PairRound, PairTree, RowRestricted};
use crate::{LearnerError, Shard};
use rayon::prelude::*;

impl RowRestricted for HistogramPairTree {
    /// The bins of the rows are copied, in O(rows · columns) bytes; the values on all rows are found by
    /// partition, which reads a byte for every row, action and level.
    fn train_on(
        &mut self,
        contexts: &BinnedContexts,
        rows: &[u32],
        part: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        let n = contexts.size();
        check(n, rows, part, values)?;
        let shard = match contexts.shard() {
            None => Shard::whole(rows.len()),
            Some(shard) => Shard::of(shard.ranks().clone(), rows.len())?,
        };
        let Self { growth, work } = self;
        let mut layout = std::mem::take(&mut work.rows);
        layout.select(contexts.layout(), rows);
        let grown = work.tree(*growth, (contexts, &layout, &shard), part, None);
        work.rows = layout;
        let (tree, _) = grown?;
        work.router.route(&tree, contexts, &work.scratch, values);
        Ok(tree)
    }
}

fn check(n: usize, rows: &[u32], part: &PairRound<'_>, values: &[f64]) -> Result<(), LearnerError> {
    for (argument, expected, got) in
        [("rows", part.examples(), rows.len()), ("values", n.saturating_mul(part.actions()), values.len())]
    {
        if got != expected {
            return Err(LearnerError::LengthMismatch { argument, expected, got });
        }
    }
    let is_ascending = rows.is_sorted_by(|one, next| one < next);
    let last = rows.last().map_or(0, |row| *row);
    if !is_ascending || last as usize >= n {
        let domain = "ascending rows of the contexts";
        return Err(LearnerError::BadParameter { name: "rows", value: f64::from(last), domain });
    }
    Ok(())
}

/// The way of the rows through a tree, node by node.
#[derive(Debug, Default)]
pub(super) struct Router {
    /// The column of the layout that has a feature.
    columns: Vec<usize>,
    entrances: Vec<(u32, u32)>,
}

impl Router {
    /// Writes f(x_i, a) of every pair to `values`. The cuts of the tree are those of the contexts.
    pub(super) fn route(
        &mut self,
        tree: &PairTree,
        contexts: &BinnedContexts,
        scratch: &Scratch,
        values: &mut [f64],
    ) {
        let layout = contexts.layout();
        let n = layout.rows;
        let Self { columns, entrances } = self;
        columns.clear();
        columns.resize(contexts.inputs(), usize::MAX);
        layout.columns.iter().enumerate().for_each(|(k, column)| columns[column.feature as usize] = k);
        entrances.clear();
        entrances.extend(tree.entrances().take(values.len() / n));
        let way = Way { nodes: tree.nodes(), contexts, view: View::whole(layout, &[]), columns };
        let of_action = |(values, (action, entrance)): (&mut [f64], &(u32, u32))| {
            let mut buffers = scratch.take_rows();
            let (rows, spare) = buffers.fill((0..=u32::MAX).take(n));
            way.send(*entrance, *action, rows, spare, values);
            scratch.put_rows(buffers);
        };
        if in_pool(values.len(), 1 << 16) {
            values.par_chunks_exact_mut(n).zip(entrances.par_iter()).for_each(of_action);
        } else {
            values.chunks_exact_mut(n).zip(entrances.iter()).for_each(of_action);
        }
    }
}

struct Way<'a> {
    nodes: &'a [PairNode],
    contexts: &'a BinnedContexts,
    view: View<'a>,
    columns: &'a [usize],
}

impl Way<'_> {
    /// Sends rows on from a node, and writes the values of the leaves that they reach.
    fn send(&self, mut node: u32, action: u32, rows: &mut [u32], spare: &mut [u32], values: &mut [f64]) {
        while !rows.is_empty() {
            let own = self.nodes[node as usize];
            match own {
                PairNode::Leaf { value } => {
                    return rows.iter().for_each(|row| values[*row as usize] = value);
                }
                PairNode::Action { action: asked, others, this } => {
                    node = if action == asked { this } else { others };
                }
                PairNode::Context { feature, threshold, below, rest }
                | PairNode::ContextOrMissing { feature, threshold, below, rest, .. } => {
                    let cuts = self.contexts.cuts(feature as usize);
                    #[allow(clippy::cast_possible_truncation, reason = "a u16 of bins a column")]
                    let bin = cuts.partition_point(|cut| *cut < threshold) as u16;
                    let moves_missing = matches!(own, PairNode::ContextOrMissing { .. });
                    let cut = Cut { column: self.columns[feature as usize], bin, moves_missing };
                    let middle = self.view.partition(cut, rows, spare);
                    let (of_below, of_rest) = spare.split_at_mut(middle);
                    let (below_spare, rest_spare) = rows.split_at_mut(middle);
                    self.send(below, action, of_below, below_spare, values);
                    return self.send(rest, action, of_rest, rest_spare, values);
                }
            }
        }
    }
}
