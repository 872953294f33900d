//! Logs by the names of their columns: what is read, and each refusal with its line as the file has it.

use off_policy::readers::{ActionCoding, ContextColumns, CsvColumns, CsvLog, Outcome, ReadError, read_csv};
use proptest::prelude::*;
use std::io::{self, Read};

fn columns(coding: ActionCoding) -> CsvColumns {
    CsvColumns {
        contexts: ContextColumns::Remaining,
        categories: Vec::new(),
        action: "a".into(),
        coding,
        on_offer: None,
        propensity: "p".into(),
        outcome: Outcome::Reward("r".into()),
    }
}

fn read(text: &str) -> Result<CsvLog, ReadError> {
    read_csv(text.as_bytes(), &columns(ActionCoding::Index(3)))
}

const GOOD: &str = "x,a,p,r,y\n0.5,2,0.25,1,-7\n-1e3,0,1,-0.5,1e-3\n";

#[test]
fn columns_are_found_by_name_in_any_order() {
    let read_log = read(GOOD).unwrap();
    assert_eq!(read_log.contexts, ["x", "y"]);
    let log = read_log.log;
    assert_eq!((log.actions(), log.logged_actions()), (3, &[2, 0][..]));
    assert_eq!((log.propensities(), log.rewards()), (&[0.25, 1.0][..], &[1.0, -0.5][..]));
    assert_eq!(log.row(1).unwrap().context.to_dense(), [-1e3, 1e-3]);
    let named = CsvColumns {
        contexts: ContextColumns::Named(vec!["y".into()]),
        outcome: Outcome::Cost("r".into()),
        ..columns(ActionCoding::Index(3))
    };
    let read_log = read_csv(GOOD.as_bytes(), &named).unwrap();
    assert_eq!((read_log.log.inputs(), read_log.log.rewards()), (1, &[-1.0, 0.5][..]));
}

#[test]
fn the_ways_of_writing_a_table_do_not_show() {
    let plain = read(GOOD).unwrap();
    for written in [
        GOOD.replace('\n', "\r\n"),
        GOOD.replace('\n', "\r"),
        GOOD.replace('\n', "\n\n\n"),
        GOOD.trim_end().to_owned(),
        GOOD.replace(',', " , "),
        GOOD.replace("0.25", "\"0.25\""),
        format!("\u{feff}{GOOD}"),
        format!("\u{feff}\u{feff}\u{feff}\n{GOOD}"),
    ] {
        assert_eq!(read(&written).unwrap(), plain, "{written:?}");
    }
}

#[test]
fn labels_are_actions_in_the_order_given_or_of_appearance() {
    let text = "x,a,p,r\n0,\"north, east\",0.5,0\n1,south,0.5,1\n2,\"north, east\",0.5,1\n";
    let of = |coding| read_csv(text.as_bytes(), &columns(coding));
    let seen = of(ActionCoding::Appearance).unwrap();
    assert_eq!(seen.actions, ["north, east", "south"]);
    assert_eq!((seen.log.actions(), seen.log.logged_actions()), (2, &[0, 1, 0][..]));
    let labels = |list: [&str; 3]| ActionCoding::Labels(list.map(str::to_owned).into());
    let given = of(labels(["west", "south", "north, east"])).unwrap();
    assert_eq!((given.log.actions(), given.log.logged_actions()), (3, &[2, 1, 2][..]));
    let (column, text) = ("a".to_owned(), "south".to_owned());
    let unknown = ReadError::UnknownAction { line: 3, column, text, actions: 3 };
    assert_eq!(of(labels(["west", "east", "north, east"])), Err(unknown));
    let twice = ReadError::DuplicateAction { label: "west".into() };
    assert_eq!(of(labels(["west", "south", "west"])), Err(twice));
}

#[test]
fn a_column_without_a_name_is_no_context() {
    let numbered = GOOD.replace("x,a", ",x,a").replace("0.5,2", "0,0.5,2").replace("-1e3", "1,-1e3");
    assert_eq!(read(&numbered).unwrap(), read(GOOD).unwrap());
    let named = CsvColumns {
        contexts: ContextColumns::Named(vec![String::new()]),
        ..columns(ActionCoding::Index(3))
    };
    assert_eq!(read_csv(numbered.as_bytes(), &named).unwrap().log.row(1).unwrap().context.to_dense(), [1.0]);
}

