//! How much of a policy's scores is due to which column and action.

use boosters::bopl::{Member, PolicyEnsemble};
use off_policy::Schema;
use off_policy::policies::Scores;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};
use weak_learners::pairs::{PairNode, PairTree};

/// Shares of the spread of the scores, by the question that makes it.
///
/// *What the numbers are.* A split of a tree parts the pairs (x_i, a) of a context and an action that reach
/// it. It explains n_L(m_L − m)² + n_R(m_R − m)² of their squares, m being the mean of α·f over the pairs of
/// the node, of its children m_L and m_R. Over all splits of a tree these sum to the variance of α·f over the
/// pairs, times their number. The numbers here are those sums over all trees, by column of the contexts and
/// by action, divided by their total. They say what the scores depend on, not what a column is worth in
/// reward: a column that moves the scores of all actions alike has a share and no influence on the choice.
///
/// *Cost:* trees · rows · depth, on at most 2,000 rows that are spread evenly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// Shares by coordinate of a context, largest first; coordinates without a split are left out.
    pub columns: Vec<(u32, f64)>,
    /// Shares by the action asked for, largest first.
    pub actions: Vec<(u32, f64)>,
    /// The rows that they rest on; 0 where there is nothing to rest on.
    pub rows: usize,
}

/// The most rows.
const MOST_ROWS: usize = 2_000;

impl Importance {
    /// The shares of an ensemble on these contexts, all actions counting in all of them. Contexts of another
    /// dimension count for nothing.
    #[must_use]
    pub fn of(ensemble: &PolicyEnsemble<PairTree>, contexts: &RowMatrix) -> Self {
        let rows: Vec<usize> = Self::rows(contexts.len()).collect();
        let mut sums =
            Sums { contexts, columns: vec![0.0; ensemble.inputs()], actions: vec![0.0; ensemble.actions()] };
        let is_fitting = contexts.dimension() == ensemble.inputs();
        for Member { alpha, predictor } in ensemble.members().iter().filter(|_| is_fitting) {
            sums.add(predictor.nodes(), *alpha, &rows, ensemble.actions());
        }
        let total = sums.columns.iter().chain(&sums.actions).sum::<f64>();
        let shares = |sums: Vec<f64>| {
            let mut shares: Vec<(u32, f64)> = (0..).zip(sums).filter(|(_, sum)| *sum > 0.0).collect();
            shares.iter_mut().for_each(|(_, share)| *share /= total);
            shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            shares
        };
        Self {
            columns: shares(sums.columns),
            actions: shares(sums.actions),
            rows: if is_fitting { rows.len() } else { 0 },
        }
    }

    /// The rows of n that it rests on; the shares on the contexts of these alone are the same.
    pub(crate) fn rows(n: usize) -> impl ExactSizeIterator<Item = usize> {
        let count = n.min(MOST_ROWS);
        (0..count).map(move |k| (k as u128 * n as u128 / count.max(1) as u128) as usize)
    }

    /// The shares of the columns of a schema, by their places in it: the sums over their coordinates, largest
    /// first; columns without a split are left out.
    #[must_use]
    pub fn of_columns(&self, schema: &Schema) -> Vec<(usize, f64)> {
        let mut place_of = Vec::with_capacity(schema.inputs());
        for (place, column) in schema.contexts().iter().enumerate() {
            place_of.extend(std::iter::repeat_n(place, column.width()));
        }
        let mut sums = vec![0.0; schema.contexts().len()];
        for (coordinate, share) in &self.columns {
            if let Some(place) = place_of.get(*coordinate as usize) {
                sums[*place] += share;
            }
        }
        let mut shares: Vec<(usize, f64)> =
            sums.into_iter().enumerate().filter(|(_, sum)| *sum > 0.0).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shares
    }
}

struct Sums<'a> {
    contexts: &'a RowMatrix,
    columns: Vec<f64>,
    actions: Vec<f64>,
}

/// The pairs of a node: rows, and actions: all but some of them, or one.
struct Pairs {
    rows: Vec<usize>,
    actions: Actions,
}

#[derive(Clone)]
enum Actions {
    AllBut(Vec<u32>),
    One(u32),
    None,
}

impl Actions {
    fn count(&self, all: usize) -> usize {
        match self {
            Self::AllBut(others) => all - others.len(),
            Self::One(_) => 1,
            Self::None => 0,
        }
    }

    /// Those that are the action, and the others.
    fn split(self, action: u32) -> (Self, Self) {
        match self {
            Self::AllBut(others) if others.contains(&action) => (Self::None, Self::AllBut(others)),
            Self::AllBut(mut others) => {
                others.push(action);
                (Self::One(action), Self::AllBut(others))
            }
            Self::One(own) if own == action => (Self::One(own), Self::None),
            other => (Self::None, other),
        }
    }
}

