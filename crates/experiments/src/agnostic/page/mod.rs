//! The record, the page and the figures.

use super::figures::plots;
use super::growth::BEST;
use super::measured::{Measured, difference, distinct, of_part, sources};
use super::methods::{
    ADABOOST, AGNOSTIC, AGNOSTIC_LARGE, AGNOSTIC_SIGN, AGNOSTIC_SMALL, ALONE, BBM, OSBOOST, REALIZABLE,
    TRUSTING, TRUSTING_SIGN,
};
use super::parts::Part;
use super::streams::LabelFlips;
use super::{Options, other_learners};
use crate::runner::{ExperimentError, Output, Report};
use report::paired::Interval;
use report::record::Record;
use report::table::{Cell, Table};

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
/// The forms of Algorithm 1: two optimisers, two votes.
const AGNOSTIC_FORMS: [&str; 4] = [AGNOSTIC, AGNOSTIC_SIGN, TRUSTING, TRUSTING_SIGN];
/// The methods compared with the learner alone.
const COMPARED: [&str; 8] =
    [AGNOSTIC, AGNOSTIC_SIGN, TRUSTING, TRUSTING_SIGN, REALIZABLE, OSBOOST, BBM, ADABOOST];

pub(super) fn write(
    record: &Record,
    measured: &[Measured],
    options: &Options,
) -> Result<Report, ExperimentError> {
    let title = format!(
        "Agnostic boosting, measured: {}, {} trials, seed {}",
        options.kind(),
        options.trials,
        record.seed
    );
    let mut output = Output::of(record, options, &title)?;
    output.section("Progressive accuracy, in %", &accuracies(measured)?);
    output.section("Is it at least as good as the learner alone?", &verdicts(measured)?);
    output.section("Against the learner alone, in points", &[differences(measured)?]);
    output.section("Algorithm 1 over other learners, progressive accuracy in %", &others(measured)?);
    output.section("Gain a round as T grows", &gains(measured, Part::Rounds)?);
    output.section("Gain a round as N grows", &gains(measured, Part::Learners)?);
    output.section("Training correlation of Algorithm 2", &gains(measured, Part::Statistical)?);
    output.line(format_args!(
        "Mean ± standard deviation over the trials; in brackets 95% intervals of the mean of paired differences. \
         The trials took {:.0} s on all threads together, commit {}.",
        record.seconds, record.commit
    ));
    for (ending, plot) in plots(measured) {
        output.file(&format!("-{ending}.svg"), plot.to_svg()?);
    }
    output.write()
}

/// A table per source: a row per kind of label noise, a column per method.
fn accuracies(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let mut tables = Vec::new();
    for source in sources(measured, Part::Accuracy) {
        let mut table = Table::new(source.name(), &METHODS);
        for one in of_part(measured, Part::Accuracy).filter(|one| one.source == source) {
            let cell = |method: &str| one.interval(method, 0).map_or(Cell::Empty, percent);
            table.push(&one.label_flips.to_string(), one.provenance, METHODS.map(cell).to_vec())?;
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Every booster minus the learner alone, paired by trial.
fn differences(measured: &[Measured]) -> Result<Table, ExperimentError> {
    let mut table = Table::new("less the learner alone", &COMPARED);
    for one in of_part(measured, Part::Accuracy) {
        let cell = |method| difference(one, method).map_or(Cell::Empty, |found| Cell::Text(found.points()));
        table.push(&one.name(), one.provenance, COMPARED.map(cell).to_vec())?;
    }
    Ok(table)
}

/// Whether Algorithm 1 is at least as good as the learner alone, within the interval: a table per form.
fn verdicts(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let label_flips = distinct(of_part(measured, Part::Accuracy).map(|one| one.label_flips));
    let columns: Vec<String> = label_flips.iter().map(ToString::to_string).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut tables = Vec::new();
    for method in AGNOSTIC_FORMS {
        let mut table = Table::new(&format!("{method}, beside the learner alone"), &columns);
        for source in sources(measured, Part::Accuracy) {
            let of_source = |one: &&Measured| one.source == source;
            let found: Vec<&Measured> = of_part(measured, Part::Accuracy).filter(of_source).collect();
            let cell = |label_flips: &LabelFlips| {
                let one = found.iter().find(|one| one.label_flips == *label_flips)?;
                Some(Cell::Text(difference(one, method)?.verdict()?.to_owned()))
            };
            if let Some(first) = found.first() {
                let cells =
                    label_flips.iter().map(|label_flips| cell(label_flips).unwrap_or(Cell::Empty)).collect();
                table.push(source.name(), first.provenance, cells)?;
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// A table per stream: a row per learner, with its accuracy alone and the gain from boosting.
fn others(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
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

/// A table per stream: a row per T or N, a column per curve.
fn gains(measured: &[Measured], part: Part) -> Result<Vec<Table>, ExperimentError> {
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
