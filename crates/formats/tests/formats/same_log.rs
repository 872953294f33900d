//! One log in every format.

use crate::{data, dense};
use formats::{Format, LogOptions, ReadLog, Source, quiet, read_log};
use off_policy::{ActionNames, ContextColumn};
use std::io::Write;

fn options() -> LogOptions {
    LogOptions::default().available("offers").time("t")
}

fn of_file(name: &str) -> ReadLog {
    read_log(Source::path(data(name)).unwrap(), &options(), &mut quiet).unwrap()
}

/// The same but for the facts, which name the file.
fn assert_same(found: &ReadLog, expected: &ReadLog) {
    let mut found = found.clone();
    assert_eq!(found.facts.missing, expected.facts.missing);
    found.facts = expected.facts.clone();
    assert_eq!((found.files.len(), found.files[0].rows), (1, expected.files[0].rows));
    found.files = expected.files.clone();
    assert_eq!(&found, expected);
}

#[test]
fn a_table_is_read_as_it_is_meant() {
    let log = of_file("log.csv");
    let named = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        log.schema.contexts(),
        [
            ContextColumn::NumberOrMissing { name: "age".into() },
            ContextColumn::Labels { name: "device".into(), labels: named(&["", "phone", "tablet", "watch"]) },
            ContextColumn::Date { name: "since".into() },
        ]
    );
    assert_eq!(log.schema.action_names(), &ActionNames::Labels(named(&["music", "tools", "travel"])));
    assert_eq!(
        dense(&log),
        [
            [41.0, 0.0, 0.0, 1.0, 0.0, 0.0, 20484.0],
            [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 20485.5],
            [7.5, 0.0, 0.0, 1.0, 0.0, 0.0, 20446.0],
            [30.0, 0.0, 1.0, 0.0, 0.0, 0.0, 20487.0],
            [-2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 20487.0],
            [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 20488.0],
        ]
    );
    assert_eq!(log.actions, [0, 1, 2, 0, 2, 0]);
    assert_eq!(log.propensities.as_deref(), Some(&[0.5, 0.25, 1.0, 0.125, 0.3, 0.6][..]));
    assert_eq!(log.rewards, [1.0, 0.0, 0.0, 2.5, 0.0, -1.0]);
    assert_eq!(log.time.as_deref(), Some(&[10.0, 11.0, 12.0, 13.0, 14.0, 15.0][..]));
    let sets = log.on_offer.as_ref().unwrap();
    let set = |row: usize| sets.row(row).unwrap().iter().collect::<Vec<_>>();
    assert_eq!((set(0), set(1), set(2), set(3)), (vec![0, 2], vec![0, 1, 2], vec![2], vec![0, 1]));
    assert_eq!(log.facts.missing, [("age".to_owned(), 1), ("device".to_owned(), 1)].into());
    assert_eq!((log.facts.rows, log.facts.bytes), (6, 361));
    let sum = "46062cfed409d735aa044b23d08ed800b5300b960736226575971eeb4edc134b"; // sha256sum log.csv
    assert_eq!(log.facts.sha256, sum);
    assert_eq!(log.clone().into_log().unwrap().schema(), Some(&log.schema));
}

#[test]
fn every_format_gives_the_same_log() {
    let expected = of_file("log.csv");
    for name in [
        "log.tsv",
        "log.jsonl",
        "log-pyarrow.parquet",
        "log-pyarrow.feather",
        "log-pyarrow.arrows",
        "log-polars.parquet",
        "log-polars.arrow",
    ] {
        assert_same(&of_file(name), &expected);
    }
}