impl Sums<'_> {
    fn add(&mut self, nodes: &[PairNode], alpha: f64, rows: &[usize], all: usize) {
        let mut reached: Vec<Option<Pairs>> = nodes.iter().map(|_| None).collect();
        // Number and mean of the pairs of every node.
        let mut moments = vec![(0.0, 0.0); nodes.len()];
        if let Some(root) = reached.first_mut() {
            *root = Some(Pairs { rows: rows.to_vec(), actions: Actions::AllBut(Vec::new()) });
        }
        // Children come after their parents.
        for (i, node) in nodes.iter().enumerate() {
            let Some(Pairs { rows, actions }) = reached[i].take() else { continue };
            let count = rows.len() as f64 * actions.count(all) as f64;
            match *node {
                PairNode::Leaf { value } => moments[i] = (count, alpha * value),
                PairNode::Context { below, rest, .. } | PairNode::ContextOrMissing { below, rest, .. } => {
                    moments[i].0 = count;
                    let is_below = |row: &usize| {
                        let x = self.contexts.row(*row);
                        let x = |j: u32| x.and_then(|x| x.get(j as usize)).unwrap_or_default();
                        node.is_below(x) == Some(true)
                    };
                    let (left, right) = rows.into_iter().partition(is_below);
                    reached[below as usize] = Some(Pairs { rows: left, actions: actions.clone() });
                    reached[rest as usize] = Some(Pairs { rows: right, actions });
                }
                PairNode::Action { action, others, this } => {
                    moments[i].0 = count;
                    let (own, rest) = actions.split(action);
                    reached[this as usize] = Some(Pairs { rows: rows.clone(), actions: own });
                    reached[others as usize] = Some(Pairs { rows, actions: rest });
                }
            }
        }
        for (i, node) in nodes.iter().enumerate().rev() {
            let (children, sum) = match *node {
                PairNode::Leaf { .. } => continue,
                PairNode::Context { feature, below, rest, .. }
                | PairNode::ContextOrMissing { feature, below, rest, .. } => {
                    ([below, rest], self.columns.get_mut(feature as usize))
                }
                PairNode::Action { action, others, this } => {
                    ([others, this], self.actions.get_mut(action as usize))
                }
            };
            let [(n, a), (m, b)] = children.map(|child| moments[child as usize]);
            let all = n + m;
            if all > 0.0 {
                moments[i] = (all, (n * a + m * b) / all);
                if let Some(sum) = sum {
                    *sum += n * m / all * (a - b) * (a - b);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;
    use off_policy::{ActionNames, ContextColumn};
    use weak_learners::pairs::PairHypothesis;

    /// A column of labels has the shares of all its labels.
    #[test]
    fn the_share_of_a_column_is_that_of_its_coordinates() {
        let labels = ["a", "b", "c"].map(str::to_owned).to_vec();
        let columns = vec![
            ContextColumn::Number { name: "age".into() },
            ContextColumn::Labels { name: "device".into(), labels },
            ContextColumn::NumberOrMissing { name: "income".into() },
        ];
        let schema = Schema::new(columns, ActionNames::Numbered(2)).unwrap();
        let columns = vec![(5, 0.3), (1, 0.25), (3, 0.25), (9, 0.1)];
        let importance = Importance { columns, actions: Vec::new(), rows: 4 };
        assert_eq!(importance.of_columns(&schema), [(1, 0.5), (2, 0.3)]);
    }

    /// The sums of all splits are the variance of the scores, times the number of pairs.
    #[test]
    fn the_shares_are_those_of_the_variance() {
        let leaf = |value| PairNode::Leaf { value };
        let nodes = vec![
            PairNode::Action { action: 1, others: 1, this: 2 },
            PairNode::Context { feature: 0, threshold: 0.5, below: 3, rest: 4 },
            leaf(5.0),
            leaf(-1.0),
            PairNode::Action { action: 0, others: 5, this: 6 },
            leaf(2.0),
            leaf(0.5),
        ];
        let tree = PairTree::new(2, 3, nodes).unwrap();
        let contexts = RowMatrix::dense(2, vec![0.0, 9.0, 1.0, 9.0, 0.7, 9.0, 0.1, 9.0, 0.6, 9.0]).unwrap();
        let mut sums = Sums { contexts: &contexts, columns: vec![0.0; 2], actions: vec![0.0; 3] };
        sums.add(tree.nodes(), 0.5, &[0, 1, 2, 3, 4], 3);
        let mut scores = Vec::new();
        for x in contexts.iter() {
            let mut of_row = [0.0; 3];
            tree.scores(x, &mut of_row).unwrap();
            scores.extend(of_row.map(|score| 0.5 * score));
        }
        let mean = scores.iter().sum::<f64>() / 15.0;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        let total = sums.columns.iter().chain(&sums.actions).sum::<f64>();
        assert!((total - squares).abs() < 1e-12 * squares, "{total}, {squares}");
        // By hand: 10 pairs of other actions with mean (4·−1 + 3·2 + 3·0.5)/10/2, and 5 pairs of 2.5.
        let others = (3.0 * 2.0 + 3.0 * 0.5 - 4.0) / 20.0;
        assert!((sums.actions[1] - 10.0 * 5.0 / 15.0 * (2.5 - others) * (2.5 - others)).abs() < 1e-12);
        let member = Member { alpha: 0.5, predictor: tree };
        let found = Importance::of(&PolicyEnsemble::of(2, 3, vec![member]).unwrap(), &contexts);
        let shares: f64 = found.columns.iter().chain(&found.actions).map(|(_, share)| share).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        assert_eq!((found.columns[0].0, found.actions[0].0, found.rows), (0, 1, 5));
        assert_eq!(found.columns.len(), 1);
    }
}
