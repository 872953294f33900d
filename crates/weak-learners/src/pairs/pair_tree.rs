//! A tree over [x ; one-hot(a)], of any learner.

use super::PairHypothesis;
use super::contract::beyond;
use crate::LearnerError;
use rows::{Entries, Row, RowMatrix};
use serde::{Deserialize, Serialize};

/// The most actions that an action set may have.
const MOST_ACTIONS: usize = 1 << 24;

/// A binary tree whose splits ask x_j < θ or "is the action a?": the trees of \[L23, Appendix F.5\], which
/// see a pair as the row \[x ; one-hot(a)\]. A split on x may have a side for rows without x_j.
///
/// *Shapes:* f: R^m × {0, …, |A|−1} → R, |A| ≤ 2²⁴. *Cost:* a walk an action; the questions about actions
/// that stand above every question about x are answered when the tree is made. *Memory:* O(nodes), whatever
/// |A|.
///
/// ```
/// use rows::Row;
/// use weak_learners::pairs::{PairHypothesis, PairNode, PairTree};
/// // Action 1 is worth 2 where x_0 ≥ ½, else −1; every other action nothing.
/// let tree = PairTree::new(1, 3, vec![
///     PairNode::Action { action: 1, others: 1, this: 2 },
///     PairNode::Leaf { value: 0.0 },
///     PairNode::Context { feature: 0, threshold: 0.5, below: 3, rest: 4 },
///     PairNode::Leaf { value: -1.0 },
///     PairNode::Leaf { value: 2.0 },
/// ])?;
/// let mut scores = [9.0; 3];
/// tree.scores(Row::dense(&[0.5])?, &mut scores)?;
/// assert_eq!(scores, [0.0, 2.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct PairTree {
    parts: Parts,
    /// For every action split off above all splits on x, in order, the first node on its path that is not a
    /// split on the action; and that node for all other actions.
    entrances: Vec<(u32, u32)>,
    entrance_of_others: u32,
}

/// A node; the root comes first, and children after their parent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairNode {
    /// f(x, a) = value.
    Leaf {
        /// The answer.
        value: f64,
    },
    /// x_feature < threshold goes to `below`, else to `rest`.
    Context {
        /// j.
        feature: u32,
        /// θ.
        threshold: f64,
        /// The child for x_j < θ.
        below: u32,
        /// The other child.
        rest: u32,
    },
    /// The same where x_feature is there, which is where x_indicator < ½. Where it is missing, the row goes
    /// to `below` or to `rest`, as `missing_below` says.
    ContextOrMissing {
        /// j.
        feature: u32,
        /// θ.
        threshold: f64,
        /// The coordinate that is 1 where x_j is missing, and 0 elsewhere.
        indicator: u32,
        /// Whether rows without x_j go to `below`.
        missing_below: bool,
        /// The child for x_j < θ.
        below: u32,
        /// The other child.
        rest: u32,
    },
    /// The pairs of one action go to `this`, all others to `others`.
    Action {
        /// a.
        action: u32,
        /// The child for every other action.
        others: u32,
        /// The child for a.
        this: u32,
    },
}

/// A value is missing where its indicator is not below this.
const IS_MISSING: f64 = 0.5;

impl PairNode {
    /// The children: `below` and `rest`, or `others` and `this`; `None` of a leaf.
    #[must_use]
    pub fn children(&self) -> Option<[u32; 2]> {
        match *self {
            Self::Leaf { .. } => None,
            Self::Context { below, rest, .. } | Self::ContextOrMissing { below, rest, .. } => {
                Some([below, rest])
            }
            Self::Action { others, this, .. } => Some([others, this]),
        }
    }

    /// The same question with other children; a leaf stays as it is.
    pub(super) fn with_children(mut self, [first, second]: [u32; 2]) -> Self {
        match &mut self {
            Self::Leaf { .. } => {}
            Self::Context { below, rest, .. } | Self::ContextOrMissing { below, rest, .. } => {
                (*below, *rest) = (first, second);
            }
            Self::Action { others, this, .. } => (*others, *this) = (first, second),
        }
        self
    }

    /// Whether a row, whose x_j `x` gives, goes to the first child of a question about x; `None` of another
    /// node.
    #[must_use]
    #[inline]
    pub fn is_below(&self, x: impl Fn(u32) -> f64) -> Option<bool> {
        match *self {
            Self::Context { feature, threshold, .. } => Some(x(feature) < threshold),
            Self::ContextOrMissing { feature, threshold, indicator, missing_below, .. } => {
                Some(if x(indicator) >= IS_MISSING { missing_below } else { x(feature) < threshold })
            }
            Self::Leaf { .. } | Self::Action { .. } => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    inputs: usize,
    actions: usize,
    nodes: Vec<PairNode>,
}

impl PairTree {
    /// The tree of these nodes, from the root on.
    ///
    /// # Errors
    /// [`LearnerError::Empty`] without inputs, actions or nodes; [`LearnerError::BadParameter`] for more than
    /// 2²⁴ actions, and for nodes that are not a tree: a leaf that is not finite, a feature, action or child
    /// out of range, a child before its parent or of two parents.
    pub fn new(inputs: usize, actions: usize, nodes: Vec<PairNode>) -> Result<Self, LearnerError> {
        Parts { inputs, actions, nodes }.try_into()
    }

    /// The nodes, root first; children come after their parent.
    #[must_use]
    pub fn nodes(&self) -> &[PairNode] {
        &self.parts.nodes
    }

    /// The number of leaves.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.nodes().iter().filter(|node| matches!(node, PairNode::Leaf { .. })).count()
    }
}

impl PairHypothesis for PairTree {
    fn inputs(&self) -> usize {
        self.parts.inputs
    }

