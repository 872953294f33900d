//! A log that lies in several files, and a column that splits its rows.

use crate::{data, dense};
use formats::{FormatError, LogOptions, Source, quiet, read_log, read_logs};
use std::ops::ControlFlow;

fn source(name: &str, text: &str) -> Result<Source, FormatError> {
    Ok(Source::bytes(name, text))
}

/// The lines of a file as two files with the same header.
fn halves(text: &str) -> [String; 2] {
    let (header, rows) = text.split_once('\n').unwrap();
    let lines: Vec<&str> = rows.lines().collect();
    [&lines[..lines.len() / 2], &lines[lines.len() / 2..]]
        .map(|rows| format!("{header}\n{}\n", rows.join("\n")))
}

#[test]
fn two_halves_are_the_whole() {
    let text = std::fs::read_to_string(data("log.csv")).unwrap();
    let options = LogOptions::default().available("offers").time("t");
    let whole = read_log(Source::bytes("log.csv", text.clone()), &options, &mut quiet).unwrap();
    let [a, b] = halves(&text);
    let both = read_logs([source("a.csv", &a), source("b.csv", &b)], &options, &mut quiet).unwrap();
    assert_eq!((dense(&both), &both.schema, &both.time), (dense(&whole), &whole.schema, &whole.time));
    assert_eq!(
        (&both.actions, &both.on_offer, &both.rewards),
        (&whole.actions, &whole.on_offer, &whole.rewards)
    );
    assert_eq!((both.facts.rows, &both.facts.missing), (whole.facts.rows, &whole.facts.missing));
    assert_eq!(both.facts.file, "a.csv and another file");
    let rows: Vec<u64> = both.files.iter().map(|file| file.rows).collect();
    assert_eq!((rows.iter().sum::<u64>(), rows.len(), both.facts.sha256.as_str()), (whole.facts.rows, 2, ""));
    let alone = read_log(Source::bytes("a.csv", a), &options, &mut quiet).unwrap();
    assert_eq!((&alone.facts.sha256, &alone.files[..]), (&both.files[0].sha256, &both.files[..1]));
    // Of other formats.
    let first = || Source::path(data("log.jsonl"));
    let mixed = read_logs([first(), source("log.csv", &text)], &options, &mut quiet).unwrap();
    let twice = read_logs([first(), first()], &options, &mut quiet).unwrap();
    assert_eq!((dense(&mixed), mixed.actions), (dense(&twice), twice.actions));
}

#[test]
fn a_text_in_the_last_file_makes_labels_of_all() {
    let a = "x,action,propensity,reward\n1,a,0.5,1\n2,b,0.5,0\n";
    let b = "reward,x,propensity,action\n1,tall,0.5,c\n";
    let both =
        read_logs([source("a.csv", a), source("b.csv", b)], &LogOptions::default(), &mut quiet).unwrap();
    assert_eq!(both.schema.feature_names(), ["x=1", "x=2", "x=tall"]);
    assert_eq!((both.actions, both.rewards), (vec![0, 1, 2], vec![1.0, 0.0, 1.0]));
}