#[test]
fn white_space_around_what_is_asked_for_is_not_part_of_it() {
    let text = "x,a,p,r\n0,north,0.5,0\n1,south,0.5,1\n";
    let labels = |list: [&str; 2]| ActionCoding::Labels(list.map(str::to_owned).into());
    let of = |columns: &CsvColumns| read_csv(text.as_bytes(), columns);
    let plain = of(&columns(labels(["north", "south"]))).unwrap();
    let spaced = CsvColumns {
        contexts: ContextColumns::Named(vec![" x".into()]),
        action: "a ".into(),
        propensity: "\tp".into(),
        outcome: Outcome::Reward(" r ".into()),
        ..columns(labels([" north", "south\t"]))
    };
    assert_eq!(of(&spaced).unwrap(), plain);
    assert!(matches!(of(&columns(labels(["north", "north "]))), Err(ReadError::DuplicateAction { .. })));
}

#[test]
fn every_cell_that_is_wrong_is_named_by_line_column_and_text() {
    let refused = |from: &str, to: &str| {
        assert!(GOOD.contains(from));
        read(&GOOD.replacen(from, to, 1)).unwrap_err()
    };
    let bad = |line, column: &str, text: &str, expected| ReadError::BadCell {
        line,
        column: column.into(),
        text: text.into(),
        expected,
    };
    let context = "a finite number (a column of labels has to be named as one)";
    let number = "a finite number";
    assert_eq!(refused("0.5,2", "half,2"), bad(2, "x", "half", context));
    assert_eq!(refused("0.5,2", ",2"), bad(2, "x", "", context));
    assert_eq!(refused("1e-3\n", "NaN\n"), bad(3, "y", "NaN", context));
    assert_eq!(refused("-0.5", "-inf"), bad(3, "r", "-inf", number));
    assert_eq!(refused("-0.5", "1e999"), bad(3, "r", "1e999", number));
    assert_eq!(refused(",0,1,", ",0,infinity,"), bad(3, "p", "infinity", number));
    let propensity = "a propensity in (0, 1]";
    for text in ["0", "-0.25", "1.0000001", "2e-400"] {
        assert_eq!(refused("0.25", text), bad(2, "p", text, propensity));
    }
    for text in ["3", "-1", "1.0", "", "4294967296"] {
        let (column, text) = ("a".to_owned(), text.to_owned());
        let unknown = ReadError::UnknownAction { line: 3, column, text: text.clone(), actions: 3 };
        assert_eq!(refused("-1e3,0", &format!("-1e3,{text}")), unknown);
    }
    assert_eq!(refused("0.25", "0.25,9"), ReadError::Ragged { line: 2, expected: 5, got: 6 });
    assert_eq!(refused(",1e-3", ""), ReadError::Ragged { line: 3, expected: 5, got: 4 });
    let bytes = GOOD.replace("-0.5", "?").into_bytes();
    let bytes: Vec<u8> = bytes.into_iter().map(|b| if b == b'?' { 0xff } else { b }).collect();
    let not_utf8 = read_csv(&bytes[..], &columns(ActionCoding::Index(3)));
    assert_eq!(not_utf8, Err(ReadError::NotUtf8 { line: 3, column: "r".into() }));
}

