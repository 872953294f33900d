//! The gaps on one side of 0, in a balanced tree with their Hedge weights.

use crate::online::dartboard::exact;

/// A gap, and the seen value at its upper end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gap {
    /// ∞ for the last gap above 0.
    pub(crate) value: f64,
    /// Σ y_t over the rounds with the value, or with one counted as it.
    pub(crate) sum: i64,
    /// The prior mass is e^(−cost).
    pub(crate) cost: f64,
    pub(crate) run: i64,
}

/// Gaps g = 0, 1, … in ascending order, at least one. With P_g the sum over the values below gap g, the stump
/// of polarity + in it has the gain B − 2P_g and the one of polarity − its negative, where B is the caller's.
///
/// *Cost:* O(log n) to find, to count and, on average, to insert; masses are computed lazily.
#[derive(Debug, Clone)]
pub(crate) struct GapTree {
    nodes: Vec<Node>,
    root: u32,
    /// The η of the masses.
    eta: f64,
    /// Working memory of a rebuild.
    order: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    gap: Gap,
    children: [u32; 2],
    size: u32,
    /// Σ of the sums.
    total: i64,
    largest_cost: f64,
    /// The masses of polarity + and −.
    masses: [Mass; 2],
    is_stale: bool,
}

/// An expert found by its share, and the distances of the share from the masses before and after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    /// Two a gap.
    pub(crate) expert: usize,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

const NONE: u32 = u32::MAX;
/// The gain of either polarity for a unit of P.
const GAINS: [i64; 2] = [-2, 2];

impl GapTree {
    /// The tree of ascending gaps, at least one.
    pub(crate) fn new(gaps: impl IntoIterator<Item = Gap>) -> Self {
        let mut tree = Self { nodes: Vec::new(), root: NONE, eta: f64::NAN, order: Vec::new() };
        tree.nodes.extend(gaps.into_iter().map(Node::of));
        let mut order: Vec<u32> = (0..NONE).take(tree.nodes.len()).collect();
        tree.root = tree.build(&order);
        order.clear();
        tree.order = order;
        tree
    }

    pub(crate) fn len(&self) -> usize {
        self.size(self.root)
    }

    /// Σ of all sums.
    pub(crate) fn total(&self) -> i64 {
        self.node(self.root).map_or(0, |node| node.total)
    }

    /// The first gap of value at least v; the number of gaps if there is none.
    pub(crate) fn first_from(&self, v: f64) -> usize {
        let (mut at, mut before) = (self.root, 0);
        while let Some(node) = self.node(at) {
            step();
            if node.gap.value < v {
                before += self.size(node.children[0]) + 1;
                at = node.children[1];
            } else {
                at = node.children[0];
            }
        }
        before
    }

    /// Gap g.
    pub(crate) fn get(&self, g: usize) -> Option<&Gap> {
        let (mut at, mut g) = (self.root, g);
        while let Some(node) = self.node(at) {
            step();
            let left = self.size(node.children[0]);
            if g == left {
                return Some(&node.gap);
            }
            at = node.children[usize::from(g > left)];
            g -= if g > left { left + 1 } else { 0 };
        }
        None
    }

    /// Adds to the sum of the value of gap g.
    pub(crate) fn count(&mut self, g: usize, y: i64) {
        self.change(g, y, |gap| gap.sum += y);
    }

    /// Replaces gap g by two gaps.
    pub(crate) fn split(&mut self, g: usize, [lower, upper]: [Gap; 2]) {
        self.change(g, 0, |gap| *gap = upper);
        let new = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        if new == NONE {
            // No stream is that long.
            return;
        }
        self.nodes.push(Node::of(lower));
        // The highest unbalanced node.
        let (mut uneven, mut parent) = (None, None);
        let (mut at, mut g) = (self.root, g);
        while at != NONE {
            step();
            let left = self.size(self.nodes[at as usize].children[0]);
            let side = usize::from(g > left);
            g -= if side == 1 { left + 1 } else { 0 };
            let node = &mut self.nodes[at as usize];
            (node.size, node.is_stale) = (node.size + 1, true);
            let child = node.children[side];
            let larger = u64::from(self.nodes.get(child as usize).map_or(0, |child| child.size)) + 1;
            if uneven.is_none() && 10 * larger > 7 * u64::from(self.nodes[at as usize].size) + 10 {
                uneven = Some((at, parent));
            }
            parent = Some((at, side));
            at = child;
        }
        self.attach(parent, new);
        if let Some((at, parent)) = uneven {
            let mut order = std::mem::take(&mut self.order);
            self.list(at, &mut order);
            let rebuilt = self.build(&order);
            self.attach(parent, rebuilt);
            order.clear();
            self.order = order;
        }
    }

