//! Reading as a whole: schemas of models, tables, the Open Bandit Dataset, progress, and pieces of a stream.

use crate::{data, dense};
use datasets::SearchPath;
use formats::{
    Format, FormatError, LogOptions, Progress, Source, quiet, read_contexts, read_log, read_log_coded,
    read_table, read_table_coded,
};
use proptest::prelude::*;
use std::io::{self, Read};
use std::ops::ControlFlow;

fn options() -> LogOptions {
    LogOptions::default().available("offers").time("t")
}

#[test]
fn a_file_is_coded_by_the_schema_of_another_in_every_format() {
    let log = read_log(Source::path(data("log.csv")).unwrap(), &options(), &mut quiet).unwrap();
    for name in
        ["log.csv", "log.tsv", "log.jsonl", "log-pyarrow.parquet", "log-polars.arrow", "log-pyarrow.arrows"]
    {
        let source = || Source::path(data(name)).unwrap();
        let coded = read_log_coded(source(), &log.schema, &options(), &mut quiet).unwrap();
        assert_eq!(dense(&coded), dense(&log), "{name}");
        assert_eq!(
            (&coded.schema, &coded.actions, &coded.on_offer),
            (&log.schema, &log.actions, &log.on_offer)
        );
        assert_eq!(coded.facts.missing, log.facts.missing, "{name}");
        assert!(coded.facts.unknown_labels.is_empty(), "{name}");
        let alone =
            read_contexts(source(), &log.schema, &LogOptions::default().available("offers"), &mut quiet)
                .unwrap();
        assert_eq!(alone.contexts.fingerprint(), log.contexts.fingerprint(), "{name}");
        assert_eq!(alone.on_offer, log.on_offer);
        let without = read_contexts(source(), &log.schema, &LogOptions::default(), &mut quiet).unwrap();
        assert_eq!(without.on_offer, None);
    }
}

#[test]
fn one_record_is_coded_as_the_schema_itself_does() {
    let log = read_log(Source::path(data("log.csv")).unwrap(), &options(), &mut quiet).unwrap();
    for (age, device, since) in
        [("41", "phone", "2026-01-31"), ("", "", "2026-02-01T12:00:00Z"), ("7", "x", "2026-02-03")]
    {
        let text = format!("since,age,device\n{since},{age},{device}\n");
        let rows =
            read_contexts(Source::bytes("r.csv", text), &log.schema, &LogOptions::default(), &mut quiet)
                .unwrap();
        let own = log
            .schema
            .encode([("age", age.into()), ("device", device.into()), ("since", since.into())])
            .unwrap();
        assert_eq!(rows.contexts.row(0).unwrap().to_dense(), own.row().to_dense());
        assert_eq!(rows.facts.unknown_labels.len(), own.unknown_labels.len());
    }
}

#[test]
fn a_table_of_labels_is_read_and_coded_again() {
    let text = "length,colour,kind\n1.5,red,b\n,blue,a\n2,red,b\n";
    let none = LogOptions::default();
    let table = read_table(Source::bytes("t.csv", text), "kind", &none, &mut quiet).unwrap();
    assert_eq!(
        (&table.labels[..], &table.label_names[..]),
        (&[1, 0, 1][..], &["a".to_owned(), "b".to_owned()][..])
    );
    assert_eq!(table.schema.feature_names(), ["length", "length is missing", "colour=blue", "colour=red"]);
    let json = "{\"kind\":\"a\",\"colour\":\"green\",\"length\":4}\n";
    let other =
        read_table_coded(Source::bytes("t.jsonl", json), "kind", &table.schema, &none, &mut quiet).unwrap();
    assert_eq!(
        (&other.labels[..], other.contexts.row(0).unwrap().to_dense()),
        (&[0][..], vec![4.0, 0.0, 0.0, 0.0])
    );
    let json = "{\"kind\":\"c\",\"colour\":\"red\",\"length\":4}\n";
    let refused = read_table_coded(Source::bytes("t.jsonl", json), "kind", &table.schema, &none, &mut quiet);
    let said = "t.jsonl, line 1, column \"kind\": \"c\" is not one of the 2 classes that are known";
    assert_eq!(refused.unwrap_err().to_string(), said);
}

