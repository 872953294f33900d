//! The rounds and seconds that second-order trees and steps save, on *validation* rows.

use super::history::{History, Snapshot};
use super::logging_policy::Explorer;
use super::methods::Method;
use super::parameters::Parameters;
use super::task::{MostRows, Task};
use super::units::{Scored, Units};
use super::{Options, SCHEME, Size};
use crate::runner::{ExperimentError, Output, Report, Run};
use datasets::StandIn;
use report::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
use report::record::{Provenance, Record, Trial};
use report::table::{Cell, Table, significant};
use std::sync::Arc;

/// The methods whose ends are to be reached.
const REFERENCES: [Method; 2] = [Method::BoplSRegr, Method::SharpSteps];

/// The trials of a method on a task.
struct Played {
    method: Method,
    histories: Vec<Arc<History>>,
}

/// When a run was first as good as another one at its end.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reached {
    round: u32,
    seconds: f64,
}

/// The first kept round whose number is at least as good.
fn first(history: &History, is_as_good: impl Fn(&Snapshot) -> bool) -> Option<Reached> {
    let found = history.snapshots.iter().find(|snapshot| is_as_good(snapshot))?;
    Some(Reached { round: found.round, seconds: found.seconds? })
}

/// The first kept round of `history` with an objective as low as that of `other` at its end.
fn objective(history: &History, other: &History) -> Option<Reached> {
    let last = other.snapshots.last()?.objective?;
    first(history, |snapshot| snapshot.objective.is_some_and(|found| found <= last))
}

/// The same for the reward.
fn reward(history: &History, other: &History) -> Option<Reached> {
    first(history, |snapshot| snapshot.reward >= other.reward)
}

/// Runs BOPL-S-regr with the paper's steps, sharp steps and second-order steps on every requested task,
/// resuming finished units, and writes `bopl-second-order.json`, `.md` and `.svg`. Test rows have no part in
/// it.
///
/// # Errors
/// [`ExperimentError`]. Finished units are kept in `bopl-second-order-*.trials`.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(options.plan.tasks.len())?;
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let run = Run::<History>::begin("bopl-second-order", options, &settings)?;
    let mut record = Record::new("bopl-second-order", options.seed, settings);
    let (mut tables, mut panels) = (Vec::new(), Vec::new());
    for &name in &options.plan.tasks {
        let task = Task::load(name, &options.search, StandIn { seed: options.seed, rows: size.stand_in })?;
        let provenance = task.provenance();
        let most = size.rows.map(|[log, held_out]| MostRows { log, held_out });
        let units = Units { task: &task, explorer: Explorer::of(name), most, options, run: &run };
        let methods = REFERENCES.into_iter().chain([Method::SecondOrder]);
        let chosen: Vec<_> =
            methods.map(|method| (method, size.cut(Parameters::table_5(method, name)))).collect();
        let trials = |method| options.trials_of(name, method);
        let histories = units.run("second order", &chosen, trials, Scored::Validation)?;
        let played = chosen.iter().zip(histories);
        let played: Vec<Played> =
            played.map(|((method, _), histories)| Played { method: *method, histories }).collect();
        for ((method, parameters), one) in chosen.iter().zip(&played) {
            record.seconds += one.histories.iter().map(|history| history.seconds).sum::<f64>();
            let settings = serde_json::to_value(parameters).unwrap_or_default();
            record.trials.extend((0..).zip(&one.histories).map(|(trial, history)| Trial {
                dataset: name.to_string(),
                method: method.to_string(),
                metric: "validation reward".to_owned(),
                trial,
                seed: options.seed,
                value: history.reward,
                settings: settings.clone(),
                provenance,
            }));
        }
        tables.push(table(name.as_str(), provenance, &played)?);
        panels.push(panel(name.as_str(), provenance, &played));
    }
    run.end(&mut record);
    write(&record, &tables, panels, options)
}

