//! The record, the page and the figures of the experiment.

use super::methods::Method;
use super::{DECREASE, HINDSIGHT, LOSS, Options, Outcome, Settings};
use crate::runner::{ExperimentError, Output, Report};
use datasets::Name;
use report::plot::{Axis, Bar, BarGroup, BarPanel, BarPlot, LinePanel, LinePlot, Series, Stroke};
use report::record::{Provenance, Record, Row, mean_and_std};
use report::table::{Cell, Table};
use std::sync::Arc;

/// The settings of the record: the inputs of the outcome, and the request.
pub(super) fn settings(settings: &Settings, options: &Options) -> serde_json::Value {
    serde_json::json!({
        "decides": settings,
        "trials": options.trials,
        "quick": options.quick,
        "datasets": options.plan.datasets.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub(super) fn write(
    record: &Record,
    curves: &[(Name, Vec<Arc<Outcome>>)],
    options: &Options,
) -> Result<Report, ExperimentError> {
    let mut output = Output::of(record, options, &title(record, options))?;
    output.line(format_args!("\n{}", caption(record, options)));
    for table in [losses(record)?, decreases(record)?] {
        output.line("");
        output.table(&table);
    }
    output.file(".svg", bars(record, options).to_svg()?);
    output.file("-curves.svg", lines(curves, options).to_svg()?);
    output.write()
}

fn title(record: &Record, options: &Options) -> String {
    let (kind, trials) = (options.kind(), options.trials);
    format!("Bandit boosting: {kind}, {trials} trials, seed {}", record.seed)
}

fn caption(record: &Record, options: &Options) -> String {
    let cut =
        if options.quick { " Halves are cut short and the grid is small: a look, not a result." } else { "" };
    let delta = if options.plan.delta == 0.5 {
        String::new()
    } else {
        format!(" δ = {}, not ½.", options.plan.delta)
    };
    format!(
        "Progressive squared loss on the second half of the examples, mean ± standard deviation over {} trials (a \
         stand-in: 3); \
         settings tuned on the first half.{cut}{delta} Labels are coded into [−1, 1]; the paper leaves its label ranges \
         blank, so compare the relative figures. The trials took {:.0} s on all threads together, commit {}.",
        options.trials, record.seconds, record.commit
    )
}

/// The methods of a table, in order.
const COLUMNS: [Method; 7] = [
    Method::Ogd,
    Method::OnlineBoosting,
    Method::NFkm,
    Method::BanditBoosting,
    Method::OneQueryFkm,
    Method::OgdLargeBall,
    Method::NFkmLargeBall,
];

fn datasets(record: &Record) -> Vec<(String, Provenance)> {
    let mut seen: Vec<(String, Provenance)> = Vec::new();
    for row in &record.rows {
        if seen.iter().all(|(name, _)| *name != row.dataset) {
            seen.push((row.dataset.clone(), row.provenance));
        }
    }
    seen
}

fn find<'a>(record: &'a Record, dataset: &str, method: &str, metric: &str) -> Option<&'a Row> {
    record.rows.iter().find(|row| row.dataset == dataset && row.method == method && row.metric == metric)
}

fn losses(record: &Record) -> Result<Table, ExperimentError> {
    let names = COLUMNS.map(Method::name);
    let columns: Vec<&str> = names.into_iter().chain([HINDSIGHT]).collect();
    let mut table = Table::new("squared loss", &columns);
    for (dataset, provenance) in datasets(record) {
        let cell = |method: &&str| find(record, &dataset, method, LOSS).map_or(Cell::Empty, Cell::from);
        table.push(&dataset, provenance, columns.iter().map(cell).collect())?;
        let printed = |method: &&str| {
            let mut rows = record.paper.iter();
            let found = rows.find(|r| r.dataset == dataset && r.method == **method && r.metric == LOSS);
            found.map_or(Cell::Empty, Cell::from)
        };
        // The paper's own figure is official whatever data ours was made on.
        let label = format!("{dataset}, BH20");
        table.push(&label, Provenance::Official, columns.iter().map(printed).collect())?;
    }
    Ok(table)
}

fn decreases(record: &Record) -> Result<Table, ExperimentError> {
    let columns = ["full information", "BH20", "bandit", "BH20"];
    let mut table = Table::new("relative decrease", &columns);
    let percent = |value: f64| format!("{:.2}%", 100.0 * value);
    for (dataset, provenance) in datasets(record) {
        let mut cells = Vec::new();
        for method in [Method::OnlineBoosting, Method::BanditBoosting] {
            let ours = find(record, &dataset, method.name(), DECREASE);
            let ours = ours.map(|row| format!("{} ± {}", percent(row.mean), percent(row.std)));
            let mut paper = record.paper.iter();
            let paper = paper
                .find(|row| row.dataset == dataset && row.method == method.name() && row.metric == DECREASE);
            for text in [ours, paper.map(|row| percent(row.mean))] {
                cells.push(text.map_or(Cell::Empty, Cell::Text));
            }
        }
        table.push(&dataset, provenance, cells)?;
    }
    Ok(table)
}

/// Table 2 as bars: a panel per data set, a group per setting, with the weak learner alone, boosted, and one
/// learner with the capacity of the boosted class.
fn bars(record: &Record, options: &Options) -> BarPlot {
    let bar = |dataset: &str, method: Method, series: &str| {
        find(record, dataset, method.name(), LOSS).map(|row| Bar {
            series: series.to_owned(),
            value: row.mean,
            error: Some(row.std),
            reported: None,
        })
    };
    let group = |dataset: &str, label: &str, methods: [Method; 3]| BarGroup {
        label: label.to_owned(),
        bars: methods
            .into_iter()
            .zip(["weak learner alone", "boosted", "one learner on the larger ball"])
            .filter_map(|(method, series)| bar(dataset, method, series))
            .collect(),
    };
    let panel = |(dataset, provenance): (String, Provenance)| BarPanel {
        groups: vec![
            group(&dataset, "full information", [Method::Ogd, Method::OnlineBoosting, Method::OgdLargeBall]),
            group(&dataset, "bandit", [Method::NFkm, Method::BanditBoosting, Method::NFkmLargeBall]),
        ],
        title: dataset,
        provenance,
    };
    BarPlot {
        title: Some(title(record, options)),
        y: "squared loss, progressive".to_owned(),
        panels: datasets(record).into_iter().map(panel).collect(),
    }
}

/// Learning curves: mean over the trials of the average loss so far, shaded by one standard deviation.
fn lines(curves: &[(Name, Vec<Arc<Outcome>>)], options: &Options) -> LinePlot {
    let panel = |(name, outcomes): &(Name, Vec<Arc<Outcome>>)| {
        let drawn = [Method::Ogd, Method::OnlineBoosting, Method::NFkm, Method::BanditBoosting];
        LinePanel {
            title: name.to_string(),
            provenance: outcomes.first().map_or(Provenance::Official, |outcome| outcome.provenance),
            series: drawn.into_iter().filter_map(|method| series(method, outcomes)).collect(),
        }
    };
    let kind = options.note();
    LinePlot {
        title: Some(format!("Average loss so far on the reporting half{kind}")),
        x: Axis::log("examples"),
        y: Axis::linear("squared loss"),
        panels: curves.iter().map(panel).collect(),
    }
}

/// Averages over a handful of examples are too noisy and would dominate the axis.
const FIRST_POINT: u64 = 100;

fn series(method: Method, outcomes: &[Arc<Outcome>]) -> Option<Series> {
    let curves: Vec<&[(u64, f64)]> = outcomes
        .iter()
        .filter_map(|outcome| outcome.runs.iter().find(|run| run.method == method))
        .map(|run| run.reported.curve.as_slice())
        .collect();
    let marks: Vec<u64> = curves.first()?.iter().map(|(t, _)| *t).filter(|t| *t >= FIRST_POINT).collect();
    let (mut x, mut y, mut band) = (Vec::new(), Vec::new(), Vec::new());
    for mark in marks {
        let values: Vec<f64> = curves
            .iter()
            .filter_map(|c| c.iter().find(|(t, _)| *t == mark))
            .map(|(_, value)| *value)
            .collect();
        let (mean, std) = mean_and_std(&values);
        #[allow(clippy::cast_precision_loss, reason = "a count of examples")]
        x.push(mark as f64);
        y.push(mean);
        band.push((mean - std, mean + std));
    }
    let stroke = match method {
        Method::Ogd | Method::NFkm => Stroke::Dashed,
        _ => Stroke::Solid,
    };
    Some(Series { name: method.name().to_owned(), x, y, band: Some(band), stroke })
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these numbers are exact")]
mod tests;
