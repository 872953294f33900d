//! BOPL-regr with one parameter changed at a time: the effect on its rewards, on *validation* rows.

use super::history::History;
use super::logging_policy::{Explorer, FITS};
use super::measured::mean_and_width;
use super::methods::Method;
use super::parameters::Parameters;
use super::task::{MostRows, Task};
use super::task_name::TaskName;
use super::units::{Scored, Units};
use super::{Options, SCHEME, Size};
use crate::runner::{ExperimentError, Output, Report, Run, side_by_side};
use datasets::StandIn;
use off_policy::policies::Columns;
use report::paired::Interval;
use report::plot::{Dot, DotPanel, DotPlot};
use report::record::{Provenance, Record, Trial};
use report::table::{Cell, Table};
use report::trials::{Trials, WorkError};
use std::sync::Arc;

/// A changed BOPL-regr and its logging policy.
#[derive(Debug, Clone, PartialEq)]
struct Variation {
    name: String,
    method: Method,
    parameters: Parameters,
    explorer: Explorer,
}

/// The trials of one variation.
struct Tried {
    variation: Variation,
    /// The mean reward of the logging policy.
    logging: Vec<f64>,
    histories: Vec<Arc<History>>,
}

/// The variations of learning: every parameter but λ, clipped weights, and the sharp constants. The first
/// changes nothing.
fn of_learning(start: Parameters, explorer: Explorer) -> Vec<Variation> {
    let mut all = Vec::new();
    let mut vary = |name: String, method, parameters| {
        all.push(Variation { name, method, parameters, explorer });
    };
    let weighing = |times: f64| Parameters { min_child_weight: times * start.min_child_weight, ..start };
    vary("as it is".to_owned(), Method::BoplRegr, start);
    for times in [0.1, 0.3, 3.0, 7.0] {
        vary(format!("min_child_weight × {times}"), Method::BoplRegr, weighing(times));
    }
    for max_depth in [start.max_depth / 2, start.max_depth * 2] {
        vary(format!("depth {max_depth}"), Method::BoplRegr, Parameters { max_depth, ..start });
    }
    for by in [0.2, 0.1, -0.1, -0.2] {
        let translation = start.translation + by;
        vary(format!("translation {translation:.2}"), Method::BoplRegr, Parameters { translation, ..start });
    }
    for most in [3.0, 10.0, 30.0] {
        let parameters = Parameters { clip: Some(most), ..start };
        vary(format!("1/p at most {most}"), Method::BoplRegr, parameters);
    }
    let rounds = 2 * start.rounds;
    vary(format!("{rounds} rounds"), Method::BoplRegr, Parameters { rounds, ..start });
    vary("sharp constants".to_owned(), Method::SharpRegr, start);
    vary("sharp constants, min_child_weight × 3".to_owned(), Method::SharpRegr, weighing(3.0));
    all
}

/// The largest unstated distance of a logging policy's reward from its target.
const NEAR: f64 = 0.005;

