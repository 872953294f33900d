//! The record, the page and the figures of the lecture.

use super::games::{VALUE, VALUES};
use super::theorem_2::GAP;
use super::{BOUND, Measured, Options, Part};
use crate::runner::{ExperimentError, Output, Report};
use report::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
use report::record::{Record, Row};
use report::table::{Cell, Table};

/// A figure, and the parts shown in its panels.
struct Figure {
    ending: &'static str,
    title: &'static str,
    x: &'static str,
    y: &'static str,
    of: fn(Part) -> bool,
}

const FIGURES: [Figure; 4] = [
    Figure {
        ending: "example-2",
        title: "W13, Example 2: regret of the leader and of the regularised leader",
        x: "rounds T",
        y: "regret",
        of: |part| part == Part::Example2,
    },
    Figure {
        ending: "theorem-2",
        title: "Regret against Theorem 2, logistic loss on real streams",
        x: "rounds T",
        y: "regret",
        of: |part| matches!(part, Part::Theorem2(_)),
    },
    Figure {
        ending: "mistakes",
        title: "Mistakes on a sparse target",
        x: "attributes n",
        y: "mistakes",
        of: |part| part == Part::Mistakes,
    },
    Figure {
        ending: "games",
        title: "Zero-sum games: certified gap of the average strategies",
        x: "rounds T",
        y: "certified gap",
        of: |part| part == Part::Games,
    },
];

pub(super) fn write(
    record: &Record,
    measured: &[Measured],
    options: &Options,
) -> Result<Report, ExperimentError> {
    let title =
        format!("The lecture, measured: {}, {} trials, seed {}", options.kind(), options.trials, record.seed);
    let mut output = Output::of(record, options, &title)?;
    for figure in &FIGURES {
        let parts: Vec<&Measured> = measured.iter().filter(|one| (figure.of)(one.part)).collect();
        output.file(&format!("-{}.svg", figure.ending), figure.plot(record, &parts).to_svg()?);
        output.section(figure.title, &[]);
        for part in parts {
            for panel in panels(part) {
                output.table(&table(record, part, panel)?);
            }
            if let Some(table) = values(record, part)? {
                output.table(&table);
            }
        }
    }
    output.line(format_args!(
        "Mean ± standard deviation over the trials. The trials took {:.0} s on all threads together, commit {}.",
        record.seconds, record.commit
    ));
    output.write()
}

impl Figure {
    fn plot(&self, record: &Record, parts: &[&Measured]) -> LinePlot {
        let panel = |part: &Measured, panel: &str| LinePanel {
            title: panel.to_owned(),
            provenance: part.provenance,
            series: curves(record, part, panel)
                .iter()
                .filter(|curve| curve.name != GAP && !VALUES.contains(&curve.name))
                .filter_map(Curve::drawn)
                .collect(),
        };
        LinePlot {
            title: Some(self.title.to_owned()),
            x: Axis::log(self.x),
            y: Axis::log(self.y),
            panels: parts
                .iter()
                .flat_map(|part| panels(part).into_iter().map(|name| panel(part, name)))
                .collect(),
        }
    }
}

/// A curve: the record's rows along x.
struct Curve<'a> {
    name: &'a str,
    at: Vec<(u64, &'a Row)>,
}

fn panels(part: &Measured) -> Vec<&str> {
    let mut seen: Vec<&str> = Vec::new();
    for point in part.trials.iter().flatten() {
        if !seen.contains(&point.panel.as_str()) {
            seen.push(&point.panel);
        }
    }
    seen
}

/// The curves of a panel in the order in which the first trial names them.
fn curves<'a>(record: &'a Record, part: &'a Measured, panel: &str) -> Vec<Curve<'a>> {
    let mut curves: Vec<Curve<'a>> = Vec::new();
    for point in part.trials.iter().take(1).flatten().filter(|point| point.panel == panel) {
        let index = curves.iter().position(|curve| curve.name == point.series).unwrap_or_else(|| {
            curves.push(Curve { name: &point.series, at: Vec::new() });
            curves.len() - 1
        });
        let metric = part.part.metric(&point.series, point.x);
        let row = record
            .rows
            .iter()
            .find(|row| row.dataset == panel && row.method == point.series && row.metric == metric);
        curves[index].at.extend(row.map(|row| (point.x, row)));
    }
    curves
}

impl Curve<'_> {
    /// The curve on logarithmic axes, without means that are not positive.
    fn drawn(&self) -> Option<Series> {
        let (mut x, mut y, mut band) = (Vec::new(), Vec::new(), Vec::new());
        for (at, row) in self.at.iter().filter(|(_, row)| row.mean > 0.0) {
            #[allow(clippy::cast_precision_loss, reason = "rounds and dimensions")]
            x.push(*at as f64);
            y.push(row.mean);
            // The lower edge of the band stays positive.
            band.push(((row.mean - row.std).max(0.1 * row.mean), row.mean + row.std));
        }
        let bound = self.name.contains(BOUND);
        let stroke = if bound { Stroke::Dashed } else { Stroke::Solid };
        let name = self.name.to_owned();
        (!x.is_empty()).then(|| Series { name, x, y, band: (!bound).then_some(band), stroke })
    }

    fn cell(&self, x: u64) -> Cell {
        match self.at.iter().find(|(at, _)| *at == x) {
            Some((_, row)) if self.name.contains(BOUND) => Cell::Number(row.mean),
            Some((_, row)) => Cell::from(*row),
            None => Cell::Empty,
        }
    }
}

/// A table per panel: a row per x, a column per curve. A bound has no spread.
fn table(record: &Record, part: &Measured, panel: &str) -> Result<Table, ExperimentError> {
    let curves: Vec<Curve<'_>> =
        curves(record, part, panel).into_iter().filter(|curve| !VALUES.contains(&curve.name)).collect();
    let names: Vec<&str> = curves.iter().map(|curve| curve.name).collect();
    let mut table = Table::new(panel, &names);
    let mut xs: Vec<u64> = curves.iter().flat_map(|curve| curve.at.iter().map(|(x, _)| *x)).collect();
    xs.sort_unstable();
    xs.dedup();
    for x in xs {
        let cells = curves.iter().map(|curve| curve.cell(x)).collect();
        table.push(&part.part.row(x), part.provenance, cells)?;
    }
    Ok(table)
}

/// The values of the games and the certificates of the last run, if the part has games.
fn values(record: &Record, part: &Measured) -> Result<Option<Table>, ExperimentError> {
    let mut table = None;
    for panel in panels(part) {
        let curves = curves(record, part, panel);
        let of = |name: &str| curves.iter().find(|curve| curve.name == name);
        let Some((x, _)) = of(VALUE).and_then(|curve| curve.at.last()) else { continue };
        let table = table.get_or_insert_with(|| Table::new(&format!("after T = {x}"), &VALUES));
        let cells = VALUES.iter().map(|name| of(name).map_or(Cell::Empty, |curve| curve.cell(*x))).collect();
        table.push(panel, part.provenance, cells)?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests;