#[test]
fn a_compressed_file_is_known_by_its_bytes() {
    let expected = of_file("log.csv");
    let plain = std::fs::read(data("log.csv")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(&plain).unwrap();
    for packed in [gz.finish().unwrap(), zstd::encode_all(&plain[..], 3).unwrap()] {
        // Under a name that says nothing, and one that says something else.
        for name in ["log", "log.csv.gz", "log.csv"] {
            let log = read_log(Source::bytes(name, packed.clone()), &options(), &mut quiet).unwrap();
            assert_same(&log, &expected);
            assert_eq!((log.facts.bytes, &log.facts.sha256), (361, &expected.facts.sha256), "{name}");
        }
    }
}

#[test]
fn a_format_that_is_named_is_not_guessed() {
    let expected = of_file("log.csv");
    let text = std::fs::read_to_string(data("log.csv")).unwrap();
    let read = |name: &str, text: &str, options: LogOptions| {
        read_log(Source::bytes(name, text), &options, &mut quiet)
    };
    assert_same(&read("log.jsonl", &text, options().format(Format::Csv)).unwrap(), &expected);
    let semicolons = text.replace(',', ";");
    let log = read("log.csv", &semicolons, options().delimiter(';')).unwrap();
    assert_same(&log, &expected);
    // A byte order mark and the ends of other systems change nothing.
    let marks = "\u{feff}".repeat(3);
    for other in [
        format!("\u{feff}{text}"),
        format!("{marks}{text}"),
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
    ] {
        assert_same(&read("log.csv", &other, options()).unwrap(), &expected);
    }
    assert_same(&read("log.csv", text.trim_end(), options()).unwrap(), &expected);
}

/// Every type of a column that Parquet and Arrow have for what a log holds. pyarrow writes no 16-bit floats
/// into Parquet that every reader knows.
#[test]
fn columns_of_every_type_are_read_by_their_type() {
    for name in ["types.feather", "types.parquet"] {
        let source = Source::path(data(name)).unwrap();
        let log = read_log(source, &LogOptions::default().labels(["codes"]), &mut quiet).unwrap();
        let f16 = if name == "types.feather" { &["f16"][..] } else { &[] };
        let before = ["i8", "i8 is missing", "u64", "f32", "f32 is missing"];
        let behind = [
            "dec",
            "day",
            "ms",
            "ms is missing",
            "zone",
            "flag=false",
            "flag=true",
            "text=",
            "text=a",
            "text=b",
            "dict=x",
            "dict=y",
            "codes=8000",
            "codes=8001",
        ];
        assert_eq!(log.schema.feature_names(), [&before[..], f16, &behind].concat(), "{name}");
        let rows = dense(&log);
        let without_f16 = |row: usize| {
            let mut row = rows[row].clone();
            if !f16.is_empty() {
                row.remove(5);
            }
            row
        };
        let labels = |codes: [f64; 9]| codes;
        let row = |numbers: [f64; 10], codes| [&numbers[..], &labels(codes)].concat();
        assert_eq!(
            without_f16(0),
            row(
                [1.0, 0.0, 1.0, 0.5, 0.0, 1.1, 20484.0, 20484.5, 0.0, 20484.5],
                [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
            )
        );
        assert_eq!(
            without_f16(1),
            row(
                [-2.0, 0.0, 9_223_372_036_854_775_808.0, 1.25, 0.0, -2.25, -1.0, -0.25, 0.0, 0.0],
                [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]
            )
        );
        assert_eq!(
            without_f16(2),
            row(
                [0.0, 1.0, 3.0, 0.0, 1.0, 3.0, 11016.0, 0.0, 1.0, 1.0],
                [0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]
            )
        );
        assert_eq!((&log.actions[..], &log.rewards[..]), (&[0, 1, 1][..], &[1.0, 0.0, -1.0][..]));
        assert_eq!(log.propensities.as_deref(), Some(&[0.5, 0.25, 1.0][..]));
        let notes = log.facts.notes.join("\n");
        for part in [
            "column \"nothing\" left out: it is empty in every row",
            "column \"struct\" left out: it holds Struct",
            "column \"bin\" left out: it holds Binary",
            "column \"list\" left out: it holds lists",
        ] {
            assert!(notes.contains(part), "{name}: {notes}");
        }
        let refused =
            read_log(Source::path(data(name)).unwrap(), &LogOptions::default().action("struct"), &mut quiet);
        let message = refused.unwrap_err().to_string();
        assert!(
            message.contains("column \"struct\" holds Struct")
                && message.ends_with("cannot be read as values"),
            "{message}"
        );
    }
}
