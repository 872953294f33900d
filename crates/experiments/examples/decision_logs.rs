//! The log and the test rows of the first trial of `reproduce bopl`, as files for other programs.
//!
//! ```text
//! cargo run --release -p experiments --example decision_logs -- FOLDER [covertype scene tmc letter …]
//! cargo run --release -p experiments --example decision_logs -- FOLDER --binary [covertype …]
//! ```
//!
//! Of every task it writes `TASK-log.csv` (x0, x1, …, action, propensity, reward), `TASK-test.csv` (x0, …)
//! and `TASK-test-rewards.csv`, the rewards of all actions of the test rows in the order of the actions.
//! Actions are `a0`, `a1`, … A task without official files is an error.
//!
//! With `--binary` it writes the numbers alone, little-endian: `TASK.x.f32`, `TASK.a.u32`, `TASK.p.f64` and
//! `TASK.r.f64` (contexts, actions, propensities, rewards of the log), `TASK.test.x.f32` and
//! `TASK.test.r.f64` (contexts of the test rows, and the rewards of all their actions), the same two of the
//! validation rows with `validation` for `test`, and the sizes in `TASK.json`. A context that single
//! precision does not hold exactly is an error.

use datasets::{Provenance, SearchPath, StandIn};
use experiments::bopl::logging_policy::Explorer;
use experiments::bopl::task::{Task, Trial};
use experiments::bopl::task_name::TaskName;
use rows::{Row, RowMatrix};
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
    let binary = asked.first().is_some_and(|first| first == "--binary");
    if binary {
        asked.remove(0);
    }
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
        let trial = loaded.trial(Explorer::of(task), None, SEED, 0)?;
        let write = if binary { write_numbers } else { write };
        write(Path::new(&folder), &name, &trial)?;
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

fn write_numbers(folder: &Path, name: &str, trial: &Trial) -> Result<(), Box<dyn Error>> {
    let file = |end: &str, bytes: Vec<u8>| std::fs::write(folder.join(format!("{name}.{end}")), bytes);
    let (log, test, validation) = (&trial.log, &trial.test, &trial.validation);
    file("x.f32", single(log.contexts())?)?;
    file("a.u32", log.logged_actions().iter().flat_map(|a| a.to_le_bytes()).collect())?;
    file("p.f64", log.propensities().iter().flat_map(|p| p.to_le_bytes()).collect())?;
    file("r.f64", log.rewards().iter().flat_map(|r| r.to_le_bytes()).collect())?;
    for (part, of) in [("test", test), ("validation", validation)] {
        file(&format!("{part}.x.f32"), single(of.contexts())?)?;
        file(&format!("{part}.r.f64"), of.rewards().iter().flat_map(|r| r.to_le_bytes()).collect())?;
    }
    let [n, d, actions, tested] = [log.len(), log.inputs(), log.actions(), test.contexts().len()];
    let sizes = format!(r#"{{"n": {n}, "d": {d}, "actions": {actions}, "test": {tested}}}"#);
    Ok(file("json", sizes.into_bytes())?)
}

#[allow(clippy::cast_possible_truncation, reason = "checked")]
fn single(contexts: &RowMatrix) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    for value in contexts.iter().flat_map(|row| row.to_dense()) {
        let single = value as f32;
        if f64::from(single).to_bits() != value.to_bits() {
            return Err(format!("{value} is not exact in single precision").into());
        }
        bytes.extend(single.to_le_bytes());
    }
    Ok(bytes)
}