/// A row per reference: its own end, as means over the trials, and when second-order steps reached it.
fn table(task: &str, provenance: Provenance, played: &[Played]) -> Result<Table, ExperimentError> {
    let columns = [
        "trials",
        "rounds",
        "seconds",
        "objective",
        "validation reward",
        "its objective: rounds",
        "seconds",
        "its reward: rounds",
        "seconds",
    ];
    let mut table = Table::new(task, &columns);
    let Some((second_order, references)) = played.split_last() else { return Ok(table) };
    for Played { method, histories } in references {
        let mut cells = ends(histories);
        for reached in [objective, reward] {
            let pairs = second_order.histories.iter().zip(histories);
            let found: Vec<_> = pairs.map(|(history, other)| reached(history, other)).collect();
            cells.extend(times(&found));
        }
        table.push(&format!("{method}, second order reaches"), provenance, cells)?;
    }
    let mut cells = ends(&second_order.histories);
    cells.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
    table.push(second_order.method.name(), provenance, cells)?;
    Ok(table)
}

/// The number of trials, and the means of rounds, seconds, objective and reward at the end.
fn ends(histories: &[Arc<History>]) -> Vec<Cell> {
    let mean = |of: &dyn Fn(&History) -> f64| {
        histories.iter().map(|history| of(history)).sum::<f64>() / histories.len() as f64
    };
    let last = |history: &History| history.snapshots.last().and_then(|last| last.objective);
    vec![
        Cell::Count(histories.len() as u64),
        Cell::Text(format!("{:.0}", mean(&|history| f64::from(history.rounds)))),
        Cell::Text(significant(mean(&|history| history.seconds), 3)),
        Cell::Text(format!("{:.4}", mean(&|history| last(history).unwrap_or(f64::NAN)))),
        Cell::Text(format!("{:.4}", mean(&|history| history.reward))),
    ]
}

/// The medians of rounds and seconds over the trials; a trial that did not get there counts as the latest.
fn times(reached: &[Option<Reached>]) -> [Cell; 2] {
    let (trials, got_there) = (reached.len(), reached.iter().flatten().count());
    let share = if got_there < trials { format!(" ({got_there} of {trials} did)") } else { String::new() };
    let median = |of: fn(&Reached) -> f64| {
        let mut found: Vec<f64> = reached.iter().map(|one| one.as_ref().map_or(f64::INFINITY, of)).collect();
        found.sort_by(f64::total_cmp);
        found.get(trials / 2).copied().filter(|found| found.is_finite())
    };
    match (median(|found| f64::from(found.round)), median(|found| found.seconds)) {
        (Some(rounds), Some(seconds)) => {
            [Cell::Text(format!("{rounds:.0}{share}")), Cell::Text(significant(seconds, 3))]
        }
        _ => [Cell::Text(format!("not reached{share}")), Cell::Empty],
    }
}

/// Validation reward by seconds in the first trial.
fn panel(task: &str, provenance: Provenance, played: &[Played]) -> LinePanel {
    let curve = |one: &Played| {
        let snapshots = &one.histories.first()?.snapshots;
        let points = snapshots.iter().filter_map(|snapshot| Some((snapshot.seconds?, snapshot.reward)));
        let (x, y) = points.unzip();
        Some(Series { name: one.method.to_string(), x, y, band: None, stroke: Stroke::Solid })
    };
    LinePanel { title: task.to_owned(), provenance, series: played.iter().filter_map(curve).collect() }
}

fn write(
    record: &Record,
    tables: &[Table],
    panels: Vec<LinePanel>,
    options: &Options,
) -> Result<Report, ExperimentError> {
    let title = format!("What second-order steps save: {}, seed {}", options.kind(), record.seed);
    let mut output = Output::of(record, options, &title)?;
    output.line(format_args!(
        "\nBOPL-S-regr with the parameters of [L23, Table 5], with the paper's and with sharp constants, and with \
         second-order trees and steps, whose parameters were found by hand while looking at rewards of trial 0. The objective \
         is that of the log; rewards are of *validation* rows. The last columns: the first kept round (every sixtieth of a run) \
         of second-order steps with as low an objective, or as large a reward, as the row has at its end, medians over the \
         trials. A reward crosses another one by chance, too.\n",
    ));
    tables.iter().for_each(|table| output.table(table));
    output.line(format_args!(
        "The rounds took {:.0} s on all threads together, commit {}.",
        record.seconds, record.commit
    ));
    let plot = LinePlot {
        title: Some("Reward on validation rows by the seconds of training, trial 0".to_owned()),
        x: Axis::linear("seconds of the rounds"),
        y: Axis::linear("mean reward of the argmax policy"),
        panels,
    };
    output.file(".svg", plot.to_svg()?);
    output.write()
}

#[cfg(test)]
mod tests;
