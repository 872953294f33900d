//! An ensemble of trees in a form for serving.

use super::BoplError;
use super::ensemble::{Member, PolicyEnsemble};
use super::pass::in_pool;
use off_policy::policies::Scores;
use off_policy::{PolicyError, Schema};
use rayon::prelude::*;
use rows::{Entries, Row, RowMatrix};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use weak_learners::pairs::{PairNode, PairTree};

/// F(x, ·) of a [`PolicyEnsemble`] of trees for serving: the same bits, sooner.
///
/// *How.* The questions about actions are answered when it is made. What remains of a tree is walks that ask
/// about x alone: one for all actions that no question on its way singles out, and one for every action that
/// one does. So a tree costs a context as many walks as actions are singled out on its way, whatever |A|.
/// Eight walks go side by side, so that their waits for memory overlap. The sum of an action that has not
/// been singled out yet is that of all such actions; where there are many actions it is kept once. Every sum
/// has the order of the ensemble, tree by tree, so that it has its bits, in whatever batches rows come.
///
/// *Shapes:* those of the ensemble. *Cost:* O(trees · walks · depth + |A|) and, for more than 32 actions, an
/// addition a tree and action singled out so far, else one a tree and action. The first prediction makes
/// room, which is kept for the next ones; several threads at once make one each. [`is_for_batches`] says for
/// which ensembles it is faster in batches too. *Memory:* 20 bytes a node; room of some 400 KB, or 20 bytes
/// an action where these are more.
///
/// [`is_for_batches`]: Self::is_for_batches
///
/// ```
/// use boosters::bopl::{CompiledEnsemble, Member, PolicyEnsemble};
/// use off_policy::ActionSet;
/// use off_policy::policies::{Argmax, Policy, Scores};
/// use rows::Row;
/// use weak_learners::pairs::{PairNode, PairTree};
/// // Action 1 is worth 2 where x_0 ≥ ½, else −1; every other action nothing.
/// let predictor = PairTree::new(1, 3, vec![
///     PairNode::Action { action: 1, others: 1, this: 2 },
///     PairNode::Leaf { value: 0.0 },
///     PairNode::Context { feature: 0, threshold: 0.5, below: 3, rest: 4 },
///     PairNode::Leaf { value: -1.0 },
///     PairNode::Leaf { value: 2.0 },
/// ])?;
/// let ensemble = PolicyEnsemble::of(1, 3, vec![Member { alpha: 0.5, predictor }])?;
/// let compiled = CompiledEnsemble::new(&ensemble)?;
/// let mut scores = [9.0; 3];
/// compiled.scores(Row::dense(&[0.7])?, &mut scores)?;
/// assert_eq!(scores, [0.0, 1.0, 0.0]);
///
/// // It goes into the policies of `off_policy` as the ensemble does.
/// let policy = Argmax::new(compiled);
/// policy.probabilities(Row::dense(&[0.2])?, ActionSet::all(3)?, &mut scores)?;
/// assert_eq!(scores, [1.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CompiledEnsemble {
    inputs: usize,
    actions: usize,
    schema: Option<Schema>,
    /// The coordinates that are asked about, rising; a node names them by their place here.
    features: Vec<u32>,
    /// Those that are asked about with a side for missing values; their places are behind these.
    optional: Vec<Optional>,
    nodes: Vec<Node>,
    /// Of every node that is a leaf of a walk of several actions, the last fork on the way.
    last_forks: Vec<u32>,
    forks: Vec<Fork>,
    blocks: Vec<Block>,
    /// Room for predictions that nobody uses now.
    idle: Mutex<Vec<Scratch>>,
}

/// x_slot < threshold goes to `child`, else to the node behind it. A leaf is its own child, and its threshold
/// is α·f; it asks about the slot behind the last coordinate, which is NaN and so not at or above anything.
#[derive(Clone, Copy)]
struct Node {
    threshold: f64,
    slot: u32,
    child: u32,
}

/// A coordinate that is beyond every threshold where its value is missing, so that a question about it is one
/// step as any.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Optional {
    /// x_j and its indicator: their coordinates, and their places once these are known.
    feature: u32,
    indicator: u32,
    /// −∞ where the value is missing, or ∞.
    missing_below: bool,
}

/// An action that leaves the others, and where it goes on.
struct Fork {
    action: u32,
    root: u32,
    depth: u32,
    /// The one before on the way; behind a question about x, for those before it are walks of their own.
    before: u32,
}

