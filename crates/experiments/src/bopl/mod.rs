//! \[L23, Section 5\] measured: policies boosted from logs of bandit feedback, on four classification tasks.
//!
//! A unit of work is one method in one trial of one task. Hyper-parameters are those of \[L23, Table 5\] or,
//! with a search, the best on validation rows. Test rows serve only the report.
//!
//! Reading order: [`task`] and [`logging_policy`], the source of the logs; [`methods`], [`parameters`] and
//! `search`; `training`, and [`history`], its kept rounds; [`paper`], `units`, `measured`,
//! `page`, `tables`, `curves`, `figures`; [`variations`], the same trials with one parameter changed at a
//! time; [`second_order`], what second-order steps save.

// Rounds, trials and examples are counted far below 2^53.
#![allow(clippy::cast_precision_loss, reason = "counts")]

pub mod task_name;
pub mod task;
pub mod logging_policy;
pub mod methods;
pub mod parameters;
mod search;
pub mod history;
mod training;
pub mod paper;
mod units;
mod measured;
pub mod variations;
pub mod second_order;
mod page;
mod tables;
mod curves;
mod figures;
#[cfg(test)]
mod fixtures;

use crate::peer::Peers;
use crate::runner::{self, ExperimentError, Report, Run};
use datasets::StandIn;
use history::History;
use logging_policy::Explorer;
use measured::Measured;
use methods::Method;
use parameters::Parameters;
use report::record::Record;
use serde::Serialize;
use task::{MostRows, Task};
use task_name::TaskName;
use units::Units;

/// The options specific to the experiment.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The most trials of a large task ([`methods::is_large`]).
    pub large_trials: Option<u64>,
    /// The most trials of a large task by a method outside the paper's Table 1.
    pub comparison_trials: Option<u64>,
    /// Whether to search the hyper-parameters on validation rows.
    pub search_parameters: bool,
    /// The methods; those not run on a task are left out there.
    pub methods: Vec<Method>,
    /// The tasks.
    pub tasks: Vec<TaskName>,
    /// The programs of others.
    pub peers: Peers,
}

/// The options of the runner. A thread works on one unit at a time.
pub type Options = runner::Options<Plan>;

impl Options {
    /// Trials of this task by this method, at least one. A real log has one.
    fn trials_of(&self, task: TaskName, method: Method) -> u32 {
        if task == TaskName::OpenBandit {
            return 1;
        }
        let most = |most: Option<u64>| most.unwrap_or(u64::MAX);
        let trials = match (methods::is_large(task), method.is_in_table_1()) {
            (false, _) => self.trials,
            (true, true) => self.trials.min(most(self.plan.large_trials)),
            (true, false) => {
                self.trials.min(most(self.plan.large_trials)).min(most(self.plan.comparison_trials))
            }
        };
        u32::try_from(trials.max(1)).unwrap_or(u32::MAX)
    }
}

/// The size of a run.
#[derive(Debug, Clone, Serialize)]
struct Size {
    /// The most rounds.
    rounds: Option<u32>,
    /// The most rows of the log, of the validation rows and of the test rows.
    rows: Option<[usize; 2]>,
    /// Rows of a stand-in.
    stand_in: Option<usize>,
}

impl Size {
    fn of(quick: bool) -> Self {
        if quick {
            Self { rounds: Some(10), rows: Some([300, 200]), stand_in: Some(600) }
        } else {
            Self { rounds: None, rows: None, stand_in: None }
        }
    }

    fn cut(&self, parameters: Parameters) -> Parameters {
        let rounds = parameters.rounds.min(self.rounds.unwrap_or(u32::MAX));
        Parameters { rounds, ..parameters }
    }
}

/// Changes whenever a unit's computation changes, so that units of older code are not reused.
const SCHEME: &str = "2";

/// Runs the experiment, resuming finished units, and writes `bopl.json`, `bopl.md`, `bopl-curves.csv` and the
/// figures.
///
/// # Errors
/// [`ExperimentError`]. Finished units are kept in `bopl-*.trials`: a stopped run resumes.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(options.plan.tasks.len())?;
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let run = Run::<History>::begin("bopl", options, &settings)?;
    let mut record = Record::new("bopl", options.seed, settings);
    let mut measured = Vec::new();
    for &name in &options.plan.tasks {
        let stand_in = StandIn { seed: options.seed, rows: size.stand_in };
        let task = Task::load(name, &options.search, stand_in)?;
        let most = size.rows.map(|[log, held_out]| MostRows { log, held_out });
        let explorer = Explorer::of(name);
        let units = Units { task: &task, explorer, most, options, run: &run };
        let asked = options.plan.methods.iter().copied().filter(|method| method.is_run_on(name));
        let lacks =
            |method: Method| method.peer().is_some_and(|program| options.plan.peers.ready(program).is_none());
        let (missing, methods): (Vec<_>, Vec<_>) = asked.enumerate().partition(|(_, method)| lacks(*method));
        let methods = methods.into_iter().map(|(_, method)| method);
        let chosen: Vec<(Method, Parameters)> = if options.plan.search_parameters {
            let tried = methods.map(|method| {
                let tried = search::configurations(method, name, options.seed);
                (method, tried.into_iter().map(|parameters| size.cut(parameters)).collect())
            });
            units.search(tried.collect())?
        } else {
            methods.map(|method| (method, size.cut(Parameters::table_5(method, name)))).collect()
        };
        let mut of_task = units.measure(&chosen)?;
        for (place, method) in missing {
            let provenance = task.provenance();
            let parameters = Parameters::table_5(method, name);
            of_task
                .insert(place, Measured { task: name, provenance, method, parameters, trials: Vec::new() });
        }
        measured.extend(of_task);
    }
    for one in &measured {
        record.trials.extend(page::trials(one, options.seed));
        record.paper.extend(page::paper(one));
    }
    record.seconds = measured.iter().flat_map(|one| &one.trials).map(|history| history.seconds).sum();
    run.end(&mut record);
    page::write(&record, &measured, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use TaskName::{Covertype, Scene};
    use std::path::Path;

    #[test]
    fn large_tasks_have_fewer_trials_on_request() {
        let options = |large_trials, comparison_trials| {
            let options = fixtures::options(Path::new(""), 10);
            let plan = Plan { large_trials, comparison_trials, ..options.plan };
            Options { plan, ..options }
        };
        let of = |options: Options| {
            let trials = |task, method| options.trials_of(task, method);
            [Covertype, Scene].map(|task| [trials(task, Method::BoplRegr), trials(task, Method::SharpSteps)])
        };
        assert_eq!(of(options(None, None)), [[10, 10], [10, 10]]);
        assert_eq!(of(options(Some(4), None)), [[4, 4], [10, 10]]);
        assert_eq!(of(options(None, Some(3))), [[10, 3], [10, 10]]);
        assert_eq!(of(options(Some(2), Some(3))), [[2, 2], [10, 10]]);
        assert_eq!(of(options(Some(0), Some(0))), [[1, 1], [10, 10]]);
    }
}