/// The variations of the log: more and less exploration and raw columns, with a ridge that keeps the policy's
/// reward; and better policies. Ridges are searched in the first trial.
fn of_logging(
    start: Parameters,
    units: &Units<'_>,
    ridges: &Trials<(Explorer, f64)>,
) -> Result<Vec<Variation>, ExperimentError> {
    let Units { task, most, options, run, .. } = *units;
    let (usual, name) = (units.explorer, task.name);
    let is_labelled = |task: &TaskName| *task != TaskName::OpenBandit;
    let labelled = task.labelled().ok_or_else(|| ExperimentError::UnknownSource {
        text: name.to_string(),
        known: TaskName::ALL.into_iter().filter(is_labelled).map(TaskName::as_str).collect(),
    })?;
    let reward = |explorer| labelled.logging_reward(explorer, most, options.seed, 0);
    let now = reward(usual)?;
    let (standardised, raw) = (Columns::Standardised, Columns::Raw);
    let mut asked: Vec<(String, Explorer, f64)> = Vec::new();
    for (columns, epsilon) in
        [(standardised, 0.0), (standardised, 0.3), (standardised, 0.5), (raw, 0.0), (raw, 0.1), (raw, 0.5)]
    {
        let on = if columns == raw { ", columns as they are" } else { "" };
        asked.push((format!("logged with ε = {epsilon}{on}"), Explorer { epsilon, columns, ..usual }, now));
    }
    for times in [1.25, 1.5] {
        asked.push((format!("logged with reward × {times}"), usual, times * now));
    }
    let fits = asked.len() as u64 * u64::from(FITS);
    let stage = run.progress.stage(&format!("{name}: logging policies"), fits);
    let found = side_by_side(&asked, options.threads, |(_, explorer, target)| {
        let key = format!("{}/{}/{explorer:?}/{target:e}", name, units.data());
        if let Some(kept) = ridges.get(&key) {
            stage.resume(u64::from(FITS));
            return Ok(*kept);
        }
        let work = || {
            explorer.calibrated(*target, |tried| {
                let found = reward(tried);
                stage.done(1);
                found
            })
        };
        Ok(*ridges.get_or_try_run(&key, work).map_err(WorkError::into_error)?)
    })?;
    stage.finish();
    let variation = |((name, _, target), (explorer, found)): ((String, Explorer, f64), (Explorer, f64))| {
        let is_met = (found - target).abs() <= NEAR;
        let name = if is_met { name } else { format!("{name}, {target:.3} not reached") };
        Variation { name, method: Method::BoplRegr, parameters: start, explorer }
    };
    Ok(asked.into_iter().zip(found).map(variation).collect())
}

/// Runs the variations of every requested task, resuming finished units, and writes `bopl-variations.json`,
/// `bopl-variations.md` and `bopl-variations.svg`. No test row reaches a choice, a table or the figure.
///
/// # Errors
/// [`ExperimentError`]. Finished units are kept in `bopl-variations-*.trials`, and ridges in
/// `bopl-ridges-*.trials`.
pub fn run(options: &Options) -> Result<Report, ExperimentError> {
    options.check(options.plan.tasks.len())?;
    let size = Size::of(options.quick);
    let settings = serde_json::json!({ "seed": options.seed, "size": size, "scheme": SCHEME });
    let run = Run::<History>::begin("bopl-variations", options, &settings)?;
    let ridges = Trials::<(Explorer, f64)>::of_experiment(&options.out, "bopl-ridges", &settings)?;
    let mut record = Record::new("bopl-variations", options.seed, settings);
    let (mut tables, mut panels) = (Vec::new(), Vec::new());
    for &name in &options.plan.tasks {
        let task = Task::load(name, &options.search, StandIn { seed: options.seed, rows: size.stand_in })?;
        let provenance = task.provenance();
        let most = size.rows.map(|[log, held_out]| MostRows { log, held_out });
        let start = size.cut(Parameters::table_5(Method::BoplRegr, name));
        let usual = Explorer::of(name);
        let units = Units { task: &task, explorer: usual, most, options, run: &run };
        let mut tried = units.try_these(of_learning(start, usual))?;
        for variation in of_logging(start, &units, &ridges)? {
            tried.extend(Units { explorer: variation.explorer, ..units }.try_these(vec![variation])?);
        }
        for one in &tried {
            record.trials.extend(one.trials(name.as_str(), options.seed, provenance));
            record.seconds += one.histories.iter().map(|history| history.seconds).sum::<f64>();
        }
        tables.push(table(name.as_str(), provenance, &tried)?);
        panels.push(panel(name.as_str(), provenance, &tried));
    }
    run.end(&mut record);
    write(&record, &tables, panels, options)
}

impl Units<'_> {
    /// The trials of variations with one logging policy, and of that policy.
    fn try_these(&self, variations: Vec<Variation>) -> Result<Vec<Tried>, ExperimentError> {
        let logs = (Method::Logging, Parameters::table_5(Method::Logging, self.task.name));
        let chosen: Vec<(Method, Parameters)> =
            std::iter::once(logs).chain(variations.iter().map(|one| (one.method, one.parameters))).collect();
        let stage = match &variations[..] {
            [one] => one.name.clone(),
            _ => "variations".to_owned(),
        };
        let trials = |method| self.options.trials_of(self.task.name, method);
        let mut histories = self.run(&stage, &chosen, trials, Scored::Validation)?.into_iter();
        let logging = histories.next().unwrap_or_default();
        let logging: Vec<f64> =
            logging.iter().filter_map(|history| Some(history.logging?.on_validation)).collect();
        let tried = |(variation, histories)| Tried { variation, logging: logging.clone(), histories };
        Ok(variations.into_iter().zip(histories).map(tried).collect())
    }
}

