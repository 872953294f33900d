//! The tree against a list, its balance, and what it costs.

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
    tree.node(at)
        .map_or(0, |node| 1 + node.children.map(|child| depth(tree, child)).into_iter().max().unwrap_or(0))
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
