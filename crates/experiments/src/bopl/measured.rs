//! The trials of one method on one task, as tables, figures and the record read them.

use super::history::{History, Snapshot};
use super::methods::Method;
use super::parameters::Parameters;
use super::task_name::TaskName;
use report::paired::Interval;
use report::record::Provenance;
use std::sync::Arc;

/// A number of a history.
pub(super) type Read = fn(&History) -> Option<f64>;

/// The trials of one method on one task.
pub(super) struct Measured {
    pub(super) task: TaskName,
    pub(super) provenance: Provenance,
    pub(super) method: Method,
    pub(super) parameters: Parameters,
    pub(super) trials: Vec<Arc<History>>,
}

/// The 97.5% quantile of the normal distribution.
const NORMAL: f64 = 1.959_964;

impl Measured {
    /// The mean reward over the trials. A real log has one trial, whose interval is the normal one of its
    /// rows.
    pub(super) fn reward(&self) -> Option<Interval> {
        let found = self.interval(|history| Some(history.reward))?;
        match &self.trials[..] {
            [one] => Some(Interval { half_width: one.standard_error.map(|error| NORMAL * error), ..found }),
            _ => Some(found),
        }
    }

    /// The mean of a number over the trials.
    pub(super) fn interval(&self, read: Read) -> Option<Interval> {
        Interval::of(&self.trials.iter().filter_map(|history| read(history)).collect::<Vec<_>>())
    }

    /// The rounds kept in at least one trial, increasing.
    pub(super) fn rounds(&self) -> Vec<u32> {
        let snapshots = self.trials.iter().flat_map(|history| &history.snapshots);
        snapshots
            .map(|snapshot| snapshot.round)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// A number after a round; a stopped trial counts with its last value.
    pub(super) fn at(&self, round: u32, read: fn(&Snapshot) -> Option<f64>) -> Option<Interval> {
        let found = self.trials.iter().filter_map(|history| read(history.at(round)?));
        Interval::of(&found.collect::<Vec<_>>())
    }
}

/// The tasks in order, each with its methods.
pub(super) fn by_task(measured: &[Measured]) -> Vec<(TaskName, Vec<&Measured>)> {
    let mut tasks: Vec<(TaskName, Vec<&Measured>)> = Vec::new();
    for one in measured {
        match tasks.iter_mut().find(|(task, _)| *task == one.task) {
            Some((_, methods)) => methods.push(one),
            None => tasks.push((one.task, vec![one])),
        }
    }
    tasks
}

/// Four decimals, as in the paper; a single trial has no interval.
pub(super) fn mean_and_width(found: Interval) -> String {
    match found.half_width {
        Some(width) => format!("{:.4} ± {width:.4}", found.mean),
        None => format!("{:.4}", found.mean),
    }
}