/// No fork; no place.
const NONE: u32 = u32::MAX;

/// Trees that are walked together.
const TREES: usize = 8;
/// Walks side by side.
const LANES: usize = 8;
/// Steps without a look at whether all lanes have arrived, and those between two looks from then on. Walks of
/// a group have about the same depth, and a branch that is guessed wrong costs as much as several steps.
const UNWATCHED: u32 = 8;
const STRIDE: u32 = 2;
/// More actions than these have a sum for those that have not been singled out.
const FEW: usize = 32;

/// [`TREES`] trees. Of fewer, the others are a leaf −0, which changes no sum.
struct Block {
    /// The walks of all actions that no tree singles out before it asks about x.
    others: Group,
    /// Those of the others, by depth.
    groups: Vec<Group>,
    /// Their trees and actions, [`LANES`] a group.
    named: Vec<(u32, u32)>,
}

/// Walks side by side.
#[derive(Clone, Copy)]
struct Group {
    roots: [u32; LANES],
    depth: u32,
}

impl CompiledEnsemble {
    /// Compiles an ensemble.
    ///
    /// *Cost:* O(nodes · log nodes).
    ///
    /// # Errors
    /// [`BoplError::BadParameter`] for more than 2³⁰ nodes.
    pub fn new(ensemble: &PolicyEnsemble<PairTree>) -> Result<Self, BoplError> {
        let nodes: usize = ensemble.members().iter().map(|member| member.predictor.nodes().len()).sum();
        if nodes > MOST_NODES {
            #[allow(clippy::cast_precision_loss, reason = "for the message")]
            let value = nodes as f64;
            return Err(BoplError::BadParameter { name: "nodes", value, domain: "at most 2³⁰" });
        }
        let mut compiler = Compiler::of(ensemble);
        let blocks = ensemble.members().chunks(TREES).map(|trees| compiler.block(trees)).collect();
        let Compiler { features, mut optional, nodes, last_forks, forks, .. } = compiler;
        for Optional { feature, indicator, .. } in &mut optional {
            for j in [feature, indicator] {
                *j = count(features.partition_point(|other| *other < *j));
            }
        }
        Ok(Self {
            inputs: ensemble.inputs(),
            actions: ensemble.actions(),
            schema: ensemble.schema().cloned(),
            features,
            optional,
            nodes,
            last_forks,
            forks,
            blocks,
            idle: Mutex::default(),
        })
    }

    /// Whether it is also faster than the ensemble where many rows are asked about at once: for more than 8
    /// actions. The ensemble walks eight rows side by side, once an action, and for fewer actions the walks
    /// that are saved are too few.
    #[must_use]
    pub fn is_for_batches(ensemble: &PolicyEnsemble<PairTree>) -> bool {
        ensemble.actions() > 8
    }

    /// Writes the scores of rows of the right dimension.
    fn book<'a>(&self, rows: impl Iterator<Item = Row<'a>>, scores: &mut [f64]) {
        let taken = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = taken.unwrap_or_default();
        scratch.book(self, rows, scores);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// The rows that are walked tree by tree: their coordinates and sums stay in the cache.
    fn tile(&self) -> usize {
        let sums = if self.actions <= FEW { 1 } else { (1 << 14) / self.actions };
        let rows = (1 << 12) / (self.features.len() + self.optional.len()).max(1);
        if self.actions <= FEW { rows.clamp(1, 64) } else { rows.min(sums).clamp(1, 64) }
    }
}

/// The most nodes of an ensemble that is compiled: places are 32 bits.
const MOST_NODES: usize = 1 << 30;