#[test]
fn files_that_do_not_go_together_are_refused_by_name() {
    let a = "x,y,action,propensity,reward\n1,2,a,0.5,1\n";
    let vw = "1:0.5:0.5 | x\n2:1:0.5 | x\n";
    let said = |name: &str, text: &str, options: &LogOptions| {
        read_logs([source("a.csv", a), source(name, text)], options, &mut quiet)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    let none = LogOptions::default();
    let without = "x,action,propensity,reward\n1,b,0.5,1\n";
    assert_eq!(said("b.csv", without, &none), "b.csv: there is no column \"y\", and a.csv has one");
    let more = "x,y,z,action,propensity,reward\n1,2,3,b,0.5,1\n";
    let expected = "b.csv: there is a column \"z\", and a.csv has none; leave it out or add it";
    assert_eq!(said("b.csv", more, &none), expected);
    let ignoring = LogOptions::default().ignore(["z"]);
    assert!(read_logs([source("a.csv", a), source("b.csv", more)], &ignoring, &mut quiet).is_ok());
    assert_eq!(said("b.vw", vw, &none), "b.vw: vw cannot be read as one log with a.csv, which is csv");
    assert_eq!(said("b.csv", "", &none), "b.csv: the file is empty");
    let bad = "x,y,action,propensity,reward\n1,2,b,0.5,1\n1,2,b,0.5,much\n";
    assert!(said("b.csv", bad, &none).starts_with("b.csv, line 3, column \"reward\": \"much\""));
    // A number that is too large is known at the end alone, and named with its own file.
    let large = "x,y,action,propensity,reward\n1,1e200,b,0.5,1\n";
    assert!(said("b.csv", large, &none).starts_with("b.csv, line 2, column \"y\""));
    assert_eq!(read_logs([], &none, &mut quiet), Err(FormatError::NoFile));
    let none_there = [source("a.csv", a), Source::path("no/such/file.csv")];
    assert!(matches!(read_logs(none_there, &none, &mut quiet), Err(FormatError::Io { .. })));
}

#[test]
fn a_watcher_sees_the_rows_of_all_files() {
    let rows: String = (0..1500).map(|i| format!("{},{},0.5,1\n", i % 7, ["a", "b"][i % 2])).collect();
    let text = format!("x,action,propensity,reward\n{rows}");
    let mut seen = Vec::new();
    let mut watch = |progress: formats::Progress| {
        seen.push(progress.rows);
        ControlFlow::Continue(())
    };
    read_logs([source("a.csv", &text), source("b.csv", &text)], &LogOptions::default(), &mut watch).unwrap();
    assert_eq!(seen, [1024, 1500, 2048, 3000]);
}

#[test]
fn a_column_splits_the_rows_and_is_no_context() {
    let text = "x,part,action,propensity,reward\n1,train,a,0.5,1\n2,test,b,0.5,0\n3,,a,0.5,1\n";
    let options = LogOptions::default().split("part");
    let read = read_log(Source::bytes("a.csv", text), &options, &mut quiet).unwrap();
    assert_eq!(read.schema.feature_names(), ["x"]);
    let split = read.split.unwrap();
    assert_eq!(
        (&split.labels[..], &split.codes[..]),
        (&["", "test", "train"].map(str::to_owned)[..], &[2, 1, 0][..])
    );
    // A feature of the context does the same in a format of events.
    let text = "1:0.5:0.5 |u part=b day:3 x:1\n2:1:0.5 |u part=a day:2 x:2\n1:0:1 |u day:1 x:5\n";
    let of_events = LogOptions::default().split("u.part").time("u.day");
    let vw = read_log(Source::bytes("a.vw", text), &of_events, &mut quiet).unwrap();
    assert_eq!((vw.schema.feature_names(), vw.time), (vec!["u.x".to_owned()], Some(vec![3.0, 2.0, 1.0])));
    let split = vw.split.unwrap();
    assert_eq!((split.labels.join(","), &split.codes[..]), (",a,b".to_owned(), &[2, 1, 0][..]));
    let refused = |options: LogOptions| {
        read_log(Source::bytes("a.vw", text), &options, &mut quiet).unwrap_err().to_string()
    };
    assert!(refused(LogOptions::default().time("u.week")).contains("u.week"));
    assert!(refused(LogOptions::default().split("u.team")).contains("u.team"));
    assert!(refused(LogOptions::default().time("u.part")).contains("\"b\" is not a date or a number"));
    let text = "x,part,action,propensity,reward\n1,train,a,0.5,1\n2,test,b,0.5,0\n";
    let none = read_log(Source::bytes("a.csv", text), &options.split("group"), &mut quiet);
    assert!(matches!(none, Err(FormatError::MissingColumn { column, .. }) if column == "group"));
}
