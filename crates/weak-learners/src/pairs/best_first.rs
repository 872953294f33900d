//! Best-first growth, by pruning of the whole tree.

use super::PairNode;
use crate::batch::in_units;
use rows::numeric::exponent_above;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::num::NonZero;

/// Twice the gain of a split, comparable between nodes: a power of two and a fraction in [½, 1), so that no
/// gain is beyond the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TreeGain {
    exponent: i32,
    fraction: f64,
}

impl TreeGain {
    /// Less than any.
    pub(super) const NONE: Self = Self { exponent: i32::MIN, fraction: 0.0 };

    /// value·2^unit; `NONE` unless the value is above 0.
    pub(super) fn new(value: f64, unit: i32) -> Self {
        if value > 0.0 {
            let exponent = exponent_above(value);
            Self { exponent: exponent + unit, fraction: in_units(value, exponent) }
        } else {
            Self::NONE
        }
    }

    /// The gain of a split into sides with these G and H+λ, where 2^unit is the unit of G²/(H+λ).
    ///
    /// With a = H_L+λ, b = H_R+λ, c = H+λ and D = G_L b − G_R a it is (D²c − G²λab)/(ab(a+b)c). For small
    /// whole numbers this is rounded once, so that equal gains are found equal whatever their nodes.
    pub(super) fn of([g_left, g_right]: [f64; 2], [a, b]: [f64; 2], lambda: f64, unit: i32) -> Self {
        let (g, c, d) = (g_left + g_right, a + b - lambda, g_left * b - g_right * a);
        Self::new((d * d * c - g * g * lambda * (a * b)) / (a * b * (a + b) * c), unit)
    }
}

impl Eq for TreeGain {}

impl PartialOrd for TreeGain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TreeGain {
    fn cmp(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then(self.fraction.total_cmp(&other.fraction))
    }
}

/// The value of a node of a tree over pairs as a leaf, and the gain of its split.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitRecord {
    pub(super) value: f64,
    pub(super) gain: TreeGain,
}

impl SplitRecord {
    /// The number of its bytes.
    pub(super) const BYTES: usize = 20;

    /// Its bytes.
    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.value.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.gain.exponent.to_le_bytes());
        bytes[12..].copy_from_slice(&self.gain.fraction.to_le_bytes());
        bytes
    }

    /// The record of such bytes.
    pub(super) fn of_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let part = |from: usize| std::array::from_fn(|k| bytes[from + k]);
        let exponent = i32::from_le_bytes(std::array::from_fn(|k| bytes[8 + k]));
        let [value, fraction] = [0, 12].map(|from| f64::from_le_bytes(part(from)));
        Self { value, gain: TreeGain { exponent, fraction } }
    }
}

/// A node of the pruned tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Kept {
    /// Its place in the whole tree.
    pub(super) node: usize,
    /// The places of its children in the pruned tree; `None` for a leaf.
    pub(super) children: Option<[u32; 2]>,
}

/// The nodes that best-first growth would have made. It always splits the open node of largest gain, until
/// there are `most` leaves. Ties go to the node opened first; of two children that is the one below, or for
/// the other actions.
///
/// The best split of a node does not depend on when it is split. So the whole tree of `nodes` nodes is grown
/// first, children after parents, and `split` returns the children and the gain of a split node. The result
/// keeps the order of the whole tree.
pub(super) fn best_first(
    nodes: usize,
    split: impl Fn(usize) -> Option<([u32; 2], TreeGain)>,
    most: NonZero<u32>,
) -> Vec<Kept> {
    let (mut is_kept, mut is_split) = (vec![false; nodes], vec![false; nodes]);
    let (mut open, mut opened) = (BinaryHeap::new(), 0_u32);
    let mut keep = |node: usize, open: &mut BinaryHeap<_>| {
        is_kept[node] = true;
        if let Some((children, gain)) = split(node) {
            open.push((gain, Reverse(opened), node, children));
        }
        opened += 1;
    };
    keep(0, &mut open);
    for _ in 1..most.get() {
        let Some((_, _, node, children)) = open.pop() else { break };
        is_split[node] = true;
        children.into_iter().for_each(|child| keep(child as usize, &mut open));
    }
    let mut places = vec![0; nodes];
    let mut next = 0_u32;
    for (place, is_kept) in places.iter_mut().zip(&is_kept) {
        *place = next;
        next += u32::from(*is_kept);
    }
    let kept = |node: usize| {
        let split = if is_split[node] { split(node) } else { None };
        Kept { node, children: split.map(|(children, _)| children.map(|child| places[child as usize])) }
    };
    (0..nodes).filter(|node| is_kept[*node]).map(kept).collect()
}

/// The tree over pairs that best-first growth would have made, from the whole one.
pub(super) fn pruned(whole: &[PairNode], records: &[SplitRecord], most: NonZero<u32>) -> Vec<PairNode> {
    let split = |node: usize| whole[node].children().map(|children| (children, records[node].gain));
    let node = |Kept { node, children }: Kept| match children {
        Some(children) => whole[node].with_children(children),
        None => PairNode::Leaf { value: records[node].value },
    };
    best_first(whole.len(), split, most).into_iter().map(node).collect()
}
