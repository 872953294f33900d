//! What a round costs on several machines, by a model with four constants.
//!
//! With R ranks and P = n·|A| pairs, a rank computes P·`pair`/R. It sends m messages of
//! `latency`·⌈log2 R⌉ each, and b bytes of `byte` each:
//!
//! - m = [`FIXED`] + 4·K for the K nodes of the top: the rows of the smaller child, its bins, the best cuts,
//!   and the sums of the actions;
//! - b = K·(8·cells + 80 + 16·(|A| − 1)) for the top, n/R·(1 − 1/R)·(groups + 16·|A|) for the subtrees,
//!   and 50·(1 − 1/R) bytes a leaf for their nodes. The bytes of subtrees are packed and unpacked, at `pack`
//!   each.
//!
//! K is the number of subtrees less one: about 1.5 for each part of the pairs that a node may keep, and no
//! more than the tree has leaves.

/// A log and its trees.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// n.
    pub rows: f64,
    /// |A|.
    pub actions: f64,
    /// Bytes of bins a row.
    pub groups: f64,
    /// Cells of a histogram.
    pub cells: f64,
    /// Leaves of a tree.
    pub leaves: f64,
}

/// The constants of machines and of what connects them, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// A pair in a round, by all threads of a rank.
    pub pair: f64,
    /// A byte that is packed on one rank and unpacked on another.
    pub pack: f64,
    /// A message of one number.
    pub latency: f64,
    /// A byte on its way.
    pub byte: f64,
}

/// The seconds of a round by what they go into, and what a rank sends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// Work on the rank's own pairs.
    pub compute: f64,
    /// Messages that wait for each other.
    pub latency: f64,
    /// Bytes on their way, and packing.
    pub transfer: f64,
    /// Messages a rank.
    pub messages: f64,
    /// Bytes a rank.
    pub bytes: f64,
}

/// The messages of a round outside the nodes of its tree.
pub const FIXED: f64 = 20.0;

impl Round {
    /// The round of a log on so many ranks.
    #[must_use]
    pub fn of(Shape { rows, actions, groups, cells, leaves }: Shape, rates: Rates, ranks: f64) -> Self {
        let pairs = rows * actions;
        let compute = pairs * rates.pair / ranks;
        if ranks <= 1.0 {
            return Self { compute, latency: 0.0, transfer: 0.0, messages: 0.0, bytes: 0.0 };
        }
        let parts = (64.0 / ranks).clamp(4.0, 16.0);
        let nodes = (1.5 * parts * ranks).min(leaves) - 1.0;
        let messages = FIXED + 4.0 * nodes;
        let subtrees = (1.0 - 1.0 / ranks) * (rows / ranks * (groups + 16.0 * actions) + 50.0 * leaves);
        let bytes = nodes * (8.0 * cells + 80.0 + 16.0 * (actions - 1.0)) + subtrees;
        let latency = messages * rates.latency * ranks.log2().ceil();
        Self { compute, latency, transfer: bytes * rates.byte + subtrees * rates.pack, messages, bytes }
    }

    /// All of them.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.compute + self.latency + self.transfer
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::{Rates, Round, Shape};
    use crate::off_policy::Problem;
    use ranks::on_threads;
    use std::time::Duration;

    /// The messages and bytes that are counted on ranks, at most a third off.
    #[test]
    fn messages_and_bytes_are_those_that_are_counted() {
        let mut problem = Problem::synthetic(40_000, 12, 4, 10).unwrap();
        problem.min_child_weight = 20.0;
        let rates = Rates { pair: 0.0, pack: 0.0, latency: 1.0, byte: 0.0 };
        for size in [2, 4] {
            let found = on_threads(size, Duration::from_secs(300), |ranks| {
                problem
                    .of_rank(&ranks)
                    .and_then(|own| own.run_of_rank(2, &ranks))
                    .map_err(|error| error.to_string())
            });
            let history = found.into_iter().next().flatten().unwrap().unwrap();
            let counted = history.traffic[1];
            let leaves = f64::from(u32::try_from(history.leaves[1]).unwrap());
            let shape = Shape { rows: 40_000.0, actions: 4.0, groups: 12.0, cells: 12.0 * 256.0, leaves };
            let size = f64::from(u32::try_from(size).unwrap());
            let round = Round::of(shape, rates, size);
            #[allow(clippy::cast_precision_loss, reason = "counts")]
            let [messages, bytes] = [counted.messages, counted.bytes].map(|count| count as f64);
            println!("{size} ranks: {counted:?} counted, {round:?} by the model");
            assert!(
                (messages / round.messages - 1.0).abs() < 1.0 / 3.0,
                "{messages}, not {}",
                round.messages
            );
            assert!((bytes / round.bytes - 1.0).abs() < 1.0 / 3.0, "{bytes}, not {}", round.bytes);
        }
    }
}
