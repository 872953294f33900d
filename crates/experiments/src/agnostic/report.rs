//! The record, the page and the figures.

use super::figures::plots;
use super::growth::BEST;
use super::methods::{
    ADABOOST, AGNOSTIC, AGNOSTIC_LARGE, AGNOSTIC_SIGN, AGNOSTIC_SMALL, ALONE, BBM, OSBOOST, REALIZABLE,
    TRUSTING, TRUSTING_SIGN,
};
use super::streams::{Lies, Source};
use super::{AgnosticError, Measured, Options, Part, other_learners};
use crate::paired::Interval;
use crate::record::{Record, write_atomically};
use crate::table::{Cell, Table};
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

/// The columns of the tables of accuracies.
const METHODS: [&str; 12] = [
    BEST,
    ALONE,
    AGNOSTIC,
    AGNOSTIC_SIGN,
    AGNOSTIC_LARGE,
    AGNOSTIC_SMALL,
    TRUSTING,
    TRUSTING_SIGN,
    REALIZABLE,
    OSBOOST,
    BBM,
    ADABOOST,
];
/// Algorithm 1, its two optimisers and its two votes.
const AGNOSTIC_FORMS: [&str; 4] = [AGNOSTIC, AGNOSTIC_SIGN, TRUSTING, TRUSTING_SIGN];
/// Those that are compared with the learner alone.
const COMPARED: [&str; 8] =
    [AGNOSTIC, AGNOSTIC_SIGN, TRUSTING, TRUSTING_SIGN, REALIZABLE, OSBOOST, BBM, ADABOOST];

pub(super) fn write(
    record: &Record,
    measured: &[Measured],
    options: &Options,
) -> Result<Report, AgnosticError> {
    let file = |ending: &str| options.out.join(format!("agnostic{ending}"));
    let mut files = vec![file(".json"), file(".md")];
    record.save(&files[0])?;
    let kind = if options.quick { "a quick look" } else { "the full run" };
    let mut page =
        format!("# Agnostic boosting, measured: {kind}, {} trials, seed {}\n", options.trials, record.seed);
    let mut terminal = String::new();
    let mut show = |heading: &str, tables: Vec<Table>| {
        let _ = writeln!(page, "\n## {heading}\n");
        for table in tables {
            let _ = writeln!(page, "{}", table.to_markdown());
            let _ = writeln!(terminal, "{}\n", table.to_terminal());
        }
    };
    show("Progressive accuracy, in %", accuracies(measured)?);
    show("Is it at least as good as the learner alone?", verdicts(measured)?);
    show("Against the learner alone, in points", vec![differences(measured)?]);
    show("Algorithm 1 over other learners, progressive accuracy in %", others(measured)?);
    show("Gain a round as T grows", gains(measured, Part::Rounds)?);
    show("Gain a round as N grows", gains(measured, Part::Learners)?);
    show("Training correlation of Algorithm 2", gains(measured, Part::Statistical)?);
    let _ = writeln!(
        page,
        "Mean ± standard deviation over the trials; in brackets 95% intervals of the mean of paired differences. \
         The trials took {:.0} s on all threads together, commit {}.",
        record.seconds, record.commit
    );
    write_atomically(&files[1], page.as_bytes())?;
    for (ending, plot) in plots(measured) {
        let path = file(&format!("-{ending}.svg"));
        write_atomically(&path, plot.to_svg()?.as_bytes())?;
        files.push(path);
    }
    Ok(Report { terminal, files })
}

impl Measured {
    /// The values of a series at x, a trial each.
    fn values(&self, series: &str, x: u64) -> Vec<f64> {
        let of = |point: &&super::Point| point.series == series && point.x == x;
        self.trials.iter().filter_map(|points| points.iter().find(of)).map(|point| point.value).collect()
    }

    pub(super) fn interval(&self, series: &str, x: u64) -> Option<Interval> {
        Interval::of(&self.values(series, x))
    }

    /// The series and the places of the first trial, in its order.
    pub(super) fn series(&self) -> Vec<&str> {
        distinct(self.trials.iter().take(1).flatten().map(|point| point.series.as_str()))
    }

    pub(super) fn places(&self) -> Vec<u64> {
        distinct(self.trials.iter().take(1).flatten().map(|point| point.x))
    }
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    items.for_each(|item| {
        if !seen.contains(&item) {
            seen.push(item);
        }
    });
    seen
}

pub(super) fn of_part(measured: &[Measured], part: Part) -> impl Iterator<Item = &Measured> {
    measured.iter().filter(move |one| one.part == part)
}

