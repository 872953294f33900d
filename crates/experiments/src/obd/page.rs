//! The record, the page and the figure.

use super::{Assumed, Direction, Line, Options};
use crate::runner::{ExperimentError, Output, Report};
use off_policy::estimators::{Estimator, Interval, OffPolicyEvaluation};
use report::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
use report::record::Record;
use report::table::{Cell, Table};
use std::fmt::Write as _;

pub(super) fn write(
    record: &Record,
    directions: &[Direction],
    options: &Options,
) -> Result<Report, ExperimentError> {
    let mut output =
        Output::of(record, options, "Off-policy evaluation on the Open Bandit Dataset, campaign men")?;
    for direction in directions {
        let (table, heading, remarks) = (table(direction)?, heading(direction), remarks(direction));
        output.line(format_args!("\n## {heading}\n\n{}\n{remarks}", table.to_markdown()));
        output.say(format_args!("{heading}\n{}\n{remarks}\n", table.to_terminal()));
    }
    output.line(format_args!(
        "\nClicks per 1,000 items shown; intervals of 95%: normal, bootstrap of {} replicates (seed {}), empirical Bernstein. \
         Weights are cut at {} by clipped IPS and SWITCH-DR. DM, DR and \
         SWITCH-DR use click rates of the items, each half of the log for the other, so that terms of the two halves are not \
         independent, as empirical Bernstein takes them to be; of DM, clipped IPS and SWITCH-DR it is about the mean of the terms. BTS is evaluated as the fixed policy \
         that shows items as often, position by position, as its log does; its own log says what the policy earned that \
         changed while it learnt, and the rows of that log are not independent, which the intervals assume. {:.1} s, \
         commit {}.",
        options.plan,
        options.seed,
        super::CUT,
        record.seconds,
        record.commit
    ));
    output.file(".svg", figure(directions).to_svg()?);
    output.write()
}

fn heading(direction: &Direction) -> String {
    let Direction { policy, log, truth, truth_interval, provenance, .. } = direction;
    let note = provenance.label().map_or_else(String::new, |label| format!(", {label}"));
    format!(
        "{policy} by the log of {log}{note}: its own log says {} {}",
        thousandths(*truth),
        ends(Some(*truth_interval))
    )
}

