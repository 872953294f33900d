//! The record, the page and the pictures of the experiment.

use super::growth::{Exponent, FITTED, Summary, exponent};
use super::methods::{Method, Run};
use super::problems::Problem;
use super::{Options, Outcome, Settings};
use crate::runner::{ExperimentError, Output, Report};
use report::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
use report::record::{PaperRow, Provenance, Record, Trial, mean_and_std};
use report::table::{Cell, Table};
use std::sync::Arc;

/// The trials of every problem.
type Found = [(Problem, Vec<Arc<Outcome>>)];

const REGRET: &str = "exponent of the regret";
const COST: &str = "exponent of a round's gradients";

pub(super) fn settings(settings: &Settings, options: &Options) -> serde_json::Value {
    serde_json::json!({ "decides": settings, "trials": options.trials })
}

/// The rows of a record: regret and seconds per round, with T in the metric name and the counts in the
/// settings.
pub(super) fn trials(problem: Problem, trial: u64, seed: u64, outcome: &Outcome) -> Vec<Trial> {
    let mut rows = Vec::new();
    for run in &outcome.runs {
        let (t, rounds) = (run.rounds, f64::from(run.rounds));
        let regret = outcome.regret(run).map(|regret| (format!("regret, T = {t}"), regret));
        for (metric, value) in
            regret.into_iter().chain([(format!("seconds a round, T = {t}"), run.seconds / rounds)])
        {
            rows.push(Trial {
                dataset: format!("{}, {}", problem.name(), oracle(run.noise)),
                method: run.method.name().to_owned(),
                metric,
                trial,
                seed,
                value,
                settings: serde_json::json!({
                    "gradients": run.gradients,
                    "minimisations": run.minimisations,
                    "projections": run.projections,
                }),
                provenance: outcome.provenance,
            });
        }
    }
    rows
}

/// The figures of \[BH20, Table 1\].
pub(super) fn printed() -> Vec<PaperRow> {
    let row = |method: Method, metric: &str, mean: f64| PaperRow {
        dataset: "BH20, Table 1".to_owned(),
        method: method.name().to_owned(),
        metric: metric.to_owned(),
        mean,
        std: None,
    };
    let of = |method: Method| method.printed().map(|(r, c)| [row(method, REGRET, r), row(method, COST, c)]);
    Method::ALL.into_iter().filter_map(of).flatten().collect()
}

fn oracle(noise: f64) -> &'static str {
    if noise > 0.0 { "noisy gradients" } else { "exact gradients" }
}

pub(super) fn write(record: &Record, found: &Found, options: &Options) -> Result<Report, ExperimentError> {
    let mut output = Output::of(record, options, &title(record, options))?;
    output.line(format_args!("\n{}", caption(record, found, options)));
    for table in [regrets(found, record.seed)?, costs(found, record.seed)?, longest(found)?] {
        output.line("");
        output.table(&table);
    }
    output.file(".svg", growth_plot(found, options).to_svg()?);
    output.file("-seconds.svg", seconds_plot(found, options).to_svg()?);
    output.write()
}

fn title(record: &Record, options: &Options) -> String {
    let (kind, trials) = (options.kind(), options.trials);
    format!("Projection-free OCO: {kind}, {trials} trials, seed {}", record.seed)
}

fn caption(record: &Record, found: &Found, options: &Options) -> String {
    let cut = if options.quick { " Horizons are short and budgets small: a look, not a result." } else { "" };
    let bests = found.iter().flat_map(|(_, outcomes)| outcomes).flat_map(|outcome| &outcome.bests);
    let gap = bests.map(|best| best.gap / f64::from(best.rounds).sqrt()).fold(0.0, f64::max);
    format!(
        "Exponents of T: least squares on the logarithms of the means over {} trials (of seconds: the fastest trials) at the {FITTED} longest horizons of each \
         method, in brackets the middle 95 % of 1000 bootstrap samples of the trials.{cut} Streams marked synthetic are made up; abalone \
         is a row a round. Noisy gradients carry noise of norm 1. Comparators are certified to {gap:.1e}·√T. The trials took {:.0} s \
         together, commit {}.",
        options.trials, record.seconds, record.commit
    )
}

