//! Logs: real data sets as bandit logs, with a reported stand-in if absent, and random logs.

use datasets::{Name, SearchPath, StandIn, Targets, load, permutation};
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;

/// What an action earns where y is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reward {
    /// 1 or 0.
    Right,
    /// 1 or 0, one in ten turned round.
    Noisy,
    /// ¼ for the neighbour of the right one.
    Partial,
    /// 1, or −½.
    Punished,
}

/// Examples of several classes, from which logs are drawn.
pub(crate) struct Task {
    pub(crate) contexts: RowMatrix,
    classes: Vec<u32>,
    actions: usize,
}

impl Task {
    /// m examples of a real data set in a seeded order, dense.
    pub(crate) fn of(name: Name, m: usize, seed: u64) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let dataset = load(name, &search, StandIn { seed: 1, rows: Some(m) }).unwrap();
        if dataset.provenance.to_string() != "official files" {
            let what = format!("{name} is not here, the check runs on its {}", dataset.provenance);
            crate::reduced::announce(&what);
        }
        let (indices, names): (&[u32], &[String]) = match &dataset.targets {
            Targets::Classes { indices, names } => (indices, names),
            Targets::Values(_) => (&[], &[]),
        };
        let order: Vec<usize> = permutation(dataset.len(), seed, 0).unwrap().into_iter().take(m).collect();
        let values = order.iter().flat_map(|i| dataset.features.row(*i).unwrap().to_dense()).collect();
        let contexts = RowMatrix::dense(dataset.features.dimension(), values).unwrap();
        let classes = order.iter().map(|i| indices[*i]).collect();
        Self { contexts, classes, actions: names.len() }
    }

    /// The same with three cells of ten knocked out, drawn, and the indicators of the missing values behind
    /// the columns: the missing values are made here, the others are the table's. Returns the pairs of a
    /// column and its indicator too.
    pub(crate) fn knocked_out(mut self, seed: u64) -> (Self, Vec<(usize, usize)>) {
        let (mut rng, m) = (ChaCha8Rng::seed_from_u64(seed), self.contexts.dimension());
        let rows = self.contexts.iter().flat_map(|x| {
            let mut x = x.to_dense();
            x.resize(2 * m, 0.0);
            for j in 0..m {
                if rng.random_bool(0.3) {
                    (x[j], x[m + j]) = (0.0, 1.0);
                }
            }
            x
        });
        let rows = rows.collect();
        self.contexts = RowMatrix::dense(2 * m, rows).unwrap();
        (self, (0..m).map(|j| (j, m + j)).collect())
    }

    /// Whether letters are those of the official file, of which some tests say more than of its stand-in.
    pub(crate) fn has_letters() -> bool {
        SearchPath::from_environment(None).unwrap().locate(Name::Letter).unwrap().is_some()
    }

    pub(crate) fn letters(m: usize) -> Self {
        Self::of(Name::Letter, m, 1)
    }

    pub(crate) fn adults(m: usize) -> Self {
        Self::of(Name::Adult, m, 1)
    }

    /// The log of a policy that plays each action with probability 0.4/|A|, and otherwise the right one or
    /// the two behind it evenly.
    pub(crate) fn log(&self, reward: Reward, seed: u64) -> Log {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let count = u32::try_from(self.actions).unwrap();
        let (mut actions, mut propensities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
        for &y in &self.classes {
            let near = |a: u32| (a + count - y) % count < 3;
            let a = if rng.random_bool(0.6) {
                (y + rng.random_range(0..3.min(count))) % count
            } else {
                rng.random_range(0..count)
            };
            let bonus = if near(a) { 0.6 / f64::from(3.min(count)) } else { 0.0 };
            actions.push(a);
            propensities.push(0.4 / f64::from(count) + bonus);
            let right = if a == y { 1.0 } else { 0.0 };
            rewards.push(match reward {
                Reward::Right => right,
                Reward::Noisy => {
                    if rng.random_bool(0.1) {
                        1.0 - right
                    } else {
                        right
                    }
                }
                Reward::Partial => {
                    if a != y && a / 2 == y / 2 {
                        0.25
                    } else {
                        right
                    }
                }
                Reward::Punished => 1.5 * right - 0.5,
            });
        }
        Log::new(self.contexts.clone(), self.actions, actions, propensities, Rewards(rewards)).unwrap()
    }
}

/// A log of n random contexts in [−1, 1]^m, propensities in (0.05, 1] and rewards in [−1, 1].
pub(crate) fn random_log(n: usize, m: usize, actions: usize, seed: u32) -> Log {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
    let contexts = (0..n * m).map(|_| rng.random_range(-1.0..1.0)).collect();
    let contexts = RowMatrix::dense(m, contexts).unwrap();
    let count = u32::try_from(actions).unwrap();
    let logged = (0..n).map(|_| rng.random_range(0..count)).collect();
    let propensities = (0..n).map(|_| rng.random_range(0.05..1.0)).collect();
    let rewards = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    Log::new(contexts, actions, logged, propensities, Rewards(rewards)).unwrap()
}