#[test]
fn a_later_file_may_lack_what_was_left_out() {
    let text = "id,zip,x,action,propensity,reward\n1,7,3,a,0.5,1\n2,8,4,b,0.5,0\n";
    let options = LogOptions::default().ignore(["id"]).labels(["zip"]);
    let log = read_log(Source::bytes("log.csv", text), &options, &mut quiet).unwrap();
    let later = || Source::bytes("rows.csv", "x,zip\n5,8\n");
    let refused = read_contexts(later(), &log.schema, &options, &mut quiet).unwrap_err();
    assert_eq!(refused.to_string(), "rows.csv: there is no column \"id\"; there are \"x\", \"zip\"");
    let rows = read_contexts(later(), &log.schema, &options.may_lack_columns(), &mut quiet).unwrap();
    assert_eq!(rows.contexts.row(0).unwrap().to_dense(), [0.0, 1.0, 5.0]);
}

#[test]
fn the_time_of_a_table_orders_its_rows_and_is_no_context() {
    let text = "x,day,kind\n1,2026-01-02,a\n2,1970-01-03,b\n";
    let read = |text: &str| {
        let options = LogOptions::default().time("day");
        read_table(Source::bytes("t.csv", text), "kind", &options, &mut quiet)
    };
    let table = read(text).unwrap();
    assert_eq!((table.time, table.schema.feature_names()), (Some(vec![20_455.0, 2.0]), vec!["x".to_owned()]));
    for (text, said) in [
        (text.replace("1970-01-03", ""), "t.csv, line 3, column \"day\": the value is missing"),
        (
            text.replace("1970-01-03", "late"),
            "t.csv, line 3, column \"day\": \"late\" is not a date or a number",
        ),
        (
            text.replace("day", "date"),
            "t.csv: there is no column \"day\"; there are \"x\", \"date\", \"kind\"",
        ),
    ] {
        assert_eq!(read(&text).unwrap_err().to_string(), said);
    }
}

const OBD: &str = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,user_feature_2,\
                   user_feature_3,user-item_affinity_0,user-item_affinity_1,user-item_affinity_2\n\
                   0,2019-11-24 00:00:20.909000+00:00,1,3,1,0.75,a,b,c,d,0.0,2.0,0.0\n\
                   1,2019-11-24 00:00:21+00:00,0,1,0,0.5,a,e,c,d,0.0,0.0,0.0\n";

#[test]
fn the_open_bandit_dataset_is_known_by_its_columns() {
    let log = read_log(Source::bytes("men.csv", OBD), &LogOptions::default(), &mut quiet).unwrap();
    assert_eq!(log.facts.format, "open-bandit");
    // Item 2 was never shown, and is an action.
    assert_eq!((log.schema.actions(), &log.actions[..], &log.rewards[..]), (3, &[1, 0][..], &[1.0, 0.0][..]));
    assert_eq!(
        log.schema.feature_names(),
        [
            "position=1",
            "position=3",
            "user_feature_0=a",
            "user_feature_1=b",
            "user_feature_1=e",
            "user_feature_2=c",
            "user_feature_3=d",
            "user-item_affinity_0",
            "user-item_affinity_1",
            "user-item_affinity_2"
        ]
    );
    let time = log.time.unwrap();
    assert!((time[0] - 18_224.000_242).abs() < 1e-6 && time[1] > time[0], "{time:?}");
    assert_eq!(log.facts.notes, ["1 column without a name left out"]);
    let refused = OBD.replace("00:00,1,3,1", "00:00,3,3,1");
    let refused =
        read_log(Source::bytes("men.csv", refused), &LogOptions::default(), &mut quiet).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "men.csv, line 2, column \"item_id\": \"3\" is not one of the 3 known actions"
    );
}

/// The reader of `off-policy` and this one agree on the real files.
#[test]
fn the_open_bandit_dataset_is_read_as_by_its_own_reader() {
    let search = SearchPath::from_environment(None).unwrap();
    let path = search
        .directories()
        .iter()
        .map(|folder| folder.join("obd/random/men/men.csv.gz"))
        .find(|path| path.is_file());
    let Some(path) = path else {
        eprintln!(
            "REDUCED reading::the_open_bandit_dataset_is_read_as_by_its_own_reader: the Open Bandit Dataset is not here"
        );
        return;
    };
    let log = read_log(Source::path(&path).unwrap(), &LogOptions::default().ignore(["position"]), &mut quiet)
        .unwrap();
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
    let own = off_policy::readers::read_open_bandit([text.as_bytes()], off_policy::readers::Affinities::Kept)
        .unwrap();
    let own = &own.logs[0].log;
    assert_eq!(
        (log.contexts.len(), log.contexts.dimension(), log.schema.actions()),
        (10_000, own.inputs(), 34)
    );
    assert_eq!((&log.actions[..], &log.rewards[..]), (own.logged_actions(), own.rewards()));
    assert_eq!(log.propensities.as_deref(), Some(own.propensities()));
    // The same features, in the order of their names there and of their appearance here.
    let (names, others) = (log.schema.feature_names(), own.schema().unwrap().feature_names());
    let places: Vec<usize> =
        names.iter().map(|name| others.iter().position(|other| other == name).unwrap()).collect();
    for row in (0..10_000).step_by(97) {
        let (a, b) = (log.contexts.row(row).unwrap().to_dense(), own.contexts().row(row).unwrap().to_dense());
        assert!(a.iter().zip(&places).all(|(value, place)| *value == b[*place]), "row {row}");
    }
    assert!(log.time.unwrap().is_sorted());
}

