//! Test fixtures: runs with known numbers.

use super::history::{History, Logging, Snapshot};
use super::logging_policy::Explorer;
use super::measured::Measured;
use super::methods::Method;
use super::parameters::Parameters;
use super::task::{MostRows, Task};
use super::task_name::TaskName;
use super::units::Units;
use super::{Options, Plan};
use crate::peer::Peers;
use crate::runner::Run;
use datasets::{Labels, SearchPath, StandIn};
use report::record::Provenance;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// The size of a quick trial.
pub(super) const MOST: MostRows = MostRows { log: 100, held_out: 60 };

pub(super) fn options(out: &Path, trials: u64) -> Options {
    Options {
        trials,
        seed: 3,
        threads: Some(1),
        quick: true,
        plan: Plan {
            large_trials: None,
            comparison_trials: None,
            search_parameters: false,
            methods: Method::ALL.to_vec(),
            tasks: vec![TaskName::Scene],
            peers: Peers::default(),
        },
        out: out.to_owned(),
        search: SearchPath::nowhere(),
        quiet: true,
    }
}

/// The stand-in of Scene.
pub(super) fn task() -> Task {
    let stand_in = StandIn { seed: 3, rows: Some(400) };
    Task::load(TaskName::Scene, &SearchPath::nowhere(), stand_in).unwrap()
}

/// The same task with other labels for these examples.
pub(super) fn garbled(mut task: Task, examples: &[usize]) -> Task {
    let labels = &task.labelled().unwrap().data.labels;
    let classes = u32::try_from(labels.classes()).unwrap();
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for (i, of_row) in labels.iter().enumerate() {
        let moved = u32::from(examples.contains(&i));
        let mut of_row: Vec<u32> = of_row.iter().map(|label| (label + moved) % classes).collect();
        of_row.sort_unstable();
        indices.extend(of_row);
        offsets.push(indices.len());
    }
    let labels = Labels::new(labels.classes(), offsets, indices).unwrap();
    task.labelled_mut().unwrap().data.labels = labels;
    task
}

/// A history with this reward.
pub(super) fn history(reward: f64) -> History {
    History { reward, ..History::default() }
}

/// A kept round whose numbers all differ.
pub(super) fn snapshot(round: u32, of: f64) -> Snapshot {
    let [snips, objective, bound] = [2.0, 4.0, 8.0].map(|number| Some(of + number));
    Snapshot { round, reward: of, gradient_norm: of + 1.0, snips, objective, bound, seconds: Some(of + 16.0) }
}

/// The numbers of a logging policy.
pub(super) fn logging(on_validation: f64, least_propensity: f64) -> Option<Logging> {
    Some(Logging { on_validation, least_propensity })
}

/// Trials on official data.
pub(super) fn measured(task: TaskName, method: Method, trials: Vec<History>) -> Measured {
    Measured {
        task,
        provenance: Provenance::Official,
        method,
        parameters: Parameters::table_5(method, task),
        trials: trials.into_iter().map(Arc::new).collect(),
    }
}

/// A store, and the common data of units.
pub(super) struct Setup {
    /// The folder of the store, deleted when dropped.
    _folder: TempDir,
    pub(super) task: Task,
    pub(super) options: Options,
    pub(super) run: Run<History>,
}

impl Setup {
    pub(super) fn of(task: Task, trials: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path(), trials);
        let run = Run::begin("units", &options, &"settings").unwrap();
        Self { _folder: folder, task, options, run }
    }

    pub(super) fn units(&self) -> Units<'_> {
        let explorer = Explorer::of(self.task.name);
        let Self { task, options, run, .. } = self;
        Units { task, explorer, most: Some(MOST), options, run }
    }
}