impl Scores for CompiledEnsemble {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        if x.dimension() != self.inputs {
            return Err(PolicyError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        if scores.len() != self.actions {
            let (argument, expected, got) = ("scores", self.actions, scores.len());
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        self.book(std::iter::once(x), scores);
        Ok(())
    }

    /// In tiles of rows, and on the caller's threads.
    fn scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        if contexts.dimension() != self.inputs {
            let (expected, got) = (self.inputs, contexts.dimension());
            return Err(PolicyError::InputDimension { expected, got });
        }
        scores.fill(0.0);
        let rows_from = |from: usize| (from..).map_while(|i| contexts.row(i));
        if in_pool(scores.len()) {
            // As many pairs for many actions as for few.
            let rows = ((1 << 14) / self.actions).clamp(1, 1024);
            scores
                .par_chunks_mut(rows * self.actions)
                .enumerate()
                .for_each(|(k, scores)| self.book(rows_from(from + k * rows), scores));
        } else {
            self.book(rows_from(from), scores);
        }
        Ok(())
    }
}

/// Room for predictions.
#[derive(Default)]
struct Scratch {
    /// The coordinates that are asked about, of every row of a tile.
    x: Vec<f64>,
    singled: Vec<Singled>,
    /// The walks from forks, and their trees.
    walks: Vec<(u32, u32)>,
    table: Vec<f64>,
    sums: Vec<SumsOfRow>,
    changed: Vec<(u32, f64)>,
}

/// What a tree adds to the sum of an action that a question has singled out.
struct Singled {
    tree: u32,
    action: u32,
    value: f64,
}

/// The sums of a row with many actions so far.
#[derive(Default)]
struct SumsOfRow {
    /// That of every action that has not been singled out.
    of_others: f64,
    /// Those of the actions that have been, in their order of appearance.
    sums: Vec<f64>,
    actions: Vec<u32>,
    /// The place of an action among them.
    places: Vec<u32>,
    /// Where the table of the block has the action.
    lines: Vec<u32>,
}

impl Scratch {
    fn book<'a>(
        &mut self,
        compiled: &CompiledEnsemble,
        mut rows: impl Iterator<Item = Row<'a>>,
        scores: &mut [f64],
    ) {
        let (tile, slots) = (compiled.tile(), compiled.features.len() + compiled.optional.len() + 1);
        for scores in scores.chunks_mut(tile * compiled.actions) {
            let mut count = 0;
            self.x.clear();
            // The room first: a row without room stays.
            for (_, x) in scores.chunks_exact(compiled.actions).zip(rows.by_ref()) {
                compiled.append(x, &mut self.x);
                count += 1;
            }
            let Some(scores) = scores.get_mut(..count * compiled.actions) else { return };
            match compiled.actions {
                0..=8 => self.few::<8>(compiled, slots, scores),
                9..=16 => self.few::<16>(compiled, slots, scores),
                17..=FEW => self.few::<FEW>(compiled, slots, scores),
                _ => self.many(compiled, slots, scores),
            }
        }
    }

    /// Sums of all actions, in lines of so many that the compiler knows their length.
    fn few<const WIDTH: usize>(&mut self, compiled: &CompiledEnsemble, slots: usize, scores: &mut [f64]) {
        let actions = compiled.actions;
        scores.fill(0.0);
        for block in &compiled.blocks {
            for (x, scores) in self.x.chunks_exact(slots).zip(scores.chunks_exact_mut(actions)) {
                let of_others = compiled.walk_others(block, x, &mut self.walks);
                let mut table = of_others.map(|value| [value; WIDTH]);
                compiled.walk_singled(block, x, &self.walks, |tree, action, value| {
                    table[tree as usize][action as usize] = value;
                });
                let mut sums = [0.0; WIDTH];
                sums[..actions].copy_from_slice(scores);
                for line in &table {
                    sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += value);
                }
                scores.copy_from_slice(&sums[..actions]);
            }
        }
    }

    /// Sums of the actions that have been singled out, and one of the others.
    fn many(&mut self, compiled: &CompiledEnsemble, slots: usize, scores: &mut [f64]) {
        let actions = compiled.actions;
        let (x, mut sums) = (std::mem::take(&mut self.x), std::mem::take(&mut self.sums));
        let mut walks = std::mem::take(&mut self.walks);
        let rows = scores.len() / actions;
        if sums.len() < rows {
            sums.resize_with(rows, SumsOfRow::default);
        }
        for sums in &mut sums[..rows] {
            sums.places.resize(actions, NONE);
        }
        for block in &compiled.blocks {
            for (x, sums) in x.chunks_exact(slots).zip(&mut sums) {
                let of_others = compiled.walk_others(block, x, &mut walks);
                self.singled.clear();
                compiled.walk_singled(block, x, &walks, |tree, action, value| {
                    self.singled.push(Singled { tree, action, value });
                });
                self.add(sums, &of_others);
            }
        }
        for (scores, sums) in scores.chunks_exact_mut(actions).zip(&mut sums) {
            sums.finish(scores);
        }
        (self.x, self.sums, self.walks) = (x, sums, walks);
    }

    /// Adds what the trees of a block answered.
    fn add(&mut self, row: &mut SumsOfRow, of_others: &[f64; TREES]) {
        self.table.clear();
        self.changed.clear();
        for &Singled { tree, action, value } in &self.singled {
            let mut place = row.places[action as usize];
            if place == NONE {
                place = count(row.sums.len());
                row.places[action as usize] = place;
                row.sums.push(row.of_others);
                row.actions.push(action);
                row.lines.push(NONE);
            }
            let mut line = row.lines[place as usize];
            if line == NONE {
                line = count(self.changed.len());
                row.lines[place as usize] = line;
                self.changed.push((place, row.sums[place as usize]));
                self.table.extend_from_slice(of_others);
            }
            self.table[line as usize * TREES + tree as usize] = value;
        }
        let (chunks, rest) = row.sums.as_chunks_mut::<16>();
        for sums in chunks {
            let mut own = *sums;
            for value in of_others {
                own.iter_mut().for_each(|sum| *sum += value);
            }
            *sums = own;
        }
        for sum in rest.iter_mut().chain([&mut row.of_others]) {
            *sum = of_others.iter().fold(*sum, |sum, value| sum + value);
        }
        for (&(place, before), line) in self.changed.iter().zip(self.table.chunks_exact(TREES)) {
            row.sums[place as usize] = line.iter().fold(before, |sum, value| sum + value);
            row.lines[place as usize] = NONE;
        }
    }
}

