//! The two logs of the Open Bandit Dataset with the position of the item as context, and their policies.

use crate::runner::ExperimentError;
use datasets::SearchPath;
use datasets::open_bandit::{Campaign, LoggingPolicy, Part, file};
use off_policy::estimators::RewardModel;
use off_policy::policies::Policy;
use off_policy::readers::{Affinities, OpenBanditLog, read_open_bandit};
use off_policy::{ActionSet, Log, PolicyError, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::record::Provenance;
use rows::{Row, RowMatrix};

/// The number of positions of an item.
pub(super) const POSITIONS: usize = 3;
/// The column with the half of a row: a reward model is fitted on one half and used on the other.
const HALF: usize = POSITIONS;

/// A log on contexts [one-hot(position) ; half].
pub(super) struct Shown {
    pub(super) log: Log,
    pub(super) provenance: Provenance,
}

/// The logs of the random policy and of Thompson sampling (BTS); synthetic ones if the files are absent.
pub(super) fn both(search: &SearchPath, seed: u64) -> Result<[Shown; 2], ExperimentError> {
    let read = |policy| file(search, Campaign::Men, policy, Part::Log);
    let (random, bts) = (read(LoggingPolicy::Random)?, read(LoggingPolicy::Bts)?);
    match (random, bts) {
        (Some(random), Some(bts)) => of_files([&random, &bts]),
        _ => synthetic_logs(seed),
    }
}

/// The logs of two official files.
fn of_files(files: [&[u8]; 2]) -> Result<[Shown; 2], ExperimentError> {
    let logs = read_open_bandit(files, Affinities::Left)?.logs;
    let shown = |place: usize| shown(&logs[place], Provenance::Official);
    Ok([shown(0)?, shown(1)?])
}

fn shown(log: &OpenBanditLog, provenance: Provenance) -> Result<Shown, ExperimentError> {
    let rows: Vec<(u32, u32, f64, f64)> = log
        .log
        .logged_actions()
        .iter()
        .zip(&log.positions)
        .zip(log.log.propensities().iter().zip(log.log.rewards()))
        .map(|((action, position), (p, r))| (*action, u32::from(*position) - 1, *p, *r))
        .collect();
    Ok(Shown { log: on_positions(&rows, log.log.actions())?, provenance })
}

/// (action, position from 0, propensity, reward) of every row, in order.
pub(super) fn on_positions(rows: &[(u32, u32, f64, f64)], actions: usize) -> Result<Log, ExperimentError> {
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for (i, (_, position, ..)) in rows.iter().enumerate() {
        indices.push(*position);
        if i % 2 == 1 {
            indices.push(u32::try_from(HALF).unwrap_or(u32::MAX));
        }
        offsets.push(indices.len());
    }
    let ones = vec![1.0; indices.len()];
    let contexts = RowMatrix::sparse(POSITIONS + 1, offsets, indices, ones)?;
    let (logged, propensities) = rows.iter().map(|row| (row.0, row.2)).unzip();
    let rewards = Rewards(rows.iter().map(|row| row.3).collect());
    Ok(Log::new(contexts, actions, logged, propensities, rewards)?)
}

/// Two logs of 4,000 rows and 10 items, clicked with probabilities from 1% to 19%: one by the uniform policy,
/// one by a policy that shows an item in proportion to its clicks.
pub(super) fn synthetic_logs(seed: u64) -> Result<[Shown; 2], ExperimentError> {
    const ITEMS: u32 = 10;
    let clicks = |a: u32| 0.01 + 0.02 * f64::from(a);
    let total: f64 = (0..ITEMS).map(clicks).sum();
    let provenance = Provenance::StandIn;
    let draw = |stream: u64, pi: &dyn Fn(u32) -> f64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let rows: Vec<_> = (0..4000u32)
            .map(|i| {
                let mut left = rng.random::<f64>();
                let mut action = 0;
                while action + 1 < ITEMS && left >= pi(action) {
                    left -= pi(action);
                    action += 1;
                }
                let click = f64::from(u8::from(rng.random::<f64>() < clicks(action)));
                (action, i % 3, pi(action), click)
            })
            .collect();
        Ok::<_, ExperimentError>(Shown { log: on_positions(&rows, ITEMS as usize)?, provenance })
    };
    Ok([draw(0, &|_| 1.0 / f64::from(ITEMS))?, draw(1, &|a| clicks(a) / total)?])
}

/// The frequency of each item at each position of a log: the time average of an adaptive policy such as
/// Thompson sampling. It uses the shown items, never the clicks.
#[derive(Debug, Clone)]
pub(super) struct Frequencies {
    actions: usize,
    /// π(a|position), position by position.
    shares: Vec<f64>,
}

impl Frequencies {
    pub(super) fn of(log: &Log) -> Self {
        let actions = log.actions();
        let mut shares = vec![0.0; POSITIONS * actions];
        for row in log.iter() {
            shares[position(row.context) * actions + row.action] += 1.0;
        }
        for shares in shares.chunks_exact_mut(actions) {
            let total: f64 = shares.iter().sum();
            // A position without rows: uniform.
            let even = 1.0 / actions as f64;
            shares.iter_mut().for_each(|share| *share = if total > 0.0 { *share / total } else { even });
        }
        Self { actions, shares }
    }

    /// The largest π(a|position).
    pub(super) fn largest(&self) -> f64 {
        self.shares.iter().fold(0.0, |largest, share| share.max(largest))
    }
}

impl Policy for Frequencies {
    fn inputs(&self) -> Option<usize> {
        Some(POSITIONS + 1)
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn probabilities(
        &self,
        x: Row<'_>,
        on_offer: ActionSet<'_>,
        probabilities: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.check(x, on_offer, probabilities)?;
        probabilities.copy_from_slice(&self.shares[position(x) * self.actions..][..self.actions]);
        Ok(())
    }
}

fn position(x: Row<'_>) -> usize {
    (0..POSITIONS).find(|k| x.get(*k) == Some(1.0)).unwrap_or_default()
}

/// Click rates of the items, shrunk to the mean with 100 pseudo-observations; the rates of one half of the
/// log serve the rows of the other.
#[derive(Debug, Clone)]
pub(super) struct ClickRates {
    /// The rates of the even rows, for the odd ones; and the other way round.
    rates: [Vec<f64>; 2],
}

const SHRINKAGE: f64 = 100.0;

impl ClickRates {
    pub(super) fn of(log: &Log) -> Self {
        let rates = [1.0, 0.0].map(|half| {
            let rows = || log.iter().filter(|row| row.context.get(HALF) != Some(half));
            let (clicks, shown) = rows().fold((0.0, 0.0), |(c, n), row| (c + row.reward, n + 1.0));
            let mean = clicks / f64::max(shown, 1.0);
            let mut sums = vec![(SHRINKAGE * mean, SHRINKAGE); log.actions()];
            for row in rows() {
                sums[row.action].0 += row.reward;
                sums[row.action].1 += 1.0;
            }
            sums.into_iter().map(|(clicks, shown)| clicks / shown).collect()
        });
        Self { rates }
    }
}

impl RewardModel for ClickRates {
    fn inputs(&self) -> Option<usize> {
        Some(POSITIONS + 1)
    }

    fn actions(&self) -> usize {
        self.rates[0].len()
    }

    fn rewards(&self, x: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        let rates = &self.rates[usize::from(x.get(HALF) != Some(1.0))];
        if rewards.len() != rates.len() {
            let (argument, expected, got) = ("rewards", rates.len(), rewards.len());
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        rewards.copy_from_slice(rates);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
