//! A split that roundings could have made, looked at before they were made.

use super::grow::Grower;
use super::node::Node;
use super::split::{Question, ScaledGain, Split};
use super::units::Units;
use crate::pairs::{PairRound, PairWeights};

/// Of some pairs G, H and Σ|g| in units of the quanta, but not rounded to them.
#[derive(Debug, Clone, Copy, Default)]
struct Unrounded {
    g: f64,
    h: f64,
    size: f64,
}

impl Unrounded {
    fn add(&mut self, round: &PairRound<'_>, units: Units, i: usize, action: u32) {
        let pair = action as usize * round.examples() + i;
        let h = match round.weights() {
            PairWeights::OfExamples(h) => h[i],
            PairWeights::OfPairs(h) => h[pair],
        };
        let g = units.gradient(round.gradients()[pair]);
        self.g += g;
        self.h += units.weight(h);
        self.size += g.abs();
    }
}

impl Grower<'_> {
    /// Whether a split gains more than the rounding of sums of doubles could make, by g and h as they were given.
    pub(super) fn gains_before_rounding(&self, node: &mut Node<'_>, split: &Split) -> bool {
        let (pairs, view) = (node.pairs(), node.view);
        let mut sides = [Unrounded::default(); 2];
        let mut sum = |side: usize, rows: &[u32], action: u32| {
            for row in rows {
                sides[side].add(self.round, self.quanta.units, view.name(*row), action);
            }
        };
        match split.question {
            Question::Context(cut) => {
                let middle = view.partition(cut, node.rows, node.spare);
                for (side, rows) in [&node.spare[..middle], &node.spare[middle..]].into_iter().enumerate() {
                    node.actions.each(|_, action| sum(side, rows, action));
                }
            }
            Question::Action(k) => {
                node.actions.each(|place, action| sum(usize::from(place == k), node.rows, action));
            }
        }
        let [left, right] = sides;
        let (a, b) = (left.h + self.lambda, right.h + self.lambda);
        let d = left.g * b - right.g * a;
        // A sum of k numbers is off by k roundings of the sum of their sizes at most; and so are a and b.
        let off = (pairs + 8.0) * f64::EPSILON;
        let gain = ScaledGain { g: left.g + right.g, d, a, b, lambda: self.lambda };
        gain.is_above(off * (left.size * b + right.size * a), off * (left.size + right.size), off * (a + b))
    }
}
