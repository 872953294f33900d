//! The tables of the page.

use super::combined::{A_ALONE, CAPPED, CAPS, NO_CAPS, PARTS};
use super::measured::{Measured, of_part};
use super::methods::Method;
use super::noise::{ADABOOST, CHOSEN, METHODS, SMOOTH, SMOOTH_STOPPED, TEST_ERROR};
use super::parts::Part;
use crate::runner::ExperimentError;
use report::paired::Interval;
use report::table::{Cell, Table, significant};

/// The columns of the histories: heading, metric of the record, whether the metric is a share.
const COLUMNS: [(&str, &str, bool); 12] = [
    ("training error, %", "training error", true),
    ("bound, %", "bound", true),
    ("sharper, %", "sharper bound", true),
    ("test error, %", "test error", true),
    ("least margin", "least margin", false),
    ("bound on it", "bound on the margin", false),
    ("Σγ²", "sum of squared edges", false),
    ("rounds", "rounds", false),
    ("weights 0, %", "share of zero weights", true),
    ("at the cap, %", "share of weights at the cap", true),
    ("rows used, %", "share of rows used", true),
    ("rounds above a bound", "rounds above a bound", false),
];

/// A table per learner and set, a row per algorithm.
pub(super) fn histories(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let mut tables = Vec::new();
    for one in of_part(measured, Part::Histories) {
        let mut table = Table::new(&one.name(), &COLUMNS.map(|column| column.0));
        for method in Method::ALL.map(|method| method.to_string()) {
            let cells = COLUMNS.map(|(_, metric, share)| match one.end(&method, metric) {
                None => Cell::Empty,
                Some(found) if metric == TEST_ERROR => percent(found),
                Some(found) if share => Cell::Text(significant(100.0 * found.mean, 3)),
                Some(found) => Cell::Text(significant(found.mean, 3)),
            });
            table.push(&method, one.provenance, cells.to_vec())?;
        }
        tables.push(table);
    }
    Ok(tables)
}

/// A table per learner and set: a row per noise level, a column per method.
pub(super) fn noise(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let mut tables = Vec::new();
    for one in of_part(measured, Part::Noise) {
        let mut table = Table::new(&one.name(), &METHODS);
        for (case, x) in one.cases() {
            let cell =
                |method| Interval::of(&one.values(case, method, TEST_ERROR, x)).map_or(Cell::Empty, percent);
            table.push(case, one.provenance, METHODS.map(cell).to_vec())?;
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Every method minus AdaBoost, paired by trial; negative if the method errs less.
pub(super) fn against_adaboost(measured: &[Measured]) -> Result<Table, ExperimentError> {
    let others = METHODS.get(1..).unwrap_or_default();
    let mut table = Table::new("less AdaBoost", others);
    for one in of_part(measured, Part::Noise) {
        for (case, x) in one.cases() {
            let base = one.values(case, ADABOOST, TEST_ERROR, x);
            let cell = |method: &&str| difference(&one.values(case, method, TEST_ERROR, x), &base);
            table.push(
                &format!("{}, {case}", one.name()),
                one.provenance,
                others.iter().map(cell).collect(),
            )?;
        }
    }
    Ok(table)
}

/// The k chosen for smooth boosting.
pub(super) fn chosen(measured: &[Measured]) -> Result<Table, ExperimentError> {
    let methods = [SMOOTH, SMOOTH_STOPPED];
    let mut table = Table::new("k", &methods);
    for one in of_part(measured, Part::Noise) {
        for (case, x) in one.cases() {
            let cell = |method| match Interval::of(&one.values(case, method, CHOSEN, x)) {
                Some(found) if found.half_width.is_none() => Cell::Text(format!("{:.1}", found.mean)),
                Some(found) => Cell::Text(format!("{:.1} ± {:.1}", found.mean, found.std)),
                None => Cell::Empty,
            };
            table.push(&format!("{}, {case}", one.name()), one.provenance, methods.map(cell).to_vec())?;
        }
    }
    Ok(table)
}

/// A table per learner and set: rows for A alone, both without caps, and each k.
pub(super) fn combined(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let columns = ["test error, %", "less A alone", "less no caps"];
    let columns: Vec<&str> = columns.into_iter().chain(PARTS).collect();
    let mut tables = Vec::new();
    for one in of_part(measured, Part::Combined) {
        let mut table = Table::new(&one.name(), &columns);
        for (case, _) in one.cases() {
            let tests = |method, k| one.values(case, method, TEST_ERROR, k);
            let (alone, free) = (tests(A_ALONE, 0.0), tests(NO_CAPS, 0.0));
            let rows = [(A_ALONE.to_owned(), A_ALONE, 0.0), (NO_CAPS.to_owned(), NO_CAPS, 0.0)];
            for (label, method, k) in rows.into_iter().chain(CAPS.map(|k| (format!("k = {k}"), CAPPED, k))) {
                let found = tests(method, k);
                let mut cells = vec![Interval::of(&found).map_or(Cell::Empty, percent)];
                cells.extend([difference(&found, &alone), difference(&found, &free)]);
                cells.extend(PARTS.map(|metric| match Interval::of(&one.values(case, method, metric, k)) {
                    Some(found) => Cell::Text(format!("{:.1}", 100.0 * found.mean)),
                    None => Cell::Empty,
                }));
                table.push(&format!("{case}, {label}"), one.provenance, cells)?;
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

fn difference(a: &[f64], b: &[f64]) -> Cell {
    Interval::of_differences(a, b).map_or(Cell::Empty, |found| Cell::Text(found.points()))
}

fn percent(found: Interval) -> Cell {
    Cell::Text(found.percent())
}

#[cfg(test)]
mod tests;