#[test]
fn lines_are_those_of_the_file_whatever_ends_them() {
    let bad = GOOD.replace("-0.5", "x");
    let line = |text: &str| match read(text) {
        Err(ReadError::BadCell { line, .. }) => line,
        other => unreachable!("{other:?}"),
    };
    assert_eq!(line(&bad), 3);
    assert_eq!(line(&bad.replace('\n', "\r\n")), 3);
    assert_eq!(line(&bad.replace('\n', "\n\n")), 5);
    assert_eq!(line(&bad.replace('\n', "\r\n\r\n")), 5);
    assert_eq!(line(bad.trim_end()), 3);
    // A quoted cell over two lines; lines longer than any buffer.
    assert_eq!(line(&bad.replace("0.25", "\"0.25\n\"")), 4);
    assert_eq!(line(&bad.replace("0.25", &format!("0.25{}", "0".repeat(200_000)))), 3);
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    let missing = |column: &str| Err(ReadError::MissingColumn { column: column.into() });
    assert_eq!(read(&GOOD.replacen(",p", ",q", 1)), missing("p"));
    assert_eq!(read(&GOOD.replacen(",a", ",b", 1)), missing("a"));
    assert_eq!(read(&GOOD.replacen(",r", ",R", 1)), missing("r"));
    let duplicate = ReadError::DuplicateColumn { column: "x".into() };
    assert_eq!(read(&GOOD.replacen(",y", ",x", 1)), Err(duplicate));
    let twice = |column: &str| Err(ReadError::ColumnAskedTwice { column: column.into() });
    let mut asked = columns(ActionCoding::Index(3));
    asked.outcome = Outcome::Cost("p".into());
    assert_eq!(read_csv(GOOD.as_bytes(), &asked), twice("p"));
    let mut asked = columns(ActionCoding::Index(3));
    asked.contexts = ContextColumns::Named(vec!["x".into(), "a".into()]);
    assert_eq!(read_csv(GOOD.as_bytes(), &asked), twice("a"));
    asked.contexts = ContextColumns::Named(vec!["z".into()]);
    assert_eq!(read_csv(GOOD.as_bytes(), &asked), missing("z"));
    asked.contexts = ContextColumns::Named(vec![]);
    assert_eq!(read_csv(GOOD.as_bytes(), &asked), Err(ReadError::NoContexts));
    assert_eq!(read("a,p,r\n0,1,1\n"), Err(ReadError::NoContexts));
    assert_eq!(read(""), Err(ReadError::NoHeader));
    assert_eq!(read("x,a,p,r\n"), Err(ReadError::NoRows));
}

#[test]
fn a_stream_that_fails_says_after_which_line() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(io::ErrorKind::TimedOut, "no answer"))
        }
    }
    let failed = read_csv(GOOD.as_bytes().chain(Fails), &columns(ActionCoding::Index(3)));
    let Err(ReadError::Io { line, kind, message }) = failed else { unreachable!("{failed:?}") };
    assert_eq!((line, kind), (3, io::ErrorKind::TimedOut));
    assert!(message.contains("no answer"));
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(
        bytes in prop::collection::vec(prop::sample::select(&b"xapr,,,\n\r\"0123.-e \xff"[..]), 0..80),
        good in any::<bool>(),
    ) {
        let mut text = if good { GOOD.as_bytes().to_vec() } else { Vec::new() };
        text.extend(bytes);
        for coding in [ActionCoding::Index(3), ActionCoding::Appearance] {
            if let Ok(read) = read_csv(&text[..], &columns(coding)) {
                prop_assert!(!read.log.is_empty() && read.log.inputs() >= 1);
            }
        }
    }
}

/// A stream that hands out a byte at a time.
pub(crate) struct Drops<'a>(pub(crate) &'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = buffer.len().min(1);
        (&mut self.0).take(n as u64).read(buffer)
    }
}

#[test]
fn a_line_ends_as_a_record_may() {
    // Line 2 is blank, line 3 is good, the record that ends on line 5 begins on line 4.
    let text = "x,a,p,r\n\n0,1,1,1\n\"\n2\",1,1.5,1\n";
    for end in ["\n", "\r\n", "\r"] {
        let text = text.replace('\n', end);
        let (column, cell, expected) = ("p".into(), "1.5".into(), "a propensity in (0, 1]");
        let bad = ReadError::BadCell { line: 4, column, text: cell, expected };
        assert_eq!(read(&text), Err(bad.clone()), "{end:?}");
        let columns = columns(ActionCoding::Index(3));
        assert_eq!(read_csv(Drops(text.as_bytes()), &columns), Err(bad), "{end:?}, drop by drop");
    }
    let mixed = read("x,a,p,r\r0,1,1,1\r\n0,1,1,1\n\r0,1,0,1\r");
    assert!(matches!(mixed, Err(ReadError::BadCell { line: 5, .. })), "{mixed:?}");
}