pub(super) fn sources(measured: &[Measured], part: Part) -> Vec<Source> {
    distinct(of_part(measured, part).map(|one| one.source))
}

/// A table a source: a row for what is done to its labels, a column for each method.
fn accuracies(measured: &[Measured]) -> Result<Vec<Table>, AgnosticError> {
    let mut tables = Vec::new();
    for source in sources(measured, Part::Accuracy) {
        let mut table = Table::new(source.name(), &METHODS);
        for one in of_part(measured, Part::Accuracy).filter(|one| one.source == source) {
            let cell = |method: &str| one.interval(method, 0).map_or(Cell::Empty, percent);
            table.push(&one.lies.to_string(), one.provenance, METHODS.map(cell).to_vec())?;
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Every booster less the learner alone, paired by trials.
fn differences(measured: &[Measured]) -> Result<Table, AgnosticError> {
    let mut table = Table::new("less the learner alone", &COMPARED);
    for one in of_part(measured, Part::Accuracy) {
        let cell = |method| difference(one, method).map_or(Cell::Empty, |found| Cell::Text(found.points()));
        table.push(&one.name(), one.provenance, COMPARED.map(cell).to_vec())?;
    }
    Ok(table)
}

/// Whether Algorithm 1 is at least as good as the learner alone, within the interval: a table for each of its forms.
fn verdicts(measured: &[Measured]) -> Result<Vec<Table>, AgnosticError> {
    let lies = distinct(of_part(measured, Part::Accuracy).map(|one| one.lies));
    let columns: Vec<String> = lies.iter().map(ToString::to_string).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut tables = Vec::new();
    for method in AGNOSTIC_FORMS {
        let mut table = Table::new(&format!("{method}, beside the learner alone"), &columns);
        for source in sources(measured, Part::Accuracy) {
            let of_source = |one: &&Measured| one.source == source;
            let found: Vec<&Measured> = of_part(measured, Part::Accuracy).filter(of_source).collect();
            let cell = |lies: &Lies| {
                let one = found.iter().find(|one| one.lies == *lies)?;
                Some(Cell::Text(difference(one, method)?.verdict()?.to_owned()))
            };
            if let Some(first) = found.first() {
                let cells = lies.iter().map(|lies| cell(lies).unwrap_or(Cell::Empty)).collect();
                table.push(source.name(), first.provenance, cells)?;
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// A method less the learner alone, paired by trials.
pub(super) fn difference(one: &Measured, method: &str) -> Option<Interval> {
    Interval::of_differences(&one.values(method, 0), &one.values(ALONE, 0))
}

/// A table a stream: a row for each learner, alone and with what boosting adds.
fn others(measured: &[Measured]) -> Result<Vec<Table>, AgnosticError> {
    let columns = ["alone".to_owned()];
    let columns: Vec<String> = columns
        .into_iter()
        .chain(AGNOSTIC_FORMS.iter().map(|method| format!("{method}, less alone")))
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut tables = Vec::new();
    for one in of_part(measured, Part::Others) {
        let mut table = Table::new(&one.name(), &columns);
        for learner in other_learners::LEARNERS {
            let alone = one.values(&format!("{learner}, {}", other_learners::ALONE), 0);
            let mut cells = vec![Interval::of(&alone).map_or(Cell::Empty, percent)];
            cells.extend(AGNOSTIC_FORMS.iter().map(|method| {
                let boosted = one.values(&format!("{learner}, {method}"), 0);
                let found = Interval::of_differences(&boosted, &alone);
                found.map_or(Cell::Empty, |found| Cell::Text(found.points()))
            }));
            table.push(learner, one.provenance, cells)?;
        }
        tables.push(table);
    }
    Ok(tables)
}

fn percent(found: Interval) -> Cell {
    Cell::Text(found.percent())
}

/// A table a stream: a row for each T or N, a column for each curve.
fn gains(measured: &[Measured], part: Part) -> Result<Vec<Table>, AgnosticError> {
    let mut tables = Vec::new();
    for one in of_part(measured, part) {
        let series = one.series();
        let mut table = Table::new(&one.name(), &series);
        for x in one.places() {
            let cell = |name: &&str| match one.interval(name, x) {
                Some(found) => Cell::Estimate { mean: found.mean, std: found.std },
                None => Cell::Empty,
            };
            table.push(&part.metric(x), one.provenance, series.iter().map(cell).collect())?;
        }
        tables.push(table);
    }
    Ok(tables)
}

#[cfg(test)]
mod tests;
