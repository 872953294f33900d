//! A table, shown as Markdown or on a terminal.

use crate::record::{PaperRow, Provenance, Record, Row};
use comfy_table::{CellAlignment, LineStyle, presets};
use thiserror::Error;

/// Rows of cells under named columns; the first column holds the rows' labels.
///
/// ```
/// use report::{record::Provenance, table::{Cell, Table}};
/// let mut table = Table::new("data set", &["loss", "trials"]);
/// let loss = Cell::Estimate { mean: 0.123_456, std: 0.004_321 };
/// table.push("abalone", Provenance::StandIn, vec![loss, Cell::Count(20)])?;
/// assert_eq!(
///     table.to_markdown().lines().last(),
///     Some("| abalone (synthetic stand-in) | 0.1235 ± 0.0043 |     20 |")
/// );
/// # Ok::<(), report::table::TableError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Text, unchanged.
    Text(String),
    /// An integer, with all digits.
    Count(u64),
    /// A number, to four significant digits.
    Number(f64),
    /// A mean to four significant digits and a standard deviation to two.
    Estimate {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        std: f64,
    },
    /// No measurement.
    Empty,
}

/// A row with the wrong number of cells.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("row {label:?} has {found} cells, the table has {expected} columns")]
pub struct TableError {
    /// The row's label.
    pub label: String,
    /// The number of columns, without the labels.
    pub expected: usize,
    /// The number of the row's cells.
    pub found: usize,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(label: &str, columns: &[&str]) -> Self {
        let header = std::iter::once(label).chain(columns.iter().copied()).map(str::to_owned).collect();
        Self { header, rows: Vec::new() }
    }

    /// Adds a row. Labels state data that are not official.
    ///
    /// # Errors
    /// [`TableError`]: another number of cells than of columns; the table is as before.
    pub fn push(&mut self, label: &str, provenance: Provenance, cells: Vec<Cell>) -> Result<(), TableError> {
        let expected = self.header.len() - 1;
        if cells.len() != expected {
            return Err(TableError { label: label.to_owned(), expected, found: cells.len() });
        }
        self.add(labelled(label, provenance), cells);
        Ok(())
    }

    /// A metric of a record: a row per data set, a column per method, both in order of first appearance.
    /// Below a data set are the paper's numbers, if any.
    #[must_use]
    pub fn of_metric(record: &Record, metric: &str) -> Self {
        let rows: Vec<&Row> = record.rows.iter().filter(|row| row.metric == metric).collect();
        let paper: Vec<&PaperRow> = record.paper.iter().filter(|row| row.metric == metric).collect();
        let ours = rows.iter().map(|row| row.method.as_str());
        let methods = distinct(ours.chain(paper.iter().map(|row| row.method.as_str())));
        let mut table = Self::new("data set", &methods);
        let datasets = distinct(rows.iter().map(|row| (row.dataset.as_str(), row.provenance)));
        for (dataset, provenance) in datasets {
            let of = |method: &&str| {
                rows.iter().find(|row| {
                    row.method == *method && row.dataset == dataset && row.provenance == provenance
                })
            };
            let cells = methods.iter().map(|method| of(method).map_or(Cell::Empty, |row| Cell::from(*row)));
            table.add(labelled(dataset, provenance), cells);
            let of = |method: &&str| paper.iter().find(|row| row.method == *method && row.dataset == dataset);
            if methods.iter().any(|method| of(method).is_some()) {
                let cells =
                    methods.iter().map(|method| of(method).map_or(Cell::Empty, |row| Cell::from(*row)));
                table.add(format!("{dataset}, paper"), cells);
            }
        }
        table
    }