/// The horizons of a method, and one value per trial and horizon.
struct Runs {
    horizons: Vec<f64>,
    trials: Vec<Vec<f64>>,
    summary: Summary,
}

impl Runs {
    fn of(
        outcomes: &[Arc<Outcome>],
        method: Method,
        noisy: bool,
        summary: Summary,
        value: impl Fn(&Outcome, &Run) -> Option<f64>,
    ) -> Self {
        let chosen = |outcome: &Outcome| -> Vec<(f64, f64)> {
            let runs = outcome.runs.iter().filter(|run| run.method == method && (run.noise > 0.0) == noisy);
            runs.filter_map(|run| Some((f64::from(run.rounds), value(outcome, run)?))).collect()
        };
        let horizons = outcomes.first().map(|outcome| chosen(outcome).into_iter().map(|p| p.0).collect());
        let trials =
            outcomes.iter().map(|outcome| chosen(outcome).into_iter().map(|p| p.1).collect()).collect();
        Self { horizons: horizons.unwrap_or_default(), trials, summary }
    }

    fn regret(outcomes: &[Arc<Outcome>], method: Method, noisy: bool) -> Self {
        Self::of(outcomes, method, noisy, Summary::Mean, |outcome, run| outcome.regret(run))
    }

    fn exponent(&self, seed: u64) -> Option<Exponent> {
        exponent(&self.horizons, &self.trials, self.summary, seed)
    }

    /// T and the summary of the trials.
    fn summaries(&self) -> Vec<(f64, f64)> {
        let at = |k: usize| self.summary.of(self.trials.iter().filter_map(|trial| trial.get(k).copied()));
        self.horizons.iter().enumerate().filter_map(|(k, t)| Some((*t, at(k)?))).collect()
    }
}

fn provenance(outcomes: &[Arc<Outcome>]) -> Provenance {
    outcomes.first().map_or(Provenance::Synthetic, |outcome| outcome.provenance)
}

const NAMES: fn() -> Vec<&'static str> = || Method::ALL.map(Method::name).to_vec();

fn paper_row(table: &mut Table, of: impl Fn((f64, f64)) -> f64) -> Result<(), ExperimentError> {
    let cell =
        |method: Method| method.printed().map_or(Cell::Empty, |printed| Cell::Text(of(printed).to_string()));
    // The paper's own figure is official whatever data ours was made on.
    Ok(table.push("BH20, Table 1", Provenance::Official, Method::ALL.map(cell).to_vec())?)
}

fn interval(fit: Exponent) -> Cell {
    Cell::Text(format!("{:.2} [{:.2}, {:.2}]", fit.slope, fit.low, fit.high))
}

fn regrets(found: &Found, seed: u64) -> Result<Table, ExperimentError> {
    let mut table = Table::new("regret ~ T^…", &NAMES());
    paper_row(&mut table, |printed| printed.0)?;
    for (problem, outcomes) in found {
        for noisy in [false, true] {
            let cell = |method: Method| {
                let runs = Runs::regret(outcomes, method, noisy);
                let negative = runs.summaries().last().is_some_and(|(_, mean)| *mean <= 0.0);
                let none = if negative { Cell::Text("regret ≤ 0".to_owned()) } else { Cell::Empty };
                runs.exponent(seed).map_or(none, interval)
            };
            let label = format!("{}, {}", problem.name(), oracle(f64::from(u8::from(noisy))));
            table.push(&label, provenance(outcomes), Method::ALL.map(cell).to_vec())?;
        }
    }
    Ok(table)
}

fn costs(found: &Found, seed: u64) -> Result<Table, ExperimentError> {
    let mut table = Table::new("cost of a round ~ T^…", &NAMES());
    paper_row(&mut table, |printed| printed.1)?;
    for (problem, outcomes) in found {
        for (what, gradients) in [("gradients", true), ("seconds", false)] {
            let cell = |method: Method| {
                let value = |run: &Run| if gradients { run.gradients as f64 } else { run.seconds };
                let runs = Runs::of(outcomes, method, true, Summary::Least, |_, run| {
                    Some(value(run) / f64::from(run.rounds))
                });
                runs.exponent(seed).map_or(Cell::Empty, |fit| {
                    if gradients { Cell::Text(format!("{:.2}", fit.slope)) } else { interval(fit) }
                })
            };
            let label = format!("{}, {what}", problem.name());
            table.push(&label, provenance(outcomes), Method::ALL.map(cell).to_vec())?;
        }
    }
    Ok(table)
}