    /// Visits all gaps in ascending order, each with P_g.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&Gap, i64)) {
        let mut below = 0;
        self.visit(self.root, &mut |gap| {
            visit(gap, below);
            below += gap.sum;
        });
    }

    /// Updates the masses for this η.
    pub(crate) fn refresh(&mut self, eta: f64) {
        if self.eta.to_bits() != eta.to_bits() {
            self.eta = eta;
            self.nodes.iter_mut().for_each(|node| node.is_stale = true);
        }
        self.refresh_below(self.root);
    }

    /// The gain and the cost of the heaviest expert of either polarity, where B is this.
    pub(crate) fn heaviest(&self, base: i64) -> [(i64, f64); 2] {
        let masses = self.node(self.root).map_or([Mass::NONE; 2], |node| node.masses);
        [0, 1].map(|k| (gain(k, base, masses[k].below), masses[k].cost))
    }

    pub(crate) fn largest_cost(&self) -> f64 {
        self.node(self.root).map_or(0.0, |node| node.largest_cost)
    }

    /// The weight of all experts.
    pub(crate) fn weight(&self, base: i64, unit: Unit) -> f64 {
        self.weight_below(self.root, base, unit)
    }

    /// The expert, two a gap with polarity + first, at which the cumulated weights first exceed `share`.
    pub(crate) fn find(&self, share: f64, base: i64, unit: Unit) -> Option<Found> {
        let (mut at, mut before, mut base, mut first) = (self.root, 0.0, base, 0);
        while let Some(node) = self.node(at) {
            step();
            let [left, right] = node.children;
            let of_left = self.weight_below(left, base, unit);
            if share < before + of_left {
                at = left;
                continue;
            }
            before += of_left;
            base -= 2 * self.node(left).map_or(0, |left| left.total);
            first += self.size(left);
            for k in 0..2 {
                let after = before + unit.weight(gain(k, base, 0), node.gap.cost);
                if share < after {
                    return Some(Found { expert: 2 * first + k, before, after });
                }
                before = after;
            }
            base -= 2 * node.gap.sum;
            first += 1;
            at = right;
        }
        None
    }

    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    fn size(&self, at: u32) -> usize {
        self.node(at).map_or(0, |node| node.size as usize)
    }

    /// Changes gap g, and adds to its sum.
    fn change(&mut self, g: usize, more: i64, act: impl FnOnce(&mut Gap)) {
        let (mut at, mut g) = (self.root, g);
        while at != NONE {
            step();
            let left = self.size(self.nodes[at as usize].children[0]);
            let node = &mut self.nodes[at as usize];
            (node.total, node.is_stale) = (node.total + more, true);
            if g == left {
                return act(&mut node.gap);
            }
            at = node.children[usize::from(g > left)];
            g -= if g > left { left + 1 } else { 0 };
        }
    }

    fn attach(&mut self, parent: Option<(u32, usize)>, child: u32) {
        match parent {
            Some((parent, side)) => self.nodes[parent as usize].children[side] = child,
            None => self.root = child,
        }
    }

    fn list(&self, at: u32, order: &mut Vec<u32>) {
        if let Some(node) = self.node(at) {
            step();
            self.list(node.children[0], order);
            order.push(at);
            self.list(node.children[1], order);
        }
    }

    /// A balanced tree of nodes in their order.
    fn build(&mut self, order: &[u32]) -> u32 {
        let (before, rest) = order.split_at(order.len() / 2);
        let Some((at, after)) = rest.split_first() else { return NONE };
        step();
        let children = [self.build(before), self.build(after)];
        let below = children.map(|child| self.node(child).map_or((0, 0), |node| (node.size, node.total)));
        let node = &mut self.nodes[*at as usize];
        node.children = children;
        node.size = below[0].0 + below[1].0 + 1;
        node.total = below[0].1 + below[1].1 + node.gap.sum;
        node.is_stale = true;
        *at
    }

    fn visit(&self, at: u32, visit: &mut impl FnMut(&Gap)) {
        if let Some(node) = self.node(at) {
            step();
            self.visit(node.children[0], visit);
            visit(&node.gap);
            self.visit(node.children[1], visit);
        }
    }

    fn refresh_below(&mut self, at: u32) {
        let Some(node) = self.node(at).copied().filter(|node| node.is_stale) else { return };
        step();
        node.children.into_iter().for_each(|child| self.refresh_below(child));
        let [left, right] = node.children.map(|child| self.node(child));
        let before = left.map_or(0, |left| left.total);
        let masses = [0, 1].map(|k| {
            let own = Mass { below: before, cost: node.gap.cost, sum: 1.0 };
            let own = left.map_or(own, |left| left.masses[k].and(own, GAINS[k], self.eta));
            let later = |right: &Node| Mass {
                below: right.masses[k].below + before + node.gap.sum,
                ..right.masses[k]
            };
            right.map_or(own, |right| own.and(later(right), GAINS[k], self.eta))
        });
        let of = |child: Option<&Node>| child.map_or(0.0, |child| child.largest_cost);
        let largest_cost = node.gap.cost.abs().max(of(left)).max(of(right));
        let node = &mut self.nodes[at as usize];
        (node.masses, node.largest_cost, node.is_stale) = (masses, largest_cost, false);
    }

    fn weight_below(&self, at: u32, base: i64, unit: Unit) -> f64 {
        let Some(node) = self.node(at) else { return 0.0 };
        let weight = |k: usize| {
            let mass = node.masses[k];
            mass.sum * unit.weight(gain(k, base, mass.below), mass.cost)
        };
        weight(0) + weight(1)
    }
}