    fn actions(&self) -> usize {
        self.parts.actions
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), LearnerError> {
        self.answer(x, scores, |score, f| *score = f)
    }

    fn add_scores(&self, x: Row<'_>, alpha: f64, scores: &mut [f64]) -> Result<(), LearnerError> {
        self.answer(x, scores, |score, f| *score += alpha * f)
    }

    fn score(&self, x: Row<'_>, action: usize) -> Result<f64, LearnerError> {
        if x.dimension() != self.inputs() {
            return Err(LearnerError::InputDimension { expected: self.inputs(), got: x.dimension() });
        }
        let a =
            u32::try_from(action).ok().filter(|_| action < self.actions()).ok_or_else(|| beyond(action))?;
        let own = self.entrances.binary_search_by_key(&a, |(action, _)| *action);
        let entrance = own.map_or(self.entrance_of_others, |k| self.entrances[k].1);
        Ok(self.walk(x, a, entrance))
    }

    fn add_scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        alpha: f64,
        scores: &mut [f64],
    ) -> Result<(), LearnerError> {
        if contexts.dimension() != self.inputs() {
            let (expected, got) = (self.inputs(), contexts.dimension());
            return Err(LearnerError::InputDimension { expected, got });
        }
        let mut rows = (from..).map_while(|i| contexts.row(i));
        for scores in scores.chunks_mut(LANES * self.actions()) {
            let count = scores.len() / self.actions();
            let mut lanes = [None; LANES];
            lanes.iter_mut().take(count).for_each(|lane| *lane = rows.next());
            let dense = lanes.map(|lane| match lane.map(|x| x.entries()) {
                Some(Entries::Dense(values)) => Some(values),
                _ => None,
            });
            match dense {
                [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] => {
                    let lanes = [a, b, c, d, e, f, g, h];
                    self.add_side_by_side(|lane, j| lanes[lane][j], alpha, scores);
                }
                _ => {
                    for (x, scores) in lanes.iter().flatten().zip(scores.chunks_exact_mut(self.actions())) {
                        self.add_scores(*x, alpha, scores)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The rows that walk side by side: a walk waits for memory at every step, and the waits overlap.
const LANES: usize = 8;

impl PairTree {
    /// Walks for every action, and calls the function with its score and f(x, a).
    fn answer(
        &self,
        x: Row<'_>,
        scores: &mut [f64],
        book: impl Fn(&mut f64, f64),
    ) -> Result<(), LearnerError> {
        if x.dimension() != self.inputs() {
            return Err(LearnerError::InputDimension { expected: self.inputs(), got: x.dimension() });
        }
        if scores.len() != self.actions() {
            let (expected, got) = (self.actions(), scores.len());
            return Err(LearnerError::LengthMismatch { argument: "scores", expected, got });
        }
        for ((a, entrance), score) in self.entrances().zip(scores) {
            book(score, self.walk(x, a, entrance));
        }
        Ok(())
    }

    /// f of a row whose x_j `x` gives, for action 0: of a tree with one action, such as one over candidates.
    /// `x` is asked for j below the number of inputs only.
    #[inline]
    pub fn value_of(&self, x: impl Fn(usize) -> f64) -> f64 {
        let mut node = 0;
        loop {
            match self.parts.nodes[node as usize] {
                PairNode::Leaf { value } => return value,
                PairNode::Context { feature, threshold, below, rest } => {
                    node = if x(feature as usize) < threshold { below } else { rest };
                }
                question @ PairNode::ContextOrMissing { below, rest, .. } => {
                    let is_below = question.is_below(|j| x(j as usize)) == Some(true);
                    node = if is_below { below } else { rest };
                }
                PairNode::Action { action, others, this } => {
                    node = if action == 0 { this } else { others };
                }
            }
        }
    }

    /// The value of the leaf that a pair reaches from a node.
    fn walk(&self, x: Row<'_>, a: u32, mut node: u32) -> f64 {
        loop {
            match self.parts.nodes[node as usize] {
                PairNode::Leaf { value } => return value,
                PairNode::Context { feature, threshold, below, rest } => {
                    let x_j = x.get(feature as usize).unwrap_or_default();
                    node = if x_j < threshold { below } else { rest };
                }
                question @ PairNode::ContextOrMissing { below, rest, .. } => {
                    let x = |j: u32| x.get(j as usize).unwrap_or_default();
                    node = if question.is_below(x) == Some(true) { below } else { rest };
                }
                PairNode::Action { action, others, this } => {
                    node = if a == action { this } else { others };
                }
            }
        }
    }
}

impl PairTree {
    /// The entrances of actions 0, 1, ….
    pub(super) fn entrances(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut entrances = self.entrances.iter().peekable();
        (0_u32..).map(move |a| {
            let own = entrances.next_if(|(action, _)| *action == a);
            (a, own.map_or(self.entrance_of_others, |(_, node)| *node))
        })
    }

    /// Adds α·f of as many rows as there are lanes, whose x_j `x` gives.
    fn add_side_by_side(&self, x: impl Fn(usize, usize) -> f64, alpha: f64, scores: &mut [f64]) {
        let actions = self.actions();
        for ((a, entrance), column) in self.entrances().zip(0..actions) {
            let mut places = [entrance; LANES];
            let mut walking = (1_u32 << LANES) - 1;
            while walking != 0 {
                for (lane, place) in places.iter_mut().enumerate() {
                    match self.parts.nodes[*place as usize] {
                        PairNode::Leaf { .. } => walking &= !(1 << lane),
                        PairNode::Context { feature, threshold, below, rest } => {
                            *place = if x(lane, feature as usize) < threshold { below } else { rest };
                        }
                        question @ PairNode::ContextOrMissing { below, rest, .. } => {
                            let is_below = question.is_below(|j| x(lane, j as usize)) == Some(true);
                            *place = if is_below { below } else { rest };
                        }
                        PairNode::Action { action, others, this } => {
                            *place = if a == action { this } else { others };
                        }
                    }
                }
            }
            for (place, scores) in places.iter().zip(scores.chunks_exact_mut(actions)) {
                if let PairNode::Leaf { value } = self.parts.nodes[*place as usize] {
                    scores[column] += alpha * value;
                }
            }
        }
    }
}

impl From<PairTree> for Parts {
    fn from(tree: PairTree) -> Self {
        tree.parts
    }
}

impl TryFrom<Parts> for PairTree {
    type Error = LearnerError;

    fn try_from(parts: Parts) -> Result<Self, LearnerError> {
        let Parts { inputs, actions, ref nodes } = parts;
        for (argument, count) in [("tree", nodes.len()), ("inputs", inputs), ("actions", actions)] {
            if count == 0 {
                return Err(LearnerError::Empty { argument });
            }
        }
        // The number of actions may come from a damaged file.
        if actions > MOST_ACTIONS {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = actions as f64;
            return Err(LearnerError::BadParameter {
                name: "actions", value, domain: "1 ≤ |A| ≤ 2²⁴"
            });
        }
        let mut parents = vec![0u32; nodes.len()];
        let mut sound = true;
        for (i, node) in nodes.iter().enumerate() {
            let children = match *node {
                PairNode::Leaf { value } => {
                    sound &= value.is_finite();
                    continue;
                }
                PairNode::Context { feature, threshold, below, rest } => {
                    sound &= (feature as usize) < inputs && threshold.is_finite();
                    [below, rest]
                }
                PairNode::ContextOrMissing { feature, threshold, indicator, below, rest, .. } => {
                    sound &= (feature as usize) < inputs && (indicator as usize) < inputs;
                    sound &= feature != indicator && threshold.is_finite();
                    [below, rest]
                }
                PairNode::Action { action, others, this } => {
                    sound &= (action as usize) < actions;
                    [others, this]
                }
            };
            for child in children {
                match parents.get_mut(child as usize) {
                    Some(count) if child as usize > i => *count = count.saturating_add(1),
                    _ => sound = false,
                }
            }
        }
        // Children come after their parent, so the root is no child.
        let orphan = (1..nodes.len()).find(|i| parents[*i] != 1);
        if orphan.is_some() || !sound {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = orphan.unwrap_or_default() as f64;
            let domain =
                "finite leaves, and splits of what is there with two nodes behind, each the child of one";
            return Err(LearnerError::BadParameter { name: "node", value, domain });
        }
        let entrance = |a: u32, mut node: u32| {
            while let PairNode::Action { action, others, this } = nodes[node as usize] {
                node = if a == action { this } else { others };
            }
            node
        };
        let (mut entrances, mut entrance_of_others) = (Vec::new(), 0);
        while let PairNode::Action { action, others, this } = nodes[entrance_of_others as usize] {
            entrances.push((action, entrance(action, this)));
            entrance_of_others = others;
        }
        // An action asked for twice has left the first time.
        entrances.sort_by_key(|(action, _)| *action);
        entrances.dedup_by_key(|(action, _)| *action);
        Ok(Self { parts, entrances, entrance_of_others })
    }
}
