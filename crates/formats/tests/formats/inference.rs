//! What columns hold is inferred of all rows.

use crate::{dense, read};
use formats::{FormatError, LogOptions, Source, quiet, read_log};
use off_policy::ContextColumn;

/// A log whose one context has these cells.
fn column(cells: &[&str]) -> Result<formats::ReadLog, FormatError> {
    read("log.csv", &table(cells))
}

fn table(cells: &[&str]) -> String {
    let mut text = "x,action,propensity,reward\n".to_owned();
    for (k, cell) in cells.iter().enumerate() {
        text += &format!("{cell},{},0.5,1\n", k % 2);
    }
    text
}

fn kind(cells: &[&str]) -> String {
    match column(cells).map(|log| log.schema.contexts()[0].clone()) {
        Ok(ContextColumn::Number { .. }) => "number".into(),
        Ok(ContextColumn::NumberOrMissing { .. }) => "number or missing".into(),
        Ok(ContextColumn::Date { .. }) => "date".into(),
        Ok(ContextColumn::DateOrMissing { .. }) => "date or missing".into(),
        Ok(ContextColumn::Labels { labels, .. }) => labels.join("|"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_last_cell_decides_as_the_first_does() {
    assert_eq!(kind(&["1", "2.5", "-3e4"]), "number");
    assert_eq!(kind(&["1", "", "3"]), "number or missing");
    assert_eq!(kind(&["1", "NA", "nan"]), "number or missing");
    assert_eq!(kind(&["2026-01-01", "2026-01-02 10:00"]), "date");
    assert_eq!(kind(&["2026-01-01", "null"]), "date or missing");
    assert_eq!(kind(&["1", "2", "x"]), "1|2|x");
    assert_eq!(kind(&["x", "2", "1"]), "1|2|x");
    assert_eq!(kind(&["x", "", "NA"]), "|NA|x");
    assert_eq!(kind(&["2026-01-01", "7"]), "2026-01-01|7");
    assert_eq!(kind(&["7", "2026-01-01"]), "2026-01-01|7");
    assert_eq!(
        kind(&["", ""]),
        "log.csv: no column is left to learn from (column \"x\" left out: it is empty in every row)"
    );
}

#[test]
fn a_missing_number_is_zero_and_has_a_coordinate() {
    let log = column(&["4", "", "NaN", "0"]).unwrap();
    assert_eq!(dense(&log), [[4.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]]);
    assert_eq!(log.schema.feature_names(), ["x", "x is missing"]);
    assert_eq!(log.facts.missing["x"], 2);
}

#[test]
fn named_labels_are_not_inferred() {
    let text = table(&["8000", "08000", "", "9"]);
    let options = LogOptions::default().labels(["x"]);
    let log = read_log(Source::bytes("log.csv", text), &options, &mut quiet).unwrap();
    let ContextColumn::Labels { labels, .. } = &log.schema.contexts()[0] else { panic!() };
    assert_eq!(labels, &["", "9", "08000", "8000"]);
    assert_eq!(dense(&log), [[0., 0., 0., 1.], [0., 0., 1., 0.], [1., 0., 0., 0.], [0., 1., 0., 0.]]);
}

#[test]
fn identifiers_are_left_out_and_noted() {
    let cells: Vec<String> = (0..120).map(|k| format!("user-{k}")).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let text = table(&cells)
        .replace("x,action", "x,y,action")
        .replace(",0,0.5", ",1,0,0.5")
        .replace(",1,0.5", ",2,1,0.5");
    let log = read("log.csv", &text).unwrap();
    assert_eq!(log.schema.feature_names(), ["y"]);
    assert_eq!(
        log.facts.notes,
        [
            "column \"x\" left out: 120 labels in 120 rows look like identifiers; name it among the columns of \
          labels to keep it"
        ]
    );
    let options = LogOptions::default().labels(["x"]);
    let log = read_log(Source::bytes("log.csv", text.clone()), &options, &mut quiet).unwrap();
    assert_eq!(log.schema.inputs(), 121);
    // 40 labels are few, however few the rows.
    assert_eq!(column(&cells[..40]).unwrap().schema.inputs(), 40);
    let options = LogOptions::default().most_labels(39);
    let refused = read_log(Source::bytes("log.csv", table(&cells[..40])), &options, &mut quiet).unwrap_err();
    assert!(matches!(refused, FormatError::NoContexts { .. }), "{refused}");
    // Each label twice is no identifier.
    let twice: Vec<&str> = cells.iter().chain(&cells).copied().collect();
    assert_eq!(column(&twice).unwrap().schema.inputs(), 120);
}

#[test]
fn a_text_among_many_numbers_is_refused_with_its_line() {
    let mut cells: Vec<String> = (0..1500).map(|k| format!("{k}.5")).collect();
    cells[1234] = "1,5".into();
    let text = table(
        &cells
            .iter()
            .map(|cell| format!("\"{cell}\""))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    assert_eq!(
        read("log.csv", &text).unwrap_err().to_string(),
        "log.csv, line 1236, column \"x\": \"1,5\" is not a number as the other cells are; correct it, leave the \
         column out, or read it as labels"
    );
}

#[test]
fn row_numbers_are_noted() {
    let cells: Vec<String> = (0..30).map(|k| (1000 + 3 * k).to_string()).collect();
    let log = column(&cells.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    assert_eq!(
        log.facts.notes,
        ["column \"x\" holds whole numbers that rise from row to row: leave it out if it only numbers \
          the rows"]
    );
}