impl CompiledEnsemble {
    /// What the trees of a block add to the actions that they do not single out. `walks` are then those of
    /// the actions that left on the ways that were taken, each with its tree.
    fn walk_others(&self, block: &Block, x: &[f64], walks: &mut Vec<(u32, u32)>) -> [f64; TREES] {
        walks.clear();
        let reached = descend(&self.nodes, x, block.others);
        for (tree, place) in (0..).zip(reached) {
            let mut fork = self.last_forks[place as usize];
            while fork != NONE {
                walks.push((fork, tree));
                fork = self.forks[fork as usize].before;
            }
        }
        reached.map(|place| self.nodes[place as usize].threshold)
    }

    /// Calls the function with tree, action and α·f of the actions that are singled out.
    fn walk_singled(
        &self,
        block: &Block,
        x: &[f64],
        walks: &[(u32, u32)],
        mut tell: impl FnMut(u32, u32, f64),
    ) {
        let value = |place: u32| self.nodes[place as usize].threshold;
        for (group, named) in block.groups.iter().zip(block.named.chunks(LANES)) {
            let reached = descend(&self.nodes, x, *group);
            named.iter().zip(reached).for_each(|(&(tree, action), place)| tell(tree, action, value(place)));
        }
        for walks in walks.chunks(LANES) {
            let mut group = Group { roots: [0; LANES], depth: 0 };
            let mut actions = [0; LANES];
            for (lane, (fork, _)) in walks.iter().enumerate() {
                let fork = &self.forks[*fork as usize];
                (group.roots[lane], actions[lane]) = (fork.root, fork.action);
                group.depth = group.depth.max(fork.depth);
            }
            let reached = descend(&self.nodes, x, group);
            for ((&(_, tree), action), place) in walks.iter().zip(actions).zip(reached) {
                tell(tree, action, value(place));
            }
        }
    }
}

impl SumsOfRow {
    /// Writes the scores, and is as new.
    fn finish(&mut self, scores: &mut [f64]) {
        scores.fill(self.of_others);
        for (action, sum) in self.actions.iter().zip(&self.sums) {
            scores[*action as usize] = *sum;
            self.places[*action as usize] = NONE;
        }
        self.of_others = 0.0;
        self.sums.clear();
        self.actions.clear();
        self.lines.clear();
    }
}

impl CompiledEnsemble {
    /// Appends the coordinates that are asked about.
    fn append(&self, x: Row<'_>, coordinates: &mut Vec<f64>) {
        let (features, first) = (&self.features, coordinates.len());
        match x.entries() {
            Entries::Dense(values) => {
                coordinates
                    .extend(features.iter().map(|j| values.get(*j as usize).copied().unwrap_or_default()));
            }
            Entries::Sparse(indices, values) => {
                let start = coordinates.len();
                coordinates.resize(start + features.len(), 0.0);
                let coordinates = &mut coordinates[start..];
                if indices.len() < features.len() {
                    let mut from = 0;
                    for (j, x_j) in indices.iter().zip(values) {
                        from += features[from..].partition_point(|feature| feature < j);
                        if features.get(from) == Some(j) {
                            coordinates[from] = *x_j;
                        }
                    }
                } else {
                    for (coordinate, j) in coordinates.iter_mut().zip(features) {
                        *coordinate = x.get(*j as usize).unwrap_or_default();
                    }
                }
            }
        }
        for Optional { feature, indicator, missing_below } in &self.optional {
            let [x_j, is_missing] = [feature, indicator].map(|place| coordinates[first + *place as usize]);
            let end = if *missing_below { f64::NEG_INFINITY } else { f64::INFINITY };
            coordinates.push(if is_missing >= 0.5 { end } else { x_j });
        }
        coordinates.push(f64::NAN);
    }
}