/// The gain of polarity + or −.
fn gain(polarity: usize, base: i64, below: i64) -> i64 {
    let plus = base - 2 * below;
    if polarity == 0 { plus } else { -plus }
}

impl Node {
    fn of(gap: Gap) -> Self {
        Self {
            gap,
            children: [NONE; 2],
            size: 1,
            total: gap.sum,
            largest_cost: 0.0,
            masses: [Mass::NONE; 2],
            is_stale: true,
        }
    }
}

/// Counts the visited nodes, in tests.
fn step() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

#[cfg(test)]
thread_local! {
    /// The number of nodes visited on this thread.
    pub(crate) static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Σ e^(ηG − cost) over some experts, in terms of the heaviest of them.
#[derive(Debug, Clone, Copy)]
struct Mass {
    /// P of the heaviest, counted from the first gap of the subtree.
    below: i64,
    cost: f64,
    sum: f64,
}

/// The unit of weights: e^(ηG − cost) of some expert.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) eta: f64,
    pub(crate) gain: i64,
    pub(crate) cost: f64,
}

impl Unit {
    /// The weight of an expert in this unit.
    pub(crate) fn weight(self, gain: i64, cost: f64) -> f64 {
        (self.eta * difference(gain, self.gain) - (cost - self.cost)).exp()
    }
}

impl Mass {
    const NONE: Self = Self { below: 0, cost: 0.0, sum: 0.0 };

    /// The sum of both masses, where `gain` is the gain of a unit of P.
    fn and(self, other: Self, gain: i64, eta: f64) -> Self {
        let heavier = eta * exact(gain * (other.below - self.below)) - (other.cost - self.cost);
        if heavier > 0.0 {
            Self { sum: other.sum + self.sum * (-heavier).exp(), ..other }
        } else {
            Self { sum: self.sum + other.sum * heavier.exp(), ..self }
        }
    }
}