/// Every method at its longest horizon, with noise.
fn longest(found: &Found) -> Result<Table, ExperimentError> {
    let columns = [
        "T",
        "regret",
        "gradients a round",
        "lmo a round",
        "projections a round",
        "µs a round, fastest trial",
    ];
    let mut table = Table::new("the longest horizon, noisy gradients", &columns);
    for (problem, outcomes) in found {
        for method in Method::ALL {
            let runs: Vec<(&Outcome, &Run)> = outcomes
                .iter()
                .filter_map(|outcome| {
                    let of = outcome.runs.iter().filter(|run| run.method == method && run.noise > 0.0);
                    Some((outcome.as_ref(), of.max_by_key(|run| run.rounds)?))
                })
                .collect();
            let Some((_, first)) = runs.first() else { continue };
            let rounds = f64::from(first.rounds);
            let regrets: Vec<f64> = runs.iter().filter_map(|(outcome, run)| outcome.regret(run)).collect();
            let fastest = Summary::Least.of(runs.iter().map(|(_, run)| 1e6 * run.seconds / rounds));
            let whole = |count: u64| Cell::Number(count as f64 / rounds);
            let cells = vec![
                Cell::Count(first.rounds.into()),
                estimate(&regrets),
                whole(first.gradients),
                whole(first.minimisations),
                whole(first.projections),
                fastest.map_or(Cell::Empty, Cell::Number),
            ];
            table.push(&format!("{}, {}", problem.name(), method.name()), provenance(outcomes), cells)?;
        }
    }
    Ok(table)
}

fn estimate(values: &[f64]) -> Cell {
    let (mean, std) = mean_and_std(values);
    Cell::Estimate { mean, std }
}

/// The positive points, for a logarithmic axis.
fn curve(method: Method, points: impl Iterator<Item = (f64, f64)>) -> Option<Series> {
    let (x, y): (Vec<f64>, Vec<f64>) = points.filter(|(x, y)| *x > 0.0 && *y > 0.0).unzip();
    let stroke = if method == Method::Ogd { Stroke::Dashed } else { Stroke::Solid };
    (!x.is_empty()).then(|| Series { name: method.name().to_owned(), x, y, band: None, stroke })
}

fn panels(found: &Found, curve: impl Fn(Method, &[Arc<Outcome>]) -> Option<Series>) -> Vec<LinePanel> {
    let panel = |(problem, outcomes): &(Problem, Vec<Arc<Outcome>>)| LinePanel {
        title: problem.name().to_owned(),
        provenance: provenance(outcomes),
        series: Method::ALL.into_iter().filter_map(|method| curve(method, outcomes)).collect(),
    };
    found.iter().map(panel).filter(|panel| !panel.series.is_empty()).collect()
}

/// Mean regret against T, with noisy gradients.
fn growth_plot(found: &Found, options: &Options) -> LinePlot {
    let kind = options.note();
    LinePlot {
        title: Some(format!("Regret as T grows, noisy gradients{kind}")),
        x: Axis::log("T"),
        y: Axis::log("mean regret"),
        panels: panels(found, |method, outcomes| {
            curve(method, Runs::regret(outcomes, method, true).summaries().into_iter())
        }),
    }
}

/// Mean regret per round against the seconds of the fastest run, one point per horizon, with noisy gradients.
fn seconds_plot(found: &Found, options: &Options) -> LinePlot {
    let kind = options.note();
    LinePlot {
        title: Some(format!("What a second buys: regret a round against the seconds of all T rounds{kind}")),
        x: Axis::log("seconds of the run"),
        y: Axis::log("mean regret a round"),
        panels: panels(found, |method, outcomes| {
            let seconds =
                Runs::of(outcomes, method, true, Summary::Least, |_, run| Some(run.seconds)).summaries();
            let regrets = Runs::regret(outcomes, method, true).summaries();
            curve(method, seconds.into_iter().zip(regrets).map(|((t, s), (_, regret))| (s, regret / t)))
        }),
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these numbers are exact")]
mod tests;