/// The leaves that the walks from these nodes reach.
#[inline]
fn descend(nodes: &[Node], x: &[f64], Group { roots, depth }: Group) -> [u32; LANES] {
    let step = |place: u32| {
        let node = nodes[place as usize];
        node.child + u32::from(x[node.slot as usize] >= node.threshold)
    };
    let mut places = roots;
    let mut taken = depth.min(UNWATCHED);
    (0..taken).for_each(|_| places = places.map(step));
    while taken < depth {
        let before = places;
        let steps = STRIDE.min(depth - taken);
        (0..steps).for_each(|_| places = places.map(step));
        taken += steps;
        if places == before {
            break;
        }
    }
    places
}

/// Lays out trees.
struct Compiler {
    actions: usize,
    features: Vec<u32>,
    optional: Vec<Optional>,
    nodes: Vec<Node>,
    last_forks: Vec<u32>,
    forks: Vec<Fork>,
}

/// A walk that begins at a root.
struct Strand {
    root: u32,
    depth: u32,
    tree: u32,
    action: u32,
}

impl Compiler {
    fn of(ensemble: &PolicyEnsemble<PairTree>) -> Self {
        let nodes = ensemble.members().iter().flat_map(|member| member.predictor.nodes());
        let (mut features, mut optional) = (Vec::new(), Vec::new());
        for node in nodes {
            match *node {
                PairNode::Context { feature, .. } => features.push(feature),
                PairNode::ContextOrMissing { feature, indicator, missing_below, .. } => {
                    features.extend([feature, indicator]);
                    optional.push(Optional { feature, indicator, missing_below });
                }
                PairNode::Leaf { .. } | PairNode::Action { .. } => {}
            }
        }
        features.sort_unstable();
        features.dedup();
        optional.sort_unstable();
        optional.dedup();
        let mut compiler = Self {
            actions: ensemble.actions(),
            features,
            optional,
            nodes: Vec::new(),
            last_forks: Vec::new(),
            forks: Vec::new(),
        };
        // The first one is for lanes without a walk and blocks with fewer trees.
        compiler.pair();
        compiler
    }

    fn block(&mut self, trees: &[Member<PairTree>]) -> Block {
        // The first node is a leaf −0.
        let mut others = Group { roots: [0; LANES], depth: 0 };
        let mut strands = Vec::new();
        for (tree, Member { alpha, predictor }) in trees.iter().enumerate() {
            let (root, depth) = self.tree(*alpha, predictor.nodes(), count(tree), &mut strands);
            others.roots[tree] = root;
            others.depth = others.depth.max(depth);
        }
        strands.sort_by_key(|strand| strand.depth);
        let groups = strands.chunks(LANES).map(|strands| {
            let mut group = Group { roots: [0; LANES], depth: 0 };
            for (root, strand) in group.roots.iter_mut().zip(strands) {
                *root = strand.root;
                group.depth = group.depth.max(strand.depth);
            }
            group
        });
        let groups = groups.collect();
        Block { others, groups, named: strands.iter().map(|strand| (strand.tree, strand.action)).collect() }
    }

