//! The record, the page and the figure.

use super::{Direction, Line, OpenBanditError, Options};
use crate::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
use crate::record::{Record, write_atomically};
use crate::table::{Cell, Table};
use off_policy::estimators::{Estimator, Interval};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What the run leaves behind.
#[derive(Debug)]
pub struct Report {
    /// The tables for a terminal.
    pub terminal: String,
    /// The files written.
    pub files: Vec<PathBuf>,
}

pub(super) fn write(
    record: &Record,
    directions: &[Direction],
    options: &Options,
) -> Result<Report, OpenBanditError> {
    let file = |ending: &str| options.out.join(format!("obd{ending}"));
    let files = vec![file(".json"), file(".md"), file(".svg")];
    record.save(&files[0])?;
    let mut page = String::from("# Off-policy evaluation on the Open Bandit Dataset, campaign men\n");
    let mut terminal = String::new();
    for direction in directions {
        let table = table(direction)?;
        let heading = heading(direction);
        let _ = writeln!(page, "\n## {heading}\n\n{}\n{}", table.to_markdown(), remarks(direction));
        let _ = writeln!(terminal, "{heading}\n{}\n{}\n", table.to_terminal(), remarks(direction));
    }
    let _ = writeln!(
        page,
        "\nClicks per 1,000 items shown; intervals of 95%: normal, bootstrap of {} replicates (seed {}), empirical Bernstein \
         where terms have a range that is known beforehand. Weights are cut at {} by clipped IPS and SWITCH-DR. DM, DR and \
         SWITCH-DR use click rates of the items, each half of the log for the other. {:.1} s, commit {}.",
        options.replicates,
        options.seed,
        super::CUT,
        record.seconds,
        record.commit
    );
    write_atomically(&files[1], page.as_bytes())?;
    write_atomically(&files[2], figure(directions).to_svg()?.as_bytes())?;
    Ok(Report { terminal, files })
}

fn heading(direction: &Direction) -> String {
    let Direction { policy, log, truth, truth_interval, provenance, .. } = direction;
    let made_up = provenance.label().map_or_else(String::new, |label| format!(", {label}"));
    format!(
        "{policy} by the log of {log}{made_up}: its own log says {} {}",
        thousandths(*truth),
        ends(Some(*truth_interval))
    )
}

fn table(direction: &Direction) -> Result<Table, OpenBanditError> {
    let columns = ["value", "standard error", "normal", "bootstrap", "empirical Bernstein", "meets it"];
    let mut table = Table::new("estimator", &columns);
    for Line { estimator, value, standard_error, normal, bootstrap, bernstein } in &direction.lines {
        // The truth has an interval of its own: do the two meet?
        let meets = normal.is_some_and(|interval| {
            interval.lower <= direction.truth_interval.upper
                && direction.truth_interval.lower <= interval.upper
        });
        let cells = vec![
            Cell::Text(thousandths(*value)),
            Cell::Text(thousandths(*standard_error)),
            Cell::Text(ends(*normal)),
            Cell::Text(ends(*bootstrap)),
            Cell::Text(ends(*bernstein)),
            Cell::Text(if meets { "yes" } else { "no" }.to_owned()),
        ];
        table.push(estimator.name(), direction.provenance, cells)?;
    }
    Ok(table)
}

fn thousandths(value: f64) -> String {
    format!("{:.2}", 1e3 * value)
}

fn ends(interval: Option<Interval>) -> String {
    interval.map_or_else(
        || "–".to_owned(),
        |Interval { lower, upper }| format!("[{}, {}]", thousandths(lower), thousandths(upper)),
    )
}

fn remarks(Direction { evaluation, .. }: &Direction) -> String {
    let support = &evaluation.support;
    let mut remarks = format!(
        "{} rows, of which {:.0} count (effective sample size); weights up to {:.1}, {:.3} in the mean; {} rows cut.",
        support.rows, support.ess, support.max_weight, support.mean_weight, support.clipped
    );
    for warning in evaluation.warnings() {
        let _ = write!(remarks, " Warning: {warning}.");
    }
    remarks
}

/// The estimates as the log grows, with normal intervals, and the truth with its own.
fn figure(directions: &[Direction]) -> LinePlot {
    let shown = [Estimator::Ips, Estimator::Snips, Estimator::Dm, Estimator::Dr];
    let panels = directions.iter().map(|direction| {
        let x: Vec<f64> = direction.growth.iter().map(|(rows, _)| *rows).collect();
        let mut series: Vec<Series> = shown
            .iter()
            .map(|estimator| {
                let of = |rows: &super::OffPolicyEvaluation| {
                    let estimate = rows.estimate(*estimator);
                    let (value, error) =
                        estimate.map_or((0.0, 0.0), |e| (e.value, e.standard_error.unwrap_or_default()));
                    (1e3 * value, 1.96e3 * error)
                };
                let points: Vec<(f64, f64)> = direction.growth.iter().map(|(_, rows)| of(rows)).collect();
                Series {
                    name: estimator.name().to_owned(),
                    x: x.clone(),
                    y: points.iter().map(|(value, _)| *value).collect(),
                    band: (*estimator == Estimator::Ips).then(|| {
                        points.iter().map(|(value, error)| (value - error, value + error)).collect()
                    }),
                    stroke: Stroke::Solid,
                }
            })
            .collect();
        let Interval { lower, upper } = direction.truth_interval;
        series.push(Series {
            name: "on-policy mean".to_owned(),
            y: vec![1e3 * direction.truth; x.len()],
            band: Some(vec![(1e3 * lower, 1e3 * upper); x.len()]),
            x,
            stroke: Stroke::Dashed,
        });
        let title = format!("{} by the log of {}", direction.policy, direction.log);
        LinePanel { title, provenance: direction.provenance, series }
    });
    LinePlot {
        title: Some("Open Bandit Dataset, men: value by the other policy's log".to_owned()),
        x: Axis::linear("rows of the log"),
        y: Axis::linear("clicks per 1,000"),
        panels: panels.collect(),
    }
}