/// A stream that hands out a few bytes at a time, of changing number.
struct Slow(Vec<u8>, usize, usize);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.2 = self.2 % 7 + 1;
        let n = self.2.min(buffer.len()).min(self.0.len() - self.1);
        buffer[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}

#[test]
fn the_pieces_of_a_stream_change_nothing() {
    for name in [
        "log.csv",
        "log.tsv",
        "log.jsonl",
        "log-pyarrow.parquet",
        "log-pyarrow.feather",
        "log-pyarrow.arrows",
        "log-polars.arrow",
    ] {
        let bytes = std::fs::read(data(name)).unwrap();
        let whole = read_log(Source::bytes(name, bytes.clone()), &options(), &mut quiet).unwrap();
        let slow = read_log(Source::reader(name, Slow(bytes, 0, 0)), &options(), &mut quiet).unwrap();
        assert_eq!(slow, whole, "{name}");
    }
    let wide = std::fs::read_to_string(data("log.csv"))
        .unwrap()
        .replace('\n', "\r\n")
        .replace("phone", "\"pho\r\nne\"");
    let whole = read_log(Source::bytes("log.csv", wide.clone()), &options(), &mut quiet).unwrap();
    let slow = read_log(Source::reader("log.csv", Slow(wide.into(), 0, 0)), &options(), &mut quiet).unwrap();
    assert_eq!(slow, whole);
    assert!(whole.schema.feature_names().contains(&"device=pho\r\nne".to_owned()));
}

/// A stream that fails in the middle.
struct Failing(usize);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let text = b"x,action,propensity,reward\n1,a,0.5,1\n";
        let n = (text.len() - self.0).min(buffer.len());
        if n == 0 {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the line is dead"));
        }
        buffer[..n].copy_from_slice(&text[self.0..self.0 + n]);
        self.0 += n;
        Ok(n)
    }
}

#[test]
fn a_failing_stream_is_no_end_of_the_file() {
    let refused =
        read_log(Source::reader("net", Failing(0)), &LogOptions::default(), &mut quiet).unwrap_err();
    assert_eq!(refused.to_string(), "net: the line is dead");
    assert!(matches!(refused, FormatError::Io { kind: io::ErrorKind::TimedOut, .. }));
    let refused = Source::path("no/such.csv").unwrap_err().to_string();
    assert!(refused.starts_with("no/such.csv: "), "{refused}");
    let refused = Source::path(data("")).unwrap_err().to_string();
    assert!(refused.ends_with(": this is a folder"), "{refused}");
}