fn table(direction: &Direction) -> Result<Table, ExperimentError> {
    let columns = ["value", "standard error", "normal", "bootstrap", "empirical Bernstein", "meets it"];
    let mut table = Table::new("estimator", &columns);
    for Line { estimator, value, standard_error, normal, bootstrap, bernstein } in &direction.lines {
        // The truth has its own interval: whether the two overlap.
        let meets = normal.is_some_and(|interval| {
            interval.lower <= direction.truth_interval.upper
                && direction.truth_interval.lower <= interval.upper
        });
        let cells = vec![
            Cell::Text(thousandths(*value)),
            Cell::Text(standard_error.map_or_else(|| "–".to_owned(), thousandths)),
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

fn remarks(Direction { evaluation, assumed, log, .. }: &Direction) -> String {
    let support = &evaluation.support;
    let mut remarks = format!(
        "{} rows, of which {:.0} count (effective sample size); weights up to {:.1}, {:.3} in the mean; {} rows cut.",
        support.rows, support.ess, support.max_weight, support.mean_weight, support.clipped
    );
    for warning in evaluation.warnings() {
        let _ = write!(remarks, " Warning: {warning}.");
    }
    let Assumed { least_propensity, is_known, largest_weight } = assumed;
    let source = if *is_known {
        "which was known beforehand"
    } else {
        "which is only the least that was seen, so that these intervals are no guarantee"
    };
    let _ = write!(
        remarks,
        " Empirical Bernstein takes clicks and their predicted rates to be in [0, 1], and weights to be at most \
         {largest_weight:.1}: the log of {log} has propensities of at least {least_propensity:.6}, {source}."
    );
    remarks
}

/// The estimates as the log grows, with normal intervals, and the truth with its own.
fn figure(directions: &[Direction]) -> LinePlot {
    let shown = [Estimator::Ips, Estimator::Snips, Estimator::Dm, Estimator::Dr];
    let panels = directions.iter().map(|direction| {
        let x: Vec<f64> = direction.growth.iter().map(|(rows, _)| *rows).collect();
        let grown = |estimator: &Estimator| growth(*estimator, &direction.growth);
        let mut series: Vec<Series> = shown.iter().map(grown).filter(|series| !series.x.is_empty()).collect();
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

/// The curve of an estimator, over the numbers of rows at which it is defined.
fn growth(estimator: Estimator, growth: &[(f64, OffPolicyEvaluation)]) -> Series {
    let point = |(rows, found): &(f64, OffPolicyEvaluation)| {
        let estimate = found.estimate(estimator)?;
        Some((*rows, 1e3 * estimate.value, 1.96e3 * estimate.standard_error?))
    };
    let points: Vec<_> = growth.iter().filter_map(point).collect();
    let band = || points.iter().map(|(_, value, error)| (value - error, value + error)).collect();
    Series {
        name: estimator.name().to_owned(),
        x: points.iter().map(|(rows, ..)| *rows).collect(),
        y: points.iter().map(|(_, value, _)| *value).collect(),
        band: (estimator == Estimator::Ips).then(band),
        stroke: Stroke::Solid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use off_policy::estimators::{EstimatorSettings, Tables};
    use report::record::Provenance;

    #[test]
    fn undefined_estimates_are_left_out_of_the_figure() {
        // The first log never shows the policy's items: SNIPS is undefined there.
        let found = |actions: [u32; 2]| {
            let tables = Tables::new(2, &actions, &[0.5; 2], &[1.0; 2], &[1.0, 0.0, 1.0, 0.0], None);
            OffPolicyEvaluation::of_tables(&tables.unwrap(), EstimatorSettings::default()).unwrap()
        };
        let evaluations = [(2.0, found([1, 1])), (4.0, found([0, 1]))];
        let snips = growth(Estimator::Snips, &evaluations);
        assert_eq!((snips.x, snips.y), (vec![4.0], vec![1e3]));
        assert_eq!(growth(Estimator::Ips, &evaluations).y, [0.0, 1e3]);
        assert!(growth(Estimator::Dm, &evaluations).x.is_empty());
    }

    fn interval(lower: f64, upper: f64) -> Interval {
        Interval { lower, upper }
    }

    fn direction(lines: Vec<Line>) -> Direction {
        let tables = Tables::new(2, &[0, 1], &[0.5; 2], &[1.0; 2], &[1.0, 0.0, 1.0, 0.0], None).unwrap();
        let of = |settings| OffPolicyEvaluation::of_tables(&tables, settings).unwrap();
        let evaluation = of(EstimatorSettings::default());
        Direction {
            policy: "random",
            log: "BTS",
            provenance: Provenance::Official,
            truth: 0.25,
            truth_interval: interval(0.125, 0.375),
            evaluation: evaluation.clone(),
            lines,
            assumed: Assumed { least_propensity: 0.0625, is_known: false, largest_weight: 8.0 },
            growth: vec![(2.0, evaluation.clone()), (4.0, evaluation)],
        }
    }

    fn line(estimator: Estimator, value: f64, normal: Option<Interval>) -> Line {
        let (standard_error, bootstrap, bernstein) =
            (Some(value / 8.0), Some(interval(0.5, 0.625)), Some(interval(0.75, 0.875)));
        Line { estimator, value, standard_error, normal, bootstrap, bernstein }
    }

    /// Overlap with the interval of the truth, 125 to 375, from either side.
    #[test]
    fn every_interval_is_in_its_column() {
        let of = |lower, upper| Some(interval(lower, upper));
        let all = direction(vec![
            line(Estimator::Ips, 0.125, of(0.0, 0.25)),
            line(Estimator::Snips, 0.0625, of(0.03125, 0.09375)),
            line(Estimator::Dm, 0.5, of(0.4375, 0.5625)),
            line(Estimator::Dr, 0.25, of(0.1875, 0.3125)),
            line(Estimator::SwitchDr, 0.25, None),
        ]);
        let table = table(&all).unwrap().cells();
        let row = |estimator: Estimator, rest: [&str; 3], meets: &str| {
            let mut row = vec![estimator.name().to_owned()];
            row.extend(rest.map(str::to_owned));
            row.extend(["[500.00, 625.00]", "[750.00, 875.00]", meets].map(str::to_owned));
            row
        };
        let expected = [
            row(Estimator::Ips, ["125.00", "15.62", "[0.00, 250.00]"], "yes"),
            row(Estimator::Snips, ["62.50", "7.81", "[31.25, 93.75]"], "no"),
            row(Estimator::Dm, ["500.00", "62.50", "[437.50, 562.50]"], "no"),
            row(Estimator::Dr, ["250.00", "31.25", "[187.50, 312.50]"], "yes"),
            row(Estimator::SwitchDr, ["250.00", "31.25", "–"], "no"),
        ];
        assert_eq!(table, expected);
        assert_eq!(heading(&all), "random by the log of BTS: its own log says 250.00 [125.00, 375.00]");
        let said = remarks(&all);
        assert!(
            said.starts_with(
                "2 rows, of which 1 count (effective sample size); weights up to 2.0, 1.000 in the mean"
            ),
            "{said}"
        );
        let of_assumed = "at most 8.0: the log of BTS has propensities of at least 0.062500, which is only the least that was seen";
        assert!(said.contains(of_assumed), "{said}");
    }

    /// The estimates with their own errors, and the truth with its interval.
    #[test]
    fn the_figure_shows_the_estimates_beside_the_truth() {
        let plot = figure(&[direction(Vec::new())]);
        let series = &plot.panels[0].series;
        let names: Vec<&str> = series.iter().map(|one| &one.name[..]).collect();
        assert_eq!(names, [Estimator::Ips.name(), Estimator::Snips.name(), "on-policy mean"]);
        assert_eq!((&series[0].x[..], &series[0].y[..]), (&[2.0, 4.0][..], &[1e3; 2][..]));
        // Terms of 2 and 0 have a standard error of 1.
        let band = series[0].band.clone().unwrap()[0];
        assert!((band.0 + 960.0).abs() < 1e-9 && (band.1 - 2960.0).abs() < 1e-9, "{band:?}");
        assert_eq!((&series[2].y[..], series[2].band.clone().unwrap()[1]), (&[250.0; 2][..], (125.0, 375.0)));
        assert_eq!(plot.panels[0].title, "random by the log of BTS");
    }
}