    /// Markdown, with columns also aligned in the source.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let lines: Vec<Vec<String>> =
            std::iter::once(&self.header).chain(&self.rows).map(|line| escaped(line)).collect();
        let widths: Vec<usize> = (0..self.header.len())
            .map(|c| lines.iter().filter_map(|line| line.get(c)).map(|cell| cell.chars().count()).max())
            .map(|width| width.unwrap_or(0).max(3))
            .collect();
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            for (c, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                text += &if c == 0 { format!("| {cell:<width$} |") } else { format!(" {cell:>width$} |") };
            }
            text.push('\n');
            if index == 0 {
                for (c, &width) in widths.iter().enumerate() {
                    let dashes = "-".repeat(width + 1);
                    text += &if c == 0 { format!("|-{dashes}|") } else { format!("{dashes}:|") };
                }
                text.push('\n');
            }
        }
        text
    }

    /// Plain text for a terminal.
    #[must_use]
    pub fn to_terminal(&self) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()));
        table.set_header(&self.header).add_rows(&self.rows);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.trim_fmt() + "\n"
    }

    /// The cells of the row with this label, in the order of the columns.
    #[must_use]
    pub fn row(&self, label: &str) -> Option<&[String]> {
        self.rows
            .iter()
            .find(|row| row.first().is_some_and(|found| found == label))
            .and_then(|row| row.get(1..))
    }

    /// The cell of this label in the first column with this name.
    #[must_use]
    pub fn cell(&self, label: &str, column: &str) -> Option<&str> {
        let place = self.header.iter().skip(1).position(|name| name == column)?;
        self.row(label)?.get(place).map(String::as_str)
    }

    /// The rows, each after its label.
    #[must_use]
    pub fn cells(&self) -> Vec<Vec<String>> {
        self.rows.clone()
    }

    fn add(&mut self, label: String, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(std::iter::once(label).chain(cells.into_iter().map(Cell::into_text)).collect());
    }
}

impl Cell {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Count(count) => count.to_string(),
            Self::Number(value) => significant(value, 4),
            Self::Estimate { mean, std } => format!("{} ± {}", significant(mean, 4), significant(std, 2)),
            Self::Empty => "–".to_owned(),
        }
    }
}

impl From<&Row> for Cell {
    /// The mean of a row and its spread; a single trial has no spread.
    fn from(row: &Row) -> Self {
        if row.n > 1 { Self::Estimate { mean: row.mean, std: row.std } } else { Self::Number(row.mean) }
    }
}

impl From<&PaperRow> for Cell {
    fn from(row: &PaperRow) -> Self {
        row.std.map_or(Self::Number(row.mean), |std| Self::Estimate { mean: row.mean, std })
    }
}

/// A number to `digits` significant digits: plain from 0.0001 up to a million, otherwise with an exponent.
///
/// ```
/// use report::table::significant;
/// let four = |x| significant(x, 4);
/// assert_eq!([0.060_010_2, 1234.56, 98_765.4, 1.0].map(four), ["0.06001", "1235", "98770", "1.000"]);
/// assert_eq!([1.0 / 3e7, -2.5e8, 0.0].map(|x| significant(x, 4)), ["3.333e-8", "-2.500e8", "0"]);
/// ```
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // The exponent is that of the rounded number, so that 9.9996 becomes 10.00 and not 10.000.
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    let parts = rounded
        .split_once('e')
        .and_then(|(_, e)| Some((e.parse::<i32>().ok()?, rounded.parse::<f64>().ok()?)));
    match parts {
        Some((exponent @ -4..6, number)) => {
            let decimals =
                i32::try_from(digits).unwrap_or(i32::MAX).saturating_sub(1).saturating_sub(exponent);
            format!("{number:.*}", usize::try_from(decimals).unwrap_or(0))
        }
        _ => rounded,
    }
}

fn labelled(name: &str, provenance: Provenance) -> String {
    provenance.label().map_or_else(|| name.to_owned(), |note| format!("{name} ({note})"))
}

fn escaped(line: &[String]) -> Vec<String> {
    line.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect()
}

fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let mut record = Record::new("test", 0, serde_json::Value::Null);
        let row = |dataset: &str, method: &str, mean, std, n, provenance| {
            let [dataset, method, metric] = [dataset, method, "loss"].map(str::to_owned);
            Row { dataset, method, metric, mean, std, n, provenance }
        };
        let (official, stand_in) = (Provenance::Official, Provenance::StandIn);
        record.rows = vec![
            row("abalone", "OGD", 0.123_456, 0.000_321, 20, official),
            row("abalone", "bandit | FKM", 12.345_6, 1.0, 20, official),
            row("slice", "OGD", 98_765.4, 0.0, 1, stand_in),
        ];
        let other = Row { metric: "seconds".into(), ..record.rows[0].clone() };
        record.rows.push(other);
        let [dataset, method, metric] = ["abalone", "OGD", "loss"].map(str::to_owned);
        record.paper = vec![PaperRow { dataset, method, metric, mean: 0.12, std: None }];
        record
    }

    #[test]
    fn markdown_of_a_metric() {
        insta::assert_snapshot!(Table::of_metric(&record(), "loss").to_markdown(), @r"
        | data set                   |              OGD | bandit \| FKM |
        |----------------------------|-----------------:|--------------:|
        | abalone                    | 0.1235 ± 0.00032 |   12.35 ± 1.0 |
        | abalone, paper             |           0.1200 |             – |
        | slice (synthetic stand-in) |            98770 |             – |
        ");
    }

    #[test]
    fn a_number_is_below_its_method_and_beside_its_data_set() {
        let (mut record, mut number) = (record(), 0.0);
        record.rows.clear();
        for dataset in ["letter", "abalone"] {
            for method in ["B", "A", "C"] {
                for metric in ["other", "loss"] {
                    number += 1.0;
                    let [dataset, method, metric] = [dataset, method, metric].map(str::to_owned);
                    let provenance = Provenance::Official;
                    record.rows.push(Row {
                        dataset,
                        method,
                        metric,
                        mean: number,
                        std: 0.1 * number,
                        n: 5,
                        provenance,
                    });
                }
            }
        }
        record.paper[0].method = "A".into();
        let table = Table::of_metric(&record, "loss");
        let cells = |label: &str| ["B", "A", "C"].map(|method| table.cell(label, method).unwrap().to_owned());
        assert_eq!(cells("letter"), ["2.000 ± 0.20", "4.000 ± 0.40", "6.000 ± 0.60"]);
        assert_eq!(cells("abalone"), ["8.000 ± 0.80", "10.00 ± 1.0", "12.00 ± 1.2"]);
        assert_eq!(cells("abalone, paper"), ["–", "0.1200", "–"]);
        // In both renderings every line has its cells in the order of the header.
        for (text, bar) in [(table.to_markdown(), "|"), (table.to_terminal(), "  ")] {
            let lines = text.lines().map(|line| {
                line.split(bar)
                    .map(str::trim)
                    .filter(|cell| !cell.is_empty())
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            });
            let line =
                lines.into_iter().find(|cells| cells.first().is_some_and(|cell| cell == "abalone")).unwrap();
            assert_eq!(line, ["abalone", "8.000 ± 0.80", "10.00 ± 1.0", "12.00 ± 1.2"]);
        }
    }

    #[test]
    fn terminal_of_a_metric() {
        insta::assert_snapshot!(Table::of_metric(&record(), "loss").to_terminal(), @"
        ──────────────────────────────────────────────────────────────
         data set                                  OGD   bandit | FKM
        ══════════════════════════════════════════════════════════════
         abalone                      0.1235 ± 0.00032    12.35 ± 1.0
         abalone, paper                         0.1200              –
         slice (synthetic stand-in)              98770              –
        ──────────────────────────────────────────────────────────────
        ");
    }

    #[test]
    fn a_row_of_another_length_is_refused_and_the_table_unchanged() {
        let mut table = Table::new("data set", &["loss", "trials"]);
        table.push("a", Provenance::Official, vec![Cell::Text("x\ny".into()), Cell::Empty]).unwrap();
        let before = table.clone();
        let refused = table.push("b", Provenance::Official, vec![Cell::Count(1)]).unwrap_err();
        assert_eq!(refused, TableError { label: "b".into(), expected: 2, found: 1 });
        assert_eq!(table, before);
        assert_eq!(table.to_markdown().lines().count(), 3, "a line break does not end a row");
    }

    #[test]
    fn rounding_may_reach_the_next_power_and_signs_stay() {
        let four = |value: f64| significant(value, 4);
        assert_eq!(four(9.999_96), "10.00");
        assert_eq!(four(0.000_099_999_6), "0.0001000");
        assert_eq!(four(0.000_099_994), "9.999e-5");
        assert_eq!(four(999_950.0), "1.000e6");
        assert_eq!(four(-1234.5), "-1234");
        assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(four), ["NaN", "inf", "-inf"]);
        assert_eq!(four(f64::MAX), "1.798e308");
        assert_eq!(four(5e-324), "4.941e-324");
        assert_eq!(significant(0.0361, 2), "0.036");
    }
}
