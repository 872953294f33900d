//! The log and the test rows of the first trial of `reproduce bopl`, as CSV files for other programs.
//!
//! ```text
//! cargo run --release -p experiments --example decision_logs -- FOLDER [covertype scene tmc letter …]
//! ```
//!
//! Of every task it writes `TASK-log.csv` (x0, x1, …, action, propensity, reward), `TASK-test.csv` (x0, …)
//! and `TASK-test-rewards.csv`, the rewards of all actions of the test rows in the order of the actions.
//! Actions are `a0`, `a1`, … A task without official files is an error.

use datasets::{Provenance, SearchPath, StandIn};
use experiments::bopl::logging_policy::Explorer;
use experiments::bopl::task::{Task, Trial};
use experiments::bopl::task_name::TaskName;
use rows::Row;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The seed of the published results.
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: decision_logs FOLDER [TASK …]")?;
    std::fs::create_dir_all(&folder)?;
    let mut asked: Vec<String> = arguments.collect();
    if asked.is_empty() {
        asked = ["covertype", "scene", "tmc", "letter"].map(str::to_owned).to_vec();
    }
    let search = SearchPath::from_environment(None)?;
    for name in asked {
        let known =
            TaskName::ALL.into_iter().find(|task| task.as_str() == name && *task != TaskName::OpenBandit);
        let task = known.ok_or_else(|| format!("{name:?} is no task whose rewards are known"))?;
        let loaded = Task::load(task, &search, StandIn { seed: SEED, rows: None })?;
        if loaded.labelled().is_some_and(|of| matches!(of.data.provenance, Provenance::StandIn { .. })) {
            return Err(format!("the official files of {name} are not there").into());
        }
        write(Path::new(&folder), &name, &loaded.trial(Explorer::of(task), None, SEED, 0)?)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, trial: &Trial) -> Result<(), Box<dyn Error>> {
    let create = |part: &str| File::create(folder.join(format!("{name}-{part}.csv"))).map(BufWriter::new);
    let columns = |of: usize| (0..of).map(|j| format!("x{j}")).collect::<Vec<_>>().join(",");
    let log = &trial.log;
    let mut out = create("log")?;
    writeln!(out, "{},action,propensity,reward", columns(log.contexts().dimension()))?;
    for row in log.iter() {
        writeln!(out, "{},a{},{},{}", cells(row.context), row.action, row.propensity, row.reward)?;
    }
    out.flush()?;
    let mut out = create("test")?;
    writeln!(out, "{}", columns(log.contexts().dimension()))?;
    for row in trial.test.contexts().iter() {
        writeln!(out, "{}", cells(row))?;
    }
    out.flush()?;
    let mut out = create("test-rewards")?;
    let actions: Vec<String> = (0..log.actions()).map(|a| format!("a{a}")).collect();
    writeln!(out, "{}", actions.join(","))?;
    for rewards in trial.test.rewards().chunks_exact(log.actions()) {
        writeln!(out, "{}", rewards.iter().map(f64::to_string).collect::<Vec<_>>().join(","))?;
    }
    Ok(out.flush()?)
}

fn cells(row: Row<'_>) -> String {
    row.to_dense().iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}