#[test]
fn progress_is_shown_and_stops_the_reading() {
    let mut text = "x,action,propensity,reward\n".to_owned();
    for k in 0..5000 {
        text += &format!("{k}.5,{},0.5,1\n", k % 3);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    std::fs::write(&path, &text).unwrap();
    let mut seen: Vec<Progress> = Vec::new();
    let log = read_log(Source::path(&path).unwrap(), &LogOptions::default(), &mut |progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    });
    assert_eq!(log.unwrap().facts.rows, 5000);
    assert_eq!(seen.iter().map(|progress| progress.rows).collect::<Vec<_>>(), [1024, 2048, 3072, 4096, 5000]);
    assert!(seen.iter().all(|progress| progress.total_bytes == Some(text.len() as u64)));
    assert!(seen.is_sorted_by_key(|progress| progress.bytes) && seen[4].bytes == text.len() as u64);
    let mut calls = 0;
    let stopped = read_log(Source::path(&path).unwrap(), &LogOptions::default(), &mut |_| {
        calls += 1;
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.unwrap_err(), FormatError::Interrupted { rows: 2048 });
}

#[test]
fn columns_of_other_types_are_left_out_or_refused() {
    let text = "{\"x\":1,\"many\":[1,2],\"action\":\"a\",\"propensity\":0.5,\"reward\":1}\n\
                {\"x\":2,\"many\":[],\"action\":\"b\",\"propensity\":0.5,\"reward\":true}\n";
    let refused = read_log(Source::bytes("l.jsonl", text), &LogOptions::default(), &mut quiet).unwrap_err();
    assert!(matches!(refused, FormatError::BadCell { .. }));
    let text = text.replace("true", "0");
    let log = read_log(Source::bytes("l.jsonl", text.clone()), &LogOptions::default(), &mut quiet).unwrap();
    assert_eq!(log.facts.notes, ["column \"many\" left out: it holds lists"]);
    // A text that looks like a number is a label in a format that has numbers.
    let text = text.replace("\"x\":1", "\"x\":\"1\"").replace("\"x\":2", "\"x\":\"2\"");
    let log = read_log(Source::bytes("l.jsonl", text), &LogOptions::default(), &mut quiet).unwrap();
    assert_eq!(log.schema.feature_names(), ["x=1", "x=2"]);
}

/// A cell, and what it may be.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (-50..50_i32).prop_map(|x| (f64::from(x) / 4.0).to_string()),
        1 => Just(String::new()),
        1 => Just("NA".to_owned()),
        1 => "[a-c]",
        1 => Just("2026-01-05".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rows in another order, or through another format without types, give the same columns and the same
    /// values, whatever the cells.
    #[test]
    fn inference_does_not_depend_on_the_order_of_the_rows(cells in prop::collection::vec(cell(), 2..30)) {
        let table = |cells: &[String], delimiter: &str| {
            let rows = cells.iter().enumerate().map(|(k, cell)| {
                [cell.clone(), "7".into(), (k % 2).to_string(), "0.5".into(), "1".into()].join(delimiter)
            });
            let header = ["x", "z", "action", "propensity", "reward"].join(delimiter);
            std::iter::once(header).chain(rows).map(|line| line + "\n").collect::<String>()
        };
        let read = |name: &str, text: String| read_log(Source::bytes(name, text), &LogOptions::default(), &mut quiet).unwrap();
        let forward = read("l.csv", table(&cells, ","));
        let turned: Vec<String> = cells.iter().rev().cloned().collect();
        let backward = read("l.csv", table(&turned, ","));
        prop_assert_eq!(&forward.schema, &backward.schema);
        let mut rows = dense(&backward);
        rows.reverse();
        prop_assert_eq!(&dense(&forward), &rows);
        let tabs = read("l.tsv", table(&cells, "\t"));
        prop_assert_eq!((&tabs.schema, &tabs.contexts), (&forward.schema, &forward.contexts));
        // The content decides, whatever a spreadsheet calls its file.
        for delimiter in ["\t", ";"] {
            let other = read("l.csv", table(&cells, delimiter));
            prop_assert_eq!((&other.schema, &other.contexts), (&forward.schema, &forward.contexts));
        }
        // The kind is that of the definition.
        let is = |test: fn(&str) -> bool| cells.iter().filter(|cell| !cell.is_empty()).all(|cell| test(cell) || cell == "NA");
        let names = forward.schema.feature_names();
        let present = cells.iter().any(|cell| !cell.is_empty() && cell != "NA");
        if !present {
            prop_assert_eq!(&names[..], &["z".to_owned()][..]);
        } else if is(|cell| cell.parse::<f64>().is_ok()) || is(|cell| cell.starts_with("2026")) {
            let missing = cells.iter().any(|cell| cell.is_empty() || cell == "NA");
            prop_assert_eq!(names.len(), if missing { 3 } else { 2 });
            prop_assert_eq!(&names[0], "x");
        } else {
            let distinct: std::collections::BTreeSet<_> = cells.iter().collect();
            prop_assert_eq!(names.len(), distinct.len() + 1);
        }
    }
}

#[test]
fn a_format_that_is_asked_for_is_read_from_standard_names() {
    for format in ["csv", "tsv", "json-lines", "parquet", "arrow", "vw", "vw-eval", "dsjson", "open-bandit"] {
        assert_eq!(format.parse::<Format>().unwrap().name(), format);
    }
    let refused = "excel".parse::<Format>().unwrap_err().to_string();
    assert_eq!(
        refused,
        "format = \"excel\" is not csv, tsv, json-lines, parquet, arrow, vw, vw-eval, dsjson or open-bandit"
    );
}