/// A difference of gains; rounded beyond 2^53.
#[allow(clippy::cast_precision_loss, reason = "see above")]
fn difference(a: i64, b: i64) -> f64 {
    match a.checked_sub(b) {
        Some(difference) => exact(difference),
        None => a as f64 - b as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gap(value: f64, sum: i64) -> Gap {
        Gap { value, sum, cost: 0.5 + value.abs().min(9.0) / 4.0, run: 1 }
    }

    fn listed(tree: &GapTree) -> Vec<(Gap, i64)> {
        let mut gaps = Vec::new();
        tree.for_each(|gap, below| gaps.push((*gap, below)));
        gaps
    }

    fn depth(tree: &GapTree, at: u32) -> u32 {
        tree.node(at).map_or(0, |node| {
            1 + node.children.map(|child| depth(tree, child)).into_iter().max().unwrap_or(0)
        })
    }

    proptest! {
        /// Against a list; and the weights of a tree that was asked in between are those of one that was not.
        #[test]
        fn it_is_a_list(acts in prop::collection::vec((0_usize..1000, -2_i64..3, any::<bool>()), 1..120), base in -40_i64..40) {
            let mut tree = GapTree::new([gap(1e9, 0)]);
            let mut list = vec![gap(1e9, 0)];
            let eta = 0.3;
            for (k, (place, y, is_new)) in acts.into_iter().enumerate() {
                let g = place % list.len();
                if is_new {
                    let below = if g == 0 { -1e9 } else { list[g - 1].value };
                    let (lower, upper) = (gap(f64::midpoint(below, list[g].value), 0), list[g]);
                    tree.split(g, [lower, upper]);
                    list.insert(g, lower);
                } else {
                    tree.count(g, y);
                    list[g].sum += y;
                }
                if k % 7 == 0 {
                    tree.refresh(eta);
                }
            }
            let mut below = 0;
            let expected: Vec<(Gap, i64)> = list.iter().map(|gap| { below += gap.sum; (*gap, below - gap.sum) }).collect();
            prop_assert_eq!(listed(&tree), expected.clone());
            prop_assert_eq!((tree.len(), tree.total()), (list.len(), below));
            for (g, gap) in list.iter().enumerate() {
                prop_assert_eq!(tree.get(g), Some(gap));
                prop_assert_eq!(tree.first_from(gap.value), g);
            }
            tree.refresh(eta);
            let unit = Unit { eta, gain: 3, cost: 1.0 };
            let weights: Vec<f64> = expected.iter().flat_map(|(gap, below)| {
                let gain = base - 2 * below;
                [unit.weight(gain, gap.cost), unit.weight(-gain, gap.cost)]
            }).collect();
            let all: f64 = weights.iter().sum();
            prop_assert!((tree.weight(base, unit) / all - 1.0).abs() < 1e-12);
            let mut before = 0.0;
            for (expert, weight) in weights.iter().enumerate() {
                if *weight > 1e-9 * all {
                    let found = tree.find(before + 0.5 * weight, base, unit).unwrap();
                    prop_assert_eq!(found.expert, expert);
                    prop_assert!((found.before - before).abs() < 1e-12 * all);
                    prop_assert!((found.after - before - weight).abs() < 1e-12 * all);
                }
                before += weight;
            }
            prop_assert_eq!(tree.find(all * 1.001, base, unit), None);
        }
    }

    /// Rising, falling, and into the middle from both sides.
    #[test]
    fn it_is_balanced_and_cheap_in_any_order() {
        for order in 0..3_u32 {
            let mut tree = GapTree::new([gap(f64::INFINITY, 0)]);
            STEPS.set(0);
            for k in 0..16_384_usize {
                let g = [tree.len() - 1, 0, k.div_ceil(2)][order as usize];
                let upper = *tree.get(g).unwrap();
                tree.split(g, [gap(0.0, 0), upper]);
            }
            assert!(depth(&tree, tree.root) <= 32, "order {order}: {}", depth(&tree, tree.root));
            let a_split = STEPS.get() / 16_384;
            assert!(a_split < 200, "order {order}: {a_split}");
        }
    }
}
