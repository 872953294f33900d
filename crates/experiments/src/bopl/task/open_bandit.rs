//! The Open Bandit Dataset as a task: policies learn from the log of Thompson sampling, and the log of the
//! random policy judges them.

use super::{MostRows, Rewarded, mean_and_error};
use crate::runner::ExperimentError;
use datasets::SearchPath;
use datasets::open_bandit::{Campaign, LoggingPolicy, Part, file};
use off_policy::readers::{Affinities, OpenBanditLog, read_open_bandit};
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::record::Provenance;
use rows::RowMatrix;

/// The two logs of the campaign "men". Contexts are the user's features, the affinities to the items, and the
/// position.
#[derive(Debug)]
pub(super) struct OpenBandit {
    /// Of Thompson sampling.
    learnt_from: Log,
    /// Of the random policy, whose propensities are even.
    judge: Log,
    pub(super) provenance: Provenance,
}

impl OpenBandit {
    pub(super) fn load(search: &SearchPath, seed: u64) -> Result<Self, ExperimentError> {
        let read = |policy| file(search, Campaign::Men, policy, Part::Log);
        match (read(LoggingPolicy::Random)?, read(LoggingPolicy::Bts)?) {
            (Some(random), Some(bts)) => {
                let logs = read_open_bandit([&random[..], &bts[..]], Affinities::Kept)?.logs;
                let [judge, learnt_from] = [with_position(&logs[0])?, with_position(&logs[1])?];
                Ok(Self { learnt_from, judge, provenance: Provenance::Official })
            }
            _ => {
                let [learnt_from, judge] = [stand_in(seed, 0)?, stand_in(seed, 1)?];
                Ok(Self { learnt_from, judge, provenance: Provenance::StandIn })
            }
        }
    }

    /// The log, the validation rows and the test rows. The logging policy's reward is the mean of its own
    /// log. Every tenth row of the other log is for validation.
    pub(super) fn trial(&self, most: Option<MostRows>) -> Result<(Log, Rewarded, Rewarded), ExperimentError> {
        let whole = MostRows { log: usize::MAX, held_out: usize::MAX };
        let MostRows { log, held_out } = most.unwrap_or(whole);
        let log = self.learnt_from.select(0..self.learnt_from.len().min(log))?;
        let logging = mean_and_error(self.learnt_from.rewards().iter().copied());
        let part = |is_validation: bool| {
            let rows = (0..self.judge.len()).filter(|row| (row % 10 == 9) == is_validation).take(held_out);
            Rewarded::estimated(&self.judge.select(rows)?, logging)
        };
        Ok((log, part(true)?, part(false)?))
    }
}

/// The log with the position, 1 to 3, as the last column.
fn with_position(OpenBanditLog { log, positions }: &OpenBanditLog) -> Result<Log, ExperimentError> {
    let rows = log.contexts().iter().zip(positions);
    let contexts = rows.flat_map(|(x, position)| {
        let mut x = x.to_dense();
        x.push(f64::from(*position));
        x
    });
    let contexts = RowMatrix::dense(log.inputs() + 1, contexts.collect())?;
    let (actions, propensities) = (log.logged_actions().to_vec(), log.propensities().to_vec());
    Ok(Log::new(contexts, log.actions(), actions, propensities, Rewards(log.rewards().to_vec()))?)
}

/// A synthetic log of 2,000 rows: an even policy over five items, clicked more often where the item is near
/// the user.
fn stand_in(seed: u64, stream: u64) -> Result<Log, ExperimentError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((1 << 44) + stream);
    let (mut contexts, mut actions, mut clicks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..2000 {
        let (x, action) = (rng.random_range(0.0..5.0), rng.random_range(0..5_u32));
        let is_near = (x - f64::from(action) - 0.5_f64).abs() < 0.5;
        contexts.push(x);
        actions.push(action);
        clicks.push(f64::from(u8::from(rng.random_bool(if is_near { 0.2 } else { 0.05 }))));
    }
    let contexts = RowMatrix::dense(1, contexts)?;
    Ok(Log::new(contexts, 5, actions, vec![0.2; 2000], Rewards(clicks))?)
}