impl Tried {
    fn rewards(&self) -> Vec<f64> {
        self.histories.iter().map(|history| history.reward).collect()
    }

    fn trials(&self, dataset: &str, seed: u64, provenance: Provenance) -> Vec<Trial> {
        let Variation { name, parameters, explorer, .. } = &self.variation;
        let settings = serde_json::json!({ "parameters": parameters, "logging policy": explorer });
        let trial = |(trial, value)| Trial {
            dataset: dataset.to_owned(),
            method: name.clone(),
            metric: "validation reward".to_owned(),
            trial,
            seed,
            value,
            settings: settings.clone(),
            provenance,
        };
        (0..).zip(self.rewards()).map(trial).collect()
    }
}

fn table(task: &str, provenance: Provenance, tried: &[Tried]) -> Result<Table, ExperimentError> {
    let columns = [
        "trials",
        "validation reward",
        "points more than as it is",
        "the log's reward",
        "ridge",
        "rounds that break a theorem",
    ];
    let mut table = Table::new(task, &columns);
    let as_it_is = tried.first().map(Tried::rewards).unwrap_or_default();
    let text = |found: Option<String>| found.map_or(Cell::Empty, Cell::Text);
    for (place, one) in tried.iter().enumerate() {
        let rewards = one.rewards();
        let more = Interval::of_differences(&rewards, &as_it_is).filter(|_| place > 0);
        let broken =
            one.histories.iter().map(|history| history.short_of_the_decrease + history.above_the_bound);
        table.push(
            &one.variation.name,
            provenance,
            vec![
                Cell::Count(rewards.len() as u64),
                text(Interval::of(&rewards).map(mean_and_width)),
                text(more.map(Interval::points)),
                text(Interval::of(&one.logging).map(mean_and_width)),
                Cell::Text(format!("{}", (one.variation.explorer.ridge * 1e9).round() / 1e9)),
                Cell::Count(broken.map(u64::from).sum()),
            ],
        )?;
    }
    Ok(table)
}

/// The effect of every variation, in points.
fn panel(task: &str, provenance: Provenance, tried: &[Tried]) -> DotPanel {
    let as_it_is = tried.first().map(Tried::rewards).unwrap_or_default();
    let dot = |one: &Tried| {
        let more = Interval::of_differences(&one.rewards(), &as_it_is)?.scaled(100.0);
        let interval = more.half_width.map(|width| (more.mean - width, more.mean + width));
        Some(Dot { label: one.variation.name.clone(), value: more.mean, interval })
    };
    DotPanel { title: task.to_owned(), provenance, dots: tried.iter().skip(1).filter_map(dot).collect() }
}

fn write(
    record: &Record,
    tables: &[Table],
    panels: Vec<DotPanel>,
    options: &Options,
) -> Result<Report, ExperimentError> {
    let short = if options.quick { " but for fewer rounds" } else { "" };
    let title = format!(
        "BOPL-regr with one thing at a time that is not as it was: {}, seed {}",
        options.kind(),
        record.seed
    );
    let mut output = Output::of(record, options, &title)?;
    output.line(format_args!(
        "\nMean rewards of the argmax policy on \
         *validation* rows ± half the length of the 95% interval over the trials, Student's; differences are paired. All trials \
         have the same validation rows, so that intervals are of other logs and not of other rows; of twenty differences, one \
         is expected beyond its interval by chance. The first row has the parameters of [L23, Table 5]{short}. Ridges were \
         looked for in the first trial.\n",
    ));
    tables.iter().for_each(|table| output.table(table));
    output.line(format_args!(
        "The rounds took {:.0} s on all threads together, commit {}.",
        record.seconds, record.commit
    ));
    let title = Some("What the rewards of BOPL-regr hang on".to_owned());
    let x = "points more on validation rows than as it is, 95% interval".to_owned();
    output.file(".svg", DotPlot { title, x, line: 0.0, panels }.to_svg()?);
    output.write()
}

#[cfg(test)]
mod tests;