    /// Lays out the walks of a tree: that of the others, whose root and depth it returns, and those of the
    /// actions that are singled out before a question about x.
    fn tree(&mut self, alpha: f64, nodes: &[PairNode], tree: u32, strands: &mut Vec<Strand>) -> (u32, u32) {
        // The actions that have left on the way, and the nodes where those that leave go on.
        let (mut gone, mut at_root, mut behind) = (BTreeSet::new(), Vec::new(), Vec::new());
        let root = self.pair();
        let mut depth = 0;
        let mut tasks = vec![Task::Visit { node: 0, place: root, level: 0, fork: NONE }];
        while let Some(task) = tasks.pop() {
            let (mut node, place, level, mut fork) = match task {
                Task::Return(action) => {
                    gone.remove(&action);
                    continue;
                }
                Task::Visit { node, place, level, fork } => (node, place, level, fork),
            };
            while let PairNode::Action { action, others, this } = nodes[node as usize] {
                node = others;
                if gone.insert(action) {
                    tasks.push(Task::Return(action));
                    if level == 0 {
                        at_root.push((action, this));
                    } else {
                        behind.push((self.forks.len(), action, this));
                        self.forks.push(Fork { action, root: 0, depth: 0, before: fork });
                        fork = count(self.forks.len() - 1);
                    }
                }
            }
            depth = depth.max(level);
            match nodes[node as usize] {
                question @ (PairNode::Context { threshold, below, rest, .. }
                | PairNode::ContextOrMissing { threshold, below, rest, .. })
                    if gone.len() < self.actions =>
                {
                    let child = self.split(place, &question, threshold);
                    let level = level + 1;
                    tasks.push(Task::Visit { node: rest, place: child + 1, level, fork });
                    tasks.push(Task::Visit { node: below, place: child, level, fork });
                }
                PairNode::Leaf { value } => self.leaf(place, alpha * value, fork),
                // Nobody is left.
                _ => self.leaf(place, -0.0, fork),
            }
        }
        for (action, node) in at_root {
            let (root, depth) = self.of_one(alpha, nodes, node, action);
            strands.push(Strand { root, depth, tree, action });
        }
        for (fork, action, node) in behind {
            let (root, depth) = self.of_one(alpha, nodes, node, action);
            let fork = &mut self.forks[fork];
            (fork.root, fork.depth) = (root, depth);
        }
        (root, depth)
    }

    /// The walk of one action from a node on, and its depth.
    fn of_one(&mut self, alpha: f64, nodes: &[PairNode], node: u32, action: u32) -> (u32, u32) {
        let root = self.pair();
        let mut depth = 0;
        let mut tasks = vec![(node, root, 0)];
        while let Some((mut node, place, level)) = tasks.pop() {
            while let PairNode::Action { action: of_this, others, this } = nodes[node as usize] {
                node = if of_this == action { this } else { others };
            }
            depth = depth.max(level);
            match nodes[node as usize] {
                question @ (PairNode::Context { threshold, below, rest, .. }
                | PairNode::ContextOrMissing { threshold, below, rest, .. }) => {
                    let child = self.split(place, &question, threshold);
                    tasks.extend([(rest, child + 1, level + 1), (below, child, level + 1)]);
                }
                PairNode::Leaf { value } => self.leaf(place, alpha * value, NONE),
                PairNode::Action { .. } => {}
            }
        }
        (root, depth)
    }

    /// Room for two nodes, the children of one, or a root.
    fn pair(&mut self) -> u32 {
        let place = count(self.nodes.len());
        for place in [place, place + 1] {
            self.nodes.push(Node { threshold: -0.0, slot: 0, child: 0 });
            self.last_forks.push(NONE);
            self.leaf(place, -0.0, NONE);
        }
        place
    }

    /// Makes a question about x of a node, and room for its children.
    fn split(&mut self, place: u32, question: &PairNode, threshold: f64) -> u32 {
        let child = self.pair();
        let slot = match *question {
            PairNode::ContextOrMissing { feature, indicator, missing_below, .. } => {
                let own = Optional { feature, indicator, missing_below };
                self.features.len() + self.optional.partition_point(|optional| *optional < own)
            }
            PairNode::Context { feature, .. } => self.features.partition_point(|j| *j < feature),
            PairNode::Leaf { .. } | PairNode::Action { .. } => self.features.len() + self.optional.len(),
        };
        self.nodes[place as usize] = Node { threshold, slot: count(slot), child };
        child
    }

    fn leaf(&mut self, place: u32, value: f64, fork: u32) {
        self.nodes[place as usize] =
            Node { threshold: value, slot: count(self.features.len() + self.optional.len()), child: place };
        self.last_forks[place as usize] = fork;
    }
}

/// What is to be laid out.
enum Task {
    /// This node, at this place.
    Visit { node: u32, place: u32, level: u32, fork: u32 },
    /// All nodes behind the one where this action left have been.
    Return(u32),
}

/// Counts are below 2³² where [`MOST_NODES`] is kept.
fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}

impl fmt::Debug for CompiledEnsemble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { inputs, actions, nodes, .. } = self;
        f.debug_struct("CompiledEnsemble")
            .field("inputs", inputs)
            .field("actions", actions)
            .field("nodes", &nodes.len())
            .finish_non_exhaustive()
    }
}
